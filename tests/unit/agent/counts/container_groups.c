/* SPDX-License-Identifier: MIT */
/* Groups of containers, in folders that look like a hierarchy of control groups. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/counts/container_groups.h"
#include "tree.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define UID "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"
#define SECOND UINT64_C(1000000000)

enum { SEEN_MAX = 8 };

struct seen {
	struct tree tree;
	struct container_groups *groups;
	char ids[SEEN_MAX][16], uids[SEEN_MAX][40];
	uint64_t inos[SEEN_MAX];
	uint32_t owners[SEEN_MAX];
	bool again[SEEN_MAX];
	size_t came, went;
	uint64_t gone;
	bool refuses;
};

static bool note_came(void *context, int folder, const struct container_group *group)
{
	struct seen *seen = context;
	struct stat status;

	assert_int_equal(fstat(folder, &status), 0);
	assert_int_equal(status.st_ino, group->ino);
	assert_non_null(strstr(group->path, group->match->id));
	assert_in_range(seen->came, 0, SEEN_MAX - 1);
	snprintf(seen->ids[seen->came], 16, "%.8s", group->match->id);
	snprintf(seen->uids[seen->came], 40, "%s", group->match->pod_uid);
	seen->inos[seen->came] = group->ino;
	seen->owners[seen->came] = group->owner;
	seen->again[seen->came++] = group->is_again;
	return !seen->refuses;
}

static void note_went(void *context, uint64_t ino)
{
	struct seen *seen = context;

	seen->went++;
	seen->gone = ino;
}

static void begin(struct seen *seen, const char *hierarchy)
{
	const struct container_groups_listener listener = {seen, note_came, note_went};
	struct error err = {""};
	char name[128];

	*seen = (struct seen){.came = 0};
	tree_create(&seen->tree);
	assert_int_equal(container_groups_open(seen->tree.path, &listener, &seen->groups, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "no hierarchy of control groups"));
	snprintf(name, sizeof(name), "%s/cgroup.procs", hierarchy);
	tree_write(&seen->tree, name, "1\n");
	assert_int_equal(container_groups_open(seen->tree.path, &listener, &seen->groups, &err), 0);
	assert_non_null(strstr(container_groups_root(seen->groups), hierarchy));
}

static void end(struct seen *seen)
{
	container_groups_close(seen->groups);
	tree_destroy(&seen->tree);
}

static void make(const struct seen *seen, const char *name)
{
	char path[TREE_PATH_BYTES];

	tree_path(&seen->tree, name, path);
	assert_int_equal(mkdir(path, 0755), 0);
}

static bool has_news(const struct seen *seen)
{
	struct pollfd news = {container_groups_fd(seen->groups), POLLIN, 0};

	return poll(&news, 1, 0) == 1;
}

/* Those that have tasks, each once; what is below them is theirs. */
static void finds_those_that_are_there(void **state)
{
	struct seen seen;

	begin(&seen, "sys/fs/cgroup");
	tree_write(&seen.tree, "sys/fs/cgroup/system.slice/docker-" ID ".scope/cgroup.events",
		   "populated 1\nfrozen 0\n");
	tree_write(&seen.tree,
		   "sys/fs/cgroup/system.slice/docker-" ID ".scope/init.scope/cgroup.procs", "7\n");
	tree_write(&seen.tree, "sys/fs/cgroup/docker/" OTHER "/cgroup.events", "populated 0\n");
	tree_write(&seen.tree, "sys/fs/cgroup/user.slice/cgroup.procs", "8\n");
	container_groups_step(seen.groups, SECOND);
	assert_int_equal(seen.came, 1);
	assert_string_equal(seen.ids[0], "01234567");
	assert_string_equal(seen.uids[0], "");
	assert_int_equal(seen.owners[0], getuid());
	/* The other one gets tasks: it is found when all are looked at. */
	tree_write(&seen.tree, "sys/fs/cgroup/docker/" OTHER "/cgroup.events", "populated 1\n");
	container_groups_step(seen.groups, 2 * SECOND);
	assert_int_equal(seen.came, 1);
	container_groups_step(seen.groups, 7 * SECOND);
	assert_int_equal(seen.came, 2);
	assert_string_equal(seen.ids[1], "fedcba98");
	assert_int_equal(container_groups_unwatched(seen.groups), 0);
	end(&seen);
}

/* Of version 1 tasks may be further down; and the hierarchy of the controller comes first. */
static void looks_below_in_version_1(void **state)
{
	struct seen seen;

	begin(&seen, "sys/fs/cgroup/perf_event");
	tree_write(&seen.tree, "sys/fs/cgroup/perf_event/docker/" ID "/cgroup.procs", "");
	tree_write(&seen.tree, "sys/fs/cgroup/perf_event/docker/" ID "/a/b/cgroup.procs", "9\n");
	tree_write(&seen.tree, "sys/fs/cgroup/perf_event/docker/" OTHER "/cgroup.procs", "");
	container_groups_step(seen.groups, SECOND);
	assert_int_equal(seen.came, 1);
	assert_string_equal(seen.ids[0], "01234567");
	end(&seen);
}

