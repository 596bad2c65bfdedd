/* SPDX-License-Identifier: MIT */
/*
 * From old events to current ones: rows of conversions.def, one after the other, until none is for
 * the event. On the way it is a list of parameters wherever they lie; what comes out of it is put
 * together once. An event that is current costs a look at its descriptor.
 */
#include "scap/file/upgrade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "scap/file/upgrade_pending.h"
#include "util/json.h"

enum {
	SCAP_CODES = 454,
	ROW_PARAMS_MAX = 30,
	STEPS_MAX = 20, /* an execve of 2014 takes 16 */
	RUNS_MAX = 4,
};

enum fold_from {
	FROM_NOWHERE,
	FROM_OLD,
	FROM_OLD_DYN,
	FROM_ENTER,
	FROM_ENTER_OR_DEFAULT,
	FROM_DEFAULT,
	FROM_JSON,
};

/* Parameters that follow each other. */
struct fold_run {
	uint8_t from; /* enum fold_from */
	uint8_t first, count;
};

struct conversion {
	uint8_t nparams;
	bool keep, give;
	uint16_t to; /* unless it is given or kept */
	struct fold_run runs[RUNS_MAX];
};

/* clang-format off */
#define OLD(first, count) {FROM_OLD, first, count}
#define OLD_DYN(index) {FROM_OLD_DYN, index, 1}
#define ENTER(first, count) {FROM_ENTER, first, count}
#define ENTER_OR_DEFAULT(first, count) {FROM_ENTER_OR_DEFAULT, first, count}
#define ABSENT(count) {FROM_NOWHERE, 0, count}
#define DEFAULT(count) {FROM_DEFAULT, 0, count}
#define JSON {FROM_JSON, 0, 1}

#define KEEP(code, event, nparams) ROW(code, nparams, .keep = true)
#define KEEP_AND_GIVE(code, event, nparams) ROW(code, nparams, .keep = true, .give = true)
#define GIVE(code, event, nparams) ROW(code, nparams, .give = true)
#define APPEND(code, event, nparams, ...)                                                          \
	ROW(code, nparams, .to = code, .runs = {OLD(0, nparams), __VA_ARGS__})
#define REPLACE(code, event, nparams, to_code, ...)                                                \
	ROW(code, nparams, .to = to_code, .runs = {__VA_ARGS__})

enum row_number {
	NO_ROW,
#define ROW(code, nparams, ...) ROW_##code##_##nparams,
#include "scap/file/conversions.def"
#undef ROW
	ROWS_END,
};

static const struct conversion conversions[] = {
#define ROW(code, nparams, ...) [ROW_##code##_##nparams] = {nparams, __VA_ARGS__},
#include "scap/file/conversions.def"
#undef ROW
};

/* By code and number of parameters: each event is looked up, some more than once. */
static const uint8_t row_numbers[SCAP_CODES][ROW_PARAMS_MAX + 1] = {
#define ROW(code, nparams, ...) [code][nparams] = ROW_##code##_##nparams,
#include "scap/file/conversions.def"
#undef ROW
};
/* clang-format on */

_Static_assert((int)ROWS_END <= UINT8_MAX, "numbers of rows fit");

struct scap_fold {
	struct fold_pending pending;
	uint64_t folded;
	struct buf json; /* of a container, in `json_text` */
	char json_text[FRAME_BYTES_MAX];
	uint8_t frame[FRAME_BYTES_MAX];
};

/* An event on its way. */
struct fold_event {
	struct ppm_evt_hdr header; /* its `nparams` are those of `params` */
	struct event_param *params; /* in one of the lists; the next step makes the other one */
	struct event_param lists[2][EVENT_PARAMS_MAX];
	struct fold_enter *enter; /* what its thread had, once it was looked for */
	bool changed;
};

static const struct event_param absent = {(const uint8_t *)"", 0};

int scap_fold_create(struct scap_fold **fold)
{
	struct scap_fold *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	if (fold_pending_init(&made->pending)) {
		free(made);
		return -ENOMEM;
	}
	*fold = made;
	return 0;
}

