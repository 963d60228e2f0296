import os
import pathlib

import pytest

SOURCE = pathlib.Path(os.environ["SCREE_SOURCE_DIR"])


@pytest.fixture
def box_fill():
    """examples/box_fill.yaml with 40 grains and two short stages."""
    import scree
    case = scree.Case.load(SOURCE / "examples" / "box_fill.yaml")
    case["particles"][0]["count"] = 40
    for stage in case["stages"]:
        stage["duration"] = 0.2
    return case
