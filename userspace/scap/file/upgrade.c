/* SPDX-License-Identifier: MIT */
/*
 * Applies rows of conversions.def until none matches the event. In between the event is a list of
 * parameters that point to where their values are; the frame is built once at the end. A current
 * event costs only a look at its descriptor.
 */
#include "scap/file/upgrade.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "util/count.h"
#include "util/json.h"

/* Pending entry events: buckets of few threads to find them, and a list by age to remove them. */

int upgrade_pending_init(struct upgrade_pending *pending)
{
	*pending = (struct upgrade_pending){0};
	pending->buckets = calloc(PENDING_BUCKETS * PENDING_WAYS, sizeof(*pending->buckets));
	return pending->buckets ? 0 : -ENOMEM;
}

/* Consecutive thread ids are in different buckets. */
static struct upgrade_enter **upgrade_bucket_of(const struct upgrade_pending *pending, int64_t tid)
{
	uint64_t hash = ((uint64_t)tid ^ (uint64_t)tid >> 32) % PENDING_BUCKETS;

	return pending->buckets + hash * PENDING_WAYS;
}

static unsigned int upgrade_way_of(struct upgrade_enter *const *bucket, int64_t tid)
{
	unsigned int way = 0;

	while (way < PENDING_WAYS && bucket[way] && bucket[way]->tid != tid)
		way++;
	return way;
}

struct upgrade_enter *upgrade_pending_find(const struct upgrade_pending *pending, int64_t tid)
{
	struct upgrade_enter *const *bucket = upgrade_bucket_of(pending, tid);
	unsigned int way = upgrade_way_of(bucket, tid);

	return way < PENDING_WAYS ? bucket[way] : NULL;
}

static void upgrade_list_remove(struct upgrade_pending *pending, struct upgrade_enter *enter)
{
	*(enter->older ? &enter->older->newer : &pending->oldest) = enter->newer;
	*(enter->newer ? &enter->newer->older : &pending->newest) = enter->older;
}

static void upgrade_list_add(struct upgrade_pending *pending, struct upgrade_enter *enter)
{
	enter->older = pending->newest;
	enter->newer = NULL;
	*(pending->newest ? &pending->newest->newer : &pending->oldest) = enter;
	pending->newest = enter;
}

void upgrade_pending_forget(struct upgrade_pending *pending, struct upgrade_enter *enter)
{
	struct upgrade_enter **bucket;
	unsigned int way;

	if (!enter)
		return;
	bucket = upgrade_bucket_of(pending, enter->tid);
	way = upgrade_way_of(bucket, enter->tid);
	for (; way < PENDING_WAYS - 1 && bucket[way]; way++)
		bucket[way] = bucket[way + 1];
	bucket[way] = NULL;
	upgrade_list_remove(pending, enter);
	pending->bytes -= enter->bytes;
	pool_free(&pending->pool, enter, enter->bytes);
}

/* Few sizes, so that freed blocks can be reused. */
static size_t block_bytes(size_t bytes)
{
	static const size_t sizes[] = {128, 1024, POOL_BLOCK_MAX};

	for (size_t i = 0; i < COUNT(sizes); i++)
		if (bytes <= sizes[i])
			return sizes[i];
	return bytes;
}

void upgrade_copy_values(uint8_t *to, const struct event_param *params, size_t nparams)
{
	const struct event_param *param = params, *end = params + nparams;

	/* Most values are contiguous and copied at once. */
	while (param < end) {
		const uint8_t *data = param->data;
		size_t len = 0;

		for (; param < end && param->data == data + len; param++)
			len += param->len;
		memcpy(to, data, len);
		to += len;
	}
}

