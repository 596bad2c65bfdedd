/* SPDX-License-Identifier: MIT */
/* Lines of calls, signals and exits; what stands for what events lack. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "sinsp/sinsp.h"
#include "unit.h"

enum { FD = 3, TID = 100 };

struct traced {
	struct drive drive;
	struct trace_options options;
	struct trace *trace;
	struct buf out;
};

static void traced_begin(struct traced *traced, const struct trace_options *options)
{
	*traced = (struct traced){.options = *options};
	traced->options.traced = 1;
	drive_create(&traced->drive, NULL);
	drive_exec(&traced->drive, TID, "sh");
	assert_int_equal(trace_create(&traced->options, NULL, &traced->trace), 0);
}

static void traced_end(struct traced *traced)
{
	trace_destroy(traced->trace);
	drive_destroy(&traced->drive);
	buf_finish(&traced->out);
}

/* The line of an event; "" if it has none. */
static void traced_expect(struct traced *traced, const struct state_event *event,
			  const char *expected)
{
	buf_clear(&traced->out);
	assert_int_equal(trace_take(traced->trace, event, &traced->out), *expected != 0);
	buf_append_char(&traced->out, '\0');
	assert_false(traced->out.failed);
	assert_string_equal(traced->out.data, expected);
}

static const struct trace_options plain = {.follows = true, .string_max = 6, .column = 12};

static void has_results_and_errors(void **state)
{
	struct traced traced;

	traced_begin(&traced, &plain);
	traced_expect(&traced, drive_openat(&traced.drive, TID, FD, -100, "a\"b"),
		      "openat(AT_FDCWD, \"a\\\"b\", O_RDONLY) = 3\n");
	traced_expect(&traced, drive_close(&traced.drive, TID, 0, FD), "close(3)    = 0\n");
	traced_expect(&traced, drive_close(&traced.drive, TID, -9, FD),
		      "close(3)    = -1 EBADF (Bad file descriptor)\n");
	traced_expect(&traced, drive_read(&traced.drive, TID, -512, FD),
		      "read(3, ..., ...) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)\n");
	traced_expect(&traced, drive_any(&traced.drive, TID), "getppid(...) = ?\n");
	traced_end(&traced);
}

/* Of a call without an event of its own the number alone is known. */
static void has_calls_of_unknown_names(void **state)
{
	struct traced traced;
	struct frame *frame;

	traced_begin(&traced, &plain);
	frame = drive_begin(&traced.drive, EVENT_syscall, TID);
	frame_put_i64(frame, syscall__ID, 0);
	frame_put_i64(frame, syscall__nativeID, 500);
	traced_expect(&traced, drive_end(&traced.drive), "syscall_0x1f4(...) = ?\n");
	traced_end(&traced);
}

static void cuts_buffers(void **state)
{
	struct traced traced;
	struct frame *frame;

	traced_begin(&traced, &plain);
	frame = drive_begin(&traced.drive, EVENT_write, TID);
	frame_put_i64(frame, write__res, 9);
	frame_put_bytes(frame, write__data, "\1\0012\n\t\377zz", 8);
	frame_put_i64(frame, write__fd, 1);
	frame_put_i64(frame, write__size, 9);
	traced_expect(&traced, drive_end(&traced.drive),
		      "write(1, \"\\1\\0012\\n\\t\\377\"..., 9) = 9\n");
	traced_end(&traced);
}

