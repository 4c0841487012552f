/// \file
/// YAML tree: structure, places, what is refused, --set.
#include "scree/yaml_tree.h"
#include "scree/memory.h"
#include "scree_test.h"

#include <stdlib.h>
#include <string.h>

static scree_yaml *parse(const char *text) {
  scree_error error;
  scree_yaml *root = scree_yaml_parse(text, strlen(text), "deck", &error);
  if (!root) fail_msg("%s", error.text);
  return root;
}

static void assert_refused(const char *text, const char *expected) {
  scree_error error = {.text = ""};
  scree_yaml *root = scree_yaml_parse(text, strlen(text), "deck", &error);
  if (root) fail_msg("accepted: %s", text);
  if (!strstr(error.text, expected)) fail_msg("'%s' is not in '%s'", expected, error.text);
  assert_int_equal(error.exit_code, SCREE_EXIT_INPUT);
}

static void keeps_structure_and_places(void **state) {
  (void)state;
  scree_yaml *root = parse("a: 1\nb:\n  - {c: x}\n  - {c: 'y', d: [1, 2]}\n");
  assert_int_equal(root->count, 2);
  const scree_yaml *b = scree_yaml_find(root, "b");
  assert_int_equal(b->kind, SCREE_YAML_SEQUENCE);
  const scree_yaml *d = scree_yaml_find(b->last, "d");
  assert_int_equal(d->line, 4);
  assert_int_equal(d->column, 14);
  assert_true(scree_yaml_find(b->last, "c")->quoted);
  char path[64];
  assert_string_equal(scree_yaml_path(d->last, path, sizeof path), "b[1].d[1]");
  scree_error error;
  assert_false(scree_yaml_error(d, &error, "wrong %d", 7));
  assert_string_equal(error.text, "deck:4:14: b[1].d: wrong 7");
  scree_yaml_destroy(root);
}

static void reads_what_editors_write(void **state) {
  (void)state;
  scree_yaml *root = parse("\xEF\xBB\xBF# comment\r\na: 1\r\nb: [2,\r\n  3]\r\n");
  assert_string_equal(scree_yaml_find(root, "a")->text, "1");
  assert_int_equal(scree_yaml_find(root, "b")->line, 3);
  assert_int_equal(scree_yaml_find(root, "b")->count, 2);
  scree_yaml_destroy(root);
}

static void refuses_what_decks_do_not_use(void **state) {
  (void)state;
  assert_refused("", "is empty");
  assert_refused("# only a comment\n", "is empty");
  assert_refused("a: 1\na: 2\n", "deck:2:1: a: duplicate key; it stands already in line 1");
  assert_refused("a: &x 1\nb: *x\n", "deck:1:4: anchors, aliases and tags");
  assert_refused("a: !!float 1\n", "anchors, aliases and tags");
  assert_refused("a: 1\n---\nb: 2\n", "a second document");
  assert_refused("%TAG ! x\n---\na: 1\n", "directives are not used");
  assert_refused("a: 1\n%YAML 1.1\n", "directives are not used");
  assert_refused("\"a\\nb\": 1\n", "a key must be a plain word");
  assert_refused("a: [1, 2\n", "not valid YAML");
  assert_refused("a: b: c\n", "not valid YAML");
  assert_refused("\ta: 1\n", "not valid YAML");
  assert_refused("? [a]\n: b\n", "a key must be a plain word");
  assert_refused("a: \"x\\0y\"\n", "zero byte");
  assert_refused("\xff\xfe\xfa\xfb\xfc", "not UTF-8 text");
}

static void bounds_depth_and_width(void **state) {
  (void)state;
  char deep[2 * SCREE_YAML_MAX_DEPTH + 100] = "a: ";
  memset(deep + 3, '[', SCREE_YAML_MAX_DEPTH + 10);
  assert_refused(deep, "levels deep");
  char *wide = malloc(20 * (SCREE_YAML_MAX_KEYS + 10));
  size_t used = 0;
  for (int i = 0; i < SCREE_YAML_MAX_KEYS + 5; i++)
    used += (size_t)sprintf(wide + used, "k%d: 1\n", i);
  assert_refused(wide, "more than 64 keys");
  free(wide);
}

static void set_replaces_and_adds(void **state) {
  (void)state;
  scree_yaml *root = parse("a: {b: 1}\nl: [{x: 1}, {x: 2}]\n");
  scree_error error;
  assert_true(scree_yaml_set(root, "--set a.b=[5, 6]", "a.b=[5, 6]", &error));
  assert_true(scree_yaml_set(root, "--set l[1].x=7", "l[1].x=7", &error));
  assert_true(scree_yaml_set(root, "--set new.deep.key=v=w", "new.deep.key=v=w", &error));
  assert_int_equal(scree_yaml_find(scree_yaml_find(root, "a"), "b")->count, 2);
  assert_string_equal(scree_yaml_find(scree_yaml_find(root, "l")->last, "x")->text, "7");
  const scree_yaml *deep = scree_yaml_find(scree_yaml_find(root, "new"), "deep");
  assert_string_equal(scree_yaml_find(deep, "key")->text, "v=w");
  assert_int_equal(root->count, 3);
  assert_string_equal(root->last->key, "new");
  scree_yaml_error(scree_yaml_find(deep, "key"), &error, "bad");
  assert_string_equal(error.text, "--set new.deep.key=v=w: new.deep.key: bad");
  scree_yaml_destroy(root);
}

static void set_refuses_nonsense(void **state) {
  (void)state;
  scree_yaml *root = parse("a: 1\nl: [1]\n");
  static const char *const wrong[] = {
      "--set a",      "--set =1",      "--set a=",      "--set a.b=1",   "--set l.x=1",
      "--set l[1]=2", "--set l[-1]=1", "--set .a=1",    "--set a.=1",    "--set a..b=1",
      "--set l[=1",   "--set l[ 0]=1", "--set l[+0]=1", "--set l[0]x=1", "--set a=[1, 2",
      "--set a=*b",   "--set ",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    scree_error error = {.text = ""};
    if (scree_yaml_set(root, wrong[i], wrong[i] + 6, &error)) fail_msg("accepted: %s", wrong[i]);
    if (strncmp(error.text, wrong[i], strlen(wrong[i])) != 0)
      fail_msg("%s: %s", wrong[i], error.text);
  }
  scree_yaml_destroy(root);
}

static void gives_all_memory_back(void **state) {
  (void)state;
  assert_int_equal(scree_memory_now().blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keeps_structure_and_places),    cmocka_unit_test(reads_what_editors_write),
    cmocka_unit_test(refuses_what_decks_do_not_use), cmocka_unit_test(bounds_depth_and_width),
    cmocka_unit_test(set_replaces_and_adds),         cmocka_unit_test(set_refuses_nonsense),
    cmocka_unit_test(gives_all_memory_back),
};
SCREE_TEST_MAIN(tests)
