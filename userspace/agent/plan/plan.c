/* SPDX-License-Identifier: MIT */
/* Creates and destroys plans. */
#include "agent/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/printer.h"
#include "agent/plan/pushdown.h"
#include "agent/record/captures.h"
#include "output/delivery/outputs.h"
#include "scap/samples/frame.h"

struct warnings {
	const char *filter;
	struct buf *messages;
};

static void add_warning(void *context, const struct filter_error *warning)
{
	const struct warnings *warnings = context;

	BUF_LITERAL(warnings->messages, "agent: warning: ");
	filter_error_render(warnings->filter, warning, warnings->messages);
}

static int compile_filter(struct plan *plan, const char *filter, struct buf *messages,
			  struct error *err)
{
	struct warnings warnings = {filter, messages};
	const struct filter_options filter_options = {
		.exact_types = plan->options->exact_types,
		.warn = messages ? add_warning : NULL,
		.warn_context = &warnings,
	};
	struct filter_error wrong = {0};
	int r;

	if (!filter)
		return 0;
	filter_destroy(plan->filter);
	plan->filter = NULL;
	r = filter_create(filter, &filter_options, &plan->filter, &wrong);
	return r ? plan_expression_error("", filter, &wrong, r, err) : 0;
}

/* Whether each event that passes the filter of the options is wanted, whatever outputs pass. */
static bool wants_all(const struct plan *plan)
{
	const struct printer *printer = plan->printer;

	return !printer->outputs || plan->options->write || plan->options->summary ||
	       !outputs_have_filters(printer->outputs) || !captures_have_filters(printer->captures);
}

/* Events must pass the filter of the options, and that of any output. */
static int make_filter_text(struct plan *plan)
{
	const struct printer *printer = plan->printer;
	const char *filter = plan->options->filter;
	struct buf text = {0};

	if (wants_all(plan)) {
		plan->filter_text = filter ? strdup(filter) : NULL;
		return !filter || plan->filter_text ? 0 : -ENOMEM;
	}
	if (filter)
		buf_printf(&text, "(%s) and (", filter);
	outputs_append_filters(printer->outputs, &text);
	if (printer->outputs->count && printer->captures->count)
		BUF_LITERAL(&text, " or ");
	captures_append_filters(printer->captures, &text);
	if (filter)
		buf_append_char(&text, ')');
	buf_append_char(&text, '\0');
	plan->filter_text = text.data;
	if (!text.failed)
		return 0;
	buf_finish(&text);
	plan->filter_text = NULL;
	return -ENOMEM;
}

/* The rules contain the filter of the options. */
static int load_rules(struct plan *plan, struct buf *messages)
{
	int r = rules_load_options(plan->options, plan->printer, plan->filter_text, &plan->ruleset,
				   &plan->rules_counts, messages);

	if (r == 0)
		plan->filter = ruleset_filter(plan->ruleset);
	return r;
}

/* What asks others, or is made of many events, is not there when the event is. */
static int check_trigger(const struct plan *plan, struct error *err)
{
	const unsigned int needs = NEEDS_DESCRIPTIONS | NEEDS_PODS | NEEDS_SERVICES;
	struct filter *filter = ruleset_filter(plan->triggers);

	if (filter_needs(filter) & needs)
		return error_set(err, -EINVAL,
				 "--on-rule: the rule asks what runtimes of containers or "
				 "Kubernetes say: a flight recorder judges an event at once, "
				 "without that");
	if (selection_has_requests(&plan->trigger_selection))
		return error_set(err, -EINVAL,
				 "--on-rule: a flight recorder makes no requests of what calls "
				 "transfer");
	if (selection_is_empty(&plan->trigger_selection))
		return error_set(err, -EINVAL, "--on-rule: no event can match the rule");
	return 0;
}

/* Each name is one of a rule that runs. */
static int check_trigger_names(const struct plan *plan, struct error *err)
{
	const struct options *options = plan->options;

	for (size_t i = 0; i < options->on_rules_count; i++) {
		size_t k = 0;

		while (k < ruleset_count(plan->triggers) &&
		       strcmp(ruleset_rule(plan->triggers, k)->name, options->on_rules[i]) != 0)
			k++;
		if (k == ruleset_count(plan->triggers))
			return error_set(err, -EINVAL,
					 "--on-rule: no rule of --rules that runs is named '%s'",
					 options->on_rules[i]);
	}
	return 0;
}

