"""Runs from Python: the bits of the command line, arrays of the state, saving, faults and Ctrl-C."""
import copy
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import scree


def test_has_the_bits_of_the_command_line(box_fill, tmp_path):
    file = tmp_path / "case.yaml"
    file.write_text(box_fill.text())
    subprocess.run([os.environ["SCREE_BINARY"], "run", file, "--out", tmp_path / "out", "--quiet", "--no-report"], check=True)
    run = scree.Run(box_fill, threads=1)
    while not run.is_finished:
        run.advance(0.037)
    assert run.state_hash == json.loads((tmp_path / "out" / "run.json").read_text())["state_hash"]
    results = scree.Results(tmp_path / "out")
    last = results.frames[-1]
    assert np.array_equal(last["position"], run.particles.position)
    assert last.time == run.time == results.at(run.time).time
    # series.csv has what its columns have room for; energies are summed alike
    assert results.series["kinetic_translation [J]"].iloc[-1] == run.energies["kinetic_translation"]
    with pytest.raises(KeyError, match="position"):
        last["positoin"]
    # and goes on from that folder
    again = scree.Run.resume(tmp_path / "out", file)
    assert again.is_finished and again.state_hash == run.state_hash


@pytest.mark.parametrize("with_bar", [True, False])
def test_progress_is_shown_and_changes_nothing(box_fill, capsys, monkeypatch, with_bar):
    if with_bar:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    plain, shown = (scree.Run(box_fill, threads=1) for _ in range(2))
    plain.advance(0.1234)
    assert capsys.readouterr().err == ""
    shown.advance(0.1234, progress=True)
    said = capsys.readouterr().err
    assert "100%" in said if with_bar else f"t = {shown.time:.6g} s, stage fill, step {shown.step}, 100 %  \n" in said
    assert shown.step == plain.step and shown.state_hash == plain.state_hash
    calls = []
    shown.advance(0.05, until=lambda r: calls.append(r.time), every=0.01, progress=True)
    plain.advance(0.05, until=lambda r: False, every=0.01)
    assert len(calls) == 6 and shown.state_hash == plain.state_hash
    shown.advance(progress=True), plain.advance()
    assert shown.is_finished and shown.state_hash == plain.state_hash
    capsys.readouterr()


def test_bonds_and_fragments(tmp_path):
    case = scree.Case.load(os.path.join(os.environ["SCREE_SOURCE_DIR"], "examples", "crush_tablet.yaml"))
    run = scree.Run(case, threads=1)
    whole = run.bonds
    assert len(whole) > 10 and (whole.a < whole.b).all() and (whole.damage == 0).all()
    pairs = list(zip(whole.a, whole.b))
    assert pairs == sorted(set(pairs))
    p = run.particles
    run.advance(until=lambda r: len(r.bonds) < len(whole), every=0.0005)
    left = run.bonds
    assert 0 < len(left) < len(whole) and left.damage.max() < 1 and set(zip(left.a, left.b)) < set(pairs)
    assert np.abs(left.force).max() > 0 and left.normal_stress.max() > 0 and left.shear_stress.shape == left.damage.shape
    # Fragments by hand: the lowest id within reach.
    name = {i: i for i in p.id}
    for _ in range(len(name)):
        before = dict(name)
        for a, b in zip(left.a, left.b):
            name[a] = name[b] = min(name[a], name[b])
        if name == before:
            break
    assert np.array_equal(p.fragment, [name[i] for i in p.id])


