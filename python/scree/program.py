"""The program `scree`, which writes and draws results."""
from __future__ import annotations

import os
import shutil
import signal
import subprocess


def find_binary() -> str:
    """The program `scree`: SCREE_BINARY's, the one of the build tree that this module stands in, the one on PATH.
    Errors: FileNotFoundError."""
    named = os.environ.get("SCREE_BINARY")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise FileNotFoundError(f"SCREE_BINARY names {named}, which is no program")
        return os.path.abspath(named)
    built = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scree"))
    found = built if os.path.isfile(built) and os.access(built, os.X_OK) else shutil.which("scree")
    if found is None:
        raise FileNotFoundError("there is no program scree on PATH; SCREE_BINARY can name it")
    return os.path.abspath(found)


def run_binary(command: str, *arguments: str) -> subprocess.CompletedProcess:
    """`scree COMMAND ARGUMENTS`, with what it says. Errors: ValueError for what it refuses; OSError where it fails or a
    signal ends it; FileNotFoundError where there is no program."""
    done = subprocess.run([find_binary(), command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode < 0:
        raise OSError(f"scree {command} was ended by signal {-done.returncode} ({signal.strsignal(-done.returncode)})")
    if done.returncode != 0:
        raise (ValueError if done.returncode == 2 else OSError)(done.stderr.strip())
    return done
