"""`scree run` as a user meets it: interrupted, resumed, on a full disk, without permission, with physics that fails.

usage: run_results.py TEST SCREE_BINARY WORK_FOLDER
"""
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

CASE = """title: Small box
seed: 7
gravity: [0, 0, -9.81 m/s^2]
materials:
  stone: {density: 2650 kg/m^3}
contacts:
  - between: [stone, stone]
    law: bloks3d
    kn: 130 kN/m
    ks: 102 kN/m
    friction_angle: 35 degree
    damping: {ratio: 0.1, sliding: 0.1, sticking: 0.9}
walls:
  box: {box: {min: [0, 0, 0], max: [12 cm, 12 cm, 60 cm], open: [z_max]}, material: stone}
particles:
  - name: grains
    count: 40
    shapes: [tetrahedron, pyramid, cube, grain14]
    size: {uniform: [2 cm, 3 cm]}
    orientation: random
    place: {lattice: {above: box}}
    material: stone
stages:
  - {name: fill, duration: 0.15 s, measure: [force box.z_min, kinetic_translation]}
  - {name: release, remove: box.x_max, duration: 0.1 s}
output: {every: 10 ms, checkpoint: 20 ms}
"""
ROWS = 26  # 0.25 s in tens of milliseconds, and the one at the start
test, binary, work = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])


def path(*parts):
    return os.path.join(work, *parts)


def read(*parts):
    with open(path(*parts), "rb") as f:
        return f.read()


def record(folder):
    return json.loads(read(folder, "run.json"))


def check(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)


def command(*arguments):
    return [binary, "run", path("box.yaml"), *arguments]


