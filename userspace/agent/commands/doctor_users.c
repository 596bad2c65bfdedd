/* SPDX-License-Identifier: MIT */
/* Who else has perf events open, or traces processes, whose breakpoints take the same registers. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/commands/doctor.h"

enum {
	USERS_SHOWN = 8,
	DESCRIPTORS_MAX = 65536, /* of a process that are looked at */
	NAME_BYTES = 17,
};

struct user {
	int pid;
	unsigned int events; /* open descriptors of them; */
	int tracer; /* or who traces it; 0: nobody */
	char name[NAME_BYTES];
};

struct users {
	struct user events[USERS_SHOWN], traced[USERS_SHOWN]; /* the first ones */
	unsigned int events_count, traced_count, unreadable;
};

/* Returns -errno if they cannot be read. */
static int count_events(int process)
{
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0, looked = 0;
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char target[64];
	ssize_t len;

	if (!list) {
		int error = -errno;

		if (fd >= 0)
			close(fd);
		return error;
	}
	while (looked++ < DESCRIPTORS_MAX && (entry = readdir(list))) {
		len = readlinkat(fd, entry->d_name, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		n += strcmp(target, "anon_inode:[perf_event]") == 0;
	}
	closedir(list);
	return n;
}

/* The value of a line of its status, "Name:\tVALUE"; "" if there is none. */
static void read_status(int process, const char *key, char *value, size_t size)
{
	char text[DOCTOR_TEXT_BYTES];
	int fd = openat(process, "status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *line;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, key);
	line = line ? line + strlen(key) : "";
	line += strspn(line, "\t ");
	snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static void users_add(struct user list[USERS_SHOWN], unsigned int *count, const struct user *user)
{
	if (*count < USERS_SHOWN)
		list[*count] = *user;
	(*count)++;
}

/* One that ends meanwhile is none. */
static void look_at_process(int proc, const char *number, struct users *users)
{
	int process = openat(proc, number, O_PATH | O_DIRECTORY | O_CLOEXEC), events;
	struct user user = {.pid = (int)strtol(number, NULL, 10)};
	char tracer[16];

	if (process < 0)
		return;
	events = count_events(process);
	read_status(process, "Name:", user.name, sizeof(user.name));
	read_status(process, "TracerPid:", tracer, sizeof(tracer));
	close(process);
	user.tracer = (int)strtol(tracer, NULL, 10);
	users->unreadable += events == -EACCES || events == -EPERM;
	user.events = events > 0 ? (unsigned int)events : 0;
	if (user.events)
		users_add(users->events, &users->events_count, &user);
	if (user.tracer)
		users_add(users->traced, &users->traced_count, &user);
}

static int look_at_processes(const char *path, struct users *users)
{
	DIR *list = opendir(path);
	struct dirent *entry;

	if (!list)
		return -errno;
	while ((entry = readdir(list)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    strtol(entry->d_name, NULL, 10) != getpid())
			look_at_process(dirfd(list), entry->d_name, users);
	closedir(list);
	return 0;
}

static void append_more(unsigned int count, struct buf *found)
{
	if (count > USERS_SHOWN)
		buf_printf(found, " and %u more", count - USERS_SHOWN);
}

static void append_users(const struct users *users, struct buf *found)
{
	for (unsigned int i = 0; i < users->events_count && i < USERS_SHOWN; i++)
		buf_printf(found, "%s%s (%d) %u", i ? ", " : "perf events: ", users->events[i].name,
			   users->events[i].pid, users->events[i].events);
	append_more(users->events_count, found);
	for (unsigned int i = 0; i < users->traced_count && i < USERS_SHOWN; i++)
		buf_printf(found, "%s%s (%d) by %d",
			   i			 ? ", "
			   : users->events_count ? "; traced: "
						 : "traced: ",
			   users->traced[i].name, users->traced[i].pid, users->traced[i].tracer);
	append_more(users->traced_count, found);
	if (!users->events_count && !users->traced_count)
		BUF_LITERAL(found, "no other process");
	if (users->unreadable)
		buf_printf(found, "; %u processes cannot be looked at", users->unreadable);
}

enum doctor_status doctor_perf_users(const struct doctor *doctor, struct buf *found)
{
	struct users users = {.events_count = 0};
	const char *host = doctor->options->host_root ? doctor->options->host_root : "";
	char path[4096];
	long number;
	int r;

	snprintf(path, sizeof(path), "%s%s/proc", doctor->root, host);
	r = look_at_processes(path, &users);
	if (r) {
		doctor_append_failure("/proc", r, found);
		return DOCTOR_LIMITED;
	}
	append_users(&users, found);
	if (doctor_read_number(doctor, "/proc/sys/kernel/nmi_watchdog", &number) == 0 && number)
		BUF_LITERAL(found, "; the kernel's NMI watchdog has a counter of each CPU");
	return users.unreadable ? DOCTOR_LIMITED : DOCTOR_OK;
}
