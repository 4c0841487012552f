/// \file
/// Rules between keys of a deck: what no single key can tell. Each failure points at the key to
/// mend.
#include "deck_schema.h"
#include "nearest.h"
#include "scree/deck.h"
#include "scree/memory.h"
#include "scree/packing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// The node at "a.b[2].c"; the tree is complete, so it is there.
static const scree_yaml *locate(const scree_yaml *root, const char *format, ...) SCREE_PRINTF(2, 3);
static const scree_yaml *locate(const scree_yaml *root, const char *format, ...) {
  char path[256];
  va_list args;
  va_start(args, format);
  vsnprintf(path, sizeof path, format, args);
  va_end(args);
  const scree_yaml *node = root;
  for (char *rest = path, *step; node && (step = strsep(&rest, ".[")) != NULL;) {
    int index;
    if (sscanf(step, "%d]", &index) == 1 && strchr(step, ']')) {
      for (node = node->first; node && index > 0; index--) node = node->next;
    } else {
      node = scree_yaml_find(node, step);
    }
  }
  SCREE_CHECK(node, "no node in the deck at '%s'", path);
  return node;
}

// ---- dimension -------------------------------------------------------------

/// A vector of the deck, and where it stands: a path, with the number of the list entry if it has
/// one.
typedef struct place {
  const char *path;
  uint32_t entry;
} place;

static const scree_yaml *locate_place(const scree_yaml *root, place at) {
  const char *hole = strstr(at.path, "[]");
  if (!hole) return locate(root, "%s", at.path);
  return locate(root, "%.*s[%u]%s", (int)(hole - at.path), at.path, at.entry, hole + 2);
}

static bool in_plane(scree_vec v, const scree_yaml *root, place at, scree_error *error) {
  if (v.z == 0) return true;
  return scree_yaml_error(locate_place(root, at), error,
                          "with dimension 2 the third component must be 0, got %g", v.z);
}

static bool about_z(scree_vec v, const scree_yaml *root, place at, scree_error *error) {
  if (v.x == 0 && v.y == 0) return true;
  return scree_yaml_error(locate_place(root, at), error,
                          "with dimension 2 bodies spin about z only: expected [0, 0, w]");
}

static bool check_plane_lists(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  for (uint32_t i = 0; i < deck->packing.list_count; i++) {
    const scree_deck_body *b = &deck->packing.list[i];
    if (!in_plane(b->position, root, (place){"packing.list[].position", i}, error) ||
        !in_plane(b->velocity, root, (place){"packing.list[].velocity", i}, error) ||
        !about_z(b->angular_velocity, root, (place){"packing.list[].angular_velocity", i}, error))
      return false;
  }
  for (uint32_t i = 0; i < deck->forces.constant_count; i++)
    if (!in_plane(deck->forces.constant[i].force, root, (place){"forces.constant[].force", i},
                  error))
      return false;
  return true;
}

/// In two dimensions everything stays in the plane z = 0.
static bool check_plane(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  const scree_deck_packing *p = &deck->packing;
  if (!in_plane(p->velocity, root, (place){"packing.velocity", 0}, error) ||
      !about_z(p->angular_velocity, root, (place){"packing.angular_velocity", 0}, error) ||
      !in_plane(deck->forces.gravity, root, (place){"forces.gravity", 0}, error))
    return false;
  if (p->chain &&
      (!in_plane(p->chain->origin, root, (place){"packing.chain.origin", 0}, error) ||
       !in_plane(p->chain->direction, root, (place){"packing.chain.direction", 0}, error)))
    return false;
  if (p->replicate[2] != 1)
    return scree_yaml_error(locate(root, "packing.replicate"), error,
                            "with dimension 2 there are no copies along z");
  if (p->loose && !in_plane(p->loose->origin, root, (place){"packing.loose.origin", 0}, error))
    return false;
  if (p->lattice) {
    if (!in_plane(p->lattice->origin, root, (place){"packing.lattice.origin", 0}, error))
      return false;
    if (p->lattice->cells[2] != 1)
      return scree_yaml_error(locate(root, "packing.lattice.cells"), error,
                              "with dimension 2 expected [nx, ny], got %lld cells along z",
                              (long long)p->lattice->cells[2]);
  }
  return check_plane_lists(deck, root, error);
}

