/// \file
/// What made a result: version, revision, compiler, flags, libraries. Generated at build time,
/// never committed.
#pragma once
#include "scree/log.h"

/// Generated from CMake and git (version.c.in).
extern const char *const scree_version;
extern const char *const scree_revision;
extern const char *const scree_compiler;
extern const char *const scree_compiler_flags;
extern const char *const scree_build_type;

/// The text of `scree --version`, into `text`.
void scree_provenance_text(char *text, size_t size);
/// Log the banner at the head of a run: the above, and when, where and on how many ranks it runs.
void scree_provenance_banner(scree_log *log, MPI_Comm comm);
