/* SPDX-License-Identifier: MIT */
/* Which programs a configuration wants, and what dispatch looks up; without a kernel. */
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "scap/live/programs.h"
#include "scap/live/uring_hooks.h"
#include "unit.h"

/* Those that any event of a call needs: most of them are attached only for some time. */
#define WITHOUT_EVENT                                                                              \
	"answer_heartbeat scan_installed end_event note_ended note_born forget_begun note_begun "

static const bool nothing[EVENT_ID_MAX];

/* The names of the programs that are wanted, each with a blank after it: of io_uring, or the
 * others. */
static const char *names_of(const struct scap_live_config *config, const bool *rejected,
			    bool for_uring)
{
	static char names[4096];

	names[0] = '\0';
	for (size_t i = 0; i < live_programs_count; i++) {
		if (live_programs[i].for_uring != for_uring ||
		    !live_program_wanted(&live_programs[i], config, rejected))
			continue;
		strcat(names, live_programs[i].name);
		strcat(names, " ");
	}
	return names;
}

static const char *wanted(const struct scap_live_config *config, const bool *rejected)
{
	return names_of(config, rejected, false);
}

static unsigned int native(const char *name)
{
	return (unsigned int)syscall_native_number((unsigned int)syscall_code_find(name));
}

static void test_nothing_wanted(void **state)
{
	struct scap_live_config config = {.ring_bytes = 1};

	assert_string_equal(wanted(&config, nothing), "");
}

static void test_system_calls(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_openat] = true, [EVENT_mkdirat] = true}};

	assert_string_equal(wanted(&config, nothing),
			    "fill_openat fill_mkdirat " WITHOUT_EVENT "dispatch_sys_exit ");
}

/* Events of sockets need to know whose these are, also from calls that accept connections. */
static void test_sockets(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_tcp_close] = true}};
	struct multiplexed_events operations[MULTIPLEXED_CALLS];
	struct call_events calls[SYSCALL_NR_MAX];

	assert_string_equal(wanted(&config, nothing),
			    "note_socket forget_socket fill_tcp_close " WITHOUT_EVENT
			    "dispatch_sys_exit ");
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("accept")].native, NOTICED_ACCEPT);
	assert_int_equal(calls[native("accept4")].native, NOTICED_ACCEPT);
	assert_int_equal(calls[native("connect")].native, EVENT_NONE);
	live_multiplexed_events(&config, nothing, operations);
#ifdef __x86_64__
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[5], NOTICED_ACCEPT);
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[3], EVENT_NONE);
#endif
	config.events[EVENT_accept4] = true;
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("accept4")].native, EVENT_accept4);
	assert_true(live_owns_sockets(&config));
	config.events[EVENT_tcp_close] = false;
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("accept")].native, EVENT_NONE);
	assert_false(live_owns_sockets(&config));
}

/* Opens that have no event are noticed where only closes of sockets have one. */
static void test_opens(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_close] = true}};
	struct call_events calls[SYSCALL_NR_MAX];

	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("openat")].native, EVENT_NONE);
	config.stream_only[EVENT_close] = true;
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("close")].native, EVENT_close);
	assert_int_equal(calls[native("openat")].native, NOTICED_OPEN);
	assert_int_equal(calls[native("openat2")].native, NOTICED_OPEN);
	assert_int_equal(calls[native("pipe2")].native, EVENT_NONE);
#ifdef __x86_64__
	assert_int_equal(calls[295].compat, NOTICED_OPEN);
#endif
	config.events[EVENT_openat] = true;
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("openat")].native, EVENT_openat);
	assert_int_equal(calls[native("openat2")].native, NOTICED_OPEN);
}

/* Names that have no event matter only to what compares names. */
static void test_names(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true}};

	config.kernel_filters.filters[1].facts = 1 << KERNEL_RESULT;
	assert_string_equal(wanted(&config, nothing),
			    "fill_openat " WITHOUT_EVENT "dispatch_sys_exit ");
	config.kernel_filters.filters[1].facts |= 1 << KERNEL_NAME;
	assert_string_equal(wanted(&config, nothing),
			    "fill_openat note_renamed forget_renamed " WITHOUT_EVENT
			    "dispatch_sys_exit ");
	assert_true(live_reads_entry(EVENT_openat, ENTRY_NOTES_ALL));
	assert_false(live_reads_entry(EVENT_openat, ENTRY_NOTES_NONE));
	assert_false(live_reads_entry(EVENT_fchdir, ENTRY_NOTES_ALL));
}

