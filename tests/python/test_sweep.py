"""Studies: every point is run once, what was interrupted goes on, and nothing is run for a mistake."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pandas
import pytest

import scree
from scree.program import find_binary

SOURCE = pathlib.Path(os.environ["SCREE_SOURCE_DIR"])
ANGLE = "contacts[0].friction_angle"


@pytest.fixture
def slide():
    """A cube slides down a slope of 40 degrees for 0.2 s."""
    case = scree.Case.load(SOURCE / "validation" / "cases" / "slide.yaml")
    case["stages"][0]["duration"] = "0.2 s"
    case["output"] = {"every": "0.1 s"}
    return case


def acceleration(results):
    """m/s^2 down the slope, once the springs have taken up the cube."""
    frames = results.frames
    return (frames[2]["velocity"][0, 0] - frames[1]["velocity"][0, 0]) / (frames[2].time - frames[1].time)


def closed_form(degrees):
    """m/s^2 on a slope of 40 degrees."""
    slope = np.radians(40)
    return 9.81 * (np.sin(slope) - np.tan(np.radians(degrees)) * np.cos(slope))


def sessions(row):
    return len(scree.Results(row.folder).record["sessions"])


def stamps(table):
    return [os.stat(os.path.join(folder, "run.json")).st_mtime_ns for folder in table["folder"]]


def test_every_combination_is_run_with_its_values(slide, tmp_path, capsys):
    before = slide.copy().data
    table = scree.sweep(slide, {ANGLE: ["20 degree", np.radians(30)], "seed": [1, 2]}, measure=acceleration,
                        folder=tmp_path / "study", jobs=2)
    assert list(table.columns) == [ANGLE, "seed", "status", "reason", "measured", "seconds", "folder"]
    assert list(table[ANGLE]) == ["20 degree"] * 2 + [np.radians(30)] * 2 and list(table["seed"]) == [1, 2, 1, 2]
    assert (table["status"] == "finished").all() and (table["reason"] == "").all() and (table["seconds"] > 0).all()
    assert np.allclose(table["measured"], [closed_form(20)] * 2 + [closed_form(30)] * 2, rtol=1e-3)
    assert os.path.basename(table["folder"][1]) == "friction_angle=20_degree,seed=2"
    read = pandas.read_csv(tmp_path / "study" / "table.csv")
    assert list(read.columns) == list(table.columns) and np.allclose(read["measured"], table["measured"], rtol=1e-12)
    assert slide.data == before
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4 and "4 of 4" in said[-1] and all("finished" in line for line in said)
    for row in table.itertuples():
        record = scree.Results(row.folder).record
        assert record["threads"] == max(1, len(os.sched_getaffinity(0)) // 2)
        assert json.loads(pathlib.Path(row.folder, "case.yaml").read_text())["seed"] == row.seed


@pytest.mark.parametrize("jobs", [1, 2])
def test_as_many_runs_side_by_side_as_are_asked_for(slide, tmp_path, monkeypatch, jobs):
    late = tmp_path / "late"
    late.write_text(f'#!/bin/sh\ntouch "$4/begun"; sleep 1; exec "{os.environ["SCREE_BINARY"]}" "$@"\n')
    late.chmod(0o755)
    monkeypatch.setenv("SCREE_BINARY", str(late))
    table = scree.sweep(slide, {"seed": [1, 2]}, folder=tmp_path / "study", jobs=jobs, threads=1, quiet=True)
    begun, ended = ([os.stat(os.path.join(f, name)).st_mtime for f in table["folder"]]
                    for name in ("begun", "run.json"))
    assert (max(begun) < min(ended)) == (jobs == 2)


def test_what_has_finished_is_not_run_again_and_values_can_be_added(slide, tmp_path, capsys):
    first = scree.sweep(slide, {ANGLE: ["20 degree", "30 degree"]}, folder=tmp_path, threads=1)
    before = stamps(first)
    capsys.readouterr()
    table = scree.sweep(slide, {ANGLE: ["20 degree", "25 degree", "30 degree"]}, measure=acceleration, folder=tmp_path)
    assert "1 of 1: friction_angle=25_degree" in capsys.readouterr().err
    assert stamps(table)[::2] == before and [sessions(row) for row in table.itertuples()] == [1, 1, 1]
    assert np.allclose(table["measured"], [closed_form(x) for x in (20, 25, 30)], rtol=1e-3)
    # a list of points is the same
    some = scree.sweep(slide, [{ANGLE: "25 degree"}, {ANGLE: "30 degree"}], folder=tmp_path)
    assert stamps(some) == stamps(table)[1:]
    assert capsys.readouterr().err == ""


def test_a_failed_run_is_a_row_and_stays_failed(slide, tmp_path, capsys):
    speed = "particles[0].velocity"
    points = {speed: [[0, 0, 0], [0, 0, -200]]}
    table = scree.sweep(slide, points, measure=lambda r: {"x": acceleration(r), "n": 1}, folder=tmp_path, quiet=True)
    assert list(table["status"]) == ["finished", "failed"] and list(table[speed]) == points[speed]
    assert "overlap" in table["reason"][1] and np.isnan(table["x"][1]) and table["n"][0] == 1
    said = capsys.readouterr().err
    assert said.count("warning") == 1 and table["reason"][1] in said
    before = stamps(table)
    again = scree.sweep(slide, points, folder=tmp_path, quiet=True)
    assert stamps(again) == before and list(again["reason"]) == list(table["reason"])
    assert capsys.readouterr().err.count("warning") == 1
    scree.sweep(slide, points, folder=tmp_path, quiet=True, again=True)
    assert stamps(table)[0] == before[0] and stamps(table)[1] > before[1]


@pytest.mark.parametrize("points, key, message", [
    ({"contacts[0].friction_angel": ["20 degree"]}, "contacts[0].friction_angel", "friction_angle"),
    ({"seed": [1], ANGLE: ["20 degree", "20 mm"]}, ANGLE, "expected an angle"),
    ({"contacts[1].kn": [1]}, "contacts[1].kn", "contacts has 1 item,"),
    ({"title.x": [1]}, "title.x", "title has no keys"),
    ({"seed[0]": [1]}, "seed[0]", "seed has no items"),
    ({"contacts[].kn": [1]}, "contacts[].kn", "expected a key such as"),
])
def test_nothing_is_run_for_a_mistake(slide, tmp_path, points, key, message):
    with pytest.raises(scree.CaseError) as told:
        scree.sweep(slide, points, folder=tmp_path / "study")
    assert len(told.value.diagnostics) == 1 and told.value.diagnostics[0].key == key and message in str(told.value)
    assert not (tmp_path / "study").exists()


def test_a_mistake_names_its_point(slide, tmp_path):
    with pytest.raises(scree.CaseError, match="^friction_angle=95_degree,seed=1: "):
        scree.sweep(slide, {ANGLE: ["20 degree", "95 degree"], "seed": [1, 2]}, folder=tmp_path)


def test_keys_that_the_case_does_not_name_can_be_set(slide, tmp_path):
    del slide["output"]
    table = scree.sweep(slide, {"output.every": ["50 ms", "0.1 s"]}, measure=lambda r: len(r.frames), folder=tmp_path)
    assert list(table["measured"]) == [5, 3]


@pytest.mark.parametrize("wrong, error", [
    ({"points": {}}, ValueError), ({"points": []}, ValueError), ({"points": {"seed": []}}, ValueError),
    ({"points": {"seed": "12"}}, TypeError), ({"points": {"seed": 3}}, TypeError),
    ({"points": {"seed": [1, 1]}}, ValueError), ({"points": [{"seed": 1}, {"title": "x"}]}, ValueError),
    ({"jobs": 0}, ValueError), ({"threads": 1.5}, ValueError),
])
def test_wrong_arguments_are_named(slide, tmp_path, wrong, error):
    arguments = {"points": {"seed": [1]}, "folder": tmp_path / "study", **wrong}
    with pytest.raises(error, match="points|seed|jobs|threads"):
        scree.sweep(slide, **arguments)
    assert not (tmp_path / "study").exists()


def test_names_tell_the_values_and_hang_on_no_other_point(slide, tmp_path):
    points = [{ANGLE: "20 degree", "title": title} for title in ("a b", "a_b", "a/b", "é" * 200)]
    names = [os.path.basename(f) for f in scree.sweep(slide, points, folder=tmp_path, jobs=2, quiet=True)["folder"]]
    assert len(set(names)) == 4 and names[0] == "friction_angle=20_degree,title=a_b"
    assert all(len(name) <= 100 and name.isascii() and "/" not in name for name in names)
    alone = scree.sweep(slide, points[2:3], folder=tmp_path, quiet=True)
    assert os.path.basename(alone["folder"][0]) == names[2]
    # as much of a key as tells it from the others
    slide["contacts"].append(dict(slide["contacts"][0], between=["any", "any"]))
    table = scree.sweep(slide, {ANGLE: ["20 degree"], "contacts[1].friction_angle": ["30 degree"], "gravity[0]": [6]},
                        folder=tmp_path / "keys", quiet=True)
    assert os.path.basename(table["folder"][0]) == (
        "contacts-0.friction_angle=20_degree,contacts-1.friction_angle=30_degree,gravity-0=6")


def test_what_measure_raises_comes_out_and_loses_no_run(slide, tmp_path, capsys):
    with pytest.raises(ZeroDivisionError):
        scree.sweep(slide, {"seed": [1, 2]}, measure=lambda r: 1 / 0, folder=tmp_path)
    assert "measure failed for" in capsys.readouterr().err
    before = [os.stat(tmp_path / f"seed={seed}" / "run.json").st_mtime_ns for seed in (1, 2)]
    with pytest.raises(TypeError, match="expected a number"):
        scree.sweep(slide, {"seed": [1, 2]}, measure=lambda r: "1", folder=tmp_path)
    with pytest.raises(ValueError, match="'seconds' is a column"):
        scree.sweep(slide, {"seed": [1, 2]}, measure=lambda r: {"seconds": 1}, folder=tmp_path)
    table = scree.sweep(slide, {"seed": [1, 2]}, measure=acceleration, folder=tmp_path)
    assert table["measured"].notna().all() and stamps(table) == before


def test_another_case_is_refused(slide, tmp_path):
    table = scree.sweep(slide, {ANGLE: ["20 degree"]}, folder=tmp_path / "study", quiet=True)
    before = stamps(table)
    other = slide.copy()
    other["contacts"][0]["kn"] = "131 kN/m"
    for points in ({ANGLE: ["20 degree"]}, {ANGLE: ["30 degree"]}, {"seed": [1]}):
        with pytest.raises(ValueError, match=r"another case \(contacts\[0\].kn differs\)"):
            scree.sweep(other, points, folder=tmp_path / "study")
    # what is swept does not matter in the case
    same = slide.copy()
    same["contacts"][0]["friction_angle"] = "11 degree"
    assert stamps(scree.sweep(same, {ANGLE: ["20 degree"]}, folder=tmp_path / "study", quiet=True)) == before
    # a point's own folder
    (tmp_path / "study" / "seed=7").mkdir()
    (tmp_path / "study" / "seed=7" / "notes.txt").write_text("")
    with pytest.raises(ValueError, match="seed=7 holds files"):
        scree.sweep(slide, {"seed": [7]}, folder=tmp_path / "study")
    pathlib.Path(table["folder"][0], "case.yaml").write_text("title: x\n")
    with pytest.raises(ValueError, match="20_degree holds another case"):
        scree.sweep(slide, {ANGLE: ["20 degree"]}, folder=tmp_path / "study")
    with pytest.raises(ValueError, match="results of one run"):
        scree.sweep(slide, {ANGLE: ["20 degree"]}, folder=table["folder"][0])


def test_files_that_the_case_names_are_found(tmp_path):
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "bed.txt").write_text("0 0 0.1 0.05\n0.3 0 0.2 0.05\n")
    path = tmp_path / "cases" / "case.yaml"
    path.write_text("""
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [any, any], law: linear, kn: 10 kN/m, restitution: 0.5, friction: 0.3}]
walls: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: stone}}
particles: [{material: stone, shapes: sphere, place: {file: bed.txt}}]
stages: [{duration: 10 ms}]
""")
    for file in ("bed.txt", {"path": "bed.txt", "unit": "m"}):
        case = scree.Case.load(path)
        case["particles"][0]["place"]["file"] = file
        study = tmp_path / ("text" if isinstance(file, str) else "map")
        table = scree.sweep(case, {"gravity[2]": [0.0]} if "gravity" in case else {"gravity": [[0, 0, -1.62]]},
                            measure=lambda r: r.record["particles"], folder=study, quiet=True)
        assert list(table["measured"]) == [2]
        assert str(tmp_path) not in pathlib.Path(table["folder"][0], "case.yaml").read_text(), "a study can be moved"


def test_a_program_that_is_not_there_is_named(slide, tmp_path, monkeypatch):
    monkeypatch.setenv("SCREE_BINARY", str(tmp_path / "scree"))
    with pytest.raises(FileNotFoundError, match="SCREE_BINARY"):
        scree.sweep(slide, {"seed": [1]}, folder=tmp_path / "study")
    assert not (tmp_path / "study").exists()
    monkeypatch.delenv("SCREE_BINARY")
    binary = find_binary()
    assert os.access(binary, os.X_OK), "of the build tree, or on PATH"


INTERRUPTED = """
import signal, sys, scree
signal.signal(signal.SIGINT, signal.default_int_handler)  # though a shell in the background has it ignored
try:
    scree.sweep(scree.Case.load("long.yaml"), {"seed": [1, 2, 3]}, folder="study", jobs=2, threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_without_pandas_nothing_is_run(slide, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="pandas"):
        scree.sweep(slide, {"seed": [1]}, folder=tmp_path / "study", quiet=True)
    assert not (tmp_path / "study").exists()


def test_ctrl_c_lets_the_runs_write_a_checkpoint_and_they_go_on(slide, tmp_path, capsys):
    slide["stages"][0]["duration"] = "1000 s"
    slide["output"] = {"every": "0.05 s"}
    (tmp_path / "long.yaml").write_text(slide.text())
    caller = subprocess.Popen([sys.executable, "-c", INTERRUPTED], cwd=tmp_path, stdout=subprocess.PIPE, text=True,
                              start_new_session=True)
    records = [tmp_path / "study" / f"seed={seed}" / "run.json" for seed in (1, 2)]
    limit = time.monotonic() + 60
    while not all((record.parent / "frames" / "frame_000002.vtkhdf").exists() for record in records):
        assert time.monotonic() < limit
        time.sleep(0.02)
    os.killpg(caller.pid, signal.SIGINT)  # as a terminal does
    assert caller.communicate(timeout=60)[0] == "interrupted\n"
    at = [json.loads(record.read_text()) for record in records]
    assert [r["verdict"]["status"] for r in at] == ["interrupted"] * 2 and all(r["steps"] > 0 for r in at)
    assert not (tmp_path / "study" / "seed=3" / "run.json").exists()
    # the end of a running stage may be nearer: here it is what the study's case says, in both of its files
    for path in (tmp_path / "study").rglob("case.yaml"):
        path.write_text(path.read_text().replace("1000 s", f"{max(r['time'] for r in at) + 0.1} s"))
    slide["stages"][0]["duration"] = f"{max(r['time'] for r in at) + 0.1} s"
    table = scree.sweep(slide, {"seed": [1, 2, 3]}, folder=tmp_path / "study", jobs=2, threads=1)
    assert [sessions(row) for row in table.itertuples()] == [2, 2, 1] and (table["status"] == "finished").all()
    for row, before in zip(table.itertuples(), at):
        assert scree.Results(row.folder).record["sessions"][1]["from_step"] == before["steps"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_runs_end_with_a_caller_that_is_ended(slide, tmp_path, number):
    slide["stages"][0]["duration"] = "1000 s"
    slide["output"] = {"every": "0.05 s"}
    (tmp_path / "long.yaml").write_text(slide.text())
    caller = subprocess.Popen([sys.executable, "-c", INTERRUPTED], cwd=tmp_path, start_new_session=True)
    folders = [tmp_path / "study" / f"seed={seed}" for seed in (1, 2)]
    limit = time.monotonic() + 60
    while not all((folder / "frames" / "frame_000002.vtkhdf").exists() for folder in folders):
        assert time.monotonic() < limit
        time.sleep(0.02)
    caller.send_signal(number)
    assert caller.wait(timeout=60) == -number
    while any((folder / "run.lock").exists() for folder in folders):
        assert time.monotonic() < limit
        time.sleep(0.02)
    for folder in folders:
        record = scree.Results(folder).record
        assert record["verdict"]["status"] == "interrupted" and record["steps"] > 0
        assert scree.Run.resume(folder).step == record["steps"], "from a checkpoint"


@pytest.mark.parametrize("text", ["[]", "{", "\xff"])
def test_a_point_with_a_damaged_record_is_run_again(slide, tmp_path, text):
    table = scree.sweep(slide, {"seed": [1]}, folder=tmp_path, quiet=True)
    pathlib.Path(table["folder"][0], "run.json").write_text(text, encoding="latin-1")
    assert list(scree.sweep(slide, {"seed": [1]}, folder=tmp_path, quiet=True)["status"]) == ["finished"]


def test_a_killed_run_is_told_and_goes_on(slide, tmp_path, monkeypatch, capsys):
    """A program that dies before its first checkpoint, and then is scree."""
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nmkdir -p $4/frames $4/checkpoint\nkill -9 $$\n")
    killed.chmod(0o755)
    binary = os.environ["SCREE_BINARY"]
    monkeypatch.setenv("SCREE_BINARY", str(killed))
    table = scree.sweep(slide, {"seed": [1]}, measure=acceleration, folder=tmp_path / "study", quiet=True)
    assert table["status"][0] == "failed" and "signal 9" in table["reason"][0]
    assert "signal 9" in capsys.readouterr().err
    monkeypatch.setenv("SCREE_BINARY", binary)
    assert scree.sweep(slide, {"seed": [1]}, folder=tmp_path / "study", quiet=True)["status"][0] == "finished"


def test_workers_of_dask_run_the_points(slide, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs python3-distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
                                  local_directory=str(tmp_path / "dask")) as cluster:
        with distributed.Client(cluster) as client:
            table = scree.sweep(slide, {"particles[0].velocity": [[0, 0, 0], [0, 0, -200]]},
                                measure=acceleration, folder=tmp_path / "study", client=client)
    assert list(table["status"]) == ["finished", "failed"]
    assert np.isclose(table["measured"][0], closed_form(35), rtol=2e-3) and "overlap" in table["reason"][1]
