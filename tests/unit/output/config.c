/* SPDX-License-Identifier: MIT */
/* KIND:TARGET[,KEY=VALUE...] of outputs: what is read, and what is rejected. */
#include "output/config.h"

#include <errno.h>
#include <string.h>

#include "output/target.h"
#include "unit.h"

struct box_keys {
	uint64_t count;
	char *label;
};

static int check_box(const struct output_config *config, struct error *err)
{
	return config->target[0] ? 0 : error_set(err, -EINVAL, "box: a path is missing");
}

static const char *const box_names[] = {"box", "boxes", NULL};
static const char *const box_formats[] = {"json", NULL};
static const struct output_key box_keys[] = {
	{"count", .value = OUTPUT_COUNT, .offset = offsetof(struct box_keys, count),
	 .fallback = "7"},
	{"label", .value = OUTPUT_TEXT, .offset = offsetof(struct box_keys, label)},
	{0},
};
static const struct output_default box_defaults[] = {
	{"label=e", "ecs"},
	{NULL, "otel"},
};
static const struct output_kind box = {
	.names = box_names,
	.target = "PATH",
	.keys = box_keys,
	.own_bytes = sizeof(struct box_keys),
	.formats = box_formats,
	.defaults = box_defaults,
	.passes_dotted = true,
	.check = check_box,
};
static const char *const plain_names[] = {"plain", NULL};
static const struct output_kind plain = {.names = plain_names, .target = ""};
static const char *const server_names[] = {"server", NULL};
static const struct output_kind server = {
	.names = server_names, .target = "//HOST", .uses = OUTPUT_USES_NETWORK};
static const struct output_kind *const kinds[] = {&plain, &box, &server, NULL};

static void test_all_parts(void **state)
{
	struct output_config *config = NULL;
	const struct box_keys *own;

	assert_int_equal(output_config_read(kinds,
					    "boxes://a\\,b\\\\c:1,count=3,label=x=y,queue=64K,"
					    "batch-age=2,linger.ms=5,policy=block,"
					    "filter=proc.name in (a,b) and evt.type=open",
					    &config, NULL),
			 0);
	own = config->own;
	assert_ptr_equal(config->kind, &box);
	assert_string_equal(config->name, "boxes");
	assert_string_equal(config->target, "//a,b\\c:1");
	assert_int_equal(own->count, 3);
	assert_string_equal(own->label, "x=y");
	assert_int_equal(config->queue_bytes, 64 << 10);
	assert_int_equal(config->batch_ns, 2000000000);
	assert_int_equal(config->policy, POLICY_BLOCK);
	assert_int_equal(config->passed.count, 1);
	assert_string_equal(config->passed.items[0], "linger.ms=5");
	assert_string_equal(config->filter, "proc.name in (a,b) and evt.type=open");
	output_config_destroy(config);
}

static void test_fallbacks(void **state)
{
	struct output_config *config = NULL;

	/* YAML takes what ends with a colon for a mapping. */
	assert_int_equal(output_config_read(kinds, "plain", &config, NULL), 0);
	assert_string_equal(config->target, "");
	output_config_destroy(config);
	config = NULL;
	assert_int_equal(output_config_read(kinds, "plain:", &config, NULL), 0);
	assert_string_equal(config->target, "");
	assert_string_equal(config->text, "plain");
	assert_int_equal(config->queue_bytes, 16 << 20);
	assert_int_equal(config->policy, POLICY_AUTO);
	assert_null(config->own);
	assert_null(config->filter);
	output_config_destroy(config);
}

static void expect_defaults(const char *text, const char *format, const char *schema)
{
	struct output_config *config = NULL;

	assert_int_equal(output_config_read(kinds, text, &config, NULL), 0);
	assert_string_equal(output_config_format(config), format);
	assert_string_equal(output_config_schema(config), schema);
	output_config_destroy(config);
}

/* What is given wins. */
static void test_defaults(void **state)
{
	expect_defaults("plain:", "json", "native");
	expect_defaults("plain:,format=text", "text", "native");
	expect_defaults("box:/a", "json", "otel");
	expect_defaults("box:/a,label=e", "json", "ecs");
	expect_defaults("box:/a,label=f", "json", "otel");
	expect_defaults("box:/a,label=e,schema=native", "json", "native");
	assert_string_equal(output_kind_format(&box), "json");
	assert_string_equal(output_kind_schema(&box), "otel");
	assert_string_equal(output_kind_schema(&plain), "native");
}

