/* SPDX-License-Identifier: MIT */
/*
 * Sends the lines of standard input to a target, as an output of the agent would: tests try real
 * servers with it.
 *     send_records KIND:TARGET[,KEY=VALUE...] < LINES
 * Ends with 0 when all were delivered; 1: some were not within half a minute, or were rejected.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "output/targets/kinds.h"
#include "util/clock.h"

enum { BATCH = 500, RETRY_MS = 100, TRIES = 600 };

struct lines {
	char *text[BATCH];
	struct output_record records[BATCH];
	struct iovec parts[BATCH];
	uint8_t results[BATCH];
	size_t count;
};

static void read_lines(struct lines *lines, uint64_t number)
{
	uint64_t now = clock_ns(CLOCK_REALTIME);

	for (lines->count = 0; lines->count < BATCH; lines->count++) {
		size_t i = lines->count, size = 0;
		ssize_t len;

		lines->text[i] = NULL;
		len = getline(&lines->text[i], &size, stdin);
		if (len < 0) {
			free(lines->text[i]);
			break;
		}
		lines->parts[i] = (struct iovec){lines->text[i], (size_t)len};
		lines->records[i] = (struct output_record){
			.bytes = lines->text[i],
			.number = number + i,
			.ts_ns = now + i,
			.len = (uint32_t)len,
			.event = EVENT_openat,
			.priority = (uint8_t)((number + i) % 8),
		};
	}
}

/* The records from `first` on, once. Returns how many of them are done with. */
static size_t send_once(const struct output_kind *kind, void *target, struct lines *lines,
			size_t first, size_t *rejected)
{
	struct output_batch batch = {
		.records = lines->records + first,
		.count = lines->count - first,
		.parts = lines->parts + first,
		.parts_count = lines->count - first,
		.stream = "0123456789abcdef",
		.results = lines->results,
	};
	struct error err = {""};
	size_t done = 0;

	for (size_t i = 0; i < batch.count; i++)
		batch.bytes += batch.records[i].len;
	memset(lines->results, OUTPUT_RETRY, batch.count);
	if (kind->send(target, &batch, &err))
		fprintf(stderr, "%s\n", err.text);
	while (done < batch.count && batch.results[done] != OUTPUT_RETRY)
		*rejected += batch.results[done++] == OUTPUT_REJECTED;
	return done;
}

static size_t send_all(const struct output_kind *kind, void *target, struct output_stop *stop)
{
	size_t rejected = 0;
	uint64_t number = 1;
	struct lines lines;

	for (read_lines(&lines, number); lines.count; read_lines(&lines, number)) {
		size_t done = 0;

		for (int i = 0; i < TRIES && done < lines.count; i++) {
			done += send_once(kind, target, &lines, done, &rejected);
			if (done < lines.count)
				output_wait(stop, -1, 0, RETRY_MS);
		}
		rejected += lines.count - done;
		number += lines.count;
		for (size_t i = 0; i < lines.count; i++)
			free(lines.text[i]);
	}
	return rejected;
}

int main(int argc, char **argv)
{
	struct output_config *config;
	struct output_stop stop;
	struct error err;
	size_t failed;
	void *target;

	if (argc != 2) {
		fputs("usage: send_records KIND:TARGET[,KEY=VALUE...]\n", stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	if (output_stop_init(&stop) || output_config_read(output_kinds, argv[1], &config, &err) ||
	    config->kind->open(config, &stop, &target, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	failed = send_all(config->kind, target, &stop);
	config->kind->close(target);
	output_config_destroy(config);
	output_stop_finish(&stop);
	if (failed)
		fprintf(stderr, "%zu records were not delivered\n", failed);
	return failed != 0;
}
