/* SPDX-License-Identifier: MIT */
/*
 * Fields of what the machine's files tell (users, hosts), of the log, of lists of descriptors, of
 * time on a CPU, and of events that no call made.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinsp/filter/filter.h"
#include "world.h"

static char etc[] = "/tmp/lanner-etc-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", etc, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int setup(void **state)
{
	struct sinsp_config config = {.hostname = "box", .etc = etc, .boot_id = "1"};
	struct drive *world = calloc(1, sizeof(*world));
	struct world_process process = {.pid = 100, .ptid = 1, .comm = "logger", .cwd = "/"};

	if (sinsp_create(&config, &world->sinsp, NULL))
		return -1;
	world_process(world, &process);
	world_begin(world, EVENT_getuid, 100);
	world_end(world);
	*state = world;
	return 0;
}

static int teardown(void **state)
{
	drive_destroy(*state);
	free(*state);
	return 0;
}

static void test_users(void **state)
{
	struct drive *world = *state;

	world_self(world)->uid = 7;
	world_self(world)->gid = 8;
	world_expect(world, "user.name", "ann");
	world_expect(world, "user.homedir", "/home/ann");
	world_expect(world, "user.shell", "/bin/zsh");
	world_expect(world, "group.name", "staff");
	world_self(world)->uid = 9;
	world_self(world)->gid = 9;
	world_expect(world, "user.homedir", "<NA>");
	world_expect(world, "user.shell", "<NA>");
	world_expect(world, "group.name", "<NA>");
	/* root has a directory even in a file that does not name it. */
	world_self(world)->uid = 0;
	world_expect(world, "user.homedir", "/root");
	world_expect(world, "user.shell", "<NA>");
	world->event.thread = NULL;
	world_expect_none(world, "user.homedir");
	world_expect_none(world, "user.shell");
}

static struct sinsp_fd *connected(struct drive *world, const char *source, const char *dest)
{
	struct sinsp_fd *fd = world_fd(world->event.thread, 3, SCAP_FD_IPV4, "a->b");

	fd->l4 = SCAP_L4_TCP;
	fd->role = SINSP_ROLE_CLIENT;
	inet_pton(AF_INET, source, fd->source.address);
	inet_pton(AF_INET, dest, fd->dest.address);
	fd->source.port = 40000;
	fd->dest.port = 443;
	world_set_fd(world, 3, fd);
	return fd;
}

static void read_exec_id(struct drive *world, char id[64])
{
	struct field_scratch *scratch = calloc(1, sizeof(*scratch));
	struct field_value value;
	struct field_ref ref;

	assert_int_equal(field_ref_init(&ref, "proc.exec_id", 12, NULL), 0);
	assert_int_equal(field_get(&ref, &world->event, scratch, &value), 1);
	memset(id, 0, 64);
	memcpy(id, value.bytes.data, value.bytes.len);
	free(scratch);
}

static bool matches(struct drive *world, const char *expression)
{
	struct filter_options options = {0};
	struct filter_error err;
	struct filter *filter;
	bool match;

	if (filter_create(expression, &options, &filter, &err))
		fail_msg("%s: %s", expression, err.text);
	match = filter_match(filter, &world->event);
	filter_destroy(filter);
	return match;
}

static void test_names_of_addresses(void **state)
{
	struct drive *world = *state;
	struct sinsp_fd *fd;

	/* Filters look at descriptors only where events can have one. */
	world_begin(world, EVENT_shutdown, 100);
	world_end(world);
	fd = connected(world, "10.0.0.1", "10.0.0.5");
	world_expect(world, "fd.sip.name", "db.example");
	world_expect(world, "fd.rip.name", "db.example");
	world_expect_none(world, "fd.cip.name");
	world_expect_none(world, "fd.lip.name");
	assert_true(matches(world, "fd.sip.name=db.example"));
	assert_true(matches(world, "fd.sip.name in (web, db.example)"));
	assert_false(matches(world, "fd.sip.name!=db.example"));
	/* There is no name, so nothing can be said of it. */
	assert_false(matches(world, "fd.cip.name!=db.example"));
	assert_false(matches(world, "fd.cip.name exists"));
	fd->role = SINSP_ROLE_SERVER;
	world_expect(world, "fd.lip.name", "db.example");
	world_expect_none(world, "fd.rip.name");
	fd->role = SINSP_ROLE_NONE;
	world_expect_none(world, "fd.sip.name");
}

static void log_text(struct drive *world, const char *socket, const char *data, size_t len)
{
	world_begin(world, EVENT_sendto, 100);
	frame_put_i64(&world->frame, sendto__res, (int64_t)len);
	frame_put_i64(&world->frame, sendto__fd, 3);
	frame_put_bytes(&world->frame, sendto__data, data, len);
	world_end(world);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_UNIX, socket));
}

