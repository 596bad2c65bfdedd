/* SPDX-License-Identifier: MIT */
/* Threads of outputs, and targets that are opened in them. */
#include "output/delivery/thread.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "output/target.h"
#include "privileges/privileges.h"

struct thread_call {
	const struct files_limits *files;
	void (*function)(void *);
	void *context;
	struct error *err;
	int code;
};

static void *run_call(void *context)
{
	struct thread_call *thread_call = context;

	thread_call->code = privileges_enter(ROLE_OUTPUT, thread_call->files, thread_call->err);
	if (thread_call->code == 0)
		thread_call->function(thread_call->context);
	return NULL;
}

int thread_call(const struct files_limits *files, void (*function)(void *), void *context,
		struct error *err)
{
	struct thread_call thread_call = {files, function, context, err, 0};
	sigset_t all, before;
	pthread_t thread;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&thread, NULL, run_call, &thread_call);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	pthread_join(thread, NULL);
	return thread_call.code;
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
	int r = thread_call(files, start, &made, NULL);

	return r ? r : made.code;
}

/* What libraries start when a target is opened has the privileges of the thread that opens it. */

struct opening {
	const struct output_config *config;
	struct output_stop *stop;
	void *target;
	struct error *err;
	int code;
};

static void open_target(void *context)
{
	struct opening *opening = context;
	const struct output_config *config = opening->config;

	opening->code = config->kind->open(config, opening->stop, &opening->target, opening->err);
}

static void open_and_close(void *context)
{
	struct opening *opening = context;

	open_target(opening);
	opening->config->kind->close(opening->target);
}

int output_target_reach(const struct output_config *config, struct output_reach *reach,
			struct error *err)
{
	*reach = (struct output_reach){0};
	output_reach_target(config, reach);
	output_reach_spool(config, reach);
	if (!reach->failed)
		return 0;
	output_reach_finish(reach);
	return error_set(err, -ENOMEM, "%s: out of memory", config->text);
}

static int opening_call(struct opening *opening, void (*function)(void *context))
{
	struct output_reach reach;
	struct files_limits files;
	int r = output_make_folders(opening->config, opening->err);

	if (r == 0)
		r = output_check_files(opening->config, opening->err);
	if (r == 0)
		r = output_target_reach(opening->config, &reach, opening->err);
	if (r)
		return r;
	files = output_reach_limits(&reach);
	r = thread_call(&files, function, opening, opening->err);
	output_reach_finish(&reach);
	return r ? r : opening->code;
}

int output_target_open(const struct output_config *config, struct output_stop *stop, void **target,
		       struct error *err)
{
	struct opening opening = {.config = config, .stop = stop, .err = err};
	int r = opening_call(&opening, open_target);

	*target = opening.target;
	return r;
}

int output_target_try(const struct output_config *config, struct error *err)
{
	struct output_stop stop;
	struct opening opening = {.config = config, .stop = &stop, .err = err};
	int r = output_stop_init(&stop);

	if (r)
		error_set(err, r, "%s: %s", config->text, strerror(-r));
	else
		r = opening_call(&opening, open_and_close);
	output_stop_finish(&stop);
	return r;
}
