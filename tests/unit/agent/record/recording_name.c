/* SPDX-License-Identifier: MIT */
/* The names of the files of a recording, and which of them make room. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/record/recording.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

static struct recording_name name;

static void begin(const char *base, uint64_t ns, uint64_t events, uint64_t files)
{
	const struct recording_config config = {
		.path = base,
		.limits = {.ns = ns, .events = events, .files = files},
	};

	assert_int_equal(recording_name_init(&name, &config), 0);
}

/* removed: NULL for none. */
static void expect(uint64_t ns, const char *wanted, const char *removed)
{
	const char *next, *replaces;

	assert_int_equal(recording_name_next(&name, ns, &next, &replaces), 0);
	assert_string_equal(next, wanted);
	if (removed) {
		assert_non_null(replaces);
		assert_string_equal(replaces, removed);
	} else {
		assert_null(replaces);
	}
}

static void test_one_file(void **state)
{
	begin("a%s.scap", 0, 0, 0);
	expect(0, "a%s.scap", NULL);
	recording_name_finish(&name);
}

static void test_counter(void **state)
{
	begin("a.scap", 0, 5, 0);
	expect(0, "a.scap0", NULL);
	for (int i = 1; i < 10; i++) {
		const char *next, *replaces;

		assert_int_equal(recording_name_next(&name, 0, &next, &replaces), 0);
	}
	expect(0, "a.scap10", NULL);
	recording_name_finish(&name);
	/* Only with -G the name has a time. */
	begin("%s", 0, 5, 0);
	expect(7 * SECOND, "%s0", NULL);
	recording_name_finish(&name);
	begin("a.scap", SECOND, 0, 0);
	expect(7 * SECOND, "a.scap0", NULL);
	expect(8 * SECOND, "a.scap1", NULL);
	recording_name_finish(&name);
}

/* The oldest file is written over: nothing is to be removed. */
static void test_ring_of_counters(void **state)
{
	begin("a", 0, 5, 2);
	expect(0, "a0", NULL);
	expect(0, "a1", NULL);
	expect(0, "a0", NULL);
	expect(0, "a1", NULL);
	recording_name_finish(&name);
}

static void test_time(void **state)
{
	begin("a.%Y-%m-%d_%H:%M:%S", SECOND, 0, 0);
	expect(1795305370 * SECOND, "a.2026-11-21_23:56:10", NULL);
	expect(1795305371 * SECOND + 999999999, "a.2026-11-21_23:56:11", NULL);
	/* No file is written over by the next. */
	expect(1795305371 * SECOND, "a.2026-11-21_23:56:111", NULL);
	expect(1795305371 * SECOND, "a.2026-11-21_23:56:112", NULL);
	expect(1795305372 * SECOND, "a.2026-11-21_23:56:12", NULL);
	expect(1795305372 * SECOND, "a.2026-11-21_23:56:121", NULL);
	recording_name_finish(&name);
}

static void test_ring_of_times(void **state)
{
	begin("a.%s", SECOND, 0, 2);
	expect(1 * SECOND, "a.1", NULL);
	expect(2 * SECOND, "a.2", NULL);
	expect(5 * SECOND, "a.5", "a.1");
	expect(6 * SECOND, "a.6", "a.2");
	expect(9 * SECOND, "a.9", "a.5");
	recording_name_finish(&name);
	begin("a.%s", SECOND, 0, 1);
	expect(1 * SECOND, "a.1", NULL);
	expect(2 * SECOND, "a.2", "a.1");
	recording_name_finish(&name);
}

static void test_too_long(void **state)
{
	const char *next, *replaces;
	char base[5000];

	memset(base, 'a', sizeof(base));
	base[sizeof(base) - 1] = '\0';
	base[0] = '%';
	base[1] = 'S';
	begin(base, SECOND, 0, 0);
	assert_int_equal(recording_name_next(&name, 0, &next, &replaces), -ENAMETOOLONG);
	recording_name_finish(&name);
}

static int use_utc(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_file),	 cmocka_unit_test(test_counter),
	cmocka_unit_test(test_ring_of_counters), cmocka_unit_test(test_time),
	cmocka_unit_test(test_ring_of_times),	 cmocka_unit_test(test_too_long),
};

UNIT_GROUP(tests, .setup = use_utc);