def test_borrowed_arrays_are_the_engines_memory(box_fill):
    box_fill["particles"][0]["count"] = 20
    box_fill["detection"] = {"memory_order": "spatial"}
    run = scree.Run(box_fill, threads=1)
    run.advance(0.05)
    p = run.particles
    with run.borrow() as rows:
        assert len(rows) == 20 and rows.position.shape == (20, 3) and rows.orientation.shape == (20, 4)
        order = np.argsort(rows.id)
        for name in ("id", "size", "mass", "radius", "position", "orientation", "velocity", "force", "torque"):
            column = getattr(rows, name)
            assert np.array_equal(column[order], getattr(p, name)), name
            assert not column.flags.owndata and not column.flags.writeable, name
            with pytest.raises(ValueError, match="read-only"):
                column[0] = 0
        place = rows.position.ctypes.data
        kept = rows.velocity[3:5, 2]
        with pytest.raises(BufferError, match="alive"):
            run.advance(0.01)
    with pytest.raises(AttributeError, match=r"no position: the block of borrow\(\) is over"):
        rows.position
    # A part that outlives the block holds the run as well, whatever would move rows.
    del column
    first = run.state_hash
    for move in (lambda: run.advance(0.01), lambda: run.change(gravity=[0, 0, -1]), lambda: run.remove([0]),
                 lambda: setattr(run.outer, "force", 1.0) or run.advance(0.01)):
        with pytest.raises(BufferError, match="alive"):
            move()
    run.outer.force[:] = 0
    assert run.state_hash == first and run.step > 0
    before = kept.copy()
    del kept
    run.advance(0.01)
    with run.borrow() as rows:
        assert rows.position.ctypes.data == place, "no copy: the same memory, later"
        assert not np.array_equal(rows.velocity[3:5, 2], before)
        alone = rows.position
    # The arrays keep the run's memory when the run's name is gone.
    total = alone.sum()
    del rows, run, p, move
    gc.collect()
    assert alone.sum() == total


def test_borrowed_arrays_write_into_the_engines_memory(box_fill, tmp_path):
    box_fill["particles"][0]["count"] = 20
    run = scree.Run(box_fill, threads=1)
    run.advance(0.05)
    p, before, first = run.particles, run.energies, run.state_hash
    with run.borrow(writing=True) as rows:
        place = rows.velocity.ctypes.data
        for name in ("velocity", "angular_momentum"):
            assert getattr(rows, name).flags.writeable and not getattr(rows, name).flags.owndata, name
        with pytest.raises(ValueError, match="read-only"):
            rows.position[0] = 0
        with pytest.raises(BufferError, match="alive already"):
            with run.borrow(writing=True):
                pass
        rows.velocity *= 2
        rows.velocity[rows.id == 7] = [0.5, 0, 0.25]
        rows.angular_momentum[:] = 0
        assert (p.velocity[7] == [0.5, 0, 0.25]).all(), "it is the memory that all else is read from"
        with run.borrow() as read:
            assert read.velocity.ctypes.data == place and np.array_equal(read.velocity, rows.velocity)
            del read
    after = run.energies
    kinetic = after["kinetic_translation"] - before["kinetic_translation"] - before["kinetic_rotation"]
    assert after["kinetic_rotation"] == 0 and (p.angular_velocity == 0).all()
    assert np.isclose(after["exchanged"] - before["exchanged"], kinetic, rtol=1e-12) and kinetic > 0
    assert abs(after["unclosed"] - before["unclosed"]) < 1e-12 * after["kinetic_translation"]
    start = p.position
    run.save(tmp_path / "saved")
    again = scree.Run.resume(tmp_path / "saved")
    assert again.advance(0.01).state_hash == run.advance(0.01).state_hash != first
    assert p.position[7, 0] > start[7, 0]

    # What cannot be, and a block that raises, leave all as it was.
    now, held = run.state_hash, run.energies["exchanged"]
    with pytest.raises(ValueError, match=r"^the velocity written of grain 3 is not finite$"):
        with run.borrow(writing=True) as rows:
            rows.velocity[rows.id == 3] = np.nan
    with pytest.raises(ZeroDivisionError):
        with run.borrow(writing=True) as rows:
            rows.velocity[:] = 1 / 0 if rows.velocity.fill(3) is None else 0
    assert run.state_hash == now and run.energies["exchanged"] == held
    with run.borrow(writing=True):
        pass
    assert run.state_hash == now

    # A part that outlives the block goes on to write; what it writes is taken once it has gone.
    # Before that nobody looks at a state whose ledger has only a part of it.
    with run.borrow(writing=True) as rows:
        whole, kept = rows.velocity, rows.velocity[:1]
    with pytest.raises(ValueError, match="read-only"):
        whole[:] = 0
    kept[:] = [0, 0, 3]
    for look in (lambda: run.advance(0.01), lambda: run.energies, lambda: run.record(tmp_path / "rec"),
                 lambda: run.save(tmp_path / "saved"), lambda: run.state_hash, lambda: p.velocity,
                 lambda: run.borrow().__enter__()):
        with pytest.raises(BufferError, match="alive"):
            look()
    del whole, kept
    assert run.energies["exchanged"] > held
    now = run.state_hash
    with run.borrow(writing=True) as rows:
        kept = rows.velocity[:1]
    kept[:] = np.inf
    del kept
    with pytest.raises(ValueError, match="is not finite"):
        run.advance(0.01)
    assert run.state_hash == now
    run.advance()
    with pytest.raises(ValueError, match="only a run that goes on"):
        with run.borrow(writing=True):
            pass


