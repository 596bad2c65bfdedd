/* SPDX-License-Identifier: MIT */
/* The steps of a reload: requested, prepared by a thread, put in place. Messages go to stderr. */
#include "agent/run/reload.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/config/load.h"
#include "agent/plan/output_views.h"
#include "agent/plan/pushdown.h"
#include "util/terminal.h"

/* The result of the thread; the run takes it over after the thread ended. */
struct prepared {
	bool forced;
	int code;
	struct error err;
	struct buf messages;
	struct buf restart; /* keys whose new values need one */
	bool has_printer; /* the old one does not suit the plan */
	struct printer printer;
	struct outputs outputs; /* that the printer knows, not open */
	struct captures captures; /* the same */
	struct plan *plan; /* NULL after an error */
};

struct reload {
	struct run *run;
	bool requested;
	bool forced; /* the one that is requested: see reload_request() */
	bool announced; /* the service manager waits for the end */
	bool preparing; /* the thread exists and owns `prepared` until `ready` */
	pthread_t thread;
	atomic_bool ready;
	struct prepared prepared;
	struct buf said; /* by this reload */
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
	outputs_finish(&prepared->outputs);
	captures_finish(&prepared->captures);
	if (prepared->has_printer)
		printer_finish(&prepared->printer);
	buf_finish(&prepared->messages);
	buf_finish(&prepared->restart);
	*prepared = (struct prepared){0};
}

/* Reads the configuration again if there is one. Otherwise the options stay as they are. */
static int renew_options(const struct options *running, struct prepared *prepared,
			 struct options **renewed)
{
	int r;

	*renewed = NULL;
	if (!running->config)
		return 0;
	*renewed = calloc(1, sizeof(**renewed));
	if (!*renewed)
		return error_set(&prepared->err, -ENOMEM, "out of memory");
	r = config_renew(running, *renewed, &prepared->messages, &prepared->restart,
			 &prepared->err);
	if (r) {
		options_destroy(*renewed);
		*renewed = NULL;
	}
	return r;
}

/* Lines of rules and lines of events differ, and outputs have lines of their own. */
static bool needs_printer(const struct plan *plan, const struct options *options)
{
	return options && (plan->printer->outputs || options->outputs_count ||
			   !options->rules_count != !plan->options->rules_count);
}

/* Otherwise the printer goes on as it is. */
static int renew_printer(const struct plan *plan, const struct options *options,
			 struct prepared *prepared, const struct printer **printer)
{
	int r;

	*printer = plan->printer;
	if (!needs_printer(plan, options))
		return 0;
	*printer = &prepared->printer;
	prepared->has_printer = true;
	r = printer_init_again(&prepared->printer, plan->printer, options, &prepared->messages,
			       &prepared->err);
	if (r)
		return r;
	return output_views_make(options, &prepared->printer, &prepared->outputs,
				 &prepared->captures, &prepared->messages, &prepared->err);
}

/*
 * A file that was truncated or mounted too late would end all outputs, and print what they hid. The
 * options of the plan are those in use.
 */
static int check_outputs(const struct options *running, const struct options *renewed, bool forced,
			 struct error *err)
{
	if (forced || !renewed || renewed->outputs_count || !running->outputs_count)
		return 0;
	return error_set(err, -EINVAL,
			 "it has no outputs, and the one that runs has %zu: 'agent reload --force' "
			 "takes it all the same",
			 running->outputs_count);
}

static int reload_prepare(const struct run *run, bool forced, struct prepared *prepared)
{
	const struct plan *plan = run->plan;
	struct input *input = run->input;
	const struct printer *printer;
	struct options *options;
	int r = renew_options(run->options, prepared, &options);

	if (r)
		return r;
	r = check_outputs(plan->options, options, forced, &prepared->err);
	if (r == 0)
		r = renew_printer(plan, options, prepared, &printer);
	if (r) {
		options_destroy(options);
		return r;
	}
	r = plan_renew(plan, options, printer, &prepared->plan, &prepared->messages,
		       &prepared->err);
	if (r == 0 && input->live)
		r = input->live->change_prepare(input, plan, prepared->plan, &prepared->err);
	return r;
}

static void *reload_run_thread(void *context)
{
	struct reload *reload = context;

	reload->prepared.code =
		reload_prepare(reload->run, reload->prepared.forced, &reload->prepared);
	atomic_store(&reload->ready, true);
	return NULL;
}

/* Blocks signals in the new thread: the main thread handles them. */
static int reload_start_thread(struct reload *reload)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&reload->thread, NULL, reload_run_thread, reload);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

static void drop_change(struct input *input)
{
	if (input->live)
		input->live->change_drop(input);
}

/* Prints it, and keeps it for those who asked for the reload. */
static void say(struct reload *reload, struct buf *text)
{
	if (!text->len)
		return;
	terminal_print(stderr, text);
	buf_append(&reload->said, text->data, text->len);
}

