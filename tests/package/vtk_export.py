"""What `scree export --format vtu` writes is opened with VTK alone, as ParaView does, and measured; LAMMPS, where it is
installed, reads the dump.

usage: vtk_export.py SCREE_BINARY WORK_FOLDER     (exit 77: VTK is not installed)
"""
import csv
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree

try:
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError as error:
    print("no VTK here:", error)
    sys.exit(77)

DENSITY = 2650.0
CASE = """
materials: {stone: {density: 2650 kg/m^3}}
contacts: [{between: [stone, stone], law: linear, kn: 50 kN/m, friction: 0.5, restitution: 0.3}]
walls: {box: {box: {min: [0, 0, 0], max: [12 cm, 12 cm, 60 cm], open: [z_max]}, material: stone}}
particles:
  - {count: 28, shapes: [tetrahedron, pyramid, cube, grain14, grain16, icosahedron, angle], size: {uniform: [2 cm, 3 cm]}, material: stone, place: {lattice: {above: box}}}
  - {count: 4, shapes: sphere, size: 2 cm, material: stone, place: {random: {inside: {box: {min: [0, 0, 30 cm], max: [12 cm, 12 cm, 50 cm]}}}}}
stages: [{duration: 0.2 s}]
output: {every: 50 ms}
"""
binary, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def scree(*arguments):
    return subprocess.run([binary, *arguments], check=True, capture_output=True, text=True, cwd=work).stdout


def opened(path):
    reader = vtkXMLUnstructuredGridReader()
    expect(reader.CanReadFile(path), "VTK takes " + path)
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.SetFileName(path)
    reader.Update()
    expect(not errors, "VTK reads " + path)
    return reader.GetOutput()


def check_grains(grid, rows):
    data = grid.GetCellData()
    names = [data.GetArrayName(k) for k in range(data.GetNumberOfArrays())]
    for name in ("id", "shape", "material", "size", "mass", "velocity", "speed", "angular_velocity", "orientation"):
        expect(name in names, "cell data " + name)
    field = grid.GetFieldData()
    shapes = [field.GetAbstractArray("shapes").GetValue(k) for k in range(field.GetAbstractArray("shapes").GetNumberOfValues())]
    expect("grain14" in shapes and "angle" in shapes, f"names of shapes, {shapes}")
    expect(field.GetAbstractArray("materials").GetValue(0) == "stone", "names of materials")
    # An angle has two parts.
    expect(grid.GetNumberOfCells() == len(rows) + sum(row["shape"] == "angle" for row in rows), "a cell for each grain and part")
    sizes = vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    volume = sizes.GetOutput().GetCellData().GetArray("Volume")
    kinds, of = set(), {}
    for cell in range(grid.GetNumberOfCells()):
        row = rows[data.GetArray("id").GetValue(cell)]
        kinds.add(grid.GetCellType(cell))
        of[row["id"]] = of.get(row["id"], 0) + volume.GetValue(cell)
        expect(shapes[int(data.GetArray("shape").GetTuple(cell)[0])] == row["shape"], "the shape's name")
        expect(data.GetArray("velocity").GetTuple3(cell) == tuple(float(row[c]) for c in ("vx [m/s]", "vy [m/s]", "vz [m/s]")), "velocity")
        expect(data.GetArray("orientation").GetTuple4(cell) == tuple(float(row[c]) for c in ("qw", "qx", "qy", "qz")), "orientation")
        if row["shape"] == "sphere":
            point = grid.GetCell(cell).GetPointId(0)
            expect(grid.GetCellType(cell) == 1 and grid.GetPointData().GetArray("radius").GetValue(point) == 0.01, "a sphere's radius")
            expect(grid.GetPoint(point) == tuple(float(row[c]) for c in ("x [m]", "y [m]", "z [m]")), "a sphere's centre")
        if grid.GetCellType(cell) == 42:
            expect(grid.GetCell(cell).IsConvex(), f"the faces of cell {cell} look outwards")
    # The parts of an angle overlap, so that its own volume is less than theirs.
    for row in rows:
        if row["shape"] in ("sphere", "angle"):
            continue
        ours = float(row["mass [kg]"]) / DENSITY
        expect(abs(of[row["id"]] / ours - 1) < 1e-9, f"grain {row['id']}, a {row['shape']}, has volume {of[row['id']]}, not {ours}")
    expect(kinds == {1, 10, 12, 14, 42}, f"vertices, tetrahedra, hexahedra, pyramids and polyhedra, saw {kinds}")