/* Where datagrams go is noted for all calls that send some, if any of them is captured. */
static void test_sends(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_sendmsg] = true}};

	assert_true(live_captures_sends(&config));
	assert_string_equal(wanted(&config, nothing),
			    "fill_sendmsg note_sent4 note_sent6 " WITHOUT_EVENT
			    "dispatch_sys_exit ");
	config = (struct scap_live_config){.events = {[EVENT_recvmsg] = true}};
	assert_false(live_captures_sends(&config));
	assert_string_equal(wanted(&config, nothing),
			    "fill_recvmsg " WITHOUT_EVENT "dispatch_sys_exit ");
}

/* Programs on entry cost all calls: only what somebody asks for is noted. */
static void test_entry_notes(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true, [EVENT_ppoll] = true}};

	assert_string_equal(wanted(&config, nothing),
			    "fill_openat fill_ppoll " WITHOUT_EVENT "dispatch_sys_exit ");
	config.entry_notes = ENTRY_NOTES_OVERWRITTEN;
	assert_string_equal(wanted(&config, nothing),
			    "fill_openat fill_ppoll enter_ppoll " WITHOUT_EVENT
			    "dispatch_sys_exit ");
	config.entry_notes = ENTRY_NOTES_ALL;
	assert_string_equal(wanted(&config, nothing),
			    "fill_openat fill_ppoll enter_openat enter_ppoll " WITHOUT_EVENT
			    "dispatch_sys_exit ");
}

/* The kernel overwrites their timeouts, which are noted on entry: not where only the state is. */
static void test_timeouts(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_ppoll] = true, [EVENT_pselect6] = true},
		.entry_notes = ENTRY_NOTES_OVERWRITTEN,
	};

	assert_string_equal(wanted(&config, nothing),
			    "fill_ppoll fill_pselect6 enter_ppoll "
			    "enter_pselect6 " WITHOUT_EVENT "dispatch_sys_exit ");
	config.successes[EVENT_ppoll] = true;
	assert_string_equal(wanted(&config, nothing),
			    "fill_ppoll fill_pselect6 enter_pselect6 " WITHOUT_EVENT
			    "dispatch_sys_exit ");
}

/* Nothing is loaded for calls that the machine does not have. */
static void test_calls_of_other_machines(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_open] = true, [EVENT_fork] = true},
		.entry_notes = ENTRY_NOTES_ALL,
	};

	assert_string_equal(wanted(&config, nothing),
			    event_desc_is_native(event_desc_get(EVENT_open))
				    ? "fill_open fill_fork enter_open " WITHOUT_EVENT
				      "dispatch_sys_exit "
				    : "");
}

static void test_tracepoints_need_no_dispatch(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_procexit] = true}};

	assert_string_equal(wanted(&config, nothing), "fill_procexit ");
}

static void test_exec(void **state)
{
	struct scap_live_config execve = {
		.events = {[EVENT_execve] = true},
		.entry_notes = ENTRY_NOTES_ALL,
	};
	struct scap_live_config execveat = {
		.events = {[EVENT_execveat] = true},
		.entry_notes = ENTRY_NOTES_ALL,
	};

	assert_string_equal(wanted(&execve, nothing),
			    "fill_execve enter_execve exec_success " WITHOUT_EVENT
			    "dispatch_sys_exit ");
	assert_string_equal(wanted(&execveat, nothing),
			    "fill_execveat enter_execveat exec_success " WITHOUT_EVENT
			    "dispatch_sys_exit ");
}

/* For the state alone, what a failed call was given on entry is of no use, nor a failed exec. */
static void test_successes(void **state)
{
	struct scap_live_config config = {
		.events = {[EVENT_openat] = true, [EVENT_execve] = true, [EVENT_execveat] = true},
		.successes =
			{[EVENT_openat] = true, [EVENT_execve] = true, [EVENT_execveat] = true},
		.entry_notes = ENTRY_NOTES_ALL,
	};
	struct call_events calls[SYSCALL_NR_MAX];

	assert_string_equal(wanted(&config, nothing),
			    "fill_openat exec_success " WITHOUT_EVENT "dispatch_sys_exit ");
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("execve")].native, EVENT_NONE);
	assert_int_equal(calls[native("execveat")].native, EVENT_NONE);
	assert_int_equal(calls[native("openat")].native, EVENT_openat);
}

