/* SPDX-License-Identifier: MIT */
/*
 * How long names of addresses take: names_speed FILE [PLACES] names so many random places of the
 * functions of a file, and again, when its symbols are kept.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "profile/names/namer.h"
#include "scap/symbols/symbol_elf.h"
#include "util/clock.h"

enum { DEPTH = 10, PLACES = 10000 };

static void add_places(struct stacks *stacks, const struct symbol_table *table, uint32_t file,
		       int places)
{
	for (int i = 0; i < places; i += DEPTH) {
		struct stack_row row = {.value = 1, .times = 1};
		struct stack_frame frames[DEPTH];

		for (int k = 0; k < DEPTH; k++) {
			const struct symbol_entry *entry =
				&table->entries[(size_t)random() % table->count];
			const uint32_t bytes = entry->bytes ? entry->bytes : 1;

			frames[k] = (struct stack_frame){
				.at = entry->begin + (uint64_t)random() % bytes, .file = file};
		}
		(void)stacks_add_part(stacks, frames, DEPTH, STACK_WHOLE, &row.user);
		(void)stacks_add_row(stacks, &row);
	}
}

static void name_places(struct namer *namer, const struct stacks *stacks)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct profile_names names = {0};

	(void)namer_run(namer, stacks, &names);
	printf("%zu places, %llu with a name, %zu functions: %.1f ms\n", names.locations_count,
	       (unsigned long long)names.lacks[NAMES_FOUND], names.functions_count,
	       (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1e6);
	names_finish(&names);
}

int main(int argc, char **argv)
{
	const struct stack_process process = {.pid = 1, .comm = "bench", .root_fd = -1};
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct symbol_table table;
	struct namer *namer;
	struct stacks stacks;
	struct rusage used;
	struct stat st;
	uint32_t file, index;

	if (fd < 0 || fstat(fd, &st) != 0 || symbol_elf_read(fd, -1, &table) != 0 ||
	    stacks_init(&stacks) != 0 ||
	    namer_create(&(const struct namer_sources){-1, -1, -1}, &namer) != 0)
		return EXIT_FAILURE;
	printf("%.1f MB, %zu functions\n", (double)st.st_size / 1e6, table.count);
	(void)stacks_add_file(
		&stacks,
		&(const struct stack_file){
			.kind = STACK_FILE, .path = argv[1], .ino = st.st_ino, .fd = fd},
		&file);
	(void)stacks_add_process(&stacks, &process, &index);
	add_places(&stacks, &table, file, argc > 2 ? atoi(argv[2]) : PLACES);
	symbol_table_finish(&table);
	name_places(namer, &stacks);
	name_places(namer, &stacks);
	getrusage(RUSAGE_SELF, &used);
	printf("%ld kB of memory\n", used.ru_maxrss);
	namer_destroy(namer);
	stacks_finish(&stacks);
	return EXIT_SUCCESS;
}