static struct upgrade_enter *upgrade_make(struct upgrade_pending *pending,
					  const struct event_param *params, unsigned int nparams)
{
	size_t bytes = sizeof(struct upgrade_enter) + nparams * sizeof(uint16_t);
	struct upgrade_enter *enter;

	for (unsigned int i = 0; i < nparams; i++)
		bytes += params[i].len;
	bytes = block_bytes(bytes);
	while (pending->oldest && pending->bytes + bytes > PENDING_BYTES_MAX)
		upgrade_pending_forget(pending, pending->oldest);
	enter = pool_alloc(&pending->pool, bytes);
	if (!enter)
		return NULL;
	enter->bytes = (uint32_t)bytes;
	enter->nparams = (uint16_t)nparams;
	for (unsigned int i = 0; i < nparams; i++)
		enter->lengths[i] = (uint16_t)params[i].len;
	upgrade_copy_values((uint8_t *)&enter->lengths[nparams], params, nparams);
	return enter;
}

void upgrade_pending_put(struct upgrade_pending *pending, int64_t tid, uint16_t id,
			 const struct event_param *params, unsigned int nparams)
{
	struct upgrade_enter **bucket = upgrade_bucket_of(pending, tid), *enter;

	upgrade_pending_forget(pending, upgrade_pending_find(pending, tid));
	upgrade_pending_forget(pending, bucket[PENDING_WAYS - 1]);
	enter = upgrade_make(pending, params, nparams);
	if (!enter)
		return;
	enter->tid = tid;
	enter->id = id;
	memmove(bucket + 1, bucket, (PENDING_WAYS - 1) * sizeof(*bucket));
	bucket[0] = enter;
	upgrade_list_add(pending, enter);
	pending->bytes += enter->bytes;
}

struct event_param upgrade_enter_param(const struct upgrade_enter *enter, unsigned int index)
{
	const uint8_t *at = (const uint8_t *)&enter->lengths[enter->nparams];

	if (index >= enter->nparams)
		return (struct event_param){0};
	for (unsigned int i = 0; i < index; i++)
		at += enter->lengths[i];
	return (struct event_param){at, enter->lengths[index]};
}

void upgrade_pending_finish(struct upgrade_pending *pending)
{
	while (pending->oldest)
		upgrade_pending_forget(pending, pending->oldest);
	pool_finish(&pending->pool);
	free(pending->buckets);
}

enum {
	SCAP_CODES = 454,
	ROW_PARAMS_MAX = 30,
	STEPS_MAX = 20, /* an execve of 2014 takes 16 */
	RUNS_MAX = 4,
};

enum param_from {
	FROM_NOWHERE,
	FROM_OLD,
	FROM_OLD_DYN,
	FROM_ENTER,
	FROM_ENTER_OR_DEFAULT,
	FROM_DEFAULT,
	FROM_JSON,
};

/* Consecutive parameters. */
struct param_run {
	uint8_t from; /* enum param_from */
	uint8_t first, count;
};

