"""The programs in the documentation do what they show."""
import os
import pathlib
import re
import subprocess

import pytest

import scree

SOURCE = pathlib.Path(os.environ["SCREE_SOURCE_DIR"])


@pytest.fixture
def in_a_folder_with_results(tmp_path, monkeypatch):
    for folder in ("examples", "validation"):
        (tmp_path / folder).symlink_to(SOURCE / folder)
    monkeypatch.chdir(tmp_path)
    subprocess.run([os.environ["SCREE_BINARY"], "run", "examples/box_fill.yaml", "--set", "particles[0].count=40", "--until",
                    "0.3", "--quiet", "--no-report"], check=True)


PAGES = [str(page.relative_to(SOURCE)) for page in (*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"))
         if "```python" in page.read_text()]


def test_pages_have_programs():
    assert {"README.md", "docs/python.md", "docs/tutorials/study.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_programs_of(page, in_a_folder_with_results, capsys):
    programs = re.findall(r"```python\n(.*?)```\n((?:\n|    [^\n]*\n)*)", (SOURCE / page).read_text(), re.DOTALL)
    assert programs
    names = {}
    for program, shown in programs:
        exec(compile(program, page, "exec"), names)
        said = capsys.readouterr().out
        assert said.strip()
        lines = [line.strip() for line in shown.splitlines() if line.strip()]  # the page may leave some out
        assert [line for line in map(str.strip, said.splitlines()) if line in lines] == lines
    if page == "docs/tutorials/study.md":  # recovers what it says it does
        angle = names["found"].parameters["contacts[0].friction_angle"]
        assert 0 < angle.error < 1 and abs(angle.value - 12) < 3 * angle.error


def test_the_first_run_comes_to_rest_when_its_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (SOURCE / "docs/tutorials/first-run.md").read_text()
    count = re.search(r'--set "(particles\[0\].count=\d+)" --resume', page)[1]
    for command in (["new", "box", "-o", "my_box.yaml"],
                    ["run", "my_box.yaml", "--set", count, "--quiet", "--no-report"]):
        subprocess.run([os.environ["SCREE_BINARY"], *command], check=True)
    told = re.search(r"here at ([\d.]+) s", page)[1]
    assert scree.Results("results/my_box").record["verdict"]["reason"] == f"finished at t = {told} s"
