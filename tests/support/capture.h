/* SPDX-License-Identifier: MIT */
/* Capture files for tests, put together byte by byte, and what is read of them. */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "transcript.h"
#include "scap/file/reader.h"
#include "util/buf.h"

struct capture {
	struct buf bytes;
	size_t block; /* where the one that is open begins */
};

void capture_u8(struct capture *capture, uint8_t value);
void capture_u16(struct capture *capture, uint16_t value);
void capture_u32(struct capture *capture, uint32_t value);
void capture_u64(struct capture *capture, uint64_t value);
void capture_bytes(struct capture *capture, const void *bytes, size_t n);
void capture_string(struct capture *capture, const char *text); /* its length of 16 bits first */

/* A block: what is put between these is its body; then it is filled up, and its length set. */
void capture_block_begin(struct capture *capture, uint32_t type);
void capture_block_end(struct capture *capture);

/* An entry that begins with its length: what is put after `at` is in it. */
size_t capture_entry_begin(struct capture *capture);
void capture_entry_end(struct capture *capture, size_t at, bool whole); /* counts itself */

void capture_section(struct capture *capture);

/* An event in a block of any type for events: close of a descriptor. The cpu is 3. */
void capture_close_event(struct capture *capture, uint32_t block, uint32_t flags, int64_t fd);

/* Many processes, with that list of the first version: about so many bytes. */
void capture_threads_v1(struct capture *capture, size_t bytes);

/* A path under which a file with these bytes can be opened, until the next call. */
const char *capture_path(const void *bytes, size_t n);

/* What came of reading a whole file. */
struct capture_result {
	int open_code, start_code, code;
	uint64_t events, hidden;
	uint64_t fd_sum; /* of the close events */
	struct scap_reader_stats stats;
	bool native;
	char text[1024]; /* what is wrong */
};

/* Reads a whole file; what it says of the machine goes to `transcript`, unless NULL. */
struct capture_result capture_read(const void *bytes, size_t n, struct transcript *transcript);

#endif
