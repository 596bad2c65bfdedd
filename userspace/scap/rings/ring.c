/* SPDX-License-Identifier: MIT */
/*
 * The cursor over a perf ring. Frames are mostly in time order; those of a program that was
 * preempted, or of another slot, come late. Loading finds these stragglers, and peeking returns
 * them in time order. Called by the merge. At the end of the file rings are opened.
 */
#include "scap/rings/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	RECORD_ALIGN = 8, /* of the kernel's records */
	RESERVED_DIVISOR = 8,
	HELD_DIVISOR = 4, /* what is behind the mark */
	RESERVING_BYTES_MIN = 1 << 16, /* smaller rings are not divided */
	RELEASE_DIVISOR = 16,
	STRAGGLERS_MIN = 64,
	ASIDE_TIDY_BYTES = 1 << 18,
	USE_READS_MAX = 8,
};

/* What precedes the frames in a PERF_SAMPLE_RAW record. */
struct sample_header {
	struct perf_event_header header;
	uint32_t raw_bytes;
	struct batch_header batch;
} __attribute__((packed));

struct lost_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

void scap_ring_init_empty(unsigned int cpu, struct scap_ring *ring)
{
	*ring = (struct scap_ring){.cpu = (uint16_t)cpu, .fd = -1};
}

void scap_ring_init(struct scap_ring *ring, struct perf_event_mmap_page *meta, const void *data,
		    uint64_t bytes, uint8_t *bounce)
{
	*ring = (struct scap_ring){
		.meta = meta,
		.data = data,
		.bytes = bytes,
		.bounce = bounce,
		.fd = -1,
	};
}

void scap_ring_begin_at(struct scap_ring *ring, uint64_t position)
{
	ring->head = ring->record_begin = ring->record_end = position;
	ring->done = ring->released = position;
}

/* The record at a position, in one piece; NULL if its size is invalid. */
static const uint8_t *ring_record_at(const struct scap_ring *ring, uint64_t position, uint64_t end,
				     struct perf_event_header *header)
{
	uint64_t at = position & (ring->bytes - 1), straight = ring->bytes - at;

	/* A header never wraps: records begin at multiples of 8, unless the head is corrupt. */
	if (end - position < sizeof(*header) || straight < sizeof(*header))
		return NULL;
	memcpy(header, ring->data + at, sizeof(*header));
	if (header->size < sizeof(*header) || header->size % RECORD_ALIGN ||
	    header->size > end - position)
		return NULL;
	if (header->size <= straight || !ring->bounce)
		return ring->data + at;
	/*
	 * At most one record between tail and head wraps, so no other one needs the buffer. This
	 * holds for stragglers too: one is always taken before `done` passes it.
	 */
	memcpy(ring->bounce, ring->data + at, straight);
	memcpy(ring->bounce + straight, ring->data, header->size - straight);
	return ring->bounce;
}

static struct ring_frames frames_of_batch(struct batch_header batch, const void *frames)
{
	return (struct ring_frames){
		.at = frames,
		.bytes = batch.bytes,
		.count = batch.count <= BATCH_EVENTS_MAX ? batch.count : 0,
	};
}

/* The frames of a sample; no bytes if they do not fit into it. */
static struct ring_frames frames_of(const uint8_t *record, uint16_t size)
{
	struct sample_header sample;

	if (size < sizeof(sample))
		return (struct ring_frames){0};
	memcpy(&sample, record, sizeof(sample));
	if (sample.raw_bytes > size - offsetof(struct sample_header, batch) ||
	    sample.raw_bytes < sizeof(sample.batch) ||
	    sample.batch.bytes > sample.raw_bytes - sizeof(sample.batch))
		sample.batch.bytes = 0;
	return frames_of_batch(sample.batch, record + sizeof(sample));
}

/* Counts the events of a batch that were not found after the first `taken`. */
static void count_missing(struct scap_ring *ring, const struct ring_frames *left, uint32_t taken)
{
	if (left->count > taken)
		ring->corrupt += left->count - taken;
	else if (left->bytes || taken == 0)
		ring->corrupt++;
}

