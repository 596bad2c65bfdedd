/* SPDX-License-Identifier: MIT */
/* The verdict on configuration files. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "printed.h"
#include "tree.h"
#include "unit.h"

struct fixture {
	struct tree tree;
	char path[TREE_PATH_BYTES];
};

static void begin(struct fixture *fixture)
{
	tree_create(&fixture->tree);
	tree_path(&fixture->tree, "a.yaml", fixture->path);
}

static void check(const struct fixture *fixture, const char *text, const char *options,
		  struct printed *printed)
{
	char line[TREE_PATH_BYTES + 64];

	tree_write(&fixture->tree, "a.yaml", text);
	assert_int_equal(chmod(fixture->path, 0644), 0);
	snprintf(line, sizeof(line), "check-config %s %s", options, fixture->path);
	printed_run(line, printed);
	assert_string_equal(printed->err, "");
}

static void expect(const struct fixture *fixture, const char *text, int exit_code,
		   const char *const *words)
{
	struct printed printed;

	check(fixture, text, "", &printed);
	assert_int_equal(printed.exit_code, exit_code);
	printed_expect(printed.out, words);
	printed_finish(&printed);
}

static void test_verdicts(void **state)
{
	struct fixture fixture;

	begin(&fixture);
	expect(&fixture, "filter: evt.type=open\nsnaplen: 5\n", 0,
	       (const char *const[]){"a.yaml: OK: 2 values in 1 file\n", NULL});
	expect(&fixture, "snaplen: 5\n", 0, (const char *const[]){"OK: 1 value in 1 file", NULL});
	expect(&fixture, "snaplen: x\nxyz: 1\n", 1,
	       (const char *const[]){"a.yaml:1:10: error: snaplen",
				     "\n  snaplen: x\n           ^\n",
				     "a.yaml:2:1: error: there is no key 'xyz'", NULL});
	/* What a capture would compile. */
	expect(&fixture, "filter: |\n  evt.type=open\n  and proc.nam=cat\n", 1,
	       (const char *const[]){"a.yaml:3:7: error: filter: unknown field 'proc.nam'", NULL});
	expect(&fixture, "filter: 'proc.name=cat and ${NOSUCH:-proc.nam=x}'\n", 1,
	       (const char *const[]){"a.yaml:1:9: error: filter: unknown field", NULL});
	expect(&fixture, "json-fields: evt.nosuch\n", 1,
	       (const char *const[]){"a.yaml: error: --json-fields: ", "evt.nosuch", NULL});
	expect(&fixture,
	       "outputs:\n- to: file:/a\n- to: file:/b\n  filter: evt.num=1 and evt.typ=x\n", 1,
	       (const char *const[]){"a.yaml:3:3: error: ", "'evt.typ'", NULL});
	expect(&fixture, "outputs:\n- to: file:/a\n  format: jsn\n", 1,
	       (const char *const[]){"a.yaml:2:3: error: ", "'jsn'", NULL});
	expect(&fixture, "outputs:\n- to: file:/a\n  format: jsn\n- to: stdout\n  filter: x\n", 1,
	       (const char *const[]){"a.yaml:2:3: error: ", "'jsn'",
				     "a.yaml:4:3: error: --output stdout: filter: ", NULL});
	/* As a reload refuses it. */
	expect(&fixture, "outputs:\n- to: https://host/\n  ca: /nosuch.pem\n", 1,
	       (const char *const[]){
		       "a.yaml:2:3: error: ", "ca=/nosuch.pem: No such file or directory\n", NULL});
	expect(&fixture, "rules: /nosuch.yaml\n", 1,
	       (const char *const[]){"/nosuch.yaml", "the rules have errors", NULL});
	tree_destroy(&fixture.tree);
}

/* Perf events, parsed as for a capture: each that is wrong at its place. */
static void test_perf_events(void **state)
{
	struct fixture fixture;

	begin(&fixture);
	expect(&fixture,
	       "sample: [page-faults, 'cs,page-faults:uu']\nprobe: cs\n"
	       "container-counters: cs,page-faults:b\nhttp: 127.0.0.1:9100\n",
	       1,
	       (const char *const[]){"a.yaml:1:40: error: sample: ", "is given twice",
				     "a.yaml:2:8: error: --probe cs: it is no probe",
				     "a.yaml:3:36: error: container-counters: ", NULL});
	/* With a variable in it, places are not those of the file. */
	expect(&fixture, "sample: ${NOSUCH:-cs,page-faults:uu}\n", 1,
	       (const char *const[]){"a.yaml:1:9: error: sample: ", NULL});
	expect(&fixture, "sample: cs/freq=9,period=9/\n", 1,
	       (const char *const[]){"a.yaml:1:9: error: --sample cs", "one of them\n", NULL});
	expect(&fixture, "sample: cpu-clock/freq=9,call-graph=fp/\n", 0,
	       (const char *const[]){"a.yaml: OK: 1 value in 1 file\n", NULL});
	tree_destroy(&fixture.tree);
}

static void test_json(void **state)
{
	static const char
		wrong[] = "\"ok\":false,\"errors\":1,\"warnings\":0,\"messages\":[{\"severity\":"
			  "\"error\",\"file\":\"",
		place[] = "a.yaml\",\"line\":1,\"column\":7,\"message\":\"self: expected true "
			  "or false, not 'x'\"}]}\n";
	struct fixture fixture;
	struct printed printed;

	begin(&fixture);
	check(&fixture, "self: x\n", "-o json", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.out, (const char *const[]){wrong, place, NULL});
	printed_finish(&printed);
	check(&fixture, "self: true\n", "-o json", &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out,
		       (const char *const[]){
			       "\"ok\":true,\"errors\":0,\"warnings\":0,\"messages\":[]}\n", NULL});
	printed_finish(&printed);
	tree_destroy(&fixture.tree);
}

/* Each file is a configuration of its own. */
static void test_several(void **state)
{
	struct fixture fixture;
	struct printed printed;

	begin(&fixture);
	check(&fixture, "self: true\n", "/nosuch", &printed);
	assert_int_equal(printed.exit_code, 1);
	printed_expect(printed.out,
		       (const char *const[]){"/nosuch: error: No such file or directory\n",
					     "a.yaml: OK", NULL});
	printed_finish(&printed);
	tree_destroy(&fixture.tree);
}

static void test_modes(void **state)
{
	char line[TREE_PATH_BYTES + 64];
	struct fixture fixture;
	struct printed printed;

	begin(&fixture);
	tree_write(&fixture.tree, "a.yaml", "self: true\n");
	assert_int_equal(chmod(fixture.path, 0666), 0);
	snprintf(line, sizeof(line), "check-config %s", fixture.path);
	printed_run(line, &printed);
	assert_int_equal(printed.exit_code, 0);
	printed_expect(printed.out,
		       (const char *const[]){"a.yaml:1:1: warning: others can write this "
					     "file (mode 666): chmod go-w\n",
					     "OK", NULL});
	printed_finish(&printed);
	tree_destroy(&fixture.tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_verdicts), cmocka_unit_test(test_perf_events),
	cmocka_unit_test(test_json),	 cmocka_unit_test(test_several),
	cmocka_unit_test(test_modes),
};

UNIT_GROUP(tests);
