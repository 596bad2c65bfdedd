/* SPDX-License-Identifier: MIT */
/* The thread that samples connections: it begins and ends, whatever it is given. */
#include "unit.h"
#include "patience.h"
#include "scap/live/sampler.h"

#include <errno.h>

enum { NO_LINK = -1, NS_PER_MS = 1000000 };

static void test_no_iterator(void **state)
{
	sem_t end;

	assert_int_equal(live_sampler_pass(NO_LINK, NULL), -EBADF);
	assert_int_equal(sem_init(&end, 0, 0), 0);
	assert_int_equal(live_sampler_pass(NO_LINK, &end), -EBADF);
	sem_destroy(&end);
}

/* One that never ran, or has ended, is stopped again. */
static void test_ends(void **state)
{
	struct live_sampler sampler = {0};

	live_sampler_stop(&sampler);
	assert_int_equal(live_sampler_start(&sampler, NO_LINK, NS_PER_MS), 0);
	assert_true(sampler.runs);
	/* What it could not do is not silent. */
	assert_true(waited_until(sampler.failed > 0));
	live_sampler_stop(&sampler);
	assert_false(sampler.runs);
	assert_true(sampler.error < 0);
	live_sampler_stop(&sampler);
	/* In the middle of an interval. */
	assert_int_equal(live_sampler_start(&sampler, NO_LINK, UINT64_C(3600) * 1000 * NS_PER_MS),
			 0);
	live_sampler_stop(&sampler);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_iterator),
	cmocka_unit_test(test_ends),
};

UNIT_GROUP(tests);