static void test_generic(void **state)
{
	struct scap_live_config config = {0};
	struct call_events calls[SYSCALL_NR_MAX];

	config.syscalls[native("getppid")] = true;
	assert_string_equal(wanted(&config, nothing),
			    "fill_syscall " WITHOUT_EVENT "dispatch_sys_exit ");
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("getppid")].native, EVENT_syscall);
	assert_int_equal(calls[native("getpid")].native, 0);
}

/* EVENT_syscall in `events` means nothing by itself. */
static void test_generic_without_numbers(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_syscall] = true}};

	assert_string_equal(wanted(&config, nothing), "");
}

static void test_own_event_goes_first(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_close] = true}};
	struct call_events calls[SYSCALL_NR_MAX];

	memset(config.syscalls, true, sizeof(config.syscalls));
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[native("close")].native, EVENT_close);
	assert_int_equal(calls[native("openat")].native, EVENT_syscall);
	/* Also numbers that have no name here. */
	assert_int_equal(calls[SYSCALL_NR_MAX - 1].native, EVENT_syscall);
}

static void test_rejected(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true}};
	const bool rejected[EVENT_ID_MAX] = {[EVENT_openat] = true};
	struct call_events calls[SYSCALL_NR_MAX];

	live_call_events(&config, rejected, calls);
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		assert_int_equal(calls[number].native | calls[number].compat, 0);
	assert_false(
		live_program_wanted(&live_programs[live_programs_count - 1], &config, rejected));
}

static size_t row_of(const char *name)
{
	for (size_t i = 0; i < live_programs_count; i++)
		if (strcmp(live_programs[i].name, name) == 0)
			return i;
	fail_msg("no program %s", name);
	return 0;
}

/* A program on entry to calls is there for calls alone, and when their times are asked for. */
/* Programs at the scheduler's tracepoints are there only for times of threads. */
static void test_thread_times(void **state)
{
	static const bool none[EVENT_ID_MAX];
	struct scap_live_config config = {.events = {[EVENT_sendto] = true}};

	for (int wanted = 0; wanted < 2; wanted++) {
		config.thread_times = wanted;
		assert_int_equal(
			live_program_wanted(&live_programs[row_of("note_switch")], &config, none),
			wanted);
		assert_int_equal(
			live_program_wanted(&live_programs[row_of("note_waking")], &config, none),
			wanted);
	}
}

static void test_enter_times(void **state)
{
	struct scap_live_config call = {.events = {[EVENT_mkdirat] = true}, .enter_times = true};
	struct scap_live_config none = {.events = {[EVENT_procexit] = true}, .enter_times = true};
	const struct live_program *program = &live_programs[row_of("note_enter_time")];

	assert_string_equal(wanted(&call, nothing),
			    "fill_mkdirat " WITHOUT_EVENT "note_enter_time dispatch_sys_exit ");
	assert_string_equal(wanted(&none, nothing), "fill_procexit ");
	call.enter_times = false;
	assert_string_equal(wanted(&call, nothing),
			    "fill_mkdirat " WITHOUT_EVENT "dispatch_sys_exit ");
	assert_string_equal(live_program_at_calls(program), "sys_enter");
	assert_string_equal(live_program_at_calls(&live_programs[row_of("fill_mkdirat")]),
			    "sys_exit");
	assert_string_equal(live_program_at_calls(&live_programs[row_of("dispatch_sys_exit")]),
			    "sys_exit");
	assert_null(live_program_at_calls(&live_programs[row_of("fill_procexit")]));
	assert_null(live_program_at_calls(&live_programs[row_of("enter_openat")]));
	assert_null(live_program_at_calls(&live_programs[row_of("uring_openat")]));
}

/* Events that an io_uring has, too, need a program of their own, and those that notes are made by.
 */
