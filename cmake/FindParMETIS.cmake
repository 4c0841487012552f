# ParMETIS ships no CMake package. Needs MPI to be found first; METIS comes along where it is a library of its own.
include(ScreeFindLibrary)
find_library(METIS_LIBRARY metis)
mark_as_advanced(METIS_LIBRARY)
set(_metis)
if(METIS_LIBRARY)
  set(_metis "${METIS_LIBRARY}")
endif()
scree_find_library(ParMETIS HEADER parmetis.h LIBRARY parmetis LINK MPI::MPI_C ${_metis} m
  VERSION_REGEX "define PARMETIS_(MAJOR|MINOR|SUBMINOR)_VERSION")
