/* SPDX-License-Identifier: MIT */
/* Frames for tests, put together from the event table. */
#include "frame.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY_UNIX = 1, FAMILY_IPV4 = 2, FAMILY_IPV6 = 10 };

void frame_begin(struct frame *frame, uint16_t id, uint64_t ts_ns, int64_t tid)
{
	frame->desc = event_desc_get(id);
	if (!frame->desc)
		abort();
	frame->ts_ns = ts_ns;
	frame->tid = tid;
	frame->latency_ns = LATENCY_UNKNOWN;
	frame->marks = (struct frame_marks){0};
	frame->file = (struct frame_file){0};
	frame->stream = (struct frame_stream){0};
	frame->times = (struct frame_times){0};
	frame->uring = (struct frame_uring){.slot = -1, .made_slot = -1};
	frame->used = 0;
	memset(frame->params, 0, sizeof(frame->params));
}

void frame_put_bytes(struct frame *frame, unsigned int param, const void *data, size_t len)
{
	if (param >= frame->desc->nparams || len > sizeof(frame->values) - frame->used)
		abort();
	if (len)
		memcpy(frame->values + frame->used, data, len);
	frame->params[param].at = frame->used;
	frame->params[param].len = (uint16_t)len;
	frame->used += len;
}

void frame_put_i64(struct frame *frame, unsigned int param, int64_t value)
{
	size_t size = param_type_size(frame->desc->params[param].type);

	if (size == 0)
		abort();
	frame_put_bytes(frame, param, &value, size);
}

void frame_put_string(struct frame *frame, unsigned int param, const char *text)
{
	frame_put_bytes(frame, param, text, text ? strlen(text) + 1 : 0);
}

void frame_put_dyn(struct frame *frame, unsigned int param, uint8_t kind, int64_t value)
{
	size_t size = param_type_size(frame->desc->params[param].dyn[kind].type);
	uint8_t bytes[1 + sizeof(value)] = {kind};

	memcpy(bytes + 1, &value, size);
	frame_put_bytes(frame, param, bytes, 1 + size);
}

void frame_put_fdlist(struct frame *frame, unsigned int param, const struct fdlist_entry *entries,
		      uint16_t count)
{
	uint8_t bytes[sizeof(count) + FDLIST_ENTRIES_MAX * sizeof(*entries)];

	if (count > FDLIST_ENTRIES_MAX)
		abort();
	memcpy(bytes, &count, sizeof(count));
	memcpy(bytes + sizeof(count), entries, count * sizeof(*entries));
	frame_put_bytes(frame, param, bytes, sizeof(count) + count * sizeof(*entries));
}

void frame_put_absent(struct frame *frame, unsigned int param)
{
	frame_put_bytes(frame, param, NULL, 0);
}

/* Writes the address and the port; returns the bytes written. */
static size_t put_end(uint8_t *out, const char *ip, uint16_t port)
{
	size_t len = strchr(ip, ':') ? 16 : 4;

	if (inet_pton(len == 16 ? AF_INET6 : AF_INET, ip, out) != 1)
		abort();
	memcpy(out + len, &port, sizeof(port));
	return len + sizeof(port);
}

static uint8_t family_of(const char *ip)
{
	return strchr(ip, ':') ? FAMILY_IPV6 : FAMILY_IPV4;
}

void frame_put_ip(struct frame *frame, unsigned int param, const char *ip, uint16_t port)
{
	uint8_t bytes[32] = {family_of(ip)};

	frame_put_bytes(frame, param, bytes, 1 + put_end(bytes + 1, ip, port));
}

void frame_put_tuple(struct frame *frame, unsigned int param, const struct frame_tuple *tuple)
{
	uint8_t bytes[64] = {family_of(tuple->source_ip)};
	size_t len = 1;

	len += put_end(bytes + len, tuple->source_ip, tuple->source_port);
	len += put_end(bytes + len, tuple->dest_ip, tuple->dest_port);
	frame_put_bytes(frame, param, bytes, len);
}

