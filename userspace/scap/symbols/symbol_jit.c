/* SPDX-License-Identifier: MIT */
/* Reads lines "3ef1c0 2a name" and the records of jitdump, each up to a size and a number. */
#include "scap/symbols/symbol_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scap/proc/root.h"
#include "scap/symbols/symbol_collect.h"
#include "util/regular.h"

enum { LINE_BYTES = 4096 };

/* Of two symbols at one address the later one is shown. */
static void collect_code(struct symbol_collected *all, uint64_t begin, uint64_t bytes,
			 const char *name)
{
	if (bytes)
		symbol_collect(all, begin, bytes, name, (uint32_t)all->count);
}

/* Whether a server has to be asked for what is there; what a process has mounted, it alone knows.
 */
static bool is_served(const struct symbol_jit_process *process, int fd)
{
	char name[32];

	snprintf(name, sizeof(name), "%" PRId32 "/mountinfo", process->pid);
	return proc_mount_is_of_user_as(fd, process->proc, name) && proc_mount_is_of_user(fd);
}

/* Its /tmp, which may be a mount. Nothing is looked up in a file system that is not known. */
static int open_folder(const struct symbol_jit_process *process)
{
	int dir;

	if (is_served(process, process->root))
		return -EPERM;
	dir = proc_root_open_path(process->root, "tmp", O_DIRECTORY, RESOLVE_IN_ROOT);
	if (dir >= 0 && is_served(process, dir)) {
		close(dir);
		return -EPERM;
	}
	return dir;
}

int symbol_jit_open_map(const struct symbol_jit_process *process)
{
	int dir = open_folder(process), path_fd, fd;
	struct stat st;
	char name[64];

	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), "perf-%" PRId32 ".map", process->ns_pid);
	path_fd = proc_root_open_path(dir, name, O_NOFOLLOW,
				      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	close(dir);
	if (path_fd < 0)
		return path_fd;
	fd = regular_reopen(path_fd);
	close(path_fd);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && (st.st_uid == process->uid || st.st_uid == 0))
		return fd;
	close(fd);
	return -EPERM;
}

/* Maps. */

static void collect_line(struct symbol_collected *all, char *line)
{
	char *end, *name;
	uint64_t begin = strtoull(line, &end, 16), bytes;

	if (end == line || *end != ' ')
		return;
	bytes = strtoull(end, &name, 16);
	if (name == end || *name != ' ')
		return;
	name += strspn(name, " ");
	name[strcspn(name, "\n")] = '\0';
	collect_code(all, begin, bytes, name);
}

/* A stream of a copy of the descriptor, from the beginning of the file. */
static int open_stream(int fd, FILE **file)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy < 0)
		return -errno;
	*file = fdopen(copy, "r");
	if (!*file) {
		close(copy);
		return -ENOMEM;
	}
	rewind(*file);
	return 0;
}

/* The code of an address is that which was made last: a heap of what covers it, the latest first;
 * texts are in the order in which they were read. */
struct covering {
	const struct symbol_entry **heap; /* owned */
	size_t count;
};

static bool is_later(const struct covering *covering, size_t a, size_t b)
{
	return covering->heap[a]->name > covering->heap[b]->name;
}

static void covering_swap(struct covering *covering, size_t a, size_t b)
{
	const struct symbol_entry *other = covering->heap[a];

	covering->heap[a] = covering->heap[b];
	covering->heap[b] = other;
}

static void covering_add(struct covering *covering, const struct symbol_entry *entry)
{
	size_t i = covering->count++;

	covering->heap[i] = entry;
	for (; i && is_later(covering, i, (i - 1) / 2); i = (i - 1) / 2)
		covering_swap(covering, i, (i - 1) / 2);
}

static void covering_remove_first(struct covering *covering)
{
	size_t i = 0, latest = 0;

	covering->heap[0] = covering->heap[--covering->count];
	do {
		covering_swap(covering, i, latest);
		i = latest;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < covering->count; k++)
			if (is_later(covering, k, latest))
				latest = k;
	} while (latest != i);
}

static uint64_t last_of(const struct symbol_entry *entry)
{
	uint64_t last = entry->begin + entry->bytes - 1;

	return last < entry->begin ? UINT64_MAX : last;
}

/* Goes over all, by their begins, and divides them: at most two parts of each. Returns how many. */
static size_t divide(const struct symbol_table *table, struct covering *covering,
		     struct symbol_entry *parts)
{
	size_t next = 0, count = 0;
	uint64_t at = 0, last = 0;

	while (last < UINT64_MAX && (covering->count || next < table->count)) {
		const struct symbol_entry *begins =
			next < table->count ? &table->entries[next] : NULL;

		if (begins && (!covering->count || begins->begin == at)) {
			at = begins->begin;
			covering_add(covering, begins);
			next++;
			continue;
		}
		if (last_of(covering->heap[0]) < at) {
			covering_remove_first(covering);
			continue;
		}
		last = last_of(covering->heap[0]);
		if (begins && begins->begin <= last)
			last = begins->begin - 1;
		parts[count++] = (struct symbol_entry){.begin = at,
						       .bytes = (uint32_t)(last - at + 1),
						       .name = covering->heap[0]->name};
		at = last + 1;
	}
	return count;
}

static bool has_covered(const struct symbol_table *table)
{
	for (size_t i = 1; i < table->count; i++)
		if (last_of(&table->entries[i - 1]) >= table->entries[i].begin)
			return true;
	return false;
}

