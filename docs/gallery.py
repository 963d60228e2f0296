"""The gallery of the documentation site: runs the examples, long ones shortened, and takes a picture of how each ends.

    docs/gallery.py SCREE     into build/gallery: runs/NAME as `scree run` leaves it, reports/NAME.html and NAME.png

`script/docs --gallery` calls this; docs/conf.py makes the page.
"""
import html
import json
import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
home = root / "build" / "gallery"

# What shortens the long ones.
shortened = {
    "ball_mill": ["--until", "0.25 s"],
    "column_collapse": ["particles[0].count=600", "walls.box.box.max=[25 cm, 25 cm, 140 cm]",
                        "stages[0].duration=0.5 s", "stages[1].duration=0.4 s"],
    "direct_shear": ["--until", "20 s"],
    "hopper_lift": ["particles[0].count=150", "particles[1].count=150", "measure.edge.track=[150]", "--until", "0.7 s"],
    "impact": ["particles[0].count=2500", "measure.ball.track=[2500]", "stages[0].duration=0.12 s", "--until", "0.145 s"],
    "jet": ["particles[0].count=15000"],
}
# Those that are not run, for nothing short shows what they do: the picture of a whole run is in docs/images.
not_run = {"bucket"}


def examples() -> list:
    """(name, what it shows) in the order of the table in docs/index.md, which has them all."""
    rows = re.findall(r"^\| `(\w+)\.yaml` \| (.*) \|$", (root / "docs/index.md").read_text(), re.MULTILINE)
    if sorted(name for name, _ in rows) != sorted(f.stem for f in (root / "examples").glob("*.yaml")):
        raise ValueError("the table of docs/index.md does not have every case of examples/, or has others")
    return rows


def arguments(name: str) -> list:
    given = []
    for word in shortened.get(name, []):
        given += ["--set", word] if "=" in word else [word]
    return given


def make(scree: str, name: str) -> None:
    folder, report = home / "runs" / name, home / "reports" / f"{name}.html"
    report.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([scree, "run", f"examples/{name}.yaml", "--out", folder, "--force", "--quiet", *arguments(name)],
                   cwd=root, check=True, stdout=subprocess.DEVNULL)
    report.write_bytes((folder / "report.html").read_bytes())
    subprocess.run([scree, "render", folder, "--out", report.with_suffix(".png"), "--size", "800x640", "--force"], check=True,
                   stdout=subprocess.DEVNULL)
    print(f"{name}: {record(name)['seconds']:.3g} s", flush=True)


def record(name: str) -> dict:
    return json.loads((home / "runs" / name / "run.json").read_text())


def fenced(text: str, language: str) -> str:
    return f"````{language}\n{text.rstrip()}\n````\n"


def page() -> str:
    """Markdown, as if it lay in docs/."""
    text = "# Examples\n\nThe cases of `examples/`. Each says at its head what it shows and how to run it.\n"
    made = [name for name, _ in examples() if (home / "reports" / f"{name}.png").exists()]
    if made:
        machine = record(made[0])
        text += f"\nThe pictures are of the runs named below them, with {machine['threads']} threads on " \
                f"{machine['machine']['cpu']}; a click on one opens its report, which plays the run.\n" \
                "Long cases were shortened; their whole runs take what their heads say.\n"
    for name, shows in examples():
        case = (root / "examples" / f"{name}.yaml").read_text()
        title = re.search(r"^title: (.*)$", case, re.MULTILINE)[1]
        text += f"\n## {title}\n\n`{name}.yaml`: {shows}.\n\n"
        if name in not_run:
            text += f"![{title}](images/{name}.png)\n\nThe picture is of a whole run, which was not made for this page.\n\n" \
                    f"{fenced(case, 'yaml')}"
        elif name in made:
            run = record(name)
            command = shlex.join(["scree", "run", f"examples/{name}.yaml", *arguments(name)])
            text += '<div class="example"><div>\n' \
                    f'<a href="reports/{name}.html"><img src="reports/{name}.png" alt="{html.escape(title)}"></a>\n' \
                    f'<p><code>{html.escape(command)}</code><br>{run["particles"]} grains at the end, {run["steps"]} steps, ' \
                    f'{run["seconds"]:.3g} s; <a href="reports/{name}.html">the report</a></p>\n</div>\n\n' \
                    f'{fenced(case, "yaml")}\n</div>\n'
        else:
            text += fenced(case, "yaml")
    return text


if __name__ == "__main__":
    for name, _ in examples():
        if name not in not_run:
            make(sys.argv[1], name)
