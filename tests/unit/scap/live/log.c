/* SPDX-License-Identifier: MIT */
/* What libbpf says: caught, and searched for the program that was rejected and the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "scap/live/log.h"
#include "unit.h"

static struct live_log log_of(const char *text)
{
	struct live_log log = {0};

	buf_append_string(&log.text, text);
	buf_append_char(&log.text, '\0');
	return log;
}

static void test_log_of_the_verifier(void **state)
{
	struct live_log log =
		log_of("libbpf: prog 'fill_openat': BPF program load failed: Permission denied\n"
		       "libbpf: prog 'fill_openat': -- BEGIN PROG LOAD LOG --\n"
		       "0: R1=ctx() R10=fp0\n; int fill(void)\nR1 invalid mem access 'inv'\n"
		       "processed 12 insns (limit 1000000)\n-- END PROG LOAD LOG --\n"
		       "libbpf: prog 'fill_openat': failed to load: -13\n"
		       "libbpf: failed to load object 'lanner'\n");
	char reason[256];

	live_log_reason(&log, reason, sizeof(reason));
	assert_string_equal(reason, "R1 invalid mem access 'inv'");
	live_log_reason(&log, reason, 4);
	assert_string_equal(reason, "R1 ");
	live_log_finish(&log);
}

static void test_log_of_libbpf(void **state)
{
	struct live_log log = log_of(
		"libbpf: prog 'fill_procexit': failed to find kernel BTF type ID of 'x': -3\n"
		"libbpf: prog 'fill_procexit': failed to prepare load attributes: -3\n"
		"libbpf: prog 'fill_procexit': failed to load: -3\n"
		"libbpf: failed to load object 'lanner'\n");
	char reason[256];

	live_log_reason(&log, reason, sizeof(reason));
	assert_non_null(strstr(reason, "failed to find kernel BTF type ID"));
	live_log_finish(&log);
}

static void test_log_without_a_program(void **state)
{
	static const char *const texts[] = {"",	       "\n",	     "prog '",
					    "prog 'x", "prog 'x\n'", "map 'rings'\n"};
	char reason[256];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct live_log log = log_of(texts[i]);

		live_log_reason(&log, reason, sizeof(reason));
		live_log_finish(&log);
	}
	assert_string_equal(reason, "map 'rings'");
}

/* What the verifier said of a program that libbpf did not load itself. */
static void test_appended(void **state)
{
	struct live_log log = {0};
	char reason[256];

	live_log_begin(&log);
	assert_null(bpf_object__open("/no/such/object"));
	live_log_end(&log);
	live_log_append(&log, "0: R1=ctx()\nR1 invalid mem access 'inv'\nprocessed 12 insns\n");
	live_log_reason(&log, reason, sizeof(reason));
	assert_string_equal(reason, "R1 invalid mem access 'inv'");
	live_log_finish(&log);
	/* Nothing was said. */
	live_log_append(&log, "");
	live_log_reason(&log, reason, sizeof(reason));
	assert_string_equal(reason, "");
	live_log_finish(&log);
}

/* Messages go to the log that has begun last, whole, and to none when it has ended. */
static void test_messages_are_caught(void **state)
{
	struct live_log log = {0};
	size_t len;

	live_log_begin(&log);
	assert_null(bpf_object__open("/no/such/object"));
	live_log_end(&log);
	assert_non_null(strstr(log.text.data, "libbpf: elf: failed to open /no/such/object"));
	assert_int_equal(strlen(log.text.data) + 1, log.text.len);
	len = log.text.len;
	assert_null(bpf_object__open("/another/object"));
	assert_int_equal(log.text.len, len);
	/* It begins empty each time. */
	live_log_begin(&log);
	live_log_end(&log);
	assert_string_equal(log.text.data, "");
	live_log_finish(&log);
}

/* Only with -v, and only when somebody asks. */
static void test_shown(void **state)
{
	struct live_log log = log_of("libbpf: it failed\n");
	FILE *before = stderr;
	char *text = NULL;
	size_t len;

	stderr = open_memstream(&text, &len);
	live_log_show(&log);
	fflush(stderr);
	assert_int_equal(len, 0);
	log.verbose = true;
	live_log_show(&log);
	fclose(stderr);
	stderr = before;
	assert_string_equal(text, "libbpf: it failed\n");
	free(text);
	live_log_finish(&log);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_log_of_the_verifier),   cmocka_unit_test(test_log_of_libbpf),
	cmocka_unit_test(test_log_without_a_program), cmocka_unit_test(test_appended),
	cmocka_unit_test(test_messages_are_caught),   cmocka_unit_test(test_shown),
};

UNIT_GROUP(tests);
