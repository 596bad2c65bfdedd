/* SPDX-License-Identifier: MIT */
/* From an address to a mapping, to the file, to its table; each is read when it is first needed. */
#include "scap/samples/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/samples/process_maps.h"
#include "scap/samples/symbol_reader.h"
#include "util/buf.h"
#include "util/clock.h"

enum {
	FILES_MAX = 4096, /* known at a time */
	FILE_PLACES = 2 * FILES_MAX,
	TABLES_BYTES_MAX = 128 << 20, /* of all tables; more are not read */
	REQUESTS_MAX = 64, /* at a time */
	FRAMES_KEPT = 256,
	TRIES_MAX = 3, /* to read a file */
	DISCARDS_MAX = 3, /* answers about a process, in a row */
};

/* How long one sample waits, and all of them: a tenth of the time, after a first second. */
static const uint64_t wait_ns_max = 300000000, first_waits_ns = 1000000000;
static const uint64_t pause_ns = 1000000000; /* for a process that maps all the time */
static const uint64_t forget_ns = 60000000000;
static const uint64_t modules_stay_ns = 60000000000; /* and programs of the kernel */
enum { WAITS_DIVISOR = 10 };

enum file_state { FILE_FREE, FILE_NEW, FILE_ASKED, FILE_READ, FILE_UNREADABLE };

struct mapped_file {
	struct symbol_file_id id;
	enum file_state state;
	uint8_t tries; /* that failed */
	char *path; /* owned */
	struct symbol_table table;
};

struct sample_symbols {
	struct symbol_reader *reader;
	struct process_maps maps;
	struct mapped_file files[FILE_PLACES];
	size_t files_count, tables_bytes, requests;
	enum file_state kernel_state;
	struct symbol_table kernel;
	uint64_t
		kernel_due_ns; /* monotonic clock: for modules and programs it is read again then */
	uint64_t begun_ns, waiting_ns, waited_ns; /* monotonic clock; since when; in all */
	uint64_t nameless, unread;
	bool is_full; /* of files or their tables */
	uint64_t forget_due_ns; /* monotonic clock: not forgotten again before */
	const char *name, *names[FRAMES_KEPT]; /* of the sample and its frames */
};

static void forget_files(struct sample_symbols *symbols)
{
	for (size_t i = 0; i < FILE_PLACES; i++) {
		symbol_table_finish(&symbols->files[i].table);
		free(symbols->files[i].path);
	}
	memset(symbols->files, 0, sizeof(symbols->files));
	symbols->files_count = 0;
	symbols->tables_bytes = 0;
}

void sample_symbols_destroy(struct sample_symbols *symbols)
{
	if (!symbols)
		return;
	symbol_reader_destroy(symbols->reader);
	forget_files(symbols);
	symbol_table_finish(&symbols->kernel);
	process_maps_finish(&symbols->maps);
	free(symbols);
}

/* Files. */

static bool is_same(const struct symbol_file_id *a, const struct symbol_file_id *b)
{
	return a->ino == b->ino && a->major == b->major && a->minor == b->minor;
}

/* The number of a file, which is added; FILE_PLACES: there is no room. */
static uint32_t file_number(struct sample_symbols *symbols, const struct symbol_file_id *id,
			    const char *path)
{
	uint64_t mixed = (id->ino ^ (uint64_t)id->minor << 40 ^ (uint64_t)id->major << 52) *
			 0x9e3779b97f4a7c15ULL;
	size_t i = (mixed >> 32) % FILE_PLACES;

	for (; symbols->files[i].state != FILE_FREE; i = (i + 1) % FILE_PLACES)
		if (is_same(&symbols->files[i].id, id))
			return (uint32_t)i;
	if (symbols->files_count == FILES_MAX) {
		symbols->is_full = true;
		symbols->unread++;
		return FILE_PLACES;
	}
	symbols->files[i] =
		(struct mapped_file){.id = *id, .state = FILE_NEW, .path = strdup(path)};
	if (!symbols->files[i].path) {
		symbols->files[i].state = FILE_FREE;
		symbols->unread++;
		return FILE_PLACES;
	}
	symbols->files_count++;
	return (uint32_t)i;
}

static void add_mapping(struct sample_symbols *symbols, struct process_entry *process,
			struct process_mapping mapping, const struct symbol_file_id *id,
			const char *path)
{
	mapping.file = id->ino ? file_number(symbols, id, path) : FILE_PLACES;
	if (process_maps_add(process, &mapping))
		symbols->unread++;
}

/* Answers. */

/* What was mapped meanwhile may not be in an answer. Reading it all the time is of no use. */
static void discard_mappings(struct process_entry *process)
{
	process->state = MAPPED_UNKNOWN;
	if (process->discards < DISCARDS_MAX)
		process->discards++;
	if (process->discards == DISCARDS_MAX)
		process->ask_due_ns = clock_ns(CLOCK_MONOTONIC) + pause_ns;
}

