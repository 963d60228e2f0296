"""Runs that are changed from outside while a stage goes on: walls, gravity, grains that come and go."""
import subprocess
import sys

import numpy as np
import pytest

import scree

LID = "box.z_max"


def balls(**more):
    """200 glass balls of 1 mm that fall into a box."""
    return {"materials": {"glass": {"density": 2500}, "steel": {"density": 7800}}, "time_step": 2e-6,
            "contacts": [{"between": ["any", "any"], "law": "linear", "kn": "5 kN/m", "kt_over_kn": 0.5,
                          "friction": 0.3, "restitution": 0.5}],
            "walls": {"box": {"box": {"min": [0, 0, 0], "max": [0.02, 0.02, 0.05]}, "material": "steel"}},
            "particles": [{"name": "bed", "shapes": "sphere", "size": 1e-3, "count": 200, "material": "glass",
                           "place": {"lattice": {"above": "box"}}}],
            "stages": [{"name": "fall", "duration": 0.5}], **more}


@pytest.fixture(scope="module")
def bed(tmp_path_factory):
    """A folder with the bed at rest."""
    folder = tmp_path_factory.mktemp("bed")
    run = scree.Run(balls())
    run.advance(0.1)
    run.save(folder)
    return folder


def at(place, **more):
    return {"shapes": "sphere", "size": "1 mm", "material": "glass", "place": {"at": [place]}, **more}