void scap_fold_destroy(struct scap_fold *fold)
{
	if (!fold)
		return;
	fold_pending_finish(&fold->pending);
	free(fold);
}

uint64_t scap_fold_count(const struct scap_fold *fold)
{
	return fold->folded;
}

/* The row for frames of this code with as many parameters, or NULL. */
static const struct conversion *row_of(unsigned int code, unsigned int nparams)
{
	unsigned int number = NO_ROW;

	if (code < SCAP_CODES && nparams <= ROW_PARAMS_MAX)
		number = row_numbers[code][nparams];
	return number == NO_ROW ? NULL : &conversions[number];
}

/* The row of a code that is for the most parameters, or NULL. */
static const struct conversion *last_row_of(unsigned int code)
{
	const struct conversion *row = NULL;

	for (unsigned int n = ROW_PARAMS_MAX + 1; n > 0 && !row; n--)
		row = row_of(code, n - 1);
	return row;
}

/*
 * How many parameters an event has in the .scap world, in the last version that had it: -EAGAIN for
 * those at the enter of a call that told nothing, -ENOENT for what is not known.
 */
static int known_params(unsigned int code)
{
	const struct event_desc *desc = event_desc_get(code);
	const struct conversion *last;
	unsigned int at_exit = code + 1;

	if (code >= SCAP_CODES)
		return -ENOENT;
	if (desc)
		return desc->scap_nparams;
	last = last_row_of(code);
	if (last)
		return last->nparams;
	if (code % 2 == 0 && (event_desc_get(at_exit) || last_row_of(at_exit)))
		return -EAGAIN;
	return -ENOENT;
}

static bool is_unseen(const struct event_desc *desc)
{
	return desc->flags & EF_UNSEEN;
}

static size_t width_of(unsigned int code)
{
	const struct event_desc *desc = event_desc_get(code);

	return desc && (desc->flags & EF_LARGE_PAYLOAD) ? sizeof(uint32_t) : sizeof(uint16_t);
}

int scap_fold_count_params(const void *frame, size_t len)
{
	const uint8_t *lengths = (const uint8_t *)frame + sizeof(struct ppm_evt_hdr);
	size_t sums[EVENT_PARAMS_MAX + 1] = {sizeof(struct ppm_evt_hdr)};
	struct ppm_evt_hdr header;
	int known, n;

	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, frame, sizeof(header));
	known = known_params(header.type);
	if (known < 0)
		return known == -EAGAIN ? 0 : known;
	/* With n parameters it has the bytes sums[n]. */
	for (n = 0; n < known && sizeof(header) + (size_t)(n + 1) * sizeof(uint16_t) <= len; n++) {
		uint16_t value_len;

		memcpy(&value_len, lengths + (size_t)n * sizeof(value_len), sizeof(value_len));
		sums[n + 1] = sums[n] + sizeof(value_len) + value_len;
	}
	while (n > 0 && sums[n] > len)
		n--;
	return sums[n] == len ? n : -EBADMSG;
}