def test_borrowed_rows_can_be_written_a_thousand_times(box_fill):
    run = scree.Run(box_fill, threads=1)
    for k in range(1000):
        with run.borrow(writing=True) as rows:
            rows.velocity[:, 2] = k
    with run.borrow(writing=True) as rows:
        rows.velocity[:, 2] = 0
    assert abs(run.energies["exchanged"]) < 1e-9 * 0.5 * 999**2 * run.particles.mass.sum()
    run.advance(0.001)
    assert sys.getrefcount(run._run) <= 3


def test_a_thousand_loans_leave_the_run_free(box_fill):
    run = scree.Run(box_fill, threads=1)
    for _ in range(1000):
        with run.borrow() as rows:
            assert rows.mass.min() > 0
    run.advance(0.001)
    assert sys.getrefcount(run._run) <= 3


def test_arrays_are_the_state(box_fill):
    box_fill["particles"][0]["place"]["lattice"]["from"] = "10 cm"
    run = scree.Run(box_fill)
    p = run.particles
    n = len(p)
    assert n == 40 and (p.id == np.arange(n)).all()
    start = p.position
    run.advance(0.01)
    t = run.time
    assert np.allclose(p.position - start, [0, 0, -9.81 * t * t / 2], atol=1e-10), "free fall"
    assert np.allclose(p.velocity, [0, 0, -9.81 * t], atol=1e-10)
    assert np.allclose(np.linalg.norm(p.orientation, axis=1), 1)
    assert np.allclose(p.force, p.mass[:, None] * [0, 0, -9.81])
    assert p.torque.shape == p.angular_velocity.shape == (n, 3)
    assert set(p.shape) == {"tetrahedron", "pyramid", "cube", "grain14"} and set(p.material) == {"stone"}
    assert (p.radius > p.size / 4).all()
    for copied in (start, p.id, p.shape, p.material, run.contacts.force, run.walls["box.z_min"].force):
        with pytest.raises(ValueError, match="read-only"):
            copied[:] = 0  # would be lost
    assert (p.position[:, 2] > 0).all()
    run.advance(until=lambda r: len(r.contacts) > 10, every=0.002)  # they bounce
    c = run.contacts
    assert len(c) > 10 and np.allclose(np.linalg.norm(c.normal, axis=1), 1) and (c.overlap > 0).all()
    floor = run.walls["box.z_min"]
    on_floor = c.b == -1 - floor.id
    assert np.allclose(c.force[on_floor].sum(axis=0), floor.force)
    # Newton: what moves each grain
    total = np.zeros((n, 3))
    np.add.at(total, c.a, -c.force)
    grains = c.b >= 0
    np.add.at(total, c.b[grains], c.force[grains])
    assert np.allclose(total + p.mass[:, None] * [0, 0, -9.81], p.force, atol=1e-9)
    kinetic = 0.5 * (p.mass * (p.velocity**2).sum(axis=1)).sum()
    assert np.isclose(kinetic, run.energies["kinetic_translation"])


def test_advance_stops_where_it_is_told(box_fill):
    run = scree.Run(box_fill)
    run.advance(0.1)
    assert abs(run.time - 0.1) < run.time_step
    assert run.advance(0) is run and run.stage == "fill"
    looks = []
    run.advance(until=lambda r: looks.append(r.time) or r.time > 0.15, every=0.02)
    assert 0.15 < run.time < 0.175 and np.allclose(np.diff(looks), 0.02, atol=run.time_step)
    looks.clear()
    run.advance(100 * run.time_step, until=lambda r: looks.append(r.step), every=1.4 * run.time_step)
    assert looks[-1] - looks[0] == 100 and set(np.diff(looks)) == {1, 2} and len(looks) == 73
    at = run.time
    run.advance(0.01, until=lambda r: False, every=1e-9)
    assert abs(run.time - at - 0.01) < 2 * run.time_step
    run.advance()
    assert run.is_finished and abs(run.time - 0.4) < 2 * run.time_step
    assert run.advance(1).state_hash == run.state_hash, "a finished run stays"
    for wrong in ({"seconds": -1}, {"seconds": float("nan")}, {"until": lambda r: True}, {"every": 0.1},
                  {"until": lambda r: True, "every": 0.0}):
        with pytest.raises(ValueError):
            run.advance(**wrong)


