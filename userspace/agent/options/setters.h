/* SPDX-License-Identifier: MIT */
/* Macros that define setters of options, for the files of rows. */
#ifndef AGENT_OPTIONS_SETTERS_H
#define AGENT_OPTIONS_SETTERS_H

#include "agent/options/options.h"
#include "util/value.h"

/* Stores a constant; or `value` itself. */
#define CONSTANT_SETTER(setter, member, constant)                                                  \
	static int setter(struct options *options, const char *value)                              \
	{                                                                                          \
		options->member = constant;                                                        \
		return 0;                                                                          \
	}

/* Reads the value into the member with a function of values.h, with its limit if any. */
#define VALUE_SETTER(setter, member, read, ...)                                                    \
	static int setter(struct options *options, const char *value)                              \
	{                                                                                          \
		return read(value, ##__VA_ARGS__, &options->member);                               \
	}

/* One of the words of an array, whose indices are the values of the member. */
#define WORD_SETTER(setter, words, member)                                                         \
	static const char *words##_get(unsigned int i)                                             \
	{                                                                                          \
		return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;                     \
	}                                                                                          \
	static int setter(struct options *options, const char *value)                              \
	{                                                                                          \
		unsigned int place;                                                                \
		int code = words_find(words##_get, value, &place);                                 \
                                                                                                   \
		if (code == 0)                                                                     \
			options->member = place;                                                   \
		return code;                                                                       \
	}

#endif
