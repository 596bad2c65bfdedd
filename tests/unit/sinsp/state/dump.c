/* SPDX-License-Identifier: MIT */
/* Snapshots of the tables. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinsp/state/containers/container_json.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/core.h"
#include "snapshots.h"
#include "unit.h"

static void dumps_what_was_loaded(void **state)
{
	struct drive *drive = *state;
	char *text;

	give_world(state_snapshot(drive->state));
	text = dump_text(drive->state);
	assert_non_null(strstr(text, "begin\nmachine 3 4194304 0 77000000000 far\n"
				     "interface lo 7f00"));
	assert_non_null(strstr(text, "\nuser 0 0 chief /chief \nuser 7 8 seven /home/7 /bin/sh\n"
				     "group 8 eight\nthread tid=200 pid=200 "));
	assert_non_null(strstr(text,
			       "\nthread tid=200 pid=200 ptid=1 sid=1 vpgid=13 pgid=14 vtid=12 "
			       "vpid=12 comm=fifteen-letters exe=fifteen-letters exepath=/bin/rich "
			       "cwd=/srv/x/ root=/srv args=a|b b| env=HOME=/|X=| "
			       "cgroups=cpu=/a|memory=/b| limit=1024 flags=0 " RICH_NUMBERS));
	assert_non_null(
		strstr(text, "\nfds 200\nfd 2 type=1 ino=101 name=name flags=1003 dev=12d"));
	/* Of connections the end here comes first, whoever called. */
	assert_non_null(strstr(text, "\nfd 100 type=3 ino=0 name= flags=0 dev=0 l4=1 7f000001:80 "
				     "7f000002:"));
	free(text);
	assert_dump_reloads(drive);
}

/* Main threads by id, then the others, then descriptors by process and number. */
static void dumps_in_order(void **state)
{
	struct drive *drive = *state;
	struct scap_snapshot *to = state_snapshot(drive->state);
	const char *at, *next;
	char *text;
	static const char *const order[] = {
		"\nthread tid=5 pid=5 ",   "\nthread tid=30 pid=30 ", "\nthread tid=200 pid=200 ",
		"\nthread tid=4 pid=200 ", "\nthread tid=6 pid=5 ",   "\nfds 5\n",
		"\nfd 1 type=1 ",	   "\nfd 40 type=1 ",	      "\nfds 30\nfds 200\nend\n",
	};

	GIVE(to, begin);
	give_thread(to, 6, 5, "a");
	give_thread(to, 200, 200, "b");
	give_thread(to, 4, 200, "c");
	give_thread(to, 30, 30, "d");
	give_thread(to, 5, 5, "e");
	GIVE(to, fds, 5);
	give_file(to, 40, "/x");
	give_file(to, 1, "/y");
	GIVE(to, end);
	text = dump_text(drive->state);
	at = text;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		next = strstr(at, order[i]);
		assert_non_null(next);
		at = next;
	}
	free(text);
}

