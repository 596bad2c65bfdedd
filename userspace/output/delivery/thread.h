/* SPDX-License-Identifier: MIT */
/*
 * Threads of outputs: they have the privileges of outputs alone, as have those that libraries start
 * for them, and get no signals, which are for the main thread.
 */
#ifndef OUTPUT_DELIVERY_THREAD_H
#define OUTPUT_DELIVERY_THREAD_H

#include <pthread.h>

#include "privileges/files.h"
#include "util/error.h"

/* files: those that it uses; NULL: any. Returns 0 or -errno. */
int thread_start(pthread_t *thread, const struct files_limits *files, void *(*run)(void *),
		 void *context);

/*
 * Calls a function in such a thread, and waits for its end. files: as above. Returns 0, or -errno
 * with a message if it was not called.
 */
int thread_call(const struct files_limits *files, void (*call)(void *), void *context,
		struct error *err);

#endif
