/* SPDX-License-Identifier: MIT */
/*
 * Names of the addresses of samples. What is not known is asked of a thread, for which samples wait
 * a moment: only so long in all that no process can hold the events up.
 */
#ifndef SCAP_SAMPLES_SYMBOLS_H
#define SCAP_SAMPLES_SYMBOLS_H

#include "scap/samples/record.h"
#include "scap/samples/samples.h"

struct sample_symbols;

/*
 * proc: a descriptor of the machine's /proc. kernel: its symbols are read at once, as samples of it
 * are to be expected. Returns 0, or -errno with a message.
 */
int sample_symbols_create(int proc, bool kernel, struct sample_symbols **symbols,
			  struct error *err);
void sample_symbols_destroy(struct sample_symbols *symbols); /* accepts NULL */

/* Takes what the thread has read; names that were returned are not valid any more. */
void sample_symbols_step(struct sample_symbols *symbols);

/* What records say, in their order. Times are those of the records. */
void sample_symbols_map(struct sample_symbols *symbols, const struct sample_mapping *mapping,
			uint64_t time_ns);
void sample_symbols_exec(struct sample_symbols *symbols, int32_t pid, uint64_t time_ns);
void sample_symbols_fork(struct sample_symbols *symbols, const struct sample_task *task,
			 uint64_t time_ns);
void sample_symbols_exit(struct sample_symbols *symbols, const struct sample_task *task);

/* Records were lost before a time, perhaps such as these. */
void sample_symbols_forget(struct sample_symbols *symbols, uint64_t time_ns);

/* As soon as it is known, before records that precede it are given. */
void sample_symbols_foresee_exec(struct sample_symbols *symbols, int32_t pid, uint64_t time_ns);

/*
 * Finds the names of a sample and its frames. Returns 1, or -EAGAIN: some are being read, ask again
 * later.
 */
int sample_symbols_find(struct sample_symbols *symbols, const struct sample_record *sample);

/* Of the sample that was found last: that of its address, or NULL; valid until the next step. */
const char *sample_symbols_name(const struct sample_symbols *symbols);

/*
 * The frames as one text, the outermost first: "main;f;g", those of the kernel with "_[k]" behind
 * them, addresses without a name in base 16. NULL: the sample has no frames.
 */
const char *sample_symbols_stack(const struct sample_symbols *symbols,
				 const struct sample_record *sample, char *text, size_t bytes);

void sample_symbols_stats(const struct sample_symbols *symbols, struct samples_stats *stats);

#endif