/* Splits off the first frame. Returns false, and takes nothing, if it is not valid. */
static bool next_frame(struct ring_frames *frames, struct scap_frame *frame)
{
	struct ppm_evt_hdr header;
	uint32_t step;

	if (frames->bytes < sizeof(header))
		return false;
	memcpy(&header, frames->at, sizeof(header));
	if (header.len < sizeof(header) || header.len > frames->bytes ||
	    header.type >= EVENT_ID_MAX)
		return false;
	*frame = (struct scap_frame){frames->at, header.len, header.type, header.ts};
	step = (header.len + FRAME_ALIGN - 1) & ~(uint32_t)(FRAME_ALIGN - 1);
	if (step > frames->bytes)
		step = frames->bytes;
	frames->at += step;
	frames->bytes -= step;
	return true;
}

/* Makes room for one more, if possible by removing the taken ones. */
static bool reserve_stragglers(struct scap_ring *ring)
{
	uint32_t more = ring->stragglers_capacity ? 2 * ring->stragglers_capacity : STRAGGLERS_MIN;
	void *grown;

	if (ring->stragglers_len < ring->stragglers_capacity)
		return true;
	if (ring->stragglers_at > ring->stragglers_len / 2) {
		ring->stragglers_len -= ring->stragglers_at;
		memmove(ring->stragglers, ring->stragglers + ring->stragglers_at,
			ring->stragglers_len * sizeof(*ring->stragglers));
		ring->stragglers_at = 0;
		return true;
	}
	grown = reallocarray(ring->stragglers, more, sizeof(*ring->stragglers));
	if (!grown)
		return false;
	ring->stragglers = grown;
	ring->stragglers_capacity = more;
	return true;
}

/* Returns false if out of memory. */
static bool add_straggler(struct scap_ring *ring, struct ring_straggler straggler)
{
	uint32_t i;

	if (!reserve_stragglers(ring))
		return false;
	for (i = ring->stragglers_len++; i > ring->stragglers_at; i--) {
		if (ring->stragglers[i - 1].frame.ts <= straggler.frame.ts)
			break;
		ring->stragglers[i] = ring->stragglers[i - 1];
	}
	ring->stragglers[i] = straggler;
	return true;
}

/* Registers the frames of a record. A straggler without memory is dropped. */
static void load_frames(struct scap_ring *ring, struct ring_frames frames)
{
	struct scap_frame frame;
	uint32_t taken = 0;

	while (frames.bytes && next_frame(&frames, &frame)) {
		taken++;
		if (frame.ts >= ring->head_ts)
			ring->head_ts = frame.ts;
		else if (!add_straggler(ring, (struct ring_straggler){.frame = frame}))
			ring->corrupt++;
	}
	count_missing(ring, &frames, taken);
}

/* Whether a sample is a batch of no events, with no more behind it than what the kernel pads. */
static bool is_heartbeat(const uint8_t *record, uint16_t size)
{
	struct sample_header sample;

	if (size < sizeof(sample))
		return false;
	memcpy(&sample, record, sizeof(sample));
	return sample.raw_bytes - sizeof(sample.batch) < RECORD_ALIGN && !sample.batch.bytes &&
	       !sample.batch.count;
}

static void load_record(struct scap_ring *ring, const uint8_t *bytes,
			const struct perf_event_header *header)
{
	struct lost_record lost;

	if (header->type == PERF_RECORD_SAMPLE && is_heartbeat(bytes, header->size)) {
		ring->heartbeats++;
	} else if (header->type == PERF_RECORD_SAMPLE) {
		load_frames(ring, frames_of(bytes, header->size));
	} else if (header->type == PERF_RECORD_LOST) {
		if (header->size < sizeof(lost)) {
			ring->corrupt++;
			return;
		}
		memcpy(&lost, bytes, sizeof(lost));
		ring->lost += lost.lost;
	}
}

