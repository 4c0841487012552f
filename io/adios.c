/// \file
/// The only file that knows ADIOS2: see scree/adios.h.
#include "scree/adios.h"

#include "scree/memory.h"

#include <adios2/common/ADIOSConfig.h>
#include <adios2_c.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *scree_adios_library_version(void) {
  return ADIOS2_VERSION_STR;
}

struct scree_adios {
  adios2_adios *library; ///< owned
  adios2_io *io;
  adios2_engine *engine;
  char *path; ///< owned
  bool failed;
};

scree_slab scree_slab_of(const scree_ranks *ranks, uint64_t rows, uint64_t columns) {
  int64_t *count = scree_alloc((size_t)ranks->size, sizeof *count);
  count[ranks->rank] = (int64_t)rows;
  scree_ranks_sum(ranks, count, ranks->size);
  scree_slab s = {.rows = rows, .columns = columns};
  for (int k = 0; k < ranks->size; k++) {
    if (k < ranks->rank) s.first += (uint64_t)count[k];
    s.all += (uint64_t)count[k];
  }
  scree_free(count);
  return s;
}

static adios2_type type_of(scree_adios_type type) {
  static const adios2_type known[] = {[SCREE_ADIOS_DOUBLE] = adios2_type_double,
                                      [SCREE_ADIOS_FLOAT] = adios2_type_float,
                                      [SCREE_ADIOS_INT32] = adios2_type_int32_t,
                                      [SCREE_ADIOS_INT64] = adios2_type_int64_t,
                                      [SCREE_ADIOS_UINT64] = adios2_type_uint64_t};
  return known[type];
}

// ---- opening and closing ----------------------------------------------------

static scree_adios *start(const scree_ranks *ranks, const char *path, const char *io) {
  scree_adios *f = scree_alloc(1, sizeof *f);
  // The user's settings, if there are any, win over ours.
  const char *settings = "adios2.xml";
  const bool theirs = access(settings, R_OK) == 0;
  f->path = scree_strdup(path);
  if (ranks->size == 1)
    f->library = theirs ? adios2_init_config_serial(settings) : adios2_init_serial();
  else
    f->library =
        theirs ? adios2_init_config_mpi(settings, ranks->comm) : adios2_init_mpi(ranks->comm);
  f->io = f->library ? adios2_declare_io(f->library, io) : NULL;
  return f;
}

/// Without the engine, which is closed or was never open.
static void finish(scree_adios *f) {
  if (f->library) adios2_finalize(f->library);
  scree_free(f->path);
  scree_free(f);
}

scree_adios *scree_adios_create(const scree_ranks *ranks, const scree_adios_target *target,
                                scree_error *error) {
  scree_adios *f = start(ranks, target->path, target->io);
  adios2_bool configured = adios2_false;
  bool ok = f->io && adios2_in_config_file(&configured, f->io) == adios2_error_none;
  if (ok && !configured) {
    ok = adios2_set_engine(f->io, target->engine) == adios2_error_none;
    if (ok && target->parameters)
      ok = adios2_set_parameters(f->io, target->parameters) == adios2_error_none;
  }
  if (ok)
    f->engine =
        adios2_open(f->io, target->path, target->append ? adios2_mode_append : adios2_mode_write);
  if (f->engine) return f;
  scree_error_set(error, SCREE_EXIT_FAILURE, "%.800s cannot be written by ADIOS2 (engine %s)",
                  target->path, target->engine);
  finish(f);
  return NULL;
}

scree_adios *scree_adios_open(const scree_ranks *ranks, const char *path, scree_error *error) {
  scree_adios *f = start(ranks, path, "read");
  if (f->io && adios2_set_engine(f->io, "BP5") == adios2_error_none)
    f->engine = adios2_open(f->io, path, adios2_mode_read);
  adios2_step_status status = adios2_step_status_other_error;
  if (f->engine) adios2_begin_step(f->engine, adios2_step_mode_read, 10, &status);
  if (status == adios2_step_status_ok) return f;
  scree_error_set(error, SCREE_EXIT_INPUT,
                  "%.800s cannot be read: it is not a BP5 file, or has no step", path);
  if (f->engine) adios2_close(f->engine);
  finish(f);
  return NULL;
}

