/* SPDX-License-Identifier: MIT */
/* What is captured for which filter, and for which reason. */
#include <string.h>

#include "agent/plan/selection.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/filter.h"
#include "sinsp/state/engine.h"
#include "unit.h"

/* Needs like those of the default output. */
enum { OUTPUT_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FDS | NEEDS_EVENT_PATHS };

static struct selection selection;

static void select_for(const char *text, unsigned int output_needs)
{
	struct filter_options options = {0};
	struct filter *filter = NULL;
	struct filter_error err;

	if (text)
		assert_int_equal(filter_create(text, &options, &filter, &err), 0);
	selection_make(&selection, filter, output_needs, false);
	filter_destroy(filter);
}

static unsigned int count_syscalls(void)
{
	unsigned int count = 0;

	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		count += selection.syscalls[number];
	return count;
}

static unsigned int count_events(unsigned int why)
{
	unsigned int count = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		count += (selection.events[id] & why) != 0;
	return count;
}

static bool is_native(unsigned int id)
{
	return event_desc_is_native(event_desc_get(id));
}

static bool is_shown(unsigned int id)
{
	return event_desc_get(id) && !(event_desc_get(id)->flags & EF_UNSEEN);
}

/* Only what is named by its type: a rule for any event names none. */
static void test_events_of_rules(void **state)
{
	static const char text[] = "proc.name=x or evt.type in (openat, dup)";
	struct filter_options options = {0};
	struct filter *filter;
	struct filter_error err;
	struct selection plain;

	assert_int_equal(filter_create(text, &options, &filter, &err), 0);
	selection_make(&selection, filter, OUTPUT_NEEDS, false);
	plain = selection;
	selection_mark_rules(&selection, filter);
	assert_true(selection.of_rules[EVENT_openat] && selection.of_rules[EVENT_dup]);
	assert_true(selection.events[EVENT_getpid] & WHY_FILTER);
	assert_false(selection.of_rules[EVENT_getpid]);
	assert_false(selection_captures_same(&plain, &selection));
	filter_destroy(filter);
}

static void test_everything(void **state)
{
	select_for(NULL, OUTPUT_NEEDS);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		assert_int_equal(!!(selection.events[id] & WHY_FILTER),
				 desc && is_native(id) &&
					 !(desc->flags & (EF_ON_REQUEST | EF_RECORDED)));
	}
	/* Every number but those with an event of their own. */
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		unsigned int code = syscall_code_of_native(number);

		assert_int_equal(selection.syscalls[number],
				 event_desc_of_syscall(code)->id == EVENT_syscall);
	}
}

/* Calls that are newer than the tables. */
static void test_unknown_calls(void **state)
{
	select_for("evt.type=unknown", 0);
	assert_int_equal(count_events(~0U), 1);
	assert_int_equal(selection.events[EVENT_syscall], WHY_FILTER);
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		assert_int_equal(selection.syscalls[number],
				 syscall_code_of_native(number) == SC_unknown);
}

/* Such an event names no descriptor, so none need be known to print it. */
static void test_generic_call_with_output(void **state)
{
	select_for("evt.type=unknown", OUTPUT_NEEDS);
	assert_int_equal(selection.events[EVENT_clone], WHY_THREADS);
	assert_int_equal(selection.events[EVENT_procexit], WHY_THREADS);
	assert_int_equal(
		count_events(WHY_DESCRIPTORS | WHY_FILES | WHY_CONNECTIONS | WHY_DIRECTORIES), 0);
}