static void expect_no_message(struct drive *world, const char *socket, const char *data)
{
	log_text(world, socket, data, strlen(data));
	world_expect_none(world, "syslog.facility");
	world_expect_none(world, "syslog.facility.str");
	world_expect_none(world, "syslog.severity");
	world_expect_none(world, "syslog.severity.str");
	world_expect_none(world, "syslog.message");
}

static void test_log(void **state)
{
	struct drive *world = *state;

	log_text(world, "ffff->ffff /dev/log", "<86>sshd: a line\n\0", 18);
	world_expect_json(world, "syslog.facility", "{\"syslog.facility\":10}");
	world_expect(world, "syslog.facility.str", "authpriv");
	world_expect(world, "syslog.severity", "6");
	world_expect(world, "syslog.severity.str", "info");
	world_expect_json(world, "syslog.message", "{\"syslog.message\":\"sshd: a line\"}");
	log_text(world, "a->b /run/systemd/journal/dev-log", "<0>x", 4);
	world_expect(world, "evt.is_syslog", "true");
	world_expect(world, "syslog.facility.str", "kern");
	world_expect(world, "syslog.severity.str", "emerg");
	/* Values of text hold no NUL. */
	log_text(world, "a->b /dev/log", "<0>one\n\0<1>two", 15);
	world_expect_json(world, "syslog.message", "{\"syslog.message\":\"one\"}");
	log_text(world, "a->b /dev/log", "<191>", 5);
	world_expect(world, "syslog.facility.str", "local7");
	world_expect(world, "syslog.severity.str", "debug");
	world_expect_json(world, "syslog.message", "{\"syslog.message\":\"\"}");
	expect_no_message(world, "a->b /dev/log", "<192>x");
	expect_no_message(world, "a->b /dev/log", "<1234>x");
	expect_no_message(world, "a->b /dev/log", "<>x");
	expect_no_message(world, "a->b /dev/log", "<12");
	expect_no_message(world, "a->b /dev/log", "<-1>x");
	expect_no_message(world, "a->b /dev/log", "x<12>");
	expect_no_message(world, "a->b /dev/log", "");
	expect_no_message(world, "a->b /run/other", "<12>x");
}

/* What is read from the log is not written to it. */
static void test_log_is_read(void **state)
{
	struct drive *world = *state;

	world_begin(world, EVENT_read, 100);
	frame_put_bytes(&world->frame, read__data, "<12>x", 5);
	world_end(world);
	world_set_fd(world, 3, world_fd(world->event.thread, 3, SCAP_FD_UNIX, "a->b /dev/log"));
	world_expect_none(world, "syslog.message");
}

static void poll_for(struct drive *world, const struct fdlist_entry *entries, uint16_t count)
{
	world_begin(world, EVENT_poll, 100);
	frame_put_fdlist(&world->frame, poll__fds, entries, count);
	world_end(world);
}

static void test_polled_descriptors(void **state)
{
	struct drive *world = *state;
	static const struct fdlist_entry all[] = {{4, 1}, {3, 1}, {5, 4}, {6, 1}, {9, 1}};
	struct sinsp_fd *server;

	poll_for(world, all, 5);
	connected(world, "10.0.0.1", "10.0.0.5");
	world_fd(world->event.thread, 4, SCAP_FD_PIPE, "pipe:[1]");
	world_fd(world->event.thread, 5, SCAP_FD_EVENT, "");
	server = world_fd(world->event.thread, 6, SCAP_FD_IPV4, "0.0.0.0:80");
	server->listening = true;
	server->dest.port = 80;
	world_expect(world, "fdlist.nums", "4,3,5,6,9");
	world_expect(world, "fdlist.names", "pipe:[1],a->b,<NA>,0.0.0.0:80,<NA>");
	world_expect(world, "fdlist.cips", "10.0.0.1");
	world_expect(world, "fdlist.sips", "10.0.0.5,0.0.0.0");
	world_expect(world, "fdlist.cports", "40000");
	world_expect(world, "fdlist.sports", "443");
	poll_for(world, all, 1);
	world_expect(world, "fdlist.nums", "4");
	world_expect_none(world, "fdlist.cips");
	world_expect_none(world, "fdlist.sports");
	poll_for(world, all, 0);
	world_expect_none(world, "fdlist.nums");
	world_begin(world, EVENT_select, 100);
	world_end(world);
	world_expect_none(world, "fdlist.nums");
}

/* Through the state engine, which adds up. */
static void process(struct drive *world)
{
	struct scap_event raw = frame_end(&world->frame);

	assert_int_equal(sinsp_process(world->sinsp, &raw, &world->event), 0);
}

