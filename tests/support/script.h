/* SPDX-License-Identifier: MIT */
/* Captures that give the events of a script. */
#ifndef SUPPORT_SCRIPT_H
#define SUPPORT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "scap/source.h"

enum { MS = 1000000 };

/* An event of a script: when it was seen, and what it is. */
struct moment {
	uint64_t ts_ns; /* 0: the end */
	uint64_t tid;
	uint64_t latency_ns; /* 0: its frame has none */
	bool hidden; /* for expect_moments() */
	uint16_t type; /* 0: EVENT_close; another one has no latency */
};

/* A capture that gives what was before a time, as far as that is known. */
struct script {
	struct scap_source source;
	const struct moment *moments;
	size_t at;
	uint64_t now_ns; /* what is later has not come yet */
	bool stopped;
	struct {
		struct ppm_evt_hdr header;
		uint64_t latency_ns;
	} __attribute__((packed)) frame;
};

extern const struct scap_source_ops script_ops;

#define SCRIPT(...)                                                                                \
	{                                                                                          \
		.source.ops = &script_ops, .now_ns = UINT64_MAX,                                   \
		.moments = (const struct moment[]){__VA_ARGS__, {0}},                              \
	}

/* Takes all that there is; fails unless it is that, hidden or not. Ends with a time of 0. */
void expect_moments(struct scap_source *source, const struct moment *wanted);

#define EXPECT_MOMENTS(source, ...)                                                                \
	expect_moments(source, (const struct moment[]){__VA_ARGS__, {0}})
#define EXPECT_NO_MOMENTS(source) expect_moments(source, (const struct moment[]){{0}})

#endif