/* The age of a file is known by what made it, and by renames. */
static void test_files_that_are_made(void **state)
{
	select_for("evt.type=unlinkat and fs.path.age < 1s", NEEDS_NOTHING);
	assert_int_equal(selection.events[EVENT_unlinkat], WHY_FILTER | WHY_CREATED);
	assert_true(selection.events[EVENT_openat] & WHY_CREATED);
	assert_true(selection.events[EVENT_renameat2] & WHY_CREATED);
	assert_true(selection.events[EVENT_fchdir] & WHY_DIRECTORIES);
	assert_false(selection_lacks(&selection) & STATE_CREATED);
	select_for("evt.type=unlinkat", NEEDS_EVENT_REAL_PATHS);
	assert_int_equal(count_events(WHY_CREATED), 0);
	assert_int_equal(selection.events[EVENT_renameat2], 0);
}

static void test_open(void **state)
{
	static const uint16_t descriptors[] = {EVENT_close, EVENT_dup,	  EVENT_dup2,	EVENT_dup3,
					       EVENT_fcntl, EVENT_socket, EVENT_accept4};
	static const uint16_t absent[] = {EVENT_connect, EVENT_bind,  EVENT_sendto, EVENT_recvmsg,
					  EVENT_read,	 EVENT_write, EVENT_mkdir,  EVENT_syscall};

	select_for("evt.type=open", OUTPUT_NEEDS);
	assert_int_equal(count_events(WHY_FILTER), is_native(EVENT_open) ? 3 : 2);
	assert_true(selection.events[EVENT_openat] & WHY_FILTER);
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++)
		assert_int_equal(selection.events[descriptors[i]],
				 is_native(descriptors[i]) ? WHY_DESCRIPTORS : 0);
	assert_int_equal(selection.events[EVENT_pipe2], WHY_FILES);
	assert_int_equal(selection.events[EVENT_chdir], WHY_DIRECTORIES);
	assert_int_equal(selection.events[EVENT_fchdir], WHY_DIRECTORIES);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		assert_int_equal(selection.events[absent[i]], 0);
	assert_int_equal(count_syscalls(), 0);
}

/* What an event says of its own descriptor needs no other event. */
static void test_own_descriptor(void **state)
{
	static const char *const described[] = {"evt.type in (open, creat)",
						"evt.type in (socket, pipe2, epoll_create1)"};

	for (size_t i = 0; i < sizeof(described) / sizeof(described[0]); i++) {
		select_for(described[i], NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_REAL_PATHS);
		assert_int_equal(selection.output_parts, WHY_THREADS);
		assert_int_equal(selection.events[EVENT_close], 0);
		assert_int_equal(selection_lacks(&selection),
				 STATE_DESCRIPTORS | STATE_FILES | STATE_CONNECTIONS |
					 STATE_DIRECTORIES | STATE_ENVIRONMENTS | STATE_CREATED);
	}
	select_for("evt.type in (open, read)", NEEDS_EVENT_FD);
	assert_true(selection.events[EVENT_close] & WHY_DESCRIPTORS);
	assert_int_equal(selection_lacks(&selection), STATE_ENVIRONMENTS | STATE_CREATED);
	/* Its directory may be a descriptor; and a copy is of an earlier one. */
	select_for("evt.type=openat", NEEDS_EVENT_FDS);
	assert_true(selection.events[EVENT_close] & WHY_DESCRIPTORS);
	select_for("evt.type=dup", NEEDS_EVENT_FD);
	assert_true(selection.events[EVENT_close] & WHY_DESCRIPTORS);
	select_for("evt.type=pidfd_getfd", NEEDS_EVENT_FD);
	assert_true(selection.events[EVENT_close] & WHY_DESCRIPTORS);
	/* If the call fails, the directory that its name starts from. */
	select_for("evt.type in (open, creat)", NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_PATHS);
	assert_int_equal(selection.output_parts, WHY_THREADS);
	assert_int_equal(selection.events[EVENT_chdir], 0);
	select_for("evt.type=mkdir", NEEDS_EVENT_PATHS);
	assert_true(selection.events[EVENT_chdir] & WHY_DIRECTORIES);
	/* The kernel reports the path of what was opened, not of what was created. */
	select_for("evt.type=mkdir", NEEDS_EVENT_REAL_PATHS);
	assert_true(selection.events[EVENT_chdir] & WHY_DIRECTORIES);
	selection_make(&selection, NULL, NEEDS_NOTHING, true);
	assert_int_equal(selection_lacks(&selection), 0);
}