struct conversion {
	uint8_t nparams;
	bool keep, give;
	uint16_t to; /* unless it is returned or stored */
	struct param_run runs[RUNS_MAX];
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

/* Row numbers by code and number of parameters, since each event is looked up. */
static const uint8_t row_numbers[SCAP_CODES][ROW_PARAMS_MAX + 1] = {
#define ROW(code, nparams, ...) [code][nparams] = ROW_##code##_##nparams,
#include "scap/file/conversions.def"
#undef ROW
};
/* clang-format on */

_Static_assert((int)ROWS_END <= UINT8_MAX, "numbers of rows fit");

struct scap_upgrade {
	struct upgrade_pending pending;
	uint64_t joined; /* see scap_upgrade_joined() */
	struct buf json; /* of a container, in `json_text` */
	char json_text[FRAME_BYTES_MAX];
	uint8_t frame[FRAME_BYTES_MAX];
};

/* An event that is being upgraded. */
struct upgrade_event {
	struct ppm_evt_hdr header; /* its `nparams` counts `params` */
	struct event_param *params; /* in one of the lists; the next step fills the other one */
	struct event_param lists[2][EVENT_PARAMS_MAX];
	struct upgrade_enter *enter; /* the entry event of its thread, after it was looked up */
	bool changed;
};

static const struct event_param absent = {(const uint8_t *)"", 0};

int scap_upgrade_create(struct scap_upgrade **upgrade)
{
	struct scap_upgrade *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	if (upgrade_pending_init(&made->pending)) {
		free(made);
		return -ENOMEM;
	}
	*upgrade = made;
	return 0;
}

void scap_upgrade_destroy(struct scap_upgrade *upgrade)
{
	if (!upgrade)
		return;
	upgrade_pending_finish(&upgrade->pending);
	free(upgrade);
}

uint64_t scap_upgrade_joined(const struct scap_upgrade *upgrade)
{
	return upgrade->joined;
}

/* The row for frames of this code with this number of parameters, or NULL. */
static const struct conversion *upgrade_row_of(unsigned int code, unsigned int nparams)
{
	unsigned int number = NO_ROW;

	if (code < SCAP_CODES && nparams <= ROW_PARAMS_MAX)
		number = row_numbers[code][nparams];
	return number == NO_ROW ? NULL : &conversions[number];
}

/* The row of a code with the most parameters, or NULL. */
static const struct conversion *last_row_of(unsigned int code)
{
	const struct conversion *row = NULL;

	for (unsigned int n = ROW_PARAMS_MAX + 1; n > 0 && !row; n--)
		row = upgrade_row_of(code, n - 1);
	return row;
}

/*
 * The number of parameters of an event in the last version of the .scap world that has it: -EAGAIN
 * for entry events without a descriptor or row of their own, -ENOENT for unknown ones.
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

static size_t utf8_width(unsigned int code)
{
	const struct event_desc *desc = event_desc_get(code);

	return desc && (desc->flags & EF_LARGE_PAYLOAD) ? sizeof(uint32_t) : sizeof(uint16_t);
}

int scap_upgrade_count_params(const void *frame, size_t len)
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
	/* With n parameters the frame has sums[n] bytes. */
	for (n = 0; n < known && sizeof(header) + (size_t)(n + 1) * sizeof(uint16_t) <= len; n++) {
		uint16_t value_len;

		memcpy(&value_len, lengths + (size_t)n * sizeof(value_len), sizeof(value_len));
		sums[n + 1] = sums[n] + sizeof(value_len) + value_len;
	}
	while (n > 0 && sums[n] > len)
		n--;
	return sums[n] == len ? n : -EBADMSG;
}

/* memcpy() with a variable length would be a function call. */
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

/* Finds the parameters of a frame, and checks all lengths. */
static int take_params(const struct scap_event *event, struct upgrade_event *ev)
{
	const uint8_t *frame = event->frame;
	size_t width = utf8_width(ev->header.type), at;

	if (ev->header.len > event->len || ev->header.nparams > EVENT_PARAMS_MAX)
		return -EBADMSG;
	at = sizeof(ev->header) + ev->header.nparams * width;
	if (at > ev->header.len)
		return -EBADMSG;
	for (unsigned int i = 0; i < ev->header.nparams; i++) {
		uint32_t len = load_length(frame + sizeof(ev->header) + i * width, width);

		if (len > ev->header.len - at)
			return -EBADMSG;
		ev->params[i] = (struct event_param){frame + at, len};
		at += len;
	}
	return 0;
}

/* The default value of a type. */
static struct event_param default_of(enum param_type type)
{
	static const uint8_t zeros[sizeof(uint64_t)], ones[] = {0xff, 0xff, 0xff, 0xff};
	size_t size = param_type_size(type);

	if (type == PT_UID || type == PT_GID)
		return (struct event_param){ones, sizeof(ones)};
	return size ? (struct event_param){zeros, (uint32_t)size} : absent;
}

