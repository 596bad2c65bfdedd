/* SPDX-License-Identifier: MIT */
/*
 * A spool in a folder of its own, whose records have contents that their numbers determine; and
 * damage to its files. What fails, fails the test.
 */
#ifndef TESTS_SPOOLED_H
#define TESTS_SPOOLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/spool/spool.h"
#include "tree.h"

enum { SPOOLED_RECORDS_MAX = 4096, SPOOLED_RECORD_BYTES = 400 };

struct spooled {
	struct tree tree;
	char path[TREE_PATH_BYTES];
	struct spool_config config;
	struct spool *spool; /* NULL: closed */
	uint64_t number; /* of the last record that was appended */
};

/* Makes the folder. Not compressed, synced each hour, 1 MiB, until config is changed. */
void spooled_create(struct spooled *spooled);
void spooled_destroy(struct spooled *spooled); /* closes it, too */

void spooled_open(struct spooled *spooled);
void spooled_close(struct spooled *spooled);

/* Runs a function with this spool in a process that then ends as by kill -9. */
void spooled_die_in(struct spooled *spooled, void (*run)(struct spooled *spooled));

/* Appends a batch of the next `count` numbers. Returns as spool_append(). */
int spooled_try(struct spooled *spooled, size_t count);
void spooled_append(struct spooled *spooled, size_t count);

/* A record: its length, type and time follow from its number, too. */
struct output_record spooled_record(uint64_t number, char bytes[SPOOLED_RECORD_BYTES]);

/* Reads the next batch, at once, and checks the contents of its records. Returns false if there is
 * none. */
bool spooled_read(struct spooled *spooled, struct spool_batch *batch);

/* The same, of exactly these numbers, all of them marked or none. */
void spooled_expect(struct spooled *spooled, uint64_t from, uint64_t to, bool redelivered);

/* Says that all of the batch was sent and arrived. */
void spooled_acknowledge(struct spooled *spooled, const struct spool_batch *batch);

/* Reads and acknowledges what there is. Returns the number of records. */
uint64_t spooled_drain(struct spooled *spooled);

/* The path of a file of the spool; of the segment with this first position. */
void spooled_file(const struct spooled *spooled, const char *name, char path[TREE_PATH_BYTES]);
void spooled_segment(const struct spooled *spooled, uint64_t first, char path[TREE_PATH_BYTES]);

uint64_t spooled_file_bytes(const char *path);

/* Inverts a byte of a file. */
void spooled_flip(const char *path, uint64_t offset);

#endif
