include(ScreeFindLibrary)
scree_find_library(cminpack HEADER cminpack.h LIBRARY cminpack SUFFIXES cminpack-1 LINK m)
