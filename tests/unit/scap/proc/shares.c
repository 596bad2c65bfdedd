/* SPDX-License-Identifier: MIT */
/* Whose reads are waited for, and how long. */
#include "scap/proc/readers.h"

#include "unit.h"

enum { ONE = 1000, OTHER = 1001 };

static int patience(struct proc_shares *shares, uint32_t owner, enum proc_share share)
{
	return proc_shares_patience(shares, owner, share, PROC_SHARES_SPAN_MS);
}

/* Who spent his share is waited for less, others are as before; with the time it comes back. */
static void test_own_share(void **state)
{
	struct proc_shares shares = {.span_ms = PROC_SHARES_SPAN_MS};

	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 500);
	proc_shares_charge(&shares, ONE, PROC_SHARE_STRINGS, 499);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 500);
	proc_shares_charge(&shares, ONE, PROC_SHARE_STRINGS, 1);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 20);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_SOCKET), 5);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_FILE), 1000);
	proc_shares_charge(&shares, ONE, PROC_SHARE_SOCKET, 499);
	assert_int_equal(patience(&shares, OTHER, PROC_SHARE_STRINGS), 500);
	proc_shares_charge(&shares, ONE, PROC_SHARE_STRINGS, 1);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 2);
	assert_int_equal(patience(&shares, OTHER, PROC_SHARE_STRINGS), 20);
	assert_int_equal(
		proc_shares_patience(&shares, ONE, PROC_SHARE_STRINGS, 2 * PROC_SHARES_SPAN_MS),
		500);
}

/* Files delay no event, and nobody but their owner. */
static void test_files(void **state)
{
	struct proc_shares shares = {.span_ms = PROC_SHARES_SPAN_MS};

	proc_shares_charge(&shares, ONE, PROC_SHARE_FILE, 900);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_FILE), 1000);
	proc_shares_charge(&shares, ONE, PROC_SHARE_FILE, 900);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_FILE), 200);
	proc_shares_charge(&shares, ONE, PROC_SHARE_FILE, 100000);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_FILE), 50);
	assert_int_equal(patience(&shares, OTHER, PROC_SHARE_FILE), 1000);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 500);
}

/* Who has very many users is limited by what all may spend; who spent most is not forgotten. */
static void test_many_owners(void **state)
{
	struct proc_shares shares = {.span_ms = PROC_SHARES_SPAN_MS};

	proc_shares_charge(&shares, ONE, PROC_SHARE_FILE, 5000);
	for (uint32_t i = 0; i < 10 * PROC_SHARES_OWNERS; i++)
		proc_shares_charge(&shares, OTHER + i, PROC_SHARE_STRINGS, 20);
	assert_int_equal(shares.count, PROC_SHARES_OWNERS);
	assert_int_equal(patience(&shares, OTHER, PROC_SHARE_STRINGS), 2);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_FILE), 50);
	/* What costs nothing takes nobody's place. */
	proc_shares_charge(&shares, 1, PROC_SHARE_STRINGS, 0);
	for (unsigned int i = 0; i < shares.count; i++)
		assert_int_not_equal(shares.owners[i].owner, 1);
}

/* What was charged for nothing comes back: to its owner, of its time, and not more than that. */
static void test_discharge(void **state)
{
	struct proc_shares shares = {.span_ms = PROC_SHARES_SPAN_MS};

	proc_shares_charge(&shares, ONE, PROC_SHARE_STRINGS, 500);
	proc_shares_charge(&shares, OTHER, PROC_SHARE_STRINGS, 500);
	proc_shares_discharge(&shares, ONE, PROC_SHARE_STRINGS, 500, 0);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 20);
	proc_shares_discharge(&shares, ONE, PROC_SHARE_STRINGS, 500, PROC_SHARES_SPAN_MS);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_STRINGS), 500);
	assert_int_equal(patience(&shares, OTHER, PROC_SHARE_STRINGS), 20);
	assert_int_equal(shares.spent_ms, 500);
	proc_shares_discharge(&shares, ONE, PROC_SHARE_STRINGS, 1000, PROC_SHARES_SPAN_MS);
	assert_int_equal(shares.spent_ms, 0);
	proc_shares_charge(&shares, ONE, PROC_SHARE_FILE, 1000);
	proc_shares_discharge(&shares, ONE, PROC_SHARE_FILE, 1, PROC_SHARES_SPAN_MS);
	assert_int_equal(patience(&shares, ONE, PROC_SHARE_FILE), 1000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_own_share),
	cmocka_unit_test(test_files),
	cmocka_unit_test(test_many_owners),
	cmocka_unit_test(test_discharge),
};

UNIT_GROUP(tests);