/* A copy of variable length would be a call. */
static uint32_t load_length(const uint8_t *at, size_t width)
{
	uint32_t wide;
	uint16_t narrow;

	if (width == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return wide;
}

static void store_length(uint8_t *at, size_t width, uint32_t len)
{
	if (width == sizeof(uint16_t))
		memcpy(at, &(uint16_t){(uint16_t)len}, sizeof(uint16_t));
	else
		memcpy(at, &len, sizeof(len));
}

/* Finds the parameters of a frame, of which all lengths are checked. */
static int take_params(const struct scap_event *event, struct fold_event *fe)
{
	const uint8_t *frame = event->frame;
	size_t width = width_of(fe->header.type), at;

	if (fe->header.len > event->len || fe->header.nparams > EVENT_PARAMS_MAX)
		return -EBADMSG;
	at = sizeof(fe->header) + fe->header.nparams * width;
	if (at > fe->header.len)
		return -EBADMSG;
	for (unsigned int i = 0; i < fe->header.nparams; i++) {
		uint32_t len = load_length(frame + sizeof(fe->header) + i * width, width);

		if (len > fe->header.len - at)
			return -EBADMSG;
		fe->params[i] = (struct event_param){frame + at, len};
		at += len;
	}
	return 0;
}

/* What a type has for nothing. */
static struct event_param default_of(enum param_type type)
{
	static const uint8_t zeros[sizeof(uint64_t)], ones[] = {0xff, 0xff, 0xff, 0xff};
	size_t size = param_type_size(type);

	if (type == PT_UID || type == PT_GID)
		return (struct event_param){ones, sizeof(ones)};
	return size ? (struct event_param){zeros, (uint32_t)size} : absent;
}

static void append_member(struct buf *out, const char *key, const struct event_param *text)
{
	const char *data = (const char *)text->data;

	buf_append_string(out, key);
	json_append_string(out, data, strnlen(data, text->len));
}

/* The parameters of a container before it was told in JSON. */
enum { CONTAINER_ID, CONTAINER_TYPE, CONTAINER_NAME, CONTAINER_IMAGE };

/* The text with its NUL; what has no room is absent, and the event too long. */
static struct event_param describe_container(struct scap_fold *fold, const struct fold_event *fe)
{
	struct buf *out = &fold->json;

	*out = buf_fixed(fold->json_text, sizeof(fold->json_text));
	append_member(out, "{\"id\":", &fe->params[CONTAINER_ID]);
	BUF_LITERAL(out, ",\"type\":");
	buf_append_i64(out, event_value_i64(PT_UINT32, &fe->params[CONTAINER_TYPE]));
	append_member(out, ",\"name\":", &fe->params[CONTAINER_NAME]);
	append_member(out, ",\"image\":", &fe->params[CONTAINER_IMAGE]);
	buf_append_char(out, '}');
	buf_append_char(out, '\0');
	return (struct event_param){(const uint8_t *)out->data, (uint32_t)out->len};
}

/*
 * The enter event of the call that ends, or NULL. One of another call is of one whose end is not in
 * the file.
 */
static const struct fold_enter *find_enter(struct scap_fold *fold, struct fold_event *fe)
{
	if (!fe->enter)
		fe->enter = fold_pending_find(&fold->pending, (int64_t)fe->header.tid);
	return fe->enter && fe->enter->id + 1u == fe->header.type ? fe->enter : NULL;
}

/* Parameter `index` of the old event or of the enter event, or what stands for it. */
static struct event_param take_from(struct scap_fold *fold, struct fold_event *fe,
				    enum fold_from from, unsigned int index, enum param_type type)
{
	const struct fold_enter *enter;
	struct event_param param;

	switch (from) {
	case FROM_OLD:
		return fe->params[index];
	case FROM_OLD_DYN:
		param = fe->params[index];
		return param.len > 1 ? (struct event_param){param.data + 1, param.len - 1} : absent;
	case FROM_ENTER:
		enter = find_enter(fold, fe);
		return enter ? fold_enter_param(enter, index) : absent;
	case FROM_ENTER_OR_DEFAULT:
		enter = find_enter(fold, fe);
		return enter ? fold_enter_param(enter, index) : default_of(type);
	case FROM_DEFAULT:
		return default_of(type);
	case FROM_JSON:
		return describe_container(fold, fe);
	default:
		return absent;
	}
}

/* Values that were wider are cut. Old events that become old ones have the same types. */
static void cut(struct event_param *param, const struct param_desc *desc)
{
	size_t size = desc ? param_type_size(desc->type) : 0;

	if (size && param->len > size)
		param->len = (uint32_t)size;
}

static void convert(struct scap_fold *fold, const struct conversion *row, struct fold_event *fe)
{
	const struct event_desc *desc = event_desc_get(row->to);
	struct event_param *params = fe->lists[fe->params == fe->lists[0]];
	unsigned int n = 0;

	for (const struct fold_run *run = row->runs; run < row->runs + RUNS_MAX; run++) {
		for (unsigned int i = 0; i < run->count; i++, n++) {
			const struct param_desc *param = desc ? &desc->params[n] : NULL;

			params[n] = take_from(fold, fe, run->from, run->first + i,
					      param ? param->type : PT_CHARBUF);
			cut(&params[n], param);
		}
	}
	fe->params = params;
	fe->header.type = row->to;
	fe->header.nparams = n;
	fe->changed = true;
}

/* What a row says. Returns as step() does. */
static int follow(struct scap_fold *fold, const struct conversion *row, struct fold_event *fe)
{
	if (row->to) {
		convert(fold, row, fe);
		return fold->json.failed ? -EBADMSG : -EAGAIN;
	}
	if (row->keep)
		fold_pending_put(&fold->pending, (int64_t)fe->header.tid, fe->header.type,
				 fe->params, fe->header.nparams);
	fold->folded += !row->give;
	return row->give;
}

/* Returns 1: done; 0: not to be given out; -EAGAIN: one step further; -ENOENT or -EBADMSG. */
static int step(struct scap_fold *fold, struct fold_event *fe)
{
	unsigned int code = fe->header.type, nparams = fe->header.nparams;
	const struct conversion *row = row_of(code, nparams);
	int known;

	if (row)
		return follow(fold, row, fe);
	known = known_params(code);
	if (known == -EAGAIN) {
		fold->folded++;
		return 0;
	}
	if (known < 0)
		return known;
	if (nparams > (unsigned int)known) {
		/* Of a later version: not ours, though ours may have these places. */
		fe->header.nparams = (uint32_t)known;
		/* Those that may be too large for us have none of ours: decoding passes over. */
		fe->changed |= width_of(code) == sizeof(uint16_t);
		return -EAGAIN;
	}
	/* Only where no version was converted may parameters be missing. */
	if (nparams < (unsigned int)known && last_row_of(code))
		return -EBADMSG;
	return event_desc_get(code) ? 1 : -EBADMSG;
}

/* Puts the frame together, its values last: who reads it begins with what is ahead of them. */
static int write_frame(struct scap_fold *fold, const struct fold_event *fe,
		       struct scap_event *event)
{
	size_t width = width_of(fe->header.type), nparams = fe->header.nparams;
	size_t values_at = sizeof(fe->header) + nparams * width, len = values_at;
	struct ppm_evt_hdr *header = (struct ppm_evt_hdr *)fold->frame;

	for (size_t i = 0; i < nparams; i++) {
		store_length(fold->frame + sizeof(*header) + i * width, width, fe->params[i].len);
		len += fe->params[i].len;
	}
	if (len > sizeof(fold->frame))
		return -EBADMSG;
	memcpy(header, event->frame, sizeof(*header));
	header->len = (uint32_t)len;
	header->type = fe->header.type;
	header->nparams = fe->header.nparams;
	fold_copy_values(fold->frame + values_at, fe->params, nparams);
	event->frame = fold->frame;
	event->len = (uint32_t)len;
	return 1;
}

static int fold_frame(struct scap_fold *fold, struct scap_event *event)
{
	struct fold_event fe;
	int code;

	memcpy(&fe.header, event->frame, sizeof(fe.header));
	fe.params = fe.lists[0];
	fe.enter = NULL;
	fe.changed = false;
	code = take_params(event, &fe);
	if (code < 0)
		return code;
	fold->json.failed = false;
	code = -EAGAIN;
	for (unsigned int i = 0; i < STEPS_MAX && code == -EAGAIN; i++)
		code = step(fold, &fe);
	if (code == 1 && fe.changed)
		code = write_frame(fold, &fe, event);
	fold_pending_forget(&fold->pending, fe.enter);
	if (code == 1)
		event->hidden |= is_unseen(event_desc_get(fe.header.type));
	return code == -EAGAIN ? -EBADMSG : code;
}

int scap_fold_event(struct scap_fold *fold, bool native, struct scap_event *event)
{
	const struct event_desc *desc;
	struct ppm_evt_hdr header;

	if (event->len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, event->frame, sizeof(header));
	desc = native || header.type < SCAP_CODES ? event_desc_get(header.type) : NULL;
	if (desc && (native || (header.nparams == desc->scap_nparams && !is_unseen(desc)))) {
		event->hidden |= is_unseen(desc);
		return 1;
	}
	return fold_frame(fold, event);
}
