/* SPDX-License-Identifier: MIT */
/* The /proc reader on the running system, and descriptors of this process. */
#ifndef TESTS_REAL_PROC_H
#define TESTS_REAL_PROC_H

#include "scap/proc/proc.h"

/* For cmocka: the state is a reader, struct scap_proc. */
int real_proc_open(void **state);
int real_proc_close(void **state);

/* What the reader says of a descriptor; the name is valid until the next call. */
struct scap_fd real_proc_fd(void **state, int num);

/* The descriptor has that type and a name; closes it. */
void real_proc_expect(void **state, int num, enum scap_fd_type type);

#endif
