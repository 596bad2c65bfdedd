/* SPDX-License-Identifier: MIT */
/* Reads the symbols of a file when the first address in it is asked for. */
#include "scap/recorded/names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/samples/process_maps.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_table.h"
#include "util/hash.h"
#include "util/regular.h"

#define KERNEL_NAME "[kernel.kallsyms]"

enum {
	FILE_PLACES = 2 * RECORDED_FILES_MAX,
	FILES_FIRST = 16,
	FRAMES_MAX = 1024,
	PIECES_MAX = 1 << 14,
	KERNEL_PID = 1, /* of its maps */
};

struct recorded_file {
	char *path; /* owned */
	struct perf_build_id id; /* size 0: not known */
	bool is_read;
	struct symbol_table table;
};

struct recorded_names {
	struct process_maps maps;
	uint64_t left_out; /* mappings */
	struct recorded_file *files; /* owned: an array, which grows */
	size_t files_count, files_capacity;
	uint16_t places[FILE_PLACES]; /* by their paths: 1 + where in `files`; 0: a free one */
	struct hash_key key;
	struct perf_build_ids ids;
	char *kallsyms; /* owned: a path */
	struct symbol_table kernel;
	bool kernel_is_read;
	uint64_t kernel_begin, kernel_end; /* addresses of its own code, in the recording */
	uint64_t kernel_text; /* 0: not known */
	int64_t kernel_shift; /* from addresses of the recording to those of now */
	/* What else it executes, as mappings of a process of its own, whose files are these. */
	struct process_maps kernel_maps;
	struct kernel_piece {
		char *name; /* owned */
		enum kernel_piece_kind { PIECE_PROGRAM, PIECE_MODULE, PIECE_MODULE_HERE } kind;
	} * pieces; /* owned */
	size_t pieces_count, pieces_capacity;
	int debug; /* separate files by build ids; -1: there is no such folder */
};

int recorded_names_create(const char *kallsyms, struct recorded_names **names)
{
	struct recorded_names *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->kallsyms = strdup(kallsyms);
	if (!made->kallsyms) {
		free(made);
		return -ENOMEM;
	}
	if (getrandom(&made->key, sizeof(made->key), GRND_NONBLOCK) < 0)
		made->key = (struct hash_key){{(uint64_t)(uintptr_t)made, 1}};
	made->debug = open("/usr/lib/debug/.build-id", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*names = made;
	return 0;
}

void recorded_names_destroy(struct recorded_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->files_count; i++) {
		symbol_table_finish(&names->files[i].table);
		free(names->files[i].path);
	}
	free(names->files);
	symbol_table_finish(&names->kernel);
	for (size_t i = 0; i < names->pieces_count; i++)
		free(names->pieces[i].name);
	free(names->pieces);
	process_maps_finish(&names->kernel_maps);
	free(names->kallsyms);
	perf_build_ids_finish(&names->ids);
	process_maps_finish(&names->maps);
	if (names->debug >= 0)
		close(names->debug);
	free(names);
}

/* Files. */

