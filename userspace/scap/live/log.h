/* SPDX-License-Identifier: MIT */
/*
 * What libbpf says while it loads: kept quiet, and searched for the program that the kernel
 * rejected and the reason.
 */
#ifndef SCAP_LIVE_LOG_H
#define SCAP_LIVE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

struct live_log {
	struct buf text;
	bool verbose; /* print it too */
};

/*
 * From here to live_log_end() this thread's messages of libbpf go to `log`, and nowhere else
 * unless it is verbose.
 */
void live_log_begin(struct live_log *log);
void live_log_end(struct live_log *log);

/* Frees the text. */
void live_log_finish(struct live_log *log);

/* The program that was spoken of last. Returns false if there was none. */
bool live_log_program(const struct live_log *log, char *name, size_t size);

/* The last words before the verifier's statistics, or of libbpf itself: why it was rejected. */
void live_log_reason(const struct live_log *log, char *reason, size_t size);

#endif