static bool check_lattice(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  const scree_deck_lattice *l = deck->packing.lattice;
  if (!l) return true;
  const int needs = l->kind == SCREE_LATTICE_SQUARE || l->kind == SCREE_LATTICE_HEXAGONAL ? 2 : 3;
  if (deck->packing.dimension == needs) return true;
  return scree_yaml_error(
      locate(root, "packing.lattice.kind"), error,
      "this lattice exists in %d dimensions, but packing.dimension is %d; use %s", needs,
      (int)deck->packing.dimension, needs == 2 ? "cubic or fcc" : "square or hexagonal");
}

// ---- names -----------------------------------------------------------------

static bool check_names_unique(const scree_deck *deck, const scree_name_index *names,
                               const scree_yaml *root, scree_error *error) {
  const uint32_t first_of_list = deck->packing.names_count;
  for (size_t i = 1; i < names->count; i++) {
    const scree_name_entry *twin = &names->entry[i];
    if (strcmp(names->entry[i - 1].name, twin->name) != 0) continue;
    const place at = twin->declared < first_of_list
                         ? (place){"packing.names[].name", twin->declared}
                         : (place){"packing.list[].name", twin->declared - first_of_list};
    return scree_yaml_error(locate_place(root, at), error,
                            "the name '%s' is given twice; names must differ", twin->name);
  }
  return true;
}

static bool check_ids(const scree_deck *deck, const scree_packing *packing, const scree_yaml *root,
                      scree_error *error) {
  for (uint32_t i = 0; i < deck->packing.names_count; i++)
    if (!scree_packing_has(packing, deck->packing.names[i].id))
      return scree_yaml_error(locate(root, "packing.names[%u].id", i), error,
                              "there is no body %llu among the %llu of this packing",
                              (unsigned long long)deck->packing.names[i].id,
                              (unsigned long long)packing->count);
  return true;
}

/// `name`, used at a place of the deck, must be the name of a body.
static bool check_reference(const scree_name_index *names, const char *name, const scree_yaml *root,
                            place at, scree_error *error) {
  if (scree_name_index_find(names, name)) return true;
  const char **known = scree_alloc(names->count + 1, sizeof *known);
  for (size_t i = 0; i < names->count; i++) known[i] = names->entry[i].name;
  const char *nearest = scree_nearest(name, known);
  scree_free(known);
  const scree_yaml *node = locate_place(root, at);
  if (nearest)
    return scree_yaml_error(node, error, "no body is called '%s'; did you mean '%s'?", name,
                            nearest);
  return scree_yaml_error(node, error, "no body is called '%s'; names are given in packing.names",
                          name);
}

static bool check_references(const scree_deck *deck, const scree_name_index *names,
                             const scree_yaml *root, scree_error *error) {
  for (uint32_t i = 0; i < deck->forces.constant_count; i++)
    if (!check_reference(names, deck->forces.constant[i].body, root,
                         (place){"forces.constant[].body", i}, error))
      return false;
  const scree_deck_series *series = &deck->output.series;
  for (uint32_t i = 0; i < series->track_count; i++) {
    if (!check_reference(names, series->track[i], root, (place){"output.series.track[]", i}, error))
      return false;
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(series->track[k], series->track[i]) == 0)
        return scree_yaml_error(locate(root, "output.series.track[%u]", i), error,
                                "'%s' is tracked twice", series->track[i]);
  }
  return true;
}