def test_walls_move_as_told(bed):
    run = scree.Run.resume(bed)
    start, t = run.walls[LID].point, run.time
    assert len(run.change(move={LID: {"velocity": [0, 0, "-10 cm/s"]}})) == 0
    assert np.array_equal(run.walls[LID].velocity, [0, 0, -0.1])
    run.advance(0.05)
    assert np.allclose(run.walls[LID].point - start, [0, 0, -0.1 * (run.time - t)], rtol=1e-9, atol=1e-15)
    run.change(move={LID: {}})
    stopped = run.walls[LID].point
    run.advance(0.001)
    assert np.array_equal(run.walls[LID].point, stopped) and not run.walls[LID].velocity.any()
    # as a whole: each side along its own normal, until its force is met
    run.change({"move": {"box": {"servo": {"stress": "2 kPa", "max_velocity": 0.3}}}})
    run.advance(0.1)
    for name, wall in run.walls.items():
        sides = [run.walls["box." + end].point for end in ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")]
        widths = np.array([sides[2 * k + 1][k] - sides[2 * k][k] for k in range(3)])
        axis = "xyz".index(name[4])
        area = np.prod(np.delete(widths, axis))
        assert np.isclose(-np.dot(wall.force, wall.normal), 2000 * area, rtol=0.02), name


def test_is_what_a_stage_does(bed):
    """The same changes by a stage of the case and from outside: the same bits of every grain."""
    changes = {"gravity": [0, "2 m/s^2", "-9 m/s^2"], "move": {LID: {"velocity": [0, 0, -0.2]}}, "cut_above": "2 mm",
               "insert": [at([0.01, 0.01, 0.02], orientation=[1, 0, 0, 0])], "damping": {"global": "2 1/s"}}
    stages = [{"name": "fall", "duration": 0.03}, {"name": "then", "duration": 0.47, **changes}]
    of_case, from_outside = scree.Run(balls(stages=stages)), scree.Run(balls(stages=[{"duration": 0.5}]))
    of_case.advance(0.03)
    from_outside.advance(0.03)
    assert from_outside.change(changes) == [200]
    assert of_case.stage == "then" and of_case.step == from_outside.step
    for run in (of_case, from_outside):
        run.advance(0.05)
    for what in ("id", "position", "velocity", "angular_velocity", "force"):
        assert np.array_equal(getattr(of_case.particles, what), getattr(from_outside.particles, what)), what
    a, b = of_case.energies, from_outside.energies
    assert a["exchanged"] != 0 and all(np.isclose(a[k], b[k], rtol=1e-9, atol=1e-15) for k in a)


def test_a_motion_alone_leaves_the_bits(bed):
    still, told = scree.Run.resume(bed), scree.Run.resume(bed)
    for run in (still, told):
        for _ in range(5):
            if run is told:
                run.change()
                run.change(move={LID: {"velocity": [0, 0, 0]}})
            run.advance(0.002)
    for what in ("position", "velocity", "force"):
        assert np.array_equal(getattr(still.particles, what), getattr(told.particles, what)), what


def test_is_a_part_of_the_state(bed, tmp_path):
    run = scree.Run.resume(bed)
    before = run.state_hash
    run.change(move={LID: {"oscillation": {"amplitude": [0, 0, "1 mm"], "frequency": "50 Hz"}},
                     "box.x_min": {"velocity": [0.01, 0, 0]}})
    assert run.state_hash != before, "two states with other futures"
    new = run.change(insert=[{"shapes": ["cube", "tetrahedron"], "size": "1 mm", "material": "glass", "count": 6,
                              "place": {"random": {"inside": {"box": {"min": [0.003, 0.003, 0.02],
                                                                      "max": [0.018, 0.018, 0.04]}}}}}])
    assert len(new) == 6 and set(run.particles.shape) == {"sphere", "cube", "tetrahedron"}
    run.change(gravity=[0, 0, -20])
    run.advance(0.0123)
    run.save(tmp_path)
    again = scree.Run.resume(tmp_path, threads=1)
    assert again.state_hash == run.state_hash
    for r in (run, again):
        r.advance(0.03)
    assert again.state_hash == run.state_hash
    assert np.array_equal(again.walls[LID].point, run.walls[LID].point) and run.walls[LID].velocity[2] != 0
    # what a wall is told later holds, when it is resumed too
    for r in (run, again):
        r.change(move={"box": {}})
    run.save(tmp_path)
    third = scree.Run.resume(tmp_path)
    third.advance(0.01)
    assert np.array_equal(third.walls[LID].point, again.walls[LID].point)


def test_a_later_stage_takes_the_wall_again(tmp_path):
    stages = [{"name": "fall", "duration": 0.02}, {"name": "press", "duration": 0.1, "move": {LID: {"velocity": [0, 0, -0.1]}}}]
    run = scree.Run(balls(stages=stages))
    run.change(move={LID: {"velocity": [0, 0, -0.3]}})
    run.advance(0.03)
    assert run.stage == "press" and np.array_equal(run.walls[LID].velocity, [0, 0, -0.1])
    run.save(tmp_path)
    again = scree.Run.resume(tmp_path)
    for r in (run, again):
        r.advance(0.01)
    assert np.array_equal(again.walls[LID].point, run.walls[LID].point) and again.state_hash == run.state_hash


def test_grains_come_and_go(bed):
    run = scree.Run.resume(bed)
    unclosed = run.energies["unclosed"]
    ids = run.change(insert=[at([0.01, 0.01, 0.04], velocity=[0, 0, "-0.5 m/s"]), at([0.005, 0.005, 0.04])])
    assert list(ids) == [200, 201]
    row = np.flatnonzero(run.particles.id == 200)[0]
    run.outer.force[row] = [1e-6, 0, 0]
    z, t = run.particles.position[row, 2], run.time
    run.advance(0.02)
    t = run.time - t
    assert np.isclose(run.particles.position[row, 2], z - 0.5 * t - 9.81 * t * t / 2, rtol=1e-9)
    there = set(run.particles.id)
    gone = [0, 7, 200]
    run.remove(gone)
    assert set(run.particles.id) == there - set(gone) and run.outer.force.shape == (199, 3)
    assert not np.isin(run.contacts.a, gone).any() and not np.isin(run.contacts.b, gone).any()
    run.remove([])
    run.advance(0.05)
    assert run.change(insert=[at([0.01, 0.01, 0.04])]) == [202], "ids are never given again"
    energies = run.energies
    assert abs(energies["unclosed"] - unclosed) < 1e-3 * abs(energies["exchanged"])
    run.remove(run.particles.id)
    assert len(run.particles) == 0
    run.advance(0.01)
    assert run.change(insert=[at([0.01, 0.01, 0.04])]) == [203]


def test_walls_go(bed, tmp_path):
    run = scree.Run.resume(bed)
    run.change(remove="box.z_min")
    assert "box.z_min" not in run.walls
    run.advance(0.05)
    assert (run.particles.position[:, 2] < 0).all()
    run.save(tmp_path)
    assert scree.Run.resume(tmp_path).state_hash == run.state_hash


def test_what_is_wrong_changes_nothing(bed):
    run = scree.Run.resume(bed)
    before = run.state_hash
    place = list(run.particles.position[0])

    def refused(error, match, **changes):
        with pytest.raises(error, match=match):
            run.change(**changes)
        assert run.state_hash == before

    refused(scree.CaseError, r"move: no wall lid stands at this point", move={"lid": {"velocity": [0, 0, 1]}})
    refused(scree.CaseError, r"^change: move.box.z_max.velocty: unknown key; did you mean velocity\?",
            move={LID: {"velocty": [0, 0, 1]}})
    refused(scree.CaseError, r"velocity\[2\]: expected a velocity, got 1 m \(length\)", move={LID: {"velocity": [0, 0, "1 m"]}})
    refused(scree.CaseError, "a wall that turns cannot be driven",
            move={LID: {"rotation": {"axis": [0, 0, 1], "through": [0, 0, 0], "rate": 1}, "servo": {"force": 1, "max_velocity": 1}}})
    refused(scree.CaseError, r"expected a list of 3 accelerations", gravity="down")
    refused(scree.CaseError, r"no shape sphre; did you mean sphere\?", insert=[{**at([0, 0, 0]), "shapes": "sphre"}])
    refused(scree.CaseError, r"insert\[0\].material: the case has no law between steel and steel",
            insert=[{**at([0.01, 0.01, 0.04]), "material": "steel"}])
    refused(scree.CaseError, "no material iron", insert=[{**at([0, 0, 0]), "material": "iron"}])
    refused(scree.CaseError, "duration: belongs to a stage", duration=3)
    refused(scree.CaseError, "friction: cannot come from outside", friction=[{"between": ["any", "any"], "friction": 0.1}])
    refused(scree.CaseError, "add: cannot come from outside",
            add={"plate": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}, "material": "steel"}})
    refused(scree.CaseError, "pour: cannot come from outside",
            insert=[{"shapes": "sphere", "size": "1 mm", "material": "glass", "count": 5, "place": {
                "pour": {"inside": {"box": {"min": [0, 0, 0], "max": [0.02, 0.02, 0.05]}}, "number_rate": "9 1/s"}}}])
    refused(scree.CaseError, "path: cannot come from outside", move={LID: {"path": {"file": "way.csv"}}})
    refused(ValueError, r"overlap now by 100 %", insert=[at(place)])
    refused(ValueError, r"lies wholly behind the plane 'box.z_max' now", insert=[at([0.01, 0.01, 0.1])])
    refused(ValueError, "found a place without overlap", insert=[
        {"shapes": "sphere", "size": "1 mm", "material": "glass", "count": 99, "place": {
            "random": {"inside": {"box": {"min": [0, 0, 0.04], "max": [0.003, 0.003, 0.043]}}}}}])
    with pytest.raises(scree.CaseError, match="expected text, a number"):
        run.change(gravity=[0, 0, float("nan")])
    for ids, match in (([200], "no grain with the id 200"), ([-1], "below 0"), ([2**32], "above"), ([0.5], "integers"),
                       (["a"], "integers"), ([0, 1, 999], "id 999")):
        with pytest.raises(ValueError, match=match):
            run.remove(ids)
    assert run.state_hash == before
    run.advance(0.001)
    assert np.isfinite(run.particles.position).all()
    run = scree.Run(balls(stages=[{"duration": "0.1 ms"}]))
    run.advance()
    with pytest.raises(ValueError, match="only a run that goes on can be changed"):
        run.change(gravity=[0, 0, 0])


