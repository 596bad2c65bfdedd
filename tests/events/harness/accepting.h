/* SPDX-License-Identifier: MIT */
/* What the tests of accept and accept4 have in common: all but the flags of the latter. */
#ifndef TESTS_ACCEPTING_H
#define TESTS_ACCEPTING_H

/* Checks the event of that id (EVENT_accept, EVENT_accept4); `call` makes the system call. */
void accepting_check(unsigned int event, long (*call)(long fd));

#endif
