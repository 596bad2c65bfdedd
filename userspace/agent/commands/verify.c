/* SPDX-License-Identifier: MIT */
/* The command verify: proves that the records of an output are complete. */
#include "agent/commands/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "agent/commands/commands.h"
#include "agent/options/options.h"
#include "util/terminal.h"

/* A sorted array of ranges that do not touch. */

void verify_ranges_finish(struct verify_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct verify_ranges){0};
}

/* The index of the first range that ends at `number` or behind it. */
static size_t verify_ranges_find(const struct verify_ranges *ranges, uint64_t number)
{
	size_t low = 0, high = ranges->count;

	if (high && ranges->list[high - 1].to < number)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->list[middle].to < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int verify_insert(struct verify_ranges *ranges, size_t at, struct verify_range range)
{
	size_t capacity = ranges->capacity ? ranges->capacity * 2 : 16;

	if (ranges->count == ranges->capacity) {
		struct verify_range *list = realloc(ranges->list, capacity * sizeof(*list));

		if (!list)
			return -ENOMEM;
		ranges->list = list;
		ranges->capacity = capacity;
	}
	memmove(&ranges->list[at + 1], &ranges->list[at],
		(ranges->count - at) * sizeof(ranges->list[0]));
	ranges->list[at] = range;
	ranges->count++;
	return 0;
}

int verify_ranges_add(struct verify_ranges *ranges, uint64_t from, uint64_t to)
{
	/* One that ends right before it grows, too. */
	size_t at = verify_ranges_find(ranges, from ? from - 1 : 0), end = at;
	struct verify_range *list = ranges->list;

	while (end < ranges->count && (to == UINT64_MAX || list[end].from <= to + 1))
		end++;
	if (at == end)
		return verify_insert(ranges, at, (struct verify_range){from, to});
	if (list[at].from > from)
		list[at].from = from;
	if (list[end - 1].to > to)
		to = list[end - 1].to;
	if (list[at].to < to)
		list[at].to = to;
	memmove(&list[at + 1], &list[end], (ranges->count - end) * sizeof(list[0]));
	ranges->count -= end - at - 1;
	return 0;
}

bool verify_ranges_have(const struct verify_ranges *ranges, uint64_t number)
{
	size_t at = verify_ranges_find(ranges, number);

	return at < ranges->count && ranges->list[at].from <= number;
}

uint64_t verify_ranges_total(const struct verify_ranges *ranges)
{
	uint64_t total = 0;

	for (size_t i = 0; i < ranges->count; i++)
		total += ranges->list[i].to - ranges->list[i].from + 1;
	return total;
}

/* Moves `number` behind the range that has it; returns whether there is one. */
static bool verify_skip(const struct verify_ranges *ranges, uint64_t *number)
{
	size_t at = verify_ranges_find(ranges, *number);

	if (at == ranges->count || ranges->list[at].from > *number)
		return false;
	*number = ranges->list[at].to + 1;
	return true;
}

/* The end of the numbers from `number` on that are not in the set. */
static uint64_t hole_end(const struct verify_ranges *ranges, uint64_t number, uint64_t to)
{
	size_t at = verify_ranges_find(ranges, number);

	return at < ranges->count && ranges->list[at].from <= to ? ranges->list[at].from - 1 : to;
}

bool verify_ranges_find_hole(const struct verify_ranges *a, const struct verify_ranges *b,
			     uint64_t from, uint64_t to, struct verify_range *hole)
{
	while (from && from <= to && (verify_skip(a, &from) || verify_skip(b, &from)))
		;
	if (!from || from > to)
		return false;
	hole->from = from;
	hole->to = hole_end(b, from, hole_end(a, from, to));
	return true;
}

/* Numbers by session, and the comparison of holes with drop records. */

enum { HOLES_SHOWN = 10 };

static void verify_session_destroy(struct verify_session *session)
{
	for (size_t i = 0; i < session->causes_count; i++)
		free(session->causes[i].text);
	tdestroy(session->drops, free);
	free(session->causes);
	free(session->stream);
	free(session->reason);
	verify_ranges_finish(&session->seen);
	verify_ranges_finish(&session->said);
	free(session);
}

void verify_sessions_finish(struct verify_sessions *sessions)
{
	while (sessions->first) {
		struct verify_session *next = sessions->first->next;

		verify_session_destroy(sessions->first);
		sessions->first = next;
	}
	sessions->last_used = NULL;
}

static bool verify_is_of(const struct verify_session *session, const struct verify_record *record)
{
	return strlen(session->stream) == record->stream_len &&
	       (!record->stream_len ||
		memcmp(session->stream, record->id, record->stream_len) == 0);
}

static struct verify_session *verify_session_find(struct verify_sessions *sessions,
						  const struct verify_record *record)
{
	struct verify_session **place = &sessions->first, *made;

	if (sessions->last_used && verify_is_of(sessions->last_used, record))
		return sessions->last_used;
	while (*place && !verify_is_of(*place, record))
		place = &(*place)->next;
	if (!*place) {
		made = calloc(1, sizeof(*made));
		if (!made)
			return NULL;
		made->stream = strndup(record->id ? record->id : "", record->stream_len);
		if (!made->stream) {
			free(made);
			return NULL;
		}
		*place = made;
	}
	sessions->last_used = *place;
	return *place;
}

static struct verify_cause *find_cause(struct verify_session *session, const char *text)
{
	struct verify_cause *causes;

	for (size_t i = 0; i < session->causes_count; i++)
		if (strcmp(session->causes[i].text, text) == 0)
			return &session->causes[i];
	causes = realloc(session->causes, (session->causes_count + 1) * sizeof(*causes));
	if (!causes)
		return NULL;
	session->causes = causes;
	causes[session->causes_count] = (struct verify_cause){.text = strdup(text)};
	return causes[session->causes_count].text ? &causes[session->causes_count++] : NULL;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Returns 1 if this drop record is known: it was sent twice; 0, or -ENOMEM. */
static int know_drop(struct verify_session *session, const char *id)
{
	char *copy;

	if (tfind(id, &session->drops, compare_ids))
		return 1;
	copy = strdup(id);
	if (!copy || !tsearch(copy, &session->drops, compare_ids)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

static int add_drop(struct verify_session *session, const struct verify_record *record)
{
	int known = record->id ? know_drop(session, record->id) : 0;
	struct verify_cause *cause = known ? NULL : find_cause(session, record->cause);

	if (known)
		return known < 0 ? known : 0;
	if (!cause)
		return -ENOMEM;
	if (!record->count) {
		cause->unknown++;
		return 0;
	}
	if (!record->from) {
		cause->unnumbered += record->count;
		return 0;
	}
	cause->count += record->count;
	session->dropped += record->count;
	return verify_ranges_add(&session->said, record->from, record->to);
}

static int add_end(struct verify_session *session, const struct verify_record *record)
{
	char *reason;

	if (!session->first_end.is_known)
		session->first_end = (struct verify_first_end){
			true, record->is_of_run, record->number, record->records, session->records};
	if (session->reason && record->number < session->end)
		return 0;
	reason = strdup(record->cause);
	if (!reason)
		return -ENOMEM;
	free(session->reason);
	session->reason = reason;
	session->end = record->number;
	return 0;
}

int verify_sessions_add(struct verify_sessions *sessions, const struct verify_record *record)
{
	struct verify_session *session = verify_session_find(sessions, record);

	if (!session)
		return -ENOMEM;
	if (record->is_drop)
		return add_drop(session, record);
	if (record->is_end)
		return add_end(session, record);
	session->records++;
	session->redelivered += record->redelivered;
	if (!record->redelivered && verify_ranges_have(&session->seen, record->number))
		session->repeated++;
	return verify_ranges_add(&session->seen, record->number, record->number);
}

static uint64_t last_of(const struct verify_ranges *ranges)
{
	return ranges->count ? ranges->list[ranges->count - 1].to : 0;
}

static uint64_t verify_first_of(const struct verify_ranges *ranges)
{
	return ranges->count ? ranges->list[0].from : UINT64_MAX;
}

static uint64_t verify_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t verify_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void verify_append_causes(const struct verify_session *session, struct buf *text)
{
	for (size_t i = 0; i < session->causes_count; i++) {
		const struct verify_cause *cause = &session->causes[i];

		if (cause->count)
			buf_printf(text, "  dropped %" PRIu64 ": %s\n", cause->count, cause->text);
		if (cause->unnumbered)
			buf_printf(text, "  lost before they had a number %" PRIu64 ": %s\n",
				   cause->unnumbered, cause->text);
		if (cause->unknown)
			buf_printf(text,
				   "  lost, and nobody knows how many, %" PRIu64 " time%s: %s\n",
				   cause->unknown, cause->unknown == 1 ? "" : "s", cause->text);
	}
}

/* Appends the first holes of which no drop record says anything; returns their number. */
static uint64_t append_holes(const struct verify_session *session, uint64_t first, uint64_t last,
			     struct buf *text)
{
	struct verify_range hole = {.to = first - 1};
	uint64_t holes = 0;

	while (verify_ranges_find_hole(&session->seen, &session->said, hole.to + 1, last, &hole))
		if (holes++ < HOLES_SHOWN)
			buf_printf(text, "  missing, and not said: %" PRIu64 " to %" PRIu64 "\n",
				   hole.from, hole.to);
	if (holes > HOLES_SHOWN)
		buf_printf(text, "  and %" PRIu64 " more holes\n", holes - HOLES_SHOWN);
	return holes;
}

static uint64_t count_unnumbered(const struct verify_session *session)
{
	uint64_t count = 0;

	for (size_t i = 0; i < session->causes_count; i++)
		count += session->causes[i].unnumbered;
	return count;
}

/* Whether the first end record says that there was more before `first` than is here. */
static bool is_cut_off(const struct verify_session *session, uint64_t first)
{
	const struct verify_first_end *end = &session->first_end;

	if (!end->is_known)
		return false;
	if (!end->is_of_run)
		return end->here < end->records;
	/* Its records have the last numbers before it; some may have had none. */
	return first + end->records > end->number + 1 + count_unnumbered(session);
}

/* The numbers of an output begin with 1; those of a file go on with those of the one before. */
static bool append_beginning(const struct verify_session *session, uint64_t first, struct buf *text)
{
	if (first == 1)
		return true;
	if (is_cut_off(session, first)) {
		buf_printf(text,
			   "  the beginning is missing: there were %" PRIu64
			   " records, and those before %" PRIu64 " are not here\n",
			   session->first_end.records, first);
		return false;
	}
	buf_printf(text, "  begins with %" PRIu64 ": what was before is not here\n", first);
	return true;
}

/* Records behind an end record are those of a later run, which has an end of its own. */
static bool append_end(const struct verify_session *session, uint64_t last, struct buf *text)
{
	if (session->reason && session->end >= last_of(&session->seen)) {
		buf_printf(text, "  ended: %s\n", session->reason);
		return true;
	}
	if (session->is_live) {
		BUF_LITERAL(text, "  live: an agent has the file open, and goes on\n");
		return true;
	}
	buf_printf(text, "  the end is missing: nothing says that %" PRIu64 " is the last number\n",
		   last);
	return false;
}

bool verify_session_append_report(const struct verify_session *session, struct buf *text)
{
	uint64_t first =
		verify_smaller(verify_first_of(&session->seen), verify_first_of(&session->said));
	uint64_t last = verify_larger(
		verify_larger(last_of(&session->seen), last_of(&session->said)), session->end);
	bool any = first <= last;
	uint64_t missing = any ? last - first + 1 - verify_ranges_total(&session->seen) : 0;
	bool right;

	buf_printf(text, "%s: records %" PRIu64,
		   session->stream[0] ? session->stream : "without ids", session->records);
	if (any)
		buf_printf(text, ", numbers %" PRIu64 " to %" PRIu64, first, last);
	buf_printf(text, ", missing %" PRIu64 ", sent again %" PRIu64 "\n", missing,
		   session->redelivered);
	verify_append_causes(session, text);
	right = !any || append_beginning(session, first, text);
	right &= !any || append_holes(session, first, last, text) == 0;
	/* A drop record may be about some of the numbers in its range. */
	if (right && missing > session->dropped) {
		buf_printf(text, "  missing %" PRIu64 ", of which drop records say %" PRIu64 "\n",
			   missing, session->dropped);
		right = false;
	}
	if (session->repeated)
		buf_printf(text, "  repeated without a mark: %" PRIu64 "\n", session->repeated);
	return append_end(session, last, text) && right && !session->repeated;
}

/* Reads files line by line, in their order, and prints what came of each session of an output. */

struct verify {
	struct line_reader *reader;
	struct verify_sessions sessions;
	char *line; /* owned, of getline() */
	size_t size;
	bool torn; /* a file ends within a line, as that of an agent that was killed may */
	bool is_live; /* an agent goes on with one of them */
};

static int read_line(struct verify *verify, size_t len, struct error *err)
{
	struct verify_record record;
	int r;

	if (len && verify->line[len - 1] == '\n')
		len--;
	if (!len)
		return 0;
	r = verify_line_reader_read(verify->reader, verify->line, len, &record, err);
	if (r)
		return r;
	r = verify_sessions_add(&verify->sessions, &record);
	return r ? error_set(err, r, "out of memory") : 0;
}

static bool is_control(int byte)
{
	return byte >= 0 && byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r';
}

/* Whether a line has what no text has, or the next one begins with that. */
static bool is_binary(const char *line, size_t len, FILE *file)
{
	int next = getc(file);
	bool found = is_control(next);

	if (next != EOF)
		ungetc(next, file);
	for (size_t i = 0; i < len && !found; i++)
		found = is_control((unsigned char)line[i]);
	return found;
}

/* Whether an agent has the file open: it holds a lock on it, which ends with the agent. */
static bool verify_is_live(FILE *file)
{
	if (flock(fileno(file), LOCK_EX | LOCK_NB) == 0) {
		flock(fileno(file), LOCK_UN);
		return false;
	}
	return errno == EWOULDBLOCK;
}

/* The agent goes on with the session of the last line. */
static void mark_live(struct verify *verify)
{
	if (verify->sessions.last_used)
		verify->sessions.last_used->is_live = true;
	verify->is_live = true;
}

static int read_lines(struct verify *verify, FILE *file, const char *name, struct error *err)
{
	struct error wrong = {""};
	/* It may end meanwhile, behind what was read. */
	bool is_live = verify_is_live(file);
	uint64_t number = 1;
	ssize_t len;

	for (; (len = getline(&verify->line, &verify->size, file)) >= 0; number++) {
		bool whole = verify->line[len - 1] == '\n';
		int r = read_line(verify, (size_t)len, &wrong);

		if (r == -EBADMSG && number == 1 && is_binary(verify->line, (size_t)len, file))
			return error_set(err, r,
					 "%s: not lines of JSON, but binary, as format=protobuf "
					 "has it: verify reads format=json alone",
					 name);
		if (r && (whole || r == -ENOMEM))
			return error_set(err, r, "%s: line %" PRIu64 ": %s", name, number,
					 wrong.text);
		if (r)
			fprintf(stderr, "agent: %s: line %" PRIu64 " is incomplete: not counted\n",
				name, number);
		verify->torn |= r != 0 && !is_live;
	}
	if (is_live)
		mark_live(verify);
	return ferror(file) ? error_set(err, -EIO, "cannot read %s: %s", name, strerror(errno)) : 0;
}

/* Files that were compressed have to be decompressed by others. */
static int check_plain(FILE *file, const char *name, struct error *err)
{
	int first = getc(file);

	if (first == 0x1f || first == 0x28)
		return error_set(err, -EBADMSG, "%s is compressed: %s %s | agent verify -", name,
				 first == 0x1f ? "zcat" : "zstdcat", name);
	if (first != EOF)
		ungetc(first, file);
	return 0;
}

static int verify_read_file(struct verify *verify, const char *path, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int r;

	if (!file)
		return error_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	r = check_plain(file, name, err);
	if (r == 0)
		r = read_lines(verify, file, name, err);
	if (!is_stdin)
		fclose(file);
	return r;
}

/* Returns whether nothing is missing without a drop record that says so. */
static bool print_sessions(const struct verify *verify)
{
	struct buf text = {0};
	bool right = !verify->torn;

	for (const struct verify_session *session = verify->sessions.first; session;
	     session = session->next)
		right &= verify_session_append_report(session, &text);
	if (!verify->sessions.first)
		BUF_LITERAL(&text, "no records, and no end\n");
	else if (right && verify->is_live)
		BUF_LITERAL(&text, "OK so far: what is missing is said\n");
	else if (right)
		BUF_LITERAL(&text, "OK: what is missing is said\n");
	right &= verify->sessions.first != NULL;
	right &= !text.failed;
	terminal_print(stdout, &text);
	buf_finish(&text);
	return right;
}

int verify_run(const struct options *options)
{
	struct verify verify = {0};
	struct error err = {""};
	int exit_code, r = verify_line_reader_create(&verify.reader);

	if (r)
		error_set(&err, r, "out of memory");
	if (r == 0 && !options->files_count)
		r = verify_read_file(&verify, "-", &err);
	for (size_t i = 0; i < options->files_count && r == 0; i++)
		r = verify_read_file(&verify, options->files[i], &err);
	if (r)
		exit_code = command_fail(EXIT_FAILURE, &err);
	else
		exit_code = print_sessions(&verify) ? command_finish_output() : EXIT_FAILURE;
	verify_sessions_finish(&verify.sessions);
	verify_line_reader_destroy(verify.reader);
	free(verify.line);
	return exit_code;
}
