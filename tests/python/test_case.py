"""Cases as dicts: what is written is what the engine reads, and every mistake is told at once."""
import os
import pathlib
import pickle

import numpy as np
import pytest

import scree

SOURCE = pathlib.Path(os.environ["SCREE_SOURCE_DIR"])
EXAMPLES = sorted((SOURCE / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_have_no_mistakes_and_mean_the_same_as_dicts(path):
    case = scree.Case.load(path)
    assert case.text() == path.read_text()
    again = scree.Case(case.data, path.parent)
    assert again.text() != case.text()
    runs = [scree.Run(c) for c in (case, again)]
    assert runs[0].state_hash == runs[1].state_hash and runs[0].time_step == runs[1].time_step


def test_quantities_are_text_numbers_arrays_or_of_pint(box_fill):
    steps = []
    pint = pytest.importorskip("pint")
    units = pint.UnitRegistry()
    for kn in ("260 kN/m", 260e3, np.float64(260e3), 260 * units.kilonewton / units.meter):
        box_fill["contacts"][0]["kn"] = kn
        steps.append(scree.check(box_fill).time_step)
    assert np.allclose(steps, steps[0], rtol=1e-14, atol=0)
    # Their dimension counts, whatever system the registry prefers.
    units.default_system = "cgs"
    box_fill["contacts"][0]["kn"] = 260 * units.kilonewton / units.meter
    assert np.isclose(scree.check(box_fill).time_step, steps[0], rtol=1e-14, atol=0)
    box_fill["gravity"] = [0, 0, -9.81] * units.meter / units.second**2
    box_fill["contacts"][0]["friction_angle"] = 35 * units.degree
    scree.check(box_fill)
    box_fill["contacts"][0]["kn"] = 260 * units.kilopascal
    with pytest.raises(scree.CaseError, match="expected a stiffness"):
        scree.check(box_fill)
    box_fill["contacts"][0]["kn"] = "130 kN/m"
    assert scree.check(box_fill).time_step > steps[0]
    box_fill["gravity"] = np.array([0, 0, -9.81])
    box_fill["walls"]["box"]["box"]["min"] = (np.int64(0), 0, np.float32(0))
    assert scree.check(box_fill).particles == 40


def test_every_mistake_is_told_with_its_key(box_fill):
    box_fill["contacts"][0]["kn"] = "3 GPa"
    box_fill["particles"][0]["colour"] = "red"
    with pytest.raises(scree.CaseError) as told:
        scree.Run(box_fill)
    mistakes = {d.key: d for d in told.value.diagnostics}
    assert set(mistakes) == {"contacts[0].kn", "particles[0].colour"}
    assert all(d.is_error and d.line == 0 for d in mistakes.values()), "lines are those of a file that was read"
    assert "expected a stiffness, got 3 GPa" in str(told.value)
    again = pickle.loads(pickle.dumps(told.value))
    assert str(again) == str(told.value) and again.diagnostics == told.value.diagnostics, "across processes"


def test_mistakes_of_a_file_have_its_lines(tmp_path):
    path = tmp_path / "case.yaml"
    path.write_text("title: x\nmateralis: {}\n")
    with pytest.raises(scree.CaseError) as told:
        scree.check(path)
    assert (str(path), 2, "materalis") in [(d.file, d.line, d.key) for d in told.value.diagnostics]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"x", lambda: 0])
def test_what_a_case_cannot_hold_is_refused(box_fill, value):
    box_fill["contacts"][0]["kn"] = value
    with pytest.raises(scree.CaseError, match=r"contacts\[0\].kn"):
        scree.check(box_fill)


@pytest.mark.parametrize("text", ["", "[1, 2]", "a: [", "a: &x [*x]", "%", "\0", "a: b: c", "- " * 5000])
def test_text_that_is_no_case_is_refused(tmp_path, text):
    path = tmp_path / "case.yaml"
    path.write_text(text)
    with pytest.raises(scree.CaseError):
        scree.check(path)


def test_yaml_is_that_of_the_engine(box_fill):
    text = box_fill.text()
    case = scree.Case.from_text("a: 1e6\nb: on\nc: 010\nd: '5'\ne: ~\nf: 1.5\ntrue: &x [1]\ng: *x\nh: 2020-01-01\ni: !!bool x\n")
    assert case.data == {"a": 1e6, "b": "on", "c": "010", "d": "5", "e": None, "f": 1.5, "true": [1], "g": [1],
                         "h": "2020-01-01", "i": "x"}
    case["true"].append(2)
    assert case["g"] == [1], "aliases are copies"
    with pytest.raises(scree.CaseError, match="given twice"):
        scree.Case.from_text("a: 1\na: 2\n")
    bomb = "a: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"b{i}: &a{i} [" + ",".join([f"*a{i - 1}"] * 9) + "]\n" for i in range(1, 9))
    with pytest.raises(scree.CaseError, match="aliases counted in full"):
        scree.Case.from_text(bomb)
    assert scree.Case.from_text(text).text() == text


@pytest.mark.parametrize("value", ["\ud800", 1 << 70, -(1 << 20000)], ids=["surrogate", "large", "larger"])
def test_text_and_numbers_beyond_files_are_refused(box_fill, value):
    box_fill["title"] = value
    with pytest.raises(scree.CaseError, match="title"):
        scree.check(box_fill)


def test_a_case_within_itself_is_refused(box_fill):
    box_fill["output"] = {"every": box_fill.data}
    with pytest.raises(scree.CaseError, match="without end"):
        scree.check(box_fill)
    data = {}
    data["title"] = data
    with pytest.raises(scree.CaseError, match="without end"):
        scree.check(data)


def test_wrong_arguments_are_named(tmp_path):
    with pytest.raises(TypeError, match="a scree.Case, a dict or the path"):
        scree.Run(7)
    with pytest.raises(FileNotFoundError):
        scree.Run(tmp_path / "none.yaml")
    with pytest.raises(ValueError, match="threads"):
        scree.Run({}, threads=0)


def test_a_case_is_a_mapping(box_fill):
    assert list(box_fill) == list(box_fill.data) and len(box_fill) == len(box_fill.data) > 3
    assert dict(box_fill) == box_fill.data and list(box_fill.keys()) == list(box_fill.data)
    assert scree.Case(box_fill).data == box_fill.data and box_fill == box_fill.copy()
    assert box_fill.get("nothing") is None and "nothing" not in box_fill and "stages" in box_fill
    box_fill.update(seed=3)
    assert box_fill.pop("seed") == 3 and "seed" not in box_fill.data


def test_a_case_is_not_changed_by_its_run(box_fill):
    before = box_fill.copy().data
    run = scree.Run(box_fill)
    box_fill["particles"][0]["count"] = 3
    assert len(run.particles) == before["particles"][0]["count"]
