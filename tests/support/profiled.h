/* SPDX-License-Identifier: MIT */
/* A small profile: two processes, code of files, of the kernel and of nobody, time off CPU. */
#ifndef TESTS_PROFILED_H
#define TESTS_PROFILED_H

#include "profile/names/names.h"
#include "profile/stacks.h"

enum { PROFILED_FILE = 1, PROFILED_OTHER, PROFILED_ANONYMOUS };

/*
 * Makes a set of files and of processes "one" (pid 10), "two;x" (11, in a container of a pod) and
 * no rows.
 */
void profiled_create(struct stacks *stacks);

/*
 * Adds a row: "kernel" and "user" are frames, the innermost first, of the kernel and of
 * PROFILED_FILE, whose places end with a 0.
 */
void profiled_add(struct stacks *stacks, uint32_t process, const uint64_t *kernel,
		  const uint64_t *user, uint64_t value);

/* The same, changed by the caller: of any kind. */
struct stack_row profiled_row(struct stacks *stacks, uint32_t process, const uint64_t *kernel,
			      const uint64_t *user, uint64_t value);

/* Names the frames: "k16" of the kernel, "f32" else, and nothing from 1000 on. */
void profiled_name(const struct stacks *stacks, struct profile_names *names);

/* Inlines two functions in that of a place of PROFILED_FILE: "inner" in "outer". */
void profiled_inline(struct profile_names *names, uint64_t at);

#endif