static bool same_id(const struct perf_build_id *a, const struct perf_build_id *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static bool files_grow(struct recorded_names *names)
{
	size_t capacity = names->files_capacity ? 2 * names->files_capacity : FILES_FIRST;
	struct recorded_file *grown;

	if (names->files_count < names->files_capacity)
		return true;
	grown = reallocarray(names->files, capacity, sizeof(*grown));
	if (!grown)
		return false;
	names->files = grown;
	names->files_capacity = capacity;
	return true;
}

/* The number of a file; -1: there is no room. */
static int64_t file_of(struct recorded_names *names, const char *path,
		       const struct perf_build_id *id)
{
	size_t i = hash_sip(&names->key, path, strlen(path)) % FILE_PLACES;
	char *copy;

	for (; names->places[i]; i = (i + 1) % FILE_PLACES) {
		const struct recorded_file *file = &names->files[names->places[i] - 1];

		if (strcmp(file->path, path) == 0 && same_id(&file->id, id))
			return names->places[i] - 1;
	}
	if (names->files_count >= RECORDED_FILES_MAX || !files_grow(names))
		return -1;
	copy = strdup(path);
	if (!copy)
		return -1;
	names->files[names->files_count++] = (struct recorded_file){.path = copy, .id = *id};
	names->places[i] = (uint16_t)names->files_count;
	return (int64_t)names->files_count - 1;
}

void recorded_names_build_id(struct recorded_names *names, const char *path,
			     const struct perf_build_id *id)
{
	perf_build_ids_add(&names->ids, path, id, false);
}

/* Whether it is the file that was mapped, as far as that is known. */
static bool is_the_file(const struct recorded_names *names, const struct recorded_file *file,
			int fd)
{
	struct perf_build_id wanted = file->id;
	struct symbol_build_id found;

	if (!wanted.size && !perf_build_ids_get(&names->ids, file->path, &wanted))
		return true;
	return wanted.size == 0 ||
	       (symbol_elf_build_id(fd, &found) == 0 && found.count >= wanted.size &&
		memcmp(found.bytes, wanted.bytes, wanted.size) == 0);
}

static const struct symbol_table *table_of(struct recorded_names *names, uint32_t number)
{
	struct recorded_file *file = &names->files[number];
	struct stat found;
	int fd;

	if (file->is_read)
		return &file->table;
	file->is_read = true;
	fd = file->path[0] == '/' ? regular_open(file->path) : -ENOENT;
	if (fd < 0)
		return &file->table;
	/* Those of /proc have no size: to read one may have effects. */
	if (fstat(fd, &found) == 0 && found.st_size && is_the_file(names, file, fd))
		(void)symbol_elf_read(fd, names->debug, &file->table);
	close(fd);
	return &file->table;
}

/* Processes. */

static struct process_entry *known_process(struct recorded_names *names, int32_t pid)
{
	struct process_entry *process = process_maps_get(&names->maps, pid);

	/* All that is mapped in the recording is in its records. */
	if (process && process->state != MAPPED_KNOWN)
		process_maps_exec(process, 0);
	return process;
}

void recorded_names_map(struct recorded_names *names, const struct sample_mapping *mapping,
			const struct perf_build_id *id)
{
	static const struct perf_build_id none;
	struct process_entry *process;
	int64_t file;

	if (mapping->pid <= 0 || !mapping->bytes)
		return;
	file = file_of(names, mapping->path, id ? id : &none);
	process = file < 0 ? NULL : known_process(names, mapping->pid);
	if (!process || process_maps_add(process, &(struct process_mapping){
							  .begin = mapping->begin,
							  .end = mapping->begin + mapping->bytes,
							  .offset = mapping->offset,
							  .file = (uint32_t)file}))
		names->left_out++;
}

uint64_t recorded_names_left_out(const struct recorded_names *names)
{
	return names->left_out + names->maps.forgotten;
}

void recorded_names_exec(struct recorded_names *names, int32_t pid)
{
	struct process_entry *process = pid > 0 ? process_maps_get(&names->maps, pid) : NULL;

	if (process)
		process_maps_exec(process, 0);
}

void recorded_names_fork(struct recorded_names *names, const struct sample_task *task)
{
	if (task->pid > 0 && task->parent > 0)
		process_maps_fork(&names->maps, task->parent, task->pid, 0);
}

void recorded_names_exit(struct recorded_names *names, const struct sample_task *task)
{
	if (task->pid > 0 && task->pid == task->tid)
		process_maps_end(&names->maps, task->pid);
}

/* The kernel. */

void recorded_names_kernel(struct recorded_names *names, uint64_t begin, uint64_t bytes,
			   uint64_t text)
{
	names->kernel_begin = begin;
	names->kernel_end = begin + bytes < begin ? UINT64_MAX : begin + bytes;
	names->kernel_text = text;
}

/* The number of a piece; -1: there is no room. */
static int64_t piece_add(struct recorded_names *names, const char *name,
			 enum kernel_piece_kind kind)
{
	char *copy;

	if (names->pieces_count == PIECES_MAX)
		return -1;
	if (names->pieces_count == names->pieces_capacity) {
		size_t capacity = names->pieces_capacity ? 2 * names->pieces_capacity : FILES_FIRST;
		void *grown = reallocarray(names->pieces, capacity, sizeof(*names->pieces));

		if (!grown)
			return -1;
		names->pieces = grown;
		names->pieces_capacity = capacity;
	}
	copy = strdup(name);
	if (!copy)
		return -1;
	names->pieces[names->pieces_count] = (struct kernel_piece){copy, kind};
	return (int64_t)names->pieces_count++;
}

static void kernel_map(struct recorded_names *names, uint64_t begin, uint64_t bytes,
		       const char *name, enum kernel_piece_kind kind)
{
	struct process_entry *process = process_maps_get(&names->kernel_maps, KERNEL_PID);
	int64_t piece = name ? piece_add(names, name, kind) : UINT32_MAX;
	const struct process_mapping mapping = {
		.begin = begin, .end = begin + bytes, .file = (uint32_t)piece};

	if (piece < 0 || !process || process_maps_add(process, &mapping))
		names->left_out++;
}

/* As names of modules are in /proc/modules: "[ext4]" and "/lib/.../some-name.ko.xz". */
static void name_module(const char *path, char name[64])
{
	const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
	size_t len;

	begin += *begin == '[';
	len = strcspn(begin, ".]");
	snprintf(name, 64, "%.*s", (int)(len < 64 ? len : 63), begin);
	for (char *c = name; *c; c++)
		*c = (char)(*c == '-' ? '_' : *c);
}

static bool module_is_at(const char *wanted, uint64_t begin)
{
	FILE *file = fopen("/proc/modules", "re");
	char line[512], name[64];
	uint64_t address;
	bool is_there = false;

	while (file && !is_there && fgets(line, sizeof(line), file))
		is_there = sscanf(line, "%63s %*s %*s %*s %*s %" SCNx64, name, &address) == 2 &&
			   address == begin && strcmp(name, wanted) == 0;
	if (file)
		fclose(file);
	return is_there;
}

void recorded_names_module(struct recorded_names *names, uint64_t begin, uint64_t bytes,
			   const char *path)
{
	char name[64];

	name_module(path, name);
	kernel_map(names, begin, bytes, name,
		   names->pieces_count < PIECES_MAX && module_is_at(name, begin) ? PIECE_MODULE_HERE
										 : PIECE_MODULE);
}

void recorded_names_program(struct recorded_names *names, uint64_t begin, uint64_t bytes,
			    const char *name)
{
	kernel_map(names, begin, bytes, name, PIECE_PROGRAM);
}

/* Where _text is now; 0: it is not shown. */
static uint64_t find_text(const char *kallsyms)
{
	FILE *file = fopen(kallsyms, "re");
	uint64_t address = 0;
	char line[512], name[128];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %*c %127s", &address, name) == 2 &&
		    strcmp(name, "_text") == 0)
			break;
		address = 0;
	}
	if (file)
		fclose(file);
	return address;
}

