/* SPDX-License-Identifier: MIT */
/* A list of files, and a table of the indexes that the kernel gave them. */
#include "profile/capture/captured_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/magic.h>

#include "scap/symbols/symbol_maps.h"
#include "util/clock.h"
#include "util/regular.h"

enum {
	PLACES_MIN = 256,
	PAGES_AT_ONCE = 128, /* of a file; those of a larger one when they are wanted, or later */
	PAGES_TO_FILL = 16,
	TRIES_MAX = 32,
	UNWIND_BYTES_MAX = 256 << 20,
	VDSO_BYTES_MAX = 1 << 16,
	LINK_BYTES = 4096,
	DEV_MINOR_BITS = 20,
	ASKED_MAX = 128, /* processes, for what else they have mapped */
	FILES_MAX = 2 * PROFILE_FILES, /* more than the map has: one took the place of another */
};

#define DELETED " (deleted)"

void captured_files_init(struct captured_files *files, int proc, int files_map, uint32_t cpus,
			 const struct tables *tables)
{
	uint32_t first = cpus * PROFILE_SLOTS * PROFILE_BLOCK(cpus);

	*files = (struct captured_files){.proc = proc,
					 .files_map = files_map,
					 .next_index = first,
					 .last_index = first + PROFILE_BLOCK(cpus) - 1,
					 .tables = *tables};
}

void captured_files_finish(struct captured_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		unwind_close(files->list[i].unwind);
		if (files->list[i].file.fd >= 0)
			close(files->list[i].file.fd);
	}
	free(files->list);
	free(files->places);
	unwind_rows_finish(&files->rows);
	tables_close(&files->tables);
	arena_finish(&files->texts);
	*files = (struct captured_files){0};
}

/* Indexes. */

static struct captured_place *index_place(const struct captured_files *files, uint32_t index)
{
	size_t mask = files->places_count - 1;
	size_t i = (index * 2654435761u) & mask;

	while (files->places[i].at && files->places[i].index != index)
		i = (i + 1) & mask;
	return &files->places[i];
}

struct captured_file *captured_files_find(const struct captured_files *files, uint32_t index)
{
	const struct captured_place *place = files->places ? index_place(files, index) : NULL;

	return place && place->at ? &files->list[place->at - 1] : NULL;
}

static int places_grow(struct captured_files *files)
{
	struct captured_files grown = *files;

	if (2 * (files->places_used + 1) <= files->places_count)
		return 0;
	grown.places_count = files->places_count ? 2 * files->places_count : PLACES_MIN;
	grown.places = calloc(grown.places_count, sizeof(*grown.places));
	if (!grown.places)
		return -ENOMEM;
	for (size_t i = 0; i < files->places_count; i++)
		if (files->places[i].at)
			*index_place(&grown, files->places[i].index) = files->places[i];
	free(files->places);
	*files = grown;
	return 0;
}

/* The file with a key, which is added if it is new; NULL if out of memory. */
static struct captured_file *list_get(struct captured_files *files,
				      const struct profile_file_key *key)
{
	for (size_t i = 0; i < files->count; i++)
		if (memcmp(&files->list[i].key, key, sizeof(*key)) == 0)
			return &files->list[i];
	if (files->count == files->capacity) {
		size_t capacity = files->capacity ? 2 * files->capacity : 64;
		struct captured_file *list = reallocarray(files->list, capacity, sizeof(*list));

		if (!list)
			return NULL;
		files->list = list;
		files->capacity = capacity;
	}
	files->list[files->count] = (struct captured_file){
		.key = *key, .in_set = UINT32_MAX, .file = {.path = "", .fd = -1}};
	return &files->list[files->count++];
}

static struct captured_file *files_get(struct captured_files *files,
				       const struct profile_file_key *key, uint32_t index)
{
	struct captured_file *file;
	struct captured_place *place;

	if (places_grow(files))
		return NULL;
	file = list_get(files, key);
	if (!file)
		return NULL;
	place = index_place(files, index);
	files->places_used += !place->at;
	*place = (struct captured_place){index, (uint32_t)(file - files->list) + 1};
	return file;
}

