/* SPDX-License-Identifier: MIT */
/*
 * A list of descriptors by kind and row; each is closed once.
 *
 * The kernel frees each program by a work of its own, which needs the lock of the memory for
 * compiled programs. A CPU begins 1,024 works of that queue at most. If that many wait for the
 * lock, and who has it, as somebody loads a program, waits for another work of the queue, none
 * ever ends, and until the machine is rebooted no program and no seccomp filter can be loaded
 * (seen with Linux 6.18). Below that number they still make every load slow. Therefore programs
 * are closed a few at a time, with a grace period in between.
 */
#include "scap/live/loaded.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scap/live/programs.h"

enum { GROWTH = 64, FREED_AT_ONCE = 64, LONGEST_RUN_NS = 50000000 };

int live_loaded_add(struct live_loaded *loaded, enum live_part_kind kind, uint16_t row, int fd)
{
	if (loaded->count % GROWTH == 0) {
		struct live_part *grown =
			reallocarray(loaded->parts, loaded->count + GROWTH, sizeof(*grown));

		if (!grown) {
			close(fd);
			return -ENOMEM;
		}
		loaded->parts = grown;
	}
	loaded->parts[loaded->count++] =
		(struct live_part){.fd = fd, .kind = (uint16_t)kind, .row = row};
	return 0;
}

int live_loaded_find(const struct live_loaded *loaded, enum live_part_kind kind, uint16_t row)
{
	for (size_t i = 0; i < loaded->count; i++)
		if (loaded->parts[i].kind == kind && loaded->parts[i].row == row)
			return loaded->parts[i].fd;
	return -1;
}

const struct live_part *live_loaded_program(const struct live_loaded *loaded, unsigned int i)
{
	for (size_t part = 0; part < loaded->count; part++)
		if (loaded->parts[part].kind == LIVE_PROGRAM && i-- == 0)
			return &loaded->parts[part];
	return NULL;
}

uint32_t live_part_id(const struct live_part *part)
{
	union {
		struct bpf_map_info map;
		struct bpf_prog_info program;
		struct bpf_link_info link;
	} info = {0};
	uint32_t bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(part->fd, &info, &bytes))
		return 0;
	return part->kind == LIVE_MAP	    ? info.map.id
	       : part->kind == LIVE_PROGRAM ? info.program.id
					    : info.link.id;
}

int live_part_info(const struct live_part *program, struct bpf_prog_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(program->fd, info, &size);
}

/* Those that others jump to run as a part of these. */
static bool is_hooked(const struct live_part *part)
{
	return part->kind == LIVE_PROGRAM && live_programs[part->row].hook;
}

uint64_t live_loaded_misses(const struct live_loaded *loaded)
{
	struct bpf_prog_info info;
	uint64_t sum = 0;

	for (size_t i = 0; i < loaded->count; i++)
		if (is_hooked(&loaded->parts[i]) && live_part_info(&loaded->parts[i], &info) == 0)
			sum += info.recursion_misses;
	return sum;
}

int live_loaded_run_ns(const struct live_loaded *loaded, uint64_t *ns)
{
	struct bpf_prog_info info;
	uint64_t sum = 0;

	for (size_t i = 0; i < loaded->count; i++) {
		int r;

		if (!is_hooked(&loaded->parts[i]))
			continue;
		r = live_part_info(&loaded->parts[i], &info);
		if (r)
			return r;
		sum += info.run_time_ns;
	}
	*ns = sum;
	return 0;
}

/* From the line "memlock:" of the descriptor's file in /proc/self/fdinfo. */
static int64_t map_bytes(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "memlock: %llu", &bytes) == 1;
	fclose(file);
	return found ? (int64_t)bytes : -ENODATA;
}

int64_t live_loaded_map_bytes(const struct live_loaded *loaded)
{
	int64_t sum = 0;

	for (size_t i = 0; i < loaded->count; i++) {
		const struct live_part *part = &loaded->parts[i];
		int64_t bytes = part->kind == LIVE_MAP ? map_bytes(part->fd) : 0;

		if (bytes < 0)
			return bytes;
		sum += bytes;
	}
	return sum;
}

int live_loaded_take(struct live_loaded *loaded, enum live_part_kind kind, uint16_t row)
{
	for (size_t i = 0; i < loaded->count; i++) {
		struct live_part *part = &loaded->parts[i];
		int fd = part->fd;

		if (part->kind != kind || part->row != row)
			continue;
		memmove(part, part + 1, (--loaded->count - i) * sizeof(*part));
		return fd;
	}
	return -1;
}

bool live_loaded_close(struct live_loaded *loaded, enum live_part_kind kind)
{
	size_t kept = 0, count = loaded->count;

	for (size_t i = count; i-- > 0;)
		if (loaded->parts[i].kind == kind)
			close(loaded->parts[i].fd);
	for (size_t i = 0; i < count; i++)
		if (loaded->parts[i].kind != kind)
			loaded->parts[kept++] = loaded->parts[i];
	loaded->count = kept;
	return kept < count;
}

void live_loaded_finish(struct live_loaded *loaded)
{
	for (unsigned int kind = LIVE_PART_KINDS; kind-- > 0;)
		live_loaded_close(loaded, (enum live_part_kind)kind);
	free(loaded->parts);
	*loaded = (struct live_loaded){0};
}

void live_wait_for_programs(void)
{
	struct timespec left = {.tv_nsec = LONGEST_RUN_NS};

	/* Without membarrier, far longer than any of them takes. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0)
		while (nanosleep(&left, &left) < 0 && errno == EINTR)
			;
}

void live_wait_for_frees(size_t closed)
{
	if (closed % FREED_AT_ONCE == 0)
		live_wait_for_programs();
}

void live_loaded_end(struct live_loaded *loaded)
{
	size_t closed = 0;

	/* Maps hold the programs that are in them. */
	live_loaded_close(loaded, LIVE_ITERATOR);
	live_loaded_close(loaded, LIVE_LINK);
	if (live_loaded_close(loaded, LIVE_MAP))
		live_wait_for_programs();
	while (loaded->count) {
		close(loaded->parts[--loaded->count].fd);
		live_wait_for_frees(++closed);
	}
	live_loaded_finish(loaded);
}