static void test_rejected(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"boxs:/a", "'boxs' is no kind of output; did you mean 'box'?; see --list-outputs"},
		{"", "'' is no kind of output; see --list-outputs"},
		{"box", "'box' lacks a colon: box:PATH"},
		{"box:", "box: a path is missing"},
		{"box:/a,cuont=1",
		 "box: there is no key 'cuont'; did you mean 'count'?; see --list-outputs"},
		{"box:/a,count=x", "count: 'x' is not a number"},
		{"box:/a,", "box: there is no key ''; see --list-outputs"},
		{"box:/a,format=text", "box does not take format=text; see --list-outputs"},
		{"box:/a,policy=spool", "policy=spool needs spool=DIR"},
		{"box:/a,policy=block,spool=/s",
		 "with a spool the policy is spool: leave out policy or spool"},
		{"plain:,queue=0", "queue= is at least 4K"},
		{"plain:,batch=0", "batch= and batch-count= are at least 1"},
		{"plain:,batch-count=0", "batch= and batch-count= are at least 1"},
		{"plain:,retry=0", "retry= is at least 1ms"},
		{"plain:,retry=10s,retry-max=1s", "retry= is longer than retry-max="},
		{"plain:,spool=", "spool= is empty"},
		{"plain:,spool=/a,spool-size=1K", "spool-size= is at least 256K"},
		{"plain:,spool-size=1M", "spool-size= needs spool="},
		{"plain:,rate-by=rule", "rate-by= needs rate="},
		{"plain:,queue=1M,queue=1M", "queue: given twice"},
		{"box:/a,x.y=1,x.y=2", "x.y: given twice"},
		{"plain:,a.b=1", "plain: there is no key 'a.b'; see --list-outputs"},
	};
	struct output_config *config = NULL;
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(output_config_read(kinds, wrong[i].text, &config, &err), -EINVAL);
		assert_string_equal(err.text, wrong[i].message);
		assert_null(config);
	}
}

static bool are_equal(const char *a, const char *b)
{
	struct output_config *configs[2] = {NULL, NULL};
	struct buf identities[2] = {{0}, {0}};
	bool equal;

	assert_int_equal(output_config_read(kinds, a, &configs[0], NULL), 0);
	assert_int_equal(output_config_read(kinds, b, &configs[1], NULL), 0);
	equal = output_config_equals(configs[0], configs[1]);
	/* Other processes compare texts. */
	for (int i = 0; i < 2; i++) {
		output_config_append_identity(configs[i], &identities[i]);
		output_config_destroy(configs[i]);
	}
	assert_int_equal(equal, identities[0].len == identities[1].len &&
					memcmp(identities[0].data, identities[1].data,
					       identities[0].len) == 0);
	buf_finish(&identities[0]);
	buf_finish(&identities[1]);
	return equal;
}

static void test_equality(void **state)
{
	assert_true(are_equal("box:/a,count=1,filter=x", "box:/a,count=1,filter=x"));
	assert_false(are_equal("box:/a", "box:/b"));
	assert_false(are_equal("box:/a", "box:/a,count=7"));
	assert_false(are_equal("box:/a,count=1", "box:/a,count=2"));
	assert_false(are_equal("box:/a,x.y=1", "box:/a,x.y=2"));
}

/* What may be a secret is not in messages; a user is rejected. */
static void test_secrets(void **state)
{
	struct output_config *config = NULL;
	struct error err = {""};

	assert_int_equal(output_config_read(kinds, "server://h/?token=s3cret", &config, &err), 0);
	assert_string_equal(config->to, "server://h/?token=s3cret");
	assert_string_equal(config->target, "//h/?token=s3cret");
	assert_string_equal(config->text, "server://h/?***");
	output_config_destroy(config);
	config = NULL;
	assert_int_equal(output_config_read(kinds, "server://u:s3cret@h", &config, &err), -EINVAL);
	assert_null(config);
	assert_null(strstr(err.text, "s3cret"));
	assert_non_null(strstr(err.text, "server://***@h: no user can stand in a target"));
	/* These are paths. */
	assert_int_equal(output_config_read(kinds, "box:/u:p@h?x", &config, &err), 0);
	assert_string_equal(config->text, "box:/u:p@h?x");
	output_config_destroy(config);
	/* The same text, and not the same output. */
	assert_false(are_equal("server://h/?token=a", "server://h/?token=b"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_parts), cmocka_unit_test(test_fallbacks),
	cmocka_unit_test(test_defaults),  cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_equality),  cmocka_unit_test(test_secrets),
};

UNIT_GROUP(tests);
