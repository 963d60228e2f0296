#!/usr/bin/env python3
"""Writes ball_mill_drum.obj beside itself, in millimetres: the drum of Huang et al. (2020), section 4.3, Table 3 and Eqs. 32 to 35, about the x axis,
without ends. Inner diameter 600, length 130 for a period of 100 (a wall has to go on beyond the seam), twelve trapezoidal lifters 14 high; 18 wide at their tops (the 9 of Eqs. 34 and 35; Eq. 33 has 7, Table 3
has 18) and 2 x 300 sin 2 deg 56 min wide at their feet. Faces look inwards."""
import math
import pathlib

RADIUS, LENGTH, LIFTERS, HEIGHT, TOP, ARC = 300.0, 130.0, 12, 14.0, 18.0, 4
FOOT = math.radians(2 + 56 / 60)


def outline() -> list[tuple[float, float]]:
    """Corners in the plane (y, z), counter-clockwise seen against the x axis."""
    points = []
    sector = 2 * math.pi / LIFTERS
    for k in range(LIFTERS):
        turn = k * sector
        local = [(RADIUS * math.cos(FOOT), -RADIUS * math.sin(FOOT)), (RADIUS - HEIGHT, -TOP / 2), (RADIUS - HEIGHT, TOP / 2)]
        points += [(y * math.cos(turn) - z * math.sin(turn), y * math.sin(turn) + z * math.cos(turn)) for y, z in local]
        for i in range(ARC):
            a = turn + FOOT + (sector - 2 * FOOT) * i / ARC
            points.append((RADIUS * math.cos(a), RADIUS * math.sin(a)))
    return points


def main() -> None:
    points = outline()
    n = len(points)
    lines = ["# ball_mill_drum.py"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x in (-LENGTH / 2, LENGTH / 2) for y, z in points]
    for i in range(n):
        a, b = i + 1, (i + 1) % n + 1
        lines += [f"f {a} {a + n} {b}", f"f {b} {a + n} {b + n}"]
    pathlib.Path(__file__).with_suffix(".obj").write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
