"""Calibration: values of a case with which it measures what was measured elsewhere."""
from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np

from .case import Case, CaseLike, _plain, as_case
from .sweep import Measure, _check_all, _count, _with_values, _write, sweep

if TYPE_CHECKING:
    import pandas

_SCATTER_PRIOR = 4    # degrees of freedom with which the mean scatter of all points counts in that of one
_MATTERS = 0.05       # error probability with which a parameter is said to matter
_ALIKE = 30           # condition number of the normalised sensitivities from which on parameters are alike
_LARGEST, _SMALLEST = 1e60, 1e-60  # of what is measured, and of tolerances: the squares of both are numbers too
_SPREAD = 1 / math.sqrt(12)  # standard deviation over the bounds' distance, where these alone are known


@dataclass(frozen=True)
class Parameter:
    """A fitted value, in the unit of its lower bound."""
    value: float
    error: float   #: standard error; NaN where no target depends on the parameter, or the targets do not fix it
    unit: str      #: "degree"; "" in SI units
    lower: float
    upper: float

    @property
    def text(self) -> Union[str, float]:
        """For a case: "24.9 degree", or the number where there is no unit."""
        return f"{self.value!r} {self.unit}" if self.unit else self.value


@dataclass(frozen=True)
class Target:
    """What was aimed at and what came out, with standard errors."""
    value: float
    tolerance: float
    predicted: float         #: by the surrogate
    predicted_error: float
    measured: float          #: mean of runs with the fitted values; NaN where none finished
    measured_error: float    #: NaN for a single seed


@dataclass(frozen=True)
class Calibration:
    """What calibrate() found; print() shows all of it."""
    title: str
    case: Case                          #: with the fitted values
    parameters: dict[str, Parameter]    #: by key
    targets: dict[str, Target]          #: by name
    remarks: list[str]                  #: targets out of reach, parameters that do not matter or are alike, failed runs
    table: "pandas.DataFrame"           #: all runs, as sweep() gives them

    @property
    def best(self) -> dict[str, Union[str, float]]:
        """Fitted values by key, as a case takes them."""
        return {key: p.text for key, p in self.parameters.items()}

    def __str__(self) -> str:
        failed = int((self.table["status"] != "finished").sum())
        rows = [("parameter", "value", "standard error", "bounds")]
        rows += [(key, f"{_digits(p.value, p.error)} {p.unit}".rstrip(), _digits(p.error, p.error),
                  f"{p.lower:g} to {p.upper:g} {p.unit}".rstrip()) for key, p in self.parameters.items()]
        lines = [f"{self.title}: {len(self.table)} runs, {failed} failed", "", *_aligned(rows), ""]
        rows = [("target", "wanted", "tolerance", "predicted", "measured")]
        rows += [(name, f"{t.value:g}", f"{t.tolerance:.2g}", _with_error(t.predicted, t.predicted_error),
                  _with_error(t.measured, t.measured_error)) for name, t in self.targets.items()]
        lines += _aligned(rows)
        if self.remarks:
            lines += ["", *(f"- {remark}" for remark in self.remarks)]
        return "\n".join(lines)