def test_what_a_condition_raises_comes_out(box_fill):
    run = scree.Run(box_fill)
    with pytest.raises(ZeroDivisionError):
        run.advance(until=lambda r: 1 / 0, every=0.01)
    run.advance(0.01)
    assert run.time > 0


def test_saved_runs_go_on_with_the_same_bits(box_fill, tmp_path):
    run = scree.Run(box_fill).advance(0.25)
    run.save(tmp_path / "saved")
    at = run.time
    run.advance(0.05)
    again = scree.Run.resume(tmp_path / "saved")
    assert again.time == at and again.advance(0.05).state_hash == run.state_hash
    # What is saved is what is there, though the folder had a later state, and of another case.
    box_fill["seed"] = 8
    other = scree.Run(box_fill).advance(0.02)
    other.save(os.fsencode(tmp_path / "saved"))
    assert scree.Run.resume(tmp_path / "saved").state_hash == other.state_hash
    box_fill["contacts"][0]["kn"] = "131 kN/m"
    with pytest.raises(OSError, match="contacts"):
        scree.Run.resume(tmp_path / "saved", box_fill)
    with pytest.raises(OSError):
        scree.Run.resume(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        run.save(tmp_path / "file")


def test_a_fault_names_its_particles(box_fill):
    box_fill["time_step"] = {"fraction": 1}
    box_fill["particles"][0]["velocity"] = [0, 0, -60]
    run = scree.Run(box_fill)
    with pytest.raises(scree.Fault) as told:
        run.advance()
    assert len(told.value.ids) > 0 and told.value.time == run.time and "overlap" in str(told.value)
    assert list(pickle.loads(pickle.dumps(told.value)).ids) == list(told.value.ids), "across processes"
    for act in (run.advance, lambda: run.save("nowhere"), lambda: run.advance(until=lambda r: True, every=1)):
        with pytest.raises(scree.Fault):
            act()
    assert not os.path.exists("nowhere")


def test_ctrl_c_ends_at_a_step_and_the_run_goes_on(box_fill):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell it is ignored
    for stage in box_fill["stages"]:
        stage["duration"] = 1000
    run = scree.Run(box_fill)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        run.advance()
    alone = scree.Run(box_fill).advance(run.time)
    assert run.step > 0 and alone.step == run.step and alone.state_hash == run.state_hash
    run.advance(0.001)
    assert run.step > alone.step


def test_other_threads_go_on_while_it_steps_and_may_not_look(box_fill):
    run = scree.Run(box_fill)
    seen, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            try:
                run.particles.position
            except RuntimeError as error:
                seen.append(str(error))

    other = threading.Thread(target=look)
    other.start()
    try:
        for _ in range(50):
            try:
                run.advance(0.002)
            except RuntimeError as error:
                seen.append(str(error))
    finally:
        stop.set()
        other.join()
    assert seen and set(seen) == {"the run is stepping, or in use by another thread"}


def test_many_runs_leave_nothing(box_fill, tmp_path):
    box_fill["particles"][0]["count"] = 4
    (tmp_path / "case.json").write_text(box_fill.text())
    program = """
import gc
import scree

def kib_after(runs):
    for _ in range(runs):
        run = scree.Run("case.json", threads=1)
        run.advance(run.time_step)
        run.particles.position, run.contacts, run.walls
    gc.collect()
    with open("/proc/self/statm") as file:
        pages, of_files = map(int, file.read().split()[1:3])
    return (pages - of_files) * 4

kib = [kib_after(200) for _ in range(4)]
print(*(after - before for before, after in zip(kib, kib[1:])))
"""
    one_heap = dict(os.environ, MALLOC_ARENA_MAX="1")
    said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=one_heap, capture_output=True, text=True,
                          check=True)
    # What leaks does so in each of the three; what caches and heaps take once they warm up does not.
    assert min(map(int, said.stdout.split())) < 0.2 * 200, "KiB in 200 runs"


