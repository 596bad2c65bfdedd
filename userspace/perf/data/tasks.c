/* SPDX-License-Identifier: MIT */
/* Reads /proc, and writes what it says as the kernel would have written it. */
#include "perf/data/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "perf/data/format.h"

enum { COMM_BYTES = 16, LINE_BYTES = PATH_MAX + 256, TRAILER_BYTES_MAX = 48, NAMESPACES = 7 };

struct record_comm {
	struct perf_event_header header;
	int32_t pid, tid;
};

struct record_fork {
	struct perf_event_header header;
	int32_t pid, parent, tid, parent_tid;
	uint64_t time_ns;
};

struct record_namespaces {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t count;
	struct {
		uint64_t dev, ino;
	} links[NAMESPACES];
};

struct record_cgroup {
	struct perf_event_header header;
	uint64_t id;
};

void perf_tasks_init(struct perf_tasks *tasks, struct perf_data_writer *writer,
		     struct perf_build_ids *build_ids, size_t trailer_bytes)
{
	*tasks = (struct perf_tasks){.writer = writer,
				     .build_ids = build_ids,
				     .kallsyms = "/proc/kallsyms",
				     .trailer_bytes = trailer_bytes};
}

void perf_tasks_finish(struct perf_tasks *tasks)
{
	perf_build_ids_finish(&tasks->files);
	buf_finish(&tasks->record);
}

/* Appends a record of a fixed part, and perhaps a name, with the trailer: of no time, and no event.
 */
static void put(struct perf_tasks *tasks, const void *fixed, size_t bytes, const char *name)
{
	static const char zeros[TRAILER_BYTES_MAX + sizeof(uint64_t)];
	struct buf *record = &tasks->record;
	struct perf_event_header header;

	buf_clear(record);
	buf_append(record, fixed, bytes);
	if (name) {
		size_t len = strlen(name) + 1;

		buf_append(record, name, len);
		buf_append(record, zeros, (sizeof(uint64_t) - len % sizeof(uint64_t)) % 8);
	}
	buf_append(record, zeros, tasks->trailer_bytes);
	if (record->failed || record->len > PERF_DATA_RECORD_BYTES_MAX)
		return;
	memcpy(&header, record->data, sizeof(header));
	header.size = (uint16_t)record->len;
	memcpy(record->data, &header, sizeof(header));
	perf_data_writer_append(tasks->writer, record->data, record->len);
}

/* The kernel. */

static void put_kernel_map(struct perf_tasks *tasks, uint64_t begin, uint64_t bytes,
			   uint64_t offset, const char *name)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t begin, bytes, offset;
	} record = {{.type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL},
		    -1,
		    0,
		    begin,
		    bytes,
		    offset};

	put(tasks, &record, sizeof(record), name);
}

/* A BPF program, or where a module has a symbol, which ends the one before it. */
struct kernel_place {
	uint64_t address;
	char *name; /* owned; NULL: of a module */
};

/* What of kallsyms is of interest. */
struct kernel_symbols {
	uint64_t text, end;
	struct kernel_place *places; /* owned */
	size_t count, room;
};