def calibrate(case: CaseLike, *, targets: Mapping[str, Any], parameters: Mapping[str, tuple[Any, Any]],
              measure: Measure, folder: Union[str, os.PathLike], seeds: Optional[Sequence[int]] = (1, 2, 3),
              points: Optional[int] = None, rounds: int = 2, jobs: int = 1, threads: Optional[int] = None,
              again: bool = False, quiet: bool = False, client: Any = None) -> Calibration:
    """Fits parameters of a case so that it measures the targets.

    `targets`: wanted numbers by the names of `measure`'s dict (a single target takes a plain number too); a pair is
    number and tolerance, its standard error, which then is part of those of the parameters. A tolerance that is not
    given is 1 % of the number and only weighs the targets against each other.
    `parameters`: lower and upper bound by key, both in the same unit ("10 degree", "40 degree") or numbers in SI units.
    `seeds`: of the runs of each point; None: the case's own. `points`: of each of the `rounds`, twice as many as a
    quadratic has terms, plus two, unless given. The others go to sweep(), whose folder can be gone on with.

    Round one fills the bounds (Sobol's sequence, scrambled by a fixed seed). For each target a quadratic, or a plane
    where points are few, is fitted to the means over the seeds by least squares, weighted by their scatter and what the
    surrogate misses (Paule and Mandel 1982); the sum of squares of (prediction - target) / tolerance is made least
    within the bounds. Further rounds lie around the optimum and are fitted by themselves where that is better. Last,
    the optimum is run. Standard errors follow from those of the surrogates by its slopes.
    Errors: those of sweep(); ValueError: targets and bounds, and a measure that is infinite (NaN is none);
    RuntimeError where too few runs finished.
    """
    fit = _Fit(as_case(case), targets, parameters, seeds)
    terms = (fit.dimensions + 1) * (fit.dimensions + 2) // 2
    points, rounds = 2 * terms + 2 if points is None else _count(points, "points"), _count(rounds, "rounds")
    if points < fit.dimensions + 2:
        raise ValueError(f"points: {fit.dimensions} parameters need at least {fit.dimensions + 2}, got {points}")
    fit.check_bounds()

    def run(some: list[dict[str, Any]]) -> None:
        fit.add(sweep(fit.case, some, folder=folder, measure=measure, jobs=jobs, threads=threads, again=again,
                      quiet=quiet, client=client))

    for k in range(rounds):
        run(fit.round(points, k * points))
        fit.find_optimum()
        if not quiet:
            print(f"scree: round {k + 1} of {rounds}: {fit.line()}", file=sys.stderr)
    run(fit.points_at([fit.optimum]))
    result = fit.result()
    _write(os.path.join(os.fspath(folder), "table.csv"), result.table.to_csv(index=False))
    return result


class _Surrogate:
    """A polynomial of one target over the unit box of the parameters."""

    def __init__(self, u: np.ndarray, mean: np.ndarray, variance: np.ndarray):
        """`variance`: of the means, by the scatter between seeds. A plane where a quadratic leaves no point over."""
        from scipy import optimize, stats
        n, d = u.shape
        self._quadratic = n > (d + 1) * (d + 2) // 2
        self._centre, self._half = u.mean(axis=0), np.maximum(np.ptp(u, axis=0) / 2, 1e-6)
        x = self._terms(u)
        self.spare = n - x.shape[1]
        # rounding of what was measured: exact data leave a weight
        variance = variance + (1e-9 * (float(np.abs(mean).max()) or 1.0)) ** 2

        def solve(misfit: float) -> tuple[np.ndarray, np.ndarray, float]:
            w = 1 / np.sqrt(variance + misfit)
            coefficients = np.linalg.lstsq(x * w[:, None], mean * w, rcond=None)[0]
            return coefficients, w, float((((mean - x @ coefficients) * w) ** 2).sum())

        def excess(misfit: float) -> float:
            return solve(misfit)[2] - self.spare

        self.misfit = 0.0  # variance of what the polynomial misses
        if self.spare > 0 and excess(0) > 0:
            self.misfit = optimize.brentq(excess, 0, 4 * n * float(np.ptp(mean)) ** 2 + variance.max(), xtol=1e-300)
        self._coefficients, w, self._squares = solve(self.misfit)
        self._u, self._x, self._mean, self._w = u, x, mean, w
        self._covariance = np.linalg.pinv((x * w[:, None]).T @ (x * w[:, None]))
        # few spare points say little of what the polynomial misses: Student's t at one standard deviation
        self._widening = float(stats.t.ppf(0.8413, self.spare)) if self.spare > 0 else math.inf

    def __call__(self, u: np.ndarray) -> np.ndarray:
        """(N,) at (N, d)."""
        return self._terms(u) @ self._coefficients

    def slope(self, u: np.ndarray) -> np.ndarray:
        """(d,) at (d,)."""
        x, d = (u - self._centre) / self._half, len(u)
        slope = self._coefficients[1:d + 1].copy()
        if self._quadratic:
            for c, (i, j) in zip(self._coefficients[d + 1:], _pairs(d)):
                slope[i] += c * x[j]
                slope[j] += c * x[i]
        return slope / self._half

    def error(self, u: np.ndarray) -> float:
        """Standard error at (d,): of the coefficients, and of what the polynomial misses."""
        x = self._terms(u[None])[0]
        return self._widening * math.sqrt(max(0.0, x @ self._covariance @ x) + self.misfit)

    def depends_on(self, j: int, least: float) -> bool:
        """Whether the terms of a parameter are more than chance, and change the target by `least` or more somewhere."""
        from scipy import stats
        u, d = self._u, self._u.shape[1]
        factors = [(), *((i,) for i in range(d)), *_pairs(d)][:self._x.shape[1]]
        with_j = [k for k, of_term in enumerate(factors) if j in of_term]
        line = np.repeat(u, 21, axis=0)
        line[:, j] = np.tile(np.linspace(0, 1, 21), len(u))
        if np.ptp(self(line).reshape(len(u), 21), axis=1).max() < least:
            return False
        if self.spare == 0:
            return True
        rest = np.delete(self._x, with_j, axis=1) * self._w[:, None]
        left = self._mean * self._w - rest @ np.linalg.lstsq(rest, self._mean * self._w, rcond=None)[0]
        ratio = ((left**2).sum() - self._squares) / len(with_j) / max(1.0, self._squares / self.spare)
        return bool(stats.f.sf(ratio, len(with_j), self.spare) < _MATTERS)

    def _terms(self, u: np.ndarray) -> np.ndarray:
        x = (u - self._centre) / self._half
        columns = [np.ones(len(x)), *x.T]
        if self._quadratic:
            columns += [x[:, i] * x[:, j] for i, j in _pairs(x.shape[1])]
        return np.stack(columns, axis=1)