static void has_what_only_some_calls_have(void **state)
{
	static const struct fdlist_entry entries[] = {{.fd = 4}, {.fd = 5}};
	struct traced traced;
	struct frame *frame;

	traced_begin(&traced, &plain);
	frame = drive_begin(&traced.drive, EVENT_mmap, TID);
	frame_put_i64(frame, mmap__res, 0x7f0000001000);
	frame_put_i64(frame, mmap__addr, 0);
	frame_put_i64(frame, mmap__length, 4096);
	frame_put_i64(frame, mmap__prot, prot_flags__PROT_READ | prot_flags__PROT_WRITE);
	frame_put_i64(frame, mmap__flags, mmap_flags__MAP_PRIVATE);
	frame_put_i64(frame, mmap__fd, -1);
	frame_put_i64(frame, mmap__offset, 0x1000);
	traced_expect(&traced, drive_end(&traced.drive),
		      "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE, -1, 0x1000) = "
		      "0x7f0000001000\n");
	frame = drive_begin(&traced.drive, EVENT_pipe2, TID);
	frame_put_i64(frame, pipe2__res, 0);
	frame_put_i64(frame, pipe2__fd1, 6);
	frame_put_i64(frame, pipe2__fd2, 7);
	frame_put_i64(frame, pipe2__flags, 0);
	traced_expect(&traced, drive_end(&traced.drive), "pipe2([6, 7], 0) = 0\n");
	frame = drive_begin(&traced.drive, EVENT_wait4, TID);
	frame_put_i64(frame, wait4__res, 101);
	frame_put_i64(frame, wait4__pid, -1);
	frame_put_i64(frame, wait4__wstatus, 0x0300);
	frame_put_i64(frame, wait4__options, 0);
	traced_expect(&traced, drive_end(&traced.drive),
		      "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL) = 101\n");
	frame = drive_begin(&traced.drive, EVENT_poll, TID);
	frame_put_i64(frame, poll__res, 0);
	frame_put_fdlist(frame, poll__fds, entries, 2);
	frame_put_i64(frame, poll__timeout, -1);
	traced_expect(&traced, drive_end(&traced.drive),
		      "poll([{fd=4, ...}, {fd=5, ...}], 2, -1) = 0 (Timeout)\n");
	frame = drive_begin(&traced.drive, EVENT_connect, TID);
	frame_put_i64(frame, connect__res, 0);
	frame_put_i64(frame, connect__fd, 4);
	frame_put_ip(frame, connect__addr, "10.0.0.1", 80);
	traced_expect(&traced, drive_end(&traced.drive),
		      "connect(4, {sa_family=AF_INET, sin_port=htons(80), "
		      "sin_addr=inet_addr(\"10.0.0.1\")}, ...) = 0\n");
	traced_end(&traced);
}

static struct state_event *deliver(struct traced *traced, int64_t signal)
{
	struct frame *frame = drive_begin(&traced->drive, EVENT_signaldeliver, TID);

	frame_put_i64(frame, signaldeliver__spid, 7);
	frame_put_i64(frame, signaldeliver__dpid, TID);
	frame_put_i64(frame, signaldeliver__sig, signal);
	return drive_end(&traced->drive);
}

static struct state_event *end_of(struct traced *traced, int64_t tid, int64_t status,
				  int64_t signal)
{
	struct frame *frame = drive_begin(&traced->drive, EVENT_procexit, tid);

	frame_put_i64(frame, procexit__status, status);
	frame_put_i64(frame, procexit__sig, signal);
	frame_put_i64(frame, procexit__core, signal == 11);
	return drive_end(&traced->drive);
}

/* Ids stand before lines while several threads are traced. */
static void tells_threads_apart(void **state)
{
	const struct drive_clone child = {.pid = 200, .ptid = TID, .comm = "sh"};
	const struct drive_clone parent = {.pid = TID, .ptid = 1, .comm = "sh"};
	struct traced traced;

	traced_begin(&traced, &plain);
	traced_expect(&traced, deliver(&traced, 15),
		      "--- SIGTERM {si_signo=SIGTERM, si_pid=7, ...} ---\n");
	traced_expect(&traced, deliver(&traced, 9), "");
	traced_expect(&traced, drive_clone(&traced.drive, 200, 0, &child), "");
	traced_expect(&traced, drive_clone(&traced.drive, TID, 200, &parent),
		      "[pid   100] clone(child_stack=..., flags=0) = 200\n");
	traced_expect(&traced, end_of(&traced, 200, 0x0200, 0),
		      "[pid   200] +++ exited with 2 +++\n");
	traced_expect(&traced, end_of(&traced, TID, 0, 11),
		      "+++ killed by SIGSEGV (core dumped) +++\n");
	traced_end(&traced);
}