def test_rest_is_judged_anew():
    """A stage that would end by rest at this instant does not, when the change has set grains in motion."""
    stages = [{"duration": 1, "until": {"kinetic_energy_below": "1 nJ"}}]
    run = scree.Run(balls(stages=stages, output={"every": "10 ms"}))
    run.advance(until=lambda r: r.kinetic_energy < 200 * 2e-9, every=0.001)
    run.change(insert=[at([0.01, 0.01, 0.045], velocity=[0, 0, -3])])
    t = run.time
    run.advance(0.0101)
    assert not run.is_finished and run.time > t + 0.01


def test_a_loop_of_python_holds_a_force():
    """A regulator presses the lid on one ball until it pushes back with 0.1 N: half of what both contacts give way by."""
    case = balls(gravity=[0, 0, 0])
    case["particles"][0] = {**at([0.01, 0.01, 0.0005]), "name": "ball"}
    case["walls"]["box"]["box"]["max"][2] = 0.001
    run = scree.Run(case)
    for _ in range(300):
        missing = 0.1 - run.walls[LID].force[2]
        run.change(move={LID: {"velocity": [0, 0, -0.1 * missing]}})
        run.advance(2e-4)
    assert run.walls[LID].force[2] == pytest.approx(0.1, rel=1e-5)
    assert 0.001 - run.walls[LID].point[2] == pytest.approx(2 * 0.1 / 5000, rel=1e-5)