/* A field needs its state only for the events that it is evaluated for. */
static void test_needs_by_type(void **state)
{
	select_for("evt.type=open or (evt.type=getppid and proc.name=x)", 0);
	assert_int_equal(selection.filter_parts, WHY_THREADS);
	select_for("evt.type=read or (evt.type=open and fd.type=file)", 0);
	assert_int_equal(selection.filter_parts, WHY_THREADS);
	assert_int_equal(selection.events[EVENT_close], 0);
	select_for("evt.type=open or (evt.type=read and fd.name contains x)", 0);
	assert_true(selection.filter_parts & WHY_DESCRIPTORS);
	select_for("(evt.type=open or evt.type=read) and fd.name contains x", 0);
	assert_true(selection.filter_parts & WHY_DESCRIPTORS);
}

/* Paths alone: descriptors only because a directory may be entered through one. */
static void test_paths(void **state)
{
	select_for("evt.type=rename", NEEDS_EVENT_PATHS);
	assert_int_equal(selection.events[EVENT_chdir], WHY_DIRECTORIES);
	assert_true(selection.events[EVENT_openat] & WHY_FILES);
	assert_int_equal(count_events(WHY_CONNECTIONS), 0);
	select_for("evt.type=execve", NEEDS_EVENT_FDS);
	assert_int_equal(count_events(WHY_DESCRIPTORS | WHY_DIRECTORIES), 0);
}

/* A read may be from a socket: what that is connected to is part of fd.name. */
static void test_read(void **state)
{
	select_for("evt.type=read", OUTPUT_NEEDS);
	assert_int_equal(selection.events[EVENT_read], WHY_FILTER);
	assert_int_equal(selection.events[EVENT_connect], WHY_CONNECTIONS);
	assert_int_equal(selection.events[EVENT_recvmsg], WHY_CONNECTIONS);
	assert_true(selection.events[EVENT_close] & WHY_DESCRIPTORS);
}

static void check_enter_times(const char *filter, unsigned int output_needs, bool for_filter,
			      bool for_output)
{
	select_for(filter, output_needs);
	assert_int_equal(selection.filter_enter_times, for_filter);
	assert_int_equal(selection.output_enter_times, for_output);
}

static void test_enter_times(void **state)
{
	check_enter_times(NULL, OUTPUT_NEEDS, false, false);
	check_enter_times("evt.type=open and evt.rawtime>1", OUTPUT_NEEDS, false, false);
	check_enter_times("evt.type=open and evt.latency>1", OUTPUT_NEEDS, true, false);
	check_enter_times("evt.type=open", OUTPUT_NEEDS | NEEDS_ENTER_TIME, false, true);
	check_enter_times("evt.wait_latency>1", NEEDS_ENTER_TIME, true, true);
	/* What is not a call takes no time. */
	check_enter_times("evt.type=procexit and evt.latency>1", NEEDS_ENTER_TIME, false, false);
	/* No state is kept for it. */
	select_for("evt.type=getppid and evt.latency.human=5us", 0);
	assert_int_equal(selection.filter_parts, 0);
}

static unsigned int entry_needs(const char *filter, unsigned int output_needs)
{
	select_for(filter, output_needs);
	return selection.entry_needs;
}

static void test_entry_needs(void **state)
{
	struct selection before;

	assert_int_equal(entry_needs("evt.type=open", 0), 0);
	before = selection;
	assert_int_equal(entry_needs("evt.type=open", NEEDS_ARGUMENTS), NEEDS_ARGUMENTS);
	assert_false(selection_captures_same(&before, &selection));
	assert_int_equal(entry_needs("evt.type=open and evt.arg.name_at_enter exists", 0),
			 NEEDS_ARGUMENTS | NEEDS_CHANGED);
	assert_int_equal(entry_needs("evt.type=procexit", NEEDS_VALUES), 0);
}

