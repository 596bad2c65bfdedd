/* SPDX-License-Identifier: MIT */
/* falco.yaml: what of it is understood, and how the rest is named. */
#include <string.h>

#include "agent/config/reader.h"
#include "configured.h"
#include "output/targets/kinds.h"
#include "unit.h"

/* A key in each line; what Falco's own file has beside those that count here. */
static const char whole[] =
	"config_files: []\n"
	"rules_files: [/dev/null]\n"
	"engine: {kind: modern_ebpf}\n"
	"priority: notice\n"
	"json_output: true\n"
	"json_include_output_property: true\n"
	"json_include_output_fields_property: true\n"
	"json_include_tags_property: false\n"
	"buffered_outputs: false\n"
	"stdout_output: {enabled: true}\n"
	"syslog_output: {enabled: true}\n"
	"file_output: {enabled: true, keep_alive: false, filename: '/tmp/a,b'}\n"
	"http_output: {enabled: true, url: 'http://127.0.0.1:2801/', mtls: false, "
	"insecure: true, ca_cert: '', user_agent: a, echo: true}\n"
	"grpc: {enabled: false}\n"
	"webserver: {enabled: true, listen_port: 8765, listen_address: 0.0.0.0}\n";

static void test_whole(void **state)
{
	static const char *const texts[] = {"", "/tmp/a,b", "//127.0.0.1:2801/", ""};
	struct configured configured;
	const struct options *options = &configured.options;

	configured_create(&configured);
	configured_load(&configured, whole, NULL);
	assert_int_equal(configured.code, 0);
	assert_non_null(strstr(configured.messages.data,
			       "this is a configuration of Falco; not understood, and without "
			       "effect: engine, json_include_tags_property, "
			       "http_output.user_agent, http_output.echo, grpc\n"));
	assert_int_equal(options->rules_count, 1);
	assert_string_equal(options->rules[0], "/dev/null");
	assert_int_equal(options->priority, PRIORITY_NOTICE);
	assert_string_equal(options->http[0], ":8765");
	assert_int_equal(options->outputs_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(options->outputs[i]->target, texts[i]);
	assert_string_equal(options->outputs[2]->format, "json");
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(options->outputs[i]->schema, "falco");
	configured_destroy(&configured);
}

/* By default Falco prints text on standard output, and leaves out what is off. */
static void test_defaults(void **state)
{
	struct configured configured;
	unsigned int place = 0;

	option_find("output", &place);
	configured_create(&configured);
	configured_right(&configured,
			 "rules_file: /dev/null\nfile_output: {enabled: false, filename: a}\n"
			 "webserver: {enabled: false}\n",
			 NULL);
	assert_int_equal(configured.options.outputs_count, 1);
	assert_ptr_equal(configured.options.outputs[0]->kind, &output_kind_stdout);
	assert_string_equal(configured.options.outputs[0]->format, "text");
	assert_null(configured.options.http[0]);
	configured_right(&configured,
			 "rules_files: [/dev/null]\nstdout_output: {enabled: false}\n"
			 "webserver: {enabled: true, listen_address: '::1', listen_port: 9}\n",
			 NULL);
	assert_int_equal(configured.options.outputs_count, 0);
	assert_string_equal(configured.options.http[0], "[::1]:9");
	configured_right(&configured,
			 "rules_files: [/dev/null]\nstdout_output: {enabled: false}\nhttp_output: "
			 "{enabled: true, url: 'https://a/', mtls: true, client_cert: /dev/null, "
			 "client_key: /dev/null, ca_bundle: /dev/null, compress_uploads: true}\n",
			 NULL);
	assert_string_equal(settings_find(&configured.options.settings, place)->value,
			    "https://a/,ca=/dev/null,cert=/dev/null,key=/dev/null,compress=gzip,"
			    "body=single,format=text");
	configured_destroy(&configured);
}

static void test_messages(void **state)
{
	struct configured configured;

	configured_create(&configured);
	configured_load(&configured,
			"rules_files: [/dev/null, /nosuch.yaml]\n"
			"program_output: {enabled: true, program: mail}\n",
			NULL);
	assert_int_equal(configured.code, 0);
	assert_non_null(
		strstr(configured.messages.data,
		       "agent.yaml:1:26: warning: /nosuch.yaml: there is no such file; it is "
		       "left out"));
	assert_non_null(
		strstr(configured.messages.data,
		       "program_output: the agent starts no program, whose rights it would "
		       "share; with keep_alive: true run agent -c FILE | PROGRAM in its place"));
	configured_rejected(&configured, "rules_files: {a: b}\n",
			    "agent.yaml:1:14: error: expected a text, not a mapping\n");
	configured_rejected(&configured, "rules_files: [/dev/null]\njson_output: maybe\n",
			    "agent.yaml:2:14: error: json_output: expected true or false\n");
	configured_rejected(
		&configured, "rules_files: [/dev/null]\npriority: low\n",
		"agent.yaml:2:11: error: priority: expected Emergency, Alert, Critical, "
		"Error, Warning, Notice, Informational or Debug, not 'low'\n");
	/* A key of the agent beside: its own file, with a key that it does not have. */
	configured_rejected(
		&configured, "rules_files: a\nself: true\n",
		"agent.yaml:1:1: error: there is no key 'rules_files'; keys are the long "
		"names of options (agent --help=all)\n");
	configured_destroy(&configured);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_whole),
	cmocka_unit_test(test_defaults),
	cmocka_unit_test(test_messages),
};

UNIT_GROUP(tests);
