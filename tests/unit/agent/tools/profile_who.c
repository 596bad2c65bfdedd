/* SPDX-License-Identifier: MIT */
/* Whose stacks a profile has: which fields a filter may have, and what it says of this process. */
#include "agent/tools/profile_who.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

static struct host host;

static int open_who(const char *filter, const char *container, struct profile_who **who,
		    struct error *err)
{
	static const struct options options;
	const struct profile_who_config config = {&options, &host, filter, container};

	return profile_who_open(&config, who, err);
}

static const char *missing(void)
{
	struct error err = {""};

	return host_open(&host, NULL, &err) == 0 ? NULL : "/proc of the machine";
}

static void takes_fields_of_processes(void **state)
{
	static const char *const filters[] = {
		"proc.name=a",
		"thread.tid=3",
		"user.name=root",
		"user.uid!=0",
		"container.id=abc",
		"k8s.ns.name in (a, b)",
		"proc.aname=sshd",
		"not proc.pid=1",
		"container.label[app]=web",
		"thread.ismain=true",
		"thread.cgroups contains a",
		"group.gid=0",
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		struct error err = {""};
		struct profile_who *who;

		if (open_who(filters[i], NULL, &who, &err))
			fail_msg("%s: %s", filters[i], err.text);
		profile_who_close(who);
	}
	profile_who_close(NULL);
}

