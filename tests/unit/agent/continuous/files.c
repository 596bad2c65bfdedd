/* SPDX-License-Identifier: MIT */
/* The folder of profiles: names of its files, which are removed and when, what is left alone. */
#include "agent/continuous/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define NS_PER_S UINT64_C(1000000000)
#define TIME_S UINT64_C(1700000000) /* 20231114T221320Z */

static char top[64];

static struct continuous_files *opened(uint64_t keep_bytes, uint64_t keep_s)
{
	const struct continuous_files_config config = {
		.folder = top, .keep_bytes = keep_bytes, .keep_ns = keep_s * NS_PER_S};
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

static void add(struct continuous_files *files, const char *name, uint64_t second)
{
	const struct buf content = {.data = (char[]){"1234567890"}, .len = 10};
	struct error err = {""};

	if (continuous_files_write(files, name, second * NS_PER_S, &content, &err))
		fail_msg("%s", err.text);
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
	/* Names are of users: no way out of the folder. */
	add(files, "../a/b\n@1000", TIME_S + 1);
	assert_true(is_there("_._a_b_@1000/20231114T221321Z.pb.gz"));
	add(files, "", TIME_S);
	assert_true(is_there("_/20231114T221320Z.pb.gz"));
	continuous_files_close(files);
	remove_top();
	continuous_files_close(NULL);
}

static void removes_the_oldest(void **state)
{
	struct continuous_files *files;

	make_top();
	files = opened(30, 100);
	for (uint64_t i = 0; i < 5; i++)
		add(files, i ? "web" : "brief", TIME_S + i);
	/* By their size; with the last file of a folder goes the folder. */
	assert_int_equal(continuous_files_clean(files, TIME_S * NS_PER_S), 2);
	assert_false(is_there("brief"));
	assert_false(is_there("web/20231114T221321Z.pb.gz"));
	assert_true(is_there("web/20231114T221322Z.pb.gz"));
	/* By their age. */
	assert_int_equal(continuous_files_clean(files, (TIME_S + 103) * NS_PER_S), 1);
	assert_false(is_there("web/20231114T221322Z.pb.gz"));
	assert_true(is_there("web/20231114T221323Z.pb.gz"));
	/* Many more, with names that come and go. */
	for (uint64_t i = 5; i < 600; i++) {
		char name[16];

		snprintf(name, sizeof(name), "c%d", (int)i);
		add(files, name, TIME_S + i);
		continuous_files_clean(files, (TIME_S + i) * NS_PER_S);
	}
	assert_true(is_there("c599") && is_there("c597") && !is_there("c596"));
	continuous_files_close(files);
	remove_top();
}

static void finds_those_of_earlier_runs(void **state)
{
	static const char *const others[] = {
		"web/notes.txt", "web/20231114T221320Z.pb", "web/2023111T221320Z.pb.gz",
		"web/20231399T221320Z.pb.gz", "20231114T221320Z.pb.gz"};
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
	assert_int_equal(continuous_files_clean(files, TIME_S * NS_PER_S), 1);
	assert_false(is_there("db"));
	assert_true(is_there("web/20231114T221321Z.pb.gz"));
	assert_int_equal(continuous_files_clean(files, (TIME_S + 5000) * NS_PER_S), 1);
	/* What it has not written stays, and its folder. */
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_true(is_there(others[i]));
	continuous_files_close(files);
	remove_top();
}

static void says_what_fails(void **state)
{
	const struct continuous_files_config config = {.folder = "/proc/none/profiles"};
	const struct buf content = {0};
	struct continuous_files *files;
	struct error err = {""};

	assert_int_equal(continuous_files_open(&config, &files, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/proc/none/profiles: "));
	make_top();
	files = opened(10, 10);
	put("file");
	assert_int_equal(continuous_files_write(files, "file", 0, &content, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "/file/19700101T000000Z.pb.gz: "));
	assert_int_equal(continuous_files_clean(files, UINT64_MAX), 0);
	continuous_files_close(files);
	remove_top();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_files),
	cmocka_unit_test(removes_the_oldest),
	cmocka_unit_test(finds_those_of_earlier_runs),
	cmocka_unit_test(says_what_fails),
};

UNIT_GROUP(tests);
