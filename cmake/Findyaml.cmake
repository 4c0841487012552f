include(ScreeFindLibrary)
scree_find_library(yaml HEADER yaml.h LIBRARY yaml)
