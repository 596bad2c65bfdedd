/* SPDX-License-Identifier: MIT */
/* The process that loads: what it keeps, how its end is noticed, and how it ends with the agent. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/process/loader.h"
#include "in_child.h"
#include "patience.h"
#include "privileges/calls.h"
#include "privileges/privileges.h"
#include "unit.h"

static const uint64_t second_ns = 1000000000;

/* The value of a line of /proc/PID/status; "" if there is none. */
static const char *status_of(pid_t pid, const char *name)
{
	static char line[256];
	char path[64];
	size_t len = strlen(name);
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, len) != 0)
			continue;
		fclose(file);
		line[strcspn(line, "\n")] = '\0';
		return line + len + strspn(line + len, ":\t ");
	}
	if (file)
		fclose(file);
	return "";
}

/* The first answer shows that it has entered its role. */
static int open_ring(struct loader *loader)
{
	struct live_loader *client = &loader->client.loader;
	int fd = client->ops->open_ring(client, 0, 1 << 16, false, NULL);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int try_life(void *context)
{
	struct privileges_needs needs = {.reloads = true};
	struct error err = {""};
	struct loader loader;
	pid_t pid;

	privileges_set(PRIVILEGES_DROP, &needs);
	EXPECT(loader_start(&loader, &err) == 0);
	EXPECT(privileges_enter(ROLE_EVENTS, NULL, &err) == 0);
	pid = loader.pid;
	EXPECT(open_ring(&loader) == 0);
	EXPECT(strcmp(status_of(pid, "Name"), "agent-loader") == 0);
	EXPECT(strcmp(status_of(pid, "NoNewPrivs"), "1") == 0);
	EXPECT(!calls_can_be_limited() || strcmp(status_of(pid, "Seccomp"), "2") == 0);
	/* For the agent, not for it. */
	EXPECT(kill(pid, SIGTERM) == 0 && kill(pid, SIGINT) == 0 && kill(pid, SIGHUP) == 0);
	EXPECT(open_ring(&loader) == 0);
	EXPECT(loader_runs(&loader, second_ns));
	loader_finish(&loader);
	EXPECT(loader.pid == 0);
	EXPECT(kill(pid, 0) == -1 && errno == ESRCH);
	return 0;
}

static void test_life(void **state)
{
	if (geteuid())
		skip();
	in_child(try_life, NULL);
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static int try_end(void *context)
{
	struct error err = {""};
	struct loader loader;
	uint64_t now_ns = second_ns;
	pid_t pid;

	EXPECT(loader_start(&loader, &err) == 0);
	EXPECT(loader_runs(&loader, now_ns));
	EXPECT(kill(loader.pid, SIGKILL) == 0);
	for (int ms = 0; ms < PATIENCE_MS && !loader.ended; ms += 20) {
		sleep_ms(20);
		EXPECT(loader_runs(&loader, now_ns + second_ns - 1)); /* not yet looked */
		now_ns += second_ns;
		loader_runs(&loader, now_ns);
	}
	EXPECT(loader.ended && !loader_runs(&loader, now_ns));
	EXPECT(open_ring(&loader) == -EPIPE);
	/* No other process can get the number, whose events are left out. */
	pid = loader.pid;
	EXPECT(kill(pid, 0) == 0);
	loader_finish(&loader);
	EXPECT(kill(pid, 0) && errno == ESRCH);
	return 0;
}

static void test_its_end_is_noticed(void **state)
{
	in_child(try_end, NULL);
}

/* It does not outlive the agent, however that ends; and it holds none of its descriptors. */
static int try_orphan(void *context)
{
	int ends[2];
	char byte;
	pid_t agent;

	EXPECT(pipe(ends) == 0);
	agent = fork();
	if (agent == 0) {
		struct error err = {""};
		struct loader loader;

		close(ends[0]);
		_exit(loader_start(&loader, &err) ||
		      write(ends[1], &loader.pid, sizeof(pid_t)) < 0);
	}
	close(ends[1]);
	EXPECT(waitpid(agent, NULL, 0) == agent);
	EXPECT(read(ends[0], &agent, sizeof(agent)) == sizeof(agent));
	alarm(PATIENCE_MS / 1000);
	EXPECT(read(ends[0], &byte, 1) == 0);
	EXPECT(waited_until(kill(agent, 0) == -1 || status_of(agent, "State")[0] == 'Z'));
	return 0;
}

static void test_it_ends_with_the_agent(void **state)
{
	in_child(try_orphan, NULL);
}

static void test_none(void **state)
{
	struct loader none = {0};

	loader_finish(&none);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_life),
	cmocka_unit_test(test_its_end_is_noticed),
	cmocka_unit_test(test_it_ends_with_the_agent),
	cmocka_unit_test(test_none),
};

UNIT_GROUP(tests);