def scree(*arguments, code=0, **how):
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=100, cwd=work, **how)
    check(done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


def whole():
    scree("--out", "whole", "--no-report", "--quiet")
    check(len(read("whole", "series.csv").splitlines()) == ROWS + 1, "one row per instant")


def check_same_as_whole(folder):
    check(record(folder)["state_hash"] == record("whole")["state_hash"], folder + ": the state has other bits")
    check(read(folder, "series.csv") == read("whole", "series.csv"), folder + ": series.csv differs")
    for sub in ("frames", "contacts"):
        names = sorted(os.listdir(path("whole", sub)))
        check(names == sorted(os.listdir(path(folder, sub))), folder + ": other files in " + sub)
        for name in names:
            check(read("whole", sub, name) == read(folder, sub, name), f"{folder}: {sub}/{name} differs")
    check(read(folder, "frames.hdf.series") == read("whole", "frames.hdf.series"), folder + ": list of frames")
    check(record(folder)["verdict"]["status"] == "finished", folder + ": verdict")


def wait_for_rows(run, folder, rows):
    # Minutes: the last in the queue waits long on a busy machine.
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        if os.path.exists(path(folder, "series.csv")) and len(read(folder, "series.csv").splitlines()) > rows:
            return
        check(run.poll() is None, "the run ended before it could be disturbed")
        time.sleep(0.002)
    raise SystemExit("FAILED: no rows")


def disturbed(folder, number, rows, *more):
    # Last in the queue for a core, so that on a busy machine the run does not get away from the one who disturbs it.
    run = subprocess.Popen(command("--out", folder, "--no-report", *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=work,
                           preexec_fn=lambda: os.nice(19))
    wait_for_rows(run, folder, rows)
    run.send_signal(number)
    _, err = run.communicate(timeout=100)
    return run.returncode, err


def said_command(err):
    line = next(line for line in err.splitlines() if line.startswith("  scree run "))
    return [binary] + shlex.split(line)[1:]


def test_interrupted_run_goes_on_with_the_same_bits():
    whole()
    for number, folder in ((signal.SIGINT, "int"), (signal.SIGTERM, "term here")):
        code, err = disturbed(folder, number, 4, "--threads", "1")
        check(code == 130, f"exit {code}\n{err}")
        check(record(folder)["verdict"]["status"] == "interrupted", "verdict")
        check(len(read(folder, "series.csv").splitlines()) < ROWS, "it was interrupted in its midst")
        # What the message says is what the user does.
        again = subprocess.run(said_command(err), capture_output=True, text=True, cwd=work, timeout=100)
        check(again.returncode == 0, again.stderr)
        check_same_as_whole(folder)
        check(len(record(folder)["sessions"]) == 2, "two sessions")


def test_killed_run_goes_on_from_its_last_checkpoint():
    whole()
    code, _ = disturbed("killed", signal.SIGKILL, 12)
    check(code == -signal.SIGKILL, "killed")
    check(record("killed")["verdict"]["status"] == "running", "a killed run has no verdict")
    scree("--out", "killed", "--resume", "--no-report")
    check_same_as_whole("killed")


def test_a_run_that_is_killed_before_its_first_checkpoint_starts_anew():
    whole()
    # As the kill leaves it: folders, the case, a series without a row.
    for sub in ("frames", "checkpoint", "contacts"):
        os.makedirs(path("early", sub))
    with open(path("early", "series.csv"), "w") as f:
        f.write("time [s]\n")
    done = scree("--out", "early", "--resume", "--no-report")
    check("has no checkpoint yet: the run starts anew" in done.stderr, done.stderr)
    check_same_as_whole("early")
    # Or while it was being set up.
    os.makedirs(path("earlier"))
    with open(path("earlier", "run.lock"), "w") as f:
        f.write("1 elsewhere 2026-01-01T00:00:00Z\n")
    done = scree("--out", "earlier", "--resume", "--no-report")
    check("has no checkpoint yet: the run starts anew" in done.stderr, done.stderr)
    check_same_as_whole("earlier")
    # What has frames is not given up.
    shutil.rmtree(path("early", "checkpoint"))
    refused = scree("--out", "early", "--resume", "--no-report", code=2)
    check("there is no checkpoint" in refused.stderr, refused.stderr)
    check_same_as_whole("early")
    refused = scree("--out", "nowhere", "--resume", code=2)
    check("there is no checkpoint" in refused.stderr and not os.path.exists(path("nowhere")), refused.stderr)


def test_one_process_at_a_time_writes_into_a_folder():
    whole()
    run = subprocess.Popen(command("--out", "shared", "--no-report"), stderr=subprocess.PIPE, text=True, cwd=work,
                           preexec_fn=lambda: os.nice(19))
    wait_for_rows(run, "shared", 4)
    run.send_signal(signal.SIGSTOP)
    try:
        before = read("shared", "series.csv")
        for flag in ("--resume", "--force"):
            refused = scree("--out", "shared", flag, code=2)
            check(f"process {run.pid} on {os.uname().nodename} has been writing into shared since 20" in refused.stderr, refused.stderr)
        check(read("shared", "series.csv") == before, "the refused ones have written nothing")
    except BaseException:
        run.kill()  # one that is stopped would hold the test's output open for ever
        raise
    run.send_signal(signal.SIGCONT)
    check(run.wait(timeout=100) == 0, "the run went on to its end")
    check_same_as_whole("shared")
    check(not os.path.exists(path("shared", "run.lock")), "the lock is gone with its run")
    # What a dead one has left stops nobody, whoever has its number now.
    with open(path("shared", "run.lock"), "w") as f:
        f.write(f"{os.getpid()} {os.uname().nodename} 2026-01-01T00:00:00Z\n")
    scree("--out", "shared", "--force", "--no-report")
    check_same_as_whole("shared")


def test_a_run_whose_folder_is_taken_away_advises_nothing_that_is_gone():
    run = subprocess.Popen(command("--out", "gone", "--no-report"), stderr=subprocess.PIPE, text=True, cwd=work, preexec_fn=lambda: os.nice(19))
    wait_for_rows(run, "gone", 4)
    os.rename(path("gone"), path("taken"))
    _, err = run.communicate(timeout=100)
    check(run.returncode == 1, f"exit {run.returncode}\n{err}")
    check("gone was moved or removed while the run went on" in err, err)
    check("--resume" not in err and "last checkpoint" not in err, err)
    check(not os.path.exists(path("gone")), "nothing is made in its place")


def test_until_and_resume_is_the_whole_run():
    whole()
    # Not an instant of output, in the midst of a stage; then exactly at the stages' border.
    done = scree("--out", "parts", "--no-report", "--until", "73.3 ms")
    check(record("parts")["verdict"]["status"] == "stopped", "verdict")
    check(abs(record("parts")["time"] - 0.0733) < 1e-4, "stopped in time")
    check("--resume" in done.stderr, "says how to go on")
    scree("--out", "parts", "--resume", "--no-report", "--until", "0.15 s", "--threads", "1")
    scree("--out", "parts", "--resume", "--no-report", "--threads", "2")
    check_same_as_whole("parts")
    stages = [(s["name"], s["end"] is not None) for s in record("parts")["stages"]]
    check(stages == [("fill", True), ("release", True)], f"stages {stages}")
    before = record("parts")["state_hash"]
    scree("--out", "parts", "--resume", "--no-report")
    check(record("parts")["state_hash"] == before, "a finished run is finished")
    check_same_as_whole("parts")


def test_stages_tell_what_they_measure_also_of_an_earlier_session():
    done = scree("--out", "measured", "--no-report", "--until", "0.2 s")
    scree("--out", "measured", "--resume", "--no-report")
    names, *rows = [line.split(",") for line in read("measured", "series.csv").decode().splitlines()]
    fill, release = record("measured")["stages"]
    check("measured" not in release, "nothing was asked of the second stage")
    check([m["column"] for m in fill["measured"]] == [f"force box.z_min {a} [N]" for a in "xyz"] + ["kinetic_translation [J]"], f"{fill}")
    half = record("measured")["dt"] / 2
    for m in fill["measured"]:
        values = [float(r[names.index(m["column"])]) for r in rows if half < float(r[0]) < 0.15 + half]
        check(len(values) == 15 and m["instants"] == 15, f"{m}")
        mean = sum(values) / 15
        check(abs(m["mean"] - mean) <= 1e-12 * max(map(abs, values)), f"{m}, not {mean}")
        check((m["smallest"], m["largest"], m["last"]) == (min(values), max(values), values[-1]), f"{m}")
    line = f"fill: kinetic_translation {fill['measured'][3]['mean']:.6g} J on average"
    check(line in done.stderr, f"{line} is not in {done.stderr}")
    wrong = scree("--out", "wrong", "--set", "stages[1].measure=force box.z_mim", code=2)
    check("stages[1].measure: series.csv has no column force box.z_mim" in wrong.stderr and "did you mean" in wrong.stderr, wrong.stderr)
    check(not os.path.exists(path("wrong")), "nothing was begun")


def test_stages_with_other_time_steps_keep_their_instants():
    """A tiny grain that comes last makes the step two hundred times shorter; stages begin where they were to end."""
    cube = "{shapes: cube, size: 1 cm, place: {at: [[1 cm, 0, 1 m]]}, material: stone}"
    dust = "{name: dust, shapes: cube, size: 0.1 mm, place: {at: [[5 cm, 0, 1 m]]}, material: stone}"
    scree("--out", "steps", "--no-report", "--set", f"particles=[{cube}]", "--set", "stages=[{name: one, duration: 50.02 ms, measure: step}, "
          "{name: two, duration: 49 ms, measure: step}, {name: three, duration: 1 ms, measure: step, insert: [" + dust + "]}]", "--set", "walls.box.box.min=[0, -1, 0]")
    names, *rows = [line.split(",") for line in read("steps", "series.csv").decode().splitlines()]
    steps = [int(r[1]) for r in rows]
    stages = record("steps")["stages"]
    check([round(s["begin"], 12) for s in stages] == [0.0, 0.05002, 0.09902], f"{stages}")
    for s in stages:
        own = [k for k in steps if s["begin_step"] < k <= s["end_step"]]
        check(s["measured"][0]["instants"] == len(own) and s["measured"][0]["last"] == own[-1], f"{s}")
    check([s["measured"][0]["instants"] for s in stages] == [5, 4, 2], f"{stages}")


def test_a_small_jet_keeps_its_energy_and_goes_on_with_the_same_bits():
    """Discs in a plane, in spatial order in memory, through a checkpoint file; a normal force alone loses no energy."""
    jet = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "jet.yaml")

    def run(*arguments):
        done = subprocess.run([binary, "run", jet, "--set", "particles[0].count=3000", "--no-report", "--quiet", *arguments],
                              capture_output=True, text=True, timeout=100, cwd=work)
        check(done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    run("--out", "jet", "--threads", "1")
    run("--out", "jet_parts", "--threads", "2", "--until", "43.7 ms")
    run("--out", "jet_parts", "--threads", "1", "--resume")
    check(record("jet")["state_hash"] == record("jet_parts")["state_hash"], "the state has other bits")
    check(read("jet", "series.csv") == read("jet_parts", "series.csv"), "series.csv differs")
    names, *rows = [line.split(",") for line in read("jet", "series.csv").decode().splitlines()]
    column = {name.split(" [")[0]: k for k, name in enumerate(names)}
    values = [{name: float(row[k]) for name, k in column.items()} for row in rows]
    energy = [v["kinetic_translation"] + v["kinetic_rotation"] + v["elastic"] for v in values]
    # The leapfrog at half the critical step: the energy swings within each impact, and does not drift.
    check(max(abs(e / energy[0] - 1) for e in energy) < 0.02, f"energy {energy}")
    check(max(v["contacts"] for v in values) > 300, "the jet has met the wall")
    first, last = values[0], values[-1]
    check(first["momentum_x"] == 0 and abs(last["momentum_x"]) > 0.1 * abs(first["momentum_y"]), "the wall has turned it")
    for v in values:
        check(v["momentum_z"] == 0 and v["angular_momentum_x"] == 0 and v["angular_momentum_y"] == 0, "out of the plane")


def test_rest_is_found_at_the_same_instant_after_a_resume():
    # Two stages that end at rest, the second one with its own interval of output; grains that start on the floor.
    text = CASE[:CASE.index("stages:")].replace("count: 40", "count: 4").replace("ratio: 0.1", "ratio: 0.5")
    text += "stages:\n  - {name: settle, until: {kinetic_energy_below: 1e-5 J}}\n"
    text += "  - {name: spill, remove: box.x_max, gravity: [6 m/s^2, 0, -9.81 m/s^2], output: {every: 3 ms}, until: {kinetic_energy_below: 1e-3 J}, duration: 50 ms}\n"
    text += "output: {every: 10 ms}\n"
    with open(path("box.yaml"), "w") as f:
        f.write(text)
    scree("--out", "whole", "--no-report", "--quiet")
    r = record("whole")
    settled = r["stages"][0]["end"]
    check(0.03 < settled < 3 and len(r["stages"]) == 2, f"stages {r['stages']}")
    check(r["time"] > settled + 0.002, "rest is not found at the instant that begins the stage")
    # Stops at the very instant at which rest is found, and once before it.
    scree("--out", "parts", "--no-report", "--until", f"{settled - 0.0101} s")
    scree("--out", "parts", "--no-report", "--resume", "--until", f"{settled - 0.01} s")
    scree("--out", "parts", "--no-report", "--resume", "--until", f"{settled} s")
    scree("--out", "parts", "--no-report", "--resume", "--until", f"{settled + 0.004} s")
    scree("--out", "parts", "--no-report", "--resume")
    check_same_as_whole("parts")
    check(record("parts")["stages"] == r["stages"], f"stages {record('parts')['stages']}, not {r['stages']}")
    before = record("parts")["steps"]
    scree("--out", "parts", "--no-report", "--resume")
    check(record("parts")["steps"] == before, "a run that ended at rest does not go on")


def test_run_says_by_what_each_stage_ended():
    # Spheres on the floor, of which one spins for ever; then gravity that makes them roll.
    text = CASE[:CASE.index("particles:")].replace("ratio: 0.1", "ratio: 0.5")
    text += "particles:\n  - {name: bed, shapes: sphere, size: 2 cm, material: stone, place: {at: [[3 cm, 3 cm, 1 cm], [6 cm, 6 cm, 1.01 cm]]}}\n"
    text += "  - {name: top, shapes: sphere, size: 2 cm, material: stone, place: {at: [[9 cm, 3 cm, 1 cm]]}, angular_velocity: [0, 0, 300 rad/s]}\n"
    text += "stages:\n  - {name: settle, duration: 2 s, until: {kinetic_energy_below: 1e-8 J}}\n"
    text += "  - {name: tilt, gravity: [0, 1 m/s^2, -9.7 m/s^2], duration: 60 ms, until: {kinetic_energy_below: 1e-12 J}}\n"
    text += "  - {name: go on, duration: 10 ms}\noutput: {every: 10 ms}\n"
    with open(path("box.yaml"), "w") as f:
        f.write(text)
    done = scree("--out", "whole", "--no-report")
    r = record("whole")
    settle, tilt, last = (s["ended"] for s in r["stages"])
    check(settle["by"] == "rest" and settle["text"].startswith("rest: kinetic energy below 1e-08 J at t = "), f"{settle}")
    check(settle["kinetic_energy_per_grain"] < 1e-8 < 1e-4 < settle["spin_of_spheres_per_grain"], f"{settle}")
    check(r["stages"][0]["end"] < 1.9, "it did not wait for the one that spins")
    check(tilt["by"] == "duration" and tilt["kinetic_energy_per_grain"] > 1e-8 and tilt["rotation_of_it"] == 0, f"{tilt}")
    check(last["by"] == last["text"] == "duration", f"{last}")
    warnings = r["verdict"]["warnings"]
    check(len(warnings) == 1 and "stage 'tilt': rest was not reached" in warnings[0] and "0 % of it rotation" in warnings[0], f"{warnings}")
    check("warning: " + warnings[0] in done.stderr and f"stage 'settle' is over ({settle['text']})" in done.stderr, done.stderr)
    check("stage 'go on' is over (duration)" in done.stderr, done.stderr)
    # A resumed run knows how the stages of its earlier sessions ended.
    scree("--out", "parts", "--no-report", "--until", f"{r['stages'][1]['begin'] + 0.02} s")
    check("ended" not in record("parts")["stages"][1], f"{record('parts')['stages']}")
    scree("--out", "parts", "--no-report", "--resume")
    check(record("parts")["stages"] == r["stages"], f"{record('parts')['stages']}, not {r['stages']}")


def test_damaged_checkpoint_falls_back_to_the_one_before():
    whole()
    scree("--out", "bad", "--no-report", "--until", "0.1 s")
    names = sorted(os.listdir(path("bad", "checkpoint")))
    check(len(names) == 2, f"the last two are kept, not {names}")
    with open(path("bad", "checkpoint", names[1]), "r+b") as f:
        f.seek(3000)
        f.write(b"\xff\x00\xff\x00")
    os.remove(path("bad", "frames.hdf.series"))
    done = scree("--out", "bad", "--resume", "--no-report")
    check("passed over" in done.stderr and names[1] in done.stderr, done.stderr)
    check_same_as_whole("bad")
    for name in os.listdir(path("bad", "checkpoint")):
        os.truncate(path("bad", "checkpoint", name), 100)
    done = scree("--out", "bad", "--resume", code=2)
    check("damaged" in done.stderr, done.stderr)


def test_a_limit_on_files_ends_in_exit_1_with_the_checkpoint_kept():
    whole()
    scree("--out", "limited", "--no-report", "--until", "0.1 s")
    kept = sorted(os.listdir(path("limited", "checkpoint")))
    done = scree("--out", "limited", "--resume", code=1, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)))
    check("file too large" in done.stderr and "--resume" in done.stderr, done.stderr)
    check(sorted(os.listdir(path("limited", "checkpoint"))) == kept, "checkpoints are kept")
    check(not [n for _, _, names in os.walk(path("limited")) for n in names if n.endswith(".part")], "nothing half-written is left")
    scree("--out", "limited", "--resume", "--no-report")
    check_same_as_whole("limited")