static int load_triggers(struct plan *plan, struct buf *messages, struct error *err)
{
	int r = rules_load_options(plan->options, plan->printer, NULL, &plan->triggers,
				   &plan->rules_counts, messages);

	if (r == -EINVAL)
		return error_set(err, r, "the rules have errors");
	return r ? error_set(err, r, "cannot load the rules: %s", strerror(-r))
		 : check_trigger_names(plan, err);
}

/* Their events are captured, too; which of them are recorded the filter says. */
static int select_triggers(struct plan *plan, struct error *err)
{
	struct selection *to = &plan->selection, *from = &plan->trigger_selection;
	int r;

	selection_make(from, ruleset_filter(plan->triggers), 0, false);
	r = check_trigger(plan, err);
	if (r)
		return r;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		to->events[id] |= from->events[id];
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		to->syscalls[number] |= from->syscalls[number];
		to->compat_syscalls[number] |= from->compat_syscalls[number];
	}
	to->filter_enter_times |= from->filter_enter_times;
	to->entry_needs |= from->entry_needs;
	to->event_environments |= from->event_environments;
	return 0;
}

static bool has_captures(const struct plan *plan)
{
	return plan->printer->captures && plan->printer->captures->count;
}

/*
 * Whether the state is also written later than at the start, so it has to be up to date. Captures
 * of outputs begin anew also after a failure.
 */
static bool records_state(const struct plan *plan)
{
	const struct agent_recording_limits *limits = &plan->options->limits;

	return plan->options->fat || limits->bytes || limits->ns || limits->events ||
	       has_captures(plan);
}

/*
 * Whether the filter uses the direction of events and no system call can pass: these have only exit
 * events.
 */
static bool wants_entries(const struct filter *filter, const struct selection *selection)
{
	return filter && (filter_flags(filter) & FIELD_DEPRECATED) &&
	       selection_lacks_calls(selection);
}

static int reject_empty(const struct filter *filter, const struct selection *selection,
			struct error *err)
{
	return error_set(
		err, -EINVAL, "no event can match this filter%s",
		wants_entries(filter, selection) ? ": there are only exit events (evt.dir=<)" : "");
}

int plan_check_filter(const struct filter *filter, struct error *err)
{
	struct selection selection;

	selection_make(&selection, filter, 0, false);
	return selection_is_empty(&selection) ? reject_empty(filter, &selection, err) : 0;
}

static bool compares_uring(const struct filter *filter)
{
	return filter && (filter_needs(filter) & NEEDS_URING);
}

bool plan_compares_uring(const struct plan *plan)
{
	return compares_uring(plan->filter) ||
	       (plan->triggers && compares_uring(ruleset_filter(plan->triggers)));
}

/* Of which descriptions are needed. A recording has all of them for its readers. */
static void set_described(struct plan *plan, unsigned int output_needs)
{
	unsigned int needs = output_needs | (plan->filter ? filter_needs(plan->filter) : 0);
	bool is_live = !plan->options->read;
	bool records = plan->options->write || has_captures(plan);

	bool measures = plan->options->request_metrics || plan->options->tcp_metrics;
	bool all = records || measures || plan->options->counters_count;

	plan->needs_containers = is_live && (all || (needs & NEEDS_DESCRIPTIONS));
	plan->needs_pods = is_live && (all || (needs & NEEDS_PODS));
	plan->needs_services = is_live && (measures || (needs & NEEDS_SERVICES));
	plan->needs_translations =
		is_live && (plan->options->request_metrics || (needs & NEEDS_TRANSLATIONS));
}

/* Whether the state is written, at the start or later; then all of it is. */
static bool writes_state(const struct plan *plan)
{
	return plan->options->write || records_state(plan);
}

/* Who asks for them by name gets them. */
static bool wants_unknown_protocols(const struct plan *plan)
{
	return plan->options->unknown_protocols ||
	       (plan->filter && filter_names_text(plan->filter, "request.protocol", "unknown"));
}