void frame_put_unix(struct frame *frame, unsigned int param, const char *path)
{
	uint8_t bytes[128] = {FAMILY_UNIX};
	size_t len = strlen(path) + 1;

	if (len > sizeof(bytes) - 1)
		abort();
	memcpy(bytes + 1, path, len);
	frame_put_bytes(frame, param, bytes, 1 + len);
}

void frame_put_unix_tuple(struct frame *frame, unsigned int param, uint64_t source, uint64_t dest,
			  const char *path)
{
	uint8_t bytes[160] = {FAMILY_UNIX};
	size_t len = strlen(path) + 1;

	if (len > sizeof(bytes) - 17)
		abort();
	memcpy(bytes + 1, &source, sizeof(source));
	memcpy(bytes + 9, &dest, sizeof(dest));
	memcpy(bytes + 17, path, len);
	frame_put_bytes(frame, param, bytes, 17 + len);
}

struct scap_event frame_end(struct frame *frame)
{
	size_t width = frame->desc->flags & EF_LARGE_PAYLOAD ? sizeof(uint32_t) : sizeof(uint16_t);
	unsigned int n = frame->desc->nparams;
	size_t at = sizeof(struct ppm_evt_hdr) + n * width;
	struct ppm_evt_hdr header = {
		.ts = frame->ts_ns,
		.tid = (uint64_t)frame->tid,
		.type = frame->desc->id,
		.nparams = n,
	};

	for (unsigned int i = 0; i < n; i++) {
		uint32_t len = frame->params[i].len;

		if (len > sizeof(frame->bytes) - at)
			abort();
		memcpy(frame->bytes + sizeof(header) + i * width, &len, width);
		memcpy(frame->bytes + at, frame->values + frame->params[i].at, len);
		at += len;
	}
	if (frame->uring.ring) {
		memcpy(frame->bytes + at, &frame->uring, sizeof(frame->uring));
		at += sizeof(frame->uring);
		header.nparams |= FRAME_URING;
	}
	if (frame->stream.is_known || frame->stream.is_peek) {
		memcpy(frame->bytes + at, &frame->stream, sizeof(frame->stream));
		at += sizeof(frame->stream);
		header.nparams |= FRAME_STREAM;
	}
	if (frame->times.since_ns) {
		memcpy(frame->bytes + at, &frame->times, sizeof(frame->times));
		at += sizeof(frame->times);
		header.nparams |= FRAME_TIMES;
	}
	if (frame->file.ino) {
		memcpy(frame->bytes + at, &frame->file, sizeof(frame->file));
		at += sizeof(frame->file);
		header.nparams |= FRAME_FILE;
	}
	if (frame->marks.truncated | frame->marks.contested | frame->marks.is_faked) {
		memcpy(frame->bytes + at, &frame->marks, sizeof(frame->marks));
		at += sizeof(frame->marks);
		header.nparams |= FRAME_MARKED;
	}
	if (frame->latency_ns != LATENCY_UNKNOWN) {
		memcpy(frame->bytes + at, &frame->latency_ns, sizeof(frame->latency_ns));
		at += sizeof(frame->latency_ns);
		header.nparams |= FRAME_TIMED;
	}
	header.len = (uint32_t)at;
	memcpy(frame->bytes, &header, sizeof(header));
	return (struct scap_event){.frame = frame->bytes, .len = (uint32_t)at};
}

int frame_decode_copy(const void *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct event ev;
	int r;

	if (!copy)
		abort();
	memcpy(copy, bytes, len);
	r = event_decode(copy, len, 0, &ev);
	for (unsigned int i = 0; r == 0 && i < ev.desc->nparams; i++)
		if (ev.params[i].data < copy + sizeof(struct ppm_evt_hdr) ||
		    ev.params[i].data + ev.params[i].len > copy + len)
			abort();
	free(copy);
	return r;
}
