#!/usr/bin/env python3
"""Writes bucket.obj and bucket_path.csv beside itself: a loader bucket as a closed solid, in millimetres, and how it digs.

The profile lies in the xz plane, from the lip at the front (x > 0) round the back to the upper edge; the bucket is as wide along y. Its plates and
sides are PLATE thick."""
import math
import pathlib

WIDTH, PLATE = 600.0, 30.0
PROFILE = [(380.0, 0.0), (100.0, 0.0), (0.0, 60.0), (-40.0, 160.0), (-30.0, 270.0), (40.0, 360.0)]  # the inner side
# s, m, m, degrees (positive: the lip rises): along its own bottom into the bed, forward while it levels out, curl, up.
PATH = [(0.0, 0.0, 0.0, -25.0), (0.45, 0.45, -0.21, -25.0), (1.0, 0.97, -0.39, 0.0), (1.35, 1.15, -0.3, 35.0), (1.7, 1.15, 0.05, 45.0)]


def outer_profile() -> list[tuple[float, float]]:
    """PROFILE moved outwards by the thickness: at a bend to where the two moved sides meet."""
    sides = []
    for (x0, z0), (x1, z1) in zip(PROFILE, PROFILE[1:]):
        length = math.hypot(x1 - x0, z1 - z0)
        sides.append((-(z1 - z0) / length, (x1 - x0) / length))  # outwards
    moved = []
    for i, (x, z) in enumerate(PROFILE):
        near = sides[max(i - 1, 0) : i + 1]
        (ax, az), (bx, bz) = near[0], near[-1]
        by = PLATE / (1 + ax * bx + az * bz)
        moved.append((x + by * (ax + bx), z + by * (az + bz)))
    return moved


def main() -> None:
    n = len(PROFILE)
    outer = outer_profile()
    vertices = []
    for profile, half in ((PROFILE, WIDTH / 2 - PLATE), (outer, WIDTH / 2)):
        for y in (-half, half):
            vertices += [(x, y, z) for x, z in profile]
    in_left, in_right, out_left, out_right = (k * n for k in range(4))  # rows of the first point of each side
    faces = []
    for i in range(n - 1):
        faces += [(in_left + i, in_left + i + 1, in_right + i + 1, in_right + i)]
        faces += [(out_left + i, out_right + i, out_right + i + 1, out_left + i + 1)]
    faces += [tuple(in_right + i for i in range(n)), tuple(in_left + i for i in reversed(range(n)))]
    faces += [tuple(out_right + i for i in reversed(range(n))), tuple(out_left + i for i in range(n))]
    inner_rim = [in_left, in_right, in_right + n - 1, in_left + n - 1]
    outer_rim = [out_left, out_right, out_right + n - 1, out_left + n - 1]
    for i in range(4):
        j = (i + 1) % 4
        faces += [(inner_rim[i], inner_rim[j], outer_rim[j], outer_rim[i])]
    folder = pathlib.Path(__file__).parent
    lines = ["# bucket.py"] + [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in vertices]
    lines += ["f " + " ".join(str(v + 1) for v in face) for face in faces]
    (folder / "bucket.obj").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = ["# bucket.py: time, x, y, z, angle; s, m, rad"]
    rows += [f"{t:g},{x:g},0,{z:g},{math.radians(angle - PATH[0][3]):.6f}" for t, x, z, angle in PATH]
    (folder / "bucket_path.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


main()
