/* SPDX-License-Identifier: MIT */
/* The list of outputs: as text, as JSON, by patterns. */
#include "printed.h"
#include "unit.h"

static void test_text(void **state)
{
	printed_expect_run("--list-outputs",
			   (const char *[]){"OUTPUT ", "\nall ", " queue=BYTES ", " 16M ",
					    "\nstdout: ", "\nfile:PATH ", " keep=COUNT ", NULL});
}

/* The format and the schema of each kind. */
static void test_defaults(void **state)
{
	printed_expect_run("outputs http",
			   (const char *[]){" format=FORMAT ", " json ",
					    " of records; it takes json, text, protobuf\n",
					    " schema=SCHEMA ", " native ",
					    "; default with profile=elasticsearch: ecs\n", NULL});
	printed_expect_run(
		"outputs otlp",
		(const char *[]){" otlp-proto ", "takes otlp-proto, otlp-json\n", " otel ", NULL});
	printed_expect_run(
		"outputs -j https",
		(const char *[]){"\"formats\":[],\"format\":\"json\",\"schema\":\"native\",",
				 "\"schemas\":{\"profile=elasticsearch\":\"ecs\"}", NULL});
}

static void test_json(void **state)
{
	printed_expect_run(
		"outputs -j file",
		(const char *[]){"{\"names\":[\"file\"],\"target\":\"PATH\",\"help\":",
				 ",\"keys\":[{\"name\":", "\"type\":\"bytes\",\"default\":null",
				 "\"words\":[\"none\",\"gzip\",", NULL});
}

static void test_nothing(void **state)
{
	struct printed printed;

	printed_run("outputs stdut", &printed);
	assert_int_equal(printed.exit_code, 1);
	assert_string_equal(printed.err, "agent: no outputs match 'stdut'; did you mean 'stdout'? "
					 "(-v searches more than their names)\n");
	printed_finish(&printed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_defaults),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_nothing),
};

UNIT_GROUP(tests);
