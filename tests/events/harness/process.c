/* SPDX-License-Identifier: MIT */
/* What /proc says of a process, and its comparison with clone and exec events. */
#include "harness/process.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/live.h"

/* The parameters in common stand at the same places in all these events. */
#define SAME_PLACE(event, param)                                                                   \
	_Static_assert((int)event##__##param == (int)clone__##param, #event " " #param)
#define SAME_PROCESS(event)                                                                        \
	SAME_PLACE(event, exe);                                                                    \
	SAME_PLACE(event, tid);                                                                    \
	SAME_PLACE(event, fdlimit);                                                                \
	SAME_PLACE(event, vm_size);                                                                \
	SAME_PLACE(event, cgroups)
#define SAME_CLONE(event)                                                                          \
	SAME_PROCESS(event);                                                                       \
	SAME_PLACE(event, flags);                                                                  \
	SAME_PLACE(event, pidns_init_start_ts)

SAME_CLONE(clone3);
SAME_CLONE(fork);
SAME_CLONE(vfork);
SAME_PROCESS(execve);
SAME_PROCESS(execveat);

enum {
	TICKS_PER_SECOND = 100,
	STAT_TTY = 4, /* fields of stat, counted from the parent's id */
	STAT_FAULTS_MINOR = 7,
	STAT_FAULTS_MAJOR = 9,
	STAT_START = 19,
	STAT_START_STACK = 25,
	STAT_FIELDS,
};

__attribute__((format(printf, 3, 4))) static size_t read_file(char *text, size_t room,
							      const char *format, ...)
{
	char path[256];
	size_t len = 0;
	va_list args;
	ssize_t n;
	int fd;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, text + len, room - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	if (fd >= 0)
		close(fd);
	return len;
}

/* Where the value of "Name:" begins; "" when there is none. */
static const char *status_value(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : "";
}

/* The last number of a line: that of the innermost namespace. */
static int64_t last_number(const char *line)
{
	int64_t value = 0;
	char *end;

	for (const char *at = line; *at && *at != '\n'; at = end) {
		int64_t number = strtoll(at, &end, 10);

		if (end == at)
			break;
		value = number;
		if (*end == '\n')
			break;
	}
	return value;
}

static uint32_t second_number(const char *line)
{
	char *end;

	strtoul(line, &end, 10);
	return (uint32_t)strtoul(end, NULL, 10);
}

static void read_status(pid_t pid, pid_t tid, struct process *process)
{
	char status[PROCESS_STRINGS_BYTES];
	size_t len = read_file(status, sizeof(status), "/proc/%d/task/%d/status", pid, tid);

	require(len > 0);
	process->tid = tid;
	process->pid = pid;
	process->ptid = strtoll(status_value(status, "\nPPid:"), NULL, 10);
	process->vtid = last_number(status_value(status, "\nNSpid:"));
	process->vpid = last_number(status_value(status, "\nNStgid:"));
	process->pgid = strtoll(status_value(status, "\nNSpgid:"), NULL, 10);
	process->vpgid = last_number(status_value(status, "\nNSpgid:"));
	process->euid = second_number(status_value(status, "\nUid:"));
	process->egid = second_number(status_value(status, "\nGid:"));
	process->vm_swap_kib = strtoull(status_value(status, "\nVmSwap:"), NULL, 10);
	process->cap_inheritable = strtoull(status_value(status, "\nCapInh:"), NULL, 16);
	process->cap_permitted = strtoull(status_value(status, "\nCapPrm:"), NULL, 16);
	process->cap_effective = strtoull(status_value(status, "\nCapEff:"), NULL, 16);
}

/* Its numbers, from the parent's id on as number 1; returns the state, before them. */
static char read_stat_fields(pid_t pid, pid_t tid, uint64_t fields[STAT_FIELDS])
{
	char stat[1024], *at, state;

	read_file(stat, sizeof(stat), "/proc/%d/task/%d/stat", pid, tid);
	at = strrchr(stat, ')');
	require(at);
	state = at[2];
	at += strlen(") S");
	for (unsigned int i = 1; i < STAT_FIELDS; i++)
		fields[i] = strtoull(at, &at, 10);
	return state;
}

static void read_stat(pid_t pid, pid_t tid, struct process *process)
{
	uint64_t fields[STAT_FIELDS], of_main[STAT_FIELDS];

	process->state = read_stat_fields(pid, tid, fields);
	process->tty = (uint32_t)fields[STAT_TTY];
	process->faults_minor = fields[STAT_FAULTS_MINOR];
	process->faults_major = fields[STAT_FAULTS_MAJOR];
	process->start_ticks = fields[STAT_START];
	read_stat_fields(pid, pid, of_main);
	process->exec_id = exec_id_of(of_main[STAT_START], of_main[STAT_START_STACK]);
}

static void read_memory(pid_t pid, struct process *process)
{
	uint64_t kib_per_page = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	char statm[256], *end;

	read_file(statm, sizeof(statm), "/proc/%d/statm", pid);
	process->vm_size_kib = strtoull(statm, &end, 10) * kib_per_page;
	process->vm_rss_kib = strtoull(end, NULL, 10) * kib_per_page;
}

/* Whether `word` is one of those that `separators` divide up to the end of the line. */
static bool has_word(const char *line, const char *separators, const char *word)
{
	size_t len = strlen(word);

	while (*line && *line != '\n') {
		size_t n = strcspn(line, separators);

		if (n == len && memcmp(line, word, n) == 0)
			return true;
		line += n;
		if (!*line || *line == '\n' || *line == ':')
			break;
		line++;
	}
	return false;
}

/*
 * The path of a process in the hierarchy of a controller: in one of its own (version 1), or in the
 * common one, whether or not the controller limits its group there. False without it.
 */
static bool cgroup_path(const char *lines, const char *controller, char *path, size_t room)
{
	char controllers[512];

	path[0] = '\0';
	for (const char *line = lines; *line; line += strcspn(line, "\n") + 1) {
		const char *names = strchr(line, ':') + 1, *at = strchr(names, ':') + 1;
		bool is_common = strncmp(line, "0::", 3) == 0;

		if (is_common || has_word(names, ",:", controller))
			snprintf(path, room, "%.*s", (int)strcspn(at, "\n"), at);
		if (path[0] && !is_common)
			return true;
		if (is_common)
			break;
	}
	if (read_file(controllers, sizeof(controllers), "/sys/fs/cgroup/cgroup.controllers") &&
	    has_word(controllers, " \n", controller))
		return true;
	read_file(controllers, sizeof(controllers), "/proc/cgroups");
	return strstr(controllers, controller);
}

/* The innermost components of a path. */
static const char *cgroup_inner(const char *path)
{
	const char *at = path + strlen(path);

	for (unsigned int components = 0; at > path && components < CGROUP_COMPONENTS_MAX;)
		components += *--at == '/';
	return at;
}

static void read_cgroups(pid_t pid, struct process *process)
{
	/* As events name them, and as version 1 does. */
	static const char *const controllers[][2] = {
		{"cpuset", "cpuset"}, {"cpu", "cpu"},	    {"cpuacct", "cpuacct"},
		{"io", "blkio"},      {"memory", "memory"},
	};
	char lines[8192], path[4096];
	size_t at = 0;

	read_file(lines, sizeof(lines), "/proc/%d/cgroup", pid);
	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++) {
		bool known = cgroup_path(lines, controllers[i][1], path, sizeof(path)) ||
			     cgroup_path(lines, controllers[i][0], path, sizeof(path));

		if (known)
			at += 1 + (size_t)snprintf(process->cgroups + at,
						   sizeof(process->cgroups) - at, "%s=%s",
						   controllers[i][0],
						   path[0] ? cgroup_inner(path) : "/");
	}
	process->cgroups_len = at;
}

