# Debian packages by CPack (script/package): scree, libscree0.1 named after its soname as Debian's policy 8.1 wants it,
# libscree-dev and python3-scree. What depends on the version or is made for Debian alone: cmake/debian/*.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME scree)
set(CPACK_PACKAGE_VENDOR "Scree developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library development)
if(TARGET scree_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Scree developers <developers@scree.example.org>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What the Python module needs of libscree.so is found here; which package that is in, cmake/debian/versions.cmake says.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/debian/versions.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/places.cmake)
set(CPACK_SCREE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_SCREE_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_SCREE_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME scree)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "discrete element engine for angular grains
Scree moves grains whose corners and faces matter: true convex polyhedra,
spheres and clumps of either. A case is one readable file, which is checked
before it runs; a run leaves a page that plays it in any browser.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg")  # scree render --film

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libscree${CPACK_SCREE_SOVERSION})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# The trigger is Debian's way; CPack's scripts call ldconfig beside it, which lintian warns of and nothing switches off.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/library/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "discrete element engine for angular grains (library)
Scree moves grains whose corners and faces matter: true convex polyhedra,
spheres and clumps of either. This package has what programs that run cases
in memory are linked with.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libscree-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "discrete element engine for angular grains (header)
Scree moves grains whose corners and faces matter: true convex polyhedra,
spheres and clumps of either. This package has the C++ header and what CMake's
find_package needs.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-scree)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib, python3-pandas, python3-scipy, python3-xarray, scree")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/debian/python/postinst ${PROJECT_SOURCE_DIR}/cmake/debian/python/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "discrete element engine for angular grains (Python)
Scree moves grains whose corners and faces matter: true convex polyhedra,
spheres and clumps of either. This package has the Python module: cases as
dicts, runs in memory with NumPy arrays, results as tables.")
include(CPack)
