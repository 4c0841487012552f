/// \file
/// VTP files: see scree/vtp.h. Arrays stand behind the XML, each with its length in front, as the format wants.
#include "scree/vtp.h"

#include "scree/memory.h"
#include "sort.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

typedef struct array {
  const char *name, *type;
  int components;
  const void *data;
  uint64_t bytes;
} array;

/// Arrays in the order in which their bytes will follow.
typedef struct layout {
  array list[16];
  int count;
  uint64_t offset;
} layout;

static void declare(FILE *to, layout *l, const char *name, const char *type, int components,
                    const void *data, uint64_t bytes) {
  if (!data) return;
  fprintf(
      to,
      "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
      "offset=\"%llu\"/>\n",
      type, name, components, (unsigned long long)l->offset);
  l->list[l->count++] = (array){name, type, components, data, bytes};
  l->offset += bytes + sizeof(uint64_t);
}

static FILE *start(const char *path, uint64_t points, uint64_t verts, uint64_t lines) {
  FILE *to = fopen(path, "wb");
  if (to)
    fprintf(to,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n"
            "  <PolyData>\n    <Piece NumberOfPoints=\"%llu\" NumberOfVerts=\"%llu\" "
            "NumberOfLines=\"%llu\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
            (unsigned long long)points, (unsigned long long)verts, (unsigned long long)lines);
  return to;
}

static bool finish(FILE *to, const layout *l) {
  fputs("    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_", to);
  for (int k = 0; k < l->count; k++) {
    fwrite(&l->list[k].bytes, sizeof l->list[k].bytes, 1, to);
    fwrite(l->list[k].data, 1, l->list[k].bytes, to);
  }
  fputs("\n  </AppendedData>\n</VTKFile>\n", to);
  const bool ok = !ferror(to);
  const int reason = errno;
  if (fclose(to) != 0) return false;
  errno = reason;
  return ok;
}

/// 0, 1, 2, ... or 1, 2, 3, ... times `step`.
static int64_t *count_up(uint64_t count, int64_t first, int64_t step) {
  int64_t *list = scree_alloc(count, sizeof *list);
  for (uint64_t k = 0; k < count; k++) list[k] = first + step * (int64_t)k;
  return list;
}

bool scree_vtp_bodies(const char *path, const scree_vtp_cloud *c) {
  FILE *to = start(path, c->count, c->count, 0);
  if (!to) return false;
  layout l = {0};
  const uint64_t one = c->count * sizeof(double), three = 3 * one;
  int64_t *connectivity = count_up(c->count, 0, 1), *offsets = count_up(c->count, 1, 1);
  fputs("      <Points>\n", to);
  declare(to, &l, "points", "Float64", 3, c->points, three);
  fputs("      </Points>\n      <Verts>\n", to);
  declare(to, &l, "connectivity", "Int64", 1, connectivity, one);
  declare(to, &l, "offsets", "Int64", 1, offsets, one);
  fputs("      </Verts>\n      <PointData Scalars=\"radius\" Vectors=\"v\">\n", to);
  declare(to, &l, "id", "UInt64", 1, c->id, one);
  declare(to, &l, "radius", "Float64", 1, c->radius, one);
  declare(to, &l, "mass", "Float64", 1, c->mass, one);
  declare(to, &l, "v", "Float64", 3, c->v, three);
  declare(to, &l, "omega", "Float64", 3, c->omega, three);
  fputs("      </PointData>\n", to);
  const bool ok = finish(to, &l);
  scree_free(connectivity);
  scree_free(offsets);
  return ok;
}

/// Place of each id in the cloud, by id. Owned by the caller.
static scree_sort_item *index_ids(const scree_vtp_cloud *c) {
  scree_sort_item *item = scree_alloc(c->count, sizeof *item);
  scree_sort_item *scratch = scree_alloc(c->count, sizeof *scratch);
  for (uint64_t k = 0; k < c->count; k++) item[k] = (scree_sort_item){c->id[k], (scree_local)k};
  scree_sort(item, scratch, (scree_local)c->count);
  scree_free(scratch);
  return item;
}

static const double *centre_of(const scree_vtp_cloud *c, const scree_sort_item *by_id, uint64_t id,
                               scree_local *place) {
  uint64_t low = 0, high = c->count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (by_id[middle].key < id)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == c->count || by_id[low].key != id) return NULL;
  *place = by_id[low].value;
  return &c->points[3 * (uint64_t)by_id[low].value];
}

/// Bodies that touch through a periodic side are far apart in the picture.
static bool far_apart(const double *a, const double *b, double most) {
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > most * most;
}

bool scree_vtp_contacts(const char *path, const scree_vtp_cloud *c, uint64_t contacts,
                        const uint64_t *low, const uint64_t *high, const double *force) {
  FILE *to = start(path, 2 * contacts, 0, contacts);
  if (!to) return false;
  scree_sort_item *by_id = index_ids(c);
  double *ends = scree_alloc(6 * contacts, sizeof *ends),
         *size = scree_alloc(contacts, sizeof *size);
  for (uint64_t k = 0; k < contacts; k++) {
    const double *f = &force[3 * k];
    scree_local i = 0, j = 0;
    const double *a = centre_of(c, by_id, low[k], &i), *b = centre_of(c, by_id, high[k], &j);
    size[k] = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (b && c->radius && far_apart(a, b, 2 * (c->radius[i] + c->radius[j]))) b = NULL;
    const double reach = c->radius && size[k] > 0 ? c->radius[i] / size[k] : 0;
    for (int axis = 0; axis < 3 && a; axis++) {
      ends[6 * k + (uint64_t)axis] = a[axis];
      ends[6 * k + 3 + (uint64_t)axis] = b ? b[axis] : a[axis] + reach * f[axis];
    }
  }
  layout l = {0};
  int64_t *connectivity = count_up(2 * contacts, 0, 1), *offsets = count_up(contacts, 2, 2);
  const uint64_t one = contacts * sizeof(double);
  fputs("      <Points>\n", to);
  declare(to, &l, "points", "Float64", 3, ends, 6 * one);
  fputs("      </Points>\n      <Lines>\n", to);
  declare(to, &l, "connectivity", "Int64", 1, connectivity, 2 * one);
  declare(to, &l, "offsets", "Int64", 1, offsets, one);
  fputs("      </Lines>\n      <CellData Scalars=\"magnitude\" Vectors=\"force\">\n", to);
  declare(to, &l, "id1", "UInt64", 1, low, one);
  declare(to, &l, "id2", "UInt64", 1, high, one);
  declare(to, &l, "force", "Float64", 3, force, 3 * one);
  declare(to, &l, "magnitude", "Float64", 1, size, one);
  fputs("      </CellData>\n", to);
  const bool ok = finish(to, &l);
  scree_free(connectivity);
  scree_free(offsets);
  scree_free(ends);
  scree_free(size);
  scree_free(by_id);
  return ok;
}