static void take_mappings(struct sample_symbols *symbols, const struct symbol_request *answer)
{
	struct process_entry *process = process_maps_find(&symbols->maps, answer->pid);

	if (!process || process->state != MAPPED_ASKED)
		return;
	if (process->added_ns > answer->begun_ns) {
		discard_mappings(process);
		return;
	}
	process->discards = 0;
	process->ask_due_ns = 0;
	process->state = answer->error ? MAPPED_NEVER : MAPPED_KNOWN;
	process->begun_ns = answer->begun_ns;
	process->read_ns = answer->read_ns;
	for (size_t i = 0; i < answer->mappings_count && !answer->error; i++)
		add_mapping(symbols, process, answer->mappings[i].mapping, &answer->mappings[i].id,
			    answer->texts + answer->mappings[i].path);
}

static void take_error(struct sample_symbols *symbols, struct mapped_file *file, int error)
{
	bool is_final = error == -EFBIG || error == -ENOMEM || error == -ETIMEDOUT;

	/* The process may have ended: others that have it mapped show it, too. */
	file->state = !is_final && ++file->tries < TRIES_MAX ? FILE_NEW : FILE_UNREADABLE;
	/* Of one that is no program, or has ended, or has no symbols, nothing is missing. */
	symbols->unread += file->state == FILE_UNREADABLE && error != -ENOENT && error != -EBADMSG;
}

static void take_file(struct sample_symbols *symbols, struct symbol_request *answer)
{
	struct mapped_file *file = &symbols->files[answer->file];

	if (file->state != FILE_ASKED || !is_same(&file->id, &answer->id))
		return;
	if (answer->error) {
		take_error(symbols, file, answer->error);
		return;
	}
	if (symbols->tables_bytes + symbol_table_bytes(&answer->table) > TABLES_BYTES_MAX) {
		symbols->is_full = true;
		symbols->unread++;
		file->state = FILE_UNREADABLE;
		return;
	}
	file->state = FILE_READ;
	file->table = answer->table;
	answer->table = (struct symbol_table){0};
	symbols->tables_bytes += symbol_table_bytes(&file->table);
}

static void take_kernel(struct sample_symbols *symbols, struct symbol_request *answer)
{
	symbols->kernel_due_ns = clock_ns(CLOCK_MONOTONIC) + modules_stay_ns;
	/* What was read before is better than nothing. */
	if (symbols->kernel_state != FILE_READ)
		symbols->kernel_state = answer->error ? FILE_UNREADABLE : FILE_READ;
	if (answer->error)
		return;
	symbol_table_finish(&symbols->kernel);
	symbols->kernel = answer->table;
	answer->table = (struct symbol_table){0};
}

/* All are learnt anew, so that those of processes that ended give room. */
static void forget_if_full(struct sample_symbols *symbols)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!symbols->is_full || now < symbols->forget_due_ns)
		return;
	symbols->forget_due_ns = now + forget_ns;
	symbols->is_full = false;
	forget_files(symbols);
	process_maps_finish(&symbols->maps);
}

void sample_symbols_step(struct sample_symbols *symbols)
{
	struct symbol_request *answer;

	forget_if_full(symbols);
	while ((answer = symbol_reader_answer(symbols->reader))) {
		symbols->requests--;
		switch (answer->kind) {
		case READ_KERNEL:
			take_kernel(symbols, answer);
			break;
		case READ_MAPPINGS:
			take_mappings(symbols, answer);
			break;
		case READ_FILE:
			take_file(symbols, answer);
			break;
		}
		symbol_request_destroy(answer);
	}
}

/* Returns whether it is asked now. */
static bool ask(struct sample_symbols *symbols, const struct symbol_request *wanted,
		const char *path)
{
	struct symbol_request *request;

	if (symbols->requests == REQUESTS_MAX)
		return false;
	request = malloc(sizeof(*request));
	if (!request)
		return false;
	*request = *wanted;
	if (path) {
		request->path = strdup(path);
		if (!request->path) {
			free(request);
			return false;
		}
	}
	symbols->requests++;
	symbol_reader_ask(symbols->reader, request);
	return true;
}

/* Records. */

void sample_symbols_map(struct sample_symbols *symbols, const struct sample_mapping *mapping,
			uint64_t time_ns)
{
	const struct symbol_file_id id = {mapping->major, mapping->minor, mapping->ino};
	const struct process_mapping made = {
		.begin = mapping->begin,
		.end = mapping->begin + mapping->bytes,
		.offset = mapping->offset,
	};
	struct process_entry *process = process_maps_find(&symbols->maps, mapping->pid);

	if (!process)
		return;
	if (process->state == MAPPED_ASKED)
		process->added_ns = time_ns;
	if (process->state == MAPPED_KNOWN && process->begun_ns < time_ns)
		add_mapping(symbols, process, made, &id, mapping->path);
}