static void rejects_other_fields(void **state)
{
	static const struct {
		const char *filter, *message;
	} rows[] = {
		{"evt.type=open", "evt.type is not known of samples"},
		{"proc.name=a or fd.name=b", "fd.name is not known of samples"},
		{"proc.fdopencount>1", "proc.fdopencount is not known"},
		{"thread.cpu>1", "thread.cpu is not known"},
		{"thread.cap_effective exists", "thread.cap_effective is not known"},
		{"proc.nosuch=1", "proc.nosuch"},
		{"proc.name", "the filter: line 1, column 10"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct error err = {""};
		struct profile_who *who;

		assert_int_equal(open_who(rows[i].filter, NULL, &who, &err), -EINVAL);
		if (!strstr(err.text, rows[i].message))
			fail_msg("%s: %s", rows[i].filter, err.text);
	}
}

/* When it began, and where its stack does. */
static void read_start(struct stack_process *process)
{
	unsigned long long ticks = 0, stack = 0;
	int field = 3;
	FILE *file = fopen("/proc/self/stat", "re");
	char text[2048];

	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	/* Behind the name the state is the third one. */
	for (char *at = strtok(strrchr(text, ')') + 1, " "); at; at = strtok(NULL, " "), field++) {
		if (field == 22)
			ticks = strtoull(at, NULL, 10);
		if (field == 28)
			stack = strtoull(at, NULL, 10);
	}
	assert_true(ticks && stack);
	process->start_ns = ticks * TICK_NS;
	process->start_stack = stack;
}

/* This process, whose thread `tid` is called `comm`. */
static struct stack_process self(void)
{
	struct stack_process process = {.pid = getpid(),
					.ns_pid = getpid(),
					.start_ns = 5,
					.was_read = true,
					.root_fd = -1};
	FILE *file = fopen("/proc/self/comm", "re");

	read_start(&process);
	assert_non_null(file);
	assert_non_null(fgets(process.comm, sizeof(process.comm), file));
	process.comm[strcspn(process.comm, "\n")] = '\0';
	fclose(file);
	return process;
}

/* How many of three rows are left: of the main thread, and of two others. -1: of none, at once. */
static int decide(const char *filter, const struct stack_process *process)
{
	struct stack_process described = *process;
	struct stack_row row = {.times = 1, .value = 1};
	struct error err = {""};
	struct profile_who *who;
	struct stacks stacks;
	int left = -1;

	if (open_who(filter, NULL, &who, &err))
		fail_msg("%s: %s", filter, err.text);
	assert_int_equal(stacks_init(&stacks), 0);
	if (profile_who_describe(who, &described)) {
		described.container_id = NULL;
		assert_int_equal(stacks_add_process(&stacks, &described, &row.process), 0);
		for (int i = 0; i < 3; i++) {
			row.tid = process->pid + i;
			snprintf(row.comm, sizeof(row.comm), "%s", i ? "other" : process->comm);
			assert_int_equal(stacks_add_row(&stacks, &row), 0);
		}
		assert_int_equal(profile_who_decide(who, &stacks), 0);
		left = (int)stacks.rows_count;
	}
	profile_who_print_lacks(who);
	profile_who_close(who);
	stacks_finish(&stacks);
	return left;
}

static void expect(int left, const struct stack_process *process, const char *form, ...)
{
	char filter[256];
	va_list args;

	va_start(args, form);
	vsnprintf(filter, sizeof(filter), form, args);
	va_end(args);
	if (decide(filter, process) != left)
		fail_msg("%s", filter);
}

static void decides_by_process_and_thread(void **state)
{
	const struct stack_process process = self();

	expect(3, &process, "proc.pid=%d", getpid());
	expect(-1, &process, "proc.pid!=%d", getpid());
	expect(-1, &process, "user.uid=4711");
	expect(3, &process, "user.uid=%d", (int)geteuid());
	expect(3, &process, "proc.ppid=%d", (int)getppid());
	expect(1, &process, "proc.name=%s", process.comm);
	expect(2, &process, "proc.name=other");
	expect(1, &process, "thread.tid=%d", getpid() + 1);
	expect(2, &process, "thread.ismain=false");
	expect(2, &process, "proc.pid=%d and proc.name=other", getpid());
	expect(0, &process, "proc.name=nobody");
	/* No container is called so: no thread can pass. */
	expect(-1, &process, "container.id=nosuch and proc.name=other");
	expect(3, &process, "not container.id=nosuch");
}

/* Of a process that has ended no more is known than the kernel told. */
static void decides_by_what_is_left(void **state)
{
	struct stack_process process = {.pid = 1 << 22, .uid = 77, .comm = "gone", .root_fd = -1};

	expect(3, &process, "user.uid=77");
	expect(-1, &process, "user.uid=78");
	expect(1, &process, "proc.name=gone");
	expect(-1, &process, "proc.exe=gone");
	expect(-1, &process, "proc.exe!=gone");
	/* It has another name since it was seen. */
	process = self();
	snprintf(process.comm, sizeof(process.comm), "before");
	expect(3, &process, "proc.exepath exists");
	expect(1, &process, "proc.name=before");
	/* It executes something else. */
	process.start_stack += 16;
	expect(-1, &process, "proc.exepath exists");
	expect(1, &process, "proc.name=before");
	/* That has the same name. */
	process = self();
	process.start_stack += 16;
	expect(-1, &process, "proc.exepath exists");
	/* It was seen while it was executed: its stack had no place yet. */
	process.start_stack = 0;
	expect(3, &process, "proc.exepath exists");
	snprintf(process.comm, sizeof(process.comm), "before");
	expect(-1, &process, "proc.exepath exists");
}

static void takes_containers_by_id(void **state)
{
	struct stack_process process = self();
	struct error err = {""};
	struct profile_who *who;

	assert_int_equal(open_who(NULL, "nosuch", &who, &err), 0);
	assert_false(profile_who_describe(who, &process));
	profile_who_close(who);
	assert_int_equal(open_who(NULL, NULL, &who, &err), 0);
	assert_true(profile_who_describe(who, &process));
	profile_who_close(who);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(takes_fields_of_processes),	 cmocka_unit_test(rejects_other_fields),
	cmocka_unit_test(decides_by_process_and_thread), cmocka_unit_test(decides_by_what_is_left),
	cmocka_unit_test(takes_containers_by_id),
};

UNIT_GROUP(tests, .missing = missing);