static void has_times(void **state)
{
	static const struct trace_options timed = {.follows = true,
						   .string_max = 6,
						   .time = TRACE_TIME_EPOCH,
						   .relative = true,
						   .durations = true,
						   .pid_column = true};
	struct traced traced;
	struct frame *frame;

	traced_begin(&traced, &timed);
	for (unsigned int i = 0; i < 2; i++) {
		frame = drive_begin(&traced.drive, EVENT_getppid, TID);
		frame->ts_ns = (5 + i) * UINT64_C(1000000000);
		frame->latency_ns = 250000000;
		frame_put_i64(frame, getppid__res, 1);
		traced_expect(&traced, drive_end(&traced.drive),
			      i ? "100   5.750000      1.000000 getppid() = 1 <0.250000>\n"
				: "100   4.750000      0.000000 getppid() = 1 <0.250000>\n");
	}
	frame = drive_begin(&traced.drive, EVENT_getppid, TID);
	frame_put_i64(frame, getppid__res, 1);
	frame->ts_ns = UINT64_C(8000000000);
	traced_expect(&traced, drive_end(&traced.drive),
		      "100   8.000000      2.250000 getppid() = 1 <unavailable>\n");
	traced_end(&traced);
}

static void has_names_of_descriptors(void **state)
{
	struct trace_options named = plain;
	struct traced traced;

	named.names = TRACE_NAMES_PATHS;
	traced_begin(&traced, &named);
	traced_expect(&traced, drive_open(&traced.drive, TID, FD, "/etc/x", 1),
		      "open(\"/etc/x\", O_RDONLY) = 3</etc/x>\n");
	traced_expect(&traced, drive_close(&traced.drive, TID, 0, FD), "close(3</etc/x>) = 0\n");
	/* Of what names have none reaches a terminal. */
	traced_expect(&traced, drive_open(&traced.drive, TID, FD, "/\033[1m", 1),
		      "open(\"/\\33[1m\", O_RDONLY) = 3</.[1m>\n");
	traced_expect(&traced, drive_close(&traced.drive, TID, -9, 9),
		      "close(9)    = -1 EBADF (Bad file descriptor)\n");
	traced_end(&traced);
}

/* Without -f the first thread alone is traced. */
static void leaves_threads_out(void **state)
{
	struct trace_options first = plain;
	const struct drive_clone thread = {
		.flags = clone_flags__CLONE_THREAD, .pid = TID, .ptid = 1, .comm = "sh"};
	struct traced traced;

	first.follows = false;
	traced_begin(&traced, &first);
	traced_expect(&traced, drive_clone(&traced.drive, 101, 0, &thread), "");
	traced_expect(&traced, drive_close(&traced.drive, 101, 0, FD), "");
	traced_expect(&traced, drive_close(&traced.drive, TID, 0, FD), "close(3)    = 0\n");
	traced_end(&traced);
}

static void counts_calls(void **state)
{
	struct trace_options table = plain;
	struct traced traced;
	struct frame *frame;

	table.shows = TRACE_TABLE;
	traced_begin(&traced, &table);
	for (int64_t i = 0; i < 4; i++) {
		frame = drive_begin(&traced.drive, i < 3 ? EVENT_getppid : EVENT_close, TID);
		frame->latency_ns = 1000000;
		frame_put_i64(frame, 0, i < 3 ? 1 : -9);
		traced_expect(&traced, drive_end(&traced.drive), "");
	}
	buf_clear(&traced.out);
	trace_append_table(traced.trace, &traced.out);
	buf_append_char(&traced.out, '\0');
	assert_string_equal(traced.out.data,
			    "% time     seconds  usecs/call     calls    errors syscall\n"
			    "------ ----------- ----------- --------- --------- ----------------\n"
			    " 75.00    0.003000        1000         3           getppid\n"
			    " 25.00    0.001000        1000         1         1 close\n"
			    "------ ----------- ----------- --------- --------- ----------------\n"
			    "100.00    0.004000        1000         4         1 total\n\n"
			    "  usecs p50         p90         p99         max syscall\n"
			    "----------- ----------- ----------- ----------- ----------------\n"
			    "     1003.5      1003.5      1003.5      1000.0 getppid\n"
			    "     1003.5      1003.5      1003.5      1000.0 close\n");
	traced_end(&traced);
}