void process_read(pid_t pid, pid_t tid, struct process *process)
{
	char text[4096];

	memset(process, 0, sizeof(*process));
	read_stat(pid, tid, process);
	read_memory(pid, process);
	read_status(pid, tid, process);
	read_cgroups(pid, process);
	process->cmdline_len =
		read_file(process->cmdline, sizeof(process->cmdline), "/proc/%d/cmdline", pid);
	process->environment_len = read_file(process->environment, sizeof(process->environment),
					     "/proc/%d/environ", pid);
	read_file(text, sizeof(text), "/proc/%d/task/%d/comm", pid, tid);
	snprintf(process->comm, sizeof(process->comm), "%.*s", (int)strcspn(text, "\n"), text);
	read_file(text, sizeof(text), "/proc/%d/limits", pid);
	process->fd_limit = strtoull(status_value(text, "Max open files"), NULL, 10);
	process->loginuid = UINT32_MAX;
	if (read_file(text, sizeof(text), "/proc/%d/loginuid", pid))
		process->loginuid = (uint32_t)strtoul(text, NULL, 10);
}

pid_t process_child(pid_t pid)
{
	char text[64];

	require(read_file(text, sizeof(text), "/proc/%d/task/%d/children", pid, pid) > 0);
	return (pid_t)strtol(text, NULL, 10);
}

