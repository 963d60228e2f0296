"""Records of runs that Python drives: the files of `scree run`."""
import json
import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import scree


@pytest.fixture
def case(box_fill):
    box_fill["output"] = {"every": "20 ms"}
    box_fill["stages"][1]["measure"] = ["kinetic_translation"]
    return box_fill


def by_command(case, folder):
    file = folder.parent / "case.yaml"
    file.write_text(case.text())
    subprocess.run([os.environ["SCREE_BINARY"], "run", file, "--out", folder, "--quiet", "--no-report"], check=True)
    return file


def test_has_the_files_of_the_command_line(case, tmp_path):
    by_command(case, tmp_path / "command")
    with scree.Run(case) as run:
        run.record(tmp_path / "python")
        assert run.is_recording
        while not run.is_finished:
            run.advance(0.0333)
    assert not run.is_recording
    ours, theirs = (pathlib.Path(tmp_path, which) for which in ("python", "command"))
    assert (ours / "series.csv").read_bytes() == (theirs / "series.csv").read_bytes()
    names = sorted(p.name for p in (theirs / "frames").iterdir())
    assert sorted(p.name for p in (ours / "frames").iterdir()) == names and len(names) > 15
    a, b = scree.Results(ours), scree.Results(theirs)
    for k in range(len(names)):
        for what in ("position", "orientation", "velocity", "id"):
            assert np.array_equal(a.frames[k][what], b.frames[k][what]), (k, what)
    for list_of_files in ("frames.hdf.series", "contacts.hdf.series"):
        assert (ours / list_of_files).read_bytes() == (theirs / list_of_files).read_bytes()
    record, of_command = a.record, b.record
    for key in ("title", "verdict", "time", "steps", "dt", "state_hash", "critical_time_step", "stages", "energy", "particles"):
        assert record[key] == of_command[key], key
    assert record["verdict"]["status"] == "finished" and record["stages"][1]["measured"]
    (ours_made,), (theirs_made,) = record["sessions"], of_command["sessions"]
    assert ours_made["particle_steps"] == theirs_made["particle_steps"] and 0 < ours_made["stepping_seconds"] < ours_made["seconds"]
    page = subprocess.run([os.environ["SCREE_BINARY"], "view", ours], check=True, capture_output=True, text=True)
    assert pathlib.Path(page.stdout.strip()).stat().st_size > 100_000 and not page.stderr


def test_what_python_changes_is_in_the_record(case, tmp_path):
    run = scree.Run(case)
    run.advance(0.1)
    run.record(tmp_path / "out")
    run.advance(0.05)
    run.change(move={"box.x_max": {"velocity": [-0.05, 0, 0]}},
               insert=[{"shapes": "cube", "size": "2 cm", "material": "stone", "place": {"at": [[0.15, 0.15, 0.6]]}}])
    run.advance(0.05)
    results = scree.Results(tmp_path / "out")
    assert results.record["verdict"]["status"] == "stopped" and results.record["verdict"]["reason"].startswith("stopped at t = 0.")
    run.advance(0.003)
    run.end_record()
    assert not run.is_recording
    series = scree.Results(tmp_path / "out").series
    assert series.index[0] == pytest.approx(0.1, abs=run.time_step)
    assert series.index[-1] == run.time, "the last state too"
    assert list(series["particles"].iloc[[0, -1]]) == [40, 41]
    assert len(scree.Results(tmp_path / "out").frames[-1]["id"]) == 41
    run.advance(0.05)
    assert len(scree.Results(tmp_path / "out").series) == len(series), "it has ended"
    # and a second one, elsewhere
    run.record(tmp_path / "again")
    run.advance()
    assert scree.Results(tmp_path / "again").record["verdict"]["status"] == "finished"


def test_ends_with_the_run_that_goes(case, tmp_path):
    run = scree.Run(case)
    run.record(tmp_path / "out")
    run.advance(0.0301)
    time = run.time
    del run
    results = scree.Results(tmp_path / "out")
    assert results.series.index[-1] == time and results.record["verdict"]["status"] == "stopped"
    assert not (tmp_path / "out" / "run.lock").exists()


