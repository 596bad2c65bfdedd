/* SPDX-License-Identifier: MIT */
/* When files were made: names in scopes, limits, and the calls that make, rename and remove them.
 */
#include "sinsp/state/created.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drive.h"
#include "sinsp/state/core.h"
#include "unit.h"

static const struct created_scope host = {.uid = 0, .group = "/", .group_len = 1},
				  inside = {.container = "web",
					    .container_len = 3,
					    .uid = 0,
					    .group = "/web",
					    .group_len = 4},
				  below = {.root = "/srv", .group = "/", .group_len = 1},
				  other = {.uid = 7, .group = "/", .group_len = 1};

static struct created_name named(const char *text)
{
	return (struct created_name){text, strlen(text)};
}

static void put(struct created *created, const struct created_scope *scope, const char *path,
		uint64_t ns)
{
	const struct created_name names[CREATED_NAMES] = {named(path)};

	created_put(created, scope, names, ns);
}

static uint64_t taken(struct created *created, const struct created_scope *scope, const char *path)
{
	struct created_name name = named(path);

	return created_take(created, scope, &name);
}

static void move(struct created *created, const char *from, const char *to, bool exchanged)
{
	struct created_name names[] = {named(from), named(to)};

	created_move(created, &host, &names[0], &names[1], exchanged);
}

static void knows_names_in_their_places(void **state)
{
	struct created created = {0};

	assert_int_equal(taken(&created, &host, "/a"), 0);
	move(&created, "/a", "/b", false);
	put(&created, &host, "/a", 1);
	put(&created, &inside, "/a", 2);
	put(&created, &below, "/a", 3);
	assert_int_equal(created.count, 3);
	assert_int_equal(taken(&created, &inside, "/a"), 2);
	assert_int_equal(taken(&created, &below, "/a"), 3);
	assert_int_equal(taken(&created, &host, "/b"), 0);
	assert_int_equal(taken(&created, &host, "/a"), 1);
	assert_int_equal(created.count, 0);
	created_finish(&created);
}

static void knows_both_names(void **state)
{
	const struct created_name names[] = {{"/run/x", 6}, {"/var/run/x", 10}},
				  same[] = {{"/run/y", 6}, {"/run/y", 6}};
	struct created created = {0};

	created_put(&created, &host, names, 5);
	assert_int_equal(taken(&created, &host, "/var/run/x"), 5);
	assert_int_equal(taken(&created, &host, "/run/x"), 0);
	created_put(&created, &host, same, 6);
	assert_int_equal(taken(&created, &host, "/run/y"), 6);
	assert_int_equal(created.count, 0);
	created_finish(&created);
}

static void follows_renames(void **state)
{
	struct created created = {0};

	put(&created, &host, "/a", 1);
	put(&created, &host, "/b", 2);
	move(&created, "/a", "/a", false);
	move(&created, "/a", "/b", false);
	assert_int_equal(created.count, 1);
	assert_int_equal(taken(&created, &host, "/a"), 0);
	put(&created, &host, "/c", 3);
	move(&created, "/b", "/c", true);
	assert_int_equal(taken(&created, &host, "/c"), 1);
	assert_int_equal(taken(&created, &host, "/b"), 3);
	/* One that was there before. */
	put(&created, &host, "/d", 4);
	move(&created, "/old", "/d", false);
	assert_int_equal(taken(&created, &host, "/d"), 0);
	/* One with a name that is not known. */
	put(&created, &host, "/e", 5);
	move(&created, "", "/e", false);
	assert_int_equal(taken(&created, &host, "/e"), 0);
	created_finish(&created);
}

/* In a mount namespace of theirs it is another file; else it is gone, or has another name. */
static void doubts_what_others_removed(void **state)
{
	const struct created_name a = named("/a"), b = named("/b");
	struct created created = {0};

	put(&created, &host, "/a", 1);
	assert_int_equal(taken(&created, &other, "/a"), 0);
	assert_int_equal(taken(&created, &host, "/a"), 0);
	put(&created, &host, "/a", 1);
	created_move(&created, &other, &a, &b, false);
	assert_int_equal(taken(&created, &other, "/b"), 0);
	assert_int_equal(taken(&created, &host, "/a"), 0);
	put(&created, &host, "/a", 1);
	created_move(&created, &other, &b, &a, true);
	assert_int_equal(taken(&created, &host, "/a"), 0);
	put(&created, &host, "/a", 1);
	assert_int_equal(taken(&created, &host, "/a"), 1);
	/* Here they have one name for two files. */
	put(&created, &host, "/a", 2);
	put(&created, &other, "/b", 3);
	created_move(&created, &other, &b, &a, false);
	assert_int_equal(taken(&created, &host, "/a"), 0);
	assert_int_equal(taken(&created, &other, "/a"), 0);
	created_finish(&created);
}

/* Two files cannot have a name at a time: the one was removed unseen, or the places differ. */
static void doubts_what_others_made_again(void **state)
{
	struct created created = {0};

	put(&created, &host, "/a", 1);
	put(&created, &host, "/a", 2);
	assert_int_equal(taken(&created, &host, "/a"), 2);
	put(&created, &host, "/a", 3);
	put(&created, &other, "/a", 4);
	put(&created, &host, "/a", 5);
	assert_int_equal(taken(&created, &host, "/a"), 0);
	put(&created, &host, "/a", 6);
	assert_int_equal(taken(&created, &host, "/a"), 6);
	created_finish(&created);
}

