/* SPDX-License-Identifier: MIT */
/*
 * Which events go into which file, on a writer that is none: its files have a line for each call.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/record/recording.h"
#include "scap/file/writer.h"
#include "sinsp/state/engine.h"

#include "frame.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)

enum { STATE_BYTES = 1000, TEXT_BYTES = 4096 };

struct scap_writer {
	struct scap_snapshot snapshot;
	struct scap_writer_stats stats;
	int fd;
	int fails; /* with which error */
};

/* What every writer that is made does from its first event on: 0, or -errno. */
static int writers_fail;

static int report_something(struct scap_snapshot *to)
{
	struct scap_writer *writer = (struct scap_writer *)to;

	dprintf(writer->fd, "state\n");
	writer->stats.bytes += STATE_BYTES;
	writer->stats.bytes_stored += STATE_BYTES;
	return 0;
}

static int report_machine(struct scap_snapshot *to, const struct scap_machine *machine)
{
	return 0;
}

static int report_interface(struct scap_snapshot *to, const struct scap_interface *interface)
{
	return 0;
}

static int report_user(struct scap_snapshot *to, const struct scap_user *user)
{
	return 0;
}

static int report_group(struct scap_snapshot *to, const struct scap_group *group)
{
	return 0;
}

static int report_container(struct scap_snapshot *to, const struct scap_container *container)
{
	struct scap_writer *writer = (struct scap_writer *)to;
	const char *name = strstr(container->json, "\"name\":");

	dprintf(writer->fd, "%s %.*s\n", container->at_start ? "container" : "new container", 11,
		name ? name : "");
	writer->stats.events++;
	writer->stats.containers++;
	return writer->fails;
}

static int report_container_user(struct scap_snapshot *to, const struct scap_container_user *user)
{
	struct scap_writer *writer = (struct scap_writer *)to;

	dprintf(writer->fd, "user of %s\n", user->container);
	writer->stats.events++;
	writer->stats.containers++;
	return writer->fails;
}

static int report_end(struct scap_snapshot *to)
{
	return 0;
}

int scap_writer_create(int fd, const char *name, const struct scap_writer_config *config,
		       struct scap_writer **writer, struct error *err)
{
	static const struct scap_snapshot_ops ops = {
		.begin = report_something,
		.machine = report_machine,
		.interface = report_interface,
		.user = report_user,
		.group = report_group,
		.container = report_container,
		.container_user = report_container_user,
		.end = report_end,
	};
	struct scap_writer *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->snapshot.ops = &ops;
	made->fd = fd;
	made->fails = writers_fail;
	*writer = made;
	return 0;
}

struct scap_snapshot *scap_writer_snapshot(struct scap_writer *writer)
{
	return &writer->snapshot;
}

int scap_writer_event(struct scap_writer *writer, const struct scap_event *event, struct error *err)
{
	struct ppm_evt_hdr header;

	if (writer->fails)
		return error_set(err, writer->fails, "it fails");
	memcpy(&header, event->frame, sizeof(header));
	dprintf(writer->fd, "%s%d\n", event->hidden ? "-" : "", (int)(header.ts / SECOND));
	writer->stats.events++;
	writer->stats.hidden += event->hidden;
	writer->stats.bytes += event->len;
	return 0;
}

int scap_writer_flush(struct scap_writer *writer, struct error *err)
{
	dprintf(writer->fd, "flush\n");
	return 0;
}

int scap_writer_finish(struct scap_writer *writer, struct error *err)
{
	dprintf(writer->fd, "end\n");
	free(writer);
	return 0;
}

void scap_writer_stats(const struct scap_writer *writer, struct scap_writer_stats *stats)
{
	*stats = writer->stats;
}

void scap_writer_stats_safe(const struct scap_writer *writer, struct scap_writer_stats *stats)
{
	*stats = writer->stats;
}

/* A recording in a folder of its own. */
struct run {
	struct recording_config config;
	struct state *state;
	struct recording *recording;
	struct error err;
};

static struct run run;

static void start(struct recording_config config)
{
	config.mode = RECORDING_MODE;
	run = (struct run){.config = config};
	assert_int_equal(state_create(&(struct state_config){0}, &run.state, &run.err), 0);
	if (recording_create(&run.config, run.state, &run.recording, &run.err))
		fail_msg("%s", run.err.text);
}

