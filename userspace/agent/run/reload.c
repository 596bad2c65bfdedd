/* SPDX-License-Identifier: MIT */
/*
 * The steps of a reload: asked for, prepared by a thread, taken over, both captures, one again.
 * What it says is for people and goes to stderr.
 */
#include "agent/run/reload.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/run/capture.h"
#include "agent/run/rules_load.h"
#include "scap/live/handover.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"

/* What the thread makes; the agent takes it over once it is done. */
struct prepared {
	int code;
	struct error err;
	struct buf messages;
	struct ruleset *ruleset;
	struct rules_counts counts;
	struct selection selection;
	struct scap_live *live; /* NULL: the one that runs captures what is wanted, or a file is read */
	uint64_t opened_ns; /* monotonic clock */
};

struct reload {
	struct capture *capture;
	bool requested;
	bool preparing; /* there is a thread; `prepared` is its own until `ready` */
	pthread_t thread;
	atomic_bool ready;
	struct prepared prepared;
	struct scap_live *old; /* NULL: one capture alone */
	bool old_stopped;
	uint64_t both_since_ns;
	struct scap_handover *handover;
};

int reload_create(struct capture *capture, struct reload **reload)
{
	struct reload *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->capture = capture;
	*reload = made;
	return 0;
}

static void prepared_finish(struct prepared *prepared)
{
	if (prepared->live)
		scap_source_destroy(scap_live_source(prepared->live));
	ruleset_destroy(prepared->ruleset);
	buf_finish(&prepared->messages);
	*prepared = (struct prepared){0};
}

static bool has_enter_times(const struct selection *selection)
{
	return selection->filter_enter_times || selection->output_enter_times;
}

/* Whether a capture for one selection gives exactly what the other wants. */
static bool captures_same(const struct selection *a, const struct selection *b)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (!a->events[id] != !b->events[id] ||
		    (a->events[id] & WHY_FILTER) != (b->events[id] & WHY_FILTER))
			return false;
	if (has_enter_times(a) != has_enter_times(b))
		return false;
	return memcmp(a->syscalls, b->syscalls, sizeof(a->syscalls)) == 0 &&
	       memcmp(a->compat_syscalls, b->compat_syscalls, sizeof(a->compat_syscalls)) == 0;
}

static int prepare(struct prepared *prepared, const struct capture *capture)
{
	int code = capture_load_rules(capture, &prepared->ruleset, &prepared->counts,
				      &prepared->messages);

	if (code == -EINVAL)
		return error_set(&prepared->err, code, "they have errors");
	if (code)
		return error_set(&prepared->err, code, "%s", strerror(-code));
	code = capture_select(capture, ruleset_filter(prepared->ruleset), prepared->ruleset,
			      &prepared->selection, &prepared->err);
	if (code || capture->reader || captures_same(&prepared->selection, &capture->selection))
		return code;
	code = capture_open_beside(capture, &prepared->selection, &prepared->live, &prepared->err);
	prepared->opened_ns = clock_ns(CLOCK_MONOTONIC);
	return code;
}

static void *run_thread(void *context)
{
	struct reload *reload = context;

	reload->prepared.code = prepare(&reload->prepared, reload->capture);
	atomic_store(&reload->ready, true);
	return NULL;
}

static void drop_handover(struct reload *reload)
{
	if (reload->handover)
		scap_source_destroy(scap_handover_source(reload->handover));
	reload->handover = NULL;
}

/* Signals are for the thread that waits for events. */
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

static void start(struct reload *reload)
{
	struct capture *capture = reload->capture;
	int code = 0;

	if (capture->live)
		code = scap_handover_create(scap_live_source(capture->live), &reload->handover);
	reload->requested = false;
	atomic_store(&reload->ready, false);
	if (code == 0)
		code = start_thread(reload);
	reload->preparing = code == 0;
	if (code == 0)
		return;
	drop_handover(reload);
	fprintf(stderr, "agent: cannot reload the rules: %s\n", strerror(-code));
}

static uint8_t parts_of(const struct selection *selection)
{
	return selection->filter_parts | selection->output_parts;
}

