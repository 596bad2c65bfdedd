/* SPDX-License-Identifier: MIT */
/* A thread that enters its role, and the threads that it creates. */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "in_child.h"
#include "privileges/calls.h"
#include "privileges/capabilities.h"
#include "privileges/privileges.h"
#include "unit.h"

static const struct files_rule none[] = {{0}};
static const struct files_limits nothing = {.rules = none};

static int try_keep(void *context)
{
	const struct privileges_needs needs = {0};
	struct capability_sets before, after;

	EXPECT(capability_sets_read(&before) == 0);
	privileges_set(PRIVILEGES_KEEP, &needs);
	EXPECT(privileges_enter(ROLE_OUTPUT, &nothing, NULL) == 0);
	EXPECT(capability_sets_read(&after) == 0);
	EXPECT(memcmp(&before, &after, sizeof(before)) == 0);
	EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	return 0;
}

static void test_keep(void **state)
{
	in_child(try_keep, NULL);
}

static int expect_sets(uint64_t kept)
{
	struct capability_sets sets;

	EXPECT(capability_sets_read(&sets) == 0);
	EXPECT(sets.effective == kept && sets.permitted == kept);
	EXPECT(sets.inheritable == 0 && sets.ambient == 0);
	EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	EXPECT(!calls_can_be_limited() || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
	return 0;
}

/* Returns a line, as a pointer. */
static void *enter_output(void *context)
{
	long line = privileges_enter(ROLE_OUTPUT, &nothing, NULL) ? __LINE__ : expect_sets(0);

	if (line == 0 && calls_can_be_limited() && socket(AF_INET, SOCK_STREAM, 0) < 0)
		line = __LINE__;
	return (void *)line;
}

static void *enter_processes(void *context)
{
	char target[64], path[64];
	long line = privileges_enter(ROLE_PROCESSES, &nothing, NULL)
			    ? __LINE__
			    : expect_sets(capabilities_for(USED_FOR_PROCESSES));

	/* Not hidden: it has no Landlock, whatever it may write. */
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getppid());
	if (line == 0 && readlink(path, target, sizeof(target)) <= 0)
		line = __LINE__;
	return (void *)line;
}

static int try_drop(void *context)
{
	const struct privileges_needs needs = {.reloads = true};
	struct error err = {""};
	struct capability_sets sets;
	pthread_t threads[2];
	uint64_t kept;
	void *line;

	privileges_set(PRIVILEGES_DROP, &needs);
	EXPECT(privileges_enter(ROLE_EVENTS, NULL, &err) == 0);
	kept = capabilities_for(USED_TO_MAP | USED_TO_READ | USED_FOR_PROCESSES);
	if (expect_sets(kept))
		return expect_sets(kept);
	EXPECT(capability_sets_read(&sets) == 0 && sets.bounding == kept);
	EXPECT(pthread_create(&threads[0], NULL, enter_output, NULL) == 0);
	EXPECT(pthread_create(&threads[1], NULL, enter_processes, NULL) == 0);
	for (int i = 0; i < 2; i++) {
		EXPECT(pthread_join(threads[i], &line) == 0);
		if (line)
			return (int)(long)line;
	}
	return 0;
}

static void test_drop(void **state)
{
	if (geteuid())
		skip();
	in_child(try_drop, NULL);
}

static int try_without_setpcap(void *context)
{
	const struct privileges_needs needs = {0};
	struct capability_sets sets;

	EXPECT(capabilities_limit(CAPABILITY(CAP_SYS_PTRACE)) == 0);
	privileges_set(PRIVILEGES_DROP, &needs);
	EXPECT(privileges_enter(ROLE_CONTROL, &nothing, NULL) == 0);
	EXPECT(capability_sets_read(&sets) == 0);
	EXPECT(sets.effective == 0 && sets.permitted == 0);
	/* It could not be emptied. */
	EXPECT(sets.bounding == CAPABILITY(CAP_SYS_PTRACE));
	return 0;
}

static void test_without_setpcap(void **state)
{
	if (geteuid())
		skip();
	in_child(try_without_setpcap, NULL);
}

static int try_text(void *context)
{
	const struct privileges_needs needs = {.has_command = true};
	char memory[512];
	struct buf text = buf_fixed(memory, sizeof(memory));

	privileges_set(PRIVILEGES_KEEP, &needs);
	privileges_append(&text);
	EXPECT(text.len == 0);
	privileges_set(PRIVILEGES_LOG, &needs);
	privileges_append(&text);
	buf_append_char(&text, '\0');
	EXPECT(strncmp(memory, "agent: privileges: kept are ", 28) == 0);
	EXPECT(strstr(memory, "; KILL: the command may change its user; "));
	EXPECT(strstr(memory, calls_can_be_limited() ? "; other system calls are logged; "
						     : "; system calls are not limited: "));
	EXPECT(memory[strlen(memory) - 1] == '\n');
	return 0;
}

static void test_text(void **state)
{
	in_child(try_text, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_keep),
	cmocka_unit_test(test_drop),
	cmocka_unit_test(test_without_setpcap),
	cmocka_unit_test(test_text),
};

UNIT_GROUP(tests);
