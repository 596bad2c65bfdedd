/* SPDX-License-Identifier: MIT */
/*
 * What users of sysdig, Falco, strace, tcpdump, perf, tetra and tracee type, and what it is here:
 * it works, or a hint says what to type. The table is in habit_rows.c.
 */
#ifndef AGENT_OPTIONS_HABITS_H
#define AGENT_OPTIONS_HABITS_H

#include <stdbool.h>

#include "util/buf.h"
#include "util/error.h"

enum habit_does {
	HABIT_HINT, /* is rejected; the text says what to type */
	HABIT_NOTHING, /* is accepted: that is so here without it */
	HABIT_OPTION, /* stands for the option with that long name */
	HABIT_FILTER, /* adds a condition to the filter */
	HABIT_CALLS, /* the same of a set of system calls, as in strace */
};

struct habit {
	const char *typed; /* letters and names with their dashes, blanks between them */
	/*
	 * Whether it is about this value; NULL as a value: there is none. No function: whatever the
	 * value is, if the agent has no such option, or rejects the value.
	 */
	bool (*when)(const char *value);
	enum habit_does does;
	const char *text; /* {} stands for the value; NULL: nothing to say */
	const char *value; /* HABIT_OPTION: of that option; NULL: the one that was typed */
	bool takes; /* the word behind it is its value, not one of the filter */
};

/* The row with this index, or NULL after the last one. */
const struct habit *habit_row(unsigned int place);

/*
 * The first row about an option, as "-p" or "--print", and the value (NULL: none) that it has or
 * that would be its own; or NULL. refused: the agent has no such option, or rejects the value.
 */
const struct habit *habit_find(const char *option, const char *value, bool refused);

/* Sets the hint as the message. Returns -EINVAL. */
int habit_reject(const struct habit *habit, const char *option, const char *value,
		 struct error *err);

/*
 * Appends the condition that it stands for, after " and " if there is one already. Returns 0,
 * -EINVAL with a message, or -ENOMEM.
 */
int habit_append_filter(const struct habit *habit, const char *option, const char *value,
			struct buf *filter, struct error *err);

/*
 * Rejects words that are no filter of the agent but one of packets, a command of another program,
 * or a program to start; the list ends with NULL. Returns 0, or -EINVAL with a message.
 */
int habit_check_words(char **words, struct error *err);

#endif