static int compare_places(const void *a, const void *b)
{
	const struct kernel_place *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/*
 * How long a program is the kernel does not say there: up to what is behind it, wherever that is in
 * the list, if it is near or in the 2 MiB that programs share; else not beyond these, nor far.
 */
static uint32_t program_bytes(uint64_t begin, uint64_t next)
{
	enum { LAST_BYTES_MAX = 1 << 16, SHARED_BYTES = 2 << 20 };
	uint64_t end = (begin | (SHARED_BYTES - 1)) + 1;

	if (next > begin && (next <= end || next - begin < LAST_BYTES_MAX))
		return (uint32_t)(next - begin);
	return end - begin < LAST_BYTES_MAX ? (uint32_t)(end - begin) : LAST_BYTES_MAX;
}

static void put_programs(struct perf_tasks *tasks, struct kernel_symbols *found)
{
	if (found->count)
		qsort(found->places, found->count, sizeof(*found->places), compare_places);
	for (size_t i = 0; i < found->count; i++) {
		const struct kernel_place *place = &found->places[i];
		size_t next = i + 1;
		struct {
			struct perf_event_header header;
			uint64_t begin;
			uint32_t bytes;
			uint16_t type, flags;
		} record = {{.type = PERF_RECORD_KSYMBOL, .misc = PERF_RECORD_MISC_KERNEL},
			    place->address,
			    0,
			    PERF_RECORD_KSYMBOL_TYPE_BPF,
			    0};

		while (next < found->count && found->places[next].address == place->address)
			next++;
		record.bytes = program_bytes(place->address,
					     next < found->count ? found->places[next].address : 0);
		if (place->name)
			put(tasks, &record, sizeof(record), place->name);
	}
}

/* Without memory some programs have no record. */
static void note_place(struct kernel_symbols *found, uint64_t address, const char *name)
{
	char *copy = name ? strdup(name) : NULL;

	if (found->count == found->room) {
		size_t room = found->room ? 2 * found->room : 256;
		void *larger = reallocarray(found->places, room, sizeof(*found->places));

		if (larger) {
			found->places = larger;
			found->room = room;
		}
	}
	if (found->count == found->room || (name && !copy)) {
		free(copy);
		return;
	}
	found->places[found->count++] = (struct kernel_place){address, copy};
}

static void note_symbol(const char *line, bool bpf, struct kernel_symbols *found)
{
	char name[128], owner[64] = "", kind;
	uint64_t address;

	if (sscanf(line, "%" SCNx64 " %c %127s %63s", &address, &kind, name, owner) < 3)
		return;
	if (strcmp(name, "_text") == 0 || (!found->text && strcmp(name, "_stext") == 0))
		found->text = address;
	else if (strcmp(name, "_etext") == 0)
		found->end = address;
	if (bpf && owner[0] && address)
		note_place(found, address, strcmp(owner, "[bpf]") == 0 ? name : NULL);
}

/* Where the file of a module is below /lib/modules, as modules.dep says; or "[NAME]". */
static void find_module(const char *name, char path[PATH_MAX])
{
	char line[LINE_BYTES], list[PATH_MAX], release[128] = "";
	FILE *file = fopen("/proc/sys/kernel/osrelease", "re");

	snprintf(path, PATH_MAX, "[%s]", name);
	if (!file)
		return;
	if (!fgets(release, sizeof(release), file))
		release[0] = '\0';
	fclose(file);
	release[strcspn(release, "\n")] = '\0';
	snprintf(list, sizeof(list), "/lib/modules/%s/modules.dep", release);
	file = fopen(list, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *base;
		size_t len = strlen(name);

		line[strcspn(line, ":")] = '\0';
		base = strrchr(line, '/');
		base = base ? base + 1 : line;
		for (size_t i = 0; i < len && base; i++)
			if (base[i] != name[i] && !(base[i] == '-' && name[i] == '_'))
				base = NULL;
		if (base && base[len] == '.')
			snprintf(path, PATH_MAX, "/lib/modules/%.100s/%.3000s", release, line);
	}
	if (file)
		fclose(file);
}

static void note_module_id(struct perf_tasks *tasks, const char *name, const char *path)
{
	char notes[256];
	uint8_t bytes[1024];
	struct perf_build_id id;
	ssize_t n;
	int fd;

	snprintf(notes, sizeof(notes), "/sys/module/%.100s/notes/.note.gnu.build-id", name);
	fd = open(notes, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (n > 0 && perf_build_id_find(bytes, (size_t)n, &id))
		perf_build_ids_add(tasks->build_ids, path, &id, true);
}

static void append_modules(struct perf_tasks *tasks)
{
	FILE *file = fopen("/proc/modules", "re");
	char line[LINE_BYTES];

	while (file && fgets(line, sizeof(line), file)) {
		char name[100], path[PATH_MAX];
		uint64_t bytes, address;

		if (sscanf(line, "%99s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &bytes, &address) !=
			    3 ||
		    !address)
			continue;
		find_module(name, path);
		put_kernel_map(tasks, address, bytes, 0, path);
		note_module_id(tasks, name, path);
	}
	if (file)
		fclose(file);
}

void perf_tasks_append_kernel(struct perf_tasks *tasks, bool bpf)
{
	FILE *file = fopen(tasks->kallsyms, "re");
	struct kernel_symbols found = {0};
	struct perf_build_id id;
	char line[1024];

	while (file && fgets(line, sizeof(line), file))
		note_symbol(line, bpf, &found);
	if (file)
		fclose(file);
	put_programs(tasks, &found);
	for (size_t i = 0; i < found.count; i++)
		free(found.places[i].name);
	free(found.places);
	if (found.text && found.end > found.text)
		put_kernel_map(tasks, found.text, found.end - found.text, found.text,
			       "[kernel.kallsyms]_text");
	if (perf_build_id_of_kernel(&id))
		perf_build_ids_add(tasks->build_ids, "[kernel.kallsyms]", &id, true);
	append_modules(tasks);
}

/* Processes. */

/* The process of a thread and the parent of it. Returns false: it has ended. */
static bool read_status(pid_t pid, int32_t *process, int32_t *parent)
{
	char path[64], line[256];
	unsigned int found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && found < 2 && fgets(line, sizeof(line), file))
		found += sscanf(line, "Tgid: %d", process) == 1 ||
			 sscanf(line, "PPid: %d", parent) == 1;
	if (file)
		fclose(file);
	return found == 2;
}

static bool read_comm(pid_t process, pid_t thread, char comm[COMM_BYTES])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)process, (int)thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, comm, COMM_BYTES - 1);
	close(fd);
	if (n <= 0)
		return false;
	comm[n] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	return true;
}