void scap_ring_load(struct scap_ring *ring)
{
	struct perf_event_header header;
	const uint8_t *bytes;
	uint64_t end;

	if (!ring->meta)
		return;
	end = __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
	if (end - ring->released > ring->bytes || end < ring->head)
		goto corrupt;
	while (ring->head != end) {
		bytes = ring_record_at(ring, ring->head, end, &header);
		if (!bytes)
			goto corrupt;
		load_record(ring, bytes, &header);
		ring->head += header.size;
	}
	return;
corrupt:
	/* No later record can be found from here. What precedes it is returned first. */
	if (ring->done != ring->head || ring->stragglers_len)
		return;
	ring->corrupt++;
	ring->head = end;
	ring->record_end = end;
	ring->done = end;
}

/*
 * Frees what was taken of `aside`, which may never become empty under constant load. It waits until
 * half of it can be freed, so that the rest is not copied too often.
 */
static void tidy_aside(struct scap_ring *ring)
{
	struct buf kept = {0};

	if (ring->aside.len <= ASIDE_TIDY_BYTES || ring->aside.len <= 2 * ring->aside_live ||
	    !buf_reserve(&kept, ring->aside_live))
		return;
	for (uint32_t i = ring->stragglers_at; i < ring->stragglers_len; i++) {
		struct ring_straggler *straggler = &ring->stragglers[i];
		size_t from = straggler->aside_at;

		if (straggler->frame.bytes)
			continue;
		straggler->aside_at = kept.len;
		buf_append(&kept, ring->aside.data + from, straggler->frame.len);
	}
	buf_finish(&ring->aside);
	ring->aside = kept;
}

uint32_t scap_ring_add(struct scap_ring *ring, struct batch_header batch, const void *frames)
{
	struct ring_frames left = frames_of_batch(batch, frames);
	struct ring_straggler straggler;
	uint32_t added = 0;

	tidy_aside(ring);
	while (left.bytes && next_frame(&left, &straggler.frame) &&
	       buf_reserve(&ring->aside, straggler.frame.len)) {
		straggler.aside_at = ring->aside.len;
		buf_append(&ring->aside, straggler.frame.bytes, straggler.frame.len);
		straggler.frame.bytes = NULL;
		if (!add_straggler(ring, straggler))
			break;
		ring->aside_live += straggler.frame.len;
		added++;
	}
	count_missing(ring, &left, added);
	return added;
}

/* Advances to the frames of the next sample. */
static bool ring_next_record(struct scap_ring *ring)
{
	struct perf_event_header header;
	const uint8_t *bytes;

	for (uint64_t at = ring->record_end; at != ring->head; at += header.size) {
		bytes = ring_record_at(ring, at, ring->head, &header);
		if (!bytes)
			return false;
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		ring->frames_left = frames_of(bytes, header.size);
		if (ring->frames_left.bytes) {
			ring->record_begin = at;
			ring->record_end = at + header.size;
			return true;
		}
	}
	return false;
}

/*
 * Finds the next frame that is not a straggler: those have an earlier time than a frame before
 * them.
 */
static bool look_ahead(struct scap_ring *ring)
{
	if (ring->ahead.bytes)
		return true;
	do {
		while (ring->frames_left.bytes) {
			if (!next_frame(&ring->frames_left, &ring->ahead))
				ring->frames_left.bytes = 0; /* counted when it was loaded */
			else if (ring->ahead.ts >= ring->done_ts)
				return true;
		}
	} while (ring_next_record(ring));
	ring->ahead.bytes = NULL;
	return false;
}

static bool straggler_is_next(const struct scap_ring *ring)
{
	return ring->stragglers_at != ring->stragglers_len &&
	       (!ring->ahead.bytes ||
		ring->stragglers[ring->stragglers_at].frame.ts < ring->ahead.ts);
}