static void switch_at(struct drive *world, uint64_t ts_ns, uint16_t cpu, int64_t tid, int64_t next)
{
	struct scap_event raw;

	frame_begin(&world->frame, EVENT_switch, ts_ns, tid);
	frame_put_i64(&world->frame, switch__next, next);
	raw = frame_end(&world->frame);
	raw.cpu = cpu;
	assert_int_equal(sinsp_process(world->sinsp, &raw, &world->event), 0);
}

static void test_time_on_a_cpu(void **state)
{
	struct drive *world = *state;

	switch_at(world, 1000, 0, 100, 200);
	world_expect_none(world, "thread.exectime");
	switch_at(world, 1500, 0, 200, 100);
	/* Of a thread that is not known, too. */
	world_expect(world, "thread.exectime", "500");
	world_expect_none(world, "thread.totexectime");
	switch_at(world, 1700, 0, 100, 300);
	world_expect(world, "thread.exectime", "200");
	world_expect(world, "thread.totexectime", "200");
	/* There was a switch from 300 to 100 that was not captured. */
	switch_at(world, 1900, 0, 100, 0);
	world_expect_none(world, "thread.exectime");
	switch_at(world, 5000, 1, 100, 100);
	world_expect_none(world, "thread.exectime");
	switch_at(world, 5001, 65535, 0, 100);
	switch_at(world, 5006, 65535, 100, 0);
	world_expect(world, "thread.exectime", "5");
	world_expect(world, "thread.totexectime", "205");
	/* An event that came too late. */
	switch_at(world, 4000, 1, 100, 0);
	world_expect_none(world, "thread.exectime");
	frame_begin(&world->frame, EVENT_getuid, 6000, 100);
	process(world);
	world_expect_none(world, "thread.exectime");
	world_expect(world, "thread.totexectime", "205");
}

static void procinfo(struct drive *world, int64_t user, int64_t system)
{
	frame_begin(&world->frame, EVENT_procinfo, 1000, 100);
	frame_put_i64(&world->frame, procinfo__cpu_usr, user);
	frame_put_i64(&world->frame, procinfo__cpu_sys, system);
	process(world);
}

static void test_procinfo(void **state)
{
	struct drive *world = *state;

	procinfo(world, 0, 500);
	world_expect(world, "evt.count.threadinfo", "1");
	world_expect(world, "evt.count.procinfo", "1");
	world_expect_json(world, "thread.cpu", "{\"thread.cpu\":0}");
	procinfo(world, 20, 515);
	world_expect_json(world, "thread.cpu", "{\"thread.cpu\":35}");
	world_expect_json(world, "thread.cpu.user", "{\"thread.cpu.user\":20}");
	world_expect_json(world, "thread.cpu.system", "{\"thread.cpu.system\":15}");
	procinfo(world, 90, 600);
	world_expect_json(world, "thread.cpu", "{\"thread.cpu\":100}");
	world_expect_json(world, "thread.cpu.user", "{\"thread.cpu.user\":70}");
	procinfo(world, 80, 800);
	world_expect_json(world, "thread.cpu.user", "{\"thread.cpu.user\":0}");
	world_expect_json(world, "thread.cpu.system", "{\"thread.cpu.system\":100}");
	frame_begin(&world->frame, EVENT_getuid, 6000, 100);
	process(world);
	world_expect_none(world, "thread.cpu");
	world_expect_none(world, "thread.cpu.user");
	world_expect(world, "evt.count.threadinfo", "0");
	world_expect(world, "evt.count.procinfo", "0");
}

static void infra(struct drive *world, const char *description)
{
	world_begin(world, EVENT_infra, 100);
	frame_put_string(&world->frame, infra__source, "docker");
	frame_put_string(&world->frame, infra__description, description);
	world_end(world);
}

static void test_events_that_no_call_made(void **state)
{
	struct drive *world = *state;

	world_expect(world, "evt.hostname", "box");
	world_expect(world, "evt.is_async", "false");
	world_expect_none(world, "evt.asynctype");
	world_expect_none(world, "evt.pluginname");
	world_expect_none(world, "evt.plugininfo");
	world_expect_none(world, "evt.infra.docker.name");
	infra(world, "Event:start; ID: 0123ab ;name:web:1;Image:nginx");
	world_expect(world, "evt.is_async", "true");
	world_expect(world, "evt.asynctype", "infra");
	world_expect(world, "evt.infra.docker.name", "start");
	world_expect(world, "evt.infra.docker.container.id", "0123ab");
	world_expect(world, "evt.infra.docker.container.name", "web:1");
	world_expect(world, "evt.infra.docker.container.image", "nginx");
	infra(world, ";;ID;IDs:5;name:");
	world_expect_none(world, "evt.infra.docker.name");
	world_expect_none(world, "evt.infra.docker.container.id");
	world_expect_json(world, "evt.infra.docker.container.name",
			  "{\"evt.infra.docker.container.name\":\"\"}");
	infra(world, NULL);
	world_expect_none(world, "evt.infra.docker.container.id");
}

