/// \file
/// The door to ADIOS2. Its types never cross this header.
#pragma once

/// Version of ADIOS2 this program was built with.
const char *scree_adios_library_version(void);
