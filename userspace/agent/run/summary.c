/* SPDX-License-Identifier: MIT */
/*
 * Counts by call, process and descriptor in hash tables with open addressing, and prints sorted
 * tables.
 */
#include "agent/run/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "sinsp/sinsp.h"
#include "util/hash.h"
#include "util/terminal.h"

/*
 * A hash table with open addressing. Names are untrusted: whatever they are, an event examines at
 * most PROBES_MAX rows.
 */

enum { PROBES_MAX = 32 };

int summary_tally_init(struct summary_tally *tally, size_t size)
{
	*tally = (struct summary_tally){.rows = calloc(size, sizeof(tally->rows[0])), .size = size};
	return tally->rows ? 0 : -ENOMEM;
}

void summary_tally_finish(struct summary_tally *tally)
{
	free(tally->rows);
	*tally = (struct summary_tally){0};
}

static void summary_set_name(struct summary_tally_row *row, const char *name, size_t len)
{
	row->len = (uint16_t)(len < TALLY_NAME_BYTES ? len : TALLY_NAME_BYTES);
	memcpy(row->name, name, row->len);
}

static bool summary_has_name(const struct summary_tally_row *row, const char *name, size_t len)
{
	size_t kept = len < TALLY_NAME_BYTES ? len : TALLY_NAME_BYTES;

	return row->len == kept && memcmp(row->name, name, kept) == 0;
}

/*
 * The row of a key, or a free one for it; NULL: none within reach. name: NULL if it is no part of
 * the key.
 */
static struct summary_tally_row *summary_find(const struct summary_tally *tally, uint32_t hash,
					      int64_t number, const char *name, size_t len)
{
	for (size_t i = 0; i < PROBES_MAX; i++) {
		struct summary_tally_row *row = &tally->rows[(hash + i) & (tally->size - 1)];

		if (row->count.events == 0)
			return row;
		if (row->hash == hash && row->number == number &&
		    (!name || summary_has_name(row, name, len)))
			return row;
	}
	return NULL;
}

static void count(struct summary_tally *tally, struct summary_tally_row *row, uint32_t hash,
		  int64_t number, bool failed)
{
	if (row->count.events == 0)
		tally->used++;
	row->hash = hash;
	row->number = number;
	summary_tally_add(&row->count, failed);
}

void summary_tally_count_number(struct summary_tally *tally, int64_t number, const char *name,
				size_t len, bool failed)
{
	uint32_t hash = hash_bytes(&number, sizeof(number));
	struct summary_tally_row *row = summary_find(tally, hash, number, NULL, 0);

	if (!row) {
		summary_tally_add(&tally->rest, failed);
		return;
	}
	count(tally, row, hash, number, failed);
	summary_set_name(row, name, len);
}

void summary_tally_count_name(struct summary_tally *tally, int64_t number, const char *name,
			      size_t len, bool failed)
{
	uint32_t hash = hash_bytes(name, len) ^ (uint32_t)number;
	struct summary_tally_row *row = summary_find(tally, hash, number, name, len);

	if (!row) {
		summary_tally_add(&tally->rest, failed);
		return;
	}
	if (row->count.events == 0)
		summary_set_name(row, name, len);
	count(tally, row, hash, number, failed);
}

/* Counts by call, process and descriptor, and prints sorted tables. */

enum {
	PROCESSES_SIZE = 1 << 12,
	DESCRIPTORS_SIZE = 1 << 13,
	/* Events by their id; after them the calls that share the generic event. */
	CALLS_COUNT = EVENT_ID_MAX + SYSCALL_CODES_COUNT,
};

struct summary {
	struct summary_tally_count all;
	struct summary_tally_count calls[CALLS_COUNT];
	struct summary_tally processes; /* pid, and the last name */
	struct summary_tally descriptors; /* type and name */
};

int summary_create(struct summary **summary)
{
	struct summary *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	if (summary_tally_init(&made->processes, PROCESSES_SIZE) ||
	    summary_tally_init(&made->descriptors, DESCRIPTORS_SIZE)) {
		summary_destroy(made);
		return -ENOMEM;
	}
	*summary = made;
	return 0;
}

void summary_destroy(struct summary *summary)
{
	if (!summary)
		return;
	summary_tally_finish(&summary->processes);
	summary_tally_finish(&summary->descriptors);
	free(summary);
}

static unsigned int call_of(const struct event *ev)
{
	unsigned int r;

	if (ev->desc->id != EVENT_syscall)
		return ev->desc->id;
	r = event_syscall_code(ev);
	return EVENT_ID_MAX + (r < SYSCALL_CODES_COUNT ? r : SC_unknown);
}

static const char *call_name(unsigned int call)
{
	return call < EVENT_ID_MAX ? event_desc_get(call)->name : syscall_name(call - EVENT_ID_MAX);
}

