# scree_flags: of all sources. scree_common_flags: without what a sanitizer puts into them, for tests: what
# they do themselves is not worth its time to compile. (A sanitizer of threads must see every access.)
add_library(scree_common_flags INTERFACE)
add_library(scree_flags INTERFACE)
target_link_libraries(scree_flags INTERFACE scree_common_flags)
target_compile_options(scree_common_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow
  # The same bits for any number of threads and any vector width need every rounding where the source puts it.
  -ffp-contract=off -fno-math-errno)
# Instruction sets left out: each costs a compilation, and no processor of the last fifteen years stops at SSSE3.
set(without "HWY_SSSE3")
if(SCREE_WERROR)
  target_compile_options(scree_common_flags INTERFACE -Werror)
endif()
if(SCREE_CHECKS)
  target_compile_options(scree_common_flags INTERFACE -UNDEBUG)
  target_compile_definitions(scree_common_flags INTERFACE SCREE_CHECKS)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(scree_common_flags INTERFACE -Wno-unknown-warning-option)  # what GCC alone knows
endif()
set(SCREE_TEST_FLAGS scree_flags)
if(SCREE_SANITIZE)
  target_compile_options(scree_flags INTERFACE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(scree_common_flags INTERFACE -fsanitize=${SCREE_SANITIZE})
  target_compile_options(scree_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/sanitized.h>")
  if(SCREE_SANITIZE MATCHES thread)
    # Threads meet in the same places whatever the vectors' width; one width compiles five times as fast.
    target_compile_definitions(scree_common_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
  else()
    if(SCREE_SANITIZE MATCHES address)
      # GCC's macro, which clang does not have; of tests it says what is beneath them.
      target_compile_definitions(scree_common_flags INTERFACE __SANITIZE_ADDRESS__)
    endif()
    if(NOT SCREE_SANITIZE_WHOLE)
      # A third of the compilation, and the sanitizer of addresses sees most of what they would.
      target_compile_options(scree_flags INTERFACE -fno-sanitize=null,object-size,pointer-overflow,vptr)
      set(SCREE_TEST_FLAGS scree_common_flags)
    endif()
    # The baseline and one that is wider: what runs beyond a vector's end does so in two widths as in four.
    set(without "HWY_SSSE3|HWY_SSE4|HWY_AVX3")
  endif()
endif()
if(SCREE_COVERAGE)
  target_compile_options(scree_flags INTERFACE $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:--coverage>)
  target_link_options(scree_flags INTERFACE --coverage)
  # Counted once, in one width of vectors.
  target_compile_definitions(scree_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()
if(SCREE_FUZZ)
  target_compile_options(scree_flags INTERFACE -fsanitize=fuzzer-no-link)
  # One width of vectors is enough for inputs.
  target_compile_definitions(scree_common_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()
if(NOT SCREE_SANITIZE MATCHES thread)
  target_compile_definitions(scree_common_flags INTERFACE "HWY_DISABLED_TARGETS=(${without})")
endif()

# SCREE_COLD, the options of what runs once per run, frame or test: optimised less, its compilation takes a quarter less time,
# and not at all under a sanitizer, whose checks the compiler would spend most of its time on.
set(SCREE_COLD "")
if(SCREE_SANITIZE AND NOT SCREE_FUZZ)
  set(SCREE_COLD -O0)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(SCREE_COLD -O1)
endif()

# Headers that most sources of a room or program read, compiled once for all of them. Each source names what it needs all the
# same: not with ccache, which keeps no objects made so, nor where a header has to come before anything (GCC's sanitizers).
set(SCREE_HEADERS_ONCE ON)
if(CMAKE_CXX_COMPILER_LAUNCHER OR (SCREE_SANITIZE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
  set(SCREE_HEADERS_ONCE OFF)
endif()
function(scree_headers_once target)
  if(SCREE_HEADERS_ONCE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <optional>
      <string> <vector> ${ARGN})
  endif()
endfunction()

# scree_room(NAME [HOT|COLD] [DIR dir] [DEPS rooms...] [LIBS targets...] [HEADERS headers...]): the library scree_NAME from every
# source of src/NAME. HOT: its loops over three rows and four lanes are worth unrolling (-O3 in release builds); COLD: see
# SCREE_COLD. HEADERS: see scree_headers_once.
function(scree_room name)
  cmake_parse_arguments(ROOM "HOT;COLD" "DIR" "DEPS;LIBS;HEADERS" ${ARGN})
  if(NOT ROOM_DIR)
    set(ROOM_DIR src/${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ROOM_DIR}/*.cpp)
  list(TRANSFORM ROOM_DEPS PREPEND scree_)
  if(sources)
    add_library(scree_${name} ${SCREE_ROOMS} ${sources})
    if(SCREE_ROOMS STREQUAL "SHARED")
      # Its own copies of what headers define, not those of a program that was compiled otherwise.
      target_link_options(scree_${name} PRIVATE -Wl,-Bsymbolic-functions)
    endif()
    target_include_directories(scree_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_link_libraries(scree_${name} PUBLIC ${ROOM_DEPS} ${ROOM_LIBS} PRIVATE scree_flags)
    if(ROOM_HOT AND NOT SCREE_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(scree_${name} PRIVATE -O3)
      set_property(GLOBAL APPEND PROPERTY scree_hot_rooms ${name})
    elseif(ROOM_COLD)
      target_compile_options(scree_${name} PRIVATE ${SCREE_COLD})
    endif()
    if(ROOM_HEADERS)
      scree_headers_once(scree_${name} ${ROOM_HEADERS})
    endif()
  else()
    add_library(scree_${name} INTERFACE)
    target_include_directories(scree_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_link_libraries(scree_${name} INTERFACE ${ROOM_DEPS} ${ROOM_LIBS})
  endif()
endfunction()