/* What events made of the tables is dumped and loaded like what was there before. */
static void dumps_what_events_did(void **state)
{
	struct drive *drive = *state;
	struct frame *frame;
	char *text;

	give_world(state_snapshot(drive->state));
	drive_exec(drive, 400, "new");
	drive_open(drive, 400, 3, "/etc/x", file_flags__O_RDONLY);
	drive_chdir(drive, 400, 0, "/tmp");
	frame = drive_begin(drive, EVENT_fcntl, 400);
	frame_put_i64(frame, fcntl__res, 0);
	frame_put_i64(frame, fcntl__fd, 3);
	frame_put_i64(frame, fcntl__cmd, fcntl_commands__F_SETFD);
	frame_put_i64(frame, fcntl__arg, 1);
	drive_end(drive);
	frame = drive_begin(drive, EVENT_accept4, 300);
	frame_put_i64(frame, accept4__fd, 110);
	frame_put_tuple(frame, accept4__tuple,
			&(struct frame_tuple){"127.0.0.9", "127.0.0.1", 6000, 80});
	drive_end(drive);
	frame = drive_begin(drive, EVENT_accept4, 300);
	frame_put_i64(frame, accept4__fd, 111);
	frame_put_unix_tuple(frame, accept4__tuple, 0xaa, 0xbb, "/run/x");
	drive_end(drive);
	frame = drive_begin(drive, EVENT_socket, 300);
	frame_put_i64(frame, socket__fd, 112);
	frame_put_i64(frame, socket__domain, 99); /* of no kind that has a name */
	drive_end(drive);
	drive_close(drive, 300, 0, 100);
	drive_exit(drive, 202, 0); /* one thread of three */
	drive_exit(drive, 200, 0); /* the main one, which stays for the other */
	text = dump_text(drive->state);
	assert_non_null(strstr(text, "\nfd 3 type=1 ino=77 name=/etc/x flags=1001 dev=7"));
	assert_non_null(strstr(text, " cwd=/tmp/ "));
	assert_non_null(strstr(text, "\nfd 110 type=3 ino=0 name= flags=0 dev=0 l4=1 7f000001:"));
	assert_non_null(strstr(text, "\nfd 111 type=5 ino=0 name=aa->bb /run/x flags=0 dev=0 "
				     "unix=aa,bb\n"));
	assert_null(strstr(text, "\nfd 112 "));
	assert_null(strstr(text, "\nfd 100 "));
	assert_null(strstr(text, "\nthread tid=202 "));
	assert_null(strstr(text, "\nfds 202\n"));
	assert_non_null(strstr(text, " flags=40000 " RICH_NUMBERS));
	free(text);
	assert_dump_reloads(drive);
	drive_exit(drive, 201, 0);
	drive_any(drive, 1);
	assert_null(state_thread_find(drive->state, 200));
}

static void give_container(struct drive *drive, const char *json)
{
	struct scap_snapshot *to = state_snapshot(drive->state);
	const struct scap_container container = {.json = json, .len = strlen(json)};

	GIVE(to, container, &container);
}

