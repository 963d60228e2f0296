"""What the site says of the module and of cases between its programs: names, arguments and keys are there."""
import ast
import builtins
import inspect
import keyword
import os
import pathlib
import re
import subprocess
import textwrap

import pytest

import scree

SOURCE = pathlib.Path(os.environ["SCREE_SOURCE_DIR"])
PAGES = [SOURCE / "README.md", SOURCE / "CHANGELOG.md", *sorted(SOURCE.glob("docs/**/*.md"))]
OF_PYTHON = [SOURCE / "docs/python.md", SOURCE / "docs/tutorials/study.md"]

CLASSES = {name: thing for name in scree.__all__ if inspect.isclass(thing := getattr(scree, name))}
CALLS = [thing for name in scree.__all__ if inspect.isfunction(thing := getattr(scree, name))] + [
    call for c in CLASSES.values() for name, call in inspect.getmembers(c)
    if (inspect.isfunction(call) or inspect.ismethod(call)) and (not name.startswith("_") or name == "__init__")]
VARIABLES = {"case": scree.Case, "run": scree.Run, "rows": scree.Rows, "frame": scree.Frame, "results": scree.Results,
             "found": scree.Calibration}


def paragraphs(page):
    """Blocks of lines between empty ones, without fenced programs."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [p for p in re.split(r"\n(?:[ \t]*\n)+", text) if p.strip()]


def is_block(paragraph):
    return all(line.startswith("    ") for line in paragraph.splitlines() if line.strip())


def quoted(page):
    for paragraph in paragraphs(page):
        if not is_block(paragraph):
            yield from (" ".join(code.split()) for code in re.findall(r"`([^`]+)`", paragraph))


def type_of(owner, name):
    """Of an attribute, where it is one of the module's classes; None: anything. Errors: AttributeError."""
    said = inspect.get_annotations(owner).get(name)
    if said is None and not hasattr(owner, name) and name not in owner.__init__.__code__.co_names:
        raise AttributeError(f"{owner.__name__} has no {name}")
    if isinstance(prop := inspect.getattr_static(owner, name, None), property):
        said = prop.fget.__annotations__.get("return")
    return CLASSES.get(said)


def named_by(node):
    """What an expression names: the module, a class or a function; None: it may be anything. Errors: AttributeError."""
    if isinstance(node, ast.Name):
        return scree if node.id == "scree" else CLASSES.get(node.id) or VARIABLES.get(node.id)
    owner = named_by(node.value) if isinstance(node, ast.Attribute) else None
    if owner is scree:
        return getattr(scree, node.attr)
    return type_of(owner, node.attr) or getattr(owner, node.attr, None) if inspect.isclass(owner) else None


def takes(calls, keyword):
    return any(keyword in inspect.signature(c).parameters for c in calls)