/* How often an option that makes events of a kind was given. */
static size_t made_count(const struct options *options, enum sample_kind kind)
{
	const size_t counts[SAMPLE_KINDS] = {
		[SAMPLE_PERF] = options->samples_count,
		[SAMPLE_TRACEPOINT] = options->tracepoints_count,
		[SAMPLE_PROBE] = options->probes_count,
	};

	return counts[kind];
}

/* Why no event can pass a filter that names one which no option makes. */
static int reject_unmade(const struct plan *plan, struct error *err)
{
	for (unsigned int kind = 0; kind < SAMPLE_KINDS && plan->filter; kind++) {
		const struct sample_kind_row *row = &sample_kinds[kind];

		if (!made_count(plan->options, kind) && filter_names_event(plan->filter, row->id))
			return error_set(err, -EINVAL,
					 "no event can match this filter: %s is needed, which says "
					 "what events %s are of",
					 row->option, event_desc_get(row->id)->name);
	}
	return 0;
}

/* Nothing makes samples by itself. Whoever may reload may need symbols later. */
static void set_samples(struct plan *plan, unsigned int output_needs)
{
	const struct options *options = plan->options;
	unsigned int needs = output_needs | (plan->filter ? filter_needs(plan->filter) : 0);

	for (unsigned int kind = 0; kind < SAMPLE_KINDS && !options->read; kind++)
		if (!made_count(options, kind))
			plan->selection.events[sample_kinds[kind].id] = 0;
	plan->needs_symbols = needs & (NEEDS_SYMBOLS | NEEDS_ARGUMENTS) || writes_state(plan) ||
			      options_can_reload(options);
}

/*
 * Calls in the form of strace have no operations of io_uring among them. Programs for these take a
 * third of the start, so they are there only if names of descriptors are shown, or decide.
 */
static bool shows_no_rings(const struct plan *plan, unsigned int needs)
{
	const unsigned int of_files = NEEDS_FDS | NEEDS_EVENT_FD | NEEDS_EVENT_FDS | NEEDS_CWD |
				      NEEDS_EVENT_PATHS | NEEDS_EVENT_REAL_PATHS;

	needs |= plan->filter ? filter_needs(plan->filter) : 0;
	return plan->options->trace && !plan->options->outputs_count && !(needs & of_files);
}

static int check_why(const struct plan *plan, struct error *err)
{
	return !plan->options->why || selection_has_requests(&plan->selection)
		       ? 0
		       : error_set(err, -EINVAL,
				   "--why is about requests, and nothing asks for them: agent "
				   "requests --why, or a filter with evt.type=request");
}

static int select_events(struct plan *plan, struct error *err)
{
	unsigned int needs = printer_needs(plan->printer);

	if (plan->ruleset)
		needs |= ruleset_needs(plan->ruleset);
	if (plan->options->view)
		needs |= views_view_needs(plan->options->view);
	if (pushdown_counts_kinds(plan))
		needs &= ~(unsigned int)NEEDS_EVENT_FD;
	if (plan->options->trace)
		needs |= trace_needs(plan->options->trace);
	if (plan->options->pids_count || plan->options->command)
		needs |= NEEDS_THREADS;
	if (plan->options->summary)
		needs |= NEEDS_THREADS | NEEDS_EVENT_FD;
	if (plan->options->write || has_captures(plan))
		needs |= NEEDS_ARGUMENTS;
	if (plan->options->changed_arguments)
		needs |= NEEDS_CHANGED;
	if (plan->options->counters_count)
		needs |= NEEDS_CONTAINERS;
	if (records_state(plan))
		needs |= NEEDS_CONTAINERS | NEEDS_FDS | NEEDS_CWD;
	set_described(plan, needs);
	plan->without_rings = shows_no_rings(plan, needs);
	plan->of_unknown = wants_unknown_protocols(plan);
	if (plan->options->read)
		selection_make_recorded(&plan->selection, plan->filter);
	else
		selection_make(&plan->selection, plan->filter, needs,
			       plan->options->full_state || writes_state(plan));
	if (plan->options->request_metrics)
		selection_want_requests(&plan->selection, plan->options->read);
	if ((selection_has_requests(&plan->selection) || plan->selection.events[EVENT_tls_data]) &&
	    plan->options->tls.wanted && !plan->options->read)
		selection_want_plaintext(&plan->selection);
	if (plan->options->tcp_metrics && !plan->options->read)
		selection_want_sockets(&plan->selection, plan->options->tcp_sample_ns);
	if (plan->ruleset)
		selection_mark_rules(&plan->selection, plan->filter);
	if (plan->triggers) {
		int r = select_triggers(plan, err);

		if (r)
			return r;
	}
	set_samples(plan, needs);
	pushdown_make(plan);
	pushdown_count(plan);
	if (!selection_is_empty(&plan->selection))
		return check_why(plan, err);
	if (reject_unmade(plan, err))
		return -EINVAL;
	if (plan->ruleset)
		return error_set(err, -EINVAL, "no event can match any of the rules");
	return reject_empty(plan->filter, &plan->selection, err);
}

