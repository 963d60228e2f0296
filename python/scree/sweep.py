"""Studies: the same case with other values, a run each, in a folder that can be gone on with."""
from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import numbers
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from .case import Case, CaseError, CaseLike, Diagnostic, _plain, as_case, check, text_in
from .program import find_binary
from .results import Results

if TYPE_CHECKING:
    import pandas

Point = Mapping[str, Any]
Points = Union[Mapping[str, Iterable[Any]], Sequence[Point]]
Measure = Callable[[Results], Union[float, Mapping[str, float]]]

_LONGEST_NAME = 100
_OWN_FILES = {"case.yaml", "case.yaml.part", "run.log", "run.lock"}  # in a point's folder before its run has begun
_COLUMNS = ("status", "reason", "seconds", "folder")


def sweep(case: CaseLike, points: Points, *, folder: Union[str, os.PathLike], measure: Optional[Measure] = None,
          jobs: int = 1, threads: Optional[int] = None, again: bool = False, quiet: bool = False,
          client: Any = None) -> "pandas.DataFrame":
    """Runs a case with each of several values, `scree run` for each in a folder of its own below `folder`.

    `points`: values by key, {"contacts[0].friction_angle": ["20 degree", "30 degree"], "seed": [1, 2, 3]}, of which all
    combinations are run; or a list of dicts, a point each. All cases are checked before the first one runs.
    `measure`: gives a number, or a dict of them, for the results of a run that finished; called after all runs.
    `jobs`: runs side by side, with `threads` each; all cores in equal parts unless given.
    `client`: of dask.distributed, whose workers run the points instead, with one thread unless `threads` is given, in
    a folder that all of them see.

    What has finished is not run again, what was interrupted goes on; what has failed stays so unless `again`. Ctrl-C
    lets the runs write a checkpoint; the same call goes on. So does the end of this process, however it comes, and the
    runs then end by themselves a moment later. A line per run goes to stderr unless `quiet`.

    A row per point: its values, "status" (finished, failed or interrupted) with "reason", what was measured (NaN where
    the run did not finish), "seconds" of wall clock and "folder"; written to FOLDER/table.csv as well.
    Errors: CaseError, naming the point; ValueError where the folder holds another case; FileNotFoundError where there
    is no program `scree`; whatever `measure` raises.
    """
    import pandas  # noqa: F401 - of the table: where it is not there, no run is to have been made
    jobs = _count(jobs, "jobs")
    threads = max(1, (1 if client is not None else _cores() // jobs)) if threads is None else _count(threads, "threads")
    study = _Study(as_case(case), points, os.fspath(folder))
    study.check()
    binary = None if client is not None else find_binary()
    study.write()
    settled = {"finished"} if again else {"finished", "failed"}
    tasks = {name: (os.path.abspath(study.path(name)), threads, again) for name in study.points
             if study.outcome(name)[0] not in settled}
    said: dict[str, str] = {}

    def done(name: str, words: str) -> None:
        said[name] = words
        status, reason = study.outcome(name, words)
        if status != "finished":
            _warn(name, status, reason)
        elif not quiet:
            print(f"scree: {len(said)} of {len(tasks)}: {name} finished, {study.seconds(name):.3g} s",
                  file=sys.stderr)

    if tasks:
        _run_on(client, tasks, done) if client is not None else _run_here(binary, jobs, tasks, done)
    return study.table(said, measure)


class _Study:
    """Points with their cases and folders. A name hangs on its point's keys and values alone: others come and go."""

    def __init__(self, base: Case, points: Points, folder: str):
        self.folder = folder
        self._base = base
        listed = _listed(points)
        short = _short_keys(list(listed[0]))
        self.points: dict[str, Point] = {}
        self._cases: dict[str, Case] = {}
        for point in listed:
            name = _name_of(point, short)
            if name in self.points:
                raise ValueError(f"{name}: the point is there twice")
            self.points[name] = point
            self._cases[name] = _with_values(base, point, name)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def outcome(self, name: str, said: str = "") -> tuple[str, str]:
        """Status and reason. `said`: when it ended, for runs whose record could not be closed."""
        verdict = _record(self.path(name)).get("verdict", {})
        if verdict.get("status") == "finished":
            return "finished", ""
        if verdict.get("status") in ("failed", "interrupted"):
            return verdict["status"], verdict.get("reason", "")
        return "not finished", said or "has not ended"

    def seconds(self, name: str) -> float:
        """Wall clock of all sessions."""
        return sum(session["seconds"] for session in _record(self.path(name)).get("sessions", []))

    def check(self) -> None:
        """Errors: CaseError with the mistakes of all points, each once; ValueError: another case in a folder."""
        self._check_folder()
        _check_all({name: case for name, case in self._cases.items() if not self._holds(name, case)})

    def write(self) -> None:
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "case.yaml")
        if not os.path.exists(path):
            _write(path, text_in(self._base, self.folder))
        for name, case in self._cases.items():
            if not os.path.exists(os.path.join(self.path(name), "run.json")):
                os.makedirs(self.path(name), exist_ok=True)
                _write(os.path.join(self.path(name), "case.yaml"), text_in(case, self.path(name)))

    def table(self, said: Mapping[str, str], measure: Optional[Measure]) -> "pandas.DataFrame":
        import pandas
        rows, names = [], list(self.points)
        for name in names:
            status, reason = self.outcome(name, said.get(name, ""))
            status = "failed" if status == "not finished" else status
            if status != "finished" and name not in said:
                _warn(name, status, reason)
            rows.append({"status": status, "reason": reason})
        for name, row in zip(names, rows):
            if measure is not None and row["status"] == "finished":
                row.update(_measured(measure, self.path(name), set(self.points[name]) | set(_COLUMNS)))
            row.update(seconds=self.seconds(name), folder=self.path(name))
        measured = dict.fromkeys(column for row in rows for column in row if column not in _COLUMNS)
        columns = ["status", "reason", *measured, "seconds", "folder"]
        table = pandas.concat([pandas.DataFrame([dict(p) for p in self.points.values()], dtype=object).infer_objects(),
                               pandas.DataFrame(rows, columns=columns)], axis=1)
        _write(os.path.join(self.folder, "table.csv"), table.to_csv(index=False))
        return table

    def _check_folder(self) -> None:
        path = os.path.join(self.folder, "case.yaml")
        if os.path.exists(os.path.join(self.folder, "run.json")):
            raise ValueError(f"{self.folder} holds the results of one run; a study needs a folder of its own")
        if not os.path.exists(path):
            return
        # What is swept does not matter in the case that it is put into.
        point = next(iter(self.points.values()))
        try:
            before = json.loads(_with_values(Case(_read(path), self.folder), point, "").text())
        except (ValueError, TypeError):
            before = None
        now = json.loads(text_in(_with_values(self._base, point, ""), self.folder))
        _refuse_another(self.folder, before, now)

    def _holds(self, name: str, case: Case) -> bool:
        """Whether the folder holds this case. Errors: ValueError where it holds another."""
        folder = self.path(name)
        path = os.path.join(folder, "case.yaml")
        if os.path.exists(path):
            try:
                before = _read(path)
            except ValueError:
                before = None
            _refuse_another(folder, before, json.loads(text_in(case, folder)))
            return True
        if os.path.isdir(folder) and set(os.listdir(folder)) - _OWN_FILES:
            raise ValueError(f"{folder} holds files that are not of this study; give another folder")
        return False


def _check_all(cases: Mapping[str, Case]) -> None:
    """Errors: CaseError with the mistakes of all of them, each once, by the name of the first that has it."""
    mistakes: dict[tuple[str, str], Diagnostic] = {}
    for name, case in cases.items():
        try:
            check(case)
        except CaseError as error:
            for d in error.diagnostics:
                if d.is_error:
                    mistakes.setdefault((d.key, d.message), replace(d, file=name, line=0, column=0))
    if mistakes:
        raise CaseError(list(mistakes.values()))


def _warn(name: str, status: str, reason: str) -> None:
    print(f"scree: warning: {name} {status}: {reason}", file=sys.stderr)


def _listed(points: Points) -> list[Point]:
    """The points, a dict each. Errors: TypeError, ValueError."""
    if isinstance(points, Mapping):
        values = {}
        for key, some in points.items():
            if isinstance(some, (str, bytes, Mapping)) or not isinstance(some, Iterable):
                raise TypeError(f"{key}: expected a list of values, got {some!r}")
            values[key] = list(some)
        listed: list[Point] = [dict(zip(values, combination)) for combination in itertools.product(*values.values())]
        if not values or not listed:
            raise ValueError("points: there is none; give values by key")
        return listed
    listed = [dict(point) for point in points]
    if not listed or not listed[0]:
        raise ValueError("points: there is none; give values by key")
    for point in listed:
        if set(point) != set(listed[0]):
            raise ValueError(f"points: all have the same keys; {sorted(set(point) ^ set(listed[0]))} are not in all")
    return [{key: point[key] for key in listed[0]} for point in listed]


def _steps(key: str) -> list[Union[str, int]]:
    """ "contacts[0].kn" as "contacts", 0, "kn". Errors: CaseError."""
    if not isinstance(key, str) or not re.fullmatch(r"[^.\[\]]+(\[\d+\])*(\.[^.\[\]]+(\[\d+\])*)*", key):
        raise CaseError([Diagnostic(True, "points", 0, 0, str(key),
                                    "expected a key such as contacts[0].friction_angle")])
    return [int(index) if index else name for index, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", key)]


def _with_values(base: Case, point: Point, name: str) -> Case:
    """The case with the values of the point; maps that it lacks are made. Errors: CaseError."""
    case = Case(base.data, os.path.dirname(os.path.abspath(base.path)), os.path.basename(base.path))
    for key, value in point.items():
        steps = _steps(key)
        at: Any = case.data
        for k, step in enumerate(steps):
            so_far = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps[:k]).lstrip(".")
            if isinstance(step, int) and not (isinstance(at, list) and step < len(at)):
                found = f"{len(at)} item{'s' * (len(at) != 1)}, counted from 0" if isinstance(at, list) else "no items"
                raise CaseError([Diagnostic(True, name, 0, 0, key, f"{so_far} has {found}")])
            if isinstance(step, str) and not isinstance(at, dict):
                raise CaseError([Diagnostic(True, name, 0, 0, key, f"{so_far} has no keys")])
            if k == len(steps) - 1:
                at[step] = value
            else:
                if isinstance(step, str) and step not in at:
                    at[step] = {}
                at = at[step]
    return case


def _short_keys(keys: Sequence[str]) -> dict[str, str]:
    """The last parts of each key, as many as tell it from the others."""
    short = {}
    for key in keys:
        parts = key.split(".")
        for k in range(1, len(parts) + 1):
            tail = ".".join(parts[-k:])
            if sum(other == tail or other.endswith("." + tail) for other in keys) == 1:
                break
        short[key] = tail
    return short


def _name_of(point: Point, short: Mapping[str, str]) -> str:
    """A folder's name that tells the values, with a hash of them where it does not tell all. Errors: CaseError."""
    plain = {key: _plain(value, key, "points") for key, value in point.items()}
    words, whole = [], True
    for key, value in plain.items():
        text = value if isinstance(value, str) else json.dumps(value)
        word = re.sub(r"[^A-Za-z0-9.+-]", "_", text)
        whole = whole and re.fullmatch(r"[A-Za-z0-9.+-]+( [A-Za-z0-9.+-]+)*", text) is not None
        words.append(re.sub(r"[^A-Za-z0-9._+-]", "_", re.sub(r"\[(\d+)\]", r"-\1", short[key])) + "=" + word)
    name = ",".join(words)
    if whole and len(name) <= _LONGEST_NAME:
        return name
    mark = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:8]
    return f"{name[:_LONGEST_NAME - 9]}-{mark}"


