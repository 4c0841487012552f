/// \file
/// The door to ParMETIS. Its types never cross this header.
#pragma once

/// Version of ParMETIS this program was built with.
const char *scree_partition_library_version(void);
