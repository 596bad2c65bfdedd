/* SPDX-License-Identifier: MIT */
/* Read from the clocks and from /proc/self. */
#include "agent/process/process_usage.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

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