__attribute__((format(printf, 2, 3))) static void say_line(struct reload *reload,
							   const char *format, ...)
{
	char line[sizeof(struct error) + 128];
	struct buf text = buf_fixed(line, sizeof(line));
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text.len = len < 0 ? 0 : (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1;
	say(reload, &text);
}

static void reload_end(struct reload *reload, bool succeeded)
{
	pid_file_end_reload(&reload->run->pid_file, succeeded, &reload->said);
	buf_finish(&reload->said);
}

/* Nothing to read is an error for who asked. Files of outputs were opened anew all the same. */
static bool has_nothing_to_read(const struct run *run)
{
	return !run->options->config && !run->options->rules_count;
}

static void reload_start(struct reload *reload)
{
	struct input *input = reload->run->input;
	int r;

	reload->requested = false;
	reload->prepared.forced = reload->forced;
	reload->forced = false;
	pid_file_begin_reload(&reload->run->pid_file);
	if (has_nothing_to_read(reload->run)) {
		say_line(reload, "agent: there is nothing to reload: neither --config nor --rules "
				 "says what to read\n");
		reload_end(reload, false);
		return;
	}
	r = input->live ? input->live->change_begin(input) : 0;
	atomic_store(&reload->ready, false);
	if (r == 0)
		r = reload_start_thread(reload);
	reload->preparing = r == 0;
	if (r == 0)
		return;
	drop_change(input);
	say_line(reload, "agent: cannot reload the rules: %s\n", strerror(-r));
	reload_end(reload, false);
}

/*
 * Whether translated addresses are wanted for the first time: the thread that asks for them has
 * privileges that the agent drops when its capture begins.
 */
static bool lacks_translations(const struct run *run)
{
	return run->plan->needs_translations && !run->translations.translator &&
	       run->options->privileges != PRIVILEGES_KEEP;
}

static void follow_others(struct reload *reload)
{
	struct run *run = reload->run;
	struct error err = {""};

	if (run_follow_containers(run, &err))
		say_line(reload, "agent: %s\n", err.text);
	if (run->plan->needs_translations && !lacks_translations(run) &&
	    translations_run_begin(&run->translations, run->options, &err))
		say_line(reload, "agent: %s\n", err.text);
}

/* Outputs first: if one cannot be opened, nothing has changed. */
static int put_in_place(struct reload *reload, struct prepared *prepared)
{
	struct run *run = reload->run;
	struct input *input = run->input;
	const struct mutes_scene scene = run_mutes_scene(run);
	struct error err = {""};
	struct buf ended = {0};
	int r = 0;

	if (prepared->has_printer) {
		r = captures_prepare(&run->recorder.captures, &prepared->captures, &prepared->err);
		if (r == 0)
			r = outputs_change(&run->outputs, &prepared->outputs, &prepared->err);
		if (r)
			return r;
		captures_replace(&run->recorder.captures, &prepared->captures, &ended);
		say(reload, &ended);
		buf_finish(&ended);
	}
	mutes_begin(&run->mutes, &scene);
	if (input->live &&
	    input->live->change_take(input, run->plan, prepared->plan, run->state, &err))
		say_line(reload, "agent: %s\n", err.text);
	handle_tell_limits(run);
	if (run->plan->ruleset && prepared->plan->ruleset)
		ruleset_continue(prepared->plan->ruleset, run->plan->ruleset);
	plan_destroy(run->plan);
	run->plan = prepared->plan;
	mute_groups_begin(&run->groups, input);
	prepared->plan = NULL;
	if (prepared->has_printer) {
		printer_replace(&run->printer, &prepared->printer);
		output_views_show(&run->printer, &run->outputs, &run->recorder.captures);
		run->plan->printer = &run->printer;
		prepared->has_printer = false;
	}
	follow_others(reload);
	return 0;
}

static void append_success(const struct run *run, const struct prepared *prepared, struct buf *text)
{
	const char *what = run->options->config ? "new configuration" : "new rules";

	buf_printf(text, "agent: %s", what);
	if (run->plan->ruleset) {
		BUF_LITERAL(text, ": ");
		rules_append_summary(&run->plan->rules_counts, text);
	}
	buf_append_char(text, '\n');
	if (prepared->restart.len)
		buf_printf(text, "agent: needs a restart: %.*s\n", (int)prepared->restart.len,
			   prepared->restart.data);
	if (lacks_translations(run))
		BUF_LITERAL(text,
			    "agent: needs a restart: request.peer.real.*, and pods behind "
			    "Services in request.peer.k8s.*, as no translated address was asked "
			    "for before\n");
}

/* Takes over the result of the thread that ended. */
static void reload_switch(struct reload *reload)
{
	struct prepared *prepared = &reload->prepared;
	struct run *run = reload->run;
	struct buf text = {0};
	bool succeeded;

	pthread_join(reload->thread, NULL);
	reload->preparing = false;
	say(reload, &prepared->messages);
	if (prepared->code == 0)
		prepared->code = put_in_place(reload, prepared);
	succeeded = prepared->code == 0;
	if (succeeded) {
		append_success(run, prepared, &text);
		say(reload, &text);
	} else {
		drop_change(run->input);
		say_line(reload, "agent: the %s as %s: %s\n",
			 run->options->config ? "configuration stays" : "rules stay",
			 run->options->config ? "it was" : "they were", prepared->err.text);
	}
	buf_finish(&text);
	reload_end(reload, succeeded);
	prepared_finish(prepared);
}

void reload_request(struct reload *reload, bool forced)
{
	reload->requested = true;
	reload->forced |= forced; /* also of one that came before, and waits */
	reload->announced = true;
	service_notify(&reload->run->service, NOTIFY_RELOADING);
}

/* After the last of the requested reloads, also if the rules stay as they were. */
static void announce_end(struct reload *reload)
{
	if (!reload->announced || reload->requested || reload->preparing ||
	    reload->run->input->changing)
		return;
	reload->announced = false;
	service_notify(&reload->run->service, NOTIFY_READY);
}

void reload_step(struct reload *reload)
{
	/* One answer at a time. */
	if (reload->run->input->changing || takeover_old_is_busy(&reload->run->takeover_old) ||
	    reload->run->flight.gives)
		return;
	if (reload->preparing && atomic_load(&reload->ready))
		reload_switch(reload);
	else if (reload->requested && !reload->preparing)
		reload_start(reload);
	announce_end(reload);
}

bool reload_is_under_way(const struct reload *reload)
{
	return reload->announced;
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
	buf_finish(&reload->said);
	free(reload);
}
