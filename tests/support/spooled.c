/* SPDX-License-Identifier: MIT */
#include "spooled.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/spool/folder.h"

#define HOUR_NS (3600 * UINT64_C(1000000000))

void spooled_create(struct spooled *spooled)
{
	*spooled = (struct spooled){0};
	tree_create(&spooled->tree);
	tree_path(&spooled->tree, "spool", spooled->path);
	spooled->config = (struct spool_config){
		.path = spooled->path, .limit_bytes = 1 << 20, .sync_ns = HOUR_NS};
}

void spooled_destroy(struct spooled *spooled)
{
	spooled_close(spooled);
	tree_destroy(&spooled->tree);
}

void spooled_open(struct spooled *spooled)
{
	struct error err = {0};

	if (spool_open(&spooled->config, &spooled->spool, &err))
		fail_msg("%s", err.text);
}

void spooled_close(struct spooled *spooled)
{
	spool_close(spooled->spool);
	spooled->spool = NULL;
}

void spooled_die_in(struct spooled *spooled, void (*run)(struct spooled *spooled))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		run(spooled);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

struct output_record spooled_record(uint64_t number, char bytes[SPOOLED_RECORD_BYTES])
{
	int len =
		snprintf(bytes, SPOOLED_RECORD_BYTES, "{\"evt.num\":%" PRIu64 ",\"x\":\"", number);

	for (uint64_t i = 0; i < 50 + number % 200; i++)
		bytes[len++] = (char)('a' + (number * 7 + i * i) % 26);
	return (struct output_record){
		.bytes = bytes,
		.number = number,
		.ts_ns = 1000000 * number,
		.len = (uint32_t)len,
		.event = (uint16_t)(number % 10),
		.priority = (uint8_t)(number % 7),
	};
}

int spooled_try(struct spooled *spooled, size_t count)
{
	static char bytes[SPOOLED_RECORDS_MAX][SPOOLED_RECORD_BYTES];
	static struct output_record records[SPOOLED_RECORDS_MAX];
	struct error err;

	assert_in_range(count, 1, SPOOLED_RECORDS_MAX);
	for (size_t i = 0; i < count; i++)
		records[i] = spooled_record(++spooled->number, bytes[i]);
	return spool_append(spooled->spool, records, count, &err);
}

void spooled_append(struct spooled *spooled, size_t count)
{
	assert_int_equal(spooled_try(spooled, count), 0);
}

static void check_record(const struct output_record *record)
{
	char bytes[SPOOLED_RECORD_BYTES];
	struct output_record expected = spooled_record(record->number, bytes);

	assert_int_equal(record->len, expected.len);
	assert_memory_equal(record->bytes, expected.bytes, expected.len);
	assert_int_equal(record->ts_ns, expected.ts_ns);
	assert_int_equal(record->event, expected.event);
	assert_int_equal(record->priority, expected.priority);
}

bool spooled_read(struct spooled *spooled, struct spool_batch *batch)
{
	struct error err = {0};
	size_t bytes = 0;
	int r = spool_read(spooled->spool, 0, batch, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; r && i < batch->count; i++) {
		if (!(batch->records[i].flags & RECORD_IS_DROP))
			check_record(&batch->records[i]);
		assert_ptr_equal(batch->records[i].bytes, batch->data + bytes);
		bytes += batch->records[i].len;
	}
	if (r) {
		assert_true(batch->count > 0);
		assert_int_equal(batch->bytes, bytes);
	}
	return r;
}

void spooled_expect(struct spooled *spooled, uint64_t from, uint64_t to, bool redelivered)
{
	struct spool_batch batch;

	while (from <= to) {
		assert_true(spooled_read(spooled, &batch));
		for (size_t i = 0; i < batch.count; i++) {
			assert_int_equal(batch.records[i].number, from++);
			assert_int_equal(batch.records[i].flags,
					 redelivered ? RECORD_REDELIVERED : 0);
		}
	}
	assert_int_equal(from, to + 1);
}

void spooled_acknowledge(struct spooled *spooled, const struct spool_batch *batch)
{
	uint64_t last = batch->first + batch->count - 1;

	assert_int_equal(spool_attempt(spooled->spool, last, NULL), 0);
	assert_int_equal(spool_acknowledge(spooled->spool, last, NULL), 0);
}

uint64_t spooled_drain(struct spooled *spooled)
{
	struct spool_batch batch;
	uint64_t records = 0;

	while (spooled_read(spooled, &batch)) {
		spooled_acknowledge(spooled, &batch);
		records += batch.count;
	}
	return records;
}

void spooled_file(const struct spooled *spooled, const char *name, char path[TREE_PATH_BYTES])
{
	assert_in_range(snprintf(path, TREE_PATH_BYTES, "%s/%s", spooled->path, name), 1,
			TREE_PATH_BYTES - 1);
}

void spooled_segment(const struct spooled *spooled, uint64_t first, char path[TREE_PATH_BYTES])
{
	char name[SPOOL_NAME_BYTES];

	spool_segment_name(first, name);
	spooled_file(spooled, name, path);
}

uint64_t spooled_file_bytes(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return (uint64_t)status.st_size;
}

void spooled_flip(const char *path, uint64_t offset)
{
	int fd = open(path, O_RDWR);
	char byte;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
	byte = (char)~byte;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
	close(fd);
}
