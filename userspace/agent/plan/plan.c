/* SPDX-License-Identifier: MIT */
/* Creates and destroys plans. */
#include "agent/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/expression.h"
#include "agent/plan/rules_load.h"

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

static int compile_filter(struct plan *plan, struct buf *messages, struct error *err)
{
	const char *filter = plan->options->filter;
	struct warnings warnings = {filter, messages};
	const struct filter_options filter_options = {
		.exact_types = plan->options->exact_types,
		.warn = add_warning,
		.warn_context = &warnings,
	};
	struct filter_error wrong = {0};
	int code;

	if (!filter)
		return 0;
	code = filter_create(filter, &filter_options, &plan->filter, &wrong);
	return code ? expression_error("", filter, &wrong, code, err) : 0;
}

/* The rules contain the filter of the options. */
static int load_rules(struct plan *plan, struct buf *messages)
{
	int code = rules_load_options(plan->options, plan->printer, &plan->ruleset,
				      &plan->rules_counts, messages);

	if (code == 0)
		plan->filter = ruleset_filter(plan->ruleset);
	return code;
}

/* Whether the state is also written later than at the start, so it has to be up to date. */
static bool records_state(const struct options *options)
{
	const struct recording_limits *limits = &options->limits;

	return options->fat || limits->bytes || limits->ns || limits->events;
}

/*
 * Whether the filter uses the direction of events and no system call can pass: these have only exit
 * events.
 */
static bool wants_entries(const struct plan *plan)
{
	return plan->filter && (filter_flags(plan->filter) & FIELD_DEPRECATED) &&
	       selection_lacks_calls(&plan->selection);
}

/* Of which descriptions are needed. A recording has all of them for its readers. */
static void set_described(struct plan *plan, unsigned int output_needs)
{
	unsigned int needs = output_needs | (plan->filter ? filter_needs(plan->filter) : 0);
	bool is_live = !plan->options->read;

	plan->needs_containers = is_live && (plan->options->write || (needs & NEEDS_DESCRIPTIONS));
	plan->needs_pods = is_live && (plan->options->write || (needs & NEEDS_PODS));
}

static int select_events(struct plan *plan, struct error *err)
{
	unsigned int needs = printer_needs(plan->printer);
	const char *hint;

	if (plan->ruleset)
		needs |= ruleset_needs(plan->ruleset);
	if (plan->options->pids_count || plan->options->command)
		needs |= NEEDS_THREADS;
	if (plan->options->summary)
		needs |= NEEDS_THREADS | NEEDS_EVENT_FDS;
	if (records_state(plan->options))
		needs |= NEEDS_CONTAINERS | NEEDS_FDS | NEEDS_CWD;
	set_described(plan, needs);
	if (plan->options->read)
		selection_make_recorded(&plan->selection, plan->filter);
	else
		selection_make(&plan->selection, plan->filter, needs);
	if (!selection_is_empty(&plan->selection))
		return 0;
	if (plan->ruleset)
		return error_set(err, -EINVAL, "no event can match any of the rules");
	hint = wants_entries(plan) ? ": there are only exit events (evt.dir=<)" : "";
	return error_set(err, -EINVAL, "no event can match this filter%s", hint);
}

static struct plan *begin(const struct options *options, const struct printer *printer)
{
	struct plan *made = calloc(1, sizeof(*made));

	if (made) {
		made->options = options;
		made->printer = printer;
	}
	return made;
}

/* Completes a plan after its filter or rules were compiled with result `code`. */
static int finish(struct plan *made, int code, struct plan **plan, struct error *err)
{
	if (code == 0)
		code = select_events(made, err);
	if (code)
		plan_destroy(made);
	else
		*plan = made;
	return code;
}

/* With rules the filter is first compiled separately, to check it. */
static int compile(struct plan *made, struct buf *messages, struct error *err)
{
	int code = compile_filter(made, messages, err);

	if (code || !made->options->rules_count)
		return code;
	filter_destroy(made->filter);
	made->filter = NULL;
	code = load_rules(made, messages);
	if (code == -EINVAL)
		return error_set(err, code, "the rules have errors");
	return code ? error_set(err, code, "cannot load the rules: %s", strerror(-code)) : 0;
}

/* Printed once, not for each reload. */
static void warn_direction(const struct plan *plan, struct buf *messages)
{
	if (!plan->options->read && wants_entries(plan))
		BUF_LITERAL(messages, "agent: evt.dir=> matches (nearly) nothing: there are only "
				      "exit events (evt.dir=<)\n");
}

int plan_create(const struct options *options, const struct printer *printer, struct plan **plan,
		struct buf *messages, struct error *err)
{
	struct plan *made = begin(options, printer);
	int code;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	code = finish(made, compile(made, messages, err), plan, err);
	if (code == 0)
		warn_direction(made, messages);
	return code;
}

int plan_renew(const struct plan *plan, struct plan **renewed, struct buf *messages,
	       struct error *err)
{
	struct plan *made = begin(plan->options, plan->printer);
	int code = made ? load_rules(made, messages) : -ENOMEM;

	if (code == -EINVAL)
		error_set(err, code, "they have errors");
	else if (code)
		error_set(err, code, "%s", strerror(-code));
	return finish(made, code, renewed, err);
}

void plan_destroy(struct plan *plan)
{
	if (!plan)
		return;
	if (plan->ruleset)
		ruleset_destroy(plan->ruleset);
	else
		filter_destroy(plan->filter);
	free(plan);
}