static bool check_names(const scree_deck *deck, const scree_packing *packing,
                        const scree_yaml *root, scree_error *error) {
  scree_name_index names = scree_name_index_create(deck);
  const bool ok = check_names_unique(deck, &names, root, error) &&
                  check_ids(deck, packing, root, error) &&
                  check_references(deck, &names, root, error);
  scree_name_index_destroy(&names);
  return ok;
}

/// Either all bodies of a list have an id, or none.
static bool check_list_ids(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  const scree_deck_packing *p = &deck->packing;
  for (uint32_t i = 1; i < p->list_count; i++)
    if (!p->list[i].id != !p->list[0].id)
      return scree_yaml_error(locate(root, "packing.list[%u]", i), error,
                              "either every body of the list has an id, or none");
  return true;
}

// ---- walls ------------------------------------------------------------------

static bool check_piston(const scree_deck_wall *w, const scree_yaml *root, uint32_t i,
                         scree_error *error) {
  if (!w->mass && w->force_count > 0)
    return scree_yaml_error(locate(root, "walls[%u].force", i), error,
                            "a wall moved by a force needs a mass");
  if (!w->mass) return true;
  if (!w->plane)
    return scree_yaml_error(locate(root, "walls[%u].mass", i), error,
                            "a box cannot be a piston; make one of its sides a plane");
  if (w->force_count == 0)
    return scree_yaml_error(locate(root, "walls[%u]", i), error,
                            "a wall with a mass needs a force: [[0, F]]");
  if (w->velocity.x != 0 || w->velocity.y != 0 || w->velocity.z != 0)
    return scree_yaml_error(locate(root, "walls[%u].velocity", i), error,
                            "a wall moved by a force starts at rest");
  for (uint32_t k = 1; k < w->force_count; k++)
    if (w->force[k][0] < w->force[k - 1][0])
      return scree_yaml_error(locate(root, "walls[%u].force[%u]", i, k), error,
                              "times must not go back: %g after %g", w->force[k][0],
                              w->force[k - 1][0]);
  return true;
}

static bool check_shape(const scree_deck *deck, const scree_yaml *root, uint32_t i,
                        scree_error *error) {
  const scree_deck_wall *w = &deck->walls[i];
  const bool flat = deck->packing.dimension == 2;
  if (w->plane) {
    const scree_vec n = w->plane->normal;
    if ((n.x == 0 && n.y == 0 && n.z == 0) || (flat && n.z != 0))
      return scree_yaml_error(locate(root, "walls[%u].plane.normal", i), error,
                              "expected a direction%s, a vector other than 0",
                              flat ? " in the x-y plane" : "");
    return true;
  }
  const scree_vec low = w->box->low, high = w->box->high;
  if (low.x < high.x && low.y < high.y && (flat || low.z < high.z)) return true;
  return scree_yaml_error(locate(root, "walls[%u].box", i), error,
                          "low must be below high in every direction");
}

static bool check_walls(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  for (uint32_t i = 0; i < deck->walls_count; i++) {
    if (!check_shape(deck, root, i, error) || !check_piston(&deck->walls[i], root, i, error))
      return false;
    if (deck->packing.dimension == 2 &&
        !in_plane(deck->walls[i].velocity, root, (place){"walls[].velocity", i}, error))
      return false;
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(deck->walls[i].name, deck->walls[k].name) == 0)
        return scree_yaml_error(locate(root, "walls[%u].name", i), error,
                                "the name '%s' is given twice; names must differ",
                                deck->walls[i].name);
  }
  return true;
}

static bool check_domain(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  const scree_deck_domain *d = &deck->domain;
  if (deck->packing.dimension == 2 && d->periodic[2])
    return scree_yaml_error(locate(root, "domain.periodic"), error,
                            "with dimension 2 there is no third direction");
  if (!d->low != !d->high)
    return scree_yaml_error(locate(root, "domain"), error, "low and high come together");
  return true;
}

// ---- all of them -----------------------------------------------------------