bool scree_adios_next_step(scree_adios *f) {
  adios2_step_status status = adios2_step_status_other_error;
  return adios2_end_step(f->engine) == adios2_error_none &&
         adios2_begin_step(f->engine, adios2_step_mode_read, 0, &status) == adios2_error_none &&
         status == adios2_step_status_ok;
}

bool scree_adios_close(scree_adios *f) {
  if (!f) return true;
  const bool ok = !f->failed && adios2_close(f->engine) == adios2_error_none;
  // After a failure ADIOS2 would try again to write what it could not, and end the program when that fails too: leave it.
  if (!ok) f->library = NULL;
  finish(f);
  return ok;
}

// ---- writing ----------------------------------------------------------------

void scree_adios_put_text(scree_adios *f, const char *name, const char *text) {
  if (!adios2_inquire_attribute(f->io, name))
    f->failed |= !adios2_define_attribute(f->io, name, adios2_type_string, text);
}

void scree_adios_begin_step(scree_adios *f) {
  adios2_step_status status;
  f->failed |=
      adios2_begin_step(f->engine, adios2_step_mode_append, -1, &status) != adios2_error_none ||
      status != adios2_step_status_ok;
}

/// The variable called `name`, defined at its first use.
static adios2_variable *variable(scree_adios *f, const char *name, adios2_type type,
                                 size_t dimensions, const size_t *shape, const size_t *from,
                                 const size_t *count) {
  adios2_variable *v = adios2_inquire_variable(f->io, name);
  if (!v)
    return adios2_define_variable(f->io, name, type, dimensions, shape, from, count,
                                  adios2_constant_dims_false);
  if (dimensions > 0 && (adios2_set_shape(v, dimensions, shape) != adios2_error_none ||
                         adios2_set_selection(v, dimensions, from, count) != adios2_error_none))
    return NULL;
  return v;
}

void scree_adios_put(scree_adios *f, const char *name, scree_adios_type type, scree_slab s,
                     const void *data) {
  if (f->failed) return;
  const size_t shape[2] = {s.all, s.columns}, from[2] = {s.first, 0},
               count[2] = {s.rows, s.columns};
  adios2_variable *v = variable(f, name, type_of(type), s.columns > 0 ? 2 : 1, shape, from, count);
  f->failed |= !v || adios2_put(f->engine, v, data, adios2_mode_deferred) != adios2_error_none;
}

void scree_adios_put_number(scree_adios *f, const char *name, scree_adios_type type,
                            const void *number) {
  if (f->failed) return;
  adios2_variable *v = variable(f, name, type_of(type), 0, NULL, NULL, NULL);
  f->failed |= !v || adios2_put(f->engine, v, number, adios2_mode_sync) != adios2_error_none;
}

bool scree_adios_end_step(scree_adios *f) {
  f->failed |= adios2_end_step(f->engine) != adios2_error_none;
  return !f->failed;
}

// ---- reading ----------------------------------------------------------------

/// The variable, if it has this type and number of dimensions.
static adios2_variable *find(scree_adios *f, const char *name, scree_adios_type type,
                             size_t dimensions) {
  adios2_variable *v = adios2_inquire_variable(f->io, name);
  adios2_type there;
  size_t has;
  if (!v || adios2_variable_type(&there, v) != adios2_error_none || there != type_of(type) ||
      adios2_variable_ndims(&has, v) != adios2_error_none || has != dimensions)
    return NULL;
  return v;
}

