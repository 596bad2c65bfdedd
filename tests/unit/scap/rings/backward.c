/* SPDX-License-Identifier: MIT */
/* Rings whose oldest records are overwritten, and the copies that are read of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fake_ring.h"
#include "scap/rings/backward.h"
#include "unit.h"

enum { BYTES = BACKWARD_BYTES_MIN, FRAMES_MAX = 8 };

/* The kernel's side: it writes downwards. */
struct backward {
	struct perf_event_mmap_page meta;
	uint8_t *data;
	struct scap_backward ring;
};

static void backward_init(struct backward *fake)
{
	fake->meta = (struct perf_event_mmap_page){0};
	fake->data = calloc(1, BYTES);
	assert_non_null(fake->data);
	scap_backward_init(&fake->ring, &fake->meta, fake->data, BYTES);
	fake->ring.cpu = 3;
}

static void backward_finish(struct backward *fake)
{
	scap_backward_close(&fake->ring);
	free(fake->data);
}

/* Writes a record that was sent at `sent`, with these frames. Returns its size. */
static size_t backward_write(struct backward *fake, uint64_t sent, const uint64_t *times, size_t n,
			     size_t extra)
{
	uint8_t frames[RECORD_BYTES_MAX], record[RECORD_BYTES_MAX + 64] = {0};
	size_t bytes = fake_frames(frames, times, n, extra);
	struct batch_header batch = {.bytes = (uint32_t)bytes, .count = (uint16_t)n};
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	size_t at = sizeof(header) + sizeof(sent) + sizeof(uint32_t);
	uint32_t raw;
	uint64_t to;

	header.size = (uint16_t)((at + sizeof(batch) + bytes + 7) / 8 * 8);
	raw = (uint32_t)(header.size - at);
	memcpy(record, &header, sizeof(header));
	memcpy(record + sizeof(header), &sent, sizeof(sent));
	memcpy(record + at - sizeof(raw), &raw, sizeof(raw));
	memcpy(record + at, &batch, sizeof(batch));
	memcpy(record + at + sizeof(batch), frames, bytes);
	to = fake->meta.data_head - header.size;
	for (size_t i = 0; i < header.size; i++)
		fake->data[(to + i) % BYTES] = record[i];
	fake->meta.data_head = to;
	return header.size;
}

static size_t write_one(struct backward *fake, uint64_t ts)
{
	return backward_write(fake, ts + 1, &ts, 1, 20);
}

/* The times of all events of a copy, in order. Returns how many there are. */
static size_t read_times(struct scap_backward_copy *copy, uint64_t *times, size_t max)
{
	struct scap_frame frame;
	size_t n = 0;

	scap_ring_load(&copy->ring);
	for (; scap_ring_peek(&copy->ring, &frame); n++) {
		assert_true(n < max);
		times[n] = frame.ts;
		/* The body repeats the time. */
		assert_int_equal(((const uint8_t *)frame.bytes)[frame.len - 1], (uint8_t)frame.ts);
		scap_ring_take(&copy->ring);
	}
	assert_int_equal(copy->ring.corrupt, 0);
	return n;
}

static void test_empty(void **state)
{
	struct scap_backward none = {.fd = -1};
	struct scap_backward_copy copy;
	struct backward fake;
	uint64_t times[1];

	backward_init(&fake);
	assert_int_equal(scap_backward_written(&fake.ring), 0);
	assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
	assert_int_equal(read_times(&copy, times, 1), 0);
	assert_int_equal(copy.since_ns, 0);
	scap_backward_copy_close(&copy);
	assert_int_equal(scap_backward_copy(&none, &copy), 0);
	assert_int_equal(read_times(&copy, times, 1), 0);
	assert_int_equal(scap_backward_written(&none), 0);
	scap_backward_copy_close(&copy);
	backward_finish(&fake);
}

/* Nothing was overwritten: all is there, the oldest first. */
static void test_all(void **state)
{
	const uint64_t batch[] = {10, 11, 12};
	struct scap_backward_copy copy;
	struct backward fake;
	uint64_t times[FRAMES_MAX];
	size_t bytes;

	backward_init(&fake);
	bytes = write_one(&fake, 5);
	bytes += backward_write(&fake, 13, batch, 3, 7);
	bytes += write_one(&fake, 20);
	assert_int_equal(scap_backward_written(&fake.ring), bytes);
	assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
	assert_int_equal(copy.bytes, bytes);
	assert_int_equal(copy.ring.cpu, 3);
	assert_int_equal(read_times(&copy, times, FRAMES_MAX), 5);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(times[1 + i], batch[i]);
	assert_int_equal(times[0], 5);
	assert_int_equal(times[4], 20);
	assert_int_equal(copy.since_ns, 0);
	scap_backward_copy_close(&copy);
	/* The ring is as it was. */
	assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
	assert_int_equal(read_times(&copy, times, FRAMES_MAX), 5);
	scap_backward_copy_close(&copy);
	backward_finish(&fake);
}

/*
 * However many laps: the latest are there, without a gap, and each one that was overwritten is
 * earlier than the copy says.
 */