/* Opening. */

static const char *keep_path(struct captured_files *files, const char *text, size_t len)
{
	const char *kept = arena_text(&files->texts, text, len);

	return kept ? kept : "";
}

/* By the link of /proc: its path, without the mark of those that are deleted. */
static void read_path(struct captured_files *files, int link, struct stack_file *file)
{
	char name[64], path[LINK_BYTES];
	const size_t mark = strlen(DELETED);
	ssize_t len;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", link);
	len = readlink(name, path, sizeof(path));
	if (len <= 0)
		return;
	file->is_deleted = (size_t)len > mark && memcmp(path + len - mark, DELETED, mark) == 0;
	file->path = keep_path(files, path, (size_t)len - (file->is_deleted ? mark : 0));
}

/*
 * Whether an open file is the one with a key. stat(2) has another device than the kernel where a
 * file system has layers or subvolumes: then it is mapped here, and what is mapped says which it
 * is.
 */
static bool has_key(int fd, const struct statx *found, const struct profile_file_key *key)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct symbol_maps_line *line;
	bool is_it = false;
	void *memory;
	FILE *maps;

	if (found->stx_ino != key->ino)
		return false;
	if ((found->stx_dev_major << DEV_MINOR_BITS | found->stx_dev_minor) == key->dev)
		return true;
	line = malloc(sizeof(*line));
	memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (line && memory != MAP_FAILED &&
	    symbol_maps_open(AT_FDCWD, "/proc/self/maps", &maps) == 0) {
		while (!is_it && symbol_maps_next(maps, line))
			is_it = line->begin <= (uintptr_t)memory && (uintptr_t)memory < line->end &&
				line->id.ino == key->ino &&
				(line->id.major << DEV_MINOR_BITS | line->id.minor) == key->dev;
		fclose(maps);
	}
	if (memory != MAP_FAILED)
		munmap(memory, bytes);
	free(line);
	return is_it;
}

static uint64_t mtime_of(const struct statx *found)
{
	return (uint64_t)found->stx_mtime.tv_sec * 1000000000 + found->stx_mtime.tv_nsec;
}

static uint64_t ctime_of(const struct statx *found)
{
	return (uint64_t)found->stx_ctime.tv_sec * 1000000000 + found->stx_ctime.tv_nsec;
}

/*
 * Opens what the process has mapped: something else may be there by now. A file of an overlay has
 * another device than the kernel said. Returns 0 or -errno.
 */
static int open_mapped(struct captured_files *files, const struct profile_file *seen,
		       struct captured_file *file)
{
	char path[96];
	struct statx found;
	int link, fd = -EXDEV;

	snprintf(path, sizeof(path), "%u/map_files/%llx-%llx", seen->pid,
		 (unsigned long long)seen->begin, (unsigned long long)seen->end);
	link = openat(files->proc, path, O_PATH | O_CLOEXEC);
	if (link < 0)
		return -errno;
	if (!file->is_closed)
		read_path(files, link, &file->file);
	/* Whoever serves such a file could answer never. */
	if (seen->magic == FUSE_SUPER_MAGIC)
		fd = -EOPNOTSUPP;
	else if (statx(link, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &found) ==
			 0 &&
		 found.stx_ino == file->key.ino) {
		file->file.dev_major = found.stx_dev_major;
		file->file.dev_minor = found.stx_dev_minor;
		file->file.ctime_ns = ctime_of(&found);
		file->mtime_ns = mtime_of(&found);
		file->bytes = found.stx_size;
		file->links = found.stx_nlink;
		fd = regular_reopen(link);
	}
	close(link);
	if (fd < 0)
		return fd;
	if (!has_key(fd, &found, &file->key)) {
		close(fd);
		return -EXDEV;
	}
	file->file.fd = fd;
	file->pid = seen->pid;
	file->begin = seen->begin;
	file->end = seen->end;
	return 0;
}

