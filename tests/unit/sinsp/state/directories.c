/* SPDX-License-Identifier: MIT */
/* Directories of paths are looked up while their event is applied; what reads the event looks
 * nowhere. */
#include <errno.h>
#include <string.h>

#include "drive.h"
#include "fake_proc.h"
#include "sinsp/format/formatter.h"
#include "unit.h"

enum { TID = 50 };

static const struct scap_fd open_fds[] = {
	{.num = 7, .type = SCAP_FD_DIRECTORY, .name = "/known"},
	{.num = 8, .type = SCAP_FD_DIRECTORY, .name = "/other"},
};

static const struct fake_thread known[] = {
	{.tid = TID, .pid = TID, .ptid = 1, .comm = "client", .cwd = "/home/c"},
};

static const struct fake_thread known_later[] = {
	{.tid = TID, .pid = TID, .comm = "client", .fds = open_fds, .nfds = 2},
};

struct fixture {
	struct drive drive;
	struct scap_proc proc;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture.proc = (struct scap_proc){.threads = known, .count = 1};
	drive_create(&fixture.drive, &(struct state_config){.proc = &fixture.proc});
	if (state_seed(fixture.drive.state, NULL, NULL))
		return -1;
	/* Opened before anybody looked, and closed by nobody. */
	fixture.proc.threads = known_later;
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	drive_destroy(&fixture->drive);
	return 0;
}

static unsigned int looks(const struct fixture *fixture)
{
	return fixture->proc.asked_threads + fixture->proc.asked_fds +
	       fixture->proc.asked_directories;
}

static void open_from_unknown(struct fixture *fixture, int64_t result, const char *name,
			      unsigned int lookups)
{
	static int64_t num = 2000;
	unsigned int before = looks(fixture);

	drive_openat(&fixture->drive, TID, result, ++num, name);
	assert_int_equal(looks(fixture), before + lookups);
}

static void looks_for_what_was_reached(void **state)
{
	struct fixture *fixture = *state;

	open_from_unknown(fixture, 20, "x", 1);
	open_from_unknown(fixture, -ENOENT, "x", 1);
	open_from_unknown(fixture, -ENOTDIR, "x", 1);
	open_from_unknown(fixture, -EBADF, "x", 0);
	open_from_unknown(fixture, -EINVAL, "x", 0);
	open_from_unknown(fixture, -EMFILE, "x", 0);
	open_from_unknown(fixture, -EFAULT, NULL, 0);
	open_from_unknown(fixture, -ENOENT, "", 0);
	open_from_unknown(fixture, -ENOENT, "/x", 0);
}

static void finds_both_directories_once(void **state)
{
	struct fixture *fixture = *state;
	struct frame *frame;
	char path[64];

	for (int again = 0; again < 2; again++) {
		frame = drive_begin(&fixture->drive, EVENT_renameat, TID);
		frame_put_i64(frame, renameat__res, 0);
		frame_put_i64(frame, renameat__olddirfd, 7);
		frame_put_string(frame, renameat__oldpath, "x");
		frame_put_i64(frame, renameat__newdirfd, 8);
		frame_put_string(frame, renameat__newpath, "../y");
		drive_end(&fixture->drive);
		assert_int_equal(looks(fixture), 2);
		state_event_path(&fixture->drive.event, renameat__oldpath, path, sizeof(path));
		assert_string_equal(path, "/known/x");
		state_event_path(&fixture->drive.event, renameat__newpath, path, sizeof(path));
		assert_string_equal(path, "/y");
	}
}

/* Its thread is found by the handler itself. */
static void finds_the_directory_of_an_exec(void **state)
{
	struct fixture *fixture = *state;
	struct frame *frame = drive_begin(&fixture->drive, EVENT_execveat, TID);
	char path[64];

	frame_put_i64(frame, execveat__res, -ENOENT);
	frame_put_i64(frame, execveat__pid, TID);
	frame_put_i64(frame, execveat__dirfd, 7);
	frame_put_string(frame, execveat__pathname, "x");
	drive_end(&fixture->drive);
	assert_int_equal(looks(fixture), 1);
	state_event_path(&fixture->drive.event, execveat__pathname, path, sizeof(path));
	assert_string_equal(path, "/known/x");
}

/* An event of any type, with numbers that no table has, and relative paths. */
static void make_event(struct drive *drive, unsigned int id, int64_t result)
{
	const struct event_desc *desc = event_desc_get(id);
	struct frame *frame = drive_begin(drive, (uint16_t)id, TID);
	static int64_t unknown = 3000;

	for (unsigned int i = 0; i < desc->nparams; i++) {
		const struct param_desc *param = &desc->params[i];
		bool is_result = strcmp(param->name, "res") == 0 || (i == 0 && !param->base);

		if (param->real || param->base || param->type == PT_FSPATH)
			frame_put_string(frame, i, "x");
		else if (param->type == PT_FD || param->type == PT_PID || param->type == PT_ERRNO)
			frame_put_i64(frame, i, is_result ? result : ++unknown);
	}
	drive_end(drive);
}

static size_t read_all(struct drive *drive, struct formatter *formatter)
{
	struct buf line = {0};
	size_t len;

	formatter_write(formatter, &drive->event, &line);
	assert_false(line.failed);
	len = line.len;
	buf_finish(&line);
	return len;
}

static void reading_looks_nowhere(void **state)
{
	static const int64_t results[] = {0, -ENOENT, 9};
	struct fixture *fixture = *state;
	struct drive *drive = &fixture->drive;
	struct formatter *json, *text;
	struct filter_error err;
	struct state_stats before, after;
	unsigned int events = 0, looks_before = 0;

	assert_int_equal(formatter_create_fields(&format_json, "all", &json, &err), 0);
	assert_int_equal(formatter_create_format(&format_text, "*%evt.args %evt.abspath %fd.name",
						 &text, &err),
			 0);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		for (size_t i = 0; event_desc_get(id) && i < 3; i++) {
			drive->ts_ns += 100000000; /* the lookups are not used up */
			make_event(drive, id, results[i]);
			state_stats(drive->state, &before);
			looks_before = looks(fixture);
			assert_true(read_all(drive, json) > 2 && read_all(drive, text) > 0);
			state_stats(drive->state, &after);
			assert_int_equal(looks(fixture), looks_before);
			assert_memory_equal(&before, &after, sizeof(before));
			events++;
		}
	}
	assert_true(events > 1000 && looks_before > 100);
	formatter_destroy(json);
	formatter_destroy(text);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(looks_for_what_was_reached),
	TEST(finds_both_directories_once),
	TEST(finds_the_directory_of_an_exec),
	TEST(reading_looks_nowhere),
};

UNIT_GROUP(tests);
