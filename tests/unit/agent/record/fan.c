/* SPDX-License-Identifier: MIT */
/* Several receivers of what becomes known of containers, of which one fails. */
#include "agent/record/fan.h"
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
	struct fan fan;

	fan_init(&fan);
	assert_int_equal(fan_add(&fan, &first.snapshot), 0);
	assert_int_equal(fan_add(&fan, NULL), 1);
	assert_int_equal(fan_add(&fan, &second.snapshot), 2);
	assert_int_equal(fan.snapshot.ops->container(&fan.snapshot, NULL), 0);
	assert_int_equal(fan.snapshot.ops->container_user(&fan.snapshot, NULL), 0);
	assert_int_equal(first.containers + first.users, 2);
	assert_int_equal(second.containers + second.users, 2);
	assert_int_equal(fan.codes[0] | fan.codes[1] | fan.codes[2], 0);
}

static void test_one_fails(void **state)
{
	struct receiver first = {{&ops}, .code = -ENOSPC}, second = {{&ops}};
	struct fan fan;

	fan_init(&fan);
	fan_add(&fan, &first.snapshot);
	fan_add(&fan, &second.snapshot);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fan.snapshot.ops->container(&fan.snapshot, NULL), 0);
	assert_int_equal(first.containers, 1);
	assert_int_equal(second.containers, 3);
	assert_int_equal(fan.codes[0], -ENOSPC);
	assert_int_equal(fan.codes[1], 0);
	fan_init(&fan);
	assert_int_equal(fan.count, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all_get_it),
	cmocka_unit_test(test_one_fails),
};

UNIT_GROUP(tests);
