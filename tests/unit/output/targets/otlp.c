/* SPDX-License-Identifier: MIT */
/* The kind otlp: its target, and what is checked before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/kinds.h"
#include "sent.h"
#include "unit.h"

static int setup(void **state)
{
	unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT");
	return 0;
}

static void test_open(void **state)
{
	static const char *const texts[] = {"otlp:", "otlp:http://h:1",
					    "otlp:https://h/v1/logs,insecure",
					    "otlp:http://h,format=otlp-json,attribute=a=b"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sent_target target;

		sent_open(&target, &output_kind_otlp, texts[i]);
		sent_close(&target);
	}
	output_kind_otlp.close(NULL);
}

static void test_rejected(void **state)
{
	static const char *const texts[] = {"otlp:h:4318",
					    "otlp:http://u:p@h",
					    "otlp:http://h,format=json",
					    "otlp:http://h,attribute=a",
					    "otlp:http://h,insecure",
					    "otlp:http://h,profile=loki"};
	struct sent_target target;
	struct error err = {""};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (sent_try(&target, &output_kind_otlp, texts[i], NULL) != -EINVAL)
			fail_msg("%s is valid", texts[i]);
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "h:4318", 1);
	assert_int_equal(sent_try(&target, &output_kind_otlp, "otlp:", &err), -EINVAL);
	assert_non_null(strstr(err.text, "h:4318"));
}

static void test_nobody(void **state)
{
	struct sent_target target;
	struct sent sent;
	struct error err;

	sent_open(&target, &output_kind_otlp, "otlp:http://127.0.0.1:1");
	sent_init_text(&sent, 1, "\x06\x62\x04open");
	assert_int_equal(output_kind_otlp.send(target.target, &sent.batch, &err), -ECONNREFUSED);
	assert_int_equal(sent_count(&sent, OUTPUT_RETRY), 1);
	assert_false(sent.batch.uncertain);
	sent_finish(&sent);
	sent_close(&target);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_open, setup),
	cmocka_unit_test_setup(test_rejected, setup),
	cmocka_unit_test_setup(test_nobody, setup),
};

UNIT_GROUP(tests);