/* By id, whether a thread refers to them or not. */
static void dumps_containers(void **state)
{
	struct drive *drive = *state;
	char *text;

	give_world(state_snapshot(drive->state));
	give_container(drive, "{\"id\":\"web\",\"name\":\"b\"}");
	give_container(drive, "{\"id\":\"db\",\"type\":1}");
	text = dump_text(drive->state);
	assert_non_null(strstr(
		text, "\ncontainer {\"container\":{\"id\":\"db\",\"full_id\":\"db\",\"type\":1,"));
	assert_non_null(strstr(text, "\"Mounts\":[]}}\ncontainer {\"container\":{\"id\":\"web\","));
	assert_non_null(strstr(text, "\"Mounts\":[]}}\nend\n"));
	free(text);
	assert_dump_reloads(drive);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A thread in a container that has a user and a group, given by a capture. */
static struct state_container *add_users(struct drive *drive)
{
	static const char groups[] = "memory=/docker/" ID;
	static const struct state_user web = {.id = 101, .gid = 7, .name = "web", .home = "/srv"};
	static const struct state_user staff = {.id = 7, .name = "staff"};
	struct state_thread *thread = state_thread_add(drive->state, 900, 900);
	struct state_container *container;

	state_thread_set_cgroups(&drive->state->containers, thread, groups, sizeof(groups));
	container = thread->cgroups->container;
	state_container_set_users(&drive->state->containers, container,
				  state_container_users_create());
	state_users_add(&container->users->users, &web);
	state_users_add(&container->users->groups, &staff);
	return container;
}

static void dumps_users_of_containers(void **state)
{
	struct drive *drive = *state;
	struct state_container *container;
	char *text;

	give_container(drive, "{\"id\":\"web\"}");
	container = add_users(drive);
	text = dump_text(drive->state);

	assert_non_null(strstr(text, "\nof 0123456789ab user 101 7 web /srv \n"
				     "of 0123456789ab group 7 staff\nend\n"));
	free(text);
	assert_dump_reloads(drive);
	state_container_set_users(&drive->state->containers, container,
				  state_container_users_create());
	assert_dump_reloads(drive);
	text = dump_text(drive->state);
	assert_non_null(strstr(text, "\nof 0123456789ab \nend\n"));
	free(text);
	state_container_set_users(&drive->state->containers, container, NULL);
	text = dump_text(drive->state);
	assert_null(strstr(text, "\nof "));
	free(text);
}

static void expect_changed(struct drive *drive, const char *expected)
{
	struct transcript transcript = {.snapshot.ops = &transcript_ops};

	assert_int_equal(state_dump_changed(drive->state, &transcript.snapshot), 0);
	assert_string_equal(transcript_text(&transcript), expected);
	buf_finish(&transcript.text);
}

static void dumps_changed_containers_once(void **state)
{
	static const char json[] = "{\"id\":\"web\",\"name\":\"a\"}";
	struct drive *drive = *state;
	char expected[256];

	give_world(state_snapshot(drive->state));
	expect_changed(drive, "");
	give_container(drive, json);
	free(dump_text(drive->state));
	expect_changed(drive, "");
	drive_any(drive, 200);
	give_container(drive, json);
	snprintf(expected, sizeof(expected),
		 "container at %" PRIu64 " {\"container\":{\"id\":\"web\",\"full_id\":\"web\","
		 "\"lookup_state\":1,\"name\":\"a\",\"is_pod_sandbox\":false,\"Mounts\":[]}}\n",
		 drive->event.ev.ts_ns);
	expect_changed(drive, expected);
	expect_changed(drive, "");
	give_container(drive, json);
	assert_int_equal(state_dump_changed(drive->state, NULL), 0);
	expect_changed(drive, "");
}

/* What the API says of their pod is part of what is known of them. */
static void dumps_containers_whose_pod_changed(void **state)
{
	static const char json[] = "{\"id\":\"web\",\"name\":\"a\",\"labels\":"
				   "{\"io.kubernetes.pod.uid\":\"u1\"}}";
	struct state_pod_info *info = state_pod_info_create();
	struct drive *drive = *state;
	char expected[512];

	give_world(state_snapshot(drive->state));
	give_container(drive, json);
	free(dump_text(drive->state));
	drive_any(drive, 200);
	info->pod.uid = "u1";
	info->pod.name = "web-5c4f";
	info->pod.workload = (struct state_workload){"Deployment", "web", true};
	state_describe_pod(drive->state, info);
	snprintf(expected, sizeof(expected),
		 "container at %" PRIu64 " {\"container\":{\"id\":\"web\",\"full_id\":\"web\","
		 "\"lookup_state\":1,\"name\":\"a\",\"is_pod_sandbox\":false,\"labels\":{"
		 "\"io.kubernetes.pod.uid\":\"u1\",\"io.kubernetes.pod.name\":\"web-5c4f\"},"
		 "\"Mounts\":[],\"lanner\":{\"workload_kind\":\"Deployment\","
		 "\"workload_name\":\"web\",\"workload_derived\":true}}}\n",
		 drive->event.ev.ts_ns);
	expect_changed(drive, expected);
	state_forget_pod(drive->state, "u1");
	expect_changed(drive, "");
}

static void dumps_users_once_they_are_read(void **state)
{
	struct drive *drive = *state;
	struct state_container_users *users = state_container_users_create();
	static const struct state_user bob = {.id = 102, .name = "bob"};

	add_users(drive);
	free(dump_text(drive->state));
	expect_changed(drive, "");
	state_users_add(&users->users, &bob);
	state_set_users(drive->state, ID, STATE_OWNER_ROOT, 0, users);
	expect_changed(drive, "of 0123456789ab user 102 0 bob  \n");
	expect_changed(drive, "");
	state_set_users(drive->state, ID, STATE_OWNER_ROOT, 0, NULL);
	free(dump_text(drive->state));
	expect_changed(drive, "");
}

/* Of a live machine: as long as they are not known they are not those of the host. */
static void dumps_unknown_users(void **state)
{
	static const struct state_user ann = {.id = 7, .name = "ann"};
	struct state_container *container;
	struct drive drive;
	struct scap_proc *proc;
	char *text;

	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	drive_create(&drive, &(struct state_config){.proc = proc, .etc = "/nonexistent"});
	drive.state->containers.owner_of = NULL; /* the group is not one of this machine */
	state_users_add(&drive.state->names->users, &ann);
	container = add_users(&drive);
	state_container_set_users(&drive.state->containers, container, NULL);
	expect_changed(&drive, "of 0123456789ab \n");
	text = dump_text(drive.state);
	assert_non_null(strstr(text, "\nof 0123456789ab \n"));
	free(text);
	/* They turn out to be those of the host. */
	state_set_users(drive.state, ID, STATE_OWNER_ROOT, 0, NULL);
	expect_changed(&drive, "of 0123456789ab user 7 0 ann  \n");
	text = dump_text(drive.state);
	assert_null(strstr(text, "\nof 0123456789ab"));
	free(text);
	drive_destroy(&drive);
	scap_proc_close(proc);
}

/* What readers would reject is not dumped. */
static void counts_descriptions_that_are_too_long(void **state)
{
	struct drive *drive = *state;
	struct state_container_info *info = state_container_info_create();
	char *name = arena_alloc(&info->texts.arena, CONTAINER_JSON_BYTES_MAX);
	struct state_stats stats;
	char *text;

	give_world(state_snapshot(drive->state));
	memset(name, 'x', CONTAINER_JSON_BYTES_MAX - 1);
	info->name = name;
	assert_int_equal(
		state_containers_describe(&drive->state->containers,
					  &(struct state_description){.id = "web", .info = info}),
		0);
	text = dump_text(drive->state);
	assert_null(strstr(text, "\ncontainer "));
	assert_non_null(strstr(text, "\nend\n"));
	free(text);
	state_stats(drive->state, &stats);
	assert_int_equal(stats.descriptions_too_long, 1);
}

static void stops_where_the_listener_fails(void **state)
{
	static const char *const calls[] = {"begin",  "machine", "interface", "user",	   "group",
					    "thread", "fds",	 "fd",	      "container", "end"};
	struct drive *drive = *state;

	give_world(state_snapshot(drive->state));
	give_container(drive, "{\"id\":\"web\"}");
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct transcript transcript = {.snapshot.ops = &transcript_ops,
						.rejected = calls[i]};
		const char *text, *last;

		assert_int_equal(state_dump(drive->state, &transcript.snapshot), -EIO);
		/* Nothing was dumped after that: it is the last line. */
		transcript.text.len--;
		text = transcript_text(&transcript);
		last = strrchr(text, '\n');
		last = last ? last + 1 : text;
		assert_int_equal(strcspn(last, " "), strlen(calls[i]));
		assert_memory_equal(last, calls[i], strlen(calls[i]));
		buf_finish(&transcript.text);
	}
}