static void upgrade_append_member(struct buf *out, const char *key, const struct event_param *text)
{
	const char *data = (const char *)text->data;

	buf_append_string(out, key);
	json_append_string(out, data, strnlen(data, text->len));
}

/* The parameters of a container before JSON. */
enum { CONTAINER_ID, CONTAINER_TYPE, CONTAINER_NAME, CONTAINER_IMAGE };

/* The text with its NUL; absent if it does not fit, the event is then too long. */
static struct event_param upgrade_describe_container(struct scap_upgrade *upgrade,
						     const struct upgrade_event *ev)
{
	struct buf *out = &upgrade->json;

	*out = buf_fixed(upgrade->json_text, sizeof(upgrade->json_text));
	upgrade_append_member(out, "{\"id\":", &ev->params[CONTAINER_ID]);
	BUF_LITERAL(out, ",\"type\":");
	buf_append_i64(out, event_value_i64(PT_UINT32, &ev->params[CONTAINER_TYPE]));
	upgrade_append_member(out, ",\"name\":", &ev->params[CONTAINER_NAME]);
	upgrade_append_member(out, ",\"image\":", &ev->params[CONTAINER_IMAGE]);
	buf_append_char(out, '}');
	buf_append_char(out, '\0');
	return (struct event_param){(const uint8_t *)out->data, (uint32_t)out->len};
}

/*
 * The entry event of the call that ends, or NULL. One of another call is ignored: its exit is not
 * in the file.
 */
static const struct upgrade_enter *find_enter(struct scap_upgrade *upgrade,
					      struct upgrade_event *ev)
{
	if (!ev->enter)
		ev->enter = upgrade_pending_find(&upgrade->pending, (int64_t)ev->header.tid);
	return ev->enter && ev->enter->id + 1u == ev->header.type ? ev->enter : NULL;
}

/* Parameter `index` of the old event or of the entry event, or its replacement. */
static struct event_param take_from(struct scap_upgrade *upgrade, struct upgrade_event *ev,
				    enum param_from from, unsigned int index, enum param_type type)
{
	const struct upgrade_enter *enter;
	struct event_param param;

	switch (from) {
	case FROM_OLD:
		return ev->params[index];
	case FROM_OLD_DYN:
		param = ev->params[index];
		return param.len > 1 ? (struct event_param){param.data + 1, param.len - 1} : absent;
	case FROM_ENTER:
		enter = find_enter(upgrade, ev);
		return enter ? upgrade_enter_param(enter, index) : absent;
	case FROM_ENTER_OR_DEFAULT:
		enter = find_enter(upgrade, ev);
		return enter ? upgrade_enter_param(enter, index) : default_of(type);
	case FROM_DEFAULT:
		return default_of(type);
	case FROM_JSON:
		return upgrade_describe_container(upgrade, ev);
	default:
		return absent;
	}
}

/* Truncates values that were wider. Conversions between old events keep the types. */
static void cut(struct event_param *param, const struct param_desc *desc)
{
	size_t size = desc ? param_type_size(desc->type) : 0;

	if (size && param->len > size)
		param->len = (uint32_t)size;
}

static void convert(struct scap_upgrade *upgrade, const struct conversion *row,
		    struct upgrade_event *ev)
{
	const struct event_desc *desc = event_desc_get(row->to);
	struct event_param *params = ev->lists[ev->params == ev->lists[0]];
	unsigned int n = 0;

	for (const struct param_run *run = row->runs; run < row->runs + RUNS_MAX; run++) {
		for (unsigned int i = 0; i < run->count; i++, n++) {
			const struct param_desc *param = desc ? &desc->params[n] : NULL;

			params[n] = take_from(upgrade, ev, run->from, run->first + i,
					      param ? param->type : PT_CHARBUF);
			cut(&params[n], param);
		}
	}
	ev->params = params;
	ev->header.type = row->to;
	ev->header.nparams = n;
	ev->changed = true;
}

