"""A small run with every kind of cell; its frames are opened with VTK alone, as ParaView does, and measured.

usage: vtk_frames.py SCREE_BINARY WORK_FOLDER     (exit 77: VTK is not installed)
"""
import csv
import json
import math
import os
import shutil
import subprocess
import sys

try:
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkFiltersGeometry import vtkDataSetSurfaceFilter
    from vtkmodules.vtkFiltersCore import vtkTriangleFilter
    from vtkmodules.vtkFiltersGeneral import vtkDataSetTriangleFilter
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
    from vtkmodules.vtkFiltersExtraction import vtkExtractCells
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as error:
    print("no VTK here:", error)
    sys.exit(77)

DENSITY = 2650.0
CASE = """
title: Every kind of cell
gravity: [0, 0, -9.81 m/s^2]
materials:
  stone: {density: 2650 kg/m^3}
contacts:
  - between: [stone, stone]
    law: bloks3d
    kn: 130 kN/m
    ks: 102 kN/m
    friction_angle: 35 degree
    damping: {ratio: 0.1, sliding: 0.1, sticking: 0.9}
walls:
  box: {box: {min: [0, 0, 0], max: [12 cm, 12 cm, 60 cm], open: [z_max]}, material: stone}
particles:
  - name: grains
    count: 24
    shapes: [SHAPES]
    size: {uniform: [2 cm, 3 cm]}
    orientation: random
    place: {lattice: {above: box}}
    material: stone
stages:
  - {name: fill, duration: 0.18 s}
output: {every: 30 ms}
"""
WEDGE = """name: wedge
description: for this test, the one cell of VTK that the library has no shape for
vertices:
  - [0, 0, 0]
  - [1, 0, 0]
  - [0, 1.2, 0]
  - [0, 0, 0.8]
  - [1, 0, 0.8]
  - [0, 1.2, 0.8]
"""
binary, work = sys.argv[1], sys.argv[2]
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def opened(path):
    reader = vtkHDFReader()
    expect(reader.CanReadFile(path), "VTK takes " + path)
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def volumes(grid):
    """Per cell, through tetrahedra. Not vtkCellSizeFilter: VTK 9.1 takes the local vertices of a convex point set for global ones."""
    tetrahedra = vtkDataSetTriangleFilter()
    tetrahedra.SetInputData(grid)
    size = vtkCellSizeFilter()
    size.SetInputConnection(tetrahedra.GetOutputPort())
    size.Update()
    parts = size.GetOutput().GetCellData()
    rows = {grid.GetCellData().GetArray("id").GetValue(i): i for i in range(grid.GetNumberOfCells())}
    total = [0.0] * grid.GetNumberOfCells()
    for k in range(size.GetOutput().GetNumberOfCells()):
        total[rows[parts.GetArray("id").GetValue(k)]] += parts.GetArray("Volume").GetValue(k)
    return total