/* An exec is captured for nearly all fields: what its environment is for few of them. */
static void test_environments(void **state)
{
	static const struct {
		const char *filter;
		unsigned int output_needs;
		bool wanted;
	} cases[] = {
		{"evt.type=open", OUTPUT_NEEDS, false},
		{"evt.type=open", OUTPUT_NEEDS | NEEDS_EVENT_ENVIRONMENT, false},
		{"evt.type=open", OUTPUT_NEEDS | NEEDS_ENVIRONMENT, true},
		{"evt.type=open and proc.env[A]=b", 0, true},
		{"evt.type=execve", OUTPUT_NEEDS, false},
		{"evt.type=execve", NEEDS_EVENT_ENVIRONMENT, true},
		{"evt.type=execve and evt.arg.env contains A", 0, true},
		{"evt.type=execve and evt.arg.args contains A", 0, false},
		{"proc.name=x", NEEDS_EVENT_ENVIRONMENT, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		select_for(cases[i].filter, cases[i].output_needs);
		if (selection_has_environments(&selection) != cases[i].wanted)
			fail_msg("%s", cases[i].filter);
	}
	selection_make(&selection, NULL, 0, true);
	assert_true(selection_has_environments(&selection));
	assert_int_equal(selection_lacks(&selection), 0);
}

/* A reload that adds such a field has other programs, and reads what processes have. */
static void test_environments_are_added(void **state)
{
	struct selection before;

	select_for("evt.type=execve", 0);
	before = selection;
	select_for("evt.type=execve and evt.arg.env contains A", 0);
	assert_false(selection_captures_same(&before, &selection));
	assert_true(selection_lacks(&selection) & STATE_ENVIRONMENTS);
	select_for("evt.type=execve and proc.env[A]=b", 0);
	assert_false(selection_captures_same(&before, &selection));
	assert_true(selection_adds_parts(&before, &selection));
	assert_false(selection_lacks(&selection) & STATE_ENVIRONMENTS);
}

static void test_needs_of_the_filter(void **state)
{
	select_for("evt.type=getppid and proc.name=x", 0);
	assert_int_equal(selection.filter_parts, WHY_THREADS);
	assert_int_equal(selection.output_parts, 0);
	select_for("evt.type=getppid and proc.cwd startswith /", 0);
	assert_true(selection.filter_parts & WHY_DIRECTORIES);
	assert_true(selection.events[EVENT_fchdir] & WHY_DIRECTORIES);
	select_for("evt.num > 5", 0);
	assert_int_equal(selection.filter_parts, 0);
	assert_int_equal(count_events(~0U), count_events(WHY_FILTER));
}

/* Fields about all descriptors of a process need them whatever the event is about. */
/* Fields that only some events can have; without a value no check is true, but its opposite is. */
static void test_fields_of_some_events(void **state)
{
	select_for("fdlist.names contains x", 0);
	assert_int_equal(count_events(WHY_FILTER), is_native(EVENT_poll) + is_native(EVENT_ppoll));
	assert_true(selection.events[EVENT_connect] & WHY_CONNECTIONS);
	select_for("fs.path.target exists", 0);
	assert_int_equal(selection.events[EVENT_renameat2], WHY_FILTER);
	assert_false(selection.events[EVENT_openat] & WHY_FILTER);
	select_for("fd.name contains /etc", 0);
	assert_true(selection.events[EVENT_read] & WHY_FILTER);
	assert_true(selection.events[EVENT_dup] & WHY_FILTER);
	assert_int_equal(selection.events[EVENT_chdir] & WHY_FILTER, 0);
	assert_int_equal(count_syscalls(), 0);
	select_for("syslog.severity<3", 0);
	assert_true(selection.events[EVENT_sendto] & WHY_FILTER);
	assert_false(selection.events[EVENT_recvfrom] & WHY_FILTER);
	select_for("evt.io_dir=read", 0);
	assert_true(selection.events[EVENT_read] & WHY_FILTER);
	assert_false(selection.events[EVENT_sendto] & WHY_FILTER);
	select_for("evt.wait_latency>1s", 0);
	assert_int_equal(selection.events[EVENT_ppoll], WHY_FILTER);
	assert_int_equal(selection.events[EVENT_read], 0);
	select_for("not fd.name contains /etc", 0);
	assert_true(selection.events[EVENT_chdir] & WHY_FILTER);
	assert_true(count_syscalls() > 0);
}

static void test_all_descriptors(void **state)
{
	select_for("evt.type=getppid", NEEDS_FDS);
	assert_true(selection.events[EVENT_close] & WHY_DESCRIPTORS);
	assert_true(selection.events[EVENT_connect] & WHY_CONNECTIONS);
	assert_int_equal(selection.events[EVENT_clone], WHY_THREADS);
}

/* What makes or closes descriptors is in the table, what else changes them in the engine. */
static void test_all_that_changes_descriptors(void **state)
{
	static const uint16_t others[] = {EVENT_fcntl, EVENT_close_range, EVENT_unshare};

	select_for("evt.type=getppid", NEEDS_FDS);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc && (desc->flags & (EF_CREATES_FD | EF_DESTROYS_FD)) &&
		    !(desc->flags & EF_RECORDED))
			assert_true(selection.events[id] & (WHY_DESCRIPTORS | WHY_FILES));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_true(selection.events[others[i]] & WHY_DESCRIPTORS);
	/* What changes a descriptor that is open, or leads to a directory, keeps something. */
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc && (desc->flags & EF_USES_FD) && (desc->flags & EF_MODIFIES_STATE) &&
		    !(desc->flags & EF_RECORDED) && !state_event_keeps(id))
			fail_msg("%s keeps nothing", desc->name);
	}
	/* Of a process, but nothing that it is made of. */
	assert_int_equal(selection.events[EVENT_pidfd_open], WHY_FILES);
	assert_int_equal(selection.events[EVENT_capset], WHY_THREADS);
	assert_int_equal(selection.events[EVENT_ptrace], 0);
}

