"""Cases: what a case file says, as plain dicts and lists."""
from __future__ import annotations

import copy
import functools
import json
import math
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Iterator, Mapping, MutableMapping, Union

from . import _scree


_TOO_DEEP = "maps and lists within each other without end"


@dataclass(frozen=True)
class Diagnostic:
    """A mistake of a case, or a warning."""
    is_error: bool
    file: str
    line: int     #: from 1; 0: the file as a whole
    column: int   #: likewise
    key: str      #: "particles[0].size"
    message: str  #: what was expected, what was found, the nearest valid spelling

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        kind = "" if self.is_error else "warning: "
        return f"{place}: {kind}{self.key + ': ' if self.key else ''}{self.message}"


class CaseError(ValueError):
    """A case with mistakes; `diagnostics` has all of them."""

    def __init__(self, diagnostics: list[Diagnostic]):
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple:
        return type(self), (self.diagnostics,)


class Case(MutableMapping[str, Any]):
    """What a case file says: case["contacts"][0]["kn"] = "200 kN/m". It has all that a dict has; `data` is the dict.

    Quantities are text with units, numbers in SI units, or quantities of `pint`. docs/case-file.md lists the keys.
    """

    def __init__(self, data: Mapping[str, Any], folder: Union[str, os.PathLike, None] = None, name: str = "case"):
        """`folder`: where files that the case names are sought; the working folder unless given."""
        self._path = os.path.join(os.fspath(folder) if folder is not None else os.getcwd(), name)
        self._source: tuple[str, str] | None = None  # the file's text, and what text() would make of it
        try:
            self.data = copy.deepcopy(dict(data))
        except RecursionError:
            raise CaseError([Diagnostic(True, self._path, 0, 0, "", _TOO_DEEP)]) from None

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> "Case":
        """Reads a case file. Errors: OSError; CaseError where it is no map in YAML."""
        with open(path, encoding="utf-8") as file:
            return cls.from_text(file.read(), os.fspath(path))

    @classmethod
    def from_text(cls, text: str, path: Union[str, os.PathLike] = "case.yaml") -> "Case":
        """The same from text; messages call it `path`, and files are sought from its folder."""
        data = _read_yaml(text, os.fspath(path))
        folder, name = os.path.split(os.path.abspath(path))
        case = cls(data, folder, name)
        case._path = os.fspath(path)
        case._source = (text, case.text())
        return case

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.data[key] = value

    def __delitem__(self, key: str) -> None:
        del self.data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<scree.Case {self.data.get('title', self._path)!r}>"

    def copy(self) -> "Case":
        return copy.deepcopy(self)

    def text(self) -> str:
        """The case as text that `scree run` reads: the file's own where nothing was changed. Errors: CaseError."""
        try:
            made = json.dumps(_plain(self.data, "", self._path), indent=1, ensure_ascii=False) + "\n"
        except RecursionError:
            raise CaseError([Diagnostic(True, self._path, 0, 0, "", _TOO_DEEP)]) from None
        return self._source[0] if self._source is not None and self._source[1] == made else made

    @property
    def path(self) -> str:
        """What messages call the case; files that it names are sought from its folder."""
        return self._path


@dataclass(frozen=True)
class Check:
    """What `check` found of a case without mistakes."""
    warnings: list[Diagnostic]
    particles: int
    time_step: float  #: s


CaseLike = Union[Case, Mapping[str, Any], str, os.PathLike]


def as_case(case: CaseLike) -> Case:
    if isinstance(case, Case):
        return case
    if isinstance(case, Mapping):
        return Case(case)
    if isinstance(case, (str, os.PathLike)):
        return Case.load(case)
    raise TypeError(f"a case is a scree.Case, a dict or the path of a case file, not {type(case).__name__}")


def open_case(case: Case) -> _scree.Run:
    """Errors: CaseError."""
    run = _scree.Run(case.text(), os.fsencode(case.path))
    if run.state() == _scree.State.invalid:
        raise CaseError(diagnostics_of(run, case))
    return run


def diagnostics_of(run: _scree.Run, case: Case) -> list[Diagnostic]:
    found = [Diagnostic(*remark) for remark in run.remarks()]
    if case._source is not None and case.text() == case._source[0]:
        return found
    return [replace(d, line=0, column=0) for d in found]  # the lines are those of text that nobody has seen


def text_in(case: Case, folder: str) -> str:
    """The case as text that names its files from another folder."""
    here = os.path.realpath(os.path.dirname(os.path.abspath(case.path)))
    there = os.path.realpath(folder)

    def moved(value: Any, key: str, within: str) -> Any:
        if isinstance(value, dict):
            return {k: moved(v, k, key) for k, v in value.items()}
        if isinstance(value, list):
            return [moved(v, "", key) for v in value]
        # the only keys of a case that name files: mesh.file, place.file.path and their like
        if isinstance(value, str) and (key == "file" or (key == "path" and within == "file")):
            return value if os.path.isabs(value) else os.path.relpath(os.path.join(here, value), there)
        return value

    data = json.loads(Case(case.data, here).text())
    return Case(moved(data, "", ""), there).text()