/* Memory of code is used again: what was compiled over other code covers it. */
static int cut_covered(struct symbol_table *table)
{
	struct covering covering = {0};
	struct symbol_entry *parts;

	if (!has_covered(table))
		return 0;
	parts = calloc(2 * table->count, sizeof(*parts));
	covering.heap = calloc(table->count, sizeof(*covering.heap));
	if (!parts || !covering.heap) {
		free(parts);
		free(covering.heap);
		symbol_table_finish(table);
		return -ENOMEM;
	}
	table->count = divide(table, &covering, parts);
	free(covering.heap);
	free(table->entries);
	table->entries = parts;
	return 0;
}

static int complete_code(struct symbol_collected *all, int r, struct symbol_table *table)
{
	if (r == 0) {
		r = symbol_collected_complete(all, table);
		return r ? r : cut_covered(table);
	}
	symbol_collected_finish(all);
	return r;
}

int symbol_jit_read_map(int fd, struct symbol_table *table)
{
	struct symbol_collected all = {0};
	char line[LINE_BYTES];
	FILE *file = NULL;
	int r = open_stream(fd, &file);

	if (r)
		return r;
	/*
	 * What a line has beyond the buffer begins no other one, unless it looks like one. What was
	 * read counts, not the texts of lines: they may be NULs.
	 */
	while (ftello(file) < SYMBOL_JIT_BYTES_MAX && all.count < SYMBOLS_MAX &&
	       fgets(line, sizeof(line), file))
		collect_line(&all, line);
	fclose(file);
	return complete_code(&all, 0, table);
}

/* Dumps. */

enum { JIT_MAGIC = 0x4A695444, JIT_CODE_LOAD = 0, JIT_CODE_MOVE = 1, JIT_HEADER_BYTES = 40 };

struct jit_header {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time_ns, flags;
};

struct jit_record {
	uint32_t kind, bytes;
	uint64_t time_ns;
};

struct jit_load {
	uint32_t pid, tid;
	uint64_t address, code, code_bytes, index;
};

struct jit_move {
	uint32_t pid, tid;
	uint64_t address, old_code, code, code_bytes, index;
};

_Static_assert(sizeof(struct jit_header) == JIT_HEADER_BYTES, "as in the file");
_Static_assert(sizeof(struct jit_load) == 40 && sizeof(struct jit_move) == 48, "as in the file");

/* What may be done for a whole dump, and for one move: it looks at the latest symbols. */
enum { STEPS_MAX = 1 << 26, STEPS_OF_MOVE = 4096 };

/* What is left to do. */
struct jit_budget {
	uint64_t bytes, steps;
};

/* What was moved has the name that it had. */
static void collect_move(struct symbol_collected *all, const struct jit_move *move,
			 struct jit_budget *budget)
{
	char name[512];

	for (size_t i = all->count; i-- > 0 && all->count - i <= STEPS_OF_MOVE;) {
		if (!budget->steps)
			return;
		budget->steps--;
		if (all->list[i].entry.begin != move->old_code)
			continue;
		/* The texts move when they grow. */
		snprintf(name, sizeof(name), "%s", all->texts.data + all->list[i].entry.name);
		collect_code(all, move->code, move->code_bytes, name);
		return;
	}
}

static void collect_record(struct symbol_collected *all, uint32_t kind, char *body, size_t len,
			   struct jit_budget *budget)
{
	struct jit_load load;
	struct jit_move move;

	if (kind == JIT_CODE_LOAD && len > sizeof(load)) {
		memcpy(&load, body, sizeof(load));
		body[len - 1] = '\0';
		collect_code(all, load.code, load.code_bytes, body + sizeof(load));
	} else if (kind == JIT_CODE_MOVE && len >= sizeof(move)) {
		memcpy(&move, body, sizeof(move));
		collect_move(all, &move, budget);
	}
}

/* Reads the record at an offset; sets that of the next one. Returns false at the end. */
static bool read_record(int fd, uint64_t *at, struct symbol_collected *all,
			struct jit_budget *budget)
{
	struct jit_record head;
	char body[LINE_BYTES];
	size_t want;
	ssize_t len;

	if (pread(fd, &head, sizeof(head), (off_t)*at) != sizeof(head) || head.bytes < sizeof(head))
		return false;
	want = head.bytes - sizeof(head);
	if (want > sizeof(body) - 1)
		want = sizeof(body) - 1; /* the code itself is not of interest */
	len = pread(fd, body, want, (off_t)(*at + sizeof(head)));
	if (len < 0 || (size_t)len != want || budget->bytes < want)
		return false;
	budget->bytes -= want;
	/* The name ends before the code: behind it no byte is looked at. */
	body[want] = '\0';
	collect_record(all, head.kind, body, want + 1, budget);
	*at += head.bytes;
	return true;
}

int symbol_jit_read_dump(int fd, struct symbol_table *table)
{
	struct symbol_collected all = {0};
	struct jit_budget budget = {SYMBOL_JIT_BYTES_MAX, STEPS_MAX};
	struct jit_header header;
	uint32_t records = 0;
	uint64_t at;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) || header.magic != JIT_MAGIC ||
	    header.bytes < sizeof(header) || header.bytes > LINE_BYTES)
		return -EBADMSG;
	at = header.bytes;
	while (records++ < SYMBOLS_MAX && !all.error && read_record(fd, &at, &all, &budget))
		;
	return complete_code(&all, 0, table);
}
