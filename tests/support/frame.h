/* SPDX-License-Identifier: MIT */
/*
 * Frames for tests: begin one, put the parameters that matter in any order, and take the event.
 * Sizes come from the event table; what is not put is absent.
 */
#ifndef TESTS_FRAME_H
#define TESTS_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/source.h"

struct frame {
	const struct event_desc *desc;
	uint64_t ts_ns;
	int64_t tid;
	uint64_t latency_ns; /* set after frame_begin(), which makes it LATENCY_UNKNOWN: not
				reported */
	struct frame_file file; /* set after frame_begin(), which makes it none */
	struct frame_marks marks; /* set after frame_begin(), which makes it none */
	struct frame_stream stream; /* set after frame_begin(), which makes it none */
	struct frame_times times; /* likewise */
	struct frame_uring uring; /* set after frame_begin(), which makes it none: ring 0 */
	size_t used; /* bytes of `values` */
	struct {
		size_t at;
		uint16_t len;
	} params[EVENT_PARAMS_MAX];
	uint8_t values[FRAME_BYTES_MAX];
	uint8_t bytes[FRAME_BYTES_MAX];
};

/* The ends of an IP socket: addresses as text ("10.0.0.1", "::1") and ports. */
struct frame_tuple {
	const char *source_ip, *dest_ip;
	uint16_t source_port, dest_port;
};

void frame_begin(struct frame *frame, uint16_t id, uint64_t ts_ns, int64_t tid);

/* A fixed-size parameter: cut to the size of its type. */
void frame_put_i64(struct frame *frame, unsigned int param, int64_t value);

/* A string with its NUL, or bytes as they are. NULL or 0 bytes: absent. */
void frame_put_string(struct frame *frame, unsigned int param, const char *text);
void frame_put_bytes(struct frame *frame, unsigned int param, const void *data, size_t len);
void frame_put_absent(struct frame *frame, unsigned int param);

/* A DYN of that kind with a number, which strings and buffers do not take. */
void frame_put_dyn(struct frame *frame, unsigned int param, uint8_t kind, int64_t value);

enum { FDLIST_ENTRIES_MAX = 16 };

void frame_put_fdlist(struct frame *frame, unsigned int param, const struct fdlist_entry *entries,
		      uint16_t count);

/* A socket address or tuple; the family follows from the text of the addresses. */
void frame_put_ip(struct frame *frame, unsigned int param, const char *ip, uint16_t port);
void frame_put_tuple(struct frame *frame, unsigned int param, const struct frame_tuple *tuple);
void frame_put_unix(struct frame *frame, unsigned int param, const char *path);
void frame_put_unix_tuple(struct frame *frame, unsigned int param, uint64_t source, uint64_t dest,
			  const char *path);

/* Puts the frame together. The event is valid until the next call for this frame. */
struct scap_event frame_end(struct frame *frame);

/*
 * Decodes bytes from a piece of heap that is exactly as long, so that a sanitizer sees any read
 * beyond; aborts when a parameter lies outside.
 */
int frame_decode_copy(const void *bytes, size_t len);

#endif