/* The agent has the same vDSO as all programs of 64 bits. */
static int open_vdso(struct captured_file *file)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	unsigned long begin, end;
	char line[512];
	FILE *maps = image ? fopen("/proc/self/maps", "re") : NULL;
	int r = -ENOENT;

	file->file.kind = STACK_VDSO;
	file->file.path = "[vdso]";
	while (maps && r && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin == (unsigned long)image &&
		    end - begin <= VDSO_BYTES_MAX)
			r = unwind_open(-1, image, end - begin, &file->unwind, file->file.build_id,
					&file->file.build_id_bytes);
	if (maps)
		fclose(maps);
	return r;
}

static int open_file(struct captured_files *files, const struct profile_file *seen,
		     struct captured_file *file)
{
	int r;

	if (file->key.ino == 0 && file->key.dev == 0)
		return open_vdso(file);
	file->file.dev_major = file->key.dev >> DEV_MINOR_BITS;
	file->file.dev_minor = file->key.dev & ((1 << DEV_MINOR_BITS) - 1);
	file->file.ino = file->key.ino;
	r = open_mapped(files, seen, file);
	if (r) {
		if (!file->file.path[0])
			file->file.path = keep_path(files, seen->name,
						    strnlen(seen->name, sizeof(seen->name)));
		return r;
	}
	return unwind_open(file->file.fd, NULL, 0, &file->unwind, file->file.build_id,
			   &file->file.build_id_bytes);
}

/* Tables. */

static int load_page(struct captured_files *files, struct captured_file *file, uint32_t index,
		     uint32_t page)
{
	const struct profile_page_key key = {index, page};
	int r = unwind_make_page(file->unwind, page, &files->rows);

	return r ? r : tables_load(&files->tables, &key, &files->rows, &file->share);
}

static void drop_unwind(struct captured_files *files, struct captured_file *file)
{
	if (file->is_filling) {
		files->unwind_bytes -= unwind_bytes(file->unwind);
		files->unfilled--;
	}
	unwind_close(file->unwind);
	file->unwind = NULL;
	file->is_filling = false;
	file->filled = 0;
}

/* Files with tables that are hard to make must not keep those of others waiting. */
static bool is_late(const struct captured_files *files)
{
	return files->until_ns && clock_ns(CLOCK_MONOTONIC) > files->until_ns;
}

/* Pages are made when they are wanted, or when there is nothing else to do. */
static int keep_unwind(struct captured_files *files, struct captured_file *file)
{
	if (unwind_bytes(file->unwind) > UNWIND_BYTES_MAX - files->unwind_bytes)
		return -ENOSPC;
	files->unwind_bytes += unwind_bytes(file->unwind);
	files->unfilled++;
	file->is_filling = true;
	return 0;
}

/* All pages of a small file, while there is time; those of a large one later. */
static uint32_t load_tables(struct captured_files *files, struct captured_file *file,
			    uint32_t index)
{
	const uint32_t *pages;
	size_t count, i = 0;
	int r = 0;

	pages = unwind_pages(file->unwind, &count);
	file->index = index;
	while (r == 0 && i < count && count <= PAGES_AT_ONCE && !is_late(files))
		r = load_page(files, file, index, pages[i++]);
	if (r == 0 && i < count) {
		r = keep_unwind(files, file);
		file->filled = i;
		if (r == 0)
			return PROFILE_FILE_LOADED;
	}
	drop_unwind(files, file);
	file->is_cut = r != 0;
	return r ? PROFILE_FILE_FULL : PROFILE_FILE_LOADED;
}

/* The smallest one of which pages are not loaded, as it is soon complete; NULL: there is none. */
static struct captured_file *find_unfilled(const struct captured_files *files)
{
	struct captured_file *found = NULL;
	size_t least = SIZE_MAX, count;