def _refuse_another(folder: str, before: Any, now: Any) -> None:
    where = _difference(before, now, "")
    if where is not None:
        differs = f"{where} differs" if where else "its case.yaml is no such case"
        raise ValueError(f"{folder} holds another case ({differs}); give another folder, or remove this one")


def _difference(a: Any, b: Any, key: str) -> Optional[str]:
    """The first key that differs; "" the whole; None: nothing."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in dict.fromkeys([*a, *b]):
            inner = f"{key}.{name}" if key else name
            if (name in a) != (name in b):
                return inner
            found = _difference(a[name], b[name], inner)
            if found is not None:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for k, (x, y) in enumerate(zip(a, b)):
            found = _difference(x, y, f"{key}[{k}]")
            if found is not None:
                return found
        return None
    return None if type(a) is type(b) and a == b else key


def _read(path: str) -> Any:
    """Errors: ValueError where it is not what _write has left."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _write(path: str, text: str) -> None:
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def _record(folder: str) -> dict[str, Any]:
    """run.json; empty where there is none, or none that can be read: `scree run --resume` knows what to do then."""
    try:
        return Results(folder).record
    except OSError:
        return {}


def _measured(measure: Measure, folder: str, taken: set[str]) -> dict[str, float]:
    """Columns. Errors: those of `measure`, after a line that names the folder; TypeError, ValueError."""
    try:
        found = measure(Results(folder))
    except Exception:
        print(f"scree: measure failed for {folder}; the runs are kept, and the same call goes on", file=sys.stderr)
        raise
    columns = dict(found) if isinstance(found, Mapping) else {"measured": found}
    for name, value in columns.items():
        if not isinstance(value, (numbers.Real, np.bool_)):
            raise TypeError(f"measure: expected a number or a dict of numbers, got {value!r} for {folder}")
        if name in taken:
            raise ValueError(f"measure: {name!r} is a column of the table already")
    return columns


