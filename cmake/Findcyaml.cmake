include(ScreeFindLibrary)
scree_find_library(cyaml HEADER cyaml/cyaml.h LIBRARY cyaml)
