"""Runs: a case that is stepped in memory."""
from __future__ import annotations

import contextlib
import json
import math
import operator
import os
import shlex
import sys
import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterator, Mapping, Optional, TypeVar, Union

import numpy as np

from . import _scree
from .case import Case, CaseError, CaseLike, Diagnostic, as_case, diagnostics_of, in_si, is_quantity, open_case, text_in

_State = _scree.State
_T = TypeVar("_T")


class Fault(RuntimeError):
    """The physics failed: a position that is not finite, an overlap too deep. `ids` are the particles it names, `time`
    is when (s). Of a run with a record() the message has the likely cause, too."""

    def __init__(self, message: str, ids: np.ndarray, time: float):
        super().__init__(message)
        self.ids, self.time = ids, time

    def __reduce__(self) -> tuple:
        return type(self), (str(self), self.ids, self.time)


class Particles:
    """The particles of a run, a row each in ascending order of ids. Every array is a copy of the state as it stands, to
    be read; Run.borrow() gives the memory itself."""
    __slots__ = ("_run",)

    def __init__(self, run: _scree.Run):
        self._run = run

    def __len__(self) -> int:
        return self._run.count()

    @property
    def id(self) -> np.ndarray:
        """(N,); stable, where rows move up when particles are removed."""
        return self._run.id()

    @property
    def shape(self) -> np.ndarray:
        """(N,) names of prototypes."""
        return _names(self._run.shape())

    @property
    def material(self) -> np.ndarray:
        """(N,) names."""
        return _names(self._run.material())

    @property
    def size(self) -> np.ndarray:
        """(N,) m, factor on the prototype's coordinates."""
        return self._run.size()

    @property
    def mass(self) -> np.ndarray:
        """(N,) kg."""
        return self._run.mass()

    @property
    def radius(self) -> np.ndarray:
        """(N,) m, of the bounding spheres about the centroids."""
        return self._run.radius()

    @property
    def position(self) -> np.ndarray:
        """(N, 3) m, centroids."""
        return self._run.position()

    @property
    def orientation(self) -> np.ndarray:
        """(N, 4) unit quaternions w x y z, body to space."""
        return self._run.orientation()

    @property
    def velocity(self) -> np.ndarray:
        """(N, 3) m/s."""
        return self._run.velocity()

    @property
    def angular_velocity(self) -> np.ndarray:
        """(N, 3) rad/s, space frame."""
        return self._run.angular_velocity()

    @property
    def force(self) -> np.ndarray:
        """(N, 3) N, of contacts, bonds, gravity and what acts from outside, as of the last step."""
        return self._run.force()

    @property
    def torque(self) -> np.ndarray:
        """(N, 3) N m, about the centroids, space frame."""
        return self._run.torque()

    @property
    def fragment(self) -> np.ndarray:
        """(N,) the lowest id among those that bonds hold a particle together with; its own where there is none."""
        return self._run.fragment()


def _names(some: list[str]) -> np.ndarray:
    names = np.array(some, dtype=str)
    names.flags.writeable = False
    return names


