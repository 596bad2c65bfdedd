/* SPDX-License-Identifier: MIT */
/*
 * Runs a command and records the events of its process and of all its descendants:
 *
 *   record FILE COMMAND ARGUMENT...
 *
 * With the scenario beside it: tests/golden/record.sh
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/event.h"
#include "recording.h"
#include "scap/live/live.h"
#include "util/buf.h"

enum { TASKS_MAX = 256, WAIT_MS = 20, RING_BYTES = 16 << 20, SNAPLEN = 80 };

/* The tasks of the command. */
struct tasks {
	int64_t ids[TASKS_MAX];
	size_t count;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "record: %s: %s\n", what, why);
	exit(1);
}

static bool tasks_has(const struct tasks *tasks, int64_t tid)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->ids[i] == tid)
			return true;
	return false;
}

static void tasks_add(struct tasks *tasks, int64_t tid)
{
	if (tasks_has(tasks, tid))
		return;
	if (tasks->count == TASKS_MAX)
		fail("too many tasks", "256 at most");
	tasks->ids[tasks->count++] = tid;
}

static struct scap_live *open_live(void)
{
	static struct scap_live_config config = {
		.ring_bytes = RING_BYTES, .snaplen = SNAPLEN, .entry_notes = ENTRY_NOTES_ALL};
	struct scap_live *live;
	struct error err;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		config.events[id] = desc && id != EVENT_page_fault &&
				    !(desc->flags & EF_RECORDED) && event_desc_is_native(desc);
	}
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++)
		config.syscalls[number] =
			event_desc_of_syscall(syscall_code_of_native(number))->id == EVENT_syscall;
	if (scap_live_open(&config, &live, &err))
		fail("capture", err.text);
	return live;
}

static pid_t start(char **command)
{
	static char *const environment[] = {"LANG=C", "SHELL=/bin/sh", NULL};
	pid_t pid = fork();

	if (pid < 0)
		fail("fork", strerror(errno));
	if (pid == 0) {
		execve(command[0], command, environment);
		_exit(127);
	}
	return pid;
}

/* All events of the machine until the command exits. */
static void capture(struct scap_live *live, pid_t pid, struct buf *all)
{
	struct scap_event event;
	bool stopped = false;
	int status, r;

	while ((r = scap_source_next(scap_live_source(live), WAIT_MS, &event)) >= 0) {
		struct recording_entry entry = {.len = event.len, .cpu = event.cpu};

		if (r == 1) {
			buf_append(all, &entry, sizeof(entry));
			buf_append(all, event.frame, event.len);
		}
		if (stopped || waitpid(pid, &status, WNOHANG) != pid)
			continue;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			fail("the command", "failed");
		scap_live_stop(live);
		stopped = true;
	}
	if (r != -ENODATA || all->failed)
		fail("reading events", all->failed ? "out of memory" : strerror(-r));
}

typedef void entry_visit(const struct recording_entry *entry, const char *frame,
			 struct tasks *tasks, FILE *file);

static void each_entry(const struct buf *all, entry_visit *visit, struct tasks *tasks, FILE *file)
{
	for (size_t at = 0; at < all->len;) {
		struct recording_entry entry;

		memcpy(&entry, all->data + at, sizeof(entry));
		visit(&entry, all->data + at + sizeof(entry), tasks, file);
		at += sizeof(entry) + entry.len;
	}
}

/* The event of a caller of clone names the new task. */
static void find_tasks(const struct recording_entry *entry, const char *frame, struct tasks *tasks,
		       FILE *file)
{
	struct event ev;

	if (event_decode(frame, entry->len, entry->cpu, &ev) || !tasks_has(tasks, ev.tid))
		return;
	switch (ev.desc->id) {
	case EVENT_clone:
	case EVENT_clone3:
	case EVENT_fork:
	case EVENT_vfork:
		if (event_param_i64(&ev, clone__res) > 0)
			tasks_add(tasks, event_param_i64(&ev, clone__res));
	}
}

/* Switches to a task belong to it, too. */
static bool is_wanted(const struct event *ev, const struct tasks *tasks)
{
	return tasks_has(tasks, ev->tid) || (ev->desc->id == EVENT_switch &&
					     tasks_has(tasks, event_param_i64(ev, switch__next)));
}

static void write_entry(const struct recording_entry *entry, const char *frame, struct tasks *tasks,
			FILE *file)
{
	struct event ev;

	if (event_decode(frame, entry->len, entry->cpu, &ev) || !is_wanted(&ev, tasks))
		return;
	fwrite(entry, sizeof(*entry), 1, file);
	fwrite(frame, entry->len, 1, file);
}

int main(int argc, char **argv)
{
	struct scap_live *live;
	struct tasks tasks = {0};
	struct buf all = {0};
	FILE *file;

	if (argc < 3)
		fail("usage", "record FILE COMMAND ARGUMENT...");
	live = open_live();
	tasks_add(&tasks, start(argv + 2));
	capture(live, (pid_t)tasks.ids[0], &all);
	/*
	 * The event of a task's creator may come after the task's first event, but not after those
	 * of its children.
	 */
	each_entry(&all, find_tasks, &tasks, NULL);
	file = fopen(argv[1], "we");
	if (!file)
		fail(argv[1], strerror(errno));
	each_entry(&all, write_entry, &tasks, file);
	if (fclose(file))
		fail(argv[1], strerror(errno));
	buf_finish(&all);
	scap_source_destroy(scap_live_source(live));
	return 0;
}