def surface_of_cell(grid, cell):
    """(volume enclosed, triangles) of one cell's surface; the hull is convex, so the sense of rotation, which VTK leaves
    open for convex point sets, does not matter."""
    one = vtkExtractCells()
    one.SetInputData(grid)
    one.AddCellRange(cell, cell)
    surface = vtkDataSetSurfaceFilter()
    surface.SetInputConnection(one.GetOutputPort())
    triangles = vtkTriangleFilter()
    triangles.SetInputConnection(surface.GetOutputPort())
    triangles.Update()
    mesh = triangles.GetOutput()
    points = [mesh.GetPoint(i) for i in range(mesh.GetNumberOfPoints())]
    middle = [sum(p[axis] for p in points) / len(points) for axis in range(3)]
    volume = 0.0
    for k in range(mesh.GetNumberOfCells()):
        ids = mesh.GetCell(k).GetPointIds()
        u, v, w = ([points[ids.GetId(c)][axis] - middle[axis] for axis in range(3)] for c in range(3))
        volume += abs(u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6
    return volume, mesh.GetNumberOfCells()


def run():
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.environ["SCREE_SHAPES"] = os.path.join(work, "shapes")
    os.makedirs(os.environ["SCREE_SHAPES"])
    with open(os.path.join(work, "shapes", "wedge.yaml"), "w") as f:
        f.write(WEDGE)
    listed = subprocess.run([binary, "shape", "list"], capture_output=True, text=True, check=True).stdout
    wanted = ["tetrahedron", "pyramid", "cube", "grain14", "octahedron", "dodecahedron", "icosahedron", "grain16", "plate", "wedge"]
    shapes = [name for name in wanted if name in listed.replace(":", " ").split()]
    expect(len(shapes) >= 4, "the library has the four prototypes, found " + ", ".join(shapes))
    case = os.path.join(work, "cells.yaml")
    with open(case, "w") as f:
        f.write(CASE.replace("SHAPES", ", ".join(shapes)))
    results = os.path.join(work, "out")
    subprocess.run([binary, "run", case, "--out", results, "--quiet", "--no-report"], check=True, stdout=subprocess.DEVNULL)
    return results


def check_particles(grid, row, path):
    n = grid.GetNumberOfCells()
    expect(n == int(row["particles"]), path + ": one cell per particle")
    data = grid.GetCellData()
    for name in ("id", "shape", "material", "size", "mass", "velocity", "speed", "angular_velocity", "orientation"):
        expect(data.HasArray(name), path + ": cell data " + name)
    mass, velocity, speed = data.GetArray("mass"), data.GetArray("velocity"), data.GetArray("speed")
    # Volumes and surfaces of VTK's cells against ours; a cell with a wrong order of vertices has another volume.
    for i, volume in enumerate(volumes(grid)):
        ours = mass.GetValue(i) / DENSITY
        kind = grid.GetCellType(i)
        expect(abs(volume / ours - 1) < 1e-9, f"{path}: cell {i} of type {kind} has volume {volume}, not {ours}")
        enclosed, triangles = surface_of_cell(grid, i)
        expect(abs(enclosed / ours - 1) < 1e-9, f"{path}: surface of cell {i} of type {kind} encloses {enclosed}, not {ours}")
        euler = 2 * grid.GetCell(i).GetNumberOfPoints() - 4
        expect(triangles == euler, f"{path}: the surface of cell {i} has {triangles} triangles, not {euler}")
        v = velocity.GetTuple3(i)
        expect(math.isclose(math.sqrt(sum(c * c for c in v)), speed.GetValue(i), rel_tol=1e-12, abs_tol=1e-300), "speed")
    kinetic = sum(mass.GetValue(i) * speed.GetValue(i) ** 2 / 2 for i in range(n))
    expect(math.isclose(kinetic, float(row["kinetic_translation [J]"]), rel_tol=1e-9, abs_tol=1e-15), path + ": kinetic energy of the series")
    field = grid.GetFieldData()
    expect(field.GetArray("TimeValue").GetValue(0) == float(row["time [s]"]), path + ": time")
    b = grid.GetBounds()
    expect(b[0] > -1e-3 and b[1] < 0.121 and b[2] > -1e-3 and b[3] < 0.121 and b[4] > -1e-3, path + f": bounds {b}")


def check_contacts(grid, row, walls, path):
    quads = [i for i in range(grid.GetNumberOfCells()) if grid.GetCellType(i) == 9]
    points = [i for i in range(grid.GetNumberOfCells()) if grid.GetCellType(i) == 1]
    expect(len(points) + len(quads) == grid.GetNumberOfCells(), path + ": vertices and quadrilaterals only")
    expect(len(points) == int(row["contact_points"]), path + f": {len(points)} contacts, the series has {row['contact_points']}")
    expect(len(quads) == walls, path + f": {len(quads)} walls")
    force, ids = grid.GetCellData().GetArray("force"), grid.GetCellData().GetArray("ids")
    for quad in quads:
        wall = ids.GetTuple(quad)[1]
        total = [sum(force.GetTuple3(i)[axis] for i in points if ids.GetTuple(i)[1] == wall) for axis in range(3)]
        scale = 1e-12 + max(abs(c) for c in force.GetTuple3(quad))
        expect(all(abs(a - b) < 1e-9 * scale for a, b in zip(total, force.GetTuple3(quad))), path + f": wall {wall} carries its contacts")
    return len(points)


def check_types(grid, seen):
    for i in range(grid.GetNumberOfCells()):
        seen.add((int(grid.GetCellData().GetArray("shape").GetTuple(i)[0]), grid.GetCellType(i)))


print("VTK", vtkVersion().GetVTKVersion())
results = run()
with open(os.path.join(results, "series.csv")) as f:
    rows = list(csv.DictReader(f))
with open(os.path.join(results, "frames.hdf.series")) as f:
    listed = json.load(f)["files"]
with open(os.path.join(results, "contacts.hdf.series")) as f:
    listed_contacts = json.load(f)["files"]
expect(len(rows) == 7 and len(listed) == len(rows) and len(listed_contacts) == len(rows), f"seven instants, {len(rows)} rows")
seen, contacts = set(), 0
for row, entry, contact_entry in zip(rows, listed, listed_contacts):
    expect(entry["time"] == float(row["time [s]"]), "time in the list of frames")
    grid = opened(os.path.join(results, entry["name"]))
    check_particles(grid, row, entry["name"])
    check_types(grid, seen)
    contacts += check_contacts(opened(os.path.join(results, contact_entry["name"])), row, 5, contact_entry["name"])
expect({kind for _, kind in seen} >= {10, 12, 13, 14, 41}, f"tetrahedra, hexahedra, wedges, pyramids and convex point sets, saw {seen}")
expect(contacts > 0, "some contacts")
print("cells (shape row, VTK type):", sorted(seen), "contacts:", contacts)
print("failures:", failures)
sys.exit(1 if failures else 0)