class _Fit:
    """Points so far, surrogates, and the optimum, in the unit box of the bounds."""

    def __init__(self, case: Case, targets: Mapping[str, Any], parameters: Mapping[str, tuple[Any, Any]],
                 seeds: Optional[Sequence[int]]):
        self.case = case
        self._targets = {name: _target(name, wanted) for name, wanted in targets.items()}
        self._bounds = {key: _bounds(key, given) for key, given in parameters.items()}
        if not self._targets or not self._bounds:
            raise ValueError("targets and parameters: at least one of each")
        if seeds is not None and ("seed" in parameters or not list(seeds)):
            raise ValueError("seeds: one or more, or None; and seed is no parameter beside them")
        self._seeds = None if seeds is None else list(dict.fromkeys(seeds))
        self.dimensions = len(self._bounds)
        self.optimum = np.full(self.dimensions, 0.5)
        self._half = np.full(self.dimensions, 0.5)  # of the region of the next round, about the optimum
        self._table: Any = None  # of all runs
        self._u: dict[tuple, np.ndarray] = {}  # by the values of a point
        self._at_edge = False

    def check_bounds(self) -> None:
        """Errors: CaseError."""
        cases = {}
        for name, u in (("lower bounds", 0.0), ("upper bounds", 1.0)):
            values = self._values(np.full(self.dimensions, u))
            cases[name] = _with_values(self.case, dict(zip(self._bounds, values)), name)
        _check_all(cases)

    def round(self, count: int, start: int) -> list[dict[str, Any]]:
        from scipy.stats import qmc
        lower, upper = self._region()
        m = max(1, math.ceil(math.log2(start + count)))
        u = qmc.Sobol(self.dimensions, scramble=True, seed=1).random_base2(m)[start:start + count]
        return self.points_at(lower + u * (upper - lower))

    def points_at(self, some: Any) -> list[dict[str, Any]]:
        points = []
        for u in some:
            values = tuple(self._values(u))
            self._u[values] = self._unit(values)
            point = dict(zip(self._bounds, values))
            points += [point] if self._seeds is None else [{**point, "seed": seed} for seed in self._seeds]
        return [dict(p) for p in {tuple(p.items()): None for p in points}]

    def add(self, table: "pandas.DataFrame") -> None:
        import pandas
        if len(self._targets) == 1 and "measured" in table:
            table = table.rename(columns={"measured": next(iter(self._targets))})
        missing = [name for name in self._targets if name not in table]
        if missing and (table["status"] == "finished").any():
            raise ValueError(f"measure gives no {missing[0]!r}, which is a target")
        for name in set(self._targets) & set(table):
            for x, folder in zip(table[name], table["folder"]):
                if abs(x) > _LARGEST:
                    raise ValueError(f"measure gave {name} = {x:g} for {folder}: expected numbers up to {_LARGEST:g}, "
                                     "or NaN where there is none")
        self._table = table if self._table is None else pandas.concat([self._table, table], ignore_index=True)
        self._table = self._table.drop_duplicates("folder", ignore_index=True)

    def find_optimum(self) -> None:
        """Surrogates for what was run, and where they come nearest to the targets."""
        from scipy import optimize
        from scipy.stats import qmc
        lower, upper = self._region()
        self._all, self._chosen, is_local = {}, {}, False
        for name in self._targets:
            u, mean, variance = self._means(name)
            self._all[name] = self._chosen[name] = _Surrogate(u, mean, variance)
            near = ((u >= lower - 1e-9) & (u <= upper + 1e-9)).all(axis=1)
            if not near.all() and near.sum() >= (self.dimensions + 1) * (self.dimensions + 2) // 2 + 3:
                local = _Surrogate(u[near], mean[near], variance[near])
                if local.error(self.optimum) < self._all[name].error(self.optimum):
                    self._chosen[name], is_local = local, True
        self._matters = np.array([any(s.depends_on(j, self._targets[name][1] / 10) for name, s in self._all.items())
                                  for j in range(self.dimensions)])
        if not is_local:
            lower, upper = np.zeros(self.dimensions), np.ones(self.dimensions)
        fixed = np.where(self._matters, np.nan, np.clip(0.5, lower, upper))

        def squares(free: np.ndarray) -> tuple[float, np.ndarray]:
            at = fixed.copy()
            at[self._matters] = free
            total, slope = 1e-8 * ((at - 0.5) ** 2).sum(), 2e-8 * (at - 0.5)  # alike ones: the middle of the bounds
            for name, (wanted, tolerance, _) in self._targets.items():
                miss = (float(self._chosen[name](at[None])[0]) - wanted) / tolerance
                total, slope = total + miss**2, slope + 2 * miss * self._chosen[name].slope(at) / tolerance
            return total, slope[self._matters]

        self._others: list[np.ndarray] = []
        found = []
        if self._matters.any():
            m = self._matters
            starts = qmc.Sobol(self.dimensions, scramble=True, seed=2).random_base2(4)
            for start in [np.full(self.dimensions, 0.5), *starts]:
                end = optimize.minimize(squares, (lower + start * (upper - lower))[m], jac=True, method="L-BFGS-B",
                                        bounds=list(zip(lower[m], upper[m])))
                found.append((float(end.fun), end.x))
            found.sort(key=lambda pair: pair[0])
            fixed[m] = found[0][1]
            self._others = [x for f, x in found if f < found[0][0] + 0.01 and np.abs(x - found[0][1]).max() > 0.2]
        self.optimum = self._unit(self._values(fixed))
        edge = np.minimum(np.abs(self.optimum - lower), np.abs(self.optimum - upper)) < 1e-3
        self._at_edge = bool((edge & self._matters & (self.optimum > 1e-3) & (self.optimum < 1 - 1e-3)).any())
        self._errors = self._errors_of_parameters()
        # wide enough for slopes above the scatter; not shrunk where the optimum may lie farther out
        wide = np.where(np.isfinite(self._errors), 4 * self._errors, 0.5)
        self._half = self._half if self._at_edge else np.clip(wide, self._half / 5, self._half)

    def line(self) -> str:
        return ", ".join(f"{key} = {_digits(p.value, p.error)} {p.unit}".rstrip() + f" ± {_digits(p.error, p.error)}"
                         for key, p in self._parameters().items())

    def result(self) -> Calibration:
        targets = {}
        for name, (wanted, tolerance, _) in self._targets.items():
            s = self._chosen[name]
            some = self._samples(name)[tuple(self._values(self.optimum))]
            error = float(some.std(ddof=1)) / math.sqrt(len(some)) if len(some) > 1 else math.nan
            targets[name] = Target(wanted, tolerance, float(s(self.optimum[None])[0]), s.error(self.optimum),
                                   float(some.mean()) if len(some) else math.nan, error)
        parameters = self._parameters()
        case = _with_values(self.case, {key: p.text for key, p in parameters.items()}, "")
        return Calibration(f"calibration of {self.case.data.get('title', self.case.path)!r}", case, parameters, targets,
                           self._remarks(targets), self._table)

    def _remarks(self, targets: Mapping[str, Target]) -> list[str]:
        remarks, keys = [], list(self._bounds)
        out_of_reach = False
        for name, t in targets.items():
            u, mean, _ = self._means(name)
            s = self._all[name]
            everywhere = _everywhere(self.dimensions)
            margin = 2 * max(t.predicted_error, s.misfit**0.5)
            lowest, highest = min(s(everywhere).min(), mean.min()), max(s(everywhere).max(), mean.max())
            if not lowest - margin <= t.value <= highest + margin:
                out_of_reach = True
                remarks.append(f"{name} = {t.value:g} can't be reached within the bounds: it goes from about "
                               f"{lowest:.4g} to {highest:.4g} there")
            elif abs(t.predicted - t.value) > 3 * math.hypot(t.predicted_error, t.tolerance):
                out_of_reach = True
                remarks.append(f"{name} = {t.value:g} can't be reached"
                               + (" together with the other targets" if len(targets) > 1 else " within the bounds")
                               + f": {t.predicted:.4g} is nearest")
        for key, matters in zip(keys, self._matters):
            if not matters:
                remarks.append(f"{key} doesn't matter: no target changes with it by more than the scatter or a tenth "
                               "of its tolerance; it stands in the middle of its bounds")
        remarks += self._alike()
        for other in self._others[:1] if not remarks else []:
            u = self.optimum.copy()
            u[self._matters] = other
            remarks.append("other values fit as well: "
                           + ", ".join(f"{k} = {v}" for k, v in zip(keys, self._values(u))))
        if self._at_edge and not out_of_reach:
            remarks.append("the optimum lies at the edge of the last round's region; one more round may move it")
        for name, t in targets.items():
            spread = math.hypot(t.predicted_error, 0 if math.isnan(t.measured_error) else t.measured_error, t.tolerance)
            if math.isnan(t.measured):
                remarks.append(f"{name}: no run with the fitted values finished")
            elif abs(t.measured - t.predicted) > 3 * spread:
                remarks.append(f"{name} was measured as {t.measured:.4g} with the fitted values, where "
                               f"{t.predicted:.4g} was predicted: more rounds, more points or narrower bounds may help")
        failed = self._table[self._table["status"] != "finished"]
        if len(failed):
            remarks.append(f"{len(failed)} runs did not finish and count for nothing, the first: "
                           f"{os.path.basename(failed['folder'].iloc[0])}: {failed['reason'].iloc[0]}")
        return remarks

    def _sensitivity(self) -> np.ndarray:
        """(targets, parameters that matter): slopes over tolerances, in the unit box."""
        return np.array([self._chosen[name].slope(self.optimum)[self._matters] / tolerance
                         for name, (_, tolerance, _) in self._targets.items()])

    def _alike_groups(self) -> Optional[np.ndarray]:
        """(parameters that matter): whether each is among those whose changes cancel in all targets; None: none do."""
        a = self._sensitivity()
        if a.shape[1] < 2:
            return None
        length = np.linalg.norm(a, axis=0)
        _, s, vt = np.linalg.svd(a / np.maximum(length, 1e-300))
        s = np.pad(s, (0, len(vt) - len(s)))
        weak = s < s[0] / _ALIKE
        return (np.abs(vt[weak]) > 0.2).any(axis=0) if weak.any() else None

    def _alike(self) -> list[str]:
        alike = self._alike_groups()
        if alike is None:
            return []
        keys = [key for key, m in zip(self._bounds, self._matters) if m]
        names = [key for key, is_one in zip(keys, alike) if is_one]
        return [f"{' and '.join(names)} can't be told apart: changes of them cancel in all targets; fix one of them, "
                "or give a target that depends on them in another way"]

    def _errors_of_parameters(self) -> np.ndarray:
        """(parameters) standard errors in the unit box; NaN: not determined."""
        errors = np.full(self.dimensions, math.nan)
        if not self._matters.any():
            return errors
        a = self._sensitivity()
        spread = np.array([math.hypot(self._chosen[name].error(self.optimum), tolerance if given else 0) / tolerance
                           for name, (_, tolerance, given) in self._targets.items()])
        some = np.linalg.norm(np.linalg.pinv(a) * spread, axis=1)
        alike = self._alike_groups()
        if alike is not None:
            some[alike] = math.nan
        errors[self._matters] = np.where(some < _SPREAD, some, math.nan)
        return errors

    def _parameters(self) -> dict[str, Parameter]:
        fitted = {}
        for (key, (lower, upper, unit)), u, error in zip(self._bounds.items(), self.optimum, self._errors):
            value = lower + u * (upper - lower)
            fitted[key] = Parameter(round(float(value), _decimals(lower, upper)), float(error * (upper - lower)), unit,
                                    lower, upper)
        return fitted

    def _means(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points, means over seeds and variances of the means. Errors: RuntimeError where points are too few."""
        u, samples = [], []
        for values, some in self._samples(name).items():
            if len(some):
                u.append(self._u[values])
                samples.append(some)
        if len(u) < self.dimensions + 2:
            raise RuntimeError(f"{len(u)} of {len(self._u)} points have finished runs that give {name!r}; a fit needs "
                               f"{self.dimensions + 2}")
        count = np.array([len(some) for some in samples])
        squares = np.array([((some - some.mean()) ** 2).sum() for some in samples])
        common = squares.sum() / max(1, (count - 1).sum())
        scatter = (squares + _SCATTER_PRIOR * common) / (count - 1 + _SCATTER_PRIOR)
        return np.array(u), np.array([some.mean() for some in samples]), scatter / count

    def _samples(self, name: str) -> dict[tuple, np.ndarray]:
        """What the runs of each point gave that have finished, by its values."""
        found: dict[tuple, list[float]] = {values: [] for values in self._u}
        if name in self._table:
            for *values, x in zip(*(self._table[key] for key in self._bounds), self._table[name]):
                if not math.isnan(x):
                    found[tuple(values)].append(float(x))
        return {values: np.array(some) for values, some in found.items()}

    def _region(self) -> tuple[np.ndarray, np.ndarray]:
        return np.maximum(self.optimum - self._half, 0), np.minimum(self.optimum + self._half, 1)

    def _values(self, u: np.ndarray) -> list[Union[str, float]]:
        """What a case takes, rounded to a millionth of the bounds' distance: folders bear the numbers."""
        values = []
        for x, (lower, upper, unit) in zip(u, self._bounds.values()):
            number = min(max(round(float(lower + x * (upper - lower)), _decimals(lower, upper)), lower), upper)
            values.append(f"{number!r} {unit}" if unit else number)
        return values

    def _unit(self, values: Sequence[Any]) -> np.ndarray:
        return np.array([(_number(value)[0] - lower) / (upper - lower)
                         for value, (lower, upper, _) in zip(values, self._bounds.values())])


def _pairs(d: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(d) for j in range(i, d)]


def _everywhere(d: int) -> np.ndarray:
    """Points that fill the unit box, corners among them: all of them as long as they are few."""
    from scipy.stats import qmc
    inner = qmc.Sobol(d, scramble=True, seed=3).random_base2(10)
    corners = np.indices((2,) * d).reshape(d, -1).T if d <= 10 else np.round(inner)
    return np.concatenate([inner, corners])


def _decimals(lower: float, upper: float) -> int:
    return 6 - math.ceil(math.log10(upper - lower))


def _number(value: Any) -> tuple[float, str]:
    """Number and unit. Errors: ValueError."""
    value = _plain(value, "", "parameters")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value), ""
    found = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*", value) if isinstance(
        value, str) else None
    if found is None:
        raise ValueError(f"expected a number, or text such as '10 degree', got {value!r}")
    return float(found[1]), found[2]


