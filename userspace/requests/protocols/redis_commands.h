/* SPDX-License-Identifier: MIT */
/* The commands of Redis, and which of their arguments is a key: all others may be values. */
#ifndef REQUESTS_PROTOCOLS_REDIS_COMMANDS_H
#define REQUESTS_PROTOCOLS_REDIS_COMMANDS_H

#include <stdbool.h>

enum redis_keys {
	REDIS_KEY_NONE,
	REDIS_KEY_FIRST, /* the argument behind the name; of PUBLISH and the like, a channel */
	REDIS_KEY_SECOND,
	REDIS_KEY_THIRD,
	REDIS_KEY_COUNTED_SECOND, /* the one in front of it says how many keys there are */
	REDIS_KEY_COUNTED_THIRD,
	REDIS_KEY_STREAMS, /* behind the word STREAMS */
	REDIS_KEY_WORDS, /* the name has two words, and no key */
	REDIS_KEY_WORDS_SECOND, /* two words, and behind them a key if there is an argument */
	REDIS_KEYS,
};

/* The row of a name in upper case: where its key is. Returns false: the command is not known. */
bool redis_command_find(const char *name, enum redis_keys *keys);

#endif
