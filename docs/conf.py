"""The documentation site, as `script/docs` has Sphinx build it.

The pages in docs/ are plain Markdown, to be read where they lie. What Sphinx needs beside them is made here: a copy of
them in build/docs, the navigation, pages of the Python and C++ interfaces, of the examples, and of files that pages
link to.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from docutils import nodes

root = pathlib.Path(__file__).resolve().parents[1]
source = root / "build" / "docs"
sys.path[:0] = [str(root / "python"), str(root / "docs")]
import gallery  # noqa: E402

project = "Scree"
author = copyright = "the Scree developers"
version = release = re.search(r"project\(scree VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]

# Every page is in one of these; one that is not is an error of the build.
navigation = {
    "Start": ["docs/index", "docs/install"],
    "Tutorials": [f"docs/tutorials/{name}" for name in (
        "first-run", "ballast", "own-grain", "drum", "shear", "breakage", "study", "other-codes")],
    "Cases": ["docs/case-file", "docs/shapes", "docs/clumps", "docs/walls", "docs/measurements", "examples"],
    "Physics": ["docs/contact-geometry", "docs/laws/*", "docs/energy", "docs/time-step"],
    "Results": ["docs/results", "docs/many-machines"],
    "Python and C++": ["docs/python", "docs/cpp", "api/python", "api/cpp"],
    "Papers and validation": ["docs/papers", "docs/validation", "docs/reliability", "docs/testing", "docs/direct-shear"],
    "Detection": ["docs/common-plane", "docs/contact-command", "docs/neighbours", "docs/clusters"],
    "Measured": ["docs/measured/*"],
    "Inside": ["docs/architecture", "CONTRIBUTING", "CHANGELOG"],
}

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.graphviz", "sphinx_copybutton", "breathe"]
myst_heading_anchors = 4
autodoc_mock_imports = ["scree._scree"]  # so that nothing has to be compiled
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
breathe_projects = {"scree": str(root / "build" / "doxygen" / "xml")}
breathe_default_project = "scree"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = False
graphviz_output_format = "svg"
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = f"Scree {version}"
html_css_files = ["site.css"]
html_static_path = [str(root / "docs" / "site.css")]
html_extra_path = [str(gallery.home)] if gallery.home.exists() else []
exclude_patterns = ["runs"]  # of build/gallery
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def put(name: str, text: str) -> None:
    (source / name).parent.mkdir(parents=True, exist_ok=True)
    (source / name).write_text(text)


def page_of(target: pathlib.Path) -> str:
    """The page of build/docs that shows what a page of the repository links to."""
    name = target.relative_to(root).as_posix()
    if name == "README.md":
        return "index.md"
    if name == "examples":
        return "examples.md"
    if name.startswith("docs/") or (target.suffix == ".md" and target.parent == root):
        return name
    files = sorted(f for f in target.iterdir() if f.is_file()) if target.is_dir() else [target]
    text = f"---\norphan: true\n---\n# {name}\n"
    for file in files:
        if len(files) > 1:
            text += f"\n## {file.name}\n"
        text += f"\n{gallery.fenced(file.read_text(), {'.yaml': 'yaml', '.json': 'json'}.get(file.suffix, 'none'))}"
    put(f"files/{name}.md", text)
    return f"files/{name}.md"


def put_page(name: str, text: str, folder: pathlib.Path) -> None:
    """A page that lies in a folder of the repository, its links led to where the site has what they name."""
    def link(match: re.Match) -> str:
        target, anchor = match[1], match[2] or ""
        if re.match("[a-z]+:", target):
            return match[0]
        target = page_of((folder / target).resolve())
        return f"]({os.path.relpath(target, os.path.dirname(name) or '.')}{anchor})"

    text = re.sub(r"\]\(([^)#\s]+)(#[^)\s]*)?\)", link, text)
    put(name, re.sub(r"```mermaid\n(.*?)```", lambda m: as_dot(m[1]), text, flags=re.DOTALL))


def as_dot(flowchart: str) -> str:
    """A flowchart of Mermaid, of chains "a & b --> c" alone, for Graphviz."""
    edges = []
    for line in flowchart.splitlines()[1:]:
        groups = [[re.sub(r'^\w+\["(.*)"\]$', r"\1", name.strip()).replace("io_", "io/") for name in group.split("&")]
                  for group in line.split("-->")]
        for left, right in zip(groups, groups[1:]):
            edges += [f'"{a}" -> "{b}"' for a in left for b in right]
    style = 'rankdir=LR; bgcolor=transparent; nodesep=.15; ranksep=.35; edge [color="#8a97a6"]; ' \
            'node [shape=box, style="rounded,filled", fillcolor="#e8edf3", color="#8a97a6", fontname="sans-serif", ' \
            'fontsize=11, height=.3]'
    return f"```{{graphviz}}\ndigraph {{ {style}\n" + "\n".join(edges) + "\n}\n```"


def pages_of(patterns: list) -> list:
    """Names of pages, patterns in the order of the alphabet."""
    names = {f.relative_to(source).with_suffix("").as_posix() for f in source.glob("**/*.md")}
    found = []
    for pattern in patterns:
        found += sorted(n for n in names if pathlib.PurePath(n).match(pattern)) if "*" in pattern else [pattern]
    return found


def toctrees() -> str:
    text = ""
    for section, patterns in navigation.items():
        text += f"\n```{{toctree}}\n:hidden:\n:caption: {section}\n\n" + "\n".join(pages_of(patterns)) + "\n```\n"
    return text


def write_sources() -> None:
    shutil.rmtree(source)
    shutil.copytree(root / "docs", source / "docs", ignore=shutil.ignore_patterns("*.md", "*.py", "*.css"))
    for path in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
        put_page(page_of(path), path.read_text(), path.parent)
    put_page("examples.md", gallery.page(), root / "docs")
    put("api/python.rst", python_page())
    put("api/cpp.rst", cpp_page())
    put("index.md", (source / "index.md").read_text() + toctrees())


def python_page() -> str:
    text = "The module ``scree``\n====================\n\n.. automodule:: scree\n\n"
    listed = re.search(r"__all__ = \[(.*?)\]", (root / "python/scree/__init__.py").read_text(), re.DOTALL)[1]
    sections = {"Cases": ["Case", "CaseError", "Check", "Diagnostic", "check"],
                "Runs": ["Run", "Particles", "Contacts", "Bonds", "Wall", "Outer", "Rows", "Fault"],
                "Results": ["Results", "Frame", "Report"],
                "Studies and calibration": ["sweep", "calibrate", "Calibration", "Parameter", "Target"]}
    names = set(re.findall(r'"([A-Za-z]+)"', listed))
    if names != set(sum(sections.values(), [])):
        raise ValueError("docs/conf.py: the sections of the Python page are not what the module has")
    for section, members in sections.items():
        text += f"{section}\n{'-' * len(section)}\n\n"
        for name in members:
            text += f".. auto{'class' if name[0].isupper() else 'function'}:: scree.{name}\n"
            text += "   :members:\n\n" if name[0].isupper() else "\n"
    return text


def cpp_page() -> str:
    return "The C++ interface\n=================\n\n``#include <scree/scree.h>``\n\n" \
           ".. doxygenfunction:: scree::version\n\n.. doxygenclass:: scree::Run\n   :members:\n   :undoc-members:\n"


def read_header() -> None:
    settings = {"INPUT": root / "include/scree", "OUTPUT_DIRECTORY": root / "build/doxygen", "GENERATE_HTML": "NO",
                "GENERATE_LATEX": "NO", "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO", "QUIET": "YES",
                "WARN_IF_UNDOCUMENTED": "NO", "WARN_AS_ERROR": "YES", "EXTRACT_ALL": "YES", "MACRO_EXPANSION": "YES",
                "EXPAND_ONLY_PREDEF": "YES", "PREDEFINED": "SCREE_API="}
    subprocess.run(["doxygen", "-"], input="".join(f'{k} = "{v}"\n' for k, v in settings.items()), text=True, check=True)


def docstring(app, what, name, thing, options, lines) -> None:
    """Docstrings are plain text: what is indented is a program, what stands between backticks is code."""
    text, program = [], False
    for line in lines:
        if line.startswith("    ") and not program and text and not text[-1]:
            text += ["::", ""]
            program = True
        elif line and not line.startswith(" "):
            program = False
        text.append(line if program else re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line))
    lines[:] = text


def language_of(text: str) -> str:
    if re.match(r"(\$ |sudo |script/|build/release/|scree |cmake |podman |mpirun |PYTHONPATH=|bench/)", text):
        return "bash"
    return "yaml" if re.match(r"(- )?[\w.]+:( |\n|$)|- \{|#", text) else "none"


def highlight(app, tree) -> None:
    """An indented block does not say what it is."""
    for block in tree.findall(nodes.literal_block):
        if block.get("language", "none") in ("none", "default"):
            block["language"], block["force"] = language_of(block.astext()), True


write_sources()
read_header()


def setup(app) -> None:
    app.connect("autodoc-process-docstring", docstring)
    app.connect("doctree-read", highlight)
