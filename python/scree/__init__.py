"""Scree, a discrete element method engine for angular grains, from Python.

    import scree
    case = scree.Case.load("examples/box_fill.yaml")
    case["contacts"][0]["kn"] = "200 kN/m"
    run = scree.Run(case)
    run.advance(0.1)                       # s
    print(run.kinetic_energy, run.particles.position.mean(axis=0))

SI units throughout: m, kg, s, N, J, rad.
"""
from ._scree import version as __version__
from .case import Case, CaseError, Check, Diagnostic, check
from .results import Frame, Results
from .run import Contacts, Fault, Particles, Run, Wall
from .sweep import sweep

__all__ = ["Case", "CaseError", "Check", "Contacts", "Diagnostic", "Fault", "Frame", "Particles", "Results", "Run", "Wall",
           "check", "sweep", "__version__"]
