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

install(TARGETS scree RUNTIME)
install(TARGETS scree_api EXPORT scree LIBRARY)
install(DIRECTORY include/scree TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(DIRECTORY shapes examples DESTINATION ${CMAKE_INSTALL_DATADIR}/scree FILES_MATCHING PATTERN "*.yaml")
install(FILES LICENSE NOTICE README.md TYPE DOC)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scree)
install(EXPORT scree NAMESPACE scree:: DESTINATION ${config_dir})
configure_package_config_file(cmake/scree-config.cmake.in ${PROJECT_BINARY_DIR}/scree-config.cmake
  INSTALL_DESTINATION ${config_dir})
# 0.x: a change of the second number may break a program.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scree-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scree-config.cmake ${PROJECT_BINARY_DIR}/scree-config-version.cmake
  DESTINATION ${config_dir})

if(SCREE_TESTS AND NOT SCREE_SANITIZE)
  add_subdirectory(tests/package)
endif()
