"""The programs in the documentation do what they show."""
import os
import pathlib
import re
import subprocess

import pytest

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
    programs = re.findall(r"```python\n(.*?)```", (SOURCE / page).read_text(), re.DOTALL)
    assert programs
    names = {}
    for program in programs:
        exec(compile(program, page, "exec"), names)
        assert capsys.readouterr().out.strip()
    if page == "docs/tutorials/study.md":  # recovers what it says it does
        angle = names["found"].parameters["contacts[0].friction_angle"]
        assert 0 < angle.error < 1 and abs(angle.value - 12) < 3 * angle.error
