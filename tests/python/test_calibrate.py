"""Calibration: known values are found within their stated errors, and what can't be found is said."""
import hashlib
import os
import pathlib
import re

import numpy as np
import pandas
import pytest

import scree

SOURCE = pathlib.Path(os.environ["SCREE_SOURCE_DIR"])
ANGLE, KN, KS = "contacts[0].friction_angle", "contacts[0].kn", "contacts[0].ks"
DEGREES, STIFF = ("10 degree", "35 degree"), ("100 kN/m", "200 kN/m")


@pytest.fixture
def slide():
    """A cube slides down a slope of 40 degrees."""
    case = scree.Case.load(SOURCE / "validation" / "cases" / "slide.yaml")
    case["stages"][0]["duration"] = "0.4 s"
    case["output"] = {"every": "0.1 s"}
    return case


@pytest.fixture
def instead_of_runs(monkeypatch):
    """Has sweep give formula(*numbers of the point, random numbers that hang on the point and `noise`); its calls."""
    def put(formula, noise=0, fails=lambda *numbers: False):
        calls = []

        def sweep(case, points, *, folder, **_):
            os.makedirs(folder, exist_ok=True)
            calls.append(points)
            rows = []
            for point in points:
                numbers = [float(str(value).split()[0]) for value in point.values()]
                seed = int(hashlib.sha256(repr((noise, point)).encode()).hexdigest()[:15], 16)
                row = {**point, "status": "finished", "reason": "", "seconds": 1.0, "folder": repr(point)}
                if fails(*numbers):
                    row.update(status="failed", reason="too deep")
                else:
                    row.update(formula(*numbers, np.random.default_rng(seed)))
                rows.append(row)
            return pandas.DataFrame(rows)

        monkeypatch.setitem(scree.calibrate.__globals__, "sweep", sweep)
        return calls

    return put


def test_recovers_the_friction_of_a_sliding_block(slide, tmp_path):
    """It gains speed at g (sin s - tan phi cos s) on a slope s."""
    def acceleration(results):
        a, b = results.frames[1], results.frames[4]
        return (b["velocity"][0, 0] - a["velocity"][0, 0]) / (b.time - a.time)

    slope, phi = np.radians(40), np.radians(25)
    wanted = 9.81 * (np.sin(slope) - np.tan(phi) * np.cos(slope))
    # given to 0.1 %, as far as the springs of a block that has been let go swing
    arguments = dict(targets={"acceleration": (wanted, 0.001 * wanted)}, parameters={ANGLE: DEGREES},
                     measure=acceleration, seeds=None, points=6, folder=tmp_path, jobs=2, quiet=True)
    found = scree.calibrate(slide, **arguments)
    fitted, target = found.parameters[ANGLE], found.targets["acceleration"]
    of_tolerance = np.degrees(0.001 * wanted * np.cos(phi) ** 2 / (9.81 * np.cos(slope)))
    assert abs(fitted.value - 25) < 2 * fitted.error and 0.99 < fitted.error / of_tolerance < 1.2
    assert abs(target.measured - target.predicted) < 3 * target.predicted_error and found.remarks == []
    assert found.best == {ANGLE: f"{fitted.value} degree"}
    assert found.case["contacts"][0]["friction_angle"] == found.best[ANGLE]
    assert len(found.table) == 13 and len(pandas.read_csv(tmp_path / "table.csv")) == 13
    # the same call again runs nothing and finds the same
    stamps = [os.stat(os.path.join(f, "run.json")).st_mtime_ns for f in found.table["folder"]]
    assert str(scree.calibrate(slide, **arguments)) == str(found)
    assert [os.stat(os.path.join(f, "run.json")).st_mtime_ns for f in found.table["folder"]] == stamps
    shown = str(found)
    assert "13 runs, 0 failed" in shown and f"{fitted.value:.3f} degree" in shown and "10 to 35 degree" in shown


def test_standard_errors_are_those_of_repeated_calibrations(slide, instead_of_runs, tmp_path):
    pulls = []
    for noise in range(20):
        instead_of_runs(lambda angle, seed, random: {"x": 40 * np.tan(np.radians(angle)) + random.normal(0, 0.5)},
                        noise)
        fitted = scree.calibrate(slide, targets={"x": 40 * np.tan(np.radians(25))}, parameters={ANGLE: DEGREES},
                                 measure=len, folder=tmp_path, quiet=True).parameters[ANGLE]
        pulls.append((fitted.value - 25) / fitted.error)
    # the root mean square of 20 is known to 16 %, their mean to 0.22
    assert 0.6 < np.sqrt(np.mean(np.square(pulls))) < 1.4 and abs(np.mean(pulls)) < 0.6


