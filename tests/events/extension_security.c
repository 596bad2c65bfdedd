/* SPDX-License-Identifier: MIT */
/* Landlock, security modules, secret memory. Nothing here restricts the test itself. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "harness/calls.h"

enum { ALL_BITS = -1 };

struct ruleset_now {
	uint64_t fs, net, scoped;
};

static long check_create(const struct ruleset_now *attr, long size, long flags,
			 const struct ruleset_now *shown)
{
	long ret = CALL(NR(landlock_create_ruleset), attr, size, flags);
	const struct event *ev = next_with_result(EVENT_landlock_create_ruleset, ret);

	if (ret >= 0 && flags == 0)
		expect_i64(ev, landlock_create_ruleset__fd, ret);
	else
		expect_absent(ev, landlock_create_ruleset__fd);
	expect_i64(ev, landlock_create_ruleset__size, size);
	if (shown)
		expect_numbers(ev, landlock_create_ruleset__handled_access_fs, (int64_t)shown->fs,
			       (int64_t)shown->net, (int64_t)shown->scoped);
	else
		expect_absents(ev, landlock_create_ruleset__handled_access_fs,
			       landlock_create_ruleset__scoped);
	expect_i64(ev, landlock_create_ruleset__flags, (uint32_t)flags);
	return ret;
}

LIVE_TEST(landlock_create_ruleset)
{
	struct ruleset_now attr = {landlock_access_fs__LANDLOCK_ACCESS_FS_EXECUTE, 0, 0},
			   all = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2},
			   part = {UINT64_MAX, 0, 0};
	long fd = check_create(&attr, sizeof(attr), 0, &attr);

	if (fd >= 0)
		close((int)fd);
	fd = check_create(fixture_edge(&attr, 8), 8, 0, &attr);
	if (fd >= 0)
		close((int)fd);
	check_create(&all, sizeof(all), 0, &all);
	check_create(&all, 8, 0, &part);
	check_create(&all, 1 << 20, ALL_BITS, &all);
	check_create(NULL, 0, landlock_create_flags__LANDLOCK_CREATE_RULESET_VERSION, NULL);
	check_create(UNREADABLE, sizeof(all), 0, NULL);
}

static void check_rule(long fd, long type, const void *rule, long flags, const int64_t *path,
		       const int64_t *port)
{
	const struct event *ev = next_with_result(
		EVENT_landlock_add_rule, CALL(NR(landlock_add_rule), fd, type, rule, flags));

	expect_numbers(ev, landlock_add_rule__ruleset_fd, fd, (uint32_t)type);
	if (path)
		expect_numbers(ev, landlock_add_rule__allowed_access_fs, path[0], path[1]);
	else
		expect_absents(ev, landlock_add_rule__allowed_access_fs,
			       landlock_add_rule__parent_fd);
	if (port)
		expect_numbers(ev, landlock_add_rule__allowed_access_net, port[0], port[1]);
	else
		expect_absents(ev, landlock_add_rule__allowed_access_net, landlock_add_rule__port);
	expect_i64(ev, landlock_add_rule__flags, (uint32_t)flags);
}

LIVE_TEST(landlock_add_rule)
{
	struct ruleset_now attr = {landlock_access_fs__LANDLOCK_ACCESS_FS_READ_FILE, 0, 0};
	long fd = CALL(NR(landlock_create_ruleset), &attr, 8, 0);
	struct __attribute__((packed)) {
		uint64_t access;
		int32_t parent_fd;
	} path = {attr.fs, open(".", O_PATH)};
	int64_t port[2] = {landlock_access_net__LANDLOCK_ACCESS_NET_BIND_TCP, 1L << 40},
		path_shown[2] = {(int64_t)attr.fs, path.parent_fd}, none_shown[2] = {-1, -1};

	live_skip();
	check_rule(fd, 1, fixture_edge(&path, sizeof(path)), 0, path_shown, NULL);
	check_rule(fd, 2, port, 0, NULL, port);
	check_rule(NO_FD, 1, none_shown, ALL_BITS, none_shown, NULL);
	check_rule(fd, 3, port, 0, NULL, NULL);
	check_rule(fd, 1, UNREADABLE, 0, NULL, NULL);
	check_rule(fd, 2, NULL, 0, NULL, NULL);
	close(path.parent_fd);
	if (fd >= 0)
		close((int)fd);
}

static void check_restrict(long fd, long flags)
{
	const struct event *ev = next_with_result(EVENT_landlock_restrict_self,
						  CALL(NR(landlock_restrict_self), fd, flags));

	expect_numbers(ev, landlock_restrict_self__ruleset_fd, fd, (uint32_t)flags);
}

LIVE_TEST(landlock_restrict_self)
{
	check_restrict(NO_FD, 0);
	check_restrict(-1, landlock_restrict_flags__LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON);
	check_restrict(NO_FD, ALL_BITS);
}

struct context_now {
	uint64_t id, flags, len, bytes;
	char data[200];
};

static void expect_context(const struct event *ev, unsigned int id, unsigned int ctx,
			   const struct context_now *context)
{
	size_t len;

	if (!context) {
		expect_absent(ev, id);
		expect_absent(ev, ctx);
		return;
	}
	len = context->bytes > LIVE_SNAPLEN ? LIVE_SNAPLEN : context->bytes;
	expect_i64(ev, id, context->id > UINT32_MAX ? UINT32_MAX : (int64_t)context->id);
	expect_bytes(ev, ctx, context->data, len);
}

static void check_get_attr(long attr, struct context_now *context, uint32_t *size, long flags)
{
	long ret = CALL(NR(lsm_get_self_attr), attr, context, size, flags);
	const struct event *ev = next_with_result(EVENT_lsm_get_self_attr, ret);

	expect_i64(ev, lsm_get_self_attr__attr, (uint32_t)attr);
	expect_context(ev, lsm_get_self_attr__id, lsm_get_self_attr__ctx, ret > 0 ? context : NULL);
	if ((void *)size == UNREADABLE)
		expect_absent(ev, lsm_get_self_attr__size);
	else
		expect_i64(ev, lsm_get_self_attr__size, *size);
	expect_i64(ev, lsm_get_self_attr__flags, (uint32_t)flags);
}

LIVE_TEST(lsm_get_self_attr)
{
	struct context_now context = {0};
	uint32_t size = sizeof(context), small = 1;

	check_get_attr(lsm_attributes__LSM_ATTR_CURRENT, &context, &size, 0);
	check_get_attr(lsm_attributes__LSM_ATTR_CURRENT, &context, &small, 0);
	size = sizeof(context);
	check_get_attr(lsm_attributes__LSM_ATTR_UNDEF, &context, &size,
		       lsm_get_flags__LSM_FLAG_SINGLE);
	check_get_attr(ALL_BITS, &context, UNREADABLE, ALL_BITS);
}

static void check_set_attr(long attr, const struct context_now *context, long size, long flags,
			   const struct context_now *shown)
{
	const struct event *ev = next_with_result(
		EVENT_lsm_set_self_attr, CALL(NR(lsm_set_self_attr), attr, context, size, flags));

	expect_i64(ev, lsm_set_self_attr__attr, (uint32_t)attr);
	expect_context(ev, lsm_set_self_attr__id, lsm_set_self_attr__ctx, shown);
	expect_numbers(ev, lsm_set_self_attr__size, (uint32_t)size, (uint32_t)flags);
}

LIVE_TEST(lsm_set_self_attr)
{
	struct context_now context = {
		.id = 9999, .len = sizeof(context), .bytes = 5, .data = "label"};

	check_set_attr(lsm_attributes__LSM_ATTR_SOCKCREATE, &context, sizeof(context), 1, &context);
	context.id = UINT64_MAX;
	context.bytes = sizeof(context.data);
	check_set_attr(ALL_BITS, &context, sizeof(context), ALL_BITS, &context);
	check_set_attr(1, UNREADABLE, 40, 1, NULL);
	check_set_attr(1, NULL, 0, 1, NULL);
}

static void check_list_modules(uint64_t *ids, uint32_t *size, long flags)
{
	long ret = CALL(NR(lsm_list_modules), ids, size, flags);
	const struct event *ev = next_with_result(EVENT_lsm_list_modules, ret);

	expect_bytes(ev, lsm_list_modules__ids, ids, ret > 0 ? (size_t)ret * sizeof(*ids) : 0);
	if ((void *)size == UNREADABLE)
		expect_absent(ev, lsm_list_modules__size);
	else
		expect_i64(ev, lsm_list_modules__size, *size);
	expect_i64(ev, lsm_list_modules__flags, (uint32_t)flags);
}

LIVE_TEST(lsm_list_modules)
{
	uint64_t ids[64] = {0};
	uint32_t size = sizeof(ids), small = 0;

	check_list_modules(ids, &size, 0);
	check_list_modules(ids, &small, 0);
	check_list_modules(ids, UNREADABLE, ALL_BITS);
}

LIVE_TEST(memfd_secret)
{
	static const long flags[] = {0, O_CLOEXEC, ALL_BITS};

	for (int i = 0; i < 3; i++) {
		long fd = CALL(SYS_memfd_secret, flags[i]);
		const struct event *ev = next_with_result(EVENT_memfd_secret, fd);

		expect_i64(ev, memfd_secret__flags, (uint32_t)flags[i]);
		if (fd >= 0)
			close((int)fd);
	}
}
