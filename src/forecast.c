/// \file
/// What a deck will need: see forecast.h.
#include "forecast.h"

#include "scree/contacts.h"
#include "scree/memory.h"
#include "scree/packing.h"

scree_forecast scree_forecast_make(const scree_deck *deck) {
  // Candidates per body of a dense packing, with those in the skin; while a list is made the old
  // impulses are there too.
  const double candidates = deck->packing.dimension == 2 ? 3 : 6;
  const double each =
      (double)scree_bodies_bytes_each() + 2 * sizeof(scree_motion) +
      candidates * (1.6 * sizeof(scree_batch) / (double)SCREE_LANES + sizeof(scree_kept));
  scree_packing packing;
  scree_error error;
  SCREE_CHECK(scree_packing_create(deck, &packing, &error), "a checked deck has no packing: %s",
              error.text);
  const scree_forecast f = {packing.count, (double)packing.count * each};
  scree_packing_destroy(&packing);
  return f;
}

bool scree_forecast_fits(const scree_deck *deck, scree_error *error) {
  const scree_forecast f = scree_forecast_make(deck);
  const double there = scree_memory_of_machine();
  if (f.bytes < there) return true;
  return scree_error_set(error, SCREE_EXIT_INPUT,
                         "%llu bodies need about %.3g GB of memory, and this machine has %.3g GB",
                         (unsigned long long)f.bodies, 1e-9 * f.bytes, 1e-9 * there);
}
