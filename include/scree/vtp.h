/// \file
/// VTK polygonal data (VTP, XML with appended raw arrays), for ParaView and OVITO.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Bodies as points; arrays that are NULL are left out. All borrowed.
typedef struct scree_vtp_cloud {
  uint64_t count;
  const uint64_t *id;
  const double *points, *v, *omega; ///< [3 count]
  const double *radius, *mass;      ///< [count]
} scree_vtp_cloud;

/// A point per body. Returns false with errno if the file cannot be written.
bool scree_vtp_bodies(const char *path, const scree_vtp_cloud *cloud);
/// A line per contact between two bodies, from centre to centre; for one with a wall or through a periodic side
/// from the centre along the force, as long as the radius. With the force as a vector and a number.
bool scree_vtp_contacts(const char *path, const scree_vtp_cloud *cloud, uint64_t contacts,
                        const uint64_t *low, const uint64_t *high, const double *force);
