/// \file
/// Packings from files: CSV with named columns, and LAMMPS data files of atom style sphere. Every
/// error names file and line.
#include "scree/memory.h"
#include "scree/packing.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  const char *path;
  FILE *file;
  char *text; ///< the current line; from getline
  size_t room;
  long line;
  int dimension;
  scree_packing_body *row; ///< owned until handed over
  uint64_t count, capacity;
  uint64_t cursor;   ///< atom the next velocity most likely belongs to
  double density;    ///< of the deck's material
  uint64_t declared; ///< atoms a LAMMPS header announces
  int bounds;        ///< directions whose bounds it gives
  bool box;
  double low[3], high[3];
  scree_error *error;
} reader;

static bool refuse(reader *r, const char *message) {
  return scree_error_set(r->error, SCREE_EXIT_INPUT, "%s:%ld: %s", r->path, r->line, message);
}

static bool next_line(reader *r) {
  const ssize_t length = getline(&r->text, &r->room, r->file);
  if (length < 0) return false;
  r->line++;
  r->text[strcspn(r->text, "\r\n")] = '\0';
  return true;
}

static scree_packing_body *new_row(reader *r) {
  if (r->count == r->capacity) {
    r->capacity = r->capacity ? 2 * r->capacity : 1024;
    r->row = scree_realloc(r->row, r->capacity, sizeof *r->row);
  }
  r->row[r->count] = (scree_packing_body){.id = r->count};
  return &r->row[r->count++];
}

/// Ids as a deck can name them, and below those of walls by far.
static const uint64_t most_id = 9000000000000000;

static bool check_row(reader *r, const scree_packing_body *b) {
  if (b->id > most_id) return refuse(r, "an id is not a number from 0 to 9e15");
  const double sum = b->position.x + b->position.y + b->position.z + b->radius + b->velocity.x +
                     b->velocity.y + b->velocity.z + b->angular_velocity.x + b->angular_velocity.y +
                     b->angular_velocity.z;
  if (!isfinite(sum)) return refuse(r, "a number is not finite");
  if (b->radius <= 0) return refuse(r, "a radius is not positive");
  if (r->dimension == 2 && (b->position.z != 0 || b->velocity.z != 0 ||
                            b->angular_velocity.x != 0 || b->angular_velocity.y != 0))
    return refuse(r, "with dimension 2 a body stays in the plane z = 0");
  return true;
}

// ---- CSV --------------------------------------------------------------------

static const char *const column_name[] = {"id", "x",  "y",  "z",  "radius", "vx",
                                          "vy", "vz", "wx", "wy", "wz"};
enum { columns = sizeof column_name / sizeof column_name[0], most_fields = 64 };

static bool read_header(reader *r, int *meaning, int *fields) {
  bool there[columns] = {false};
  char *rest = r->text;
  *fields = 0;
  for (char *word; (word = strsep(&rest, ",")) != NULL; (*fields)++) {
    if (*fields == most_fields) return refuse(r, "more than 64 columns");
    word += strspn(word, " \t");
    word[strcspn(word, " \t")] = '\0';
    meaning[*fields] = -1;
    for (int c = 0; c < columns; c++)
      if (strcmp(word, column_name[c]) == 0) {
        if (there[c]) return refuse(r, "a column stands twice");
        there[c] = true;
        meaning[*fields] = c;
      }
    if (meaning[*fields] < 0)
      return refuse(r, "unknown column; known are id, x, y, z, radius, vx, vy, vz, wx, wy, wz");
  }
  if (!there[1] || !there[2] || !there[4] || (r->dimension == 3 && !there[3]))
    return refuse(r, r->dimension == 3 ? "columns x, y, z and radius are needed"
                                       : "columns x, y and radius are needed");
  return true;
}

static bool read_fields(reader *r, const int *meaning, int fields) {
  scree_packing_body *b = new_row(r);
  double *value[columns] = {NULL,
                            &b->position.x,
                            &b->position.y,
                            &b->position.z,
                            &b->radius,
                            &b->velocity.x,
                            &b->velocity.y,
                            &b->velocity.z,
                            &b->angular_velocity.x,
                            &b->angular_velocity.y,
                            &b->angular_velocity.z};
  char *rest = r->text;
  int field = 0;
  for (char *word; (word = strsep(&rest, ",")) != NULL; field++) {
    if (field == fields) return refuse(r, "more fields than columns");
    char *end;
    errno = 0;
    if (meaning[field] == 0) {
      b->id = strtoull(word, &end, 10);
      if (errno || strchr(word, '-')) b->id = UINT64_MAX; // refused with the row
    } else {
      *value[meaning[field]] = strtod(word, &end);
    }
    if (end == word || end[strspn(end, " \t")]) return refuse(r, "a field is not a number");
  }
  if (field < fields) return refuse(r, "fewer fields than columns");
  return check_row(r, b);
}

static bool read_csv(reader *r) {
  int meaning[most_fields], fields = 0;
  while (next_line(r)) {
    if (r->line == 1 && strncmp(r->text, "\xEF\xBB\xBF", 3) == 0)
      memmove(r->text, r->text + 3, strlen(r->text) - 2);
    if (r->text[strspn(r->text, " \t")] == '\0' || r->text[0] == '#') continue;
    if (fields == 0) {
      if (!read_header(r, meaning, &fields)) return false;
    } else if (!read_fields(r, meaning, fields)) {
      return false;
    }
  }
  return true;
}

