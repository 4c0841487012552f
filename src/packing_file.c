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
  uint64_t cursor; ///< atom the next velocity most likely belongs to
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

static bool check_row(reader *r, const scree_packing_body *b) {
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
      if (errno || strchr(word, '-') || b->id >> 62)
        return refuse(r, "an id is not a number from 0 to 2^62");
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
    if (r->text[0] == '\0' || r->text[0] == '#') continue;
    if (fields == 0) {
      if (!read_header(r, meaning, &fields)) return false;
    } else if (!read_fields(r, meaning, fields)) {
      return false;
    }
  }
  return true;
}

// ---- LAMMPS data ------------------------------------------------------------

/// "xlo xhi" and the like in the header.
static void read_bounds(reader *r) {
  static const char *const word[] = {"xlo xhi", "ylo yhi", "zlo zhi"};
  for (int axis = 0; axis < 3; axis++)
    if (strstr(r->text, word[axis]) &&
        sscanf(r->text, "%lf %lf", &r->low[axis], &r->high[axis]) == 2)
      r->box = true;
}

static bool read_atom(reader *r) {
  unsigned long long id;
  double diameter, density, x, y, z;
  int type;
  if (sscanf(r->text, "%llu %d %lf %lf %lf %lf %lf", &id, &type, &diameter, &density, &x, &y, &z) !=
      7)
    return refuse(r, "expected an atom of style sphere: id type diameter density x y z");
  scree_packing_body *b = new_row(r);
  b->id = id;
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
      read_bounds(r);
    } else if (section == atoms) {
      if (!read_atom(r)) return false;
    } else if (section == velocities && !read_velocity(r)) {
      return false;
    }
  }
  return true;
}

// ---- either -----------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

bool scree_packing_read(const char *path, int dimension, scree_packing_body **row, uint64_t *count,
                        bool *box, scree_vec *low, scree_vec *high, scree_error *error) {
  reader r = {.path = path, .dimension = dimension, .error = error, .file = fopen(path, "r")};
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
  *row = r.row;
  *count = r.count;
  *box = r.box;
  *low = (scree_vec){r.low[0], r.low[1], r.low[2]};
  *high = (scree_vec){r.high[0], r.high[1], r.high[2]};
  return true;
}