@pytest.mark.parametrize("what", [
    "run.advance()", "run.advance(until=lambda r: False, every=1e-4)", "run.advance(progress=True)",
    "while True: run.particles.position", "while True: scree.Run(run._case).contacts"])
def test_a_thread_that_has_a_run_ends_with_python(tmp_path, box_fill, what):
    for stage in box_fill["stages"]:
        stage["duration"] = 1000
    box_fill["output"] = {"every": "1 ms"}
    (tmp_path / "case.json").write_text(box_fill.text())
    program = f"""
import os, threading, time, scree
run = scree.Run("case.json", threads=1)
run.record("out")
def go():
    {what}
threading.Thread(target=go, daemon=True).start()
while {"advance" in what} and not os.path.exists("out/frames/frame_000002.vtkhdf"):
    time.sleep(0.01)
time.sleep(0.1)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # what it has recorded is whole, and goes on
    results, run = scree.Results(tmp_path / "out"), scree.Run.resume(tmp_path / "out")
    assert results.record["verdict"]["status"] in ("interrupted", "stopped")
    assert results.series.index[-1] == run.time == results.record["time"]
    assert (run.time > 0) == ("advance" in what)


def test_the_main_thread_has_its_runs_to_the_last(tmp_path, box_fill):
    (tmp_path / "case.json").write_text(box_fill.text())
    program = """
