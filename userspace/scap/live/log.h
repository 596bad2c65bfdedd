/* SPDX-License-Identifier: MIT */
/*
 * The messages of libbpf during loading: not printed, but searched for the program that the kernel
 * rejected and the reason.
 */
#ifndef SCAP_LIVE_LOG_H
#define SCAP_LIVE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

struct live_log {
	struct buf text;
	bool verbose; /* it is printed if something was rejected */
};

/*
 * Until live_log_end(), libbpf's messages of this thread go to `log`. Most of them say nothing:
 * they are printed by live_log_show() alone.
 */
void live_log_begin(struct live_log *log);
void live_log_end(struct live_log *log);

/* Frees the text. */
void live_log_finish(struct live_log *log);

/* Adds what the verifier said to a log that has ended. */
void live_log_append(struct live_log *log, const char *text);

/* Prints a log that has ended, if it is verbose: for what was rejected. */
void live_log_show(const struct live_log *log);

/* Why it was rejected: the verifier's last line before its statistics, else libbpf's message. */
void live_log_reason(const struct live_log *log, char *reason, size_t size);

#endif
