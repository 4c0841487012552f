# Everything Scree is built with, in one place: the build includes this, and so does cmake/probe, with which
# runs/setup asks whether a machine already has it all. All that is missing is named at once.
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(SCREE_MISSING)

macro(scree_require name)
  find_package(${name} ${ARGN})
  if(NOT ${name}_FOUND)
    list(APPEND SCREE_MISSING "${name}")
  endif()
endmacro()

scree_require(MPI COMPONENTS C)
scree_require(ParMETIS 4.0)
scree_require(ADIOS2 2.8)
if(ADIOS2_FOUND AND NOT TARGET adios2::c_mpi)
  list(APPEND SCREE_MISSING "ADIOS2's C and MPI bindings")
endif()
scree_require(yaml)
scree_require(cyaml)
scree_require(Random123)
scree_require(xxHash)
scree_require(cminpack)
scree_require(cmocka 1.1)

if(SCREE_MISSING)
  list(JOIN SCREE_MISSING ", " SCREE_MISSING)
  message(FATAL_ERROR "Not found: ${SCREE_MISSING}.\nrun runs/setup, or see docs/install.md.")
endif()