static void expect_family(struct drive *world, uint16_t id, const char *family)
{
	world_begin(world, id, 100);
	world_end(world);
	world_expect(world, "evt.family", family);
}

static void test_families(void **state)
{
	struct drive *world = *state;

	expect_family(world, EVENT_openat, "file");
	expect_family(world, EVENT_read, "io");
	expect_family(world, EVENT_connect, "net");
	expect_family(world, EVENT_execve, "process");
	expect_family(world, EVENT_mmap, "memory");
	expect_family(world, EVENT_kill, "signal");
	expect_family(world, EVENT_switch, "kernel");
	expect_family(world, EVENT_syscall, "other");
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (!event_desc_get(id) != !event_family(id))
			fail_msg("event %u has no family", id);
	assert_null(event_family(EVENT_ID_MAX));
}

/* A child that runs the program of its parent, and a program that takes the place of another. */
static void clone_and_exec(struct drive *world, char ids[4][64])
{
	frame_begin(&world->frame, EVENT_clone, 1000, 100);
	frame_put_i64(&world->frame, clone__res, 300);
	frame_put_i64(&world->frame, clone__pid, 100);
	frame_put_i64(&world->frame, clone__exec_id, 77);
	process(world);
	read_exec_id(world, ids[0]);
	frame_begin(&world->frame, EVENT_clone, 1001, 300);
	frame_put_i64(&world->frame, clone__res, 0);
	frame_put_i64(&world->frame, clone__pid, 300);
	frame_put_i64(&world->frame, clone__ptid, 100);
	frame_put_i64(&world->frame, clone__exec_id, 88);
	process(world);
	read_exec_id(world, ids[1]);
	frame_begin(&world->frame, EVENT_execve, 1002, 300);
	frame_put_i64(&world->frame, execve__res, 0);
	frame_put_i64(&world->frame, execve__pid, 300);
	frame_put_i64(&world->frame, execve__exec_id, 99);
	process(world);
	read_exec_id(world, ids[2]);
	/* One that fails leaves the program as it is. */
	frame_begin(&world->frame, EVENT_execveat, 1003, 300);
	frame_put_i64(&world->frame, execveat__res, -2);
	frame_put_i64(&world->frame, execveat__pid, 300);
	frame_put_i64(&world->frame, execveat__exec_id, 99);
	process(world);
	read_exec_id(world, ids[3]);
}

static void test_exec_ids(void **state)
{
	struct sinsp_config other_boot = {.etc = etc, .boot_id = "2"};
	struct drive *world = *state, *again = calloc(1, sizeof(*again));
	char ids[4][64], ids_again[4][64];

	world_expect_none(world, "proc.exec_id");
	clone_and_exec(world, ids);
	assert_int_equal(strlen(ids[0]), 16);
	assert_string_not_equal(ids[0], ids[1]);
	assert_string_not_equal(ids[1], ids[2]);
	assert_string_equal(ids[2], ids[3]);
	/* A thread has that of its process. */
	world_thread(world, sinsp_thread_find(world->sinsp, 300), 301);
	frame_begin(&world->frame, EVENT_getuid, 1004, 301);
	process(world);
	world_expect(world, "proc.exec_id", ids[2]);
	/* Who sees the same on another day sees the same, but for another boot. */
	teardown((void **)&world);
	setup((void **)&world);
	clone_and_exec(world, ids_again);
	assert_memory_equal(ids, ids_again, sizeof(ids));
	*state = world;
	assert_int_equal(sinsp_create(&other_boot, &again->sinsp, NULL), 0);
	clone_and_exec(again, ids_again);
	for (int i = 0; i < 4; i++)
		assert_string_not_equal(ids[i], ids_again[i]);
	drive_destroy(again);
	free(again);
}

static void remove_files(void)
{
	static const char *const names[] = {"passwd", "group", "hosts"};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", etc, names[i]);
		unlink(path);
	}
	rmdir(etc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_users, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names_of_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_log, setup, teardown),
		cmocka_unit_test_setup_teardown(test_log_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_polled_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_time_on_a_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_procinfo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events_that_no_call_made, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_families, setup, teardown),
	};
	int r;

	if (!mkdtemp(etc))
		return 1;
	write_file("passwd", "ann:x:7:7::/home/ann:/bin/zsh\n");
	write_file("group", "staff:x:8:ann\n");
	write_file("hosts", "10.0.0.5 db.example db\n");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	remove_files();
	return r;
}
