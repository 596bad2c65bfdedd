/* SPDX-License-Identifier: MIT */
/* A list, and a table by the hash of what identifies a process: its id, its start, its program. */
#include "profile/capture/captured_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

enum { PLACES_MIN = 256, STAT_BYTES = 1024, STAT_START = 22 };

void captured_processes_finish(struct captured_processes *processes)
{
	free(processes->list);
	free(processes->places);
	arena_finish(&processes->texts);
	*processes = (struct captured_processes){0};
}

/* When a process with this id began, in ns since boot, cut to ticks; 0: there is none. */
static uint64_t read_start(int proc, uint32_t pid)
{
	const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char path[32], text[STAT_BYTES];
	char *at;
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "%u/stat", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (len <= 0)
		return 0;
	text[len] = '\0';
	/* The name, in parentheses, is the second one. */
	at = strrchr(text, ')');
	for (int field = 2; at && field < STAT_START; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) * tick_ns : 0;
}

static bool is_alive(const struct captured_processes *processes,
		     const struct profile_process_key *key)
{
	const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t start_ns = read_start(processes->proc, key->pid);

	return start_ns && start_ns == key->start_ns - key->start_ns % tick_ns;
}

/* From now on the kernel counts nothing of it. */
static void leave_out(const struct captured_processes *processes,
		      const struct captured_process *captured, struct profile_process *seen)
{
	seen->is_unwanted = 1;
	(void)bpf_map_update_elem(processes->processes_map, &captured->key, seen, BPF_EXIST);
}

static void keep_description(struct captured_processes *processes, const char **text)
{
	if (*text)
		*text = arena_text(&processes->texts, *text, strlen(*text));
}

static void describe(struct captured_processes *processes, struct captured_process *captured)
{
	struct stack_process *process = &captured->process;
	struct profile_process seen = {.uid = UINT32_MAX};
	bool is_there = bpf_map_lookup_elem(processes->processes_map, &captured->key, &seen) == 0;

	if (!is_there)
		seen.ns_pid = captured->key.pid;
	*process = (struct stack_process){
		.pid = (int32_t)captured->key.pid,
		.ns_pid = (int32_t)seen.ns_pid,
		.start_ns = captured->key.start_ns,
		.exec_id = captured->key.exec_id,
		.root_fd = -1,
		.uid = seen.uid,
		.start_stack = seen.start_stack,
	};
	memcpy(process->comm, seen.comm, STACK_COMM_BYTES);
	process->was_read = is_alive(processes, &captured->key);
	processes->unread += !process->was_read;
	captured->is_wanted =
		!processes->describe || processes->describe(processes->context, process);
	if (!captured->is_wanted && is_there)
		leave_out(processes, captured, &seen);
	keep_description(processes, &process->container_id);
	keep_description(processes, &process->container_name);
	keep_description(processes, &process->container_image);
	keep_description(processes, &process->pod_name);
	keep_description(processes, &process->pod_namespace);
}

static uint32_t *process_place(const struct captured_processes *processes,
			       const struct profile_process_key *key)
{
	size_t mask = processes->places_count - 1;
	size_t i = ((key->start_ns ^ key->exec_id ^ key->pid) * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (processes->places[i] &&
	       memcmp(&processes->list[processes->places[i] - 1].key, key, sizeof(*key)) != 0)
		i = (i + 1) & mask;
	return &processes->places[i];
}

static int places_grow(struct captured_processes *processes)
{
	struct captured_processes grown = *processes;

	if (2 * (processes->count + 1) <= processes->places_count)
		return 0;
	grown.places_count = processes->places_count ? 2 * processes->places_count : PLACES_MIN;
	grown.places = calloc(grown.places_count, sizeof(*grown.places));
	if (!grown.places)
		return -ENOMEM;
	for (uint32_t i = 0; i < processes->count; i++)
		*process_place(&grown, &processes->list[i].key) = i + 1;
	free(processes->places);
	*processes = grown;
	return 0;
}

struct captured_process *captured_processes_get(struct captured_processes *processes,
						const struct profile_process_key *key)
{
	struct captured_process *made;
	uint32_t *place;

	if (places_grow(processes))
		return NULL;
	place = process_place(processes, key);
	if (*place)
		return &processes->list[*place - 1];
	if (processes->count == processes->capacity) {
		size_t capacity = processes->capacity ? 2 * processes->capacity : 64;
		struct captured_process *list =
			reallocarray(processes->list, capacity, sizeof(*list));

		if (!list)
			return NULL;
		processes->list = list;
		processes->capacity = capacity;
	}
	made = &processes->list[processes->count++];
	*place = (uint32_t)processes->count;
	*made = (struct captured_process){.key = *key, .in_set = UINT32_MAX};
	describe(processes, made);
	return made;
}

int captured_processes_open_root(const struct captured_processes *processes,
				 const struct profile_process_key *key)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%u/root", key->pid);
	fd = openat(processes->proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !is_alive(processes, key)) {
		close(fd);
		fd = -1;
	}
	return fd;
}