def test_a_full_disk_ends_in_exit_1_and_the_run_goes_on_when_there_is_room():
    os.makedirs(path("disk"))
    mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", path("disk")], capture_output=True).returncode == 0
    if not mounted:
        print("a file system of one's own cannot be mounted here")
        sys.exit(77)
    try:
        whole()
        done = scree("--out", "disk/out", "--no-report", code=1)
        check("no space left on device (the disk is full)" in done.stderr, done.stderr)
        check("To go on" in done.stderr, done.stderr)
        check(len(os.listdir(path("disk/out/checkpoint"))) > 0, "a checkpoint is kept")
        check(not [n for _, _, names in os.walk(path("disk")) for n in names if n.endswith(".part")], "nothing half-written is left")
        subprocess.run(["mount", "-o", "remount,size=20m", path("disk")], check=True)
        scree("--out", "disk/out", "--resume", "--no-report")
        check_same_as_whole("disk/out")
    finally:
        subprocess.run(["umount", path("disk")], check=True)


def test_a_missing_folder_ends_in_exit_1_with_the_checkpoint_kept():
    scree("--out", "missing", "--no-report", "--until", "0.05 s")
    shutil.rmtree(path("missing", "frames"))
    done = scree("--out", "missing", "--resume", code=1)
    check("frames/frame_0000" in done.stderr and "no such file or directory" in done.stderr, done.stderr)
    check(record("missing")["verdict"]["status"] == "failed", "verdict")
    check(len(os.listdir(path("missing", "checkpoint"))) == 2, "checkpoints are kept")
    with open(path("a_file"), "w") as f:
        f.write("no folder")
    done = scree("--out", "a_file/below", code=1)
    check("not a directory" in done.stderr, done.stderr)


