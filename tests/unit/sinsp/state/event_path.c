/* SPDX-License-Identifier: MIT */
/* The absolute paths of parameters, by what the tables hold. */
#include "drive.h"
#include "sinsp/state/apply.h"
#include "unit.h"

static void gives_paths_of_parameters(void **state)
{
	struct drive *drive = *state;
	char path[1024], small[6];
	struct frame *frame;

	drive_chdir(drive, 100, 0, "/w");
	drive_open(drive, 100, 3, "/dir", 0);
	frame = drive_begin(drive, EVENT_renameat, 100);
	frame_put_i64(frame, renameat__olddirfd, 3);
	frame_put_string(frame, renameat__oldpath, "old");
	frame_put_i64(frame, renameat__newdirfd, -100);
	frame_put_string(frame, renameat__newpath, "new");
	drive_end(drive);
	assert_int_equal(state_event_path(&drive->event, renameat__oldpath, path, sizeof(path)), 8);
	assert_string_equal(path, "/dir/old");
	state_event_path(&drive->event, renameat__newpath, path, sizeof(path));
	assert_string_equal(path, "/w/new");
	assert_int_equal(state_event_path(&drive->event, renameat__newpath, small, sizeof(small)),
			 5);
	assert_string_equal(small, "/w/ne");
	assert_int_equal(state_event_path(&drive->event, renameat__newpath, small, 0), 0);
	frame_put_string(drive_begin(drive, EVENT_unlink, 999), unlink__path, "x");
	drive_end(drive);
	state_event_path(&drive->event, unlink__path, path, sizeof(path));
	assert_string_equal(path, "<UNKNOWN>x");
	drive_begin(drive, EVENT_unlink, 100);
	drive_end(drive);
	assert_int_equal(state_event_path(&drive->event, unlink__path, path, sizeof(path)), 0);
}

static void prefers_what_the_kernel_found(void **state)
{
	struct drive *drive = *state;
	struct frame *frame = drive_begin(drive, EVENT_openat, 100);
	char path[64];
	int64_t dirfd;

	frame_put_i64(frame, openat__fd, 3);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, "link");
	frame_put_string(frame, openat__path, "/real");
	drive_end(drive);
	state_event_path(&drive->event, openat__name, path, sizeof(path));
	assert_string_equal(path, "/real");
	assert_false(state_path_is_relative(&drive->event.ev, openat__name, &dirfd));
	/* Even when the argument could not be read. */
	frame = drive_begin(drive, EVENT_openat, 100);
	frame_put_i64(frame, openat__fd, 3);
	frame_put_string(frame, openat__path, "/real");
	drive_end(drive);
	assert_int_equal(state_event_path(&drive->event, openat__name, path, sizeof(path)), 5);
}

/* What the kernel reports of the directory goes before what the tables have. */
static void starts_where_the_kernel_says(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;
	char path[64];
	int64_t dirfd;

	drive_chdir(drive, 100, 0, "/old");
	frame = drive_begin(drive, EVENT_openat, 100);
	frame_put_i64(frame, openat__fd, -2);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, "../x");
	frame_put_string(frame, openat__base_path, "/new/dir");
	drive_end(drive);
	state_event_path(&drive->event, openat__name, path, sizeof(path));
	assert_string_equal(path, "/new/x");
	assert_false(state_path_is_relative(&drive->event.ev, openat__name, &dirfd));
	/* Of a thread that is not known, too. */
	frame = drive_begin(drive, EVENT_openat2, 999);
	frame_put_i64(frame, openat2__fd, -2);
	frame_put_i64(frame, openat2__dirfd, 7);
	frame_put_string(frame, openat2__name, "/../x");
	frame_put_i64(frame, openat2__resolve, openat2_flags__RESOLVE_IN_ROOT);
	frame_put_string(frame, openat2__base_path, "/jail");
	drive_end(drive);
	state_event_path(&drive->event, openat2__name, path, sizeof(path));
	assert_string_equal(path, "/jail/x");
}

static void knows_where_paths_start(void **state)
{
	static const struct {
		const char *name;
		uint32_t resolve;
		bool relative;
	} cases[] = {
		{"x", 0, true},
		{"./x", 0, true},
		{"/x", 0, false},
		{"", 0, false},
		{NULL, 0, false},
		{"/x", openat2_flags__RESOLVE_IN_ROOT, true},
		{"x", openat2_flags__RESOLVE_IN_ROOT, true},
		{NULL, openat2_flags__RESOLVE_IN_ROOT, false},
	};
	struct drive *drive = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct frame *frame = drive_begin(drive, EVENT_openat2, 100);
		int64_t dirfd = -1;

		frame_put_i64(frame, openat2__fd, -2);
		frame_put_i64(frame, openat2__dirfd, 3);
		frame_put_string(frame, openat2__name, cases[i].name);
		frame_put_i64(frame, openat2__resolve, cases[i].resolve);
		drive_end(drive);
		assert_int_equal(state_path_is_relative(&drive->event.ev, openat2__name, &dirfd),
				 cases[i].relative);
		assert_int_equal(dirfd, cases[i].relative ? 3 : -1);
	}
}

static void starts_at_the_current_directory(void **state)
{
	struct drive *drive = *state;
	int64_t dirfd;

	frame_put_string(drive_begin(drive, EVENT_unlink, 100), unlink__path, "x");
	drive_end(drive);
	assert_true(state_path_is_relative(&drive->event.ev, unlink__path, &dirfd));
	assert_int_equal(dirfd, AT_FDCWD_STORED);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)
	TEST(gives_paths_of_parameters),       TEST(prefers_what_the_kernel_found),
	TEST(starts_where_the_kernel_says),    TEST(knows_where_paths_start),
	TEST(starts_at_the_current_directory),
};

UNIT_GROUP(tests);