// ---- LAMMPS data ------------------------------------------------------------

/// What the header tells: bounds, number of atoms.
static bool read_header_line(reader *r) {
  static const char *const word[] = {"xlo xhi", "ylo yhi", "zlo zhi"};
  for (int axis = 0; axis < 3; axis++)
    if (strstr(r->text, word[axis]) &&
        sscanf(r->text, "%lf %lf", &r->low[axis], &r->high[axis]) == 2)
      r->bounds++;
  r->box = r->bounds == 3;
  double xy, xz, yz;
  if (strstr(r->text, "xy xz yz") && sscanf(r->text, "%lf %lf %lf", &xy, &xz, &yz) == 3 &&
      (xy != 0 || xz != 0 || yz != 0))
    return refuse(r, "a tilted box is not supported");
  unsigned long long atoms;
  char unit[16];
  if (sscanf(r->text, "%llu %15s", &atoms, unit) == 2 && strcmp(unit, "atoms") == 0)
    r->declared = atoms;
  return true;
}

static bool read_atom(reader *r) {
  long long id;
  double diameter, density, x, y, z;
  int type;
  if (sscanf(r->text, "%lld %d %lf %lf %lf %lf %lf", &id, &type, &diameter, &density, &x, &y, &z) !=
      7)
    return refuse(r, "expected an atom of style sphere: id type diameter density x y z");
  if (!(fabs(density / r->density - 1) < 1e-9))
    return refuse(r, "the density of this atom is not material.density; they must agree");
  scree_packing_body *b = new_row(r);
  b->id = id < 0 ? UINT64_MAX : (uint64_t)id;
  b->position = (scree_vec){x, y, r->dimension == 2 ? 0 : z};
  b->radius = 0.5 * diameter;
  return check_row(r, b);
}

static bool read_velocity(reader *r) {
  unsigned long long id;
  scree_vec v, w;
  if (sscanf(r->text, "%llu %lf %lf %lf %lf %lf %lf", &id, &v.x, &v.y, &v.z, &w.x, &w.y, &w.z) != 7)
    return refuse(r, "expected a velocity: id vx vy vz wx wy wz");
  // As a rule velocities come in the order of the atoms.
  for (uint64_t k = 0; k < r->count; k++, r->cursor++) {
    scree_packing_body *b = &r->row[r->cursor % r->count];
    if (b->id != id) continue;
    b->velocity = v;
    b->angular_velocity = w;
    return check_row(r, b);
  }
  return refuse(r, "a velocity for an atom that is not there");
}

static bool read_lammps(reader *r) {
  enum { header, atoms, velocities, other } section = header;
  next_line(r); // the first line is a comment
  while (next_line(r)) {
    const char *comment = strchr(r->text, '#');
    const char *start = r->text + strspn(r->text, " \t");
    if (*start == '\0' || *start == '#') continue;
    if (strncmp(start, "Atoms", 5) == 0) {
      if (comment && !strstr(comment, "sphere")) return refuse(r, "expected atoms of style sphere");
      section = atoms;
    } else if (strncmp(start, "Velocities", 10) == 0) {
      section = velocities;
    } else if (strspn(start, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") > 0) {
      section = other; // Masses and the like: not our business
    } else if (section == header) {
      if (!read_header_line(r)) return false;
    } else if (section == atoms) {
      if (!read_atom(r)) return false;
    } else if (section == velocities && !read_velocity(r)) {
      return false;
    }
  }
  if (r->declared == r->count) return true;
  return scree_error_set(r->error, SCREE_EXIT_INPUT,
                         "%.800s: %llu atoms are announced, %llu are there", r->path,
                         (unsigned long long)r->declared, (unsigned long long)r->count);
}

// ---- either -----------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

bool scree_packing_read(scree_packing *p, scree_error *error) {
  const char *path = p->deck->packing.file;
  reader r = {.path = path,
              .dimension = (int)p->deck->packing.dimension,
              .density = p->deck->material.density,
              .error = error,
              .file = fopen(path, "r")};
  if (!r.file)
    return scree_error_set(error, SCREE_EXIT_INPUT, "%s: cannot be opened: %s", path,
                           strerror(errno));
  bool ok = ends_with(path, ".data") || ends_with(path, ".lmp") ? read_lammps(&r) : read_csv(&r);
  if (ok && ferror(r.file))
    ok = scree_error_set(error, SCREE_EXIT_INPUT, "%s: cannot be read: %s", path, strerror(errno));
  if (ok && r.count == 0)
    ok = scree_error_set(error, SCREE_EXIT_INPUT, "%s: holds no bodies", path);
  fclose(r.file);
  free(r.text);
  if (!ok) {
    scree_free(r.row);
    return false;
  }
  p->row = r.row;
  p->base_count = r.count;
  p->has_box = r.box;
  p->low = (scree_vec){r.low[0], r.low[1], r.low[2]};
  p->high = (scree_vec){r.high[0], r.high[1], r.high[2]};
  return true;
}
