# libscree.so: the public interface (include/scree/) over all rooms, which it swallows, so that a program needs this library
# and its header and nothing of what Scree was built with.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

file(GLOB api_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api/*.cpp)
add_library(scree_api SHARED ${api_sources})
add_library(scree::scree ALIAS scree_api)
target_include_directories(scree_api PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(scree_api PRIVATE scree_io scree_flags)
target_link_options(scree_api PRIVATE -Wl,--exclude-libs,ALL)
target_compile_features(scree_api INTERFACE cxx_std_17)
set_target_properties(scree_api PROPERTIES
  OUTPUT_NAME scree EXPORT_NAME scree VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# The man pages and completions, written by the program itself.
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/written
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND scree manual ${manual}
  COMMAND ${CMAKE_COMMAND} -E touch ${manual}/written
  DEPENDS scree COMMENT "Writing man pages and completions" VERBATIM)
add_custom_target(scree_manual ALL DEPENDS ${manual}/written)
# All that `cmake --install` takes; python/ adds its module.
add_custom_target(scree_installable)
add_dependencies(scree_installable scree scree_api scree_manual)

# Components are packages (cmake/packages.cmake); LICENSE is in none: Debian has the text already.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS scree RUNTIME)
install(TARGETS scree_api EXPORT scree LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/scree TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h")
install(DIRECTORY shapes materials DESTINATION ${CMAKE_INSTALL_DATADIR}/scree FILES_MATCHING PATTERN "*.yaml")
# With what the cases name beside themselves: meshes, paths and tables, and the scripts that write those.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/scree FILES_MATCHING
  PATTERN "*.yaml" PATTERN "*.obj" PATTERN "*.csv" PATTERN "*.py")
install(FILES NOTICE README.md TYPE DOC)
install(FILES LICENSE TYPE DOC COMPONENT license)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${manual}/bash/scree DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${manual}/zsh/_scree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual}/fish/scree.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scree)
install(EXPORT scree NAMESPACE scree:: DESTINATION ${config_dir} COMPONENT development)
configure_package_config_file(cmake/scree-config.cmake.in ${PROJECT_BINARY_DIR}/scree-config.cmake
  INSTALL_DESTINATION ${config_dir})
# 0.x: a change of the second number may break a program.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scree-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scree-config.cmake ${PROJECT_BINARY_DIR}/scree-config-version.cmake
  DESTINATION ${config_dir} COMPONENT development)

if(SCREE_TESTS AND NOT SCREE_SANITIZE)
  add_subdirectory(tests/package)
endif()
