/* SPDX-License-Identifier: MIT */
/* Outputs in a configuration: mappings, their keys, and what is wrong with them. */
#include <stdlib.h>
#include <string.h>

#include "configured.h"
#include "unit.h"

static void expect_keys(const struct output_config *config, const char *const *given)
{
	size_t i = 0;

	for (; given[i]; i++) {
		assert_true(i < config->given.count);
		assert_string_equal(config->given.items[i], given[i]);
	}
	assert_int_equal(config->given.count, i);
}

static void test_forms(void **state)
{
	struct configured configured;
	const struct options *options = &configured.options;

	configured_create(&configured);
	setenv("CONFIG_DIR", "/var/a,b", 1);
	configured_right(&configured,
			 "outputs:\n"
			 "  - to: file:${CONFIG_DIR}/x\\y\n"
			 "    filter: evt.num>1 and proc.name in (a, b)\n"
			 "    queue: 4M\n"
			 "    fields: [evt.num, proc.name]\n"
			 "    sync: true\n"
			 "  - stdout:,format=text\n",
			 NULL);
	assert_int_equal(options->outputs_count, 2);
	assert_string_equal(options->outputs[0]->target, "/var/a,b/x\\y");
	expect_keys(options->outputs[0],
		    (const char *const[]){"queue=4M", "fields=evt.num proc.name", "sync=yes",
					  "filter=evt.num>1 and proc.name in (a, b)", NULL});
	assert_int_equal(options->outputs[0]->queue_bytes, 4 << 20);
	assert_string_equal(options->outputs[1]->format, "text");
	/* One needs no sequence, and the command line replaces them. */
	configured_right(&configured, "outputs: {to: 'file:/a'}\n", NULL);
	assert_string_equal(options->outputs[0]->text, "file:/a");
	configured_right(&configured, "outputs: {to: 'file:/a'}\n", "--output file:/b");
	assert_int_equal(options->outputs_count, 1);
	assert_string_equal(options->outputs[0]->text, "file:/b");
	configured_destroy(&configured);
}

/* Those of included files are further ones. */
static void test_files(void **state)
{
	struct configured configured;

	configured_create(&configured);
	tree_write(&configured.tree, "more.yaml", "outputs:\n- to: file:/b\n");
	configured_right(&configured, "include: more.yaml\noutputs:\n- to: file:/a\n", NULL);
	assert_int_equal(configured.options.outputs_count, 2);
	assert_string_equal(configured.options.outputs[1]->text, "file:/b");
	configured_destroy(&configured);
}

static void test_wrong(void **state)
{
	struct configured configured;

	configured_create(&configured);
	setenv("CONFIG_SECRET", "hunter2", 1);
	configured_rejected(
		&configured,
		"outputs:\n"
		"  - to: fil:/a\n"
		"  - {queue: 1M}\n"
		"  - to: file:/a\n"
		"    quue: 5\n"
		"    queue: ${CONFIG_SECRET}\n"
		"    policy: [a, {}]\n"
		"  - file:/a,quue=5\n"
		"  - [a]\n"
		"  - to: file:/a\n"
		"    policy: spool\n"
		"  - to: file:/a\n"
		"    to: file:/b\n"
		"    queue:\n",
		"agent.yaml:2:9: error: 'fil' is no kind of output; did you mean 'file'?; see "
		"--list-outputs\n"
		"agent.yaml:3:5: error: an output needs 'to: KIND:TARGET'; see agent "
		"--list-outputs\n"
		"agent.yaml:5:5: error: file: there is no key 'quue'; did you mean 'queue'?; "
		"see --list-outputs\n"
		"agent.yaml:6:12: error: queue: '${CONFIG_SECRET}' is not a number of bytes "
		"such as 64K, 8M or 1G\n"
		"agent.yaml:7:17: error: policy: expected a text, not a mapping\n"
		"agent.yaml:8:5: error: file: there is no key 'quue'; did you mean 'queue'?; "
		"see --list-outputs\n"
		"agent.yaml:9:5: error: expected a mapping such as {to: KIND:TARGET}, not a "
		"sequence\n"
		"agent.yaml:10:9: error: policy=spool needs spool=DIR\n"
		"agent.yaml:13:5: error: 'to' is there twice\n");
	configured_destroy(&configured);
}

/* What a variable has is nowhere in a message, however often it is and however long. */
static void test_variables_are_hidden(void **state)
{
	struct configured configured;
	struct buf secret = {0};

	configured_create(&configured);
	setenv("CONFIG_SECRET", "file", 1);
	configured_rejected(&configured, "outputs: [{to: '${CONFIG_SECRET}'}]\n",
			    "agent.yaml:1:16: error: '${CONFIG_SECRET}' lacks a colon: "
			    "${CONFIG_SECRET}:PATH\n");
	for (unsigned int i = 0; i < 2000; i++)
		buf_append_char(&secret, 'x');
	buf_append_char(&secret, '\0');
	setenv("CONFIG_SECRET", secret.data, 1);
	configured_rejected(&configured, "outputs: [{to: '${CONFIG_SECRET}'}]\n",
			    "agent.yaml:1:16: error: the value of '${CONFIG_SECRET}' is not "
			    "accepted\n");
	unsetenv("CONFIG_SECRET");
	buf_finish(&secret);
	configured_destroy(&configured);
}

static void test_bound(void **state)
{
	struct configured configured;
	struct buf text = {0};

	configured_create(&configured);
	buf_append_string(&text, "outputs:\n- to: file:/a\n");
	for (unsigned int i = 0; i < 300; i++)
		buf_printf(&text, "  k%u: 1\n", i);
	buf_append_char(&text, '\0');
	configured_rejected(&configured, text.data,
			    "agent.yaml:258:3: error: more than 256 keys\n");
	buf_finish(&text);
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_forms), cmocka_unit_test(test_files),
	cmocka_unit_test(test_wrong), cmocka_unit_test(test_variables_are_hidden),
	cmocka_unit_test(test_bound),
};

UNIT_GROUP(tests);
