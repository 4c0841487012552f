include(ScreeFindLibrary)
scree_find_library(Random123 HEADER Random123/philox.h)
