/* SPDX-License-Identifier: MIT */
/*
 * The group is made in the hierarchy of version 2 if that works: there a frozen process can still
 * be killed. Else in that of the freezer of version 1.
 */
#include "agent/process/freezer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "privileges/privileges.h"

enum {
	LINE_BYTES = 2 * PATH_MAX,
	CHILDREN_DEPTH = 16, /* generations of children that are looked for */
	THAWS = 10, /* after the agent's end: its programs may stop a process until they are gone */
	THAW_MS = 50,
	REMOVALS = 200, /* how often the group is tried to be removed */
	REMOVAL_MS = 2,
};

/* Whether a list with commas has a word. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

/* A line of mountinfo: gets the root and the folder if it is the hierarchy. */
static bool read_mount(char *line, bool is_v2, char root[PATH_MAX], char folder[PATH_MAX])
{
	char *rest = strstr(line, " - "), type[32], options[1024];

	if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", root, folder) != 2 ||
	    sscanf(rest, " - %31s %*s %1023s", type, options) != 2)
		return false;
	return is_v2 ? strcmp(type, "cgroup2") == 0
		     : strcmp(type, "cgroup") == 0 && has_word(options, "freezer");
}

/* A line of /proc/PID/cgroup: the path if it is of the hierarchy, or NULL. */
static const char *read_group(char *line, bool is_v2)
{
	char *controllers = strchr(line, ':'), *path;

	if (!controllers)
		return NULL;
	controllers++;
	path = strchr(controllers, ':');
	if (!path)
		return NULL;
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	return (is_v2 ? !*controllers : has_word(controllers, "freezer")) ? path : NULL;
}

static int find_group(const char *groups, bool is_v2, char path[PATH_MAX])
{
	FILE *file = fopen(groups, "re");
	char line[LINE_BYTES];
	const char *found = NULL;

	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file))
		found = read_group(line, is_v2);
	fclose(file);
	if (!found || strstr(found, "/.."))
		return -ENOENT;
	snprintf(path, PATH_MAX, "%s", found);
	return 0;
}

/* The part of a path below a root, or NULL. */
static const char *below(const char *path, const char *root)
{
	size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

	return strncmp(path, root, len) == 0 && (path[len] == '/' || !path[len]) ? path + len
										 : NULL;
}

int freezer_find(const struct freezer_place *place, bool is_v2, char folder[PATH_MAX])
{
	char line[LINE_BYTES], root[PATH_MAX], mounted[PATH_MAX], path[PATH_MAX];
	int r = find_group(place->groups, is_v2, path), n = 0;
	FILE *file = r ? NULL : fopen(place->mounts, "re");
	const char *rest = NULL;

	if (!file)
		return -ENOENT;
	while (!rest && fgets(line, sizeof(line), file))
		if (read_mount(line, is_v2, root, mounted))
			rest = below(path, root);
	fclose(file);
	if (!rest)
		return -ENOENT;
	if (strcmp(rest, "/") == 0)
		rest = "";
	n = snprintf(folder, PATH_MAX, "%s%s", mounted, rest);
	return n < PATH_MAX ? 0 : -ENOENT;
}

/* Returns 0 or -errno. */
static int write_text(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX + 32];
	int fd, r;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static const char *state_name(bool is_v2)
{
	return is_v2 ? "cgroup.freeze" : "freezer.state";
}

static const char *state_text(bool is_v2, bool frozen)
{
	if (is_v2)
		return frozen ? "1" : "0";
	return frozen ? "FROZEN" : "THAWED";
}

/* Makes the group below that of the process, and moves it there. */
static bool make_group(struct freezer *freezer, pid_t pid, bool is_v2)
{
	char groups[64], above[PATH_MAX], number[16], path[PATH_MAX + 32];
	const struct freezer_place place = {"/proc/self/mountinfo", groups};

	snprintf(groups, sizeof(groups), "/proc/%d/cgroup", (int)pid);
	snprintf(number, sizeof(number), "%d", (int)pid);
	if (freezer_find(&place, is_v2, above) ||
	    snprintf(freezer->folder, PATH_MAX, "%s/lanner-command-%d", above, (int)pid) >=
		    PATH_MAX ||
	    mkdir(freezer->folder, 0755))
		return false;
	snprintf(path, sizeof(path), "%s/%s", freezer->folder, state_name(is_v2));
	freezer->state = open(path, O_WRONLY | O_CLOEXEC);
	freezer->is_v2 = is_v2;
	if (freezer->state >= 0 && write_text(freezer->folder, "cgroup.procs", number) == 0)
		return true;
	if (freezer->state >= 0)
		close(freezer->state);
	freezer->state = -1;
	rmdir(freezer->folder);
	return false;
}

