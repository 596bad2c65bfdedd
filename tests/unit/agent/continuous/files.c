/* SPDX-License-Identifier: MIT */
/* The folder of profiles: names of its files, which are removed and when, what is left alone. */
#include "agent/continuous/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define NS_PER_S UINT64_C(1000000000)
#define TIME_S UINT64_C(1700000000) /* 20231114T221320Z */

static char top[64];

static struct continuous_files *opened(uint64_t keep_bytes, uint64_t keep_s)
{
	const struct continuous_files_config config = {.folder = top,
						       .keep_bytes = keep_bytes,
						       .keep_ns = keep_s * NS_PER_S,
						       .file_bytes = 10};
	struct continuous_files *files;
	struct error err = {""};

	if (continuous_files_open(&config, &files, &err))
		fail_msg("%s", err.text);
	return files;
}

static void make_top(void)
{
	snprintf(top, sizeof(top), "/tmp/lanner-profiles-XXXXXX");
	assert_non_null(mkdtemp(top));
}

static void remove_top(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(system(command), 0);
}

static bool is_there(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return access(path, F_OK) == 0;
}

static void put(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "1234567890", 10), 10);
	close(fd);
}

/* Returns how many files were removed for it. */
static uint64_t add(struct continuous_files *files, const char *id, uint64_t second)
{
	const struct buf content = {.data = (char[]){"1234567890"}, .len = 10};
	char name[FILES_NAME_BYTES];
	struct error err = {""};
	uint64_t removed = 0;

	continuous_files_name(id, name);
	if (continuous_files_write(files, name, second * NS_PER_S, &content, &removed, &err))
		fail_msg("%s", err.text);
	return removed;
}

static uint64_t clean(struct continuous_files *files, uint64_t second)
{
	struct error err = {""};
	uint64_t removed = 0;

	if (continuous_files_clean(files, second * NS_PER_S, &removed, &err))
		fail_msg("%s", err.text);
	return removed;
}

