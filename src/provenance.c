/// \file
/// Provenance: see scree/provenance.h.
#include "scree/provenance.h"

#include "scree/adios.h"
#include "scree/partition.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/// The first clause of what MPI says of itself: "Open MPI v5.0.7".
static void mpi_version(char *text, size_t size) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(library, &length);
  snprintf(text, size, "%.*s", (int)strcspn(library, ",\n"), library);
}

void scree_provenance_text(char *text, size_t size) {
  char mpi[128];
  mpi_version(mpi, sizeof mpi);
  snprintf(text, size,
           "scree %s (revision %s, %s build)\n"
           "compiler   %s\n"
           "flags      %s\n"
           "libraries  %s, ParMETIS %s, ADIOS2 %s",
           scree_version, scree_revision, scree_build_type, scree_compiler, scree_compiler_flags,
           mpi, scree_partition_library_version(), scree_adios_library_version());
}

void scree_provenance_banner(scree_log *log, MPI_Comm comm) {
  char text[2048], host[MPI_MAX_PROCESSOR_NAME], when[64] = "";
  int length, ranks;
  scree_provenance_text(text, sizeof text);
  SCREE_MPI(MPI_Get_processor_name(host, &length));
  SCREE_MPI(MPI_Comm_size(comm, &ranks));
  const time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &parts);
  scree_log_line(log, "%s", text);
  scree_log_line(log, "started    %s on %s, %d rank%s", when, host, ranks, ranks == 1 ? "" : "s");
}
