/* SPDX-License-Identifier: MIT */
/* A command line and a file together. */
#include <errno.h>
#include <string.h>

#include "agent/config/load.h"
#include "agent/commands/subcommands.h"
#include "configured.h"
#include "unit.h"

/* The command line comes first, also for lists. */
static void test_precedence(void **state)
{
	struct configured configured;
	const struct options *options = &configured.options;

	configured_create(&configured);
	configured_right(&configured,
			 "snaplen: 10\nrules: [a, b]\nfilter: evt.num=1\nfollow: false\n"
			 "pid: 1\nself: true\n",
			 "-s 20 --rules c --follow evt.num = 2");
	assert_int_equal(options->snaplen, 20);
	assert_int_equal(options->rules_count, 1);
	assert_string_equal(options->rules[0], "c");
	assert_string_equal(options->filter, "evt.num = 2");
	assert_true(options->follow && options->include_self);
	assert_int_equal(options->pids_count, 1);
	configured_destroy(&configured);
}

/* Options that do not fit together are errors of the file that has them, all at once. */
static void test_contradictions(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_rejected(&configured,
			    "write: a\ncompress: true\nzstd: true\nprogress: true\n"
			    "limit: 5\npriority: info\nfollow: false\n",
			    "agent.yaml:3:1: error: compress and zstd: one of them\n"
			    "agent.yaml:4:1: error: progress goes with read\n"
			    "agent.yaml:5:1: error: limit goes with file-size, seconds or events\n"
			    "agent.yaml:6:1: error: priority goes with rules\n"
			    "agent.yaml:7:1: error: follow goes with pid\n");
	configured_load(&configured, "snaplen: 5\n", "-r a");
	assert_string_equal(
		configured.messages.data,
		"agent.yaml:1:1: error: snaplen means nothing with read: it is about events "
		"that happen now\n");
	configured_load(&configured, "write: a\ncompress: true\n", "--zstd");
	assert_int_equal(configured.code, -EINVAL);
	assert_string_equal(configured.err.text, "compress and --zstd: one of them");
	configured_rejected(
		&configured,
		"format: json\noutputs:\n- to: file:/a\n- to: file:/b\n"
		"- to: file:/a\n",
		"agent.yaml:1:1: error: format is for standard output; with outputs each "
		"has its own: {to: KIND:TARGET, format: json}\n"
		"agent.yaml:5:3: error: --output file:/a: given twice\n");
	/* Errors of both are found. */
	configured_load(&configured, "wirte: a\n", "--compress");
	assert_string_equal(configured.err.text, "--compress goes with -w");
	assert_non_null(strstr(configured.messages.data, "did you mean 'write'?"));
	configured_destroy(&configured);
}

static void test_no_file(void **state)
{
	char *argv[] = {"agent", "--config", "/nosuch/agent.yaml", NULL};
	struct buf messages = {0};
	struct options options;
	struct error err = {""};

	assert_int_equal(config_load(3, argv, subcommands, &options, &messages, &err), -EINVAL);
	buf_append_char(&messages, '\0');
	assert_string_equal(messages.data,
			    "/nosuch/agent.yaml: error: No such file or directory\n");
	assert_string_equal(err.text, "/nosuch/agent.yaml: the configuration has errors");
	buf_finish(&messages);
	options_finish(&options);
}

/* A list of fields needs no configuration. */
static void test_subcommands(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_load(&configured, "self: true\n", "fields");
	assert_string_equal(configured.err.text, "fields does not take self");
	configured_load(&configured, "", "fields");
	assert_string_equal(configured.err.text, "fields does not take -c");
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_precedence),
	cmocka_unit_test(test_contradictions),
	cmocka_unit_test(test_no_file),
	cmocka_unit_test(test_subcommands),
};

UNIT_GROUP(tests);
