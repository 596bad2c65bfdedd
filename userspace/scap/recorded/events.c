/* SPDX-License-Identifier: MIT */
/* Records are numbers in the order that the bits of sample_type say. */
#include "scap/recorded/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/data/format.h"
#include "perf/data/tracing.h"
#include "perf/names.h"
#include "perf/record/sampled.h"
#include "util/count.h"

enum { HEADER_BYTES = sizeof(struct perf_event_header), NUMBER_BYTES = sizeof(uint64_t) };

/* What is left of a record. */
struct sample_rest {
	const uint8_t *at;
	size_t bytes;
};

static bool rest_take(struct sample_rest *rest, void *to, size_t bytes)
{
	if (rest->bytes < bytes)
		return false;
	if (to)
		memcpy(to, rest->at, bytes);
	rest->at += bytes;
	rest->bytes -= bytes;
	return true;
}

static uint64_t number_at(const uint8_t *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

/* Names of those that the file does not name. */
static const char *usual_name(struct recorded_events *events, const struct perf_event_attr *attr)
{
	char text[64];

	for (const struct perf_generic *generic = perf_generics; generic->name; generic++)
		if (generic->type == attr->type && generic->config == attr->config)
			return generic->name;
	snprintf(text, sizeof(text), "%u:0x%llx", attr->type, (unsigned long long)attr->config);
	return arena_text(&events->arena, text, strlen(text));
}

static int add_ids(struct recorded_events *events, const uint8_t *ids, size_t count)
{
	size_t needed = events->ids_count + count, capacity = events->ids_capacity;
	struct recorded_id *grown;

	if (count > RECORDED_IDS_MAX || needed > RECORDED_IDS_MAX)
		return -E2BIG;
	if (needed > capacity) {
		capacity = needed > 2 * capacity ? needed : 2 * capacity;
		grown = reallocarray(events->ids, capacity, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		events->ids = grown;
		events->ids_capacity = capacity;
	}
	for (size_t i = 0; i < count; i++)
		events->ids[events->ids_count++] = (struct recorded_id){
			number_at(ids + i * NUMBER_BYTES), (uint32_t)events->count - 1};
	events->are_sorted = false;
	return 0;
}

int recorded_events_add(struct recorded_events *events, const uint8_t *attr, size_t bytes,
			const uint8_t *ids, size_t ids_count)
{
	struct recorded_event *grown, *made;

	if (bytes < PERF_DATA_ATTR_BYTES_MIN)
		return -EBADMSG;
	if (events->count >= RECORDED_EVENTS_MAX)
		return -E2BIG;
	grown = reallocarray(events->list, events->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	events->list = grown;
	made = &grown[events->count];
	*made = (struct recorded_event){0};
	memcpy(&made->attr, attr, bytes < sizeof(made->attr) ? bytes : sizeof(made->attr));
	made->name = usual_name(events, &made->attr);
	if (!made->name)
		return -ENOMEM;
	events->count++;
	return add_ids(events, ids, ids_count);
}

static int compare_ids(const void *a, const void *b)
{
	const struct recorded_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void sort_ids(struct recorded_events *events)
{
	if (!events->are_sorted && events->ids_count)
		qsort(events->ids, events->ids_count, sizeof(*events->ids), compare_ids);
	events->are_sorted = true;
}

/* The bytes before a member in samples, the first ones of which are as many as bits are set. */
static size_t bytes_before(uint64_t type, uint64_t bit)
{
	static const uint64_t order[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
					 PERF_SAMPLE_TIME,	 PERF_SAMPLE_ADDR, PERF_SAMPLE_ID};
	size_t bytes = HEADER_BYTES;

	for (size_t i = 0; i < COUNT(order) && order[i] != bit; i++)
		bytes += type & order[i] ? NUMBER_BYTES : 0;
	return bytes;
}

/* Where the id is: of samples from the beginning, of others from the end; 0: nowhere. */
static size_t id_place(uint64_t type, bool is_sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return is_sample ? HEADER_BYTES : NUMBER_BYTES;
	if (!(type & PERF_SAMPLE_ID))
		return 0;
	if (is_sample)
		return bytes_before(type, PERF_SAMPLE_ID);
	return NUMBER_BYTES * (1 + !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_STREAM_ID));
}

int recorded_events_complete(struct recorded_events *events)
{
	uint64_t type = events->count ? events->list[0].attr.sample_type : 0;

	sort_ids(events);
	for (size_t i = 1; i < events->count; i++) {
		const struct perf_event_attr *attr = &events->list[i].attr;

		if (!id_place(type, true) ||
		    id_place(attr->sample_type, true) != id_place(type, true) ||
		    id_place(attr->sample_type, false) != id_place(type, false) ||
		    attr->sample_id_all != events->list[0].attr.sample_id_all)
			return -EBADMSG;
	}
	return events->count ? 0 : -EBADMSG;
}

static struct recorded_event *find_id(const struct recorded_events *events, uint64_t id)
{
	const struct recorded_id key = {.id = id};
	const struct recorded_id *found = events->ids_count
						  ? bsearch(&key, events->ids, events->ids_count,
							    sizeof(*events->ids), compare_ids)
						  : NULL;

	return found ? &events->list[found->event] : NULL;
}

void recorded_events_name_at(struct recorded_events *events, size_t index, const char *name,
			     size_t len)
{
	const char *copy;

	len = strnlen(name, len);
	if (index >= events->count || !len)
		return;
	copy = arena_text(&events->arena, name, len);
	if (!copy)
		return;
	events->list[index].name = copy;
	events->list[index].is_named = true;
}

void recorded_events_name(struct recorded_events *events, uint64_t id, const char *name, size_t len)
{
	const struct recorded_event *event;

	sort_ids(events);
	event = events->count == 1 ? events->list : find_id(events, id);
	if (event)
		recorded_events_name_at(events, (size_t)(event - events->list), name, len);
}

/* "GROUP:NAME", as the format says. */
static void name_tracepoint(struct recorded_events *events, struct recorded_event *event,
			    const char *group, const char *format)
{
	static const char key[] = "name: ";
	size_t len = strcspn(format, "\n");
	char name[256];

	if (event->is_named || strncmp(format, key, sizeof(key) - 1) != 0)
		return;
	len -= sizeof(key) - 1;
	if (snprintf(name, sizeof(name), "%s:%.*s", group, (int)len, format + sizeof(key) - 1) <
	    (int)sizeof(name))
		recorded_events_name_at(events, (size_t)(event - events->list), name, sizeof(name));
}

void recorded_events_take_formats(struct recorded_events *events, const void *bytes, size_t len)
{
	for (size_t i = 0; i < events->count; i++) {
		struct recorded_event *event = &events->list[i];
		const char *group, *format;
		size_t format_len;
		char *text;

		if (event->attr.type != PERF_TYPE_TRACEPOINT || event->has_tracepoint ||
		    perf_tracing_find(bytes, len, event->attr.config, &group, &format,
				      &format_len) != 1 ||
		    format_len > PERF_TRACEPOINT_FORMAT_BYTES_MAX)
			continue;
		text = arena_text(&events->arena, format, format_len);
		if (!text)
			continue;
		event->has_tracepoint =
			perf_tracepoint_parse(text, &events->arena, &event->tracepoint) == 0;
		name_tracepoint(events, event, group, text);
	}
}

const struct recorded_event *recorded_events_of(const struct recorded_events *events,
						const uint8_t *record, size_t bytes)
{
	struct perf_event_header header;
	const struct recorded_event *found;
	bool is_sample;
	size_t place;
	uint64_t id;

	if (bytes < sizeof(header) || !events->count)
		return NULL;
	if (events->count == 1)
		return events->list;
	memcpy(&header, record, sizeof(header));
	is_sample = header.type == PERF_RECORD_SAMPLE;
	place = id_place(events->list[0].attr.sample_type, is_sample);
	if (!place || bytes < HEADER_BYTES + NUMBER_BYTES || bytes - NUMBER_BYTES < place)
		return NULL;
	id = number_at(is_sample ? record + place : record + bytes - place);
	/* What was made by a program has no id. */
	found = find_id(events, id);
	return found || id || is_sample ? found : events->list;
}

size_t recorded_events_trailer(const struct recorded_events *events)
{
	return recorded_events_are_timed(events)
		       ? perf_record_trailer_bytes(events->list[0].attr.sample_type)
		       : 0;
}

bool recorded_events_are_timed(const struct recorded_events *events)
{
	return events->count && events->list[0].attr.sample_id_all &&
	       events->list[0].attr.sample_type & PERF_SAMPLE_TIME;
}

uint64_t recorded_events_time(const struct recorded_events *events, const uint8_t *record,
			      size_t bytes)
{
	const struct recorded_event *event = recorded_events_of(events, record, bytes);
	struct perf_event_header header;
	uint64_t type = event ? event->attr.sample_type : 0;
	size_t place;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		place = bytes_before(type, PERF_SAMPLE_TIME);
		return bytes >= place + NUMBER_BYTES ? number_at(record + place) : 0;
	}
	place = perf_record_behind_time(type) + NUMBER_BYTES;
	if (!event->attr.sample_id_all || bytes < HEADER_BYTES + place)
		return 0;
	return number_at(record + bytes - place);
}

/* Counts of a group, or of one event. */
static bool skip_counts(struct sample_rest *rest, uint64_t format)
{
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST), count = 1;
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (format & PERF_FORMAT_GROUP && !rest_take(rest, &count, sizeof(count)))
		return false;
	return count <= rest->bytes / NUMBER_BYTES &&
	       rest_take(rest, NULL, (times + count * each) * NUMBER_BYTES);
}

static bool take_chain(struct sample_rest *rest, struct sample_record *sample)
{
	uint64_t count;

	if (!rest_take(rest, &count, sizeof(count)) || count > rest->bytes / NUMBER_BYTES)
		return false;
	sample->frames = rest->at;
	sample->frames_count = (uint32_t)count;
	return rest_take(rest, NULL, count * NUMBER_BYTES);
}

static bool take_raw_data(struct sample_rest *rest, struct sample_record *sample)
{
	uint32_t bytes;

	if (!rest_take(rest, &bytes, sizeof(bytes)) || bytes > rest->bytes)
		return false;
	sample->raw = rest->at;
	sample->raw_bytes = bytes;
	return true;
}

struct sample_ids {
	int32_t pid, tid;
};

struct sample_cpu_number {
	uint32_t cpu, reserved;
};

int recorded_sample_decode(const struct recorded_event *event, const uint8_t *record, size_t bytes,
			   struct sample_record *sample, uint32_t *cpu)
{
	const uint64_t type = event->attr.sample_type;
	struct sample_rest rest = {record + HEADER_BYTES, bytes - HEADER_BYTES};
	struct sample_record made = {.pid = -1, .tid = -1, .period = 1};
	struct sample_ids ids = {-1, -1};
	struct sample_cpu_number on = {0};
	uint64_t stream;
	struct perf_event_header header;
	const struct {
		uint64_t bit;
		void *to;
	} members[] = {
		{PERF_SAMPLE_IDENTIFIER, &made.id},
		{PERF_SAMPLE_IP, &made.ip},
		{PERF_SAMPLE_TID, &ids},
		{PERF_SAMPLE_TIME, &made.time_ns},
		{PERF_SAMPLE_ADDR, &made.addr},
		{PERF_SAMPLE_ID, &made.id},
		{PERF_SAMPLE_STREAM_ID, &stream},
		{PERF_SAMPLE_CPU, &on},
		{PERF_SAMPLE_PERIOD, &made.period},
	};

	if (bytes < sizeof(header))
		return -EBADMSG;
	memcpy(&header, record, sizeof(header));
	if (!event->attr.freq && event->attr.sample_period)
		made.period = event->attr.sample_period;
	for (size_t i = 0; i < COUNT(members); i++)
		if (type & members[i].bit && !rest_take(&rest, members[i].to, NUMBER_BYTES))
			return -EBADMSG;
	if ((type & PERF_SAMPLE_READ && !skip_counts(&rest, event->attr.read_format)) ||
	    (type & PERF_SAMPLE_CALLCHAIN && !take_chain(&rest, &made)) ||
	    (type & PERF_SAMPLE_RAW && !take_raw_data(&rest, &made)))
		return -EBADMSG;
	made.pid = ids.pid;
	made.tid = ids.tid;
	made.mode = header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (made.mode >= SAMPLE_MODES)
		made.mode = PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	*sample = made;
	*cpu = on.cpu;
	return 0;
}

void recorded_events_finish(struct recorded_events *events)
{
	free(events->list);
	free(events->ids);
	arena_finish(&events->arena);
	*events = (struct recorded_events){0};
}