def test_two_dimensions():
    case = {"dimensions": 2, "materials": {"glass": {"density": 2500}}, "time_step": 1e-5,
            "contacts": [{"between": ["any", "any"], "law": "linear", "kn": "5 kN/m", "kt_over_kn": 0.5,
                          "friction": 0.3, "restitution": 0.5}],
            "gravity": [0, -9.81, 0],
            "walls": {"box": {"box": {"min": [0, 0, 0], "max": [0.1, 0.1, 0]}, "material": "glass"}},
            "particles": [{"shapes": "disc", "size": "5 mm", "count": 20, "material": "glass",
                           "place": {"lattice": {"above": "box"}}}],
            "stages": [{"duration": 0.5}]}
    run = scree.Run(case)
    run.advance(0.05)
    with pytest.raises(scree.CaseError, match="plane"):
        run.change(move={"box.y_max": {"velocity": [0, 0, 1]}})
    with pytest.raises(ValueError, match="three dimensions|two dimensions|no shape|is for"):
        run.change(insert=[{"shapes": "cube", "size": "5 mm", "material": "glass", "place": {"at": [[0.05, 0.09, 0]]}}])
    run.change(move={"box.y_max": {"velocity": [0, -0.1, 0]}})
    assert run.change(insert=[{"shapes": "hexagon", "size": "5 mm", "material": "glass",
                               "place": {"at": [[0.05, 0.085, 0]]}}]) == [20]
    run.advance(0.1)
    assert run.walls["box.y_max"].point[1] == pytest.approx(0.09, rel=1e-12)


def test_words_and_names_do_not_matter(tmp_path):
    """The same motion in other units is the same state, and a wall may be called null."""
    plate = {"plane": {"point": [0, 0, 0.06], "normal": [0, 0, -1]}, "material": "steel"}
    case = balls()
    case["walls"]["null"] = plate
    runs = [scree.Run(case), scree.Run(case)]
    for run, speed in zip(runs, (-0.1, "-10 cm/s")):
        run.advance(0.001)
        run.change(move={"null": {"velocity": [0, 0, speed]}})
        run.advance(0.001)
    assert runs[0].state_hash == runs[1].state_hash
    runs[0].save(tmp_path)
    again = scree.Run.resume(tmp_path)
    for run in (runs[0], again):
        run.advance(0.001)
    assert np.array_equal(again.walls["null"].point, runs[0].walls["null"].point)
    assert again.walls["null"].point[2] == pytest.approx(0.06 - 0.1 * (again.time - 0.001), rel=1e-9)


