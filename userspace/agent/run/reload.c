/* SPDX-License-Identifier: MIT */
/* The steps of a reload: requested, prepared by a thread, put in place. Messages go to stderr. */
#include "agent/run/reload.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/rules_load.h"

/* The result of the thread; the run takes it over after the thread ended. */
struct prepared {
	int code;
	struct error err;
	struct buf messages;
	struct plan *plan; /* NULL after an error in the rules */
};

struct reload {
	struct run *run;
	bool requested;
	bool preparing; /* the thread exists and owns `prepared` until `ready` */
	pthread_t thread;
	atomic_bool ready;
	struct prepared prepared;
};

int reload_create(struct run *run, struct reload **reload)
{
	struct reload *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->run = run;
	*reload = made;
	return 0;
}

static void prepared_finish(struct prepared *prepared)
{
	plan_destroy(prepared->plan);
	buf_finish(&prepared->messages);
	*prepared = (struct prepared){0};
}

static void *run_thread(void *context)
{
	struct reload *reload = context;
	struct prepared *prepared = &reload->prepared;
	const struct plan *plan = reload->run->plan;
	struct input *input = reload->run->input;

	prepared->code = plan_renew(plan, &prepared->plan, &prepared->messages, &prepared->err);
	if (prepared->code == 0 && input->ops->change_prepare)
		prepared->code =
			input->ops->change_prepare(input, plan, prepared->plan, &prepared->err);
	atomic_store(&reload->ready, true);
	return NULL;
}

/* Blocks signals in the new thread: the main thread handles them. */
static int start_thread(struct reload *reload)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	code = pthread_create(&reload->thread, NULL, run_thread, reload);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -code;
}

static void drop_change(struct input *input)
{
	if (input->ops->change_drop)
		input->ops->change_drop(input);
}

static void start(struct reload *reload)
{
	struct input *input = reload->run->input;
	int code = input->ops->change_begin ? input->ops->change_begin(input) : 0;

	reload->requested = false;
	atomic_store(&reload->ready, false);
	if (code == 0)
		code = start_thread(reload);
	reload->preparing = code == 0;
	if (code == 0)
		return;
	drop_change(input);
	fprintf(stderr, "agent: cannot reload the rules: %s\n", strerror(-code));
}

static void put_in_place(struct run *run, struct prepared *prepared)
{
	struct input *input = run->input;
	struct error err = {""};

	if (input->ops->change_take &&
	    input->ops->change_take(input, run->plan, prepared->plan, run->sinsp, &err))
		fprintf(stderr, "agent: %s\n", err.text);
	ruleset_continue(prepared->plan->ruleset, run->plan->ruleset);
	plan_destroy(run->plan);
	run->plan = prepared->plan;
	prepared->plan = NULL;
	if (run_follow_containers(run, &err))
		fprintf(stderr, "agent: %s\n", err.text);
}

static void say(const struct buf *messages)
{
	if (messages->len)
		fwrite(messages->data, 1, messages->len, stderr);
}

/* Takes over the result of the thread that ended. */
static void take_over(struct reload *reload)
{
	struct prepared *prepared = &reload->prepared;
	struct run *run = reload->run;
	struct buf text = {0};

	pthread_join(reload->thread, NULL);
	reload->preparing = false;
	say(&prepared->messages);
	if (prepared->code == 0) {
		put_in_place(run, prepared);
		BUF_LITERAL(&text, "agent: new rules: ");
		rules_append_summary(&run->plan->rules_counts, &text);
	} else {
		drop_change(run->input);
		buf_printf(&text, "agent: the rules stay as they were: %s", prepared->err.text);
	}
	buf_append_char(&text, '\n');
	say(&text);
	buf_finish(&text);
	prepared_finish(prepared);
}

void reload_request(struct reload *reload)
{
	reload->requested = true;
}

void reload_step(struct reload *reload)
{
	if (reload->run->input->changing)
		return;
	if (reload->preparing && atomic_load(&reload->ready))
		take_over(reload);
	else if (reload->requested && !reload->preparing)
		start(reload);
}

void reload_destroy(struct reload *reload)
{
	if (!reload)
		return;
	if (reload->preparing) {
		pthread_join(reload->thread, NULL);
		drop_change(reload->run->input);
	}
	prepared_finish(&reload->prepared);
	free(reload);
}
