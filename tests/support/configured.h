/* SPDX-License-Identifier: MIT */
/* Options of configuration files that a test writes. */
#ifndef CONFIGURED_TEST_H
#define CONFIGURED_TEST_H

#include "agent/options/options.h"
#include "tree.h"
#include "util/buf.h"

enum { CONFIGURED_WORDS_MAX = 16 };

struct configured {
	char path[TREE_PATH_BYTES]; /* of agent.yaml */
	char words[512], *argv[CONFIGURED_WORDS_MAX]; /* options refer to them */
	struct tree tree; /* has agent.yaml, and what the test writes before */
	struct options options;
	struct buf messages; /* followed by a NUL; paths are relative to the tree */
	struct error err;
	int code;
};

void configured_create(struct configured *configured);
void configured_destroy(struct configured *configured);

/*
 * Loads agent.yaml with this text, and further words of a command line that blanks separate; NULL:
 * none. What an earlier call loaded is released.
 */
void configured_load(struct configured *configured, const char *text, const char *words);

/* Loads it, and fails if it has errors. */
void configured_right(struct configured *configured, const char *text, const char *words);

/* Fails unless it is rejected with exactly these messages, without excerpts, a line each. */
void configured_rejected(struct configured *configured, const char *text, const char *messages);

#endif