static void test_uring(void **state)
{
	static const char notes[] =
		"note_submitted note_submitted_entry forget_unsubmitted dispatch_overflowed "
		"dispatch_completed note_number tell_number ";
	struct scap_live_config config = {.events = {[EVENT_getppid] = true}};
	struct uring_events events[URING_OPCODES];
	char expected[192];

	assert_string_equal(names_of(&config, nothing, true), "");
	assert_false(live_follows_uring(&config));
	config.events[EVENT_pread] = config.events[EVENT_io_uring_op] = true;
	snprintf(expected, sizeof(expected), "uring_pread uring_io_uring_op %s", notes);
	assert_string_equal(names_of(&config, nothing, true), expected);
	assert_true(live_follows_uring(&config));
	live_uring_events(&config, events);
	assert_int_equal(events[IORING_OP_READ].event, EVENT_NONE);
	assert_int_equal(events[IORING_OP_READ].second, EVENT_pread);
	assert_int_equal(events[IORING_OP_OPENAT].event, EVENT_NONE);
	assert_int_equal(events[IORING_OP_NOP].event, EVENT_io_uring_op);
	/* What the kernel may get. */
	assert_int_equal(events[URING_OPCODES - 1].event, EVENT_io_uring_op);
	config.without_rings = true;
	assert_string_equal(names_of(&config, nothing, true), "");
	assert_false(live_follows_uring(&config));
}

/* Nothing is asked of the kernel where no event could come by an io_uring. */
static void test_uring_hooks(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_getppid] = true}};
	struct live_uring_hooks hooks;
	bool by_number;

	live_uring_hooks_find(&config, &hooks);
	assert_int_equal(hooks.kernel, URING_NONE);
	assert_int_equal(hooks.seen, LIVE_URING_UNNEEDED);
	assert_false(live_uring_hooks_have(&hooks, "io_uring_complete", false));
	assert_false(live_uring_hooks_have(&hooks, NULL, false));
	config.events[EVENT_openat] = true;
	live_uring_hooks_find(&config, &hooks);
	if (hooks.kernel == URING_NONE) {
		assert_int_equal(hooks.seen, LIVE_URING_UNSEEN);
		return;
	}
	by_number = hooks.seen == LIVE_URING_NUMBERS;
	assert_true(live_uring_hooks_have(&hooks, "io_uring_complete", by_number));
	assert_true(live_uring_hooks_have(&hooks, NULL, by_number));
	assert_false(live_uring_hooks_have(&hooks, "io_uring_complete", !by_number));
	assert_false(live_uring_hooks_have(&hooks, NULL, !by_number));
	/* One or the other, by the kernel's version. */
	assert_int_equal(live_uring_hooks_have(&hooks, "io_uring_submit_req", by_number),
			 hooks.seen == LIVE_URING_REQ);
	assert_int_equal(live_uring_hooks_have(&hooks, "io_uring_submit_sqe", by_number),
			 hooks.seen != LIVE_URING_REQ);
	assert_true(hooks.secret[0] || hooks.secret[1]);
}

/* What each of the programs of an exec or a clone3 costs when it alone is rejected. */
static void test_rejected_parts(void **state)
{
	static const struct {
		const char *program;
		unsigned int event;
		bool some, all;
	} cases[] = {
		{"fill_execve", EVENT_execve, true, true},
		{"exec_success", EVENT_execve, true, false},
		{"fill_clone3", EVENT_clone3, true, true},
		{"note_clone3", EVENT_clone3, false, false},
	};
	struct scap_live_config config = {
		.events = {[EVENT_execve] = true, [EVENT_clone] = true, [EVENT_clone3] = true}};
	struct call_events calls[SYSCALL_NR_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool programs[1024] = {false}, rejected[EVENT_ID_MAX], called = false;

		assert_true(live_programs_count <= 1024);
		programs[row_of(cases[i].program)] = true;
		live_events_rejected(programs, LOSES_SOME_EVENTS, rejected);
		assert_int_equal(rejected[cases[i].event], cases[i].some);
		live_events_rejected(programs, LOSES_ALL_EVENTS, rejected);
		assert_int_equal(rejected[cases[i].event], cases[i].all);
		live_call_events(&config, rejected, calls);
		for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
			called |= calls[number].native == cases[i].event;
		assert_int_equal(called, !cases[i].all);
		/* The others go on. */
		for (size_t row = row_of("note_clone3"); row < live_programs_count; row++)
			assert_true(live_programs[row].for_times || live_programs[row].for_names ||
				    live_programs[row].for_follow || live_programs[row].at_sends ||
				    live_programs[row].for_uring || live_programs[row].for_tls ||
				    live_programs[row].for_waits ||
				    live_programs[row].event == EVENT_runqueue ||
				    live_program_wanted(&live_programs[row], &config, rejected));
	}
}