def check_call(node, is_of_module):
    """Errors: AttributeError."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    calls = [c for c in (*CALLS, *CLASSES.values()) if c.__name__ == name]
    if is_of_module and isinstance(node.func, ast.Name) and not calls:
        raise AttributeError(f"no {name}()")
    for k in node.keywords:
        if is_of_module and not takes(calls, k.arg) and name != "change":  # keys of a stage
            raise AttributeError(f"{name}() takes no {k.arg}")


def mistakes_in(code, is_of_module):
    """Of what stands between backticks: names that are not there. `is_of_module`: it speaks of nothing else."""
    argument = re.fullmatch(r"(\w+)=\w*", code)
    if argument:
        return [] if not is_of_module or takes(CALLS, argument[1]) else [f"{code}: nothing takes it"]
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    found = []
    for node in ast.walk(tree):
        try:
            if isinstance(node, ast.Attribute):
                named_by(node)
            if isinstance(node, ast.Call):
                check_call(node, is_of_module)
        except AttributeError as error:
            found.append(f"{code}: {error}")
    return found


def is_file(code):
    return re.search(r"\w\.(yaml|json|csv|log|lock|html|h5|md|py|cpp|txt)\b", code) is not None


def test_names_between_backticks_are_there():
    checked, mistakes = set(), []
    for page in PAGES:
        for code in quoted(page):
            if not is_file(code):
                checked.add(code)
                mistakes += [f"{page.relative_to(SOURCE)}: {m}" for m in mistakes_in(code, page in OF_PYTHON)]
    assert not mistakes, "\n".join(mistakes)
    assert {"scree.check", "run.outer.force", "Run(case, threads=2)", "found.remarks", "client="} <= checked


# Columns of a sweep's table, a term of the ledger, packages.
OTHER_WORDS = {"status", "reason", "measured", "exchanged", "pint", "tqdm", "scree"}


@pytest.mark.parametrize("page", OF_PYTHON, ids=lambda p: p.name)
def test_single_words_are_of_the_module_or_of_cases(page):
    known = {*OTHER_WORDS, *VARIABLES, *keyword.kwlist, *dir(builtins), *CLASSES, *scree.__all__, *words_of_keys()}
    for c in CLASSES.values():
        known |= {*dir(c), *inspect.get_annotations(c), *c.__init__.__code__.co_names}
    words = {code for code in quoted(page) if re.fullmatch(r"[A-Za-z]\w*", code) and not code.isupper()}
    assert not [w for w in words - known if not takes(CALLS, w)]


def test_the_table_of_a_run_has_what_it_has():
    rows = re.findall(r"^\| (`.*?`) \| (.*) \|$", (SOURCE / "docs/python.md").read_text(), re.MULTILINE)
    named = [(re.match(r"(?:Run\.)?(\w+)", code)[1], said) for left, said in rows for code in re.findall("`([^`]+)`", left)]
    for name, said in named:
        assert hasattr(scree.Run, name), name
        owner = {"particles": scree.Particles, "contacts": scree.Contacts, "bonds": scree.Bonds,
                 "walls": scree.Wall}.get(name)
        for attribute in re.findall(r"`(\w+)`", said) if owner else ():
            type_of(owner, attribute)
    public = {name for name in vars(scree.Run) if not name.startswith("_")}
    assert public - {name for name, _ in named} <= {"diagnostics", "is_recording"}


@pytest.mark.parametrize("call", CALLS, ids=lambda c: c.__qualname__)
def test_docstrings_name_their_own_arguments(call):
    said = [name for name in re.findall(r"`(\w+)`:", call.__doc__ or "")]
    assert [name for name in said if not takes([call], name)] == []


def table_of_keys():
    page = (SOURCE / "docs/case-file.md").read_text()  # tests/unit/io_read_case.cpp: as the program reads it
    return set(re.findall(r"^\| `([^`]+)` \|", page[page.index("## Every key"):], re.MULTILINE))


def words_of_keys():
    return {part.removesuffix("[]") for key in table_of_keys() for part in key.split(".")} - {"*"}


def blocks():
    """Indented ones that begin with a key: page, first key, text."""
    for page in PAGES:
        for paragraph in filter(is_block, paragraphs(page)):
            text = textwrap.dedent(paragraph) + "\n"
            if first := re.match(r"(?:#.*\n)*(\w+):(?= |\n)", text):
                yield page.name, first[1], text


def parts_of_cases():
    keys = table_of_keys()
    for page, first, text in blocks():
        if first == "place":
            text = "particles:\n" + re.sub("^", "  - ", text.rstrip(), flags=re.MULTILINE)
        if first == "place" or first in keys:
            yield pytest.param(text, id=f"{page}-{first}")


# Of what a part of a case does not hold: keys, files, walls and boxes, and what the page leaves open.
LEFT_OUT = re.compile(r"missing;|cannot read .*: no such file|the file cannot be used|no \w+ \w+.*; there is no \w+ at all|"
                      r"expected .*, got \.\.\.$")


@pytest.mark.parametrize("text", parts_of_cases())
def test_parts_of_cases_are_read(text):
    try:
        scree.check(scree.Case.from_text(text))
    except scree.CaseError as error:
        assert [str(d) for d in error.diagnostics if d.is_error and not LEFT_OUT.match(d.message)] == []


def test_files_of_the_library_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREE_MATERIALS", str(tmp_path))
    seen = set()
    for page, first, text in blocks():
        if first != "name" or "..." in text:
            continue
        name = re.match(r"name: (\w+)", text)[1]
        seen.add(name)
        (tmp_path / f"{name}.yaml").write_text(text)
        command = ["materials", name] if "density:" in text else ["info", str(tmp_path / f"{name}.yaml")]
        subprocess.run([os.environ["SCREE_BINARY"], *command], check=True)
    assert {"wedge", "kite", "dumbbell", "slag"} <= seen


def test_keys_between_backticks_are_those_of_cases():
    names = words_of_keys() | {"kind"}  # of a shape's file
    mistakes = []
    for page in PAGES[2:]:
        for code in quoted(page):
            if re.match(r"\w+: \S", code) and not code.startswith("rest: "):  # in run.json
                mistakes += [f"{page.relative_to(SOURCE)}: {code}: no {key}"
                             for key in re.findall(r"(\w+): ", code) if key not in names]
    assert not mistakes, "\n".join(mistakes)
