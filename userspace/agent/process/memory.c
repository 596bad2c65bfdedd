/* SPDX-License-Identifier: MIT */
/* What memory and CPU time the agent uses, and its limit. */
#include "agent/process/memory.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/count.h"

/* Writable parts have pages that are not as in the file: addresses that were filled in. */
static int release_pages(struct dl_phdr_info *object, size_t bytes, void *context)
{
	uintptr_t page = *(const uintptr_t *)context;

	for (unsigned int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + part->p_vaddr;
		uintptr_t end = begin + part->p_memsz;

		if (part->p_type != PT_LOAD || part->p_flags & PF_W)
			continue;
		begin &= ~(page - 1);
		/* A failure costs memory, nothing else. */
		(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
	return 0;
}

void memory_release(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

#ifdef __GLIBC__
	malloc_trim(0);
#endif
	dl_iterate_phdr(release_pages, &page);
}

#define DEFAULT_MAX (UINT64_C(1) << 30)
#define DEFAULT_MIN (UINT64_C(32) << 20)

enum { MACHINE_PART = 16, STATE_PART = 2, TEXT_BYTES = 4096 };

/* Where a version of control groups has the limits. */
static const struct hierarchy {
	const char *prefix; /* of the group's path in /proc/self/cgroup */
	const char *folder, *file;
} hierarchies[] = {
	{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	{"0::", "/sys/fs/cgroup", "memory.max"},
};

static bool memory_read_text(const char *path, char text[TEXT_BYTES])
{
	FILE *file = fopen(path, "re");
	size_t len;

	if (!file)
		return false;
	len = fread(text, 1, TEXT_BYTES - 1, file);
	fclose(file);
	text[len] = '\0';
	return len;
}

/* "max" and the huge number that version 1 has for no limit do not count. */
static uint64_t read_limit(const char *path)
{
	char text[TEXT_BYTES], *end;
	uint64_t bytes;

	if (!memory_read_text(path, text))
		return UINT64_MAX;
	bytes = strtoull(text, &end, 10);
	return end == text || bytes > INT64_MAX / 2 ? UINT64_MAX : bytes;
}

/* The least limit of a group and of all above it. */
static uint64_t least_limit(const char *root, const struct hierarchy *hierarchy, char *group)
{
	char path[PATH_MAX + TEXT_BYTES];
	uint64_t least = UINT64_MAX, bytes;
	char *slash;

	do {
		slash = strrchr(group, '/');
		snprintf(path, sizeof(path), "%s%s%s/%s", root, hierarchy->folder,
			 slash == group && !group[1] ? "" : group, hierarchy->file);
		bytes = read_limit(path);
		if (bytes < least)
			least = bytes;
		if (slash)
			*slash = '\0';
	} while (slash);
	return least;
}

uint64_t memory_limit_of_groups(const char *root)
{
	char path[PATH_MAX], text[TEXT_BYTES];

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (!memory_read_text(path, text))
		return UINT64_MAX;
	for (size_t i = 0; i < COUNT(hierarchies); i++) {
		char *group = strstr(text, hierarchies[i].prefix);

		if (!group)
			continue;
		group += strlen(hierarchies[i].prefix);
		group[strcspn(group, "\n")] = '\0';
		return least_limit(root, &hierarchies[i], group);
	}
	return UINT64_MAX;
}

uint64_t memory_limit_choose(uint64_t wanted, uint64_t of_groups, uint64_t machine)
{
	uint64_t limit = machine / MACHINE_PART;

	if (wanted)
		return wanted;
	if (of_groups < machine)
		limit = of_groups;
	else if (limit > DEFAULT_MAX)
		limit = DEFAULT_MAX;
	return limit < DEFAULT_MIN ? DEFAULT_MIN : limit;
}

uint64_t memory_limit_of_state(uint64_t wanted, bool asks_groups)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t of_groups = asks_groups && !wanted ? memory_limit_of_groups("") : UINT64_MAX;

	return memory_limit_choose(wanted, of_groups, machine) / STATE_PART;
}

/* Read from the clocks and from /proc/self. */

static uint64_t read_resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*u %" SCNu64, &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t count = 0;

	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count - 1; /* without that of the folder */
}

/* The name of the program, which stands before it, may have blanks and brackets. */
static uint64_t read_start_ns(void)
{
	enum { START_TIME = 20 }; /* words between the name and the start, in clock ticks */
	uint64_t ticks = 0, boot_ns = clock_boot_offset_ns();
	FILE *file = fopen("/proc/self/stat", "re");
	char line[1024], *word;

	if (!file)
		return 0;
	word = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	for (int i = 0; word && i < START_TIME; i++)
		word = strchr(word + 1, ' ');
	if (word && sscanf(word, "%" SCNu64, &ticks) != 1)
		ticks = 0;
	fclose(file);
	return ticks ? boot_ns + ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)) : 0;
}

void process_usage_read(struct process_usage *usage)
{
	*usage = (struct process_usage){
		.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		.resident_bytes = read_resident_bytes(),
		.descriptors = count_descriptors(),
		.start_ns = read_start_ns(),
	};
}
