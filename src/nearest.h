/// \file
/// "Did you mean ...?": the known word nearest to a misspelt one.
#pragma once

/// The entry of `words` (ended by NULL) that `word` most likely stands for, or NULL if none is
/// near.
const char *scree_nearest(const char *word, const char *const *words);