def test_bonds_that_break_are_told(tmp_path):
    case = scree.Case.load(pathlib.Path(os.environ["SCREE_SOURCE_DIR"], "examples", "ball_mill.yaml"))
    case["stages"][0]["duration"] = 0.03
    case["bonds"]["cement"].update(normal_strength="2 kPa", shear_strength="2 kPa")
    case["particles"][1]["velocity"] = [0, 0, "-3 m/s"]
    del case["stages"][1:]
    (tmp_path / "meshes").symlink_to(pathlib.Path(case.path).parent / "meshes")
    by_command(case, tmp_path / "command")
    assert len((tmp_path / "command" / "bonds.csv").read_text().splitlines()) > 1
    with scree.Run(case) as run:
        run.record(tmp_path / "python")
        run.advance()
    assert (tmp_path / "python" / "bonds.csv").read_bytes() == (tmp_path / "command" / "bonds.csv").read_bytes()


def test_what_is_in_the_way_is_told(case, tmp_path):
    run = scree.Run(case)
    run.save(tmp_path / "saved")
    with pytest.raises(OSError, match="holds results or a saved run already"):
        run.record(tmp_path / "saved")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        run.record(tmp_path / "file")
    with pytest.raises(OSError):
        run.record(tmp_path / "file" / "below")
    assert not run.is_recording
    run.record(tmp_path / "out")
    with pytest.raises(ValueError, match="recorded already"):
        run.record(tmp_path / "other")
    other = scree.Run(case)
    with pytest.raises(OSError, match="has been writing into"):
        other.record(tmp_path / "out")
    run.advance()
    with pytest.raises(ValueError, match="is over"):
        run.record(tmp_path / "late")
    run.end_record()
    with pytest.raises(OSError, match="holds results"):
        other.record(tmp_path / "out")
    # a run that fails
    broken = scree.Run(case)
    broken.record(tmp_path / "fault")
    broken.advance(0.05)
    broken.outer.force[3] = [1e12, 0, 0]
    with pytest.raises(scree.Fault):
        broken.advance()
    record = json.loads((tmp_path / "fault" / "run.json").read_text())
    assert record["verdict"]["status"] == "failed" and record["verdict"]["particles"] == [3]
    with pytest.raises(scree.Fault):
        broken.record(tmp_path / "late")


def test_a_full_disk_ends_the_record_alone(case, tmp_path):
    """In a process of its own, whose files may not become larger than those of the first instants."""
    program = f"""
import resource, signal, numpy as np, scree
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = scree.Run({case.text()!r} and scree.Case.from_text({case.text()!r}), threads=1)
twin = scree.Run(scree.Case.from_text({case.text()!r}), threads=1)
run.record({str(tmp_path / 'out')!r})
run.advance(0.05)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
try:
    run.advance(0.1)
    print("went on")
except OSError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(run.is_recording, run.time < 0.08)
run.advance(0.2 - run.time)
twin.advance(0.2)
print(run.state_hash == twin.state_hash)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("the record has ended: "), done
    assert lines[1:] == ["False True", "True"]


def test_every_state_is_there_once(case, tmp_path):
    """The last state too where it was changed at an instant, and once where no step was made."""
    run = scree.Run(case)
    run.advance(0.0333)
    run.record(tmp_path / "still")
    run.end_record()
    assert len(scree.Results(tmp_path / "still").series) == 1
    run.record(tmp_path / "changed")
    run.advance(0.04 - run.time)
    run.remove([0])
    run.end_record()
    results = scree.Results(tmp_path / "changed")
    assert list(results.series["particles"].iloc[-2:]) == [40, 39] and len(results.frames[-1]["id"]) == 39


def test_folders_are_those_of_then(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    run = scree.Run(case)
    run.record("out")
    monkeypatch.chdir("other")
    run.advance(0.05)
    run.end_record()
    assert len(scree.Results(tmp_path / "out").series) == 4 and not list((tmp_path / "other").iterdir())


def test_a_child_leaves_the_record_alone(case, tmp_path):
    run = scree.Run(case, threads=1)
    run.record(tmp_path / "out")
    child = os.fork()
    if child == 0:
        del run
        os._exit(0)
    os.waitpid(child, 0)
    assert (tmp_path / "out" / "run.lock").exists()
    run.advance(0.05)
    run.end_record()
    assert len(scree.Results(tmp_path / "out").series) == 4


def test_a_fault_comes_before_a_full_disk(case, tmp_path):
    program = f"""
