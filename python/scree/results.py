"""What `scree run` left in a folder."""
from __future__ import annotations

import errno
import html
import json
import os
import signal
import subprocess
import tempfile
import urllib.parse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union, overload

import numpy as np

from .program import find_binary

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


class Frame:
    """One instant of a run. Arrays are read when they are asked for.

    frame["position"]: id, shape, material, size, mass, position, velocity, angular_velocity, orientation, and where the
    case writes contacts contact_ids, contact_point, contact_normal, contact_force, contact_depth; keys() lists them.
    """

    def __init__(self, path: str):
        """`path`: of a .vtkhdf file. Errors: OSError; KeyError where it is no frame."""
        import h5py
        self.path = path
        with h5py.File(path, "r") as file:
            group = file["scree"]
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
        import h5py
        if name not in self._names:
            raise KeyError(f"{name!r}; this frame has {', '.join(self._names)}")
        with h5py.File(self.path, "r") as file:
            return file["scree"][name][()]

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
            command = [find_binary(), "render", os.path.abspath(self.path), "--out", picture, "--size", "x".join(map(str, size)),
                       "--colour", colour]
            if seen_from is not None:
                command.append("--from=" + ",".join(map(repr, map(float, seen_from))))
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode < 0:
                raise OSError(f"scree render was ended by signal {-done.returncode} ({signal.strsignal(-done.returncode)})")
            if done.returncode != 0:
                raise (ValueError if done.returncode == 2 else OSError)(done.stderr.strip())
            with open(picture, "rb") as file:
                return file.read()

    def __repr__(self) -> str:
        return f"<scree.Frame at t = {self.time:.6g} s>"


class Frames(Sequence):
    """The frames of a run, by number."""

    def __init__(self, folder: str):
        self._folder = folder
        listed = os.path.join(folder, "frames.hdf.series")
        with open(listed, encoding="utf-8") as file:
            entries = json.load(file)["files"]
        self._files = [entry["name"] for entry in entries]
        #: (N,) s
        self.times = np.array([entry["time"] for entry in entries], dtype=float)

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


class Results:
    """A results folder of `scree run`."""

    def __init__(self, folder: Union[str, os.PathLike]):
        """Errors: OSError where there are no results."""
        self.folder = os.fspath(folder)
        with open(os.path.join(self.folder, "run.json"), encoding="utf-8") as file:
            #: run.json: versions, machine, stages, how the run ended
            self.record: dict[str, Any] = json.load(file)
        if not isinstance(self.record, dict):
            raise OSError(f"{self.folder}/run.json is not what `scree run` writes")

    @property
    def series(self) -> "pandas.DataFrame":
        """series.csv, a row for each output instant, by "time [s]"; columns bear their units: "elastic [J]"."""
        import pandas
        return pandas.read_csv(os.path.join(self.folder, "series.csv"), index_col=0, float_precision="round_trip")

    @property
    def frames(self) -> Frames:
        """Errors: OSError where the run has written none."""
        return Frames(self.folder)

    def at(self, time: float) -> Frame:
        """The frame nearest to a time (s). Errors: IndexError where there is none; ValueError: NaN."""
        if time != time:
            raise ValueError("time: not a number")
        frames = self.frames
        if len(frames) == 0:
            raise IndexError("the run has no frames")
        return frames[int(np.argmin(np.abs(frames.times - time)))]

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
        """In a notebook: the report, which plays the run."""
        report = os.path.join(self.folder, "report.html")
        if not os.path.exists(report):
            return repr(self).replace("<", "&lt;")
        address = html.escape(urllib.parse.quote(os.path.relpath(report)))
        return f'<iframe src="{address}" width="100%" height="700"></iframe>'
