/* SPDX-License-Identifier: MIT */
#include "output/delivery/thread.h"

#include <signal.h>
#include <string.h>

#include "privileges/privileges.h"

struct call {
	const struct files_limits *files;
	void (*function)(void *);
	void *context;
	struct error *err;
	int code;
};

static void *run_call(void *context)
{
	struct call *call = context;

	call->code = privileges_enter(ROLE_OUTPUT, call->files, call->err);
	if (call->code == 0)
		call->function(call->context);
	return NULL;
}

int thread_call(const struct files_limits *files, void (*function)(void *), void *context,
		struct error *err)
{
	struct call call = {files, function, context, err, 0};
	sigset_t all, before;
	pthread_t thread;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	code = pthread_create(&thread, NULL, run_call, &call);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code)
		return error_set(err, -code, "cannot start a thread: %s", strerror(code));
	pthread_join(thread, NULL);
	return call.code;
}

struct start {
	pthread_t *thread;
	void *(*run)(void *);
	void *context;
	int code;
};

static void start(void *context)
{
	struct start *start = context;

	start->code = -pthread_create(start->thread, NULL, start->run, start->context);
}

/* A thread inherits signals and privileges of the one that creates it. */
int thread_start(pthread_t *thread, const struct files_limits *files, void *(*run)(void *),
		 void *context)
{
	struct start made = {thread, run, context, 0};
	int code = thread_call(files, start, &made, NULL);

	return code ? code : made.code;
}
