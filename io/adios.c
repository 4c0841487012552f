/// \file
/// The only file that knows ADIOS2.
#include "scree/adios.h"

#include <adios2/common/ADIOSConfig.h>
#include <adios2_c.h>

const char *scree_adios_library_version(void) {
  return ADIOS2_VERSION_STR;
}