def test_lost_permission_ends_in_exit_1_with_the_checkpoint_kept():
    scree("--out", "locked", "--no-report", "--until", "0.05 s")
    how = {}
    if os.geteuid() == 0:
        # Permissions do not bind root: the run goes on as somebody else.
        for folder, _, names in os.walk(path("locked")):
            for name in [folder] + [os.path.join(folder, n) for n in names]:
                os.chown(name, 65534, 65534)
        how = {"user": 65534, "group": 65534}
        for reachable in (binary, path("box.yaml")):
            if subprocess.run(["test", "-r", reachable], **how).returncode != 0:
                print("the tests' folder is closed to other users")
                sys.exit(77)
    os.chmod(path("locked", "frames"), 0o555)
    done = scree("--out", "locked", "--resume", code=1, **how)
    check("permission denied" in done.stderr, done.stderr)
    check(len(os.listdir(path("locked", "checkpoint"))) == 2, "checkpoints are kept")
    os.chmod(path("locked", "frames"), 0o755)
    scree("--out", "locked", "--resume", "--no-report", **how)


def test_wrong_use_ends_in_exit_2_with_a_sentence():
    scree("--out", "used", "--no-report", "--until", "1 ms")
    hash_before = record("used")["state_hash"]
    done = scree("--out", "used", code=2)
    check("--resume" in done.stderr and "--force" in done.stderr, done.stderr)
    check(record("used")["state_hash"] == hash_before, "nothing was touched")
    scree("--out", "used", "--force", "--no-report", "--until", "2 ms")
    check(abs(record("used")["time"] - 0.002) < 1e-4, "started anew")
    check("at least 1" in scree("--threads", "0", code=2).stderr, "threads")
    check("expected a time, got 3 GPa (pressure)" in scree("--until", "3 GPa", code=2).stderr, "until")
    check("not negative" in scree("--until", "-1 s", code=2).stderr, "until")
    check("expected a time, got nothing" in scree("--until", "", code=2).stderr, "until")
    check("no checkpoint in" in scree("--out", "none", "--resume", code=2).stderr, "nothing to resume")
    check(not os.path.exists(path("none")), "no folder is made for it")
    done = scree("--out", "used", "--resume", "--set", "seed=8", code=2)
    check("changed: seed" in done.stderr, done.stderr)
    check("no_such.yaml" in subprocess.run([binary, "run", "no_such.yaml"], capture_output=True, text=True, cwd=work).stderr, "no case")
    done = scree("--out", "new", "--set", "gravity=3", "--set", "outptu.every=3 ms", code=2)
    check(not os.path.exists(path("new")), "a bad case makes no folder")


