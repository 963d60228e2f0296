# Run by cpack between installing and packing: what Debian wants beside or instead of what `cmake --install` gives.
file(TIMESTAMP ${CPACK_SCREE_SOURCE}/CHANGELOG.md date "%a, %d %b %Y %H:%M:%S +0000" UTC)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
set(root ${CPACK_TEMPORARY_DIRECTORY})

function(compress)
  foreach(file ${ARGN})
    execute_process(COMMAND gzip --best --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

# Libraries that are compiled in: the report page's, whose terms come with their sources, and headers of Debian.
set(bundled "")
foreach(name three uplot)
  set(terms ${CPACK_SCREE_BUILD}/viewer/node_modules/${name}/LICENSE)
  if(EXISTS ${terms})  # not in a build without the page
    file(READ ${terms} text)
    string(REGEX MATCH "Copyright[^0-9]*([0-9][^\n]*)" copyright "${text}")
    set(copyright "${CMAKE_MATCH_1}")
    string(STRIP "${text}" text)
    string(REGEX REPLACE "\r" "" text "${text}")
    string(REGEX REPLACE "\n *\n" "\n.\n" text "${text}")
    string(REPLACE "\n" "\n " text "${text}")
    string(APPEND bundled
      "\nFiles: ${name} (in the report page)\nCopyright: ${copyright}\nLicense: Expat-${name}\n ${text}\n")
  endif()
endforeach()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(doc ${root}/${component}/usr/share/doc/${package})
  file(WRITE ${doc}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Scree
Comment: compiled in are headers of these Debian packages, whose terms are in
 /usr/share/doc/PACKAGE/copyright: libcli11-dev, libeigen3-dev, libhwy-dev,
 librandom123-dev, libxxhash-dev, nlohmann-json3-dev, pybind11-dev.

Files: *
Copyright: 2026 The Scree authors
License: Apache-2.0
 Licensed under the Apache License, Version 2.0. On Debian systems its text is
 in /usr/share/common-licenses/Apache-2.0.
${bundled}")
  file(WRITE ${doc}/changelog.Debian
"scree (${CPACK_SCREE_PACKAGE_VERSION}) bookworm; urgency=medium

  * Packaged from the source tree; what changed in Scree is in changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  file(COPY_FILE ${CPACK_SCREE_SOURCE}/CHANGELOG.md ${doc}/changelog)
  compress(${doc}/changelog.Debian ${doc}/changelog)
endforeach()

file(GLOB pages ${root}/program/usr/share/man/man1/*.1)
compress(${pages})
file(MAKE_DIRECTORY ${root}/program/usr/share/zsh/vendor-completions)
file(RENAME ${root}/program/usr/share/zsh/site-functions/_scree ${root}/program/usr/share/zsh/vendor-completions/_scree)
file(REMOVE_RECURSE ${root}/program/usr/share/zsh/site-functions)
file(CREATE_LINK ../../scree/examples ${root}/program/usr/share/doc/scree/examples SYMBOLIC)
# The library lies where every program looks for it.
file(GLOB modules ${root}/python/usr/lib/python3/dist-packages/scree/*.so)
foreach(module ${modules})
  file(RPATH_REMOVE FILE ${module})
endforeach()
