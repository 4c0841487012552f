/// \file
/// A seal on a directory of files: sizes and checksums of all of them, so that a file that is cut short or has
/// a flipped bit is found before anything tries to read it.
#pragma once
#include "scree/check.h"

/// Seal what is in `directory`, which is closed and complete, and bring it to the disk. Returns false with
/// `error`. One rank.
bool scree_seal_write(const char *directory, scree_error *error);
/// Whether all is as it was sealed; if not, false with `error`: what is wrong. One rank.
bool scree_seal_check(const char *directory, scree_error *error);