import atexit
atexit.register(lambda: print(run.advance(0.01).time > 0.009))  # the last of all, as it is the first here
import scree
run = scree.Run("case.json")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, timeout=60, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_child_ends_while_its_parent_steps(tmp_path, box_fill):
    for stage in box_fill["stages"]:
        stage["duration"] = 1000
    (tmp_path / "case.json").write_text(box_fill.text())
    program = """
import os, sys, threading, time, scree
run = scree.Run("case.json", threads=1)
threading.Thread(target=run.advance, daemon=True).start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    sys.exit(7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, timeout=60).returncode == 7


def test_what_cannot_be_assigned_is_told(box_fill):
    run = scree.Run(box_fill)
    for what, name in ((run.outer, "forces"), (run, "gravity"), (run, "time"), (run.particles, "velocity"),
                       (run.particles, "velocty")):
        with pytest.raises(AttributeError, match=name):
            setattr(what, name, 0)
    # of rows the whole is its parts
    with run.borrow(writing=True) as rows:
        rows.velocity = np.outer(rows.id, [1, 0, 0])
        rows.angular_momentum = 0
        with pytest.raises(AttributeError, match="no velocities"):
            rows.velocities = 0
        with pytest.raises(ValueError, match="read-only"):
            rows.position = 0
    assert (run.particles.velocity[:, 0] == run.particles.id).all() and run.energies["exchanged"] > 0
    with run.borrow() as rows, pytest.raises(ValueError, match="read-only"):
        rows.velocity = 0
    with pytest.raises(AttributeError, match="over"):
        rows.velocity = 0


def test_quantities_are_taken_in_si_units(box_fill):
    units = pytest.importorskip("pint").UnitRegistry()
    run = scree.Run(box_fill)
    ones = np.ones((40, 3))
    for force in (ones * units.kilonewton, 1 * units.kilonewton, [1 * units.kN, 1000 * units.N, 1e6 * units.mN]):
        run.outer.force = 0
        run.outer.force = force
        assert np.allclose(run.outer.force, 1000, rtol=1e-14)
    run.outer.torque = 3 * units.newton * units.centimeter
    assert np.allclose(run.outer.torque, 0.03, rtol=1e-14)
    for wrong in (lambda: setattr(run.outer, "force", 1 * units.meter), lambda: run.advance(1 * units.meter),
                  lambda: run.advance(until=lambda r: True, every=1 * units.kelvin)):
        with pytest.raises(ValueError, match="expected a quantity in"):
            wrong()
    with pytest.raises(ValueError, match="numbers in SI units"):
        run.outer.force[0] = ones[0] * units.kilonewton
    with run.borrow(writing=True) as rows:
        rows.velocity = ones * 2 * units.centimeter / units.second
        with pytest.raises(ValueError, match="numbers in SI units"):
            rows.velocity[:, 2] = 1 * units.kilometer / units.hour
    assert np.allclose(run.particles.velocity, 0.02, rtol=1e-14)
    run.outer.force = run.outer.torque = 0
    run.advance(10 * units.millisecond, until=lambda r: False, every=1 * units.millisecond)
    assert abs(run.time - 0.01) < run.time_step
    ids = run.change(insert=[{"shapes": "cube", "size": 2 * units.centimeter, "material": "stone",
                              "place": {"at": [[15, 15, 60]] * units.centimeter}}])
    assert np.allclose(run.particles.position[ids[0]], [0.15, 0.15, 0.6])


def test_written_arrays_give_plain_numbers(box_fill):
    """Of what they are made from alone they know that it is in SI units."""
    run = scree.Run(box_fill)
    force = run.outer.force
    assert type(force * 2) is np.ndarray and type(force.sum()) is np.float64 and type(force[0, 0]) is np.float64
    force += 1
    assert run.outer.force is force and (force == 1).all()


def test_what_calls_have_raised_is_no_warning(box_fill, tmp_path):
    run = scree.Run(box_fill)
    before = run.warnings
    (tmp_path / "file").write_text("")
    for _ in range(3):
        with pytest.raises(ValueError, match="is not finite"), run.borrow(writing=True) as rows:
            rows.velocity[0] = np.nan
        run.outer.force = np.nan
        with pytest.raises(ValueError, match="is not finite"):
            run.advance(0.01)
        run.outer.force = 0
        for write in (run.save, run.record):
            with pytest.raises(OSError, match="file"):
                write(tmp_path / "file")
    assert run.warnings == before and run._run.messages().count("\n") <= len(before) + 1


def test_a_run_is_not_copied_by_chance(box_fill):
    run = scree.Run(box_fill)
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="resume"):
            act(run)


def test_forces_from_outside(box_fill, tmp_path):
    box_fill["particles"][0]["place"]["lattice"]["from"] = "10 cm"
    run = scree.Run(box_fill)
    mass = run.particles.mass
    run.outer.force[:, 2] = 9.81 * mass  # nothing falls
    run.outer.force[3] = [1e-3, 0, 9.81 * mass[3]]
    start = run.particles.position
    run.advance(0.01)
    t = run.time
    way = run.particles.position - start
    assert np.allclose(np.delete(way, 3, axis=0), 0, atol=1e-12)
    assert np.allclose(way[3], [1e-3 / mass[3] * t * t / 2, 0, 0], atol=1e-12)
    # what it has risen above a fall is what gravity lost: only the pushed one has gained anything
    assert np.isclose(run.energies["work_of_outside"], 1e-3 * way[3, 0], rtol=1e-9)
    assert abs(run.energies["unclosed"]) < 1e-12 * abs(run.energies["potential"])

    # they are saved with the state, and go on where it goes on
    run.outer.torque = [0, 0, 1e-6]
    run.save(tmp_path / "saved")
    again = scree.Run.resume(tmp_path / "saved")
    assert np.array_equal(again.outer.force, run.outer.force) and (again.outer.torque == [0, 0, 1e-6]).all()
    assert again.advance(0.05).state_hash == run.advance(0.05).state_hash
    # the same by hand, with another number of threads
    other = scree.Run(box_fill, threads=1)
    other.outer.force = again.outer.force
    other.advance(0.01)
    other.outer.torque[:] = [0, 0, 1e-6]
    assert other.advance(0.05).state_hash == run.state_hash

    with pytest.raises(ValueError):
        run.outer.force = np.zeros((3, 3))  # of other grains
    run.outer.force[0, 0] = np.nan
    with pytest.raises(ValueError, match="force or torque from outside of grain 0 is not finite"):
        run.advance(0.01)
    run.outer.force[0] = 0
    run.advance(0.01)


def test_forces_from_outside_follow_who_leaves(box_fill):
    box_fill["outlets"] = {"gate": {"inside": {"box": {"min": [-1, -1, -1], "max": [1, 1, 0.03]}}}}
    run = scree.Run(box_fill)
    run.outer.force[:, 0] = run.particles.id * 1e-4
    ids = run.particles.id
    run.advance(until=lambda r: len(r.particles) < len(ids) and len(r.particles) > 3, every=0.005)
    left = run.particles.id
    assert 3 < len(left) < len(ids)
    assert np.array_equal(run.outer.force[:, 0], left * 1e-4)
    run.outer.force[:] = 0
    run.advance(0.01)
    assert (run.outer.force == 0).all()
