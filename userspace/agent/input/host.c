/* SPDX-License-Identifier: MIT */
/* Finds the root, /proc and namespaces of the machine, and whether the agent is in others. */
#include "agent/input/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/proc/ids.h"
#include "scap/proc/text.h"

/* Of the initial namespace of host names, in include/linux/proc_ns.h. */
#define PROC_UTS_INIT_INO 0xEFFFFFFEU

/* Kubernetes' downward API: the pod names a variable so that has spec.nodeName. */
#define NODE_NAME_VARIABLE "NODE_NAME"

static int host_join(const char *root, const char *path, char joined[PATH_MAX])
{
	int len = snprintf(joined, PATH_MAX, "%s%s", root ? root : "", path);

	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* A folder of a root may exist without anything mounted there. */
static void find_proc(const char *root, char path[PATH_MAX])
{
	if (!root || host_join(root, "/proc/1", path) || eaccess(path, F_OK))
		root = "";
	host_join(root, "/proc", path);
}

/* What helps if ids are not those of events. */
static int other_ids(const char *path, struct error *err)
{
	return error_set(err, -EXDEV,
			 "process ids mean something else in %s than in events: mount the host's "
			 "/proc and name the folder (Kubernetes: a hostPath volume at /host/proc, "
			 "and --host-root /host), or run the agent in the pid namespace of the "
			 "host (podman and docker: --pid=host)",
			 path);
}

static int host_find_self(struct host *host, const char *path, struct error *err)
{
	int r = scap_proc_self(host->proc, &host->self);

	if (r == -ENOENT && strcmp(path, "/proc") == 0)
		return error_set(err, r,
				 "/proc shows no processes; mount it: mount -t proc proc /proc");
	if (r == 0)
		r = scap_proc_check_initial(host->proc);
	if (r == -ENOENT || r == -EXDEV)
		return other_ids(path, err);
	if (r)
		return error_set(err, r, "reading the ids of processes from %s: %s", path,
				 strerror(-r));
	return 0;
}

static bool is_initial_uts(void)
{
	struct stat own;

	return stat("/proc/self/ns/uts", &own) < 0 || own.st_ino == PROC_UTS_INIT_INO;
}

/* The first line of the machine's /etc/hostname. Returns whether there is one. */
static bool read_hostname(struct host *host)
{
	struct buf text = {0};
	char path[PATH_MAX];
	bool found = false;

	if (host_join(host->etc, "/hostname", path) == 0 &&
	    proc_read_file(AT_FDCWD, path, HOST_NAME_BYTES, &text) == 0) {
		size_t len = strcspn(text.data, "\n");

		found = len > 0 && len < HOST_NAME_BYTES;
		if (found)
			snprintf(host->hostname, HOST_NAME_BYTES, "%.*s", (int)len, text.data);
	}
	buf_finish(&text);
	return found;
}

const char *host_node_name(void)
{
	const char *node = getenv(NODE_NAME_VARIABLE);

	return node && *node ? node : NULL;
}

/* In a container the system's own name is the container's. */
static void find_hostname(struct host *host)
{
	const char *node = host->has_root ? host_node_name() : NULL;

	if (node)
		snprintf(host->hostname, HOST_NAME_BYTES, "%s", node);
	else if (!host->has_root || is_initial_uts() || !read_hostname(host))
		gethostname(host->hostname, HOST_NAME_BYTES - 1);
}

/* Whether kernel threads, such as number 2, are in another network than the agent. */
static bool has_other_network(const struct scap_proc *proc)
{
	int dir = scap_proc_dir(proc);
	struct stat own, kernel;

	return fstatat(dir, "self/ns/net", &own, 0) == 0 &&
	       fstatat(dir, "2/ns/net", &kernel, 0) == 0 && own.st_ino != kernel.st_ino;
}

int host_open(struct host *host, const char *root, struct error *err)
{
	char path[PATH_MAX];
	int r;

	*host = (struct host){.has_root = root};
	if (host_join(root, "/etc", host->etc))
		return error_set(err, -ENAMETOOLONG, "--host-root %s: %s", root,
				 strerror(ENAMETOOLONG));
	find_proc(root, path);
	r = scap_proc_open(path, &host->proc, err);
	if (r == 0)
		r = host_find_self(host, path, err);
	if (r)
		return r;
	host->other_network = has_other_network(host->proc);
	find_hostname(host);
	return 0;
}

int host_start_readers(const char *root, struct proc_readers **readers, struct error *err)
{
	char path[PATH_MAX];

	find_proc(root, path);
	return proc_readers_start(path, readers, err);
}

void host_close(struct host *host)
{
	scap_proc_close(host->proc);
	host->proc = NULL;
}

bool host_container_of(const struct host *host, pid_t pid, char text[HOST_CONTAINER_BYTES])
{
	struct state_cgroup_match match;
	const struct buf *groups;
	bool is_in = false;
	char name[16];
	uint32_t owner;
	int folder;

	snprintf(name, sizeof(name), "%d", (int)pid);
	folder = openat(scap_proc_dir(host->proc), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return false;
	if (scap_proc_cgroups(host->proc, folder, &groups) == 0 &&
	    state_cgroup_match(groups->data, groups->len, &match)) {
		is_in = true;
		owner = scap_proc_cgroup_owner(host->proc, match.place, match.place_len);
		if (owner == STATE_OWNER_ROOT)
			snprintf(text, HOST_CONTAINER_BYTES, "%s", match.id);
		else
			snprintf(text, HOST_CONTAINER_BYTES, "%s@%u", match.id, owner);
	}
	close(folder);
	return is_in;
}

bool host_has_process(const char *root, pid_t pid)
{
	char path[PATH_MAX];
	size_t len;

	find_proc(root, path);
	len = strlen(path);
	snprintf(path + len, sizeof(path) - len, "/%d", (int)pid);
	return eaccess(path, F_OK) == 0;
}

void host_append_warnings(const struct host *host, bool records, struct buf *text)
{
	char path[PATH_MAX];

	if (host->has_root && (host_join(host->etc, "/passwd", path) || eaccess(path, R_OK)))
		buf_printf(text,
			   "agent: %s/passwd cannot be read: users and groups of the host have no "
			   "names (mount the host's /etc there)\n",
			   host->etc);
	if (records && host->other_network)
		buf_append_string(
			text, "agent: the file that is written has the addresses of the agent's "
			      "own network, not those of the host\n");
}