static void names_folders(void **state)
{
	static const char *const plain[] = {"web", "0a1b", "a.b-c_d@1000"};
	static const char *const others[] = {"",     "_host", "_other", ".",	    "..",
					     "../a", "a/b",   "_",	"a\nb@1000"};
	char name[FILES_NAME_BYTES], second[FILES_NAME_BYTES], id[400];

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		continuous_files_name(plain[i], name);
		assert_string_equal(name, plain[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		continuous_files_name(others[i], name);
		assert_int_equal(name[0], '_');
		assert_null(strchr(name, '/'));
		assert_string_not_equal(name, FILES_HOST);
		assert_string_not_equal(name, FILES_OTHER);
		/* What it became is another id's name no more. */
		continuous_files_name(name, second);
		assert_string_not_equal(name, second);
	}
	assert_string_equal(strrchr(name, '@'), "@1000");
	/* Long ones differ by what was cut, and keep their user. */
	memset(id, 'a', sizeof(id));
	snprintf(id + 350, sizeof(id) - 350, "b@4294967295");
	continuous_files_name(id, name);
	assert_string_equal(strrchr(name, '@'), "@4294967295");
	id[350] = 'c';
	continuous_files_name(id, second);
	assert_string_not_equal(name, second);
}

static void names_files(void **state)
{
	struct continuous_files *files;
	struct stat stat_of;
	char path[256];

	make_top();
	files = opened(1000, 1000);
	add(files, "web", TIME_S);
	snprintf(path, sizeof(path), "%s/web/20231114T221320Z.pb.gz", top);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_int_equal(stat_of.st_size, 10);
	assert_int_equal(stat_of.st_mode & 07777, 0640);
	assert_false(is_there("web/20231114T221320Z.pb.gz.unfinished"));
	/* A second that has a file: it stays. */
	put("web/20231114T221321Z.pb.gz");
	add(files, "web", TIME_S);
	assert_true(is_there("web/20231114T221322Z.pb.gz"));
	continuous_files_close(files);
	remove_top();
	continuous_files_close(NULL);
}

static void removes_the_oldest(void **state)
{
	static const char *const ids[] = {"brief", "web", "db", "web", "db"};
	struct continuous_files *files;

	make_top();
	files = opened(30, 100);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(add(files, ids[i], TIME_S + i), i > 2);
	/* By their size; with the last file of a folder goes the folder. */
	assert_int_equal(clean(files, TIME_S), 0);
	assert_false(is_there("brief"));
	assert_false(is_there("web/20231114T221321Z.pb.gz"));
	assert_true(is_there("db/20231114T221322Z.pb.gz"));
	/* By their age. */
	assert_int_equal(clean(files, TIME_S + 103), 1);
	assert_false(is_there("db/20231114T221322Z.pb.gz"));
	assert_true(is_there("web/20231114T221323Z.pb.gz"));
	/* Many more, with names that come and go. */
	for (uint64_t i = 5; i < 600; i++) {
		char name[16];

		snprintf(name, sizeof(name), "c%d", (int)i);
		add(files, name, TIME_S + i);
		clean(files, TIME_S + i);
	}
	assert_true(is_there("c599") && is_there("c597") && !is_there("c596"));
	continuous_files_close(files);
	remove_top();
}

/* They take half of the room at most, whatever they start; and all of it never from the others. */
static void bounds_users(void **state)
{
	struct continuous_files *files;

	make_top();
	files = opened(40, 1000);
	add(files, "db", TIME_S);
	add(files, "db", TIME_S + 1);
	for (uint64_t i = 2; i < 20; i++) {
		char name[32];

		snprintf(name, sizeof(name), "c%d@1000", (int)i);
		assert_int_equal(add(files, name, TIME_S + i), i >= 4);
		assert_true(is_there("db/20231114T221320Z.pb.gz"));
	}
	assert_true(is_there("c19@1000"));
	assert_false(is_there("c17@1000"));
	continuous_files_close(files);
	remove_top();
}

/* Who has most of the room makes room for the others, whose files are older. */
static void bounds_folders(void **state)
{
	struct continuous_files *files;

	make_top();
	files = opened(60, 1000);
	add(files, "db", TIME_S);
	add(files, "web", TIME_S + 1);
	for (uint64_t i = 2; i < 20; i++)
		assert_int_equal(add(files, "hog", TIME_S + i), i >= 6);
	assert_true(is_there("db/20231114T221320Z.pb.gz"));
	assert_true(is_there("web/20231114T221321Z.pb.gz"));
	assert_false(is_there("hog/20231114T221322Z.pb.gz"));
	continuous_files_close(files);
	remove_top();
}

/* A folder in the place of a file cannot be removed by that. */
static void keeps_account_of_what_stays(void **state)
{
	const struct buf content = {.data = (char[]){"1234567890"}, .len = 10};
	struct continuous_files *files;
	struct error err = {""};
	uint64_t removed = 0;
	char path[256];

	make_top();
	files = opened(20, 1000);
	add(files, "web", TIME_S);
	add(files, "web", TIME_S + 1);
	snprintf(path, sizeof(path), "%s/web/20231114T221320Z.pb.gz", top);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(continuous_files_write(files, "db", TIME_S * NS_PER_S, &content, &removed,
					   &err) < 0);
	assert_true(continuous_files_clean(files, (TIME_S + 5000) * NS_PER_S, &removed, &err) < 0);
	assert_non_null(strstr(err.text, ": removing old files: "));
	assert_int_equal(removed, 0);
	assert_true(is_there("web/20231114T221321Z.pb.gz"));
	/* What somebody else removed is gone. */
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(clean(files, TIME_S + 5000), 2);
	assert_false(is_there("web"));
	continuous_files_close(files);
	remove_top();
}

/* The clock was ahead when a file was written: those behind it are as old as they are. */
static void sorts_by_time(void **state)
{
	struct continuous_files *files;

	make_top();
	files = opened(40, 100);
	add(files, "web", TIME_S + 100000);
	add(files, "web", TIME_S);
	add(files, "web", TIME_S + 1);
	assert_int_equal(clean(files, TIME_S + 102), 2);
	assert_false(is_there("web/20231114T221320Z.pb.gz"));
	add(files, "web", TIME_S + 102);
	add(files, "web", TIME_S + 103);
	add(files, "web", TIME_S + 104);
	assert_int_equal(add(files, "web", TIME_S + 105), 1);
	assert_false(is_there("web/20231114T221502Z.pb.gz"));
	continuous_files_close(files);
	remove_top();
}

/* A disk that is smaller than what may be kept has the newest files. */
static void makes_room_on_a_full_disk(void **state)
{
	enum { BYTES = 8192, FILES = 40 };
	struct continuous_files_config config = {.folder = top,
						 .keep_bytes = 1 << 30,
						 .keep_ns = UINT64_MAX / 4,
						 .file_bytes = BYTES};
	static char bytes[BYTES];
	const struct buf content = {.data = bytes, .len = BYTES};
	struct continuous_files *files;
	struct error err = {""};
	uint64_t removed = 0;

	make_top();
	if (mount("none", top, "tmpfs", 0, "size=131072") != 0) {
		remove_top();
		skip();
	}
	assert_int_equal(continuous_files_open(&config, &files, &err), 0);
	for (uint64_t i = 0; i < FILES; i++)
		if (continuous_files_write(files, i % 2 ? "web" : "db", (TIME_S + i) * NS_PER_S,
					   &content, &removed, &err))
			fail_msg("%s", err.text);
	assert_in_range(removed, FILES - 16, FILES - 4);
	assert_true(is_there("web/20231114T221359Z.pb.gz"));
	continuous_files_close(files);
	assert_int_equal(umount2(top, MNT_DETACH), 0);
	remove_top();
}

static void has_the_folder_alone(void **state)
{
	const struct continuous_files_config config = {.folder = top};
	struct continuous_files *files, *second;
	struct error err = {""};

	make_top();
	files = opened(10, 10);
	assert_int_equal(continuous_files_open(&config, &second, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another agent"));
	continuous_files_close(files);
	assert_int_equal(continuous_files_open(&config, &second, &err), 0);
	continuous_files_close(second);
	remove_top();
}

static void finds_those_of_earlier_runs(void **state)
{
	static const char *const others[] = {"web/notes.txt",
					     "web/notes.unfinished",
					     "web/20231114T221320Z.pb",
					     "web/2023111T221320Z.pb.gz",
					     "web/20231399T221320Z.pb.gz",
					     "20231114T221320Z.pb.gz"};
	struct continuous_files *files;

	make_top();
	files = opened(1000, 1000);
	add(files, "web", TIME_S + 1);
	add(files, "db", TIME_S);
	continuous_files_close(files);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		put(others[i]);
	put("web/20231114T221320Z.pb.gz.unfinished");
	files = opened(10, 1000);
	assert_false(is_there("web/20231114T221320Z.pb.gz.unfinished"));
	assert_int_equal(clean(files, TIME_S), 1);
	assert_false(is_there("db"));
	assert_true(is_there("web/20231114T221321Z.pb.gz"));
	assert_int_equal(clean(files, TIME_S + 5000), 1);
	/* What it has not written stays, and its folder. */
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_true(is_there(others[i]));
	continuous_files_close(files);
	remove_top();
}

static void says_what_fails(void **state)
{
	const struct continuous_files_config config = {.folder = "/proc/none/profiles"};
	const struct buf content = {0}, large = {.data = (char[]){"12345678901"}, .len = 11};
	struct continuous_files *files;
	struct error err = {""};
	uint64_t removed = 0;

	assert_int_equal(continuous_files_open(&config, &files, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/proc/none/profiles: "));
	make_top();
	files = opened(10, 10);
	put("file");
	assert_int_equal(continuous_files_write(files, "file", 0, &content, &removed, &err),
			 -ENOTDIR);
	assert_non_null(strstr(err.text, "/file/19700101T000000Z.pb.gz: "));
	assert_int_equal(continuous_files_write(files, "web", 0, &large, &removed, &err), -EFBIG);
	assert_false(is_there("web"));
	assert_int_equal(clean(files, TIME_S), 0);
	continuous_files_close(files);
	remove_top();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_folders),
	cmocka_unit_test(names_files),
	cmocka_unit_test(removes_the_oldest),
	cmocka_unit_test(bounds_users),
	cmocka_unit_test(bounds_folders),
	cmocka_unit_test(sorts_by_time),
	cmocka_unit_test(makes_room_on_a_full_disk),
	cmocka_unit_test(keeps_account_of_what_stays),
	cmocka_unit_test(has_the_folder_alone),
	cmocka_unit_test(finds_those_of_earlier_runs),
	cmocka_unit_test(says_what_fails),
};

UNIT_GROUP(tests);
