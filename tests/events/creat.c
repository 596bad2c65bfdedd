/* SPDX-License-Identifier: MIT */
/* creat: paths, the mode, the layer of an overlay that the file is in, and whether it is a new one.
 */
#include "harness/fixture.h"
#include "harness/live.h"

static const int64_t opens_with = file_flags__O_WRONLY | file_flags__O_CREAT | file_flags__O_TRUNC;

static void expect_made(const struct event *ev, long fd, const char *name, int64_t mode,
			const struct opened *opened, int64_t layer, int64_t made)
{
	expect_i64(ev, creat__fd, fd);
	expect_string(ev, creat__name, name);
	expect_i64(ev, creat__mode, mode);
	expect_file(ev, creat, opened);
	expect_absent(ev, creat__base_path);
	expect_i64(ev, creat__creat_flags, layer);
	expect_i64(ev, creat__flags, opens_with | made);
}

struct result {
	int fd;
	struct opened opened;
};

static int make_in_overlay(void *arg)
{
	struct result *result = arg;

	fixture_overlay();
	result->fd = (int)CALL(SYS_creat, "over/all/new", 0600);
	require(result->fd > 0);
	result->opened = fixture_opened(result->fd);
	return 0;
}

static void check_overlay(void)
{
	struct result *result = fixture_shared(sizeof(*result));
	pid_t child = fixture_child(make_in_overlay, result);

	require(fixture_wait(child) == 0);
	expect_made(live_next_of(EVENT_creat, child), result->fd, "over/all/new", 0600,
		    &result->opened, creat_flags__FD_UPPER_LAYER_CREAT,
		    file_flags__O_F_CREATED | file_flags__FD_UPPER_LAYER);
}

LIVE_TEST(creat)
{
	const struct path_case *paths = fixture_paths();
	const struct event *ev;
	struct opened opened;
	long fd;

	for (int i = 0; i < PATH_CASES; i++) {
		require(CALL(SYS_creat, paths[i].path, 0107654) == paths[i].error);
		ev = live_next(EVENT_creat);
		expect_i64(ev, creat__fd, paths[i].error);
		expect_path(ev, creat__name, &paths[i]);
		expect_i64(ev, creat__mode, 07654);
		expect_file(ev, creat, NULL);
		fixture_expect_base(ev, creat__base_path, paths[i].shown);
		expect_i64(ev, creat__creat_flags, 0);
		expect_i64(ev, creat__flags, opens_with);
	}
	fd = CALL(SYS_creat, "made", 0640);
	require(fd > 0);
	opened = fixture_opened((int)fd);
	close((int)fd);
	expect_made(live_next(EVENT_creat), fd, "made", 0640, &opened, 0, file_flags__O_F_CREATED);
	/* What is there is no new file. */
	fd = CALL(SYS_creat, "made", 0640);
	require(fd > 0);
	opened = fixture_opened((int)fd);
	close((int)fd);
	expect_made(live_next(EVENT_creat), fd, "made", 0640, &opened, 0, 0);
	check_overlay();
}