void sample_symbols_foresee_exec(struct sample_symbols *symbols, int32_t pid, uint64_t time_ns)
{
	struct process_entry *process = process_maps_get(&symbols->maps, pid);

	if (process && !process->exec_ns)
		process->exec_ns = time_ns;
}

void sample_symbols_exec(struct sample_symbols *symbols, int32_t pid, uint64_t time_ns)
{
	struct process_entry *process = process_maps_get(&symbols->maps, pid);

	if (process)
		process_maps_exec(process, time_ns);
}

void sample_symbols_fork(struct sample_symbols *symbols, const struct sample_task *task,
			 uint64_t time_ns)
{
	process_maps_fork(&symbols->maps, task->parent, task->pid, time_ns);
}

void sample_symbols_exit(struct sample_symbols *symbols, const struct sample_task *task)
{
	if (task->pid == task->tid)
		process_maps_end(&symbols->maps, task->pid);
}

void sample_symbols_forget(struct sample_symbols *symbols, uint64_t time_ns)
{
	process_maps_forget(&symbols->maps, time_ns);
}

/* Names. */

/* What a look-up found: a name, or NULL. */
struct found {
	const char *name;
	bool asked; /* it is being read */
	bool refused; /* it is to be read, but too much else is */
};

static struct found find_in_kernel(struct sample_symbols *symbols, uint64_t address)
{
	const struct symbol_request wanted = {.kind = READ_KERNEL};

	if (symbols->kernel_state == FILE_NEW && ask(symbols, &wanted, NULL))
		symbols->kernel_state = FILE_ASKED;
	if (symbols->kernel_state == FILE_READ &&
	    !symbol_table_has_own(&symbols->kernel, address) &&
	    clock_ns(CLOCK_MONOTONIC) >= symbols->kernel_due_ns && ask(symbols, &wanted, NULL))
		symbols->kernel_due_ns = UINT64_MAX; /* until it is there */
	if (symbols->kernel_state == FILE_READ)
		return (struct found){.name = symbol_table_find(&symbols->kernel, address)};
	return (struct found){.asked = symbols->kernel_state == FILE_ASKED,
			      .refused = symbols->kernel_state == FILE_NEW};
}

int sample_symbols_create(int proc, bool kernel, struct sample_symbols **symbols, struct error *err)
{
	struct sample_symbols *made = calloc(1, sizeof(*made));
	int folder, r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	folder = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		free(made);
		return error_set(err, -errno, "cannot open /proc: %s", strerror(errno));
	}
	/* Whether the kernel shows addresses is decided here, by the rights of who opens it. */
	r = symbol_reader_create(folder, openat(folder, "kallsyms", O_RDONLY | O_CLOEXEC),
				 SYMBOLS_SLOW_NS, &made->reader, err);
	if (r) {
		free(made);
		return r;
	}
	made->kernel_state = FILE_NEW;
	made->begun_ns = clock_ns(CLOCK_MONOTONIC);
	if (kernel)
		(void)find_in_kernel(made, 0);
	*symbols = made;
	return 0;
}

static struct found find_in_file(struct sample_symbols *symbols, int32_t pid,
				 const struct process_mapping *mapping, uint64_t address)
{
	struct mapped_file *file;

	if (mapping->file == FILE_PLACES)
		return (struct found){0};
	file = &symbols->files[mapping->file];
	if (file->state == FILE_NEW) {
		const struct symbol_request wanted = {
			.kind = READ_FILE,
			.pid = pid,
			.file = mapping->file,
			.begin = mapping->begin,
			.end = mapping->end,
			.id = file->id,
		};

		if (ask(symbols, &wanted, file->path))
			file->state = FILE_ASKED;
	}
	if (file->state == FILE_READ)
		return (struct found){
			.name = symbol_table_find(&file->table,
						  address - mapping->begin + mapping->offset)};
	return (struct found){.asked = file->state == FILE_ASKED,
			      .refused = file->state == FILE_NEW};
}

static bool may_be_asked(const struct process_entry *process)
{
	return process->state == MAPPED_UNKNOWN &&
	       (!process->ask_due_ns || clock_ns(CLOCK_MONOTONIC) >= process->ask_due_ns);
}

/* The process of a sample, if its mappings are those of the time of the sample; or NULL. */
static struct process_entry *find_process(struct sample_symbols *symbols,
					  const struct sample_record *sample, struct found *found)
{
	struct process_entry *process = process_maps_get(&symbols->maps, sample->pid);
	const struct symbol_request wanted = {.kind = READ_MAPPINGS, .pid = sample->pid};

	if (!process)
		return NULL;
	if (may_be_asked(process) && ask(symbols, &wanted, NULL))
		process->state = MAPPED_ASKED;
	found->asked = process->state == MAPPED_ASKED;
	found->refused = process->state == MAPPED_UNKNOWN;
	if (process->state != MAPPED_KNOWN)
		return NULL;
	/* They may be of the program that began later. */
	if (process->exec_ns && sample->time_ns < process->exec_ns &&
	    process->read_ns > process->exec_ns)
		return NULL;
	return process;
}