	for (size_t i = 0; files->unfilled && i < files->count; i++) {
		if (!files->list[i].is_filling)
			continue;
		unwind_pages(files->list[i].unwind, &count);
		if (count < least) {
			least = count;
			found = &files->list[i];
		}
	}
	return found;
}

bool captured_files_fill(struct captured_files *files)
{
	struct captured_file *file;
	const uint32_t *pages;
	size_t count;

	/* What is left is for pages that are wanted. */
	if (files->tables.rows_count > TABLES_ROWS_FILLED)
		return false;
	file = find_unfilled(files);
	if (!file)
		return false;
	pages = unwind_pages(file->unwind, &count);
	for (int i = 0; i < PAGES_TO_FILL && file->filled < count && !is_late(files); i++) {
		const struct profile_page_key key = {file->index, pages[file->filled++]};
		struct profile_page page;

		if (bpf_map_lookup_elem(files->tables.pages_map, &key, &page) == 0 &&
		    page.state != PROFILE_PAGE_WANTED)
			continue;
		if (load_page(files, file, key.file, key.page)) {
			file->filled = count;
			file->is_cut = true;
		}
	}
	if (file->filled == count)
		drop_unwind(files, file);
	return files->unfilled > 0;
}

/*
 * Whether a file could not be opened for a reason that is of the process, which ends or executes
 * another program, and not of the file.
 */
static bool may_be_opened_later(struct captured_file *file, int r)
{
	return file->file.kind == STACK_FILE && file->file.fd < 0 && r != -EOPNOTSUPP &&
	       r != -EINVAL && r != -EMFILE && r != -ENFILE && file->tries++ < TRIES_MAX;
}

/* Opens a file, and loads its tables. Returns its state, or -EAGAIN: by another process perhaps. */
static int load_file(struct captured_files *files, const struct profile_file *seen,
		     struct captured_file *file)
{
	int r;

	if (file->was_opened) {
		drop_unwind(files, file);
		if (file->file.fd >= 0)
			close(file->file.fd);
		file->file.fd = -1;
	}
	r = open_file(files, seen, file);
	if (r && may_be_opened_later(file, r))
		return -EAGAIN;
	file->was_opened = true;
	files->unopened += r == -EMFILE || r == -ENFILE;
	if (r == 0)
		return (int)load_tables(files, file, seen->index);
	return r == -E2BIG || r == -ENOMEM || r == -EMFILE || r == -ENFILE ? PROFILE_FILE_FULL
									   : PROFILE_FILE_BARE;
}

static void remove_key(const struct captured_files *files, const struct profile_file_key *key)
{
	if (bpf_map_delete_elem(files->files_map, key) == 0 && files->taken && *files->taken)
		__atomic_fetch_sub(files->taken, 1, __ATOMIC_RELAXED);
}

int captured_files_add(struct captured_files *files, const struct profile_file_key *key)
{
	struct captured_file *file;
	struct profile_file seen;
	int state;

	if (bpf_map_lookup_elem(files->files_map, key, &seen) || seen.state != PROFILE_FILE_NEW)
		return 0;
	file = files_get(files, key, seen.index);
	if (!file)
		return -ENOMEM;
	state = load_file(files, &seen, file);
	if (state >= 0) {
		seen.state = (uint32_t)state;
		(void)bpf_map_update_elem(files->files_map, key, &seen, BPF_EXIST);
		return 0;
	}
	/* The next process that executes it may live longer. */
	files->vanished++;
	remove_key(files, key);
	return 0;
}

/*
 * Whether the file system of a device, as a process has it mounted, is one that the kernel answers
 * for: not FUSE.
 */
