#pragma once
#include <string>
#include <vector>

#include "io/results/frame.h"

/// Frames as other programs read them (docs/results.md). All numbers are in SI units and read back to the same bits.
namespace scree::io {

/// A table, one row a grain; the header names columns and units.
std::string csv_text(const Frame& f);

/// Extended XYZ, as OVITO and ASE read it; with a Lattice where space repeats.
std::string xyz_text(const Frame& f);

/// A snapshot of LAMMPS' `dump custom`, as OVITO and LAMMPS' read_dump read it. Ids and types count from 1 there.
std::string lammps_text(const Frame& f);

/// VTK's XML unstructured grid (VTU 1.0, base64): a cell for each grain, of a clump for each part. Polyhedra that are
/// none of VTK's own cells are VTK_POLYHEDRON, with their faces.
std::string vtu_text(const Frame& f);
/// The same of contacts, bonds and walls.
std::string vtu_contacts_text(const Frame& f);
/// The list of files and times that ParaView opens as one time series.
std::string pvd_text(const std::vector<SeriesEntry>& files);

}  // namespace scree::io