/* The names of a table of calls that took so long, in their order. */
static void expect_order(enum trace_order order, const char *expected)
{
	static const struct {
		uint16_t event;
		uint64_t ns;
	} calls[] = {{EVENT_getppid, 4000000}, {EVENT_getuid, 3000000},	 {EVENT_getuid, 3500000},
		     {EVENT_getgid, 9000000},  {EVENT_getppid, 1000000}, {EVENT_getppid, 2000000}};
	struct trace_options table = plain;
	struct traced traced;
	char names[64] = "";

	table.shows = TRACE_TABLE;
	table.order = order;
	traced_begin(&traced, &table);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct frame *frame = drive_begin(&traced.drive, calls[i].event, TID);

		frame->latency_ns = calls[i].ns;
		frame_put_i64(frame, 0, 1);
		traced_expect(&traced, drive_end(&traced.drive), "");
	}
	buf_clear(&traced.out);
	trace_append_table(traced.trace, &traced.out);
	buf_append_char(&traced.out, '\0');
	/* Quantiles stand behind an empty line. */
	*strstr(traced.out.data, "\n\n") = '\0';
	for (const char *at = traced.out.data; (at = strstr(at, " get")); at++)
		strncat(names, at, strcspn(at, "\n"));
	assert_string_equal(names, expected);
	traced_end(&traced);
}

static void sorts_its_table(void **state)
{
	expect_order(TRACE_BY_TIME, " getgid getppid getuid");
	expect_order(TRACE_BY_MEAN, " getgid getuid getppid");
	expect_order(TRACE_BY_MIN, " getgid getuid getppid");
	expect_order(TRACE_BY_MAX, " getgid getppid getuid");
	expect_order(TRACE_BY_CALLS, " getppid getuid getgid");
	expect_order(TRACE_BY_NAME, " getgid getppid getuid");
	expect_order(TRACE_BY_NOTHING, " getppid getuid getgid");
}

static void needs_what_it_shows(void **state)
{
	struct trace_options options = plain;

	assert_true(trace_needs(&options) & NEEDS_ARGUMENTS);
	assert_false(trace_needs(&options) & (NEEDS_ENTER_TIME | NEEDS_EVENT_FDS));
	options.names = TRACE_NAMES_PATHS;
	assert_true(trace_needs(&options) & NEEDS_EVENT_FDS);
	options.shows = TRACE_TABLE;
	assert_true(trace_needs(&options) & NEEDS_ENTER_TIME);
	assert_false(trace_needs(&options) & (NEEDS_ARGUMENTS | NEEDS_EVENT_FDS));
}

/* Events of any bytes end in a line. */
static void prints_every_event(void **state)
{
	struct traced traced;
	unsigned int lines = 0;

	traced_begin(&traced, &plain);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		struct frame *frame;

		if (!desc || !(desc->category & EC_SYSCALL) || desc->flags & EF_MAKES_TASK)
			continue;
		for (int64_t value = -1; value < 2; value++) {
			frame = drive_begin(&traced.drive, (uint16_t)id, TID);
			for (unsigned int i = 0; i < desc->nparams; i++)
				if (param_type_size(desc->params[i].type))
					frame_put_i64(frame, i, value);
			buf_clear(&traced.out);
			lines += trace_take(traced.trace, drive_end(&traced.drive), &traced.out);
			assert_true(!traced.out.len || traced.out.data[traced.out.len - 1] == '\n');
		}
	}
	assert_true(lines > 600);
	traced_end(&traced);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_results_and_errors),
	cmocka_unit_test(has_calls_of_unknown_names),
	cmocka_unit_test(cuts_buffers),
	cmocka_unit_test(has_what_only_some_calls_have),
	cmocka_unit_test(tells_threads_apart),
	cmocka_unit_test(has_times),
	cmocka_unit_test(has_names_of_descriptors),
	cmocka_unit_test(leaves_threads_out),
	cmocka_unit_test(counts_calls),
	cmocka_unit_test(sorts_its_table),
	cmocka_unit_test(needs_what_it_shows),
	cmocka_unit_test(prints_every_event),
};

UNIT_GROUP(tests);