static void test_laps(void **state)
{
	const uint64_t lots = 5 * (BYTES / 64);
	static uint64_t times[BYTES / 64];
	struct scap_backward_copy copy;
	struct backward fake;
	size_t n;

	backward_init(&fake);
	for (uint64_t ts = 1; ts <= lots; ts++) {
		backward_write(&fake, 2 * ts + 1, &(uint64_t){2 * ts}, 1, 1 + (size_t)(ts % 40));
		if (ts % (lots / 7))
			continue;
		assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
		n = read_times(&copy, times, sizeof(times) / sizeof(times[0]));
		assert_true(n > (BYTES - BACKWARD_TORN_BYTES) / 128 || n == ts);
		assert_int_equal(times[n - 1], 2 * ts);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(times[i], 2 * (ts - n + 1 + i));
		assert_true(n == ts ? copy.since_ns == 0 : copy.since_ns > times[0]);
		assert_true(copy.since_ns < times[0] + 10);
		scap_backward_copy_close(&copy);
	}
	backward_finish(&fake);
}

/* An event that waited in its slot for long does not tell what was overwritten before it was sent.
 */
static void test_late_batch(void **state)
{
	const uint64_t late = 7;
	struct scap_backward_copy copy;
	struct backward fake;
	uint64_t ts = 1000;
	size_t bytes = 0, after = 0;

	backward_init(&fake);
	while (bytes < 2 * BYTES)
		bytes += write_one(&fake, ts++);
	bytes = backward_write(&fake, ts, &late, 1, 20);
	after = ts;
	while (bytes < BYTES - BACKWARD_TORN_BYTES - 100)
		bytes += write_one(&fake, ++ts);
	assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
	assert_true(copy.since_ns >= after);
	scap_backward_copy_close(&copy);
	backward_finish(&fake);
}

/* Programs that interrupt one another read the clock in one order and write in another one. */
static void test_nested(void **state)
{
	struct scap_backward_copy copy;
	uint64_t ts = 100, latest = 0;
	struct backward fake;
	size_t bytes = 0;

	backward_init(&fake);
	while (bytes < 3 * BYTES) {
		/* Three records, the first of which is the latest. */
		for (uint64_t i = 3; i-- > 0;)
			bytes += backward_write(&fake, ts + i * 10 + 1, &(uint64_t){ts + i * 10}, 1,
						20);
		ts += 30;
	}
	assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
	/* All times are 100 + 10 i: from `since_ns` on none is missing. */
	for (uint64_t next = 0;;) {
		struct scap_frame frame;

		scap_ring_load(&copy.ring);
		if (!scap_ring_peek(&copy.ring, &frame))
			break;
		if (frame.ts > copy.since_ns) {
			assert_true(!next || frame.ts == next);
			assert_true(next || frame.ts < copy.since_ns + 10);
			next = frame.ts + 10;
		}
		latest = frame.ts;
		scap_ring_take(&copy.ring);
	}
	assert_int_equal(latest, ts - 10);
	scap_backward_copy_close(&copy);
	backward_finish(&fake);
}

/* What is before a record without a valid size cannot be found. */
static void test_corrupt(void **state)
{
	const struct perf_event_header broken[] = {{.size = 4}, {.size = 0}, {.size = 41}};
	struct scap_backward_copy copy;
	struct backward fake;
	uint64_t times[FRAMES_MAX];

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		backward_init(&fake);
		write_one(&fake, 1);
		write_one(&fake, 2);
		memcpy(fake.data + fake.meta.data_head % BYTES, &broken[i], sizeof(broken[i]));
		write_one(&fake, 3);
		assert_int_equal(scap_backward_copy(&fake.ring, &copy), 0);
		assert_int_equal(copy.corrupt, 1);
		assert_int_equal(read_times(&copy, times, FRAMES_MAX), 1);
		assert_int_equal(times[0], 3);
		assert_int_equal(copy.since_ns, 4);
		scap_backward_copy_close(&copy);
		backward_finish(&fake);
	}
}

static void test_rejects_sizes(void **state)
{
	struct error err = {""};

	assert_int_equal(scap_backward_open_event(0, BYTES / 2, &err), -EINVAL);
	assert_int_equal(scap_backward_open_event(0, BYTES + 4096, &err), -EINVAL);
	assert_non_null(strstr(err.text, "power of two"));
}

/* On the running kernel, where it allows. */
static void test_kernel(void **state)
{
	struct scap_backward ring;
	struct scap_backward_copy copy;
	struct error err = {""};
	uint64_t times[1];
	int fd = scap_backward_open_event(0, BYTES, &err);

	if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
		skip();
	assert_true(fd >= 0);
	assert_int_equal(scap_backward_map(fd, 0, BYTES, &ring, &err), 0);
	assert_int_equal(ring.meta->data_size, BYTES);
	/* Only what is mapped for reading is overwritten. */
	assert_int_equal(ioctl(ring.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
	assert_int_equal(scap_backward_copy(&ring, &copy), 0);
	assert_int_equal(read_times(&copy, times, 1), 0);
	scap_backward_copy_close(&copy);
	scap_backward_close(&ring);
	assert_null(ring.meta);
	assert_int_equal(scap_backward_map(-1, 0, BYTES, &ring, &err), -EBADF);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty),	      cmocka_unit_test(test_all),
	cmocka_unit_test(test_laps),	      cmocka_unit_test(test_late_batch),
	cmocka_unit_test(test_nested),	      cmocka_unit_test(test_corrupt),
	cmocka_unit_test(test_rejects_sizes), cmocka_unit_test(test_kernel),
};

UNIT_GROUP(tests);
