#!/usr/bin/env python3
"""Writes shear_box_lower.obj and shear_box_upper.obj beside itself, in millimetres: the two halves of a direct shear box (Zhao et al. 2006, section 4;
its dimensions are not printed). A hole of 45 x 45 in blocks of 85 x 85, so that the block of one half covers the hole of the other while they slide
by up to 20. The lower half has a floor at z = 0 and ends at z = 18; the upper one goes from there to 560, to be filled from above. Closed solids."""
import pathlib

HOLE, BLOCK, FLOOR, SPLIT, TOP = 45.0, 85.0, -5.0, 18.0, 560.0


def square(side: float, z: float) -> list[tuple[float, float, float]]:
    h = side / 2
    return [(-h, -h, z), (h, -h, z), (h, h, z), (-h, h, z)]


def write(name: str, rings: list[list[tuple[float, float, float]]], closed: list[bool]) -> None:
    """`rings`: squares, one after the other from the inside round to the outside, joined by four quadrangles each; `closed`: has a lid."""
    lines = ["# shear_box.py"]
    for ring in rings:
        lines += [f"v {x:g} {y:g} {z:g}" for x, y, z in ring]
    for k in range(len(rings) - 1):
        for i in range(4):
            a, b, c, d = 4 * k + i + 1, 4 * k + (i + 1) % 4 + 1, 4 * k + (i + 1) % 4 + 5, 4 * k + i + 5
            lines += [f"f {a} {d} {c}", f"f {a} {c} {b}"]
    if closed[0]:
        lines += ["f 1 2 3", "f 1 3 4"]
    if closed[1]:
        n = 4 * len(rings) - 3
        lines += [f"f {n} {n + 2} {n + 1}", f"f {n} {n + 3} {n + 2}"]
    if not closed[0]:  # a ring: the last square is joined to the first
        last = 4 * (len(rings) - 1)
        for i in range(4):
            a, b, c, d = last + i + 1, last + (i + 1) % 4 + 1, (i + 1) % 4 + 1, i + 1
            lines += [f"f {a} {d} {c}", f"f {a} {c} {b}"]
    pathlib.Path(__file__).with_name(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


write("shear_box_lower.obj", [square(HOLE, 0), square(HOLE, SPLIT), square(BLOCK, SPLIT), square(BLOCK, FLOOR)], [True, True])
write("shear_box_upper.obj", [square(HOLE, SPLIT), square(HOLE, TOP), square(BLOCK, TOP), square(BLOCK, SPLIT)], [False, False])
