/* SPDX-License-Identifier: MIT */
/* Capture files in memory, and what is read of them. */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "scap/file/format.h"

void capture_bytes(struct capture *capture, const void *bytes, size_t n)
{
	buf_append(&capture->bytes, bytes, n);
}

void capture_u8(struct capture *capture, uint8_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_u16(struct capture *capture, uint16_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_u32(struct capture *capture, uint32_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_u64(struct capture *capture, uint64_t value)
{
	capture_bytes(capture, &value, sizeof(value));
}

void capture_string(struct capture *capture, const char *text)
{
	capture_u16(capture, (uint16_t)strlen(text));
	capture_bytes(capture, text, strlen(text));
}

void capture_block_begin(struct capture *capture, uint32_t type)
{
	capture->block = capture->bytes.len;
	capture_u32(capture, type);
	capture_u32(capture, 0);
}

void capture_block_end(struct capture *capture)
{
	uint32_t len;

	while ((capture->bytes.len - capture->block) % 4)
		capture_u8(capture, 0);
	len = (uint32_t)(capture->bytes.len - capture->block + sizeof(len));
	capture_u32(capture, len);
	memcpy(capture->bytes.data + capture->block + sizeof(uint32_t), &len, sizeof(len));
}

size_t capture_entry_begin(struct capture *capture)
{
	capture_u32(capture, 0);
	return capture->bytes.len;
}

void capture_entry_end(struct capture *capture, size_t at, bool whole)
{
	uint32_t len = (uint32_t)(capture->bytes.len - at + (whole ? sizeof(len) : 0));

	memcpy(capture->bytes.data + at - sizeof(len), &len, sizeof(len));
}

void capture_section(struct capture *capture)
{
	capture_block_begin(capture, 0x0a0d0d0a);
	capture_u32(capture, 0x1a2b3c4d);
	capture_u16(capture, 1);
	capture_u16(capture, 2);
	capture_u64(capture, UINT64_MAX);
	capture_block_end(capture);
}

void capture_close_event(struct capture *capture, uint32_t block, uint32_t flags, int64_t fd)
{
	bool first = block == 0x204 || block == 0x208 || block == 0x8010abcd;

	capture_block_begin(capture, block);
	capture_u16(capture, 3);
	if (block == 0x208 || block == 0x217 || block == 0x222)
		capture_u32(capture, flags);
	capture_u64(capture, 1000);
	capture_u64(capture, 70);
	capture_u32(capture, (first ? 22 : 26) + 2 * 2 + 2 * 8);
	capture_u16(capture, EVENT_close);
	if (!first)
		capture_u32(capture, 2);
	capture_u16(capture, 8);
	capture_u16(capture, 8);
	capture_u64(capture, 0);
	capture_u64(capture, (uint64_t)fd);
	capture_block_end(capture);
}

void capture_threads_v1(struct capture *capture, size_t bytes)
{
	capture_block_begin(capture, 0x202);
	for (uint64_t tid = 1; capture->bytes.len - capture->block < bytes; tid++) {
		for (int i = 0; i < 3; i++)
			capture_u64(capture, tid);
		for (int i = 0; i < 4; i++)
			capture_string(capture, "some text");
		capture_u64(capture, 1024);
		for (int i = 0; i < 3; i++)
			capture_u32(capture, 0);
	}
	capture_block_end(capture);
}

const char *capture_path(const void *bytes, size_t n)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("capture", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, bytes, n, 0) != (ssize_t)n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* The descriptor of a close event, which is its last parameter. */
static uint64_t fd_of(const struct scap_event *event)
{
	struct ppm_evt_hdr header;
	uint64_t fd = 0;

	memcpy(&header, event->frame, sizeof(header));
	if (header.type == EVENT_close && header.nparams == 2 && header.len == event->len)
		memcpy(&fd, (const char *)event->frame + event->len - sizeof(fd), sizeof(fd));
	return fd;
}

static void read_events(struct scap_reader *reader, struct capture_result *result)
{
	struct scap_event event;

	/* Calls that come back without an event are few and far between in files. */
	for (unsigned int idle = 0; result->code >= 0; idle += result->code == 0) {
		if (idle > 1000)
			abort();
		result->code = scap_source_next(scap_reader_source(reader), 1000, &event);
		if (result->code != 1)
			continue;
		result->events++;
		result->hidden += event.hidden;
		result->fd_sum += fd_of(&event);
	}
}

struct capture_result capture_read(const void *bytes, size_t n, struct transcript *transcript)
{
	struct capture_result result = {0};
	struct scap_reader *reader;
	struct error err = {""};
	struct transcript own = {.snapshot.ops = &transcript_ops};

	result.open_code = scap_reader_open(capture_path(bytes, n), &reader, &err);
	memcpy(result.text, err.text, sizeof(result.text));
	if (result.open_code)
		return result;
	result.start_code =
		scap_reader_start(reader, &(transcript ? transcript : &own)->snapshot, &err);
	memcpy(result.text, err.text, sizeof(result.text));
	result.native = scap_reader_is_native(reader);
	read_events(reader, &result);
	if (!result.start_code)
		snprintf(result.text, sizeof(result.text), "%s", scap_reader_problem(reader));
	scap_reader_stats(reader, &result.stats);
	scap_source_destroy(scap_reader_source(reader));
	buf_finish(&own.text);
	return result;
}