/*
 * The kernel that runs is that of the recording if it has the same build id; without one, if it was
 * loaded to the same address.
 */
static void read_kernel(struct recorded_names *names)
{
	struct perf_build_id recorded = {0}, running = {0};
	uint64_t text = find_text(names->kallsyms);
	int fd;

	names->kernel_is_read = true;
	if (!text || !names->kernel_text)
		return;
	if (perf_build_ids_get(&names->ids, KERNEL_NAME, &recorded) && recorded.size) {
		if (!perf_build_id_of_kernel(&running) || !same_id(&recorded, &running))
			return;
	} else if (text != names->kernel_text) {
		return;
	}
	names->kernel_shift = (int64_t)(text - names->kernel_text);
	fd = open(names->kallsyms, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)symbol_table_read_kernel(fd, &names->kernel);
	close(fd);
}

/* Names. */

/*
 * Its own code moves as one between two starts. Modules and programs do not move with it: those are
 * named that the recording names, or that are where they were, in the same kernel.
 */
static const char *find_in_kernel(struct recorded_names *names, uint64_t address)
{
	const struct process_entry *process = process_maps_find(&names->kernel_maps, KERNEL_PID);
	const struct process_mapping *mapping = process ? process_maps_at(process, address) : NULL;

	if (!names->kernel_is_read)
		read_kernel(names);
	if (mapping && mapping->file != UINT32_MAX) {
		const struct kernel_piece *piece = &names->pieces[mapping->file];

		if (piece->kind == PIECE_PROGRAM)
			return piece->name;
		return piece->kind == PIECE_MODULE_HERE && !names->kernel_shift
			       ? symbol_table_find(&names->kernel, address)
			       : NULL;
	}
	if (address < names->kernel_begin || address >= names->kernel_end)
		return NULL;
	return symbol_table_find(&names->kernel, address + (uint64_t)names->kernel_shift);
}

const char *recorded_names_find(struct recorded_names *names, int32_t pid, uint8_t mode,
				uint64_t address)
{
	const struct process_mapping *mapping;
	const struct process_entry *process;

	if (mode == PERF_RECORD_MISC_KERNEL)
		return find_in_kernel(names, address);
	process = mode == PERF_RECORD_MISC_USER && pid > 0 ? process_maps_find(&names->maps, pid)
							   : NULL;
	mapping = process ? process_maps_at(process, address) : NULL;
	if (!mapping)
		return NULL;
	return symbol_table_find(table_of(names, mapping->file),
				 address - mapping->begin + mapping->offset);
}

/* Names of programs are their own choice: a semicolon would end a frame. */
static void append_frame(struct recorded_names *names, const struct sample_record *sample,
			 uint8_t mode, uint64_t frame, struct buf *text)
{
	/* What is not the place itself is where a call returns to. */
	uint64_t address = frame == sample->ip ? frame : frame - 1;
	const char *name = recorded_names_find(names, sample->pid, mode, address);

	if (name)
		for (; *name; name++)
			buf_append_char(text, *name == ';' ? ':' : *name);
	else
		buf_printf(text, "0x%" PRIx64, frame);
	if (mode == PERF_RECORD_MISC_KERNEL)
		buf_append_string(text, "_[k]");
}

void recorded_names_stack(struct recorded_names *names, const struct sample_record *sample,
			  struct buf *text)
{
	uint32_t count = sample->frames_count < FRAMES_MAX ? sample->frames_count : FRAMES_MAX;
	uint8_t modes[FRAMES_MAX], mode = sample->mode;
	size_t start = text->len;

	for (uint32_t i = 0; i < count; i++)
		modes[i] =
			sample_frame_is_marker(sample_frame(sample, i), &mode) ? UINT8_MAX : mode;
	for (uint32_t i = count; i--;) {
		if (modes[i] == UINT8_MAX)
			continue;
		if (text->len > start)
			buf_append_char(text, ';');
		append_frame(names, sample, modes[i], sample_frame(sample, i), text);
	}
}
