/* SPDX-License-Identifier: MIT */
/* Calls that change who a process acts as: made by children, as there is no way back. */
#ifndef TESTS_ACTING_H
#define TESTS_ACTING_H

#include <stdbool.h>
#include <stdint.h>

enum { ACTING_IDS_MAX = 3 };

/* Ids as they are given to the call; -1 leaves one as it is. */
struct acting {
	unsigned int event;
	long number;
	unsigned int ids; /* how many the call takes; parameters 1, 2, … of its event */
	bool of_groups; /* so that root stays root */
};

/* The call by root, by another user, and with ids beyond all that are valid. */
void acting_check(const struct acting *acting);

#endif