/* From here on both captures are read. */
static void begin_handover(struct reload *reload)
{
	struct capture *capture = reload->capture;
	struct prepared *prepared = &reload->prepared;
	struct error err = {""};

	scap_handover_join(reload->handover, scap_live_source(prepared->live));
	reload->old = capture->live;
	reload->old_stopped = false;
	reload->both_since_ns = prepared->opened_ns;
	capture->live = prepared->live;
	prepared->live = NULL;
	if (parts_of(&prepared->selection) & ~parts_of(&capture->selection) &&
	    sinsp_reseed(capture->sinsp, &err))
		fprintf(stderr, "agent: %s\n", err.text);
}

static void put_in_place(struct reload *reload)
{
	struct capture *capture = reload->capture;
	struct prepared *prepared = &reload->prepared;

	ruleset_continue(prepared->ruleset, capture->ruleset);
	ruleset_destroy(capture->ruleset);
	capture->ruleset = prepared->ruleset;
	capture->filter = ruleset_filter(capture->ruleset);
	capture->rules_counts = prepared->counts;
	capture->selection = prepared->selection;
	prepared->ruleset = NULL;
}

static void say(const struct buf *messages)
{
	if (messages->len)
		fwrite(messages->data, 1, messages->len, stderr);
}

/* The thread is done. */
static void take_over(struct reload *reload)
{
	struct prepared *prepared = &reload->prepared;
	struct buf text = {0};

	pthread_join(reload->thread, NULL);
	reload->preparing = false;
	if (prepared->code == 0 && prepared->live)
		begin_handover(reload);
	else
		drop_handover(reload);
	say(&prepared->messages);
	if (prepared->code == 0) {
		put_in_place(reload);
		BUF_LITERAL(&text, "agent: new rules: ");
		rules_append_summary(&prepared->counts, &text);
	} else {
		buf_printf(&text, "agent: the rules stay as they were: %s", prepared->err.text);
	}
	buf_append_char(&text, '\n');
	say(&text);
	buf_finish(&text);
	prepared_finish(prepared);
}

static void stop_old(struct reload *reload)
{
	if (reload->old && !reload->old_stopped)
		scap_live_stop(reload->old);
	reload->old_stopped = true;
}

/* What both saw is in both accounts, and counts once. */
static void add_account(struct reload *reload)
{
	struct capture *capture = reload->capture;
	struct scap_live_stats *past = calloc(1, sizeof(*past));
	uint64_t copies[EVENT_ID_MAX];

	if (!past || scap_live_stats(reload->old, past)) {
		fputs("agent: the counters of the capture before the new rules are lost\n", stderr);
		free(past);
		return;
	}
	scap_handover_copies(reload->handover, copies);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		past->seen[id] -= copies[id];
		past->delivered[id] -= copies[id];
	}
	if (capture->past)
		scap_live_stats_add(past, capture->past);
	free(capture->past);
	capture->past = past;
}

static void end_handover(struct reload *reload)
{
	add_account(reload);
	drop_handover(reload);
	scap_source_destroy(scap_live_source(reload->old));
	reload->old = NULL;
}

void reload_request(struct reload *reload)
{
	reload->requested = true;
}

struct scap_source *reload_step(struct reload *reload)
{
	if (reload->old) {
		if (clock_ns(CLOCK_MONOTONIC) - reload->both_since_ns > HANDOVER_BOTH_NS)
			stop_old(reload);
		if (scap_handover_is_done(reload->handover))
			end_handover(reload);
	} else if (reload->preparing && atomic_load(&reload->ready)) {
		take_over(reload);
	} else if (reload->requested && !reload->preparing) {
		start(reload);
	}
	return reload->handover ? scap_handover_source(reload->handover)
				: capture_source(reload->capture);
}

void reload_stop(struct reload *reload)
{
	stop_old(reload);
	capture_stop(reload->capture);
}

void reload_destroy(struct reload *reload)
{
	if (!reload)
		return;
	if (reload->preparing)
		pthread_join(reload->thread, NULL);
	prepared_finish(&reload->prepared);
	if (reload->old)
		end_handover(reload);
	drop_handover(reload);
	free(reload);
}