bool freezer_set(struct freezer *freezer, bool frozen)
{
	const char *text = state_text(freezer->is_v2, frozen);

	if (freezer->frozen == frozen)
		return true;
	if (freezer->state < 0 || write(freezer->state, text, strlen(text)) < 0)
		return false;
	freezer->frozen = frozen;
	return true;
}

/* The helper. */

/* Continues a process, and its children as far as /proc lists them. */
static void continue_family(pid_t pid, int depth)
{
	char path[64];
	FILE *file;
	int child;

	kill(pid, SIGCONT);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = depth ? fopen(path, "re") : NULL;
	if (!file)
		return;
	while (fscanf(file, "%d", &child) == 1)
		continue_family(child, depth - 1);
	fclose(file);
}

/* What is done with each process of the group. */
static void visit_group(const struct freezer *freezer, void (*visit)(const char *above, pid_t pid))
{
	char path[PATH_MAX + 32], above[PATH_MAX];
	FILE *file;
	int pid;

	snprintf(above, sizeof(above), "%s", freezer->folder);
	*strrchr(above, '/') = '\0';
	snprintf(path, sizeof(path), "%s/cgroup.procs", freezer->folder);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%d", &pid) == 1)
		visit(above, pid);
	fclose(file);
}

static void visit_to_continue(const char *above, pid_t pid)
{
	kill(pid, SIGCONT);
}

static void visit_to_move(const char *above, pid_t pid)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	write_text(above, "cgroup.procs", number);
}

/* What was stopped by the programs of an agent that was killed. */
static void continue_all(const struct freezer *freezer, const pid_t *pids, size_t count)
{
	if (freezer->folder[0])
		visit_group(freezer, visit_to_continue);
	else
		for (size_t i = 0; i < count; i++)
			continue_family(pids[i], CHILDREN_DEPTH);
}

static void remove_group(const struct freezer *freezer)
{
	const struct timespec wait = {.tv_nsec = REMOVAL_MS * 1000000L};

	if (!freezer->folder[0])
		return;
	/* A process may fork while others are moved; one that ends is not listed, but in the way.
	 */
	for (int i = 0; i < REMOVALS && rmdir(freezer->folder) && errno == EBUSY; i++) {
		visit_group(freezer, visit_to_move);
		nanosleep(&wait, NULL);
	}
}

void freezer_release(struct freezer *freezer, const pid_t *pids, size_t count, bool ended_well)
{
	const struct timespec wait = {.tv_nsec = THAW_MS * 1000000L};

	for (int i = 0; i < (ended_well ? 1 : THAWS); i++) {
		/* Whoever froze it may be another process. */
		freezer->frozen = true;
		freezer_set(freezer, false);
		if (ended_well)
			break;
		continue_all(freezer, pids, count);
		nanosleep(&wait, NULL);
	}
	remove_group(freezer);
}

/* Waits for the end of the agent: a byte before it says that nothing is stopped. */
static int help(struct freezer *freezer, const pid_t *pids, size_t count, int alive)
{
	const int kept[] = {alive, freezer->state};
	char byte;
	bool ended_well;

	if (privileges_begin_helper("agent-freezer", kept, freezer->state < 0 ? 1 : 2))
		return EXIT_FAILURE;
	if (freezer->state >= 0)
		freezer->state = HELPER_FD + 1;
	ended_well = read(HELPER_FD, &byte, 1) == 1;
	freezer_release(freezer, pids, count, ended_well);
	return EXIT_SUCCESS;
}

int freezer_begin(struct freezer *freezer, const pid_t *pids, size_t count, bool own_group)
{
	int ends[2], r = 0;

	*freezer = (struct freezer){.state = -1, .alive = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	if (own_group && !make_group(freezer, pids[0], true) &&
	    !make_group(freezer, pids[0], false))
		freezer->folder[0] = '\0';
	freezer->helper = fork();
	if (freezer->helper == 0)
		_exit(help(freezer, pids, count, ends[1]));
	close(ends[1]);
	if (freezer->helper < 0) {
		r = -errno;
		freezer->helper = 0;
		close(ends[0]);
		remove_group(freezer);
		if (freezer->state >= 0)
			close(freezer->state);
		freezer->state = -1;
		return r;
	}
	freezer->alive = ends[0];
	return 0;
}

void freezer_end(struct freezer *freezer)
{
	if (!freezer->helper)
		return;
	freezer_set(freezer, false);
	(void)send(freezer->alive, "", 1, MSG_NOSIGNAL);
	close(freezer->alive);
	while (waitpid(freezer->helper, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (freezer->state >= 0)
		close(freezer->state);
	*freezer = (struct freezer){.state = -1, .alive = -1};
}