#ifdef __x86_64__
/* 32-bit programs call openat by number 295, which is preadv here. */
static void test_compat(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_openat] = true}};
	struct call_events calls[SYSCALL_NR_MAX];

	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[295].native, EVENT_NONE);
	assert_int_equal(calls[295].compat, EVENT_openat);
	assert_int_equal(calls[257].native, EVENT_openat);
	config.events[EVENT_preadv] = true;
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[295].native, EVENT_preadv);
	assert_int_equal(calls[333].compat, EVENT_preadv);
	/* Some calls have several numbers there; the lists of this one have ids of 16 bits. */
	config.events[EVENT_setuid] = true;
	config.compat_syscalls[80] = true;
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[23].compat, EVENT_setuid);
	assert_int_equal(calls[213].compat, EVENT_setuid);
	assert_int_equal(calls[80].compat, COMPAT_COUNTED);
}

/* Calls that only 32-bit programs have, and numbers of theirs without a name. */
static void test_compat_generic(void **state)
{
	struct scap_live_config config = {.compat_syscalls = {[7] = true, [17] = true}};
	struct call_events calls[SYSCALL_NR_MAX];

	assert_string_equal(wanted(&config, nothing),
			    "fill_syscall " WITHOUT_EVENT "dispatch_sys_exit ");
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[7].compat, EVENT_syscall);
	assert_int_equal(calls[7].native, EVENT_NONE);
	assert_int_equal(calls[17].compat, COMPAT_COUNTED);
}

/* 102 is all calls on sockets. */
static void test_multiplexed(void **state)
{
	struct scap_live_config config = {.events = {[EVENT_connect] = true, [EVENT_semop] = true}};
	struct multiplexed_events operations[MULTIPLEXED_CALLS];
	struct call_events calls[SYSCALL_NR_MAX];

	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[102].compat, COMPAT_MULTIPLEXED);
	assert_int_equal(calls[117].compat, COMPAT_MULTIPLEXED);
	assert_int_equal(calls[102].native, EVENT_NONE);
	live_multiplexed_events(&config, nothing, operations);
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[3], EVENT_connect);
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[1], EVENT_NONE);
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[0], EVENT_NONE);
	assert_int_equal(operations[MULTIPLEXED_IPC].of_operation[1], EVENT_semop);
	config.compat_syscalls[102] = true;
	live_multiplexed_events(&config, nothing, operations);
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[0], COMPAT_COUNTED);
	assert_int_equal(operations[MULTIPLEXED_SOCKETCALL].of_operation[1], EVENT_NONE);

	config = (struct scap_live_config){.events = {[EVENT_openat] = true}};
	live_call_events(&config, nothing, calls);
	assert_int_equal(calls[102].compat, EVENT_NONE);
}
#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nothing_wanted),
	cmocka_unit_test(test_system_calls),
	cmocka_unit_test(test_timeouts),
	cmocka_unit_test(test_calls_of_other_machines),
	cmocka_unit_test(test_tracepoints_need_no_dispatch),
	cmocka_unit_test(test_exec),
	cmocka_unit_test(test_successes),
	cmocka_unit_test(test_generic),
	cmocka_unit_test(test_generic_without_numbers),
	cmocka_unit_test(test_own_event_goes_first),
	cmocka_unit_test(test_rejected),
	cmocka_unit_test(test_rejected_parts),
	cmocka_unit_test(test_enter_times),
	cmocka_unit_test(test_thread_times),
	cmocka_unit_test(test_uring),
	cmocka_unit_test(test_uring_hooks),
	cmocka_unit_test(test_sockets),
	cmocka_unit_test(test_opens),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_sends),
	cmocka_unit_test(test_entry_notes),
#ifdef __x86_64__
	cmocka_unit_test(test_compat),
	cmocka_unit_test(test_compat_generic),
	cmocka_unit_test(test_multiplexed),
#endif
};

UNIT_GROUP(tests);