static void finish(void)
{
	assert_int_equal(recording_close(run.recording), 0);
	recording_destroy(run.recording);
	state_destroy(run.state);
	writers_fail = 0;
}

/* An event as it comes, before it is applied. */
static int come(const struct scap_event *event)
{
	return recording_is_due(run.recording, event) ? recording_turn(run.recording, event) : 0;
}

/* The same when it was applied. */
static int go(const struct scap_event *event, unsigned int id, bool passed)
{
	struct scap_snapshot *to = recording_changes(run.recording, id, passed);
	int code = state_dump_changed(run.state, to);

	return code ? code : recording_event(run.recording, event, id, passed);
}

/* The event of a second, from its coming to its going. Returns what the recording says. */
static int put(unsigned int id, int second, bool passed, bool hidden)
{
	static struct frame frame;
	struct state_event applied;
	struct scap_event event;
	int code;

	frame_begin(&frame, (uint16_t)id, (uint64_t)second * SECOND, 7);
	event = frame_end(&frame);
	event.hidden = hidden;
	code = come(&event);
	assert_int_equal(state_process(run.state, &event, &applied), 0);
	return code ? code : go(&event, id, passed);
}

static void put_passed(int second)
{
	assert_int_equal(put(EVENT_read, second, true, false), 0);
}

static void check_file(const char *name, const char *wanted)
{
	char text[TEXT_BYTES];
	FILE *file = fopen(name, "r");
	size_t len;

	if (!file)
		fail_msg("there is no %s", name);
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	assert_string_equal(text, wanted);
}

static void test_one_file(void **state)
{
	struct recording_stats stats;
	struct stat file;

	start((struct recording_config){.path = "a"});
	check_file("a", "state\nflush\n");
	assert_int_equal(stat("a", &file), 0);
	assert_int_equal(file.st_mode & 0777, 0600);
	put_passed(1);
	/* Of what did not pass nothing is kept, whatever it does to the state. */
	assert_int_equal(put(EVENT_close, 2, false, false), 0);
	put_passed(3);
	assert_int_equal(recording_close(run.recording), 0);
	check_file("a", "state\nflush\n1\n3\nflush\nend\n");
	recording_stats(run.recording, &stats);
	assert_int_equal(stats.files, 1);
	assert_int_equal(stats.events, 2);
	assert_int_equal(stats.bytes, strlen("state\nflush\n1\n3\nflush\nend\n"));
	assert_string_equal(stats.name, "a");
	finish();
}

static void test_fat(void **state)
{
	start((struct recording_config){.path = "a", .fat = true});
	assert_int_equal(put(EVENT_close, 1, false, false), 0);
	assert_int_equal(put(EVENT_clone, 2, false, false), 0);
	assert_int_equal(put(EVENT_chdir, 3, false, false), 0);
	assert_int_equal(put(EVENT_connect, 4, false, false), 0);
	assert_int_equal(put(EVENT_getcwd, 5, false, false), 0);
	assert_int_equal(put(EVENT_switch, 6, false, false), 0);
	assert_int_equal(put(EVENT_close, 7, true, false), 0);
	assert_int_equal(put(EVENT_close, 8, false, true), 0);
	finish();
	check_file("a", "state\nflush\n-1\n-2\n-3\n-4\n7\n-8\nflush\nend\n");
}

/* What was hidden stays hidden, and stays at all only if everything does. */
static void test_copy(void **state)
{
	start((struct recording_config){.path = "a", .read = "/dev/null", .copies = true});
	assert_int_equal(put(EVENT_close, 1, false, true), 0);
	assert_int_equal(put(EVENT_read, 2, true, false), 0);
	assert_int_equal(put(EVENT_read, 3, false, false), 0);
	finish();
	check_file("a", "state\nflush\n-1\n2\n3\nflush\nend\n");
	start((struct recording_config){.path = "a", .read = "/dev/null"});
	assert_int_equal(put(EVENT_close, 1, false, true), 0);
	assert_int_equal(put(EVENT_read, 2, true, false), 0);
	finish();
	check_file("a", "state\nflush\n2\nflush\nend\n");
}

/* An event that describes a container. */
static int put_container(const char *json, bool passed)
{
	static struct frame frame;
	struct state_event applied;
	struct scap_event event;

	frame_begin(&frame, EVENT_container, 9 * SECOND, -1);
	frame_put_string(&frame, container__json, json);
	event = frame_end(&frame);
	assert_int_equal(come(&event), 0);
	assert_int_equal(state_process(run.state, &event, &applied), 0);
	return go(&event, EVENT_container, passed);
}

