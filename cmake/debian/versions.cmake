# Read by cpack when it packs. A commit that is not a release counts up behind the last one: 0.1.0+r412.3708a86d.
set(version ${CPACK_PACKAGE_VERSION})
find_program(GIT git)
# git(VARIABLE ARGUMENTS...): what git says; empty where there is no repository.
function(git variable)
  set(said "")
  if(GIT)
    execute_process(COMMAND ${GIT} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${CPACK_SCREE_SOURCE}
      OUTPUT_VARIABLE said ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(${variable} "${said}" PARENT_SCOPE)
endfunction()
git(tag describe --exact-match --tags --dirty)
git(count rev-list --count HEAD)
git(commit rev-parse --short=8 HEAD)
git(changes status --porcelain --untracked-files=no)
if(commit AND NOT tag STREQUAL "v${version}")
  string(APPEND version "+r${count}.${commit}")
  if(changes)
    string(APPEND version ".dirty")
  endif()
endif()
set(CPACK_DEBIAN_PACKAGE_VERSION ${version})
set(CPACK_SCREE_PACKAGE_VERSION ${version})
set(library "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${version})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library}")
# The module is compiled for one Python.
find_program(PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PYTHON)
  execute_process(COMMAND ${PYTHON} -c "import sys; n = sys.version_info; print(f'python3 (>= {n[0]}.{n[1]}~), python3 (<< {n[0]}.{n[1] + 1})')"
    OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${library}, ${python}, python3-numpy, python3-yaml")
endif()
# CPack's own way to this file (GENERATE_SHLIBS) has no switch for one package.
file(WRITE ${CPACK_SCREE_BUILD}/packages-control/shlibs
  "libscree ${CPACK_SCREE_SOVERSION} ${library}\n")
list(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CPACK_SCREE_BUILD}/packages-control/shlibs)
