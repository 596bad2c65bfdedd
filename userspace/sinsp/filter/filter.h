/* SPDX-License-Identifier: MIT */
/*
 * Filters: expressions of the sysdig/Falco language, compiled to a flat program that decides event
 * by event; many expressions in one filter; what a filter says of control groups, threads and
 * processes before any event.
 */
#ifndef SINSP_FILTER_FILTER_H
#define SINSP_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "abi.h"
#include "sinsp/fields/field.h"
#include "sinsp/filter/tree.h"

struct filter;

/* Compiles an expression. Returns 0, -EINVAL with `err` set, or -ENOMEM. */
int filter_create(const char *text, const struct filter_options *options, struct filter **filter,
		  struct filter_error *err);
void filter_destroy(struct filter *filter);

/* Whether an event passes; with several expressions, whether it passes any of them. */
bool filter_match(struct filter *filter, const struct state_event *event);

/*
 * Whether the last event, which passed, did so only because it cannot be known whether it does:
 * that depends on a part of a value that was not captured. With several expressions: it satisfies
 * the last one in that way.
 */
bool filter_is_unknown(const struct filter *filter);

/*
 * The types of events that can pass, known before any event: ids[] by event id, and generic[] by
 * system-call code for generic events. May include too many, never too few.
 */
void filter_event_types(const struct filter *filter, bool ids[EVENT_ID_MAX],
			bool generic[SYSCALL_CODES_COUNT]);

/*
 * Whether some part of the filter selects events of that id by their type, such as evt.type=switch;
 * evt.type!=open passes others but names none of them.
 */
bool filter_names_event(const struct filter *filter, unsigned int id);

/* Whether some part of the filter compares a field with that text, with whatever result. */
bool filter_names_text(const struct filter *filter, const char *field, const char *text);

/*
 * What the kernel can decide of it: whatever passes the filter passes this part. It does not know
 * what else needs the events. Owned by the filter.
 */
const struct kernel_filters *filter_kernel_part(const struct filter *filter);

/* Returns 1 + the index of an equal filter, which is added if there is room; 0 if there is none. */
uint8_t filter_kernel_add(struct kernel_filters *filters, const struct kernel_filter *filter);

/* Whether `is` returns true for each field that the filter has. */
bool filter_reads_only(const struct filter *filter,
		       bool (*is)(const struct field_ref *ref, void *context), void *context);

/* The flags of all its fields: enum field_flags bits. */
unsigned int filter_flags(const struct filter *filter);

/* The state that its fields need: enum field_needs bits. */
unsigned int filter_needs(const struct filter *filter);

/*
 * The state that fields need by event id, of those that are evaluated for such events; may include
 * too many, never too few.
 */
void filter_event_needs(const struct filter *filter, unsigned int needs[EVENT_ID_MAX]);

/* Validating the checks of a tree one by one, for callers that report all errors. */

/*
 * Whether a check (FILTER_NODE_CHECK) of `text` is valid. Returns 0; -EINVAL with the error, and
 * whether it is an unknown field; or -ENOMEM.
 */
int filter_check_node(const struct filter_node *check, const char *text,
		      const struct filter_options *options, bool *unknown_field,
		      struct filter_error *err);

/*
 * Many expressions in one filter. Common parts are computed once for an event, and expressions that
 * its type or a looked-up value rules out are skipped.
 */

struct filter_node;

struct filter_group_item {
	const struct filter_node *root; /* from filter_parse() */
	const char *text; /* `root` was parsed from, for error positions */
};

#define FILTER_NONE SIZE_MAX

/*
 * Compiles expressions together. Trees and texts are borrowed, and must outlive the filter; many
 * nodes may share a tree (FILTER_NODE_SHARED), which is compiled once. Fields that keep a state
 * between events (evt.deltatime, util.cnt) share it among all items. Returns 0, -EINVAL with
 * `failed_item` and `err` set, or -ENOMEM.
 */
int filter_group_create(const struct filter_group_item *items, size_t n,
			const struct filter_options *options, struct filter **filter,
			size_t *failed_item, struct filter_error *err);

size_t filter_group_count(const struct filter *filter);

/*
 * The first item from `from` on that the event satisfies, or FILTER_NONE. 0 starts a new event; to
 * continue with the same event, pass the item after the last result.
 */
size_t filter_group_next(struct filter *filter, const struct state_event *event, size_t from);

/* The functions above, for one item instead of all. */
void filter_group_event_types(const struct filter *filter, size_t item, bool ids[EVENT_ID_MAX],
			      bool generic[SYSCALL_CODES_COUNT]);
/*
 * Whether generic events of any call can pass: old captures have it also for calls that now have an
 * event of their own.
 */
bool filter_group_passes_generic(const struct filter *filter, size_t item);
/*
 * Whether all types that can match open files, of those that are captured now, and `fd.type` is to
 * be what no such call makes.
 */
bool filter_group_wants_other_kind(struct filter *filter, size_t item);
bool filter_group_names_event(const struct filter *filter, size_t item, unsigned int id);
unsigned int filter_group_flags(const struct filter *filter, size_t item);
unsigned int filter_group_needs(const struct filter *filter, size_t item);

/*
 * Which control groups and threads a filter means: what its fields of containers and pods alone, or
 * with those of the process and its user, decide for all events of a group or a thread. See
 * state/cgroups.h for the groups and their changes.
 */

struct state;
struct state_cgroups;
struct state_thread;

enum filter_decision {
	FILTER_UNDECIDED, /* it depends on other fields */
	FILTER_REJECTED, /* no event passes */
	FILTER_ACCEPTED, /* all events pass whose type can */
	FILTER_DECISIONS_COUNT,
};

/*
 * Valid until the revision of the groups changes. FILTER_UNDECIDED may also be returned for an
 * expression whose other fields contradict each other. Takes time in proportion to the filter: not
 * for each event.
 */
enum filter_decision filter_decide(struct filter *filter, const struct state_cgroups *cgroups);

/*
 * What the filter says of a thread as it is now: valid until a field with FIELD_OF_PROCESS or
 * FIELD_OF_CONTAINER may have another value. FILTER_UNDECIDED also if a part of such a value is
 * missing.
 */
enum filter_decision filter_decide_thread(struct filter *filter, const struct state *state,
					  const struct state_thread *thread);

/*
 * What the filter says of all events `request` of a protocol and a role (numbers of
 * events/flags/request.def), by these two alone: FILTER_REJECTED, none of them passes.
 */
enum filter_decision filter_decide_requests(struct filter *filter, uint8_t protocol, uint8_t role);

#endif
