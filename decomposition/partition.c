/// \file
/// The only file that knows ParMETIS.
#include "scree/partition.h"

#include <parmetis.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *scree_partition_library_version(void) {
  return TEXT(PARMETIS_MAJOR_VERSION) "." TEXT(PARMETIS_MINOR_VERSION) "." TEXT(
      PARMETIS_SUBMINOR_VERSION);
}