static bool check_direction(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  const scree_deck_chain *c = deck->packing.chain;
  if (!c || c->direction.x != 0 || c->direction.y != 0 || c->direction.z != 0) return true;
  return scree_yaml_error(locate(root, "packing.chain.direction"), error,
                          "expected a direction, a vector other than 0");
}

static bool check_body(const scree_deck *deck, const scree_packing_body *b, const scree_yaml *root,
                       scree_error *error) {
  const double mass =
      scree_body_mass((int)deck->packing.dimension, b->radius, deck->material.density);
  if (!isnormal(mass) || !isnormal(1 / mass))
    return scree_yaml_error(locate(root, "packing"), error,
                            "body %llu has the radius %g and so the mass %g",
                            (unsigned long long)b->id, b->radius, mass);
  if (isfinite(b->position.x + b->position.y + b->position.z)) return true;
  return scree_yaml_error(locate(root, "packing"), error, "body %llu has no finite position",
                          (unsigned long long)b->id);
}

/// Masses and positions are finite. Of a packing that is computed the last body is as far out as any.
static bool check_bodies(const scree_deck *deck, const scree_packing *packing,
                         const scree_yaml *root, scree_error *error) {
  const uint64_t looked_at = packing->row ? packing->base_count : 1;
  for (uint64_t k = 0; k < looked_at; k++) {
    const scree_packing_body b = scree_packing_get(packing, k);
    if (!check_body(deck, &b, root, error)) return false;
  }
  const scree_packing_body last = scree_packing_get(packing, packing->count - 1);
  return check_body(deck, &last, root, error);
}

static bool check_time(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  if (isfinite((double)deck->run.steps * deck->solver.time_step)) return true;
  return scree_yaml_error(locate(root, "solver.time_step"), error,
                          "%lld steps of %g have no finite end", (long long)deck->run.steps,
                          deck->solver.time_step);
}

/// A packing that can be looked at: files are there, bodies fit.
static bool check_packing(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  scree_packing packing;
  scree_error reason;
  if (!scree_packing_create(deck, &packing, &reason))
    return scree_yaml_error(locate(root, "packing"), error, "%s", reason.text);
  const bool ok =
      check_bodies(deck, &packing, root, error) && check_names(deck, &packing, root, error);
  scree_packing_destroy(&packing);
  return ok;
}

/// Names of fields; engines write what they are told.
static bool check_fields(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  static const char *const known[] = {"points", "v",    "omega",    "radius", "mass",
                                      "type",   "rank", "contacts", NULL};
  const scree_deck_fields *fields = &deck->output.fields;
  for (uint32_t i = 0; i < fields->variables_count; i++) {
    const char *name = fields->variables[i];
    int k = 0;
    while (known[k] && strcmp(known[k], name) != 0) k++;
    if (known[k]) continue;
    const scree_yaml *node = locate(root, "output.fields.variables[%u]", i);
    const char *nearest = scree_nearest(name, known);
    if (nearest)
      return scree_yaml_error(node, error, "unknown field '%s'; did you mean '%s'?", name, nearest);
    return scree_yaml_error(
        node, error,
        "unknown field '%s'; expected points, v, omega, radius, mass, type, rank or "
        "contacts",
        name);
  }
  if (deck->output.stream[0] && fields->every == 0)
    return scree_yaml_error(locate(root, "output.stream"), error,
                            "a stream needs an interval: set output.fields.every");
  return true;
}

bool scree_deck_check_rules(const scree_deck *deck, const scree_yaml *root, scree_error *error) {
  if (deck->packing.dimension == 2 && !check_plane(deck, root, error)) return false;
  return check_lattice(deck, root, error) && check_direction(deck, root, error) &&
         check_time(deck, root, error) && check_fields(deck, root, error) &&
         check_domain(deck, root, error) && check_walls(deck, root, error) &&
         check_list_ids(deck, root, error) && check_packing(deck, root, error);
}
