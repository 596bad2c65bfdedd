/* SPDX-License-Identifier: MIT */
/* What the tests of clone, clone3 and fork have in common: both sides of the call. */
#ifndef TESTS_SPAWNING_H
#define TESTS_SPAWNING_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/gate.h"

/* The flags of threads, but for those of thread-local storage and ids, and how events hold them. */
#define THREAD_FLAGS                                                                               \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
#define THREAD_FLAGS_STORED                                                                        \
	(clone_flags__CLONE_VM | clone_flags__CLONE_FS | clone_flags__CLONE_FILES |                \
	 clone_flags__CLONE_SIGHAND | clone_flags__CLONE_THREAD | clone_flags__CLONE_SYSVSEM)

/* A call that makes a child, which returns from it with 0. */
struct spawning {
	unsigned int event;
	long (*call)(uint64_t native_flags);
};

/* Both sides of a call that makes a process. */
void spawning_check(const struct spawning *spawning, uint64_t native, uint32_t stored);

/* Both sides inside a pid namespace, and below a process that only its children leave. */
void spawning_check_namespaces(const struct spawning *spawning);

/* Calls that fail, with every flag there is. */
void spawning_check_flags(const struct spawning *spawning);

/* Both sides of a call that made a thread, which waits at the gate; it is then let go. */
void spawning_expect_thread(unsigned int event, const struct gate *gate, pid_t tid, uint32_t flags);

#endif