void summary_count(struct summary *summary, const struct state_event *event)
{
	const struct state_thread *thread = event->thread;
	const struct state_fd *fd = event->fd;
	int64_t result;
	bool failed = event_result(&event->ev, &result) && result < 0;

	summary_tally_add(&summary->all, failed);
	summary_tally_add(&summary->calls[call_of(&event->ev)], failed);
	if (thread)
		summary_tally_count_number(&summary->processes, thread->pid, thread->comm,
					   strnlen(thread->comm, sizeof(thread->comm)), failed);
	if (fd)
		summary_tally_count_name(&summary->descriptors, fd->type, fd->name, fd->name_len,
					 failed);
}

/* A line of a table. */
struct line {
	struct summary_tally_count count;
	int64_t number;
	const char *name;
	size_t len;
};

/* The most frequent first; then by name, for a stable order. */
static int summary_compare(const void *a, const void *b)
{
	const struct line *one = a, *other = b;
	size_t len = one->len < other->len ? one->len : other->len;
	int order;

	if (one->count.events != other->count.events)
		return one->count.events < other->count.events ? 1 : -1;
	order = memcmp(one->name, other->name, len);
	if (order)
		return order;
	if (one->len != other->len)
		return one->len < other->len ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

static void summary_append_count(const struct summary_tally_count *count, struct buf *text)
{
	buf_printf(text, "%10" PRIu64, count->events);
	if (count->failed)
		buf_printf(text, "%10" PRIu64, count->failed);
	else
		buf_printf(text, "%10s", "");
}

static void summary_append_name(const char *name, size_t len, struct buf *text)
{
	size_t start = text->len;

	buf_append(text, name, len);
	if (!text->failed)
		terminal_mask(text->data + start, len);
}

/* The description of a table. */
struct table {
	const char *title; /* of the name, and of the column before it */
	void (*append_number)(int64_t number, struct buf *text);
	struct line *lines;
	size_t count;
	const struct summary_tally_count *rest; /* of keys that did not fit; NULL: all fit */
};

/* Sorts and appends the first lines, then the sum of the others. */
static void summary_append_table(const struct table *table, size_t top, struct buf *text)
{
	struct summary_tally_count others = {0};

	if (table->count == 0)
		return;
	qsort(table->lines, table->count, sizeof(table->lines[0]), summary_compare);
	buf_printf(text, "\n%10s%10s  %s\n", "COUNT", "FAILED", table->title);
	for (size_t i = 0; i < table->count; i++) {
		const struct line *line = &table->lines[i];

		if (i >= top) {
			others.events += line->count.events;
			others.failed += line->count.failed;
			continue;
		}
		summary_append_count(&line->count, text);
		BUF_LITERAL(text, "  ");
		if (table->append_number)
			table->append_number(line->number, text);
		summary_append_name(line->name, line->len, text);
		buf_append_char(text, '\n');
	}
	if (table->count > top) {
		summary_append_count(&others, text);
		buf_printf(text, "  (%zu more)\n", table->count - top);
	}
	if (table->rest && table->rest->events) {
		summary_append_count(table->rest, text);
		BUF_LITERAL(text, "  (others: the table was full)\n");
	}
}

static void append_calls(const struct summary *summary, struct line *lines, struct buf *text)
{
	struct table table = {.title = "CALL", .lines = lines};

	for (unsigned int call = 0; call < CALLS_COUNT; call++) {
		const char *name = summary->calls[call].events ? call_name(call) : NULL;

		if (name)
			lines[table.count++] = (struct line){
				.count = summary->calls[call], .name = name, .len = strlen(name)};
	}
	summary_append_table(&table, CALLS_COUNT, text);
}

static void append_pid(int64_t pid, struct buf *text)
{
	buf_printf(text, "%-10" PRId64, pid);
}

static void append_type(int64_t type, struct buf *text)
{
	buf_printf(text, "%-10s", state_fd_type_name((enum scap_fd_type)type));
}

static void append_tally(const struct summary_tally *tally, struct table *table, size_t top,
			 struct buf *text)
{
	for (size_t i = 0; i < tally->size; i++) {
		const struct summary_tally_row *row = &tally->rows[i];

		if (row->count.events)
			table->lines[table->count++] =
				(struct line){row->count, row->number, row->name, row->len};
	}
	table->rest = &tally->rest;
	summary_append_table(table, top, text);
}

void summary_append(const struct summary *summary, bool all, struct buf *text)
{
	const size_t most = DESCRIPTORS_SIZE > CALLS_COUNT ? (size_t)DESCRIPTORS_SIZE : CALLS_COUNT;
	struct line *lines = calloc(most, sizeof(*lines));
	struct table processes = {"PID       PROCESS", append_pid, lines};
	struct table descriptors = {"TYPE      DESCRIPTOR", append_type, lines};
	size_t top = all ? most : SUMMARY_TOP;

	_Static_assert((int)PROCESSES_SIZE <= (int)DESCRIPTORS_SIZE,
		       "there is room for each table");
	if (!lines) {
		buf_fail(text);
		return;
	}
	buf_printf(text, "%" PRIu64 " events, %" PRIu64 " of them failed calls\n",
		   summary->all.events, summary->all.failed);
	append_calls(summary, lines, text);
	append_tally(&summary->processes, &processes, top, text);
	append_tally(&summary->descriptors, &descriptors, top, text);
	free(lines);
}