static void test_nothing_can_match(void **state)
{
	static const struct {
		const char *text;
		bool is_empty, lacks_calls;
	} cases[] = {
		{NULL, false, false},
		{"evt.type=open and evt.type=close", true, true},
		{"evt.type=open and evt.dir=>", true, true},
		/* The generic event is of the call that it stands for. */
		{"evt.type=syscall", true, true},
		{"evt.dir=>", false, true},
		{"evt.type=procexit", false, true},
		{"evt.dir=> or evt.type=getppid", false, false},
		{"evt.num=1 and evt.num=2", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* What the output needs is captured, but does not match. */
		select_for(cases[i].text, OUTPUT_NEEDS);
		assert_int_equal(selection_is_empty(&selection), cases[i].is_empty);
		assert_int_equal(selection_lacks_calls(&selection), cases[i].lacks_calls);
	}
}

/* Frequent events are captured for filters that name them, and for no others. */
static void test_on_request(void **state)
{
	static const struct {
		const char *text;
		bool asked;
	} cases[] = {
		{NULL, false},
		{"evt.type=switch", true},
		{"evt.type in (open, switch) and proc.name=x", true},
		{"evt.type=open or (evt.num=1 and evt.type=switch)", true},
		{"not evt.type!=switch", true},
		{"not (not evt.type=switch)", true},
		{"evt.type startswith switch", true},
		{"evt.type.is.switch=1", true},
		{"evt.arg.next=5", true},
		{"evt.arg.next=5 or evt.type=open", false},
		{"evt.family=kernel", true},
		/* Only switches have it, or change it. */
		{"thread.exectime>1000", true},
		{"thread.exectime>1000 or evt.type=open", true},
		{"thread.totexectime>1000 and proc.name=x", true},
		{"thread.totexectime>1000 and evt.type=open", false},
		{"proc.name=x", false},
		{"evt.family!=net", false},
		{"not evt.family in (net, file)", false},
		{"evt.type!=open", false},
		{"not evt.type=open", false},
		{"not evt.type=switch", false},
		{"evt.type=switch and evt.type=open", false},
		{"evt.type exists", false},
		{"evt.dir=>", false},
		{"evt.dir!=<", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		select_for(cases[i].text, 0);
		if (!!(selection.events[EVENT_switch] & WHY_FILTER) != cases[i].asked)
			fail_msg("'%s'", cases[i].text);
	}
}

static void test_names(void **state)
{
	for (unsigned int why = 1; why < WHY_END; why <<= 1)
		assert_non_null(selection_why_name(why));
	assert_string_equal(selection_why_name(WHY_DIRECTORIES), "directories");
	assert_null(selection_why_name(WHY_END));
}

/* Each expression of a filter selects what it needs, also what it has to name. */
static void test_group(void **state)
{
	static const char *const texts[] = {"evt.type = openat", "evt.arg.next exists",
					    "evt.type = dup3", "evt.type != switch"};
	enum { ITEMS = sizeof(texts) / sizeof(texts[0]) };
	struct filter_group_item items[ITEMS];
	struct arena arena = {0};
	struct filter *filter;

	for (size_t i = 0; i < ITEMS; i++) {
		struct filter_node *root;

		assert_int_equal(filter_parse(texts[i], &arena, &root, NULL), 0);
		items[i] = (struct filter_group_item){root, texts[i]};
	}
	assert_int_equal(filter_group_create(items, 3, NULL, &filter, NULL, NULL), 0);
	selection_make(&selection, filter, 0, false);
	assert_int_equal(count_events(WHY_FILTER), 3);
	assert_true(selection.events[EVENT_openat] & WHY_FILTER);
	assert_true(selection.events[EVENT_switch] & WHY_FILTER);
	assert_true(selection.events[EVENT_dup3] & WHY_FILTER);
	filter_destroy(filter);
	assert_int_equal(filter_group_create(items + 3, 1, NULL, &filter, NULL, NULL), 0);
	selection_make(&selection, filter, 0, false);
	assert_false(selection.events[EVENT_switch] & WHY_FILTER);
	assert_true(selection.events[EVENT_syscall] & WHY_FILTER);
	filter_destroy(filter);
	arena_finish(&arena);
}

/* Only switches report how long threads run, whatever the current event is. */
static void test_switches(void **state)
{
	select_for("thread.exectime > 5", 0);
	assert_int_equal(count_events(WHY_FILTER), 1);
	assert_int_equal(selection.events[EVENT_switch], WHY_FILTER | WHY_SWITCHES);
	select_for("evt.type=open", NEEDS_SWITCHES);
	assert_int_equal(selection.events[EVENT_switch], WHY_SWITCHES);
	assert_int_equal(selection.output_parts & WHY_SWITCHES, WHY_SWITCHES);
	select_for("evt.type=open", OUTPUT_NEEDS);
	assert_int_equal(selection.events[EVENT_switch], 0);
}

/* Moves between control groups are followed only for fields that depend on them. */
static void test_containers(void **state)
{
	select_for("container.id=web and evt.type=open", 0);
	assert_int_equal(selection.events[EVENT_cgroup_attach], WHY_CONTAINERS);
	assert_int_equal(selection.filter_parts, WHY_CONTAINERS | WHY_THREADS);
	assert_int_equal(selection.events[EVENT_clone], WHY_THREADS);
	select_for("evt.type=open", NEEDS_CONTAINERS);
	assert_int_equal(selection.events[EVENT_cgroup_attach], WHY_CONTAINERS);
	select_for("evt.type=open and k8s.pod.name=web", 0);
	assert_int_equal(selection.events[EVENT_cgroup_attach], WHY_CONTAINERS);
	select_for("evt.type=open and proc.name=web", OUTPUT_NEEDS);
	assert_int_equal(selection.events[EVENT_cgroup_attach], 0);
}

static void select_recorded(const char *text)
{
	struct filter_options options = {0};
	struct filter *filter = NULL;
	struct filter_error err;

	if (text)
		assert_int_equal(filter_create(text, &options, &filter, &err), 0);
	selection_make_recorded(&selection, filter);
	filter_destroy(filter);
}

/* Files have events that no kernel here makes, and those that need not be asked for any more. */
static void test_recorded(void **state)
{
	select_recorded(NULL);
	assert_true(selection.events[EVENT_switch] & selection.events[EVENT_page_fault] &
		    WHY_FILTER);
	assert_true(selection.events[EVENT_open] & WHY_FILTER);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		assert_int_equal(selection.events[id], is_shown(id) ? WHY_FILTER : 0);
	select_recorded("evt.type=open or evt.type=switch");
	/* Three kinds of open, the generic one of each, and the switch; not what is never shown. */
	assert_int_equal(count_events(~0U), 5);
	select_recorded("evt.type=switch");
	assert_int_equal(count_events(~0U), 1);
	/* A call that has an event of its own by now was a generic one. */
	select_recorded("evt.type=timer_create");
	assert_true(selection.events[EVENT_syscall] & WHY_FILTER);
	select_recorded("evt.type=open and evt.type=close");
	assert_true(selection_is_empty(&selection));
}

/* They are made of what is transferred, and only if a filter names them. */
static void test_requests(void **state)
{
	select_for("evt.type=request", OUTPUT_NEEDS);
	assert_true(selection_has_requests(&selection));
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id) && is_native(id) &&
		    !(event_desc_get(id)->flags & EF_RECORDED))
			assert_int_equal((selection.events[id] & WHY_REQUESTS) != 0,
					 selection_is_of_streams(id) && id != EVENT_tls_data);
	selection_want_plaintext(&selection);
	assert_int_equal(selection.events[EVENT_tls_data], WHY_REQUESTS);
	assert_true(selection_is_of_streams(EVENT_read));
	assert_false(selection_is_of_streams(EVENT_openat));
	assert_int_equal(selection.events[EVENT_write], WHY_REQUESTS);
	assert_true(selection.events[EVENT_connect] & WHY_CONNECTIONS);
	/* Sockets are all that matters, and transfers of those alone. */
	select_for("evt.type=request", NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_EVENT_FDS);
	assert_int_equal(count_events(WHY_FILES), 0);
	assert_int_equal(selection_lacks(&selection),
			 STATE_FILES | STATE_DIRECTORIES | STATE_ENVIRONMENTS | STATE_CREATED);
	assert_int_equal(selection.events[EVENT_pread], 0);
	assert_int_equal(selection.events[EVENT_close], WHY_DESCRIPTORS);
	assert_true(selection_is_of_streams_only(&selection, EVENT_recvfrom));
	assert_true(selection_is_of_streams_only(&selection, EVENT_preadv2));
	assert_true(selection_is_of_streams_only(&selection, EVENT_close));
	assert_false(selection_is_of_streams_only(&selection, EVENT_dup2));
	/* A call that the filter names is captured of all descriptors. */
	select_for("evt.type in (request, read, sendto)", NEEDS_THREADS | NEEDS_EVENT_FD);
	assert_false(selection_is_of_streams_only(&selection, EVENT_recvfrom));
	assert_true(selection.events[EVENT_openat] & WHY_FILES);
	assert_false(selection_is_of_streams_only(&selection, EVENT_close));
	select_for("evt.type in (request, close)", NEEDS_THREADS | NEEDS_EVENT_FD);
	assert_false(selection_is_of_streams_only(&selection, EVENT_close));
	/* Whoever counts descriptors needs those of files. */
	select_for("evt.type=request", NEEDS_THREADS | NEEDS_EVENT_FD | NEEDS_FDS);
	assert_false(selection_is_of_streams_only(&selection, EVENT_close));
	select_for("request.status > 400", OUTPUT_NEEDS);
	assert_true(selection_has_requests(&selection));
	select_for("evt.type=read", OUTPUT_NEEDS);
	assert_false(selection_has_requests(&selection));
	select_for(NULL, OUTPUT_NEEDS);
	assert_false(selection_has_requests(&selection));
}