/* A new one is there before it has tasks, also in a folder that is as new as it. */
static void hears_of_new_ones(void **state)
{
	struct seen seen;
	char path[TREE_PATH_BYTES];

	begin(&seen, "sys/fs/cgroup");
	container_groups_step(seen.groups, SECOND);
	assert_false(has_news(&seen));
	make(&seen, "sys/fs/cgroup/kubepods");
	assert_true(has_news(&seen));
	container_groups_step(seen.groups, SECOND);
	make(&seen, "sys/fs/cgroup/kubepods/pod" UID);
	make(&seen, "sys/fs/cgroup/kubepods/pod" UID "/" ID);
	container_groups_step(seen.groups, SECOND);
	assert_int_equal(seen.came, 1);
	assert_string_equal(seen.uids[0], UID);
	container_groups_step(seen.groups, SECOND);
	assert_int_equal(seen.came, 1);
	tree_path(&seen.tree, "sys/fs/cgroup/kubepods/pod" UID "/" ID, path);
	assert_int_equal(rmdir(path), 0);
	container_groups_step(seen.groups, SECOND);
	assert_int_equal(seen.went, 1);
	assert_int_equal(seen.gone, seen.inos[0]);
	end(&seen);
}

/* One that is removed and made again is another one; one that was not taken is offered again. */
static void tells_one_from_another(void **state)
{
	struct seen seen;
	char path[TREE_PATH_BYTES];

	begin(&seen, "sys/fs/cgroup");
	make(&seen, "sys/fs/cgroup/docker");
	container_groups_step(seen.groups, SECOND);
	seen.refuses = true;
	make(&seen, "sys/fs/cgroup/docker/" ID);
	container_groups_step(seen.groups, SECOND);
	tree_write(&seen.tree, "sys/fs/cgroup/docker/" ID "/cgroup.procs", "3\n");
	seen.refuses = false;
	container_groups_step(seen.groups, 7 * SECOND);
	assert_int_equal(seen.came, 2);
	assert_false(seen.again[0]);
	assert_true(seen.again[1]);
	tree_path(&seen.tree, "sys/fs/cgroup/docker/" ID "/cgroup.procs", path);
	assert_int_equal(unlink(path), 0);
	tree_path(&seen.tree, "sys/fs/cgroup/docker/" ID, path);
	assert_int_equal(rmdir(path), 0);
	/* Another folder, so that the number of the first one is not its. */
	make(&seen, "sys/fs/cgroup/docker/other");
	make(&seen, "sys/fs/cgroup/docker/" ID);
	container_groups_step(seen.groups, 8 * SECOND);
	assert_int_equal(seen.came, 3);
	assert_int_equal(seen.went, 1);
	end(&seen);
}

/* In a folder where a user can make groups, those of containers are the user's. */
static void knows_who_can_make_them(void **state)
{
	struct seen seen;
	char path[TREE_PATH_BYTES];

	if (getuid())
		skip();
	begin(&seen, "sys/fs/cgroup");
	make(&seen, "sys/fs/cgroup/user.slice");
	tree_path(&seen.tree, "sys/fs/cgroup/user.slice", path);
	assert_int_equal(chown(path, 1000, 1000), 0);
	make(&seen, "sys/fs/cgroup/user.slice/libpod-" ID ".scope");
	tree_write(&seen.tree, "sys/fs/cgroup/user.slice/libpod-" ID ".scope/cgroup.procs", "3\n");
	container_groups_step(seen.groups, SECOND);
	assert_int_equal(seen.came, 1);
	assert_int_equal(seen.owners[0], 1000);
	end(&seen);
}

static size_t count_watches(const struct container_groups *groups)
{
	char path[64], line[512];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", container_groups_fd(groups));
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		n += strncmp(line, "inotify wd:", 11) == 0;
	fclose(file);
	return n;
}

/* Of a user's groups there are no more watches than folders: 4096, and the root. */
static void has_a_limit_for_users(void **state)
{
	enum { OF_USERS = 4096, MORE = 5 };
	struct seen seen;
	char name[64], path[TREE_PATH_BYTES];

	if (getuid())
		skip();
	begin(&seen, "sys/fs/cgroup");
	make(&seen, "sys/fs/cgroup/user.slice");
	tree_path(&seen.tree, "sys/fs/cgroup/user.slice", path);
	assert_int_equal(chown(path, 1000, 1000), 0);
	for (int i = 0; i < OF_USERS + MORE; i++) {
		snprintf(name, sizeof(name), "sys/fs/cgroup/user.slice/%d", i);
		make(&seen, name);
	}
	container_groups_step(seen.groups, SECOND);
	/* That of the user itself is one of them. */
	assert_int_equal(container_groups_unwatched(seen.groups), MORE + 1);
	assert_int_equal(count_watches(seen.groups), OF_USERS + 1);
	end(&seen);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(has_a_limit_for_users),    cmocka_unit_test(finds_those_that_are_there),
	cmocka_unit_test(looks_below_in_version_1), cmocka_unit_test(hears_of_new_ones),
	cmocka_unit_test(tells_one_from_another),   cmocka_unit_test(knows_who_can_make_them),
};

UNIT_GROUP(tests);
