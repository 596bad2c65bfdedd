/* SPDX-License-Identifier: MIT */
/*
 * The speed of a spool: one thread appends lines of JSON of about 300 bytes, another one reads,
 * attempts and acknowledges them, as the two threads of an output do. Prints records a second, CPU
 * time by thread and what is stored of each byte.
 *
 *   spool_speed FOLDER [RECORDS [SYNC_MS [LEVEL]]]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/spool/spool.h"
#include "util/clock.h"

#define SECOND UINT64_C(1000000000)

enum {
	RECORDS = 5000000,
	BATCH = 512,
	RECORD_BYTES = 400,
	VARIETY = 4096, /* batches are cut from so many different records */
	SYNC_MS = 1000,
	LEVEL = 1,
};

static struct output_record records[VARIETY + BATCH];
static char bytes[VARIETY + BATCH][RECORD_BYTES];

struct bench {
	struct spool *spool;
	uint64_t records, plain_bytes, stored_bytes;
	double append_cpu, read_cpu; /* seconds */
};

static void fail(const char *what, const struct error *err)
{
	fprintf(stderr, "spool_speed: %s: %s\n", what, err->text);
	exit(1);
}

static double thread_cpu(void)
{
	return (double)clock_ns(CLOCK_THREAD_CPUTIME_ID) / (double)SECOND;
}

/* Events of a busy machine: names and numbers that repeat, paths and times that do not. */
static void make_record(unsigned int i)
{
	static const char *const programs[] = {"nginx", "postgres", "java", "python3", "sshd"};
	unsigned int random = (unsigned int)rand();
	int len = snprintf(
		bytes[i], RECORD_BYTES,
		"{\"evt.time\":\"2026-11-22T10:%02u:%02u.%09uZ\",\"evt.type\":\"openat\","
		"\"proc.name\":\"%s\",\"proc.pid\":%u,\"proc.ppid\":%u,\"user.name\":\"www-data\","
		"\"container.id\":\"%012x\",\"fd.name\":\"/srv/data/%u/%08x/part-%u.bin\","
		"\"evt.args\":\"dirfd=AT_FDCWD flags=O_RDONLY|O_CLOEXEC "
		"mode=0\",\"evt.rawres\":%u}\n",
		random % 60, random % 59, (random * 2654435761u) % 1000000000, programs[random % 5],
		1000 + random % 500, 900 + random % 50, 0xabcdef00 + random % 16, random % 1000,
		random * 40503u, random % 64, 3 + random % 200);

	records[i] = (struct output_record){.bytes = bytes[i],
					    .len = (uint32_t)len,
					    .event = (uint16_t)(random % 300),
					    .priority = 6};
}

static void *append(void *argument)
{
	struct bench *bench = argument;
	struct output_record batch[BATCH];
	struct error err;

	for (uint64_t number = 0; number < bench->records; number += BATCH) {
		memcpy(batch, &records[(number * 7) % VARIETY], sizeof(batch));
		for (unsigned int i = 0; i < BATCH; i++) {
			batch[i].number = number + i + 1;
			batch[i].ts_ns = 1790000000 * SECOND + (number + i) * 2000;
			bench->plain_bytes += batch[i].len;
		}
		if (spool_append(bench->spool, batch, BATCH, &err))
			fail("append", &err);
	}
	bench->append_cpu = thread_cpu();
	return NULL;
}

static void *read_all(void *argument)
{
	struct bench *bench = argument;
	struct spool_batch batch;
	struct error err;
	uint64_t done = 0;

	while (done < bench->records) {
		int r = spool_read(bench->spool, 10 * SECOND, &batch, &err);
		uint64_t last = batch.first + batch.count - 1;

		if (r < 0)
			fail("read", &err);
		if (r == 0 || batch.lost) {
			fputs("spool_speed: records are missing\n", stderr);
			exit(1);
		}
		if (spool_attempt(bench->spool, last, &err) ||
		    spool_acknowledge(bench->spool, last, &err))
			fail("acknowledge", &err);
		done += batch.count;
	}
	bench->read_cpu = thread_cpu();
	return NULL;
}

static void print(const char *what, const struct bench *bench, uint64_t ns, double cpu)
{
	double seconds = (double)ns / (double)SECOND;

	printf("%-26s %9.0f records/s  %6.1f MB/s  %5.2f of a core\n", what,
	       (double)bench->records / seconds, (double)bench->plain_bytes / 1e6 / seconds,
	       cpu / seconds);
}

/* One after the other: the disk in between holds everything. */
static void run_in_turns(struct bench *bench)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	struct spool_stats stats;
	pthread_t thread;

	pthread_create(&thread, NULL, append, bench);
	pthread_join(thread, NULL);
	print("append", bench, clock_ns(CLOCK_MONOTONIC) - start, bench->append_cpu);
	spool_stats(bench->spool, &stats);
	printf("%-26s %.1f bytes a record, %.1f stored (%.1f to 1)\n", "",
	       (double)bench->plain_bytes / (double)bench->records,
	       (double)stats.bytes / (double)bench->records,
	       (double)bench->plain_bytes / (double)stats.bytes);
	start = clock_ns(CLOCK_MONOTONIC);
	pthread_create(&thread, NULL, read_all, bench);
	pthread_join(thread, NULL);
	print("read and acknowledge", bench, clock_ns(CLOCK_MONOTONIC) - start, bench->read_cpu);
}

static void run_together(struct bench *bench)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	pthread_t writer, reader;

	pthread_create(&reader, NULL, read_all, bench);
	pthread_create(&writer, NULL, append, bench);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	print("both at once", bench, clock_ns(CLOCK_MONOTONIC) - start,
	      bench->append_cpu + bench->read_cpu);
}

static void measure(const struct spool_config *config, uint64_t count,
		    void (*run)(struct bench *bench))
{
	struct bench bench = {.records = count / BATCH * BATCH};
	struct error err;

	if (spool_open(config, &bench.spool, &err))
		fail("open", &err);
	/* Numbers begin anew with each run, which a spool of its own allows. */
	if (spool_last_number(bench.spool)) {
		fputs("spool_speed: the folder has a spool already; name a new one\n", stderr);
		exit(1);
	}
	run(&bench);
	spool_close(bench.spool);
}

static uint64_t number(int argc, char **argv, int i, uint64_t otherwise)
{
	return argc > i ? strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	uint64_t count = number(argc, argv, 2, RECORDS);
	struct spool_config config = {.limit_bytes = UINT64_C(1) << 36};
	char path[4096];

	if (argc < 2) {
		fputs("usage: spool_speed FOLDER [RECORDS [SYNC_MS [LEVEL]]]\n", stderr);
		return 2;
	}
	config.sync_ns = number(argc, argv, 3, SYNC_MS) * 1000000;
	config.level = (int)number(argc, argv, 4, LEVEL);
	for (unsigned int i = 0; i < VARIETY + BATCH; i++)
		make_record(i);
	snprintf(path, sizeof(path), "%s/in-turns", argv[1]);
	config.path = path;
	measure(&config, count, run_in_turns);
	snprintf(path, sizeof(path), "%s/at-once", argv[1]);
	measure(&config, count, run_together);
	return 0;
}
