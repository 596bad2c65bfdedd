/* SPDX-License-Identifier: MIT */
/* An array of tables, looked through for each file of a set: there are few files. */
#include "profile/names/kept_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/names/namer.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_maps.h"
#include "util/clock.h"

/* With modules and programs, which come and go, it is read again sooner. */
static const uint64_t kernel_stays_ns = 600000000000, modules_stay_ns = 20000000000;

struct kept_table {
	uint32_t major, minor;
	uint64_t ino, ctime_ns;
	int error; /* 0 or -errno: why it has none */
	uint64_t used; /* tables.uses then */
	struct symbol_table table;
};

void kept_tables_finish(struct kept_tables *tables)
{
	for (size_t i = 0; i < tables->kept_count; i++)
		symbol_table_finish(&tables->kept[i].table);
	free(tables->kept);
	symbol_table_finish(&tables->kernel);
	symbol_table_finish(&tables->vdso);
	*tables = (struct kept_tables){0};
}

void kept_tables_begin(struct kept_tables *tables)
{
	tables->uses++;
}

static bool is_of_file(const struct kept_table *kept, const struct stack_file *file)
{
	return kept->ino == file->ino && kept->ctime_ns == file->ctime_ns &&
	       kept->major == file->dev_major && kept->minor == file->dev_minor;
}

/* The first one that is free, which is made so if need be; NULL: out of memory. */
static struct kept_table *make_kept(struct kept_tables *tables)
{
	struct kept_table *oldest;

	if (!tables->kept)
		tables->kept = calloc(NAMER_FILES_MAX, sizeof(*tables->kept));
	if (!tables->kept)
		return NULL;
	oldest = tables->kept;
	while (tables->kept_count &&
	       (tables->kept_count == NAMER_FILES_MAX || tables->bytes > NAMER_BYTES_MAX)) {
		for (size_t i = 0; i < tables->kept_count; i++)
			if (tables->kept[i].used < oldest->used)
				oldest = &tables->kept[i];
		tables->bytes -= symbol_table_bytes(&oldest->table);
		symbol_table_finish(&oldest->table);
		*oldest = tables->kept[--tables->kept_count];
		oldest = tables->kept;
	}
	return &tables->kept[tables->kept_count];
}

static int read_file(struct kept_tables *tables, const struct stack_file *file, int debug,
		     const struct symbol_table **table)
{
	struct kept_table *kept = make_kept(tables);

	if (!kept)
		return -ENOMEM;
	*kept = (struct kept_table){
		.major = file->dev_major,
		.minor = file->dev_minor,
		.ino = file->ino,
		.ctime_ns = file->ctime_ns,
		.used = ++tables->uses,
	};
	kept->error = symbol_elf_read(file->fd, debug, &kept->table);
	if (kept->error == -ENOMEM)
		return -ENOMEM;
	if (kept->error)
		kept->table = (struct symbol_table){0};
	tables->kept_count++;
	tables->bytes += symbol_table_bytes(&kept->table);
	*table = &kept->table;
	return kept->error;
}

int kept_tables_get_file(struct kept_tables *tables, const struct stack_file *file, int debug,
			 const struct symbol_table **table)
{
	for (size_t i = 0; i < tables->kept_count; i++) {
		if (!is_of_file(&tables->kept[i], file))
			continue;
		tables->kept[i].used = ++tables->uses;
		*table = &tables->kept[i].table;
		return tables->kept[i].error;
	}
	return file->fd < 0 ? -EBADF : read_file(tables, file, debug, table);
}

int kept_tables_get_kernel(struct kept_tables *tables, int kernel,
			   const struct kept_addresses *addresses,
			   const struct symbol_table **table)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), stays_ns = kernel_stays_ns;
	int r;

	if (!symbol_table_has_own(&tables->kernel, addresses->first) ||
	    !symbol_table_has_own(&tables->kernel, addresses->last))
		stays_ns = modules_stay_ns;
	if (tables->kernel.count && now - tables->kernel_read_ns < stays_ns) {
		*table = &tables->kernel;
		return 0;
	}
	if (kernel < 0 || lseek(kernel, 0, SEEK_SET) != 0)
		return -EBADF;
	symbol_table_finish(&tables->kernel);
	r = symbol_table_read_kernel(kernel, &tables->kernel);
	if (r) {
		tables->kernel = (struct symbol_table){0};
		return r;
	}
	tables->kernel_read_ns = now;
	*table = &tables->kernel;
	return 0;
}

/* Every process has the same one, and this one, too. */
static int read_vdso(struct symbol_table *table)
{
	struct symbol_maps_line line;
	int r = -ENOENT;
	FILE *file;

	if (symbol_maps_open(AT_FDCWD, "/proc/self/maps", &file) != 0)
		return -ENOENT;
	while (r && symbol_maps_next(file, &line))
		if (strcmp(line.path, "[vdso]") == 0)
			r = symbol_elf_read_memory((const void *)(uintptr_t)line.begin,
						   line.end - line.begin, table);
	fclose(file);
	return r;
}

int kept_tables_get_vdso(struct kept_tables *tables, const struct symbol_table **table)
{
	if (!tables->vdso_was_read && read_vdso(&tables->vdso) != 0)
		tables->vdso = (struct symbol_table){0};
	tables->vdso_was_read = true;
	if (!tables->vdso.count)
		return -ENOENT;
	*table = &tables->vdso;
	return 0;
}