static struct plan *plan_begin(const struct options *options, const struct printer *printer)
{
	struct plan *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->options = options;
	made->printer = printer;
	if (make_filter_text(made)) {
		plan_destroy(made);
		return NULL;
	}
	return made;
}

/* Completes a plan after its filter or rules were compiled with result `code`. */
static int plan_finish(struct plan *made, int code, struct plan **plan, struct error *err)
{
	if (code == 0)
		code = select_events(made, err);
	if (code)
		plan_destroy(made);
	else
		*plan = made;
	return code;
}

/* The filter of the options is first compiled separately, to check it. */
static int plan_compile(struct plan *made, struct buf *messages, struct error *err)
{
	int r = compile_filter(made, made->options->filter, messages, err);

	if (r)
		return r;
	if (made->options->on_rules_count) {
		r = load_triggers(made, messages, err);
		if (r)
			return r;
	}
	if (!made->options->rules_count || made->triggers)
		return wants_all(made) ? 0 : compile_filter(made, made->filter_text, NULL, err);
	filter_destroy(made->filter);
	made->filter = NULL;
	r = load_rules(made, messages);
	if (r == -EINVAL)
		return error_set(err, r, "the rules have errors");
	return r ? error_set(err, r, "cannot load the rules: %s", strerror(-r)) : 0;
}

/* Printed once, not for each reload. */
static void warn_direction(const struct plan *plan, struct buf *messages)
{
	if (!plan->options->read && wants_entries(plan->filter, &plan->selection))
		BUF_LITERAL(messages, "agent: evt.dir=> matches (nearly) nothing: there are only "
				      "exit events (evt.dir=<)\n");
}

int plan_create(const struct options *options, const struct printer *printer, struct plan **plan,
		struct buf *messages, struct error *err)
{
	struct plan *made = plan_begin(options, printer);
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	r = plan_finish(made, plan_compile(made, messages, err), plan, err);
	if (r == 0)
		warn_direction(made, messages);
	return r;
}

/* Without new options only rules may have changed. */
static int compile_again(struct plan *made, struct buf *messages, struct error *err)
{
	int r;

	if (made->renewed || !made->options->rules_count || made->options->on_rules_count)
		return plan_compile(made, messages, err);
	r = load_rules(made, messages);
	if (r == -EINVAL)
		return error_set(err, r, "they have errors");
	return r ? error_set(err, r, "%s", strerror(-r)) : 0;
}

int plan_renew(const struct plan *plan, struct options *options, const struct printer *printer,
	       struct plan **renewed, struct buf *messages, struct error *err)
{
	struct plan *made = plan_begin(options ? options : plan->options, printer);

	if (!made) {
		options_destroy(options);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->renewed = options;
	return plan_finish(made, compile_again(made, messages, err), renewed, err);
}

void plan_destroy(struct plan *plan)
{
	if (!plan)
		return;
	if (plan->ruleset)
		ruleset_destroy(plan->ruleset);
	else
		filter_destroy(plan->filter);
	ruleset_destroy(plan->triggers);
	free(plan->filter_text);
	options_destroy(plan->renewed);
	free(plan);
}
