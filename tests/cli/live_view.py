"""`scree view --live` from outside, without a browser: what it answers, what it refuses, how it ends.

usage: live_view.py TEST SCREE_BINARY WORK_FOLDER
"""
import atexit
import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zlib

CASE = """title: Two grains
gravity: [0, 0, -9.81 m/s^2]
materials:
  stone: {density: 2650 kg/m^3}
contacts:
  - {between: [stone, stone], law: bloks3d, kn: 130 kN/m, ks: 102 kN/m, friction_angle: 35 degree, damping: {ratio: 0.1, sliding: 0.1, sticking: 0.9}}
walls:
  box: {box: {min: [0, 0, 0], max: [12 cm, 12 cm, 60 cm], open: [z_max]}, material: stone}
particles:
  - {name: grains, count: 2, shapes: [cube], size: 2 cm, orientation: random, place: {lattice: {above: box}}, material: stone}
stages:
  - {name: fall, duration: 0.05 s}
output: {every: 10 ms}
"""
FRAMES = 6
test, binary, work = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])


def path(*parts):
    return os.path.join(work, *parts)


def check(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)


def results(name="results"):
    """A finished run."""
    with open(path("case.yaml"), "w") as f:
        f.write(CASE)
    subprocess.run([binary, "run", "case.yaml", "--out", name, "--quiet", "--no-report"], cwd=work, check=True)
    return path(name)


