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
from .calibrate import Calibration, Parameter, Target, calibrate
from .case import Case, CaseError, Check, Diagnostic, check
from .results import Frame, Report, Results
from .run import Bonds, Contacts, Fault, Outer, Particles, Rows, Run, Wall
from .sweep import sweep

__all__ = ["Bonds", "Calibration", "Case", "CaseError", "Check", "Contacts", "Diagnostic", "Fault", "Frame", "Outer",
           "Parameter", "Particles", "Report", "Results", "Rows", "Run", "Target", "Wall", "calibrate", "check",
           "sweep", "__version__"]
