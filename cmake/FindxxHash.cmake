include(ScreeFindLibrary)
scree_find_library(xxHash HEADER xxhash.h LIBRARY xxhash
  VERSION_REGEX "define XXH_VERSION_(MAJOR|MINOR|RELEASE) ")