bool scree_adios_rows(scree_adios *f, const char *name, uint64_t *rows) {
  adios2_variable *v = adios2_inquire_variable(f->io, name);
  size_t dimensions, shape[2];
  if (!v || adios2_variable_ndims(&dimensions, v) != adios2_error_none || dimensions < 1 ||
      dimensions > 2 || adios2_variable_shape(shape, v) != adios2_error_none)
    return false;
  *rows = shape[0];
  return true;
}

bool scree_adios_get(scree_adios *f, const char *name, scree_adios_type type, scree_slab s,
                     void *data) {
  const size_t dimensions = s.columns > 0 ? 2 : 1;
  adios2_variable *v = find(f, name, type, dimensions);
  size_t shape[2] = {0, 0};
  if (!v || adios2_variable_shape(shape, v) != adios2_error_none || shape[0] < s.first + s.rows ||
      (s.columns > 0 && shape[1] != s.columns))
    return false;
  if (s.rows == 0) return true;
  const size_t from[2] = {s.first, 0}, count[2] = {s.rows, s.columns};
  return adios2_set_selection(v, dimensions, from, count) == adios2_error_none &&
         adios2_get(f->engine, v, data, adios2_mode_sync) == adios2_error_none;
}

bool scree_adios_get_real(scree_adios *f, const char *name, scree_slab s, double *data) {
  if (scree_adios_get(f, name, SCREE_ADIOS_DOUBLE, s, data)) return true;
  const size_t count = (size_t)s.rows * (s.columns ? s.columns : 1);
  float *single = scree_alloc(count, sizeof *single);
  const bool ok = scree_adios_get(f, name, SCREE_ADIOS_FLOAT, s, single);
  for (size_t k = 0; ok && k < count; k++) data[k] = (double)single[k];
  scree_free(single);
  return ok;
}

bool scree_adios_get_number(scree_adios *f, const char *name, scree_adios_type type, void *number) {
  adios2_variable *v = find(f, name, type, 0);
  return v && adios2_get(f->engine, v, number, adios2_mode_sync) == adios2_error_none;
}

char *scree_adios_get_text(scree_adios *f, const char *name) {
  adios2_attribute *a = adios2_inquire_attribute(f->io, name);
  adios2_type type;
  if (!a || adios2_attribute_type(&type, a) != adios2_error_none || type != adios2_type_string)
    return NULL;
  // The C interface tells no length, and copies whole texts. Ours are decks at most, of bounded size.
  size_t size = 1;
  char *text = scree_alloc((size_t)8 << 20, 1);
  if (adios2_attribute_data(text, &size, a) != adios2_error_none) text[0] = '\0';
  char *copy = scree_strdup(text);
  scree_free(text);
  return copy;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const scree_adios_array *)a)->name, ((const scree_adios_array *)b)->name);
}

void scree_adios_each(scree_adios *f, void (*visit)(const scree_adios_array *, void *),
                      void *context) {
  enum { longest = 128 };
  adios2_variable **list = NULL;
  size_t count = 0;
  if (adios2_inquire_all_variables(&list, &count, f->io) != adios2_error_none) return;
  scree_adios_array *array = scree_alloc(count, sizeof *array);
  char(*text)[2][longest] = scree_alloc(count, sizeof *text);
  for (size_t k = 0; k < count; k++) {
    size_t name = longest - 1, type = longest - 1, shape[8] = {0};
    adios2_variable_name(text[k][0], &name, list[k]);
    adios2_variable_type_string(text[k][1], &type, list[k]);
    array[k] = (scree_adios_array){.name = text[k][0], .type = text[k][1]};
    adios2_variable_ndims(&array[k].dimensions, list[k]);
    if (array[k].dimensions > 0 && array[k].dimensions <= 2) {
      adios2_variable_shape(shape, list[k]);
      array[k].shape[0] = shape[0];
      array[k].shape[1] = shape[1];
    }
  }
  qsort(array, count, sizeof *array, by_name);
  for (size_t k = 0; k < count; k++) visit(&array[k], context);
  free(list);
  scree_free(array);
  scree_free(text);
}
