/* SPDX-License-Identifier: MIT */
/* cgroup_attach: processes and threads that are moved to another control group, in either version.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "harness/fixture.h"
#include "harness/gate.h"
#include "harness/live.h"

/* The hierarchy of the cpu controller, in which the test moves tasks. */
struct hierarchy {
	const char *root; /* where it is mounted */
	bool is_common; /* of version 2 */
	int64_t subsystems;
};

struct place {
	char directory[128]; /* of the group */
	const char *path; /* of it in the hierarchy */
};

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static const struct {
	const char *controller, *controller_v2; /* as the versions call it; NULL: not there */
	int64_t bit;
} subsystems[] = {
	{"cpuset", "cpuset", cgroup_subsystems__cpuset}, {"cpu", "cpu", cgroup_subsystems__cpu},
	{"cpuacct", NULL, cgroup_subsystems__cpuacct},	 {"blkio", "io", cgroup_subsystems__io},
	{"memory", "memory", cgroup_subsystems__memory},
};

/* Whether a line of /proc/self/cgroup lists a controller. */
static bool lists(const char *line, const char *controller)
{
	const char *at = strchr(line, ':') + 1;

	while (*at && *at != ':') {
		size_t n = strcspn(at, ",:");

		if (n == strlen(controller) && memcmp(at, controller, n) == 0)
			return true;
		at += n + (at[n] == ',');
	}
	return false;
}

/* Whether the kernel has a controller. It lists in /proc only those that version 1 can have. */
static bool has(size_t index)
{
	const char *name = subsystems[index].controller_v2;
	char text[4096];

	if (read_text("/proc/cgroups", text, sizeof(text)) &&
	    strstr(text, subsystems[index].controller))
		return true;
	return name && read_text("/sys/fs/cgroup/cgroup.controllers", text, sizeof(text)) &&
	       strstr(text, name);
}

/* The subsystems whose tasks move together with those of the cpu controller. */
static int64_t find_subsystems(bool is_common)
{
	char groups[8192];
	int64_t listed = 0, of_cpu = 0, all = 0;

	require(read_text("/proc/self/cgroup", groups, sizeof(groups)));
	for (size_t i = 0; i < sizeof(subsystems) / sizeof(subsystems[0]); i++) {
		if (has(i))
			all |= subsystems[i].bit;
		for (const char *line = groups; *line; line += strcspn(line, "\n") + 1) {
			if (!lists(line, subsystems[i].controller))
				continue;
			listed |= subsystems[i].bit;
			if (lists(line, "cpu"))
				of_cpu |= subsystems[i].bit;
		}
	}
	return is_common ? all & ~listed : of_cpu;
}

static struct hierarchy find_hierarchy(void)
{
	struct hierarchy found = {.root = "/sys/fs/cgroup/cpu"};

	if (access("/sys/fs/cgroup/cpu/cgroup.procs", W_OK)) {
		found.root = "/sys/fs/cgroup";
		found.is_common = true;
	}
	found.subsystems = find_subsystems(found.is_common);
	return found;
}

static void make_place(const struct hierarchy *hierarchy, struct place *place)
{
	snprintf(place->directory, sizeof(place->directory), "%s/lanner-%d", hierarchy->root,
		 getpid());
	place->path = place->directory + strlen(hierarchy->root);
	require(mkdir(place->directory, 0755) == 0);
}

/* Writes an id to a file of a group. */
static long move(const char *directory, const char *file, pid_t id)
{
	char path[256], text[16];
	int fd, len = snprintf(text, sizeof(text), "%d", id);
	long written;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	require(fd >= 0);
	written = CALL(SYS_write, fd, text, len);
	close(fd);
	return written == len ? 0 : written;
}

static void expect_move(pid_t tid, pid_t pid, bool threadgroup, int64_t subsystems_moved,
			const char *path)
{
	expect_params(live_next(EVENT_cgroup_attach), NUMBER(tid), NUMBER(pid), NUMBER(threadgroup),
		      NUMBER(subsystems_moved), TEXT(path));
}

static int wait_there(void *arg)
{
	gate_wait(arg);
	return 0;
}

/* It moves itself, as whole process and as thread, and ends at the root. */
static int move_self(void *arg)
{
	const struct place *place = arg;
	char root[128];

	snprintf(root, sizeof(root), "%.*s", (int)(place->path - place->directory),
		 place->directory);
	return move(place->directory, "cgroup.procs", 0) || move(root, "tasks", 0);
}

/* Only version 1 moves a single thread anywhere. */
static void check_thread(const struct hierarchy *hierarchy, struct place *place)
{
	pid_t child = fixture_child(move_self, place);

	require(fixture_wait(child) == 0);
	expect_params(live_next_of(EVENT_cgroup_attach, child), NUMBER(child), NUMBER(child),
		      NUMBER(1), NUMBER(hierarchy->subsystems), TEXT(place->path));
	expect_params(live_next_of(EVENT_cgroup_attach, child), NUMBER(child), NUMBER(child),
		      NUMBER(0), NUMBER(hierarchy->subsystems), TEXT("/"));
}

LIVE_TEST(cgroup_attach)
{
	struct hierarchy hierarchy = find_hierarchy();
	struct place place;
	struct gate gate;
	pid_t child;

	require(hierarchy.subsystems & cgroup_subsystems__cpu);
	make_place(&hierarchy, &place);
	gate_init(&gate);
	child = fixture_child(wait_there, &gate);
	gate_expect(&gate, 1);
	live_skip();
	require(move(place.directory, "cgroup.procs", child) == 0);
	expect_move(child, child, true, hierarchy.subsystems, place.path);
	/* A move that fails is none. */
	expect_true(move(place.directory, "cgroup.procs", 0x7ffffff0) < 0);
	expect_no_event(EVENT_cgroup_attach, getpid());
	gate_open(&gate, 1);
	require(fixture_wait(child) == 0);
	if (!hierarchy.is_common)
		check_thread(&hierarchy, &place);
	gate_finish(&gate);
	expect_true(rmdir(place.directory) == 0);
}