/* They are made whatever the filter is, but are no events for it. */
static void test_wanted_requests(void **state)
{
	select_for("evt.type=mkdir", 0);
	selection_want_requests(&selection, false);
	assert_true(selection_has_requests(&selection));
	assert_int_equal(selection.events[EVENT_request], 0);
	assert_int_equal(selection.events[EVENT_write], WHY_REQUESTS);
	assert_true(selection.events[EVENT_mkdir] & WHY_FILTER);
	assert_true(selection.events[EVENT_connect] & WHY_CONNECTIONS);
	assert_true(selection.events[EVENT_cgroup_attach] & WHY_CONTAINERS);
	select_recorded("evt.type=mkdir");
	selection_want_requests(&selection, true);
	assert_true(selection_has_requests(&selection));
	assert_int_equal(selection.events[EVENT_write], 0);
}

static void test_wanted_sockets(void **state)
{
	select_for("evt.type=mkdir", 0);
	assert_false(selection_has_sockets(&selection));
	selection_want_sockets(&selection, false);
	assert_false(selection_has_requests(&selection));
	assert_true(selection_has_sockets(&selection));
	assert_int_equal(selection.events[EVENT_tcp_close], WHY_METRICS);
	assert_int_equal(selection.events[EVENT_skb_drop], WHY_METRICS);
	assert_int_equal(selection.events[EVENT_tcp_state], 0);
	assert_int_equal(selection.events[EVENT_tcp_sample], 0);
	assert_true(selection.events[EVENT_cgroup_attach] & WHY_CONTAINERS);
	assert_string_equal(selection_why_name(WHY_METRICS), "metrics");
	selection_want_sockets(&selection, true);
	assert_int_equal(selection.events[EVENT_tcp_sample], WHY_METRICS);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_requests),
	cmocka_unit_test(test_wanted_requests),
	cmocka_unit_test(test_wanted_sockets),
	cmocka_unit_test(test_events_of_rules),
	cmocka_unit_test(test_everything),
	cmocka_unit_test(test_unknown_calls),
	cmocka_unit_test(test_generic_call_with_output),
	cmocka_unit_test(test_open),
	cmocka_unit_test(test_own_descriptor),
	cmocka_unit_test(test_files_that_are_made),
	cmocka_unit_test(test_needs_by_type),
	cmocka_unit_test(test_paths),
	cmocka_unit_test(test_read),
	cmocka_unit_test(test_enter_times),
	cmocka_unit_test(test_environments),
	cmocka_unit_test(test_environments_are_added),
	cmocka_unit_test(test_entry_needs),
	cmocka_unit_test(test_needs_of_the_filter),
	cmocka_unit_test(test_fields_of_some_events),
	cmocka_unit_test(test_all_descriptors),
	cmocka_unit_test(test_all_that_changes_descriptors),
	cmocka_unit_test(test_nothing_can_match),
	cmocka_unit_test(test_on_request),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_group),
	cmocka_unit_test(test_switches),
	cmocka_unit_test(test_containers),
	cmocka_unit_test(test_recorded),
};

UNIT_GROUP(tests);
