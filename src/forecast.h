/// \file
/// What a deck will need, before anything is built.
#pragma once
#include "scree/deck.h"

typedef struct scree_forecast {
  uint64_t bodies;
  double bytes; ///< of memory at the peak
} scree_forecast;

scree_forecast scree_forecast_make(const scree_deck *deck);
/// Whether this machine has the memory; if not, false with `error`.
bool scree_forecast_fits(const scree_deck *deck, scree_error *error);