void process_expect_args(const struct event *ev, const struct process *process)
{
	size_t exe_len = strlen(process->cmdline) + 1;

	expect_string(ev, clone__exe, process->cmdline);
	expect_bytes(ev, clone__args, process->cmdline + exe_len, process->cmdline_len - exe_len);
}

void process_expect(const struct event *ev, const struct process *before,
		    const struct process *now)
{
	static const struct process nothing;

	if (!before)
		before = &nothing;
	expect_i64(ev, (unsigned int)event_param_find(ev->desc, "exec_id"), (int64_t)now->exec_id);
	expect_i64(ev, clone__tid, now->tid);
	expect_i64(ev, clone__pid, now->pid);
	expect_i64(ev, clone__ptid, now->ptid);
	expect_absent(ev, clone__cwd);
	expect_i64(ev, clone__fdlimit, (int64_t)now->fd_limit);
	expect_range(ev, clone__pgft_maj, (int64_t)before->faults_major,
		     (int64_t)now->faults_major);
	expect_range(ev, clone__pgft_min, (int64_t)before->faults_minor,
		     (int64_t)now->faults_minor);
	expect_range(ev, clone__vm_size,
		     (int64_t)(before == &nothing ? now : before)->vm_size_kib,
		     (int64_t)now->vm_size_kib);
	expect_range(ev, clone__vm_rss, (int64_t)now->vm_rss_kib - RSS_TOLERANCE_KIB,
		     (int64_t)now->vm_rss_kib + RSS_TOLERANCE_KIB);
	expect_i64(ev, clone__vm_swap, (int64_t)now->vm_swap_kib);
	expect_string(ev, clone__comm, now->comm);
	expect_bytes(ev, clone__cgroups, now->cgroups, now->cgroups_len);
}

void process_expect_clone(const struct event *ev, int64_t res, uint32_t flags,
			  const struct process *process)
{
	expect_i64(ev, clone__res, res);
	expect_i64(ev, clone__flags, flags);
	expect_i64(ev, clone__uid, process->euid);
	expect_i64(ev, clone__gid, process->egid);
	expect_i64(ev, clone__vtid, process->vtid);
	expect_i64(ev, clone__vpid, process->vpid);
}

void process_expect_pidns_start(const struct event *ev, const struct process *first)
{
	int64_t tick_ns = 1000000000 / TICKS_PER_SECOND;
	int64_t start_ns = (int64_t)first->start_ticks * tick_ns;

	expect_range(ev, clone__pidns_init_start_ts, start_ns - tick_ns, start_ns + tick_ns);
}