int scap_ring_peek(struct scap_ring *ring, struct scap_frame *frame)
{
	bool ahead = look_ahead(ring);

	if (straggler_is_next(ring)) {
		const struct ring_straggler *first = &ring->stragglers[ring->stragglers_at];

		*frame = first->frame;
		if (!frame->bytes)
			frame->bytes = ring->aside.data + first->aside_at;
		return 1;
	}
	if (!ahead) {
		ring->record_end = ring->head;
		ring->done = ring->head;
		scap_ring_release(ring);
		return 0;
	}
	*frame = ring->ahead;
	return 1;
}

void scap_ring_take(struct scap_ring *ring)
{
	if (straggler_is_next(ring)) {
		const struct scap_frame *taken = &ring->stragglers[ring->stragglers_at].frame;

		if (!taken->bytes)
			ring->aside_live -= taken->len;
		if (++ring->stragglers_at == ring->stragglers_len) {
			ring->stragglers_at = 0;
			ring->stragglers_len = 0;
			buf_clear(&ring->aside);
		}
		return;
	}
	ring->done_ts = ring->ahead.ts;
	ring->done = ring->frames_left.bytes ? ring->record_begin : ring->record_end;
	ring->ahead.bytes = NULL;
	if (ring->done - ring->released >= ring->bytes / RELEASE_DIVISOR)
		scap_ring_release(ring);
}

/*
 * What is sent between the two reads counts twice until memory is released the next time, so they
 * are repeated if that was much, as when the reader was preempted there; never is the ring fuller
 * than the programs think.
 */
static void publish_use(const struct scap_ring *ring)
{
	uint64_t sent, head, later;
	int reads = 0;

	do {
		sent = __atomic_load_n(&ring->use->sent, __ATOMIC_ACQUIRE);
		head = __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE);
		later = __atomic_load_n(&ring->use->sent, __ATOMIC_RELAXED);
	} while (later - sent > ring->bytes / RELEASE_DIVISOR && ++reads < USE_READS_MAX);
	__atomic_store_n(&ring->use->read, sent - (head - ring->released), __ATOMIC_RELAXED);
}

void scap_ring_share(struct scap_ring *ring, struct ring_use *use)
{
	uint64_t part = ring->bytes / RESERVED_DIVISOR, limit = ring->bytes - part;

	ring->use = use;
	publish_use(ring);
	__atomic_store_n(&use->part, part, __ATOMIC_RELAXED);
	__atomic_store_n(&use->limit, ring->bytes < RESERVING_BYTES_MIN ? 0 : limit,
			 __ATOMIC_RELAXED);
}

void scap_ring_hold(struct scap_ring *ring, struct ring_use *use)
{
	ring->use = use;
	publish_use(ring);
	__atomic_store_n(&use->mark, ring->bytes - ring->bytes / HELD_DIVISOR, __ATOMIC_RELAXED);
}

void scap_ring_unshare(struct scap_ring *ring)
{
	if (ring->use) {
		__atomic_store_n(&ring->use->limit, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->use->mark, 0, __ATOMIC_RELAXED);
	}
	ring->use = NULL;
}

void scap_ring_release(struct scap_ring *ring)
{
	if (ring->released == ring->done)
		return;
	ring->released = ring->done;
	__atomic_store_n(&ring->meta->data_tail, ring->done, __ATOMIC_RELEASE);
	if (ring->use)
		publish_use(ring);
}

uint64_t scap_ring_used(const struct scap_ring *ring)
{
	return ring->meta
		       ? __atomic_load_n(&ring->meta->data_head, __ATOMIC_RELAXED) - ring->released
		       : 0;
}

bool scap_ring_has_room(const struct scap_ring *ring)
{
	return scap_ring_used(ring) <= ring->bytes / 2;
}

bool scap_ring_drained(const struct scap_ring *ring)
{
	return ring->stragglers_len == 0 &&
	       (!ring->meta ||
		ring->done == __atomic_load_n(&ring->meta->data_head, __ATOMIC_ACQUIRE));
}

/* Opens a perf ring and maps it. ring.c has the cursor over its contents. */