import resource, signal, scree
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = scree.Run(scree.Case.from_text({case.text()!r}), threads=1)
run.record({str(tmp_path / 'out')!r})
run.advance(0.041)
run.outer.force[3] = [1e12, 0, 0]
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
for _ in range(2):
    try:
        run.advance(0.01)
    except scree.Fault as fault:
        print(fault)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    first, second = done.stdout.splitlines()
    assert first == second and first.startswith("particle 3 "), done


def test_a_record_that_cannot_begin_leaves_nothing(case, tmp_path):
    program = f"""
import os, resource, signal, scree
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = scree.Run(scree.Case.from_text({case.text()!r}), threads=1)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
try:
    run.record({str(tmp_path / 'out')!r})
except OSError as error:
    print(error)
print(os.listdir({str(tmp_path / 'out')!r}))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
run.record({str(tmp_path / 'out')!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and "frame" in done.stdout, done


INTERRUPTED = """
import signal, scree
signal.signal(signal.SIGINT, signal.default_int_handler)  # though a shell in the background has it ignored
run = scree.Run("long.yaml", threads=1)
run.record("out")
run.advance()
"""


def copied(folder, name):
    return shutil.copytree(folder, folder.parent / name)


def assert_same(ours, theirs):
    """What was recorded, to the last bit."""
    assert (ours / "series.csv").read_bytes() == (theirs / "series.csv").read_bytes()
    names = sorted(p.name for p in (theirs / "frames").iterdir())
    assert sorted(p.name for p in (ours / "frames").iterdir()) == names
    for name in names:
        assert (ours / "frames" / name).read_bytes() == (theirs / "frames" / name).read_bytes(), name
    a, b = scree.Results(ours).record, scree.Results(theirs).record
    assert (a["state_hash"], a["steps"], a["stages"]) == (b["state_hash"], b["steps"], b["stages"])


def test_ctrl_c_leaves_a_checkpoint_and_says_how_to_go_on(case, tmp_path):
    case["stages"][1]["duration"] = 1000
    (tmp_path / "long.yaml").write_text(case.text())
    caller = subprocess.Popen([sys.executable, "-c", INTERRUPTED], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 60
    while not (tmp_path / "out" / "frames" / "frame_000012.vtkhdf").exists():  # in the second stage
        assert time.monotonic() < limit and caller.poll() is None
        time.sleep(0.01)
    caller.send_signal(signal.SIGINT)
    said = caller.communicate(timeout=60)[1]
    record = scree.Results(tmp_path / "out").record
    assert "KeyboardInterrupt\nThe run can go on from a checkpoint in out, at t = " in said and said.count("can go on") == 1
    python, command = said.splitlines()[-2:]
    assert record["verdict"] == {"status": "interrupted", "reason": f"interrupted at t = {record['time']:.6g} s"}
    end = record["time"] + 0.05
    copied(tmp_path / "out", "by_command")
    # as it says, in Python and by the command line, and without any interruption
    subprocess.run([sys.executable, "-c", f"import scree\n{python.strip()}\nrun.advance({end} - run.time)\nrun.end_record()"],
                   cwd=tmp_path, check=True)
    words = shlex.split(command)
    assert words == ["scree", "run", "long.yaml", "--out", "out", "--resume"]
    words[4] = "by_command"
    subprocess.run([os.environ["SCREE_BINARY"], *words[1:], "--until", repr(end), "--quiet", "--no-report"], cwd=tmp_path,
                   check=True)
    whole = scree.Run(case)
    whole.record(tmp_path / "whole")
    whole.advance(end)
    whole.end_record()
    for folder in ("out", "by_command"):
        assert_same(tmp_path / folder, tmp_path / "whole")
        assert [s["from_step"] for s in scree.Results(tmp_path / folder).record["sessions"]] == [0, record["steps"]]


def test_ctrl_c_between_two_calls_leaves_one_too(case, tmp_path):
    """Of a case that was made here, and one that names a file from here; a condition that is asked; no record."""
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(run):
        if run.time > 0.03:
            os.kill(os.getpid(), signal.SIGINT)

    case["title"] = "another"
    folder = str(tmp_path / "with block")
    with pytest.raises(KeyboardInterrupt) as told:
        with scree.Run(case) as run:
            run.record(folder)
            run.advance(0.0401)
            interrupt(run)
    assert told.value.__notes__ == [f"The run can go on from a checkpoint in {folder}, at t = {run.time:.6g} s:\n"
                                    f"  run = scree.Run.resume({folder!r}); run.record({folder!r})\n"
                                    f"  scree run '{folder}/case.yaml' --out '{folder}' --resume"]
    again = scree.Run.resume(folder)
    again.record(folder)
    assert again.state_hash == run.state_hash and len(scree.Results(folder).series) == 3, "without the closing row"
    (tmp_path / "table.csv").write_text("0.15 0.15 0.9\n")
    case._path = str(tmp_path / "case.yaml")
    case["particles"].append({"shapes": "cube", "size": "2 cm", "material": "stone",
                              "place": {"file": {"path": "table.csv", "columns": ["x", "y", "z"]}}})
    with pytest.raises(KeyboardInterrupt) as told, scree.Run(case) as run:
        run.record(tmp_path / "condition")
        run.advance(until=interrupt, every=0.01)
    assert len(told.value.__notes__) == 1 and "scree run" not in told.value.__notes__[0]
    assert scree.Run.resume(tmp_path / "condition").state_hash == run.state_hash
    with pytest.raises(KeyboardInterrupt) as told:
        scree.Run(case).advance(until=interrupt, every=0.01)
    assert not hasattr(told.value, "__notes__")


def test_ctrl_c_on_a_full_disk_is_still_one(case, tmp_path):
    program = f"""