# A program in the place of this shell, and beside it one that sends it SIGINT where its input ends without a line, as
# it does when whoever holds the other end is gone, killed or not. (PR_SET_PDEATHSIG comes with the end of a thread, so
# more than once of a process that has several: the second SIGINT would end `scree run` without a checkpoint.)
_WATCHED = 'exec 3<&0 </dev/null; (read -r _ <&3 || kill -INT $$) & exec "$@" 3<&-'


class _Children:
    """Processes of a session each: beside the one signal of interrupt() they would get that of the terminal's Ctrl-C,
    and a second one ends `scree run` without a checkpoint."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: set[subprocess.Popen] = set()
        self._stopping = False

    def run(self, command: list[str], log: Any) -> Optional[int]:
        """The exit code; None: not started, after interrupt()."""
        with self._lock:
            if self._stopping:
                return None
            child = subprocess.Popen(["sh", "-c", _WATCHED, "sh", *command], bufsize=0, stdin=subprocess.PIPE,
                                     stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            self._alive.add(child)
        code = child.wait()
        with self._lock:
            self._alive.discard(child)
        with contextlib.suppress(BrokenPipeError), child.stdin:  # where somebody has ended the watch
            child.stdin.write(b"\n")
        return code

    def interrupt(self) -> None:
        with self._lock:
            self._stopping = True
            for child in self._alive:
                child.send_signal(signal.SIGINT)


def _run_point(binary: Optional[str], folder: str, threads: int, again: bool,
               children: Optional[_Children] = None) -> str:
    """Runs the case of a folder, or goes on with it; says why it ended where run.json may not."""
    command = [binary or find_binary(), "run", os.path.join(folder, "case.yaml"), "--out", folder, "--threads",
               str(threads), "--quiet", "--no-report"]
    verdict = _record(folder).get("verdict", {})
    if verdict.get("status") == "finished":  # by a worker that was lost after it
        return ""
    if verdict.get("status") == "failed" and again and verdict.get("particles"):
        command.append("--force")  # physics; a full disk can be gone on from
    elif any(os.path.exists(os.path.join(folder, name)) for name in ("run.json", "series.csv", "frames", "checkpoint")):
        command.append("--resume")
    try:
        with open(os.path.join(folder, "run.log"), "a+", encoding="utf-8", errors="replace") as log:
            begin = log.seek(0, os.SEEK_END)
            code = (children or _Children()).run(command, log)
            log.seek(begin)
            said = [line.strip() for line in log if line.strip()]
    except OSError as error:
        return str(error)
    if code is None:
        return "not started"
    if code < 0:
        return f"ended by signal {-code}; the same call goes on"
    return said[-1] if code != 0 and said else f"ended with exit code {code}"


def _run_here(binary: Optional[str], jobs: int, tasks: Mapping[str, tuple], done: Callable[[str, str], None]) -> None:
    children = _Children()
    pool = concurrent.futures.ThreadPoolExecutor(min(jobs, len(tasks)), "scree-sweep")
    try:
        futures = {pool.submit(_run_point, binary, *task, children): name for name, task in tasks.items()}
        for future in concurrent.futures.as_completed(futures):
            done(futures[future], future.result())
    except BaseException:
        while True:
            try:
                children.interrupt()
                pool.shutdown(cancel_futures=True)
                break
            except KeyboardInterrupt:  # the second one ends the runs at once
                continue
        raise
    pool.shutdown()


def _run_on(client: Any, tasks: Mapping[str, tuple], done: Callable[[str, str], None]) -> None:
    """Points on the workers of dask.distributed; what has begun there ends there, whatever happens here."""
    from distributed import as_completed
    futures = {client.submit(_run_point, None, *task, pure=False): name for name, task in tasks.items()}
    try:
        for future in as_completed(list(futures)):
            error = future.exception()
            done(futures[future], str(error) if error is not None else future.result())
    except BaseException:
        client.cancel(list(futures))
        raise


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"{name}: expected a whole number above 0, got {value!r}")
    return int(value)
