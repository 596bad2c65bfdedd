/* SPDX-License-Identifier: MIT */
/* Rings that have ended, and those whose account differs from the clock. */
#include "scap/rings/enabled.h"
#include "unit.h"
#include "util/clock.h"

#define MS UINT64_C(1000000)
#define LOOK_NS (400 * MS)

/* NTP slews the clock, in either direction: within two days by 86 s, and none has ended. */
static void goes_on_when_clock_is_slewed(void **state)
{
	static const int64_t slews_ppm[] = {500, -500, 100000, -90000};

	for (int i = 0; i < 4; i++) {
		struct scap_enabled last = {.looked_ns = MS};
		uint64_t now = MS, enabled = 0;

		for (int look = 0; look < 432000; look++) {
			now += LOOK_NS + (uint64_t)((int64_t)(LOOK_NS / 1000000) * slews_ppm[i]);
			enabled += LOOK_NS;
			assert_false(scap_enabled_judge(&last, enabled, now, now));
		}
	}
}

/* One that stopped is found by the second look, however long it was there and not looked at. */
static void has_ended_when_account_stops(void **state)
{
	const uint64_t day = UINT64_C(86400000) * MS;
	struct scap_enabled last = {.looked_ns = MS};
	uint64_t now = MS + day;

	assert_false(scap_enabled_judge(&last, day - 200 * MS, now, now));
	assert_false(scap_enabled_judge(&last, day - 200 * MS, now + MS, now + MS));
	now += LOOK_NS;
	assert_true(scap_enabled_judge(&last, day - 200 * MS, now, now));
	now += LOOK_NS;
	assert_true(scap_enabled_judge(&last, day - 200 * MS, now, now));
	/* It stopped in the middle between two looks. */
	last = (struct scap_enabled){now, 1000 * MS};
	now += LOOK_NS;
	assert_true(scap_enabled_judge(&last, 1200 * MS, now, now));
}

/* Between the clock and the account, or behind that, the reader did not run for seconds. */
static void goes_on_when_reader_is_stopped(void **state)
{
	struct scap_enabled last = {.looked_ns = 1000 * MS, .enabled_ns = 500 * MS};

	assert_false(scap_enabled_judge(&last, 3900 * MS, 1400 * MS, 4400 * MS));
	assert_false(scap_enabled_judge(&last, 4300 * MS, 4800 * MS, 9800 * MS));
	assert_false(scap_enabled_judge(&last, 9700 * MS, 10200 * MS, 10200 * MS));
}

/* test_open() of ring_open.c has one of the kernel. */
static void has_not_ended_if_unreadable(void **state)
{
	struct scap_enabled last;

	scap_enabled_begin(&last);
	assert_in_range(last.looked_ns, 1, clock_ns(CLOCK_MONOTONIC));
	last.looked_ns = 0;
	assert_false(scap_enabled_has_ended(&last, -1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(goes_on_when_clock_is_slewed),
	cmocka_unit_test(has_ended_when_account_stops),
	cmocka_unit_test(goes_on_when_reader_is_stopped),
	cmocka_unit_test(has_not_ended_if_unreadable),
};

UNIT_GROUP(tests);