import os, resource, signal, scree
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = scree.Run(scree.Case.from_text({case.text()!r}), threads=1)
run.record({str(tmp_path / 'out')!r})
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
run.advance(until=lambda r: os.kill(os.getpid(), signal.SIGINT), every=0.01)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == -signal.SIGINT
    assert "KeyboardInterrupt\nNo checkpoint could be written: cannot write " in done.stderr, done


def test_a_record_from_the_middle_goes_on(tmp_path):
    """Of bonds, some of which broke before it began."""
    case = scree.Case.load(pathlib.Path(os.environ["SCREE_SOURCE_DIR"], "examples", "ball_mill.yaml"))
    case["stages"][0]["duration"] = 0.03
    case["bonds"]["cement"].update(normal_strength="2 kPa", shear_strength="2 kPa")
    case["particles"][1]["velocity"] = [0, 0, "-3 m/s"]
    del case["stages"][1:]
    case["output"]["every"] = "2 ms"
    whole = scree.Run(case)
    bonds = len(whole.bonds)
    whole.advance(until=lambda r: len(r.bonds) < bonds, every=1e-4)
    whole.record(tmp_path / "whole")
    whole.advance(0.005)
    whole.save(tmp_path / "whole")
    assert not (tmp_path / "whole" / "case.json").exists()
    out = copied(tmp_path / "whole", "out")
    rows = len((out / "bonds.csv").read_text().splitlines())
    whole.advance()
    assert 1 < rows < len((tmp_path / "whole" / "bonds.csv").read_text().splitlines()) <= bonds - len(whole.bonds)
    run = scree.Run.resume(out)
    run.record(out)
    run.advance()
    assert (out / "bonds.csv").read_bytes() == (tmp_path / "whole" / "bonds.csv").read_bytes()
    assert_same(out, tmp_path / "whole")