static bool is_of_kernel(const struct captured_files *files, uint32_t pid,
			 const struct symbol_file_id *id)
{
	char name[32], device[32], line[LINK_BYTES];
	bool is_kernels = false;
	FILE *mounts;

	snprintf(name, sizeof(name), "%u/mountinfo", pid);
	if (symbol_maps_open(files->proc, name, &mounts) != 0)
		return false;
	snprintf(device, sizeof(device), " %u:%u ", id->major, id->minor);
	while (!is_kernels && fgets(line, sizeof(line), mounts)) {
		const char *type = strstr(line, " - ");

		is_kernels = type && strstr(line, device) && strncmp(type + 3, "fuse", 4) != 0;
	}
	fclose(mounts);
	return is_kernels;
}

/* Opens what was closed. Returns 0; -ESTALE: another file has its inode; or -errno. */
static int reopen(struct captured_files *files, const struct profile_file *seen,
		  struct captured_file *file)
{
	struct captured_file again = *file;
	int r = open_mapped(files, seen, &again);

	if (r)
		return r;
	if (again.file.ctime_ns != file->file.ctime_ns ||
	    again.file.dev_major != file->file.dev_major ||
	    again.file.dev_minor != file->file.dev_minor) {
		close(again.file.fd);
		return -ESTALE;
	}
	again.is_closed = false;
	again.in_set = UINT32_MAX;
	*file = again;
	return 0;
}

/* No file that the kernel sees is this one from now on. */
static void disown_key(const struct captured_files *files, struct captured_file *file)
{
	struct profile_file_key key = file->key;

	file->key.zero = 1;
	remove_key(files, &key);
}

/*
 * A process has a file mapped that the map has. Returns whether it is another one that has this
 * key by now: the map has it no more then.
 */
static bool note_mapped(struct captured_files *files, const struct profile_file *seen,
			uint32_t index)
{
	struct captured_file *file = captured_files_find(files, index);

	if (file && file->is_unmapped) {
		/* It is open: no other one has its key. */
		file->pid = seen->pid;
		file->begin = seen->begin;
		file->end = seen->end;
		file->is_unmapped = false;
		files->unmapped--;
	}
	if (!file || !file->is_closed || files->count >= FILES_MAX ||
	    reopen(files, seen, file) != -ESTALE)
		return false;
	disown_key(files, file);
	return true;
}

/* What the kernel has not seen, or was closed. */
static int add_mapped(struct captured_files *files, uint32_t pid,
		      const struct symbol_maps_line *line)
{
	struct profile_file seen = {
		.begin = line->begin, .end = line->end, .offset = line->offset, .pid = pid};
	const struct profile_file_key key = {
		.ino = line->id.ino, .dev = line->id.major << DEV_MINOR_BITS | line->id.minor};
	struct captured_file *file;
	struct profile_file known;
	int state;

	if (line->rights[2] != 'x' || line->id.ino == 0)
		return 0;
	if (bpf_map_lookup_elem(files->files_map, &key, &known) == 0 &&
	    !note_mapped(files, &seen, known.index))
		return 0;
	if (files->next_index > files->last_index || !is_of_kernel(files, pid, &line->id))
		return 0;
	seen.index = files->next_index;
	file = files_get(files, &key, seen.index);
	if (!file)
		return -ENOMEM;
	files->next_index++;
	state = load_file(files, &seen, file);
	seen.state = (uint32_t)state;
	if (state >= 0 && bpf_map_update_elem(files->files_map, &key, &seen, BPF_NOEXIST) == 0 &&
	    files->taken)
		__atomic_fetch_add(files->taken, 1, __ATOMIC_RELAXED);
	return 0;
}

int captured_files_add_mapped(struct captured_files *files, uint32_t pid)
{
	struct symbol_maps_line *line = malloc(sizeof(*line));
	char name[32];
	FILE *maps;
	int r = 0;

	if (!line)
		return -ENOMEM;
	snprintf(name, sizeof(name), "%u/maps", pid);
	if (symbol_maps_open(files->proc, name, &maps) == 0) {
		while (r == 0 && symbol_maps_next(maps, line))
			r = add_mapped(files, pid, line);
		fclose(maps);
	}
	free(line);
	return r;
}