class _Numbers(np.ndarray):
    """To be written into, in SI units: of a quantity of pint NumPy would take the bare number, whatever its unit."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if is_quantity(value):
            raise ValueError("a part of an array takes numbers in SI units, such as quantity.m_as('N'); an array as a "
                             "whole takes quantities too")
        super().__setitem__(key, value)

    def __array_wrap__(self, made: np.ndarray, context: Any = None) -> Any:
        return made if made is self else made.view(np.ndarray)[()]


class Rows:
    """The run's own memory, without a copy: arrays with a row for each particle in the order in which they lie, which is
    not that of the ids; `id` says whose a row is. They are there to be read; `velocity` and `angular_momentum` of
    Run.borrow(writing=True) to be written into as well, in parts or, also with a quantity of pint, as a whole."""
    id: np.ndarray           #: (N,)
    size: np.ndarray         #: (N,) m, factor on the prototype's coordinates
    mass: np.ndarray         #: (N,) kg
    radius: np.ndarray       #: (N,) m, of the bounding spheres about the centroids
    position: np.ndarray     #: (N, 3) m, centroids
    orientation: np.ndarray  #: (N, 4) unit quaternions w x y z, body to space
    velocity: np.ndarray     #: (N, 3) m/s
    angular_momentum: np.ndarray  #: (N, 3) kg m^2/s, about the centroids, space frame
    force: np.ndarray        #: (N, 3) N
    torque: np.ndarray       #: (N, 3) N m

    def __init__(self, columns: Mapping[str, np.ndarray]):
        self.__dict__.update({name: a.view(_Numbers) if a.flags.writeable else a for name, a in columns.items()})

    def __setattr__(self, name: str, value: object) -> None:
        getattr(self, name)[...] = in_si(value, _UNITS_WRITTEN.get(name, ""), name)

    def _end(self) -> None:
        """Parts of arrays that somebody has kept are beyond reach."""
        for column in self.__dict__.values():
            column.flags.writeable = False
        self.__dict__.clear()

    def __getattr__(self, name: str) -> Any:  # of what is not there
        over = ": the block of borrow() is over" if name in Rows.__annotations__ else ""
        raise AttributeError(f"rows have no {name}{over}")

    def __len__(self) -> int:
        return len(self.id)


_UNITS_WRITTEN = {"velocity": "m/s", "angular_momentum": "kg*m^2/s"}


class Outer:
    """Forces and torques from outside on the particles of a run: of a fluid, a field, a control loop. Rows as of
    `particles`.

        run.outer.force[:, 2] = buoyancy
        run.advance(0.01)

    The arrays are yours to write into, in SI units; the run takes them at its next call of advance or save, and keeps
    them until they are changed. What is assigned as a whole may be a quantity of pint. Grains that come have none.
    Where grains have come or left, arrays taken before are no longer those of the run: take `run.outer.force` anew.
    """
    __slots__ = ("_run", "_ids", "_force", "_torque")

    def __init__(self, run: _scree.Run):
        self._run = run
        self._fetch()

    def _fetch(self) -> None:
        self._ids = self._run.id()
        self._force = self._run.outer_force().copy().view(_Numbers)
        self._torque = self._run.outer_torque().copy().view(_Numbers)

    def _hand_over(self) -> None:
        if not self._run.set_outer_forces(self._force, self._torque):
            raise ValueError(self._run.refusal())

    def _follow(self) -> None:
        """Rows of the particles that are there now."""
        if not np.array_equal(self._ids, self._run.id()):
            self._fetch()

    @property
    def force(self) -> np.ndarray:
        """(N, 3) N."""
        return self._force

    @force.setter
    def force(self, value: object) -> None:
        self._force[...] = in_si(value, "N", "force")

    @property
    def torque(self) -> np.ndarray:
        """(N, 3) N m, about the centroids, space frame."""
        return self._torque

    @torque.setter
    def torque(self, value: object) -> None:
        self._torque[...] = in_si(value, "N*m", "torque")


@dataclass(frozen=True)
class Contacts:
    """Contacts of the last step, a row each."""
    a: np.ndarray        #: (M,) ids of particles
    b: np.ndarray        #: (M,) likewise; a wall is -1 - its id
    point: np.ndarray    #: (M, 3) m
    normal: np.ndarray   #: (M, 3) unit, from a to b
    force: np.ndarray    #: (M, 3) N, on b
    overlap: np.ndarray  #: (M,) m

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True)
class Bonds:
    """Bonds that hold, a row each in ascending order of a, then b; what they bear is that of the last step."""
    a: np.ndarray              #: (M,) ids of particles
    b: np.ndarray              #: (M,) likewise, above a
    force: np.ndarray          #: (M, 3) N, on b
    normal_stress: np.ndarray  #: (M,) Pa, the largest over the cross-section
    shear_stress: np.ndarray   #: (M,) Pa, likewise
    damage: np.ndarray         #: (M,) largest stress over strength so far; a bond breaks at 1

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True)
class Wall:
    """A wall as it stands."""
    name: str
    id: int
    point: np.ndarray     #: m; of a mesh the origin of its frame
    normal: np.ndarray    #: unit, into the domain; of a mesh zero
    velocity: np.ndarray  #: m/s
    force: np.ndarray     #: N, from the grains
    torque: np.ndarray    #: N m


class Run:
    """One run of a case, in memory. The same case gives the same bits as `scree run`, whatever the threads.

        run = scree.Run("examples/box_fill.yaml")
        run.advance(until=lambda r: r.kinetic_energy < 1e-6, every=0.01)

    A run is used by one thread at a time; while it steps, others of Python go on.
    """
    __slots__ = ("_case", "_run", "_outer", "_record", "__weakref__")

    def __init__(self, case: CaseLike, threads: Optional[int] = None):
        """`case`: a Case, a dict or the path of a case file. `threads`: all cores unless given.

        Errors: CaseError, with every mistake of the case.
        """
        if threads is not None:
            threads = operator.index(threads)
            if not 1 <= threads <= 1024:
                raise ValueError(f"threads: expected 1 to 1024, got {threads}")
        self._case = as_case(case).copy()
        self._run = open_case(self._case)
        self._outer: Optional[Outer] = None
        self._record = ""
        if threads is not None:
            self._run.set_threads(threads)

    @classmethod
    def resume(cls, folder: Union[str, os.PathLike], case: Optional[CaseLike] = None,
               threads: Optional[int] = None) -> "Run":
        """Goes on from the newest good checkpoint of a folder of save(), of record() or of `scree run`. The record of
        the latter two goes on too, where record() of the same folder is called next.

        `case`: unless given, the one that the folder tells of. Errors: CaseError; OSError where there is no checkpoint
        for the case.
        """
        folder = os.fsdecode(folder)
        run = cls(case if case is not None else _case_of(folder), threads)
        if not run._run.resume(os.fsencode(folder)):
            raise OSError(run._run.refusal())
        return run

    def save(self, folder: Union[str, os.PathLike]) -> None:
        """Writes a checkpoint and the case into a folder, for resume(), in place of what was saved there; only the
        checkpoint before it stays. The folder may be that of the record. Errors: OSError, also where it holds the
        results of another run; Fault where the run has failed."""
        self._raise_fault()
        self._hand_over()
        folder = os.fsdecode(folder)
        if not self._run.save(os.fsencode(folder)):
            raise OSError(self._run.refusal())
        if os.path.exists(os.path.join(folder, "run.json")):
            return  # the record's, with its case
        path = os.path.join(folder, "case.json")
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump({"path": os.path.abspath(self._case.path), "text": self._case.text()}, file)
        os.replace(path + ".part", path)

    def record(self, folder: Union[str, os.PathLike]) -> None:
        """From now on `folder` gets what `scree run` writes: a frame and a row of series.csv for the present state and
        for each output instant of the case, run.json, and checkpoints as the case wants them. `scree.Results(folder)`
        reads them, and its report() shows them. Where the physics fails, the folder's fault/ has the steps before that,
        and Fault the likely cause; looking back for it may take a minute. It ends with the run, with end_record(), or
        where a `with` block of the run ends; then the last state is written too, and a checkpoint. Ctrl-C within
        advance() or the `with` block leaves one as well, and says how to go on. A run that resume() has from the folder
        goes on with what is there, as `scree run --resume` does. A disk that fails ends advance() with an OSError; the
        run can go on without the record.

        Errors: OSError where the folder cannot be written or holds other results; ValueError where the run is over or
        recorded already; Fault where it has failed.
        """
        self._raise_fault()
        if self.is_finished:
            raise ValueError("the run is over")
        if self._run.is_recording():
            raise ValueError(f"the run is recorded already, in {self._record}")
        folder = os.fsdecode(folder)
        if not self._run.record(os.fsencode(folder)):
            raise OSError(self._run.refusal())
        self._record = folder

    def end_record(self) -> None:
        """Writes the state as it stands into the record and ends it. Nothing where there is none. Errors: OSError."""
        self._hold(self._run.end_record)

    @property
    def is_recording(self) -> bool:
        return self._run.is_recording()

    def _leave_checkpoint(self, interrupt: KeyboardInterrupt) -> None:
        """In the record's folder, where there is one; the interrupt tells of it."""
        if not self._run.is_recording() or self._run.state() != _State.running:
            return
        if self._run.save(os.fsencode(self._record)):
            self._tell_how_to_go_on(interrupt)
        else:
            interrupt.add_note(f"No checkpoint could be written: {self._run.refusal()}")

    def _tell_how_to_go_on(self, interrupt: KeyboardInterrupt) -> None:
        folder, case = self._record, self._case
        note = (f"The run can go on from a checkpoint in {folder}, at t = {self.time:.6g} s:\n"
                f"  run = scree.Run.resume({folder!r}); run.record({folder!r})")
        file = case.path if _is_a_file(case) else os.path.join(folder, "case.yaml")
        # a case that was made here names its files from elsewhere than that folder
        if _is_a_file(case) or text_in(case, folder) == Case(case.data).text():
            note += f"\n  {shlex.join(['scree', 'run', file, '--out', folder, '--resume'])}"
        if note not in getattr(interrupt, "__notes__", []):
            interrupt.add_note(note)

    def _hold(self, call: Callable[[], _T]) -> _T:
        """The call's value; OSError where the record broke off within it."""
        was_recording = self._run.is_recording()
        value = call()
        if was_recording and not self._run.is_recording() and self._run.record_failure():
            self._raise_fault()
            raise OSError(self._run.record_failure())
        return value

    def advance(self, seconds: Optional[float] = None, *, until: Optional[Callable[["Run"], bool]] = None,
                every: Optional[float] = None, progress: bool = False) -> "Run":
        """Goes on by `seconds` of simulated time, to the nearest step (less than half a step is none), through as many
        stages as that takes; to the end of the case where nothing is given. Less when the run finishes.

        `until`: asked now and then at the steps nearest to every `every` seconds; the run stops where it is true. Ctrl-C
        ends the call after a whole step, with a checkpoint where there is a record, and the run can go on. `progress`
        shows how far it is: a bar of tqdm where that is installed, else a line on standard error. Errors: Fault.
        """
        if seconds is not None:
            seconds = float(in_si(seconds, "s", "seconds"))
            if not seconds >= 0:
                raise ValueError(f"seconds: expected 0 or more, got {seconds}")
        if (until is None) != (every is None):
            raise ValueError("until and every go together: a condition, and the time between two looks at it")
        if every is not None:
            every = float(in_si(every, "s", "every"))
            if not (every > 0 and math.isfinite(every)):
                raise ValueError(f"every: expected a time above 0, got {every}")
        try:
            with _shown(self, seconds) if progress else contextlib.nullcontext() as show:
                if until is None or every is None:
                    self._go(math.inf if seconds is None else seconds, show)
                else:
                    self._go_until(until, every, math.inf if seconds is None else seconds, show)
        except KeyboardInterrupt as interrupt:
            self._leave_checkpoint(interrupt)
            raise
        return self

    def _go_until(self, until: Callable[["Run"], bool], every: float, seconds: float,
                  show: Optional[Callable[[], None]]) -> None:
        self._raise_fault()
        start = self.time
        end = start + seconds
        look = 0
        while not until(self) and not self.is_finished and self.time < end - self.time_step / 2:
            look = max(look + 1, math.ceil((self.time + self.time_step / 2 - start) / every))
            self._go(min(start + look * every, end) - self.time, show)

    def _go(self, seconds: float, show: Optional[Callable[[], None]]) -> None:
        """By so much; in pieces of a fifth of a second of the clock where it is shown."""
        end = self.time + seconds
        piece = seconds if show is None else 10 * self.time_step
        while True:
            began = time.monotonic()
            self._hand_over()
            try:
                # The last piece asks for what is left, so that the step it ends at is that of one call.
                state = self._hold(lambda: self._run.advance(min(piece, end - self.time) if show else seconds))
            finally:
                if self._outer is not None:
                    self._outer._follow()
            if state == _State.failed:
                self._raise_fault()
            if show is None:
                return
            show()
            if state == _State.finished or not self.time < end - self.time_step / 2:
                return
            wished = piece * 0.2 / max(time.monotonic() - began, 1e-3)
            piece = max(self.time_step, min(wished, 4 * piece))

    def change(self, changes: Optional[Mapping[str, Any]] = None, /, **keys: Any) -> np.ndarray:
        """Changes the run as a stage of a case would, here and now, while the running stage goes on:

            run.change(move={"lid": {"velocity": [0, 0, "-2 cm/s"]}})
            run.change(move={"lid": {"servo": {"stress": "50 kPa", "max_velocity": 0.1}}}, gravity=[0, 0, 0])
            ids = run.change(insert=[{"shapes": "sphere", "size": "1 mm", "material": "glass",
                                      "place": {"at": [[0, 0, 0.1]]}, "velocity": [0, 0, -1]}])

        Keys are those of a stage that a checkpoint can hold: move, remove (walls), gravity, damping, cut_above, insert,
        open, close. Grains that come and go are `exchanged` in the ledger. Gives the ids of the grains that came.
        Errors, which change nothing: CaseError for mistakes in what was given, ValueError where grains overlap others or
        the run is finished, Fault where it has failed.
        """
        return self._change({**(changes or {}), **keys}, np.empty(0, np.uint32))

    def remove(self, ids: object) -> None:
        """Takes grains away by their ids, with their bonds. Errors: ValueError, where one is not there."""
        given = np.asarray(ids)
        if given.dtype.kind not in "iu" and given.size > 0:
            raise ValueError(f"ids: expected integers, got {given.dtype}")
        given = given.reshape(-1)
        if given.size > 0 and (given.min() < 0 or given.max() >= 2**32):
            raise ValueError(f"ids: there is none below 0 or above {2**32 - 1}")
        self._change({}, given.astype(np.uint32))

    def _change(self, changes: Mapping[str, Any], gone: np.ndarray) -> np.ndarray:
        self._raise_fault()
        self._hand_over()
        before = self._run.id() if "insert" in changes else None
        said = Case(changes)
        said._path = "change"
        if not self._run.change(said.text(), gone):
            found = [replace(Diagnostic(*remark), line=0, column=0) for remark in self._run.change_remarks()]
            of_the_run = [d.message for d in found if not d.file]
            raise ValueError(of_the_run[0]) if of_the_run else CaseError(found)
        if self._outer is not None:
            self._outer._follow()
        return np.setdiff1d(self._run.id(), before) if before is not None else np.empty(0, np.uint32)

    def __reduce_ex__(self, protocol: object) -> tuple:
        raise TypeError("a run cannot be copied; save() and Run.resume() make another")

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: object, error: Optional[BaseException], trace: object) -> None:
        is_kept = self._run.is_recording() and self._run.state() == _State.running
        self.end_record()
        if is_kept and isinstance(error, KeyboardInterrupt):
            self._tell_how_to_go_on(error)

    def __repr__(self) -> str:
        return f"<scree.Run of {len(self.particles)} particles at t = {self.time:.6g} s, {self._run.state().name}>"

    @property
    def time(self) -> float:
        """s, simulated."""
        return self._run.time()

    @property
    def time_step(self) -> float:
        """s."""
        return self._run.time_step()

    @property
    def step(self) -> int:
        """Steps done."""
        return self._run.step()

    @property
    def stage(self) -> str:
        """Name of the stage that is running."""
        return self._run.stage()

    @property
    def is_finished(self) -> bool:
        """Whether the last stage is over."""
        return self._run.state() == _State.finished

    @property
    def kinetic_energy(self) -> float:
        """J, of translation and rotation."""
        return self._run.kinetic_energy()

    @property
    def energies(self) -> dict[str, float]:
        """J: kinetic_translation, kinetic_rotation, potential, elastic, bonds_elastic; since the start lost_normal,
        lost_tangential, lost_friction, lost_bonds, lost_global, work_of_walls, work_of_gravity, work_of_outside,
        exchanged; and `unclosed`, what does not close."""
        return self._run.energies()

    @property
    def state_hash(self) -> str:
        """Sixteen hexadecimal digits, as in run.json: equal bits, equal hash."""
        return self._run.state_hash()

    @property
    def warnings(self) -> list[str]:
        """What the user should know of the case and of the run so far; not what calls have raised."""
        said, refusal = self._run.messages(), self._run.refusal()
        return (said.removesuffix(refusal + "\n") if refusal else said).splitlines()

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings of the case."""
        return diagnostics_of(self._run, self._case)

    @property
    def particles(self) -> Particles:
        return Particles(self._run)

    @contextlib.contextmanager
    def borrow(self, writing: bool = False) -> Iterator[Rows]:
        """The run's own memory for a `with` block, where copies of a large run would cost too much:

            with run.borrow() as rows:
                top = rows.position[:, 2].max()

        The run stands still while one of the arrays, or a part of one, is alive: what would go on or change it raises
        BufferError, also after the block.

        With `writing`, `velocity` and `angular_momentum` may be written into:

            with run.borrow(writing=True) as rows:
                rows.velocity[rows.id == 7] = [0, 0, 1]

        They are a part of the state from the end of the block on, and the ledger has what they bring as `exchanged`.
        Where the block raises, or has written what is not finite or leads out of the plane of two dimensions
        (ValueError), all is as it was before it. The two arrays are read-only when the block ends; as long as a part of
        one is alive, which can still be written through, whatever looks at the run raises BufferError.
        """
        if writing:
            self._raise_fault()
        rows = Rows(self._run.borrow(writing))
        keeps = False
        try:
            yield rows
            keeps = True
        finally:
            rows._end()
            if writing:
                self._run.end_writing(keeps)

    @property
    def outer(self) -> Outer:
        """Forces and torques from outside, to be written into."""
        if self._outer is None:
            self._outer = Outer(self._run)
        return self._outer

    def _hand_over(self) -> None:
        if self._outer is not None and self._run.state() == _State.running:
            self._outer._hand_over()

    @property
    def contacts(self) -> Contacts:
        """Of the last step: copies."""
        return Contacts(**self._run.contacts())

    @property
    def bonds(self) -> Bonds:
        """Those that hold: copies."""
        return Bonds(**self._run.bonds())

    @property
    def walls(self) -> dict[str, Wall]:
        """By name."""
        return {w["name"]: Wall(**w) for w in self._run.walls()}

    def _raise_fault(self) -> None:
        if self._run.state() == _State.failed:
            raise Fault(self._run.failure(), self._run.fault_ids(), self.time)


@contextlib.contextmanager
def _shown(run: Run, seconds: Optional[float]) -> Iterator[Callable[[], None]]:
    """Gives what shows how far the run is."""
    start = run.time
    whole = None if seconds is None or not math.isfinite(seconds) else seconds
    try:
        from tqdm.auto import tqdm
    except ImportError:
        def line(end: str = "") -> None:
            share = f", {100 * min(1.0, (run.time - start) / whole):.0f} %" if whole else ""
            print(f"\rt = {run.time:.6g} s, stage {run.stage}, step {run.step}{share}  ", end=end, file=sys.stderr,
                  flush=True)
        try:
            yield line
        finally:
            line("\n")
        return
    look = None if whole else "{desc}{n:.6g} s [{elapsed}]"
    with tqdm(total=whole, unit="s", unit_scale=True, bar_format=look) as bar:
        def move() -> None:
            bar.set_description(run.stage, refresh=False)
            done = run.time - start
            bar.update((min(done, whole) if whole else done) - bar.n)
        yield move
        move()


def _is_a_file(case: Case) -> bool:
    """Whether the file at its path holds just this case."""
    try:
        with open(case.path, encoding="utf-8") as file:
            return file.read() == case.text()
    except (OSError, ValueError):
        return False


def _case_of(folder: str) -> Case:
    path = os.path.join(folder, "case.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
        return Case.from_text(saved["text"], saved["path"])
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        original = json.load(file).get("case_file", "")
    with open(os.path.join(folder, "case.yaml"), encoding="utf-8") as file:
        return Case.from_text(file.read(), original or os.path.join(folder, "case.yaml"))