def test_a_record_goes_on_from_its_end_alone(case, tmp_path):
    run = scree.Run(case)
    run.record(tmp_path / "out")
    run.advance(0.05)
    run.end_record()
    files = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    late, changed, other = (scree.Run.resume(tmp_path / "out") for _ in range(3))
    late.advance(0.01)
    changed.remove([0])
    for wrong in (late, changed):
        with pytest.raises(OSError, match="holds results .* right after the run was resumed from it"):
            wrong.record(tmp_path / "out")
    assert files == {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    with pytest.raises(OSError, match="results of another run"):
        other.save(tmp_path / "out")
    twin = scree.Run.resume(tmp_path / "out")
    other.record(tmp_path / "out")
    other.advance(0.02)
    other.end_record()
    with pytest.raises(OSError, match="from which this run, or another, has gone on"):
        twin.record(tmp_path / "out")


def fault_in(folder):
    return json.loads((folder / "fault" / "fault.json").read_text())


def test_a_fault_leaves_what_the_command_line_leaves(case, tmp_path):
    case["particles"][0]["velocity"] = [0, 0, -60]
    file = tmp_path / "case.yaml"
    file.write_text(case.text())
    subprocess.run([os.environ["SCREE_BINARY"], "run", file, "--out", tmp_path / "command", "--quiet", "--no-report"])
    with pytest.raises(scree.Fault) as told, scree.Run(case) as run:
        run.record(tmp_path / "python")
        run.advance()
    ours, theirs = (tmp_path / which for which in ("python", "command"))
    assert fault_in(ours) == fault_in(theirs) and fault_in(ours)["cause"] == "impact"
    for folder in ("fault", "checkpoint"):
        names = sorted(p.relative_to(theirs) for p in (theirs / folder).rglob("*"))
        assert names and sorted(p.relative_to(ours) for p in (ours / folder).rglob("*")) == names
    said, of_command = (scree.Results(folder).record["verdict"] for folder in (ours, theirs))
    assert said["particles"] == of_command["particles"] == list(told.value.ids)
    assert said["reason"].replace(str(ours), str(theirs)) == of_command["reason"]
    assert str(told.value) == said["reason"] and "Likely cause: impact" in said["reason"]
    shown = scree.Results(ours / "fault")
    assert 3 < len(shown.frames) <= 101 and os.path.exists(shown.report())
    again = scree.Run.resume(ours)  # what was sound
    with pytest.raises(scree.Fault):
        again.advance()
    assert again.time == told.value.time and list(again._run.fault_ids()) == list(told.value.ids)


def test_the_way_to_a_fault_begins_where_python_has_changed_the_run(case, tmp_path):
    stone = {"shapes": "cube", "size": "2 cm", "material": "stone", "place": {"at": [[0.15, 0.15, 0.6]]},
             "velocity": [0, 0, -200]}
    for name, change in (("inserted", lambda run: run.change(insert=[stone])),
                         ("pushed", lambda run: run.outer.force.__setitem__(3, [1e12, 0, 0]))):
        run = scree.Run(case)
        run.record(tmp_path / name)
        run.advance(0.03)
        change(run)
        run.save(tmp_path / name)  # a checkpoint, as a run that is changed now and then has by itself
        step = run.step
        with pytest.raises(scree.Fault):
            run.advance()
        assert fault_in(tmp_path / name)["looked_back"] == f"made again from step {step}", name
    # at first by itself; of what goes on all the time, never from a state that led elsewhere
    run = scree.Run(case)
    run.record(tmp_path / "first")
    run.outer.force[3] = [1e12, 0, 0]
    with pytest.raises(scree.Fault):
        run.advance()
    assert fault_in(tmp_path / "first")["looked_back"] == "made again from step 0"
    run = scree.Run(case)
    run.record(tmp_path / "steered")
    with pytest.raises(scree.Fault) as told:
        for push in 10.0 ** np.arange(-3, 13):
            run.outer.force[3] = [push, 0, 0]
            run.advance(3 * run.time_step)
    assert "did not repeat" not in str(told.value)
    assert fault_in(tmp_path / "steered")["looked_back"].startswith(("made again from step", "the run was changed"))


def test_checkpoints_come_as_the_case_wants_them(case, tmp_path):
    case["output"]["checkpoint"] = "10 ms"
    run = scree.Run(case)
    run.record(tmp_path / "out")
    run.advance(0.035)
    times = [scree.Run.resume(tmp_path / "out").time]
    run.advance(0.01)
    times.append(scree.Run.resume(tmp_path / "out").time)
    assert np.allclose(times, [0.03, 0.04], atol=run.time_step)


def test_the_program_goes_on_from_a_state_that_was_saved_alone(tmp_path):
    case = os.path.join(os.environ["SCREE_SOURCE_DIR"], "examples", "slide.yaml")
    run = scree.Run(case)
    run.advance(0.011)
    run.save(tmp_path / "saved")
    stood_at = run.time
    for end in (0.02, 0.03):
        subprocess.run([os.environ["SCREE_BINARY"], "run", case, "--resume", "--until", repr(end), "--quiet", "--no-report",
                        "--out", tmp_path / "saved"], check=True)
        run.advance(end - run.time)
        results = scree.Results(tmp_path / "saved")
        assert results.record["state_hash"] == run.state_hash
        assert results.frames and results.frames[0].time >= stood_at and len(results.series) == len(results.frames)
