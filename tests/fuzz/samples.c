/* SPDX-License-Identifier: MIT */
/*
 * A ring of samples: any bytes as what the kernel wrote, read to its end, twice round. Each record
 * is rejected, or lies in the ring, and makes a frame that decodes.
 */
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "fuzz.h"
#include "scap/samples/frame.h"
#include "scap/samples/record.h"
#include "scap/samples/ring.h"

enum { RING_BYTES = 4096 };

static const uint64_t types[] = {
	SAMPLE_TYPE, SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN, SAMPLE_TYPE | PERF_SAMPLE_RAW,
	SAMPLE_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, SAMPLE_TYPE_MAX};

static void check_frames(const struct sample_record *sample, const uint8_t *record, size_t bytes)
{
	uint8_t mode = 0;

	for (uint32_t i = 0; i < sample->frames_count; i++)
		if (sample_frame_is_marker(sample_frame(sample, i), &mode))
			REQUIRE(mode < SAMPLE_MODES, "mode %d", mode);
	REQUIRE(!sample->raw_bytes || (sample->raw >= record &&
				       sample->raw + sample->raw_bytes <= record + bytes),
		"%u raw bytes", sample->raw_bytes);
}

static void check_sample(const uint8_t *record, size_t bytes)
{
	static const struct sample_texts texts = {"event", "symbol", "stack"};
	static uint8_t frame[SAMPLE_FRAME_BYTES];
	struct sample_record sample;
	struct event event;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (sample_record_decode(record, bytes, types[i], &sample))
			continue;
		check_frames(&sample, record, bytes);
		REQUIRE(event_decode(frame,
				     sample_kinds[SAMPLE_PERF].write(&sample, &texts, 1, frame), 0,
				     &event) == 0,
			"type %zu", i);
	}
}

static void check_others(const uint8_t *record, size_t bytes)
{
	struct sample_mapping mapping;
	struct sample_task task;
	struct sample_head head;
	uint64_t id;
	int32_t pid;

	if (sample_mapping_decode(record, bytes, &mapping) == 0)
		REQUIRE((const uint8_t *)mapping.path + strlen(mapping.path) < record + bytes &&
				mapping.begin + mapping.bytes >= mapping.begin,
			"a path of %zu bytes", strlen(mapping.path));
	(void)sample_task_decode(record, bytes, &task);
	(void)sample_is_exec(record, bytes, &pid);
	(void)sample_lost(record, bytes, &id);
	(void)sample_head_read(record, bytes, &head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bounce[SAMPLE_RECORD_BYTES_MAX];
	struct perf_event_mmap_page *meta = calloc(1, sizeof(*meta));
	uint8_t *ring_data = calloc(1, RING_BYTES);
	struct sample_ring ring;
	const void *record;
	uint64_t position;
	size_t bytes, at;

	REQUIRE(meta && ring_data, "no memory");
	sample_ring_init(&ring, meta, ring_data, RING_BYTES, bounce);
	for (at = 0; at < size;) {
		size_t len = size - at < RING_BYTES / 2 ? size - at : RING_BYTES / 2;

		for (size_t i = 0; i < len; i++)
			ring_data[(meta->data_head + i) % RING_BYTES] = data[at + i];
		at += len;
		/* Some lengths are wrong as well. */
		meta->data_head += data[at - 1] & 1 ? len : (len + 7) & ~(size_t)7;
		while ((record = sample_ring_next(&ring, &position, &bytes))) {
			uint8_t *copy = malloc(bytes);

			REQUIRE(copy && bytes <= RING_BYTES, "%zu bytes", bytes);
			memcpy(copy, record, bytes);
			check_sample(copy, bytes);
			check_others(copy, bytes);
			free(copy);
			REQUIRE(sample_ring_at(&ring, position, &bytes), "position %zu",
				(size_t)position);
		}
		sample_ring_release(&ring, ring.head);
	}
	free(meta);
	free(ring_data);
	return 0;
}