static void append_namespaces(struct perf_tasks *tasks, pid_t process, pid_t thread)
{
	static const char *const names[NAMESPACES] = {"net",  "uts", "ipc",   "pid",
						      "user", "mnt", "cgroup"};
	struct record_namespaces record = {
		.header = {.type = PERF_RECORD_NAMESPACES},
		.pid = process,
		.tid = thread,
		.count = NAMESPACES,
	};

	for (size_t i = 0; i < NAMESPACES; i++) {
		char path[96];
		struct stat link;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/ns/%s", (int)process, (int)thread,
			 names[i]);
		if (stat(path, &link))
			continue;
		record.links[i].dev = link.st_dev;
		record.links[i].ino = link.st_ino;
	}
	put(tasks, &record, sizeof(record), NULL);
}

static void append_thread(struct perf_tasks *tasks, pid_t process, pid_t parent, pid_t thread)
{
	pid_t creator = thread == process ? parent : process;
	struct record_fork fork = {
		.header = {.type = PERF_RECORD_FORK, .misc = PERF_RECORD_MISC_FORK_EXEC},
		.pid = process,
		.parent = creator,
		.tid = thread,
		.parent_tid = creator,
	};
	const struct record_comm record = {{.type = PERF_RECORD_COMM}, process, thread};
	char comm[COMM_BYTES];

	if (!read_comm(process, thread, comm))
		return;
	put(tasks, &fork, sizeof(fork), NULL);
	if (tasks->has_namespaces)
		append_namespaces(tasks, process, thread);
	put(tasks, &record, sizeof(record), comm);
}

/* The build id of the file that is mapped there; each file is read once. */
static bool find_build_id(struct perf_tasks *tasks, pid_t pid,
			  const struct perf_data_mapping *mapping, struct perf_build_id *id)
{
	char path[128], key[64];

	snprintf(key, sizeof(key), "%x:%x:%" PRIu64, mapping->major, mapping->minor, mapping->ino);
	if (perf_build_ids_get(&tasks->files, key, id))
		return id->size > 0;
	*id = (struct perf_build_id){0};
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
		 mapping->begin, mapping->begin + mapping->bytes);
	perf_build_id_read(path, id);
	perf_build_ids_add(&tasks->files, key, id, false);
	return id->size > 0;
}

static uint32_t protection_of(const char rights[5])
{
	return (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
	       (rights[2] == 'x' ? PROT_EXEC : 0);
}

/* "7f00-7f10 r-xp 00001000 fe:01 1234   /lib/x.so" */
static void append_mapping(struct perf_tasks *tasks, pid_t pid, const char *line)
{
	struct perf_data_mapping mapping = {
		.header = {.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER},
		.pid = pid,
		.tid = pid,
	};
	struct perf_build_id id;
	uint64_t end;
	char rights[5];
	int at = 0;
	const char *path;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping.begin, &end, rights, &mapping.offset, &mapping.major, &mapping.minor,
		   &mapping.ino, &at) < 7 ||
	    (rights[2] != 'x' && (!tasks->has_data || !mapping.ino)))
		return;
	path = line[at] ? line + at : "//anon";
	mapping.bytes = end - mapping.begin;
	mapping.protection = protection_of(rights);
	mapping.flags = rights[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (rights[2] != 'x')
		mapping.header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (mapping.ino && find_build_id(tasks, pid, &mapping, &id)) {
		perf_build_ids_add(tasks->build_ids, path, &id, false);
		mapping.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memset(mapping.reserved, 0, sizeof(mapping.reserved));
		mapping.build_id_bytes = id.size;
		memcpy(mapping.build_id, id.bytes, sizeof(mapping.build_id));
	}
	put(tasks, &mapping, sizeof(mapping), path);
}

static void append_mappings(struct perf_tasks *tasks, pid_t pid)
{
	char path[64], line[LINE_BYTES];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		size_t len = strcspn(line, "\n");

		/* The rest of a line that is longer than any path. */
		for (int c = line[len]; c != '\n' && c != EOF;)
			c = getc(file);
		line[len] = '\0';
		append_mapping(tasks, pid, line);
	}
	if (file)
		fclose(file);
}