static struct found find_in_process(struct sample_symbols *symbols,
				    const struct sample_record *sample, uint64_t address)
{
	struct found found = {0};
	const struct process_entry *process = find_process(symbols, sample, &found);
	const struct process_mapping *mapping = process ? process_maps_at(process, address) : NULL;

	return mapping ? find_in_file(symbols, sample->pid, mapping, address) : found;
}

static struct found find_one(struct sample_symbols *symbols, const struct sample_record *sample,
			     uint8_t mode, uint64_t address)
{
	if (mode == PERF_RECORD_MISC_KERNEL)
		return find_in_kernel(symbols, address);
	if (mode == PERF_RECORD_MISC_USER)
		return find_in_process(symbols, sample, address);
	return (struct found){0};
}

/* An address that a call returns to is behind the call, perhaps in the next function. */
static uint64_t called_at(const struct sample_record *sample, uint64_t frame)
{
	return frame == sample->ip ? frame : frame - 1;
}

/* Whether a sample is not to wait any more. */
static bool has_waited(struct sample_symbols *symbols)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), waits;

	if (!symbols->waiting_ns)
		symbols->waiting_ns = now;
	waits = now - symbols->waiting_ns;
	return waits > wait_ns_max ||
	       symbols->waited_ns + waits >
		       first_waits_ns + (now - symbols->begun_ns) / WAITS_DIVISOR;
}

static void end_wait(struct sample_symbols *symbols)
{
	if (symbols->waiting_ns)
		symbols->waited_ns += clock_ns(CLOCK_MONOTONIC) - symbols->waiting_ns;
	symbols->waiting_ns = 0;
}

int sample_symbols_find(struct sample_symbols *symbols, const struct sample_record *sample)
{
	struct found found = find_one(symbols, sample, sample->mode, sample->ip);
	uint8_t mode = sample->mode;
	bool asked = found.asked, refused = found.refused;

	symbols->name = found.name;
	for (uint32_t i = 0; i < sample->frames_count && i < FRAMES_KEPT; i++) {
		uint64_t frame = sample_frame(sample, i);

		if (sample_frame_is_marker(frame, &mode))
			continue;
		found = find_one(symbols, sample, mode, called_at(sample, frame));
		symbols->names[i] = found.name;
		asked |= found.asked;
		refused |= found.refused;
	}
	if (asked && !has_waited(symbols))
		return -EAGAIN;
	symbols->nameless += asked || refused;
	end_wait(symbols);
	return 1;
}

const char *sample_symbols_name(const struct sample_symbols *symbols)
{
	return symbols->name;
}

/* The modes of the first frames, as markers stand before those that they are of. */
static uint32_t frame_modes(const struct sample_record *sample, uint8_t modes[FRAMES_KEPT])
{
	uint32_t count = sample->frames_count < FRAMES_KEPT ? sample->frames_count : FRAMES_KEPT;
	uint8_t mode = sample->mode;

	for (uint32_t i = 0; i < count; i++)
		modes[i] =
			sample_frame_is_marker(sample_frame(sample, i), &mode) ? UINT8_MAX : mode;
	return count;
}

/* Names of programs are their own choice: a semicolon would end a frame. */
static void append_name(struct buf *text, const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ";");

		buf_append(text, name, len);
		name += len;
		if (*name) {
			buf_append_char(text, ':');
			name++;
		}
	}
}

const char *sample_symbols_stack(const struct sample_symbols *symbols,
				 const struct sample_record *sample, char *memory, size_t bytes)
{
	struct buf text = buf_fixed(memory, bytes - 1);
	uint8_t modes[FRAMES_KEPT];
	uint32_t i = frame_modes(sample, modes);

	while (i-- > 0) {
		if (modes[i] == UINT8_MAX)
			continue;
		if (text.len)
			buf_append_char(&text, ';');
		if (symbols->names[i])
			append_name(&text, symbols->names[i]);
		else
			buf_printf(&text, "%#" PRIx64, sample_frame(sample, i));
		if (modes[i] == PERF_RECORD_MISC_KERNEL)
			buf_append_string(&text, "_[k]");
	}
	memory[text.len] = '\0';
	return text.len ? memory : NULL;
}

void sample_symbols_stats(const struct sample_symbols *symbols, struct samples_stats *stats)
{
	stats->nameless = symbols->nameless;
	stats->unread = symbols->unread;
	stats->slow = symbol_reader_slow(symbols->reader);
}
