/* SPDX-License-Identifier: MIT */
/* Several receivers of what becomes known of containers, of which one fails. */
#include "agent/record/captures.h"
#include "unit.h"

#include <errno.h>

struct receiver {
	struct scap_snapshot snapshot;
	int containers, users, code;
};

static int take_container(struct scap_snapshot *to, const struct scap_container *container)
{
	struct receiver *receiver = (struct receiver *)to;

	receiver->containers++;
	return receiver->code;
}

static int take_user(struct scap_snapshot *to, const struct scap_container_user *user)
{
	struct receiver *receiver = (struct receiver *)to;

	receiver->users++;
	return receiver->code;
}

static const struct scap_snapshot_ops ops = {.container = take_container,
					     .container_user = take_user};

static void test_all_get_it(void **state)
{
	struct receiver first = {{&ops}}, second = {{&ops}};
	struct record_tee tee;

	record_tee_init(&tee);
	assert_int_equal(record_tee_add(&tee, &first.snapshot), 0);
	assert_int_equal(record_tee_add(&tee, NULL), 1);
	assert_int_equal(record_tee_add(&tee, &second.snapshot), 2);
	assert_int_equal(tee.snapshot.ops->container(&tee.snapshot, NULL), 0);
	assert_int_equal(tee.snapshot.ops->container_user(&tee.snapshot, NULL), 0);
	assert_int_equal(first.containers + first.users, 2);
	assert_int_equal(second.containers + second.users, 2);
	assert_int_equal(tee.codes[0] | tee.codes[1] | tee.codes[2], 0);
}

static void test_one_fails(void **state)
{
	struct receiver first = {{&ops}, .code = -ENOSPC}, second = {{&ops}};
	struct record_tee tee;

	record_tee_init(&tee);
	record_tee_add(&tee, &first.snapshot);
	record_tee_add(&tee, &second.snapshot);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tee.snapshot.ops->container(&tee.snapshot, NULL), 0);
	assert_int_equal(first.containers, 1);
	assert_int_equal(second.containers, 3);
	assert_int_equal(tee.codes[0], -ENOSPC);
	assert_int_equal(tee.codes[1], 0);
	record_tee_init(&tee);
	assert_int_equal(tee.count, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_get_it),
	cmocka_unit_test(test_one_fails),
};

UNIT_GROUP(tests);