def test_failed_physics_names_the_particles_and_shows_their_neighbourhood():
    with open(path("box.yaml"), "a") as f:
        f.write("")
    text = CASE.replace("material: stone\nstages", "material: stone\n    velocity: [0, 0, -900 m/s]\nstages")
    with open(path("box.yaml"), "w") as f:
        f.write(text)
    done = scree("--out", "fault", code=1)
    r = record("fault")
    check(r["verdict"]["status"] == "failed" and r["verdict"]["particles"], f"verdict {r['verdict']}")
    check(f"particle {r['verdict']['particles'][0]}" in done.stderr or f"particles {r['verdict']['particles'][0]}" in done.stderr, done.stderr)
    check(os.path.exists(path("fault", "fault", "neighbourhood.vtkhdf")), "the neighbourhood is shown")
    check(os.listdir(path("fault", "checkpoint")) == ["checkpoint_0000000000.h5"], "the last sound state is kept, and no other")
    check(os.path.join("fault", "fault") in done.stderr and "Likely cause: " in done.stderr, done.stderr)
    check(os.path.exists(path("fault", "report.html")) and "report.html" in done.stdout, "the report shows what happened")


def test_run_says_where_the_report_is_and_no_more_when_quiet():
    done = scree("--out", "quiet", "--quiet", "--until", "5 ms")
    check(done.stdout.strip() == os.path.join("quiet", "report.html"), "stdout: " + done.stdout)
    check(os.path.exists(path("quiet", "report.html")), "the report is there")
    check(done.stderr == "", "quiet, but says: " + done.stderr)
    done = scree("--out", "loud", "--no-report", "--until", "5 ms")
    check("particle-steps/s" in done.stderr and "contacts" in done.stderr and "ETA" in done.stderr, done.stderr)
    r = record("loud")
    for key in ("title", "version", "commit", "compiler", "case_file", "case_hash", "machine", "threads", "dt", "critical_time_step", "fraction",
                "steps", "particles", "started", "seconds", "particle_steps_per_second", "peak_memory_bytes", "state_hash", "verdict", "stages",
                "detection", "seconds_per_phase"):
        check(key in r, "run.json has " + key)
    search = r["detection"]["neighbours"]
    check(search["asked"] == "auto" and search["method"] in ("brute_force", "sorted_grid", "multi_level_grid") and "bod" in search["why"] and search["bytes"] >= 0, f"{search}")
    skin = r["detection"]["skin"]
    check(skin["asked"] == "auto" and skin["length"] > 0 and skin["history"][0]["step"] == 0 and skin["history"][0]["pairs"] >= 0, f"{skin}")
    check(r["detection"]["memory_order"]["asked"] == "spatial", f"{r['detection']}")
    check(f"neighbour search: {search['method']} ({search['why']})" in done.stderr, done.stderr)
    check(r["peak_memory_bytes"] > 1e6 and r["particle_steps_per_second"] > 0 and r["machine"]["cpu"], "run.json is filled in")


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.environ.pop("NO_COLOR", None)
with open(path("box.yaml"), "w") as case:
    case.write(CASE)
globals()["test_" + test]()
print("passed")