/* Written once: by its event if that is written, else by the recording. */
static void test_containers(void **state)
{
	static const char json[] = "{\"id\":\"a\",\"name\":\"ab\"}";

	start((struct recording_config){.path = "a", .read = "/dev/null"});
	assert_int_equal(put_container(json, false), 0);
	put_passed(1);
	assert_int_equal(put_container(json, true), 0);
	put_passed(2);
	finish();
	check_file("a", "state\nflush\nnew container \"name\":\"ab\"\n1\n9\n2\nflush\nend\n");
	start((struct recording_config){.path = "a", .read = "/dev/null", .copies = true});
	assert_int_equal(put_container(json, false), 0);
	finish();
	check_file("a", "state\nflush\n9\nflush\nend\n");
	/* Each file has all. */
	start((struct recording_config){.path = "a", .read = "/dev/null", .limits = {.events = 1}});
	assert_int_equal(put_container(json, false), 0);
	put_passed(1);
	put_passed(2);
	finish();
	check_file("a0", "state\nflush\nnew container \"name\":\"ab\"\n1\nflush\nend\n");
	check_file("a1", "state\ncontainer \"name\":\"ab\"\nflush\n2\nflush\nend\n");
	writers_fail = -ENOSPC;
	start((struct recording_config){.path = "a", .read = "/dev/null"});
	assert_int_equal(put_container(json, false), -ENOSPC);
	finish();
}

static void test_events_of_a_file(void **state)
{
	struct recording_stats stats;

	start((struct recording_config){.path = "a", .limits = {.events = 2, .files = 2}});
	for (int i = 1; i <= 5; i++)
		put_passed(i);
	finish();
	check_file("a1", "state\nflush\n3\n4\nflush\nend\n");
	check_file("a0", "state\nflush\n5\nflush\nend\n");
	start((struct recording_config){.path = "a", .limits = {.events = 2}});
	for (int i = 1; i <= 5; i++)
		put_passed(i);
	recording_stats(run.recording, &stats);
	assert_int_equal(stats.files, 3);
	assert_string_equal(stats.name, "a2");
	finish();
	check_file("a0", "state\nflush\n1\n2\nflush\nend\n");
	check_file("a2", "state\nflush\n5\nflush\nend\n");
}

/* A file begins when its name says, and the next at the first event after its time. */
static void test_times_of_a_file(void **state)
{
	start((struct recording_config){.path = "t%s",
					.read = "/dev/null",
					.copies = true,
					.limits = {.ns = 10 * SECOND, .files = 2}});
	assert_int_equal(access("t100", F_OK), -1);
	put_passed(100);
	put_passed(109);
	assert_int_equal(put(EVENT_close, 110, false, true), 0);
	put_passed(119);
	put_passed(150);
	finish();
	assert_int_equal(access("t100", F_OK), -1);
	check_file("t110", "state\nflush\n-110\n119\nflush\nend\n");
	check_file("t150", "state\nflush\n150\nflush\nend\n");
	/* Without a time in the name, from the first event on. */
	start((struct recording_config){
		.path = "a", .read = "/dev/null", .copies = true, .limits = {.ns = 10 * SECOND}});
	put_passed(100);
	put_passed(109);
	put_passed(110);
	finish();
	check_file("a0", "state\nflush\n100\n109\nflush\nend\n");
	check_file("a1", "state\nflush\n110\nflush\nend\n");
	/* An end that no clock ever shows. */
	start((struct recording_config){.path = "b",
					.read = "/dev/null",
					.copies = true,
					.limits = {.ns = UINT64_MAX - 50 * SECOND}});
	put_passed(100);
	put_passed(109);
	finish();
	check_file("b0", "state\nflush\n100\n109\nflush\nend\n");
}

/* Of frames of 26 bytes and the lengths of parameters; that of a block is what each may add. */
static void test_size_of_a_file(void **state)
{
	struct stat file;

	start((struct recording_config){.path = "s", .limits = {.bytes = STATE_BYTES * 2}});
	for (int i = 1; i <= 100; i++)
		put_passed(i);
	finish();
	assert_int_equal(stat("s0", &file), 0);
	assert_int_equal(stat("s1", &file), 0);
	assert_int_equal(stat("s9", &file), -1);
	/* The state alone is more than that: each file has some events all the same. */
	start((struct recording_config){.path = "u", .limits = {.bytes = 1}});
	for (int i = 1; i <= 12; i++)
		put_passed(i);
	finish();
	assert_int_equal(stat("u1", &file), 0);
	assert_int_equal(stat("u6", &file), -1);
}