def _bounds(key: str, given: Any) -> tuple[float, float, str]:
    """Errors: ValueError."""
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise ValueError(f"{key}: expected a lower and an upper bound, got {given!r}")
    try:
        (lower, unit), (upper, other) = map(_number, given)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    if unit != other:
        raise ValueError(f"{key}: both bounds in the same unit, please: {given[0]!r} and {given[1]!r}")
    if not lower < upper:
        raise ValueError(f"{key}: the lower bound comes first: {given[0]!r} and {given[1]!r}")
    return lower, upper, unit


def _target(name: str, wanted: Any) -> tuple[float, float, bool]:
    """Number, tolerance, and whether that was given. Errors: ValueError."""
    pair = isinstance(wanted, (tuple, list)) and len(wanted) == 2
    try:
        value, tolerance = map(float, wanted) if pair else (float(wanted), abs(float(wanted)) / 100)
    except (TypeError, ValueError):
        raise ValueError(f"targets: {name}: expected a number, or a number and its tolerance, got {wanted!r}") from None
    if not (abs(value) <= _LARGEST and _SMALLEST <= tolerance <= _LARGEST):
        raise ValueError(f"targets: {name}: expected a number up to {_LARGEST:g} and a tolerance above 0, of "
                         f"{_SMALLEST:g} at least, got {wanted!r}; a target of 0 needs one: (0, tolerance)")
    return value, tolerance, pair


def _digits(value: float, error: float) -> str:
    """As many as the error has with two of its own."""
    if math.isnan(value):
        return "-"
    if not math.isfinite(error) or error <= 0:
        return f"{value:.6g}"
    decimals = 1 - math.floor(math.log10(error))
    return f"{value:.{decimals}f}" if 0 <= decimals <= 12 else f"{value:.6g}"


def _with_error(value: float, error: float) -> str:
    return _digits(value, error) + ("" if math.isnan(error) or math.isnan(value) else f" ± {_digits(error, error)}")


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)).rstrip() for row in rows]