/* Closing. */

static bool is_mapped(const struct captured_files *files, const struct captured_file *file)
{
	struct statx found;
	char path[96];

	snprintf(path, sizeof(path), "%u/map_files/%llx-%llx", file->pid,
		 (unsigned long long)file->begin, (unsigned long long)file->end);
	return statx(files->proc, path, AT_STATX_DONT_SYNC, STATX_INO, &found) == 0 &&
	       found.stx_ino == file->file.ino && found.stx_dev_major == file->file.dev_major &&
	       found.stx_dev_minor == file->file.dev_minor;
}

/*
 * Whether a file was written to since it was opened: then its tables are of what it had. That a
 * name of it is removed changes its time, too.
 */
static bool is_rewritten(const struct captured_file *file, const struct statx *found)
{
	return mtime_of(found) != file->mtime_ns || found->stx_size != file->bytes ||
	       (ctime_of(found) != file->file.ctime_ns && found->stx_nlink == file->links);
}

/* When it is seen again its times say whether it is the same one. */
static void close_unmapped(struct captured_files *files, struct captured_file *file)
{
	struct statx found;

	if (statx(file->file.fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS,
		  &found) != 0 ||
	    is_rewritten(file, &found))
		disown_key(files, file);
	else
		file->file.ctime_ns = ctime_of(&found);
	close(file->file.fd);
	file->file.fd = -1;
	file->is_closed = true;
	file->is_unmapped = false;
	files->unmapped--;
}

int captured_files_release(struct captured_files *files, const struct stacks *stacks)
{
	size_t most = stacks->processes_count < ASKED_MAX ? stacks->processes_count : ASKED_MAX;
	int r = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct captured_file *file = &files->list[i];

		file->is_unmapped = file->file.fd >= 0 && !is_mapped(files, file);
		files->unmapped += file->is_unmapped;
	}
	/* Another one that ran meanwhile may have it, above all what is in most processes. */
	for (size_t i = 0; r == 0 && files->unmapped && i < most; i++)
		r = captured_files_add_mapped(files, (uint32_t)stacks->processes[i].pid);
	for (size_t i = 0; i < files->count; i++)
		if (files->list[i].is_unmapped)
			close_unmapped(files, &files->list[i]);
	return r;
}

/* Pages that a file has, or not, take room: whoever runs code at any offset has the kernel want it.
 */
static int want_no_more(struct captured_files *files, const struct captured_file *file,
			const struct profile_page_key *key)
{
	struct profile_file seen;

	files->tables.full++;
	(void)bpf_map_delete_elem(files->tables.pages_map, key);
	if (bpf_map_lookup_elem(files->files_map, &file->key, &seen) == 0) {
		seen.state = PROFILE_FILE_FULL;
		(void)bpf_map_update_elem(files->files_map, &file->key, &seen, BPF_EXIST);
	}
	return 0;
}

int captured_files_want(struct captured_files *files, const struct profile_page_key *key)
{
	struct captured_file *file = captured_files_find(files, key->file);
	struct profile_page page;
	int r = 0;

	if (!file || (bpf_map_lookup_elem(files->tables.pages_map, key, &page) == 0 &&
		      page.state != PROFILE_PAGE_WANTED))
		return 0;
	if (file->share.pages >= TABLES_PAGES_OF_FILE)
		return want_no_more(files, file, key);
	if (file->unwind)
		r = load_page(files, file, key->file, key->page);
	else if (file->share.pages++ < TABLES_PAGES_OF_FILE)
		r = tables_load_none(&files->tables, key, file->is_cut);
	return r == -ENOSPC ? 0 : r;
}

int captured_files_look(struct captured_files *files)
{
	struct profile_file_key key, next;
	void *before = NULL;
	int r = 0;

	while (r == 0 && bpf_map_get_next_key(files->files_map, before, &next) == 0) {
		key = next;
		before = &key;
		r = captured_files_add(files, &next);
	}
	return r;
}