def test_points_of_great_scatter_count_for_less(slide, instead_of_runs, tmp_path):
    def formula(angle, seed, random):
        return {"x": angle + random.normal(0, 20 if angle > 28 else 0.1)}

    instead_of_runs(formula)
    found = scree.calibrate(slide, targets={"x": 20}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path,
                            seeds=range(8), rounds=1, points=10, quiet=True)
    assert abs(found.parameters[ANGLE].value - 20) < 0.5


def test_two_parameters_of_two_targets(slide, instead_of_runs, tmp_path):
    calls = instead_of_runs(lambda angle, kn, seed, random: {
        "heap": angle + kn / 100 + random.normal(0, 0.05), "flow": 50 - angle + kn / 20 + random.normal(0, 0.05)})
    found = scree.calibrate(slide, targets={"heap": 25 + 1.5, "flow": 50 - 25 + 7.5}, measure=len, folder=tmp_path,
                            parameters={ANGLE: DEGREES, KN: STIFF}, quiet=True)
    for key, value in ((ANGLE, 25), (KN, 150)):
        fitted = found.parameters[key]
        assert abs(fitted.value - value) < 3 * fitted.error < 0.1 * (fitted.upper - fitted.lower)
    assert found.remarks == [] and found.parameters[KN].unit == "kN/m"
    # two rounds of 14 points and the optimum, three seeds each; the second round is the narrower
    assert [len(points) for points in calls] == [42, 42, 3]
    widths = [np.ptp([float(p[ANGLE].split()[0]) for p in points]) for points in calls]
    assert 20 < widths[0] < 25 and widths[1] < widths[0] / 2 and widths[2] == 0


def test_a_target_out_of_reach_is_told(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, seed, random: {"x": angle**2 + random.normal(0, 1)})
    found = scree.calibrate(slide, targets={"x": 2000}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path,
                            quiet=True)
    assert len(found.remarks) == 1 and "x = 2000 can't be reached within the bounds: it goes from" in found.remarks[0]
    assert found.parameters[ANGLE].value == 35 and found.remarks[0] in str(found)


def test_a_target_that_nothing_changes_is_told(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, seed, random: {"x": 0.0})
    found = scree.calibrate(slide, targets={"x": 5}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path,
                            quiet=True)
    assert [remark.split(":")[0] for remark in found.remarks] == [
        "x = 5 can't be reached within the bounds", f"{ANGLE} doesn't matter"]
    assert "nan" not in str(found)


def test_targets_that_exclude_each_other_are_told(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, seed, random: {"x": angle, "y": 2 * angle})
    found = scree.calibrate(slide, targets={"x": 20, "y": 60}, parameters={ANGLE: DEGREES}, measure=len,
                            folder=tmp_path, quiet=True)
    assert any("together with the other targets" in remark for remark in found.remarks)
    # tolerances of 1 % weigh them: the least of ((a - 20) / 0.2)^2 + ((2 a - 60) / 0.6)^2
    assert np.isclose(found.parameters[ANGLE].value, (20 / 0.04 + 30 / 0.09) / (1 / 0.04 + 1 / 0.09), rtol=1e-3)


@pytest.mark.parametrize("scatter", [0, 0.3])
def test_a_parameter_that_does_not_matter_is_told(slide, instead_of_runs, tmp_path, scatter):
    """Without scatter it is seen to change x by 0.01, where the tolerance is 0.3."""
    instead_of_runs(lambda angle, kn, seed, random: {
        "x": angle + angle**2 / 100 + kn / 1e4 + random.normal(0, 1) * scatter})
    found = scree.calibrate(slide, targets={"x": 25 + 6.25}, parameters={ANGLE: DEGREES, KN: STIFF}, measure=len,
                            folder=tmp_path, quiet=True)
    assert [remark.split(":")[0] for remark in found.remarks] == [f"{KN} doesn't matter"]
    assert found.parameters[KN].value == 150 and np.isnan(found.parameters[KN].error)
    fitted = found.parameters[ANGLE]
    assert abs(fitted.value - 25) < max(3 * fitted.error, 0.02) and fitted.error < 1


@pytest.mark.parametrize("targets", [{"x": 3.0}, {"x": 3.0, "y": 9.0}])
def test_parameters_that_are_alike_are_told(slide, instead_of_runs, tmp_path, targets):
    """Both targets hang on the product alone."""
    instead_of_runs(lambda kn, ks, seed, random: {
        "x": kn * ks / 5e3 + random.normal(0, 0.01), "y": (kn * ks / 5e3) ** 2 + random.normal(0, 0.01)})
    found = scree.calibrate(slide, targets=targets, parameters={KN: STIFF, KS: STIFF}, measure=len, folder=tmp_path,
                            quiet=True)
    assert any(f"{KN} and {KS} can't be told apart" in remark for remark in found.remarks)
    assert np.isnan(found.parameters[KN].error) and np.isnan(found.parameters[KS].error)
    assert np.isclose(found.parameters[KN].value * found.parameters[KS].value, 15e3, rtol=0.02)