/* This machine has processors, memory, a name, users that its files name, and this process. */
static void dumps_this_machine(void **state)
{
	struct drive drive;
	struct scap_proc *proc;
	unsigned int cpus;
	uint64_t memory;
	char *text, self[64];

	assert_int_equal(scap_proc_open("/proc", &proc, NULL), 0);
	drive_create(&drive, &(struct state_config){.proc = proc});
	assert_int_equal(state_seed(drive.state, NULL, NULL), 0);
	text = dump_text(drive.state);
	assert_int_equal(sscanf(text, "begin\nmachine %u %" SCNu64, &cpus, &memory), 2);
	assert_true(cpus > 0 && memory > 0);
	assert_non_null(strstr(text, state_hostname(drive.state)));
	assert_non_null(strstr(text, "\nuser 0 0 root /root "));
	assert_non_null(strstr(text, "\ngroup 0 root\n"));
	snprintf(self, sizeof(self), "\nthread tid=%d pid=%d ptid=%d ", getpid(), getpid(),
		 getppid());
	assert_non_null(strstr(text, self));
	free(text);
	assert_dump_reloads(&drive);
	drive_destroy(&drive);
	scap_proc_close(proc);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, drive_setup, drive_teardown)
	TEST(dumps_what_was_loaded),
	TEST(dumps_in_order),
	TEST(dumps_what_events_did),
	TEST(dumps_containers),
	TEST(dumps_users_of_containers),
	TEST(dumps_users_once_they_are_read),
	TEST(dumps_unknown_users),
	TEST(dumps_changed_containers_once),
	TEST(dumps_containers_whose_pod_changed),
	TEST(counts_descriptions_that_are_too_long),
	TEST(stops_where_the_listener_fails),
	TEST(dumps_this_machine),
};

UNIT_GROUP(tests);