def check(case: CaseLike) -> Check:
    """Reads a case and builds its world, as `scree check` does. Errors: CaseError, with every mistake."""
    case = as_case(case)
    run = open_case(case)
    return Check(diagnostics_of(run, case), run.count(), run.time_step())


_MOST_VALUES, _DEEPEST = 1_000_000, 64  # those of the engine's reader


@functools.cache
def _yaml_reader() -> tuple[type, dict[str, re.Pattern[str]]]:
    """Made once: a class for each file would be garbage that only Python's rarest collection takes away."""
    import yaml

    class Resolver(yaml.SafeLoader):
        """YAML 1.2: 1e6 is a number, and `on` is a word."""
    Resolver.yaml_implicit_resolvers = {}
    patterns = {}
    for tag, pattern, first in (
            ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
            ("int", r"[-+]?(0|[1-9][0-9]{0,17})", "-+0123456789"),
            ("float", r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+", "-+.0123456789"),
            ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""])):
        patterns[tag] = re.compile(f"^(?:{pattern})$")
        Resolver.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", patterns[tag], list(first))
    return Resolver, patterns


def _read_yaml(text: str, path: str) -> dict[str, Any]:
    """The YAML as dicts, lists and scalars, aliases copied out. Errors: CaseError."""
    import yaml
    Resolver, patterns = _yaml_reader()

    def mistake(mark: Any, what: str) -> CaseError:
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        return CaseError([Diagnostic(True, path, line, column, "", what)])

    left = _MOST_VALUES

    def value(node: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise mistake(node.start_mark, f"more than {_MOST_VALUES} values, aliases counted in full")
        if depth > _DEEPEST:
            raise mistake(node.start_mark, f"nested deeper than {_DEEPEST} levels")
        if isinstance(node, yaml.SequenceNode):
            return [value(item, depth + 1) for item in node.value]
        if isinstance(node, yaml.MappingNode):
            found: dict[str, Any] = {}
            for key, item in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise mistake(key.start_mark, "a key has to be a plain name")
                if key.value in found:
                    raise mistake(key.start_mark, f"{key.value}: given twice")
                found[key.value] = value(item, depth + 1)
            return found
        kind = node.tag.rpartition(":")[2]
        if node.style is not None or kind not in patterns or not patterns[kind].match(node.value):
            return node.value
        if kind == "bool":
            return node.value.lower() == "true"
        if kind == "int":
            return int(node.value)
        if kind == "float" and math.isfinite(float(node.value)):
            return float(node.value)
        return None if kind == "null" else node.value

    try:
        root = yaml.compose(text, Resolver)
    except yaml.YAMLError as error:
        raise mistake(getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error)) from None
    except RecursionError:
        raise mistake(None, f"nested deeper than {_DEEPEST} levels") from None
    data = value(root, 1) if root is not None else None
    if not isinstance(data, dict):
        raise mistake(None, "expected a map of keys")
    return data


def is_quantity(value: Any) -> bool:
    """Of pint."""
    return hasattr(value, "to_root_units") and hasattr(value, "magnitude")


def in_si(value: Any, unit: str, name: str) -> Any:
    """Of quantities of pint, also in lists, the numbers in an SI unit; anything else as it is. Errors: ValueError, by
    `name`, where the dimension is another."""
    if isinstance(value, (list, tuple)):
        return [in_si(v, unit, name) for v in value]
    if not is_quantity(value):
        return value
    if not value.is_compatible_with(unit):
        raise ValueError(f"{name}: expected a quantity in {unit}, got one in {value.units}")
    return value.m_as(unit)


def _with_unit(number: Any, unit: str) -> Any:
    return [_with_unit(x, unit) for x in number] if isinstance(number, list) else f"{number!r} {unit}"


def _plain(value: Any, key: str, path: str) -> Any:
    """What JSON can say of it. Errors: CaseError."""
    def refuse(shown: str) -> CaseError:
        return CaseError([Diagnostic(True, path, 0, 0, key, f"expected text, a number, a list or a dict, got {shown}")])

    if isinstance(value, Mapping):
        return {_plain(str(k), key, path): _plain(v, f"{key}.{k}" if key else str(k), path) for k, v in value.items()}
    if is_quantity(value):
        value = value.to_root_units()
        unit = f"{value.units:C}".replace("**", "^")
        number = value.magnitude
        if unit != "dimensionless":
            return _with_unit(number.tolist() if hasattr(number, "tolist") else number, unit)
        value = number
    if hasattr(value, "tolist"):  # NumPy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v, f"{key}[{k}]", path) for k, v in enumerate(value)]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refuse(ascii(value)) from None
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) < 2**64:
            return value
        raise refuse("an integer of more than 64 bits")
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise refuse(repr(value))
    raise refuse(type(value).__name__)