void perf_tasks_append_process(struct perf_tasks *tasks, pid_t pid, bool maps)
{
	int32_t process, parent;
	struct dirent *entry;
	char path[64];
	DIR *folder;

	if (!read_status(pid, &process, &parent))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			append_thread(tasks, process, parent,
				      (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(folder);
	if (maps)
		append_mappings(tasks, process);
}

/* Some processes: which of them are wanted, or descend from those that are. */
struct chosen_process {
	int32_t pid, parent;
	enum { CHOICE_WANTED, CHOICE_NOT_KNOWN, CHOICE_ASKED, CHOICE_OTHER } choice;
};

struct chosen_processes {
	struct chosen_process *list; /* owned; by their numbers, those that are wanted first */
	size_t count, room;
};

static bool chosen_add(struct chosen_processes *all, pid_t pid, bool wanted)
{
	struct chosen_process process = {.choice = wanted ? CHOICE_WANTED : CHOICE_NOT_KNOWN};

	if (!read_status(pid, &process.pid, &process.parent))
		return true;
	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 64;
		void *larger = reallocarray(all->list, room, sizeof(*all->list));

		if (!larger)
			return false;
		all->list = larger;
		all->room = room;
	}
	all->list[all->count++] = process;
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct chosen_process *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static int compare_chosen(const void *a, const void *b)
{
	const struct chosen_process *left = a, *right = b;
	int order = compare_numbers(a, b);

	return order ? order : (int)left->choice - (int)right->choice;
}

static void chosen_sort(struct chosen_processes *all)
{
	size_t count = 0;

	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), compare_chosen);
	for (size_t i = 0; i < all->count; i++)
		if (!count || all->list[i].pid != all->list[count - 1].pid)
			all->list[count++] = all->list[i];
	all->count = count;
}

static struct chosen_process *parent_of(const struct chosen_processes *all,
					const struct chosen_process *process)
{
	const struct chosen_process key = {.pid = process->parent};

	return bsearch(&key, all->list, all->count, sizeof(key), compare_numbers);
}

/* Goes up to one of which it is known, and down again: each process is asked once. */
static bool chosen_ask(const struct chosen_processes *all, struct chosen_process *process)
{
	struct chosen_process *at = process;
	bool wanted;

	for (; at && at->choice == CHOICE_NOT_KNOWN; at = parent_of(all, at))
		at->choice = CHOICE_ASKED;
	wanted = at && at->choice == CHOICE_WANTED;
	for (at = process; at && at->choice == CHOICE_ASKED; at = parent_of(all, at))
		at->choice = wanted ? CHOICE_WANTED : CHOICE_OTHER;
	return process->choice == CHOICE_WANTED;
}

static bool chosen_add_all(struct chosen_processes *all)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	bool ok = true;

	while (folder && ok && (entry = readdir(folder))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (!*end && pid > 0)
			ok = chosen_add(all, (pid_t)pid, false);
	}
	if (folder)
		closedir(folder);
	return ok;
}

int perf_tasks_append_processes(struct perf_tasks *tasks, const pid_t *tids, size_t count,
				bool maps, bool descendants)
{
	struct chosen_processes all = {0};
	bool ok = true;

	for (size_t i = 0; i < count && ok; i++)
		ok = chosen_add(&all, tids[i], true);
	if (descendants && ok)
		ok = chosen_add_all(&all);
	chosen_sort(&all);
	for (size_t i = 0; i < all.count && ok; i++)
		if (chosen_ask(&all, &all.list[i]))
			perf_tasks_append_process(tasks, all.list[i].pid, maps);
	free(all.list);
	return ok ? 0 : -ENOMEM;
}

void perf_tasks_append_all(struct perf_tasks *tasks)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (!*end && pid > 0)
			perf_tasks_append_process(tasks, (pid_t)pid, true);
	}
	if (folder)
		closedir(folder);
}

/* Where hierarchies of version 2 are mounted; the last one is NULL. */
static const char *const hierarchies[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", NULL};

static void append_hierarchy(struct perf_tasks *tasks, const char *root)
{
	char *const roots[] = {(char *)(uintptr_t)root, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		const char *path = entry->fts_path + strlen(root);
		const struct record_cgroup record = {{.type = PERF_RECORD_CGROUP},
						     entry->fts_statp->st_ino};

		if (entry->fts_info == FTS_D && strlen(path) < PATH_MAX)
			put(tasks, &record, sizeof(record), *path ? path : "/");
	}
	if (tree)
		fts_close(tree);
}

void perf_tasks_append_cgroups(struct perf_tasks *tasks)
{
	struct statfs found;

	for (const char *const *root = hierarchies; *root; root++)
		if (statfs(*root, &found) == 0 && found.f_type == CGROUP2_SUPER_MAGIC)
			append_hierarchy(tasks, *root);
}
