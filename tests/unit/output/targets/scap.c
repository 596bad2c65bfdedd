/* SPDX-License-Identifier: MIT */
/* What can be asked of a capture. */
#include "output/targets/scap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "unit.h"

static void expect_error(const char *text, const char *what)
{
	struct output_config *config = NULL;
	struct error err = {""};

	assert_int_equal(output_config_read(output_kinds, text, &config, &err), -EINVAL);
	assert_null(config);
	if (!strstr(err.text, what))
		fail_msg("%s: %s", text, err.text);
}

static void test_defaults(void **state)
{
	struct output_config *config;
	const struct scap_keys *keys;

	assert_int_equal(
		output_config_read(output_kinds, "scap:/a/b.scap,redact=no", &config, NULL), 0);
	keys = config->own;
	assert_string_equal(config->target, "/a/b.scap");
	assert_false(output_kind_takes_records(config->kind));
	assert_null(output_kind_format(config->kind));
	assert_null(output_kind_schema(config->kind));
	assert_string_equal(keys->mode, "600");
	assert_int_equal(keys->rotate_bytes, 100 << 20);
	assert_int_equal(keys->rotate_ns, 0);
	assert_int_equal(keys->keep, 10);
	assert_int_equal(keys->compress, SCAP_PLAIN);
	assert_false(keys->fat || keys->native || keys->compat);
	output_config_destroy(config);
}

static void test_keys(void **state)
{
	struct output_config *config;
	const struct scap_keys *keys;

	assert_int_equal(output_config_read(output_kinds,
					    "scap:a,mode=640,rotate-size=1M,rotate-age=1h,keep=3,"
					    "compress=zstd,fatfile,scap-compat=2022,redact=no,"
					    "filter=evt.type in (a,b)",
					    &config, NULL),
			 0);
	keys = config->own;
	assert_int_equal(keys->rotate_bytes, 1 << 20);
	assert_int_equal(keys->rotate_ns / 1000000000, 3600);
	assert_int_equal(keys->keep, 3);
	assert_int_equal(keys->compress, SCAP_ZSTD);
	assert_int_equal(keys->compat, SCAP_COMPAT_2022);
	assert_true(keys->fat);
	assert_string_equal(config->filter, "evt.type in (a,b)");
	output_config_destroy(config);
}

/* What all other outputs do unless told not to must not be left out in silence. */
static void test_secrets(void **state)
{
	expect_error("scap:a", "secrets cannot be hidden in it. Say redact=no");
	expect_error("scap:a,redact=yes", "Say redact=no");
}

static void test_keys_of_records(void **state)
{
	static const char *const keys[] = {
		"format=json",	   "schema=ecs",    "fields=evt.num",	"queue=1M",
		"policy=block",	   "batch=1M",	    "batch-count=1",	"batch-age=1s",
		"spool=d",	   "spool-size=1M", "spool-sync=0",	"retry=1s",
		"retry-max=1s",	   "stop=1s",	    "redact-pattern=a", "rate=1",
		"burst=1",	   "rate-by=rule",  "sample=2",		"dedup=fd.name",
		"dedup-window=1s",
	};
	char text[128];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(text, sizeof(text), "scap:a,redact=no,%s", keys[i]);
		expect_error(text, "= means nothing here; see --list-outputs");
	}
}

static void test_errors(void **state)
{
	expect_error("scap:", "scap: a path is missing");
	expect_error("scap:-,redact=no", "-w -");
	expect_error("scap:a,redact=no,mode=9", "'9' is not a file mode");
	expect_error("scap:a,redact=no,native,scap-compat=2022", "one of them");
	expect_error("scap:a,redact=no,compress=lz4", "none, gzip or zstd");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_defaults), cmocka_unit_test(test_keys),
	cmocka_unit_test(test_secrets),	 cmocka_unit_test(test_keys_of_records),
	cmocka_unit_test(test_errors),
};

UNIT_GROUP(tests);