enum {
	PERF_RECORD_BYTES_MAX = 1 << 16, /* its size has 16 bits */
	WATERMARK_DIVISOR = 4,
};

static int check_size(uint32_t bytes, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return bytes >= page && !(bytes & (bytes - 1))
		       ? 0
		       : error_set(err, -EINVAL,
				   "a ring of %u bytes: the size must be a power of two and at "
				   "least %zu",
				   bytes, page);
}

uint32_t scap_ring_watermark(uint32_t bytes)
{
	return bytes / WATERMARK_DIVISOR;
}

int scap_ring_open_event(unsigned int cpu, uint32_t bytes, struct error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.watermark = 1,
		.wakeup_watermark = scap_ring_watermark(bytes),
	};
	int r = check_size(bytes, err);
	long fd;

	if (r)
		return r;
	fd = syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return (int)fd;
	return error_set(err, -errno,
			 "opening the perf event of CPU %u: %s; run as root or with CAP_PERFMON",
			 cpu, strerror(errno));
}

/*
 * [meta][data][data]: the second mapping is created first, and the main one over its meta page.
 * Kernels since 6.17 reject that, because it splits the second mapping.
 */
static int map_twice(struct scap_ring *ring, size_t page)
{
	size_t one = page + ring->bytes, all = one + ring->bytes;
	uint8_t *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return -errno;
	if (mmap(base + ring->bytes, one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ring->fd,
		 0) == MAP_FAILED ||
	    mmap(base, one, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ring->fd, 0) ==
		    MAP_FAILED) {
		int error = -errno;

		munmap(base, all);
		return error;
	}
	ring->map = base;
	ring->map_bytes = all;
	return 0;
}

static int map_once(struct scap_ring *ring, size_t page)
{
	size_t all = page + ring->bytes;
	void *base = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	ring->map = base;
	ring->map_bytes = all;
	ring->bounce =
		malloc(ring->bytes < PERF_RECORD_BYTES_MAX ? ring->bytes : PERF_RECORD_BYTES_MAX);
	return ring->bounce ? 0 : -ENOMEM;
}

static int map_failed(int error, uint32_t bytes, unsigned int cpu, struct error *err)
{
	if (error == -EPERM)
		return error_set(err, error,
				 "mapping a ring of %u KiB for CPU %u: more locked memory than "
				 "allowed; use a smaller --buffer-size, or raise "
				 "kernel.perf_event_mlock_kb or the limit \"memlock\"",
				 bytes / 1024, cpu);
	return error_set(err, error,
			 "mapping a ring of %u KiB for CPU %u: %s; use a smaller --buffer-size",
			 bytes / 1024, cpu, strerror(-error));
}

int scap_ring_map(int fd, unsigned int cpu, uint32_t bytes, struct scap_ring *ring,
		  struct error *err)
{
	struct scap_ring made = {.bytes = bytes, .cpu = (uint16_t)cpu, .fd = fd};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int r = map_twice(&made, page);

	if (r < 0)
		r = map_once(&made, page);
	if (r < 0) {
		scap_ring_close(&made);
		return map_failed(r, bytes, cpu, err);
	}
	made.meta = made.map;
	made.data = (const uint8_t *)made.map + page;
	scap_enabled_begin(&made.enabled);
	*ring = made;
	return 0;
}

int scap_ring_open(unsigned int cpu, uint32_t bytes, struct scap_ring *ring, struct error *err)
{
	int fd = scap_ring_open_event(cpu, bytes, err);

	return fd < 0 ? fd : scap_ring_map(fd, cpu, bytes, ring, err);
}

void scap_ring_detach(struct scap_ring *ring)
{
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
}

void scap_ring_close(struct scap_ring *ring)
{
	if (ring->map) {
		munmap(ring->map, ring->map_bytes);
		free(ring->bounce);
	}
	scap_ring_detach(ring);
	free(ring->stragglers);
	buf_finish(&ring->aside);
	scap_ring_init_empty(ring->cpu, ring);
}