static void put_many(struct created *created, const struct created_scope *scope, const char *what,
		     unsigned int count)
{
	char path[64];

	for (unsigned int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/%s/%u", what, i);
		put(created, scope, path, i + 1);
	}
}

/* Whoever makes many loses the oldest of his own. */
static void nobody_takes_the_room_of_others(void **state)
{
	struct created created = {0};

	put_many(&created, &other, "few", 100);
	put_many(&created, &inside, "many", 3 * CREATED_MAX / 2);
	put_many(&created, &host, "late", 100);
	assert_int_equal(created.count, CREATED_MAX);
	assert_int_equal(created.dropped, CREATED_MAX / 2 + 200);
	for (unsigned int i = 0; i < 100; i++) {
		char few[64], late[64];

		snprintf(few, sizeof(few), "/few/%u", i);
		snprintf(late, sizeof(late), "/late/%u", i);
		assert_int_equal(taken(&created, &other, few), i + 1);
		assert_int_equal(taken(&created, &host, late), i + 1);
	}
	assert_int_equal(taken(&created, &inside, "/many/0"), 0);
	assert_int_not_equal(taken(&created, &inside, "/many/98303"), 0);
	created_finish(&created);
}

static void make(struct drive *drive, const char *path, uint32_t flags)
{
	struct frame *frame = drive_begin(drive, EVENT_open, 100);

	frame_put_i64(frame, open__fd, 3);
	frame_put_string(frame, open__name, path);
	frame_put_i64(frame, open__flags, flags);
	frame_put_string(frame, open__path, path);
	drive_end(drive);
	drive_close(drive, 100, 0, 3);
}

static uint64_t age_of_removed(struct drive *drive, int64_t result, const char *path)
{
	struct frame *frame = drive_begin(drive, EVENT_unlinkat, 100);

	frame_put_i64(frame, unlinkat__res, result);
	frame_put_i64(frame, unlinkat__dirfd, AT_FDCWD_STORED);
	frame_put_string(frame, unlinkat__name, path);
	return state_file_age_ns(drive_end(drive));
}

static uint64_t age_of_faked(struct drive *drive, const char *path)
{
	struct frame *frame = drive_begin(drive, EVENT_unlinkat, 100);

	frame_put_i64(frame, unlinkat__res, 0);
	frame_put_i64(frame, unlinkat__dirfd, AT_FDCWD_STORED);
	frame_put_string(frame, unlinkat__name, path);
	frame->marks.is_faked = 1;
	return state_file_age_ns(drive_end(drive));
}

static void rename_to(struct drive *drive, const char *from, const char *to)
{
	struct frame *frame = drive_begin(drive, EVENT_rename, 100);

	frame_put_i64(frame, rename__res, 0);
	frame_put_string(frame, rename__oldpath, from);
	frame_put_string(frame, rename__newpath, to);
	drive_end(drive);
}

static void calls_tell_ages(void **state)
{
	const uint32_t made = file_flags__O_WRONLY | file_flags__O_CREAT | file_flags__O_F_CREATED;
	struct drive *drive = *state;

	drive_chdir(drive, 100, 0, "/w");
	make(drive, "/w/a", made);
	assert_int_equal(age_of_removed(drive, -EACCES, "a"), 0);
	/* Of four events each comes 1 us after the one before. */
	assert_int_equal(age_of_removed(drive, 0, "a"), 3000);
	assert_int_equal(age_of_removed(drive, 0, "a"), 0);
	make(drive, "/w/b", made & ~file_flags__O_F_CREATED);
	assert_int_equal(age_of_removed(drive, 0, "b"), 0);
	make(drive, "/w/c", made);
	rename_to(drive, "c", "/x");
	assert_int_equal(age_of_removed(drive, 0, "/w/c"), 0);
	assert_int_equal(age_of_removed(drive, 0, "/w/../x"), 4000);
	make(drive, "/w/e", made);
	assert_int_equal(age_of_removed(drive, 0, "e"), 2000);
	/* Of the call before. */
	assert_int_equal(age_of_faked(drive, "e"), 0);
	state_set_lacks(drive->state, STATE_CREATED);
	make(drive, "/w/d", made);
	assert_int_equal(age_of_removed(drive, 0, "d"), 0);
}

static void creat_says_whether_it_made_the_file(void **state)
{
	struct drive *drive = *state;

	for (unsigned int i = 0; i < 2; i++) {
		struct frame *frame = drive_begin(drive, EVENT_creat, 100);

		frame_put_i64(frame, creat__fd, 4);
		frame_put_string(frame, creat__name, "/new");
		frame_put_i64(frame, creat__flags, i ? file_flags__O_F_CREATED : 0);
		drive_end(drive);
		assert_int_equal(age_of_removed(drive, 0, "/new"), i ? 1000 : 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup_process, drive_teardown)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(knows_names_in_their_places),
	cmocka_unit_test(knows_both_names),
	cmocka_unit_test(follows_renames),
	cmocka_unit_test(doubts_what_others_removed),
	cmocka_unit_test(doubts_what_others_made_again),
	cmocka_unit_test(nobody_takes_the_room_of_others),
	TEST(calls_tell_ages),
	TEST(creat_says_whether_it_made_the_file),
};

UNIT_GROUP(tests);