def test_instants_follow_the_step():
    """Closer than steps they are the steps, also when the steps change with what is there."""
    case = balls(time_step="auto", output={"every": "1 ns"})
    case["particles"].append({**at([0.01, 0.01, 0.045], size="0.1 mm"), "name": "dust"})
    run = scree.Run(case)
    run.advance(200 * run.time_step)
    small = run.time_step
    run.remove([200])
    assert run.time_step > 5 * small
    seen = []
    run.advance(300 * run.time_step, until=lambda r: seen.append(r.step) is not None, every=run.time_step)
    assert len(seen) == 301


def test_saved_after_a_change_it_goes_on_alike(tmp_path):
    stages = [{"duration": 1, "until": {"kinetic_energy_below": "1 nJ"}}]
    case = balls(stages=stages, gravity=[0, 0, 0], output={"every": "1 ms"})
    case["particles"] = [{**at([0.01, 0.01, 0.03]), "name": "still"}, {**at([0.005, 0.005, 0.03], velocity=[0, 0, -1]), "name": "fast"}]
    run = scree.Run(case)
    run.advance(0.002)
    run.remove([1])
    run.save(tmp_path)
    again = scree.Run.resume(tmp_path)
    assert not again.is_finished and not run.is_finished
    for r in (run, again):
        r.advance()
        assert r.is_finished
    assert run.time == again.time == pytest.approx(0.003, abs=run.time_step)


def test_an_axis_that_moves_keeps_the_ledger(bed):
    """A drum whose axis is given anew every step: what it does is booked about the axis that it has."""
    case = balls()
    case["walls"]["drum"] = {"cylinder": {"from": [0.01, -0.001, 0.01], "to": [0.01, 0.021, 0.01], "radius": 0.009}, "material": "steel"}
    case["particles"][0].update(count=30, place={"random": {"inside": {"box": {
        "min": [0.006, 0.001, 0.006], "max": [0.014, 0.019, 0.014]}}}})
    run = scree.Run(case)
    run.advance(0.06)
    before = run.energies
    for k in range(1000):
        run.change(move={"drum": {"rotation": {"axis": [0, 1, 0], "through": [0.01 + 0.1 * (-1)**k, 0, 0.01], "rate": 0.2 * (-1)**k}}})
        run.advance(2e-6)
    energies = run.energies
    work = energies["work_of_walls"] - before["work_of_walls"]
    assert work != 0 and abs(energies["unclosed"] - before["unclosed"]) < 0.01 * abs(work)


def test_what_later_stages_bring_counts():
    stages = [{"name": "fall", "duration": 0.01},
              {"name": "then", "duration": 0.1, "add": {"plate": {"plane": {"point": [0, 0, -1], "normal": [0, 0, 1]}, "material": "iron"}},
               "insert": [{"name": "rain", "shapes": "sphere", "size": "1 mm", "material": "glass", "count": 5, "place": {
                   "pour": {"inside": {"box": {"min": [0, 0, 0.02], "max": [0.02, 0.02, 0.05]}}, "number_rate": "9 1/s"}}}]}]
    case = balls(stages=stages)
    case["materials"].update(iron={"density": 7000}, wood={"density": 600})
    case["contacts"] += [{**case["contacts"][0], "between": ["wood", other]} for other in ("wood", "glass", "steel")]
    run = scree.Run(case)
    with pytest.raises(scree.CaseError, match="no law between wood and iron"):
        run.change(insert=[{**at([0.01, 0.01, 0.04]), "material": "wood"}])
    with pytest.raises(scree.CaseError, match="rain"):
        run.change(open="rain")


def test_without_memory_nothing_is_changed():
    program = f"""
import resource, scree
run = scree.Run({balls()!r}, threads=1)
before = run.state_hash
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (60 << 20), resource.RLIM_INFINITY))
try:
    run.change(gravity=[0, 0, -1], insert=[{{"shapes": "sphere", "size": "1 um", "material": "glass", "count": 500000,
               "place": {{"lattice": {{"inside": {{"min": [0, 0, 0.03], "max": [0.02, 0.02, 0.05]}}}}}}}}])
except (ValueError, MemoryError) as error:
    print(len(run.particles), run.state_hash == before)
run.advance(0.0001)
print(len(run.particles))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["200 True", "200"], done