class Server:
    def __init__(self, folder, *more):
        self.errors = open(path("errors"), "w+")
        self.process = subprocess.Popen([binary, "view", "--live", folder, *more], stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd=work)
        atexit.register(self.process.kill)
        self.url = self.process.stdout.readline()
        if not self.url and "without cpp-httplib" in self.said():
            sys.exit(77)
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", self.url)
        check(found, f"its address in one line, got {self.url!r} and {self.said()!r}")
        self.port = int(found[1])
        self.known = {}

    def said(self):
        self.process.poll()
        with open(path("errors")) as f:
            return f.read()

    def ask(self, target="/", method="GET", host=None, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        c.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        if host != "":
            c.putheader("Host", host or f"127.0.0.1:{self.port}")
        if body is not None:
            c.putheader("Content-Length", str(len(body)))
        c.endheaders(body)
        answer = c.getresponse()
        content = answer.read()
        c.close()
        return answer, content

    def news(self, known=None):
        """What is new since the last call, or since `known`."""
        known = self.known if known is None else known
        answer, content = self.ask("/news?" + "&".join(f"{k}={v}" for k, v in known.items()))
        check(answer.status == 200, f"news: {answer.status} {content!r}")
        n = json.loads(content)
        known.update(edition=n["edition"], parts=n["first"] + len(n["parts"]))
        if n["series"]:
            known.update(series=n["series"]["version"], rows=n["series"]["rows"])
        if n["about"]:
            known.update(about=n["about"]["version"])
        return n

    def until(self, what, holds):
        """Asks until something that was waited for is in the news."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            n = self.news({})
            if holds(n):
                return n
        raise SystemExit(f"FAILED: it never came: {what}")

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(20)


def block(text):
    return zlib.decompress(base64.b64decode(text))


def times(news):
    return [round(f["time"], 4) for p in news["parts"] for f in json.loads(block(p["header"]))["frames"]]


def about(news):
    return json.loads(block(news["about"]["text"]))


def rows(news):
    return block(news["series"]["text"]).decode().splitlines()[1:]


def test_serves_the_page_and_nothing_else():
    s = Server(results())
    answer, page = s.ask()
    check(answer.status == 200 and b'id="scree-live"' in page and b"connect-src 'self'" in page, "the page")
    check(answer.headers["Content-Type"] == "text/html; charset=utf-8", "its type")
    check(answer.headers["Cache-Control"] == "no-store", "it is not kept")
    head, nothing = s.ask(method="HEAD")
    check(head.status == 200 and nothing == b"" and head.headers["Content-Length"] == str(len(page)), "HEAD")
    head, nothing = s.ask("/news", method="HEAD")
    check(head.status == 200 and nothing == b"", "HEAD of the news")
    for target in ["/run.json", "/frames/frame_000000.vtkhdf", "/../case.yaml", "/news/../../case.yaml", "/%2e%2e/case.yaml", "/..%2fcase.yaml",
                   "//etc/passwd", "/etc/passwd", "/" + "../" * 12 + "etc/passwd", "/index.html", "/news/"]:
        answer, content = s.ask(target)
        check(answer.status in (400, 404) and b"gravity" not in content and b"root:" not in content, f"{target}: {answer.status}")
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]:
        answer, _ = s.ask(method=method, body=b"x" if method != "OPTIONS" else None)
        check(answer.status == 405 and answer.headers["Allow"] == "GET, HEAD", f"{method}: {answer.status}")
    for query in ["edition=-1&parts=99", "edition=x", "parts=18446744073709551616&edition=1", "rows=7&series=1", "%00"]:
        answer, content = s.ask("/news?" + query)
        check(answer.status == 200 and times(json.loads(content)) != [], f"{query}: all of it")
    with socket.create_connection(("127.0.0.1", s.port)) as raw:
        raw.sendall(b"\x00\xff nonsense\r\n\r\n")
        raw.recv(100)
    check(s.ask()[0].status == 200, "it goes on after nonsense")
    check(s.end() == 0, "it ends")


def test_only_this_machine_is_answered():
    s = Server(results())
    for host in ["evil.example", f"evil.example:{s.port}", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::1]", "127.0.0.2", "localhost:x"]:
        for target in ["/", "/news"]:
            answer, content = s.ask(target, host=host or "")
            check(answer.status == 403 and b"<" not in content, f"{host}: {answer.status}")
    # Through a tunnel the port is another.
    for host in ["localhost", "LocalHost:9000", "127.0.0.1:1"]:
        check(s.ask(host=host)[0].status == 200, host)
    with open(f"/proc/{s.process.pid}/net/tcp") as f:
        listening = [line.split()[1] for line in f if f":{s.port:04X} " in line and line.split()[3] == "0A"]
    check(listening == [f"0100007F:{s.port:04X}"], f"it listens on 127.0.0.1 alone: {listening}")
    check(s.end() == 0, "it ends")


def test_a_port_in_use_is_told():
    folder = results()
    s = Server(folder)
    other = subprocess.run([binary, "view", "--live", folder, "--port", str(s.port)], capture_output=True, text=True, timeout=60)
    check(other.returncode == 1 and f"port {s.port}" in other.stderr and "another program has it" in other.stderr and other.stdout == "", other.stderr)
    port = s.port
    check(s.end() == 0, "it ends")
    check(Server(folder, "--port", str(port)).port == port, "the port is free at once")


def test_mistakes_are_told():
    folder = results()
    for arguments, said in [(["--live", folder, "--out", "x.html"], "--out"), ([folder, "--port", "8080"], "--live"), (["--live", folder, "--port", "0"], "65535"),
                            (["--live", folder, "--port", "65536"], "65535"), (["--live", path("absent")], "no results folder")]:
        r = subprocess.run([binary, "view", *arguments], capture_output=True, text=True, timeout=60, cwd=work)
        check(r.returncode == 2 and r.stdout == "" and said in r.stderr and r.stderr.count("\n") == 1, f"{arguments}: {r.returncode} {r.stderr}")
    check(not os.path.exists(path("x.html")), "no page was written")


def test_signals_end_it():
    folder = results()
    for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
        s = Server(folder)
        s.news()
        # Neither a connection that says nothing nor one that stops in the midst of its question holds it up.
        with socket.create_connection(("127.0.0.1", s.port)), socket.create_connection(("127.0.0.1", s.port)) as half:
            half.sendall(b"GET /news HTTP/1.1\r\nHo")
            check(s.end(number) == 0, f"{number}: {s.process.returncode}")
        check(s.said().count("\n") == 1, f"no more than where it is: {s.said()}")


def test_frames_and_rows_are_sent_once():
    whole = results("whole")
    folder = path("results")
    os.makedirs(path("results", "frames"))
    s = Server(folder)
    n = s.news()
    check(n["parts"] == [] and n["state"] == {"problem": None, "writes": False, "age": None, "frames": 0}, f"nothing yet: {n['state']}")
    check(about(n)["notes"] == [], "nothing is missed yet")
    shutil.copy(os.path.join(whole, "case.yaml"), folder)
    with open(os.path.join(whole, "series.csv")) as f:
        lines = f.readlines()
    check(len(lines) == FRAMES + 1, f"{FRAMES} rows")
    for k in range(FRAMES):
        file = f"frames/frame_{k:06}.vtkhdf"
        shutil.copy(os.path.join(whole, file), os.path.join(folder, file + ".part"))
        n = s.news()
        check(n["parts"] == [] and n["series"] is None, "nothing of a frame that is being written")
        os.rename(os.path.join(folder, file + ".part"), os.path.join(folder, file))
        with open(os.path.join(folder, "series.csv"), "a") as f:
            f.write("".join(lines[:2]) if k == 0 else lines[k + 1])
        n = s.news()
        check(len(n["parts"]) == 1 and times(n) == [round(0.01 * k, 4)], f"one new frame: {times(n)}")
        got = block(n["series"]["text"]).decode()
        check(got == ("".join(lines[:2]) if k == 0 else lines[k + 1]), f"one new row: {got!r}")
        check(n["state"]["frames"] == k + 1 and 0 <= n["state"]["age"] < 60, f"{n['state']}")
        if k > 0:
            header = json.loads(block(n["parts"][0]["header"]))
            check(header["shapes"] == [] and header["walls"] == [] and header["particles"] == 0, "tables are sent once")
    n = s.news()
    check(n["parts"] == [] and n["series"] is None and n["about"] is None, "nothing new")
    n = s.news({})
    check(times(n) == [round(0.01 * k, 4) for k in range(FRAMES)] and rows(n) == [x.rstrip("\n") for x in lines[1:]], "all of it for another page")
    shutil.copy(os.path.join(whole, "run.json"), folder)
    n = s.news()
    check(n["parts"] == [] and json.loads(about(n)["run"])["verdict"]["status"] == "finished", "the verdict")
    check(s.end() == 0, "it ends")


def test_half_written_files_are_waited_for():
    whole = results("whole")
    folder = results()
    last = os.path.join(folder, f"frames/frame_{FRAMES - 1:06}.vtkhdf")
    with open(last, "rb") as f:
        sound = f.read()
    with open(last, "wb") as f:
        f.write(sound[: len(sound) // 2])
    with open(os.path.join(folder, "series.csv"), "r+") as f:
        text = f.read()
        f.seek(0), f.truncate(), f.write(text[:-7])
    with open(os.path.join(folder, "run.json"), "r+") as f:
        record = f.read()
        f.truncate(len(record) // 2)
    s = Server(folder)
    n = s.news()
    check(len(times(n)) == FRAMES - 1, f"the frames that are whole: {times(n)}")
    check(any("could not be read" in note for note in about(n)["notes"]), f"and a note of the other: {about(n)['notes']}")
    check(len(rows(n)) == FRAMES - 1, "the rows that are whole")
    check(s.news()["parts"] == [], "nothing new")
    with open(last, "wb") as f:
        f.write(sound)
    with open(os.path.join(folder, "series.csv"), "a") as f:
        f.write(text[-7:])
    shutil.copy(os.path.join(whole, "run.json"), folder)
    n = s.news()
    check(times(n) == [0.05], f"the last frame: {times(n)}")
    check(block(n["series"]["text"]).decode() == text.splitlines(True)[-1], "the last row")
    check(json.loads(about(n)["run"])["verdict"]["status"] == "finished" and about(n)["notes"] == [], f"{about(n)['notes']}")
    # One that stays bad is left out as soon as there is another behind it.
    with open(os.path.join(folder, f"frames/frame_{FRAMES:06}.vtkhdf"), "wb") as f:
        f.write(b"no frame")
    check(s.news()["parts"] == [], "it is waited for")
    shutil.copy(last, os.path.join(folder, f"frames/frame_{FRAMES + 1:06}.vtkhdf"))
    n = s.news()
    check(len(times(n)) == 1, f"{times(n)}")
    notes = about(s.news({}))["notes"]
    check(any("1 frame could not be read" in x for x in notes), f"{notes}")
    check(s.end() == 0, "it ends")


def test_a_folder_that_goes_is_told():
    folder = results()
    s = Server(folder)
    n = s.news()
    os.rename(folder, folder + "_away")
    n = s.news()
    check(n["state"]["problem"] == f"the results folder {folder} is gone", f"{n['state']}")
    check(n["parts"] == [] and len(times(s.news({}))) == FRAMES, "what it had can still be looked at")
    s.news()
    check(s.said().count("is gone") == 1, f"told once: {s.said()}")
    os.rename(folder + "_away", folder)
    check(s.news()["state"]["problem"] is None, "it is there again")
    check(s.said().count("there again") == 1, s.said())
    shutil.rmtree(folder)
    check(s.news()["state"]["problem"] is not None, "gone for good")
    check(s.process.poll() is None and s.end() == 0, "and it ends as ever")


def test_a_run_that_starts_anew_is_another_edition():
    folder = results()
    s = Server(folder)
    first = s.news()["edition"]
    subprocess.run([binary, "run", "case.yaml", "--out", folder, "--force", "--quiet", "--set", "output.every=25 ms"], cwd=work, check=True)
    n = s.news()
    check(n["edition"] != first and n["first"] == 0 and times(n) == [0, 0.025, 0.05], f"{times(n)}")
    check(n["series"]["first"] == 0 and len(rows(n)) == 3, "its rows alone")
    check(s.end() == 0, "it ends")


def test_it_says_whether_the_run_still_lives():
    with open(path("case.yaml"), "w") as f:
        f.write(CASE.replace("0.05 s", "100 s"))
    folder = path("results")
    os.makedirs(folder)
    s = Server(folder)
    run = subprocess.Popen([binary, "run", "case.yaml", "--out", folder, "--quiet"], cwd=work)
    n = s.until("a frame", lambda n: n["parts"] and about(n)["run"])
    check(n["state"]["writes"] and json.loads(about(n)["run"])["verdict"]["status"] == "running", f"{n['state']}")
    run.kill(), run.wait()
    n = s.news({})
    check(not n["state"]["writes"] and json.loads(about(n)["run"])["verdict"]["status"] == "running", f"{n['state']}")
    check(s.end() == 0, "it ends")


if __name__ == "__main__":
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    globals()["test_" + test]()
    print("ok")