static void test_flush(void **state)
{
	start((struct recording_config){.path = "a"});
	assert_int_equal(recording_flush(run.recording, 5, true), 0);
	check_file("a", "state\nflush\n");
	put_passed(1);
	assert_int_equal(recording_flush(run.recording, 6, true), 0);
	assert_int_equal(recording_flush(run.recording, 7, true), 0);
	check_file("a", "state\nflush\n1\nflush\n");
	put_passed(2);
	assert_int_equal(recording_flush(run.recording, 8, false), 0);
	check_file("a", "state\nflush\n1\nflush\n2\n");
	assert_int_equal(recording_flush(run.recording, 8 + SECOND, false), 0);
	check_file("a", "state\nflush\n1\nflush\n2\nflush\n");
	finish();
}

/* Not in pieces that are too small to be compressed. */
static void test_flush_of_compressed_files(void **state)
{
	uint64_t now;

	start((struct recording_config){.path = "a", .writer.compression = SCAP_GZIP});
	put_passed(1);
	now = SECOND + (uint64_t)1e18;
	assert_int_equal(recording_flush(run.recording, now, true), 0);
	put_passed(2);
	assert_int_equal(recording_flush(run.recording, now + SECOND - 1, true), 0);
	check_file("a", "state\nflush\n1\nflush\n2\n");
	assert_int_equal(recording_flush(run.recording, now + SECOND, false), 0);
	check_file("a", "state\nflush\n1\nflush\n2\nflush\n");
	finish();
}

static void test_the_input_is_not_written_over(void **state)
{
	struct recording_config config = {.path = "link", .read = "input"};
	struct recording *recording = NULL;
	struct error err = {""};
	FILE *file = fopen("input", "w");

	assert_non_null(file);
	fputs("precious", file);
	fclose(file);
	assert_int_equal(link("input", "link"), 0);
	assert_int_equal(recording_create(&config, NULL, &recording, &err), -EINVAL);
	assert_string_equal(err.text, "cannot write link: it is the file that is read (-r)");
	check_file("input", "precious");
}

static void test_files_that_cannot_be_written(void **state)
{
	struct recording_config config = {.path = "nosuch/a"};
	struct recording_stats stats;
	struct recording *recording = NULL;
	struct error err = {""};

	assert_int_equal(recording_create(&config, NULL, &recording, &err), -ENOENT);
	assert_string_equal(err.text, "cannot write nosuch/a: No such file or directory");
	writers_fail = -ENOSPC;
	start((struct recording_config){.path = "a"});
	assert_int_equal(put(EVENT_read, 1, true, false), -ENOSPC);
	assert_string_equal(recording_problem(run.recording), "it fails");
	finish();
	/* A later file. */
	assert_int_equal(mkdir("d1", 0700), 0);
	start((struct recording_config){.path = "d", .limits = {.events = 1}});
	put_passed(1);
	assert_int_equal(put(EVENT_read, 2, true, false), -EISDIR);
	assert_string_equal(recording_problem(run.recording), "cannot write d1: Is a directory");
	recording_stats(run.recording, &stats);
	assert_int_equal(stats.files, 1);
	assert_string_equal(stats.name, "d0");
	finish();
}

/* The files are written to a folder of their own. */
static char folder[] = "/tmp/test_recording-XXXXXX";

static int enter_folder(void **state)
{
	return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_file),
	cmocka_unit_test(test_fat),
	cmocka_unit_test(test_copy),
	cmocka_unit_test(test_containers),
	cmocka_unit_test(test_events_of_a_file),
	cmocka_unit_test(test_times_of_a_file),
	cmocka_unit_test(test_size_of_a_file),
	cmocka_unit_test(test_flush),
	cmocka_unit_test(test_flush_of_compressed_files),
	cmocka_unit_test(test_the_input_is_not_written_over),
	cmocka_unit_test(test_files_that_cannot_be_written),
};

UNIT_GROUP(tests, .setup = enter_folder, .teardown = remove_folder);
