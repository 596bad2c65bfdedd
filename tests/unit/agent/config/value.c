/* SPDX-License-Identifier: MIT */
/* Values of keys: what each form means, and where wrong ones are. */
#include "configured.h"
#include "unit.h"

static void test_forms(void **state)
{
	struct configured configured;
	const struct options *options = &configured.options;

	configured_create(&configured);
	configured_right(&configured,
			 "filter: >\n  evt.type=open\n  and fd.name!=x\nsnaplen: '200'\n"
			 "buffer-size: 8M\nduration: 0.5\nself: yes\nverbose: false\n"
			 "rules: [a, \"b\"]\npid:\n  - 1\n  - 2,3\nfollow: false\n"
			 "json-fields:\n- evt.num\n- evt.time\n",
			 NULL);
	assert_string_equal(options->filter, "evt.type=open and fd.name!=x\n");
	assert_int_equal(options->snaplen, 200);
	assert_int_equal(options->ring_bytes, 8 << 20);
	assert_int_equal(options->duration_ns, 500000000);
	assert_true(options->include_self);
	assert_false(options->verbose || options->follow);
	assert_int_equal(options->rules_count, 2);
	assert_string_equal(options->rules[1], "b");
	assert_int_equal(options->pids_count, 3);
	assert_int_equal(options->pids[2], 3);
	assert_string_equal(options->json_fields, "evt.num,evt.time");
	/* One element needs no sequence. */
	configured_right(&configured, "rules: c\nfollow: true\npid: 5\nself: true\n", NULL);
	assert_string_equal(options->rules[0], "c");
	assert_true(options->follow && options->include_self);
	/* Keys of its own: what separates them in the text is escaped. */
	configured_right(&configured, "profile:\n  folder: /a,b\n  interval: 10s\n", NULL);
	assert_string_equal(options->continuous.folder, "/a,b");
	assert_int_equal(options->continuous.interval_ns, UINT64_C(10000000000));
	configured_right(&configured, "profile: {endpoint: 'http://c'}\n", NULL);
	assert_string_equal(options->continuous.endpoint, "http://c");
	configured_right(&configured, "profile: endpoint=http://d\n", NULL);
	assert_string_equal(options->continuous.endpoint, "http://d");
	configured_destroy(&configured);
}

static void test_wrong_keys(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_rejected(&configured, "profile: [a]\n",
			    "agent.yaml:1:10: error: profile: expected keys with values, not a "
			    "sequence\n");
	configured_rejected(&configured, "profile: {folder: [a]}\n",
			    "agent.yaml:1:19: error: folder: expected one value, not a sequence\n");
	configured_destroy(&configured);
}

static void test_wrong(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_rejected(
		&configured,
		"snaplen: many\nbuffer-size:\nself: 1\nrules: {a: b}\npid: [1, [2], x]\n"
		"filter: [a]\ncolor: Never\njson-fields: [a, {}]\n",
		"agent.yaml:1:10: error: snaplen: expected a number from 0 to 65000, not "
		"'many'\n"
		"agent.yaml:2:13: error: buffer-size: expected one value, not nothing\n"
		"agent.yaml:3:7: error: self: expected true or false, not '1'\n"
		"agent.yaml:4:8: error: rules: expected a text or a sequence of texts, not "
		"a mapping\n"
		"agent.yaml:5:10: error: pid: expected a text in the sequence, not a "
		"sequence\n"
		"agent.yaml:5:15: error: pid: expected process IDs such as 17 or 17,18, "
		"not 'x'\n"
		"agent.yaml:6:9: error: filter: expected one value, not a sequence\n"
		"agent.yaml:7:8: error: color: expected auto, always or never, not 'Never' "
		"(did you mean 'never'?)\n"
		"agent.yaml:8:18: error: json-fields: expected a text in the sequence, not "
		"a mapping\n");
	configured_destroy(&configured);
}

/* Aliases stand for many values. */
static void test_bound(void **state)
{
	struct configured configured;
	struct buf text = {0};

	configured_create(&configured);
	buf_append_string(&text, "rules:\n");
	for (unsigned int i = 0; i < 10001; i++)
		buf_append_string(&text, "- x\n");
	buf_append_char(&text, '\0');
	configured_rejected(&configured, text.data,
			    "agent.yaml:1:1: error: more than 10000 values in all\n");
	buf_finish(&text);
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_forms),
	cmocka_unit_test(test_wrong_keys),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_bound),
};

UNIT_GROUP(tests);