def check_contacts(grid):
    data = grid.GetCellData()
    force, ids, is_wall = data.GetArray("force"), data.GetArray("ids"), data.GetArray("is_wall")
    walls = [i for i in range(grid.GetNumberOfCells()) if is_wall.GetValue(i)]
    points = [i for i in range(grid.GetNumberOfCells()) if not is_wall.GetValue(i)]
    expect(len(walls) == 5, f"{len(walls)} walls")
    for wall in walls:
        total = [sum(force.GetTuple3(i)[axis] for i in points if ids.GetTuple(i)[1] == ids.GetTuple(wall)[1]) for axis in range(3)]
        scale = 1e-12 + max(abs(c) for c in force.GetTuple3(wall))
        expect(all(abs(a - b) < 1e-9 * scale for a, b in zip(total, force.GetTuple3(wall))), "a wall carries its contacts")
    return len(points)


def check_lammps(rows):
    lmp = shutil.which("lmp")
    if lmp is None:
        print("no LAMMPS here")
        return
    dump = scree("export", "out", "--format", "lammps").strip()
    step = next(line for at, line in enumerate(open(os.path.join(work, dump))) if at == 5).strip()
    script = f"""units si
atom_style sphere
boundary f f f
region box block -1 1 -1 1 -1 1
create_box 1 box
read_dump {dump} {step} x y z vx vy vz add yes box yes format native
write_dump all custom again.dump id type x y z vx vy vz modify sort id format float %.17g
"""
    with open(os.path.join(work, "in.lammps"), "w") as f:
        f.write(script)
    done = subprocess.run([lmp, "-in", "in.lammps", "-log", "none"], capture_output=True, text=True, cwd=work)
    expect(done.returncode == 0, "LAMMPS reads the dump: " + done.stdout[-600:] + done.stderr[-300:])
    if done.returncode != 0:
        return
    lines = open(os.path.join(work, "again.dump")).read().splitlines()
    atoms = [line.split() for line in lines[9:]]
    expect(len(atoms) == len(rows), f"LAMMPS has {len(atoms)} of {len(rows)} grains")
    for atom, row in zip(atoms, rows):
        expect(int(atom[0]) == int(row["id"]) + 1, "ids count from 1")
        ours = [float(row[c]) for c in ("x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]")]
        expect(all(abs(float(a) - b) <= 1e-9 * max(abs(b), 1e-3) for a, b in zip(atom[2:], ours)), f"LAMMPS' grain {atom}, ours {ours}")


print("VTK", vtkVersion().GetVTKVersion())
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
with open(os.path.join(work, "case.yaml"), "w") as f:
    f.write(CASE)
scree("run", "case.yaml", "--out", "out", "--quiet", "--no-report")
expect(scree("export", "out", "--format", "vtu", "--all").strip() == "out/export/frames.pvd", "names the series")
scree("export", "out", "--format", "csv", "--all")
series = {}
for name in ("frames", "contacts"):
    entries = xml.etree.ElementTree.parse(os.path.join(work, "out", "export", name + ".pvd")).getroot().findall("Collection/DataSet")
    series[name] = [(float(e.get("timestep")), os.path.join(work, "out", "export", e.get("file"))) for e in entries]
expect(len(series["frames"]) == 5 and len(series["contacts"]) == 5, f"five instants, {series}")
contacts = 0
for (time, path), (_, of_contacts) in zip(series["frames"], series["contacts"]):
    with open(path.replace(".vtu", ".csv")) as f:
        rows = list(csv.DictReader(f))
    grid = opened(path)
    expect(grid.GetFieldData().GetArray("TimeValue").GetValue(0) == time, "time in the list and in the file")
    check_grains(grid, rows)
    contacts += check_contacts(opened(of_contacts))
expect(contacts > 0, "some contacts")
check_lammps(rows)
print("contacts:", contacts, "failures:", failures)
sys.exit(1 if failures else 0)