def test_a_second_solution_is_told(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, seed, random: {"x": (angle - 22.5) ** 2})
    found = scree.calibrate(slide, targets={"x": 25}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path,
                            rounds=1, quiet=True)
    assert len(found.remarks) == 1 and "other values fit as well" in found.remarks[0]
    assert min(abs(found.parameters[ANGLE].value - x) for x in (17.5, 27.5)) < 1e-3


def test_runs_that_failed_count_for_nothing(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, seed, random: {"x": angle}, fails=lambda angle, seed: angle < 15 or seed == 2)
    arguments = dict(targets={"x": 25}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path, quiet=True)
    found = scree.calibrate(slide, **arguments)
    assert np.isclose(found.parameters[ANGLE].value, 25, atol=1e-3)
    assert len(found.remarks) == 1 and "runs did not finish" in found.remarks[0] and "too deep" in found.remarks[0]
    instead_of_runs(lambda angle, seed, random: {"x": angle}, fails=lambda angle, seed: True)
    with pytest.raises(RuntimeError, match="0 of 8 points have finished runs that give 'x'; a fit needs 3"):
        scree.calibrate(slide, **arguments)


def test_few_points_give_a_plane(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, kn, seed, random: {"x": angle - kn / 10, "y": angle})
    found = scree.calibrate(slide, targets={"x": 10, "y": 25}, parameters={ANGLE: DEGREES, KN: STIFF}, measure=len,
                            folder=tmp_path, points=4, rounds=1, quiet=True)
    assert np.isclose(found.parameters[KN].value, 150, rtol=1e-3) and len(found.table) == 15


@pytest.mark.parametrize("wrong, message", [
    ({"parameters": {ANGLE: ("10 degree", "0.5 rad")}}, "same unit"),
    ({"parameters": {ANGLE: ("30 degree", "10 degree")}}, "lower bound comes first"),
    ({"parameters": {ANGLE: "10 degree"}}, "a lower and an upper bound"),
    ({"parameters": {ANGLE: ("ten", "20")}}, "expected a number"),
    ({"parameters": {ANGLE: ("10 degree", "95 degree")}}, "upper bounds: .*friction_angle"),
    ({"parameters": {"contacts[0].friction_angel": DEGREES}}, "friction_angel"),
    ({"parameters": {}}, "at least one"), ({"targets": {}}, "at least one"),
    ({"parameters": {"seed": (1, 9)}}, "seed is no parameter"), ({"seeds": []}, "seeds"),
    ({"targets": {"x": 0}}, "a target of 0 needs one"), ({"targets": {"x": (1, -1)}}, "tolerance above 0"),
    ({"targets": {"x": (1, 1e-300)}}, "of 1e-60 at least"), ({"targets": {"x": 1e200}}, "up to 1e\\+60"),
    ({"targets": {"x": float("inf")}}, "up to 1e\\+60"), ({"targets": {"x": (1, float("nan"))}}, "tolerance"),
    ({"targets": {"x": "28"}, "points": 2}, "points: 1 parameters need at least 3"), ({"rounds": 0}, "rounds"),
])
def test_wrong_arguments_are_named(slide, tmp_path, wrong, message):
    arguments = dict(targets={"x": 1}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path / "study")
    with pytest.raises(ValueError, match=message):
        scree.calibrate(slide, **{**arguments, **wrong})
    assert not (tmp_path / "study").exists()


def test_a_target_that_measure_does_not_give_is_named(slide, instead_of_runs, tmp_path):
    instead_of_runs(lambda angle, seed, random: {"heap": angle})
    with pytest.raises(ValueError, match="measure gives no 'repose'"):
        scree.calibrate(slide, targets={"repose": 28}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path,
                        quiet=True)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200])
def test_a_measure_without_measure_is_named(slide, instead_of_runs, tmp_path, value):
    instead_of_runs(lambda angle, seed, random: {"heap": value if angle > 30 else angle})
    arguments = dict(targets={"heap": 28}, parameters={ANGLE: DEGREES}, measure=len, folder=tmp_path, quiet=True)
    with pytest.raises(ValueError, match=re.escape(f"measure gave heap = {value:g} for ") + ".*" + re.escape(ANGLE)):
        scree.calibrate(slide, **arguments)
    # NaN is none, and numbers as large as they may be are fitted
    instead_of_runs(lambda angle, seed, random: {"heap": np.nan if angle > 30 else angle * 1e58})
    found = scree.calibrate(slide, **{**arguments, "targets": {"heap": (25e58, 1e-60)}})
    assert np.isclose(found.parameters[ANGLE].value, 25, atol=1e-3)
