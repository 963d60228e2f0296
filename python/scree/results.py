"""What `scree run` left in a folder."""
from __future__ import annotations

import contextlib
import errno
import html
import json
import math
import os
import sys
import tempfile
import urllib.parse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union, overload

import numpy as np

from .case import in_si
from .program import run_binary

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    import xarray

#: of a frame's arrays of grains: unit, and the name and coordinates of a second dimension
_GRAINS: dict[str, tuple[str, Optional[tuple[str, list[str]]]]] = {
    "shape": ("1", None), "material": ("1", None), "size": ("m", None), "mass": ("kg", None),
    "position": ("m", ("axis", ["x", "y", "z"])), "velocity": ("m/s", ("axis", ["x", "y", "z"])),
    "angular_velocity": ("rad/s", ("axis", ["x", "y", "z"])), "orientation": ("1", ("quaternion", ["w", "x", "y", "z"]))}


def _split(column: str) -> tuple[str, str]:
    """"elastic [J]": "elastic", "J"."""
    name, _, unit = column.partition(" [")
    return name, unit.rstrip("]") or "1"


def _read_json(path: str) -> Any:
    """Errors: OSError, also where it is damaged."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except (ValueError, RecursionError) as error:
            raise OSError(f"{path} is damaged: {error}") from None


@contextlib.contextmanager
def _frame_file(path: str) -> Iterator[Any]:
    """What a .vtkhdf file holds of a frame. Errors: OSError, by its name."""
    import h5py
    try:
        with h5py.File(path, "r") as file:
            yield file["scree"]
    except FileNotFoundError:
        raise
    except (OSError, KeyError) as error:
        raise OSError(f"{path} is damaged, or no frame of a run: {error.args[0]}") from None


class Frame:
    """One instant of a run. Arrays are read when they are asked for.

    frame["position"]: id, shape, material, size, mass, position, velocity, angular_velocity, orientation, and where the
    case writes contacts contact_ids, contact_point, contact_normal, contact_force, contact_depth; keys() lists them.
    """

    def __init__(self, path: str):
        """`path`: of a .vtkhdf file. Errors: OSError, also where it is no frame."""
        import h5py
        self.path = path
        with _frame_file(path) as group:
            self.time = float(group.attrs["time"])  #: s
            self.step = int(group.attrs["step"])
            self._names = sorted(name for name in group if isinstance(group[name], h5py.Dataset))
            #: names of prototypes, rows of "shape", and of materials, rows of "material"
            self.shapes, self.materials = (
                [name.decode() if isinstance(name, bytes) else str(name) for name in group[kind + "/name"][()]]
                if kind in group else [] for kind in ("shapes", "materials"))

    def keys(self) -> list[str]:
        return list(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(f"{name!r}; this frame has {', '.join(self._names)}")
        with _frame_file(self.path) as group:
            return group[name][()]

    def picture(self, *, size: tuple[int, int] = (1280, 960), seen_from: Optional[Sequence[float]] = None,
                colour: str = "speed") -> bytes:
        """The grains and walls as a PNG; in a notebook, IPython.display.Image(frame.picture()).

        size: width and height in pixels. seen_from: direction (x, y, z) towards the eye, z being up. colour: by
        "speed", "size", "material" or "shape". Errors: ValueError for what `scree render` refuses; OSError, where it
        cannot read the frame or a signal ends it; FileNotFoundError without the program, or the frame's file.
        """
        if not os.path.exists(self.path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "frame.png")
            more = [] if seen_from is None else ["--from=" + ",".join(map(repr, map(float, seen_from)))]
            run_binary("render", os.path.abspath(self.path), "--out", picture, "--size", "x".join(map(str, size)),
                       "--colour", colour, *more)
            with open(picture, "rb") as file:
                return file.read()

    def __repr__(self) -> str:
        return f"<scree.Frame at t = {self.time:.6g} s>"


class Frames(Sequence):
    """The frames of a run, by number."""

    def __init__(self, folder: str):
        self._folder = folder
        path = os.path.join(folder, "frames.hdf.series")
        listed = _read_json(path)
        try:
            self._files = [str(entry["name"]) for entry in listed["files"]]
            #: (N,) s
            self.times = np.array([entry["time"] for entry in listed["files"]], dtype=float)
        except (KeyError, TypeError, ValueError):
            raise OSError(f"{path} is not what `scree run` writes") from None

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Frame, list[Frame]]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        return Frame(os.path.join(self._folder, self._files[index]))

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))


class Report(os.PathLike):
    """A report page, which plays the run. A notebook shows it; elsewhere it is the path of a page for a browser."""

    def __init__(self, path: str):
        self.path = path

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<scree.Report {self.path}>"

    def _repr_html_(self) -> str:
        address = html.escape(urllib.parse.quote(os.path.relpath(self.path)))
        return f'<iframe src="{address}" width="100%" height="700"></iframe>'


class Results:
    """A results folder of `scree run`, of a point of sweep() or of Run.record(). What is damaged in it is an OSError
    that names the file, and so is what is not there (FileNotFoundError)."""

    def __init__(self, folder: Union[str, os.PathLike]):
        """Errors: OSError where there are no results, or run.json is damaged."""
        self.folder = os.fsdecode(folder)
        #: run.json: versions, machine, stages, how the run ended
        self.record: dict[str, Any] = _read_json(os.path.join(self.folder, "run.json"))
        if not isinstance(self.record, dict):
            raise OSError(f"{self.folder}/run.json is not what `scree run` writes")

    @property
    def series(self) -> "pandas.DataFrame":
        """series.csv, a row for each output instant, by "time [s]"; columns bear their units: "elastic [J]"."""
        import pandas
        path = os.path.join(self.folder, "series.csv")
        try:
            return pandas.read_csv(path, index_col=0, float_precision="round_trip")
        except ValueError as error:
            raise OSError(f"{path} is damaged: {error}") from None

    @property
    def frames(self) -> Frames:
        """Errors: OSError where the run has written none."""
        return Frames(self.folder)

    def at(self, time: float) -> Frame:
        """The frame nearest to a time (s). Errors: IndexError where there is none; ValueError: not finite."""
        time = float(in_si(time, "s", "time"))
        if not math.isfinite(time):
            raise ValueError(f"time: expected a finite number, got {time}")
        frames = self.frames
        if len(frames) == 0:
            raise IndexError("the run has no frames")
        return frames[int(np.argmin(np.abs(frames.times - time)))]

    def report(self) -> Report:
        """The page that plays the run, report.html; made as `scree view` makes it where there is none yet or it is
        older than run.json. What the page leaves out is said on stderr. Errors: OSError where it cannot be made;
        FileNotFoundError without the program.
        """
        page = os.path.join(self.folder, "report.html")
        if not os.path.exists(page) or os.path.getmtime(page) < os.path.getmtime(os.path.join(self.folder, "run.json")):
            try:
                print(run_binary("view", os.path.abspath(self.folder)).stderr, end="", file=sys.stderr)
            except ValueError as error:
                raise OSError(str(error)) from None
        return Report(page)

    def plot(self, *columns: str, x: Optional[str] = None, ax: Optional["matplotlib.axes.Axes"] = None) -> "matplotlib.axes.Axes":
        """Draws columns of `series` over time, or over the column `x`, with their units: plot("elastic", "kinetic_rotation").

        With or without their unit. Into `ax`, or axes of their own, which are returned. Needs matplotlib.
        Errors: KeyError for a column that is not there; ValueError for none.
        """
        if not columns:
            raise ValueError("plot: no column is named")
        series = self.series
        names = {name: c for c in series.columns for name in (c, _split(c)[0])}

        def column(asked: str) -> str:
            if asked not in names:
                raise KeyError(f"{asked!r}; series.csv has {', '.join(_split(c)[0] for c in series.columns)}")
            return names[asked]

        chosen = [column(c) for c in columns]
        over = series.index if x is None else series[column(x)]
        if ax is None:
            import matplotlib.pyplot
            ax = matplotlib.pyplot.figure(layout="constrained").add_subplot()
        is_empty = not ax.lines  # else the axes have a name of their own
        units = {_split(c)[1] for c in chosen}
        for c in chosen:
            ax.plot(over, series[c], label=_split(c)[0] if is_empty and len(units) == 1 else c)
        ax.set_xlabel(str(over.name))
        if is_empty and len(chosen) == 1:
            ax.set_ylabel(chosen[0])
        elif is_empty and len(units) == 1:
            ax.set_ylabel(f"[{units.pop()}]")
        if len(ax.lines) > 1:
            ax.legend()
        return ax

    def to_xarray(self, *columns: str) -> "xarray.Dataset":
        """All frames as one table: data["position"].sel(grain=5, axis="z") is a height over time.

        Dimensions are time (s, of the frames), grain (its id) and axis or quaternion; shape and material are rows of the
        attributes `shapes` and `materials`. `columns` of frames: all of a grain's unless given. A grain that is not there
        yet, or no longer, is NaN (shape and material: -1). Each variable has its unit. Needs xarray, and memory for all of it.
        Errors: KeyError for a column that is none of grains; OSError where the run has written no frames.
        """
        import xarray
        for c in columns:
            if c not in _GRAINS:
                raise KeyError(f"{c!r}; grains have {', '.join(_GRAINS)}")
        frames = self.frames
        ids = [frame["id"] for frame in frames]
        grains = np.unique(np.concatenate(ids)) if ids else np.array([], dtype=np.uint32)
        data = {}
        for name in columns or _GRAINS:
            unit, second = _GRAINS[name]
            of_rows = name in ("shape", "material")
            table = np.full((len(frames), len(grains), *([len(second[1])] if second else [])), -1 if of_rows else np.nan,
                            dtype=np.int64 if of_rows else float)
            for k, frame in enumerate(frames):
                table[k, np.searchsorted(grains, ids[k])] = frame[name]
            data[name] = (("time", "grain", *([second[0]] if second else [])), table, {"units": unit})
        coordinates = {"time": ("time", frames.times, {"units": "s"}), "grain": grains}
        for second in (_GRAINS[name][1] for name in data):
            if second:
                coordinates[second[0]] = second[1]
        last = frames[-1] if len(frames) else None
        return xarray.Dataset(data, coordinates, {"title": self.record.get("title", ""), "shapes": last.shapes if last else [],
                                                  "materials": last.materials if last else []})

    def __repr__(self) -> str:
        return f"<scree.Results of {self.record.get('title', self.folder)!r}, {self.record.get('verdict', {}).get('status', 'unknown')}>"

    def _repr_html_(self) -> str:
        """In a notebook: the report, or why there is none."""
        try:
            return self.report()._repr_html_()
        except OSError as error:
            return html.escape(f"{self!r}: no report: {error}")