/* Applies a row. Returns as upgrade_step() does. */
static int upgrade_follow(struct scap_upgrade *upgrade, const struct conversion *row,
			  struct upgrade_event *ev)
{
	if (row->to) {
		convert(upgrade, row, ev);
		return upgrade->json.failed ? -EBADMSG : -EAGAIN;
	}
	if (row->keep)
		upgrade_pending_put(&upgrade->pending, (int64_t)ev->header.tid, ev->header.type,
				    ev->params, ev->header.nparams);
	upgrade->joined += !row->give;
	return row->give;
}

/* Returns 1: done; 0: not to be returned; -EAGAIN: call again; -ENOENT or -EBADMSG. */
static int upgrade_step(struct scap_upgrade *upgrade, struct upgrade_event *ev)
{
	unsigned int r = ev->header.type, nparams = ev->header.nparams;
	const struct conversion *row = upgrade_row_of(r, nparams);
	int known;

	if (row)
		return upgrade_follow(upgrade, row, ev);
	known = known_params(r);
	if (known == -EAGAIN) {
		upgrade->joined++;
		return 0;
	}
	if (known < 0)
		return known;
	if (nparams > (unsigned int)known) {
		/*
		 * Parameters of a later version, no extension parameters, although at the same
		 * indices.
		 */
		ev->header.nparams = (uint32_t)known;
		/*
		 * Events with large parameters have no extension parameters: the decoder skips the
		 * rest.
		 */
		ev->changed |= utf8_width(r) == sizeof(uint16_t);
		return -EAGAIN;
	}
	/* Parameters may be missing only if the event has no conversions. */
	if (nparams < (unsigned int)known && last_row_of(r))
		return -EBADMSG;
	return event_desc_get(r) ? 1 : -EBADMSG;
}

/* Builds the frame, the values last: readers begin with the header and the lengths. */
static int upgrade_write_frame(struct scap_upgrade *upgrade, const struct upgrade_event *ev,
			       struct scap_event *event)
{
	size_t width = utf8_width(ev->header.type), nparams = ev->header.nparams;
	size_t values_at = sizeof(ev->header) + nparams * width, len = values_at;
	struct ppm_evt_hdr *header = (struct ppm_evt_hdr *)upgrade->frame;

	for (size_t i = 0; i < nparams; i++) {
		store_length(upgrade->frame + sizeof(*header) + i * width, width,
			     ev->params[i].len);
		len += ev->params[i].len;
	}
	if (len > sizeof(upgrade->frame))
		return -EBADMSG;
	memcpy(header, event->frame, sizeof(*header));
	header->len = (uint32_t)len;
	header->type = ev->header.type;
	header->nparams = ev->header.nparams;
	upgrade_copy_values(upgrade->frame + values_at, ev->params, nparams);
	event->frame = upgrade->frame;
	event->len = (uint32_t)len;
	return 1;
}

static int upgrade_frame(struct scap_upgrade *upgrade, struct scap_event *event)
{
	struct upgrade_event ev;
	int r;

	memcpy(&ev.header, event->frame, sizeof(ev.header));
	ev.params = ev.lists[0];
	ev.enter = NULL;
	ev.changed = false;
	r = take_params(event, &ev);
	if (r < 0)
		return r;
	upgrade->json.failed = false;
	r = -EAGAIN;
	for (unsigned int i = 0; i < STEPS_MAX && r == -EAGAIN; i++)
		r = upgrade_step(upgrade, &ev);
	if (r == 1 && ev.changed)
		r = upgrade_write_frame(upgrade, &ev, event);
	upgrade_pending_forget(&upgrade->pending, ev.enter);
	if (r == 1)
		event->hidden |= is_unseen(event_desc_get(ev.header.type));
	return r == -EAGAIN ? -EBADMSG : r;
}

int scap_upgrade_event(struct scap_upgrade *upgrade, bool native, struct scap_event *event)
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
	return upgrade_frame(upgrade, event);
}
