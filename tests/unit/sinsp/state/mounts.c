/* SPDX-License-Identifier: MIT */
/* Paths below a mount, before and after a move. */
#include <string.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "sinsp/state/program.h"
#include "unit.h"

static void moves_whole_components(void **state)
{
	static const struct {
		const char *path, *from, *to, *moved;
	} cases[] = {
		{"/a", "/a", "/b", "/b"},   {"/a/x/y", "/a", "/b/c", "/b/c/x/y"},
		{"/ab", "/a", "/b", "/ab"}, {"/x/a", "/a", "/b", "/x/a"},
		{"/a/x", "/a", "/", "/x"},  {"/a", "/a", "/", "/"},
		{"", "/a", "/b", ""},	    {"<UNKNOWN>/a", "/a", "/b", "<UNKNOWN>/a"},
	};
	struct drive *drive = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct state_thread *thread = drive_thread(drive, 100);
		struct state_fd *fd =
			state_fds_open(thread->fds, 3, cases[i].path, strlen(cases[i].path));
		struct state_move move = {.tid = 100};

		fd->type = SCAP_FD_FILE;
		strcpy(move.from, cases[i].from);
		strcpy(move.to, cases[i].to);
		state_fs_set(&drive->state->pool, thread->fs, cases[i].path, strlen(cases[i].path));
		state_apply_move(drive->state, &move);
		assert_string_equal(fd->name, cases[i].moved);
		assert_memory_equal(thread->fs->cwd, cases[i].moved, strlen(cases[i].moved));
	}
}

/* Of sockets and pipes the name is no path, whatever it looks like. */
static void moves_files_alone(void **state)
{
	struct drive *drive = *state;
	struct state_fds *fds = drive_thread(drive, 100)->fds;
	struct state_fd *fd = state_fds_open(fds, 3, "/a/x", 4);
	struct state_move move = {.tid = 100, .from = "/a", .to = "/b"};

	fd->type = SCAP_FD_UNIX;
	state_apply_move(drive->state, &move);
	assert_string_equal(fd->name, "/a/x");
	fd->type = SCAP_FD_DIRECTORY;
	move.tid = 999;
	state_apply_move(drive->state, &move);
	assert_string_equal(fd->name, "/a/x");
	move.tid = 100;
	state_apply_move(drive->state, &move);
	assert_string_equal(fd->name, "/b/x");
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)
	TEST(moves_whole_components),
	TEST(moves_files_alone),
};

UNIT_GROUP(tests);
