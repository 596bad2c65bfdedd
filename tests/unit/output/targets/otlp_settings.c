/* SPDX-License-Identifier: MIT */
/* The variables of OpenTelemetry, and that keys come before them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/otlp.h"
#include "output/target.h"
#include "unit.h"

static const char *const variables[] = {
	"ENDPOINT",	      "HEADERS",    "COMPRESSION", "TIMEOUT", "CERTIFICATE",
	"CLIENT_CERTIFICATE", "CLIENT_KEY",
};

static int setup(void **state)
{
	char name[80];

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_%s", variables[i]);
		unsetenv(name);
		snprintf(name, sizeof(name), "OTEL_EXPORTER_OTLP_LOGS_%s", variables[i]);
		unsetenv(name);
	}
	return 0;
}

static const char *const names[] = {"otlp", NULL};
static const struct output_kind kind = {
	.names = names, .keys = OTLP_KEYS, .own_bytes = sizeof(struct http_keys)};
static const struct output_kind *const kinds[] = {&kind, NULL};

static int read_settings(const char *text, struct otlp_settings *settings, struct error *err)
{
	struct output_config *config = NULL;
	int code;

	assert_int_equal(output_config_read(kinds, text, &config, NULL), 0);
	code = otlp_settings_init(settings, config, err);
	output_config_destroy(config);
	return code;
}

static void expect_url(const char *text, const char *url)
{
	struct otlp_settings settings;

	assert_int_equal(read_settings(text, &settings, NULL), 0);
	assert_string_equal(settings.url, url);
	otlp_settings_finish(&settings);
}

static void test_url(void **state)
{
	expect_url("otlp:http://h:1/x", "http://h:1/x");
	expect_url("otlp:", "http://localhost:4318/v1/logs");
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c:4318/base/", 1);
	expect_url("otlp:", "https://c:4318/base/v1/logs");
	setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "https://l:4318/as-it-is", 1);
	expect_url("otlp:", "https://l:4318/as-it-is");
	expect_url("otlp:http://h", "http://h");
}

/* Metrics have variables of their own. */
static void test_url_of_metrics(void **state)
{
	static const char *const metrics_names[] = {"otlp-metrics", NULL};
	static const struct output_kind metrics = {.names = metrics_names,
						   .keys = OTLP_KEYS,
						   .own_bytes = sizeof(struct http_keys),
						   .takes_metrics = true};
	static const struct output_kind *const all[] = {&metrics, NULL};
	struct output_config *config = NULL;
	struct otlp_settings settings;

	assert_int_equal(output_config_read(all, "otlp-metrics:", &config, NULL), 0);
	setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "https://l:4318/logs", 1);
	setenv("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "1500", 1);
	assert_int_equal(otlp_settings_init(&settings, config, NULL), 0);
	assert_string_equal(settings.url, "http://localhost:4318/v1/metrics");
	assert_true(settings.keys.timeout_ns == UINT64_C(1500000000));
	otlp_settings_finish(&settings);
	setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://m:4318/as-it-is", 1);
	assert_int_equal(otlp_settings_init(&settings, config, NULL), 0);
	assert_string_equal(settings.url, "https://m:4318/as-it-is");
	otlp_settings_finish(&settings);
	unsetenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT");
	output_config_destroy(config);
}

static void test_variables(void **state)
{
	struct otlp_settings settings;

	setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=b%20c, x-d=e", 1);
	setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", 1);
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2500", 1);
	setenv("OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "1500", 1);
	setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca", 1);
	setenv("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/cert", 1);
	setenv("OTEL_EXPORTER_OTLP_CLIENT_KEY", "/key", 1);
	assert_int_equal(read_settings("otlp:https://h,header=Y: z", &settings, NULL), 0);
	assert_int_equal(settings.keys.headers.count, 3);
	assert_string_equal(settings.keys.headers.items[0], "a: b c");
	assert_string_equal(settings.keys.headers.items[1], "x-d: e");
	assert_string_equal(settings.keys.headers.items[2], "Y: z");
	assert_int_equal(settings.keys.compress, PACK_GZIP);
	assert_true(settings.keys.timeout_ns == UINT64_C(1500000000));
	assert_string_equal(settings.keys.ca, "/ca");
	assert_string_equal(settings.keys.cert, "/cert");
	assert_string_equal(settings.keys.key, "/key");
	otlp_settings_finish(&settings);
	assert_int_equal(
		read_settings("otlp:https://h,compress=none,timeout=3,ca=/mine", &settings, NULL),
		0);
	assert_int_equal(settings.keys.compress, PACK_NONE);
	assert_true(settings.keys.timeout_ns == UINT64_C(3000000000));
	assert_string_equal(settings.keys.ca, "/mine");
	otlp_settings_finish(&settings);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *name, *value, *message;
	} rows[] = {
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "$OTEL_EXPORTER_OTLP_TIMEOUT"},
		{"OTEL_EXPORTER_OTLP_COMPRESSION", "lzma", "$OTEL_EXPORTER_OTLP_COMPRESSION"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "URL"},
		{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "/key", "belong together"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0ac", "Name: value"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "a=b,token", "form NAME=VALUE"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "=token", "form NAME=VALUE"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct otlp_settings settings;
		struct error err = {""};

		setenv(rows[i].name, rows[i].value, 1);
		assert_int_equal(read_settings("otlp:", &settings, &err), -EINVAL);
		if (!strstr(err.text, rows[i].message))
			fail_msg("%s: %s", rows[i].name, err.text);
		otlp_settings_finish(&settings);
		unsetenv(rows[i].name);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_url, setup),
	cmocka_unit_test_setup(test_url_of_metrics, setup),
	cmocka_unit_test_setup(test_variables, setup),
	cmocka_unit_test_setup(test_wrong, setup),
};

UNIT_GROUP(tests);
