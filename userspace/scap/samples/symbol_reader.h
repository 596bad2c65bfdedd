/* SPDX-License-Identifier: MIT */
/*
 * A thread that reads symbols and mappings: files that other processes choose, and that may take
 * long, are never read by who waits for events. One that is stuck, as in a file whose server does
 * not answer, is given up, and another one goes on.
 */
#ifndef SCAP_SAMPLES_SYMBOL_READER_H
#define SCAP_SAMPLES_SYMBOL_READER_H

#include <stddef.h>
#include <stdint.h>

#include "scap/samples/process_maps.h"
#include "scap/symbols/symbol_maps.h"
#include "scap/symbols/symbol_table.h"
#include "util/error.h"

enum symbol_request_kind {
	READ_KERNEL,
	READ_MAPPINGS, /* executable ones, of a process */
	READ_FILE, /* that is mapped in a process */
};

struct symbol_mapping {
	struct process_mapping mapping; /* without `file` */
	struct symbol_file_id id;
	size_t path; /* where in the texts */
};

struct symbol_request {
	struct symbol_request *next;
	enum symbol_request_kind kind;
	int32_t pid;
	uint32_t file; /* of READ_FILE: a number of the caller's */
	uint64_t begin, end; /* of READ_FILE: where it is mapped */
	struct symbol_file_id id;
	char *path; /* owned: of READ_FILE, as the process sees it */
	/* The answer: */
	int error; /* 0 or -errno */
	/* Monotonic clock: what was read was there at some time between. */
	uint64_t begun_ns, read_ns;
	struct symbol_table table; /* owned */
	struct symbol_mapping *mappings; /* owned */
	size_t mappings_count;
	char *texts; /* owned */
};

void symbol_request_destroy(struct symbol_request *request); /* accepts NULL */

struct symbol_reader;

/* What takes longer to be read is given up; and the same for readers. */
#define SYMBOLS_SLOW_NS UINT64_C(10000000000)
#define SYMBOLS_SLOW_TEXT "ten seconds"

/* Threads that are given up and have not come back, at a time: the next one stays stuck. */
enum { SYMBOLS_STUCK_MAX = 4 };

/*
 * proc: a descriptor of /proc, and kernel: one of its kallsyms; both are the reader's, also on
 * failure. slow_ns: SYMBOLS_SLOW_NS, but for tests. Returns 0, or -errno with a message.
 */
int symbol_reader_create(int proc, int kernel, uint64_t slow_ns, struct symbol_reader **reader,
			 struct error *err);

/* Ends the thread; those that are stuck in a read are left to themselves. Accepts NULL. */
void symbol_reader_destroy(struct symbol_reader *reader);

/* Asks, in the order of the calls. The request is the reader's. */
void symbol_reader_ask(struct symbol_reader *reader, struct symbol_request *request);

/*
 * The next answer, which is the caller's; NULL: there is none yet. What is given up is answered
 * with the error -ETIMEDOUT, and so is, at once, what else is asked of the same device, or of the
 * mappings of the same process, until the thread that was given up comes back.
 */
struct symbol_request *symbol_reader_answer(struct symbol_reader *reader);

/* How many requests took longer than `slow_ns`, with one that still does. */
uint64_t symbol_reader_slow(struct symbol_reader *reader);

/* Does what a request asks for, in the calling thread; for tests, and the thread. */
void symbol_request_read(struct symbol_request *request, int proc, int kernel);

#endif
