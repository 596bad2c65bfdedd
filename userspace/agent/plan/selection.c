/* SPDX-License-Identifier: MIT */
/* Selects events and system-call numbers from the needs of fields. */
#include "agent/plan/selection.h"

#include <stddef.h>
#include <string.h>

#include "requests/metrics/view.h"
#include "sinsp/sinsp.h"
#include "util/count.h"

enum { ABOUT_MASK = 0xff }; /* of a category: what the event is about */

/* The parts of the state and their reasons; event descriptors name the parts they update. */
static const struct {
	enum selection_why why;
	const char *name;
	unsigned int part; /* enum state_part */
} parts[] = {
	{WHY_FILTER, "filter", 0},
	{WHY_THREADS, "threads", STATE_THREADS},
	{WHY_DESCRIPTORS, "descriptors", STATE_DESCRIPTORS},
	{WHY_CONNECTIONS, "connections", STATE_CONNECTIONS},
	{WHY_DIRECTORIES, "directories", STATE_DIRECTORIES},
	{WHY_SWITCHES, "switches", STATE_SWITCHES},
	{WHY_CONTAINERS, "containers", STATE_CONTAINERS},
	{WHY_ENVIRONMENTS, "environments", STATE_ENVIRONMENTS},
	{WHY_REQUESTS, "requests", 0},
	{WHY_METRICS, "metrics", 0},
	{WHY_FILES, "files", STATE_FILES},
	{WHY_CREATED, "created", STATE_CREATED},
};

enum { PARTS_COUNT = COUNT(parts) };

/* Without extension parameters: a descriptor's name is not worth the cost there. */
static bool has_param(const struct event_desc *desc, enum param_type a, enum param_type b)
{
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (!desc->params[i].extension &&
		    (desc->params[i].type == a || desc->params[i].type == b))
			return true;
	return false;
}

static bool names_descriptor(const struct event_desc *desc)
{
	return has_param(desc, PT_FD, PT_FDLIST);
}

static bool names_path(const struct event_desc *desc)
{
	return has_param(desc, PT_FSPATH, PT_FSRELPATH);
}

/* For events with a descriptor: whether it may be a socket. In events about files it is a file. */
static bool names_socket(const struct event_desc *desc)
{
	return names_descriptor(desc) && (desc->category & ABOUT_MASK) != EC_FILE;
}

/* Whether its descriptor is always a socket. */
static bool is_of_socket(const struct event_desc *desc)
{
	return desc->id == EVENT_request;
}

/* Whether its own descriptor is only known from other events. */
static bool needs_own_descriptor(const struct event_desc *desc)
{
	return (desc->flags & (EF_CREATES_FD | EF_USES_FD | EF_DESTROYS_FD)) &&
	       !state_event_describes_fd(desc->id);
}

/* Whether it names other descriptors than one that it describes. */
static bool needs_descriptors(const struct event_desc *desc)
{
	unsigned int created = state_event_describes_fd(desc->id);

	for (unsigned int i = created; i < desc->nparams; i++)
		if (!desc->params[i].extension &&
		    (desc->params[i].type == PT_FD || desc->params[i].type == PT_FDLIST))
			return true;
	return false;
}

static bool is_given_path(const struct param_desc *param)
{
	return !param->extension && (param->type == PT_FSPATH || param->type == PT_FSRELPATH);
}

/* Whether it has paths that the kernel does not report, even if its call succeeds. */
static bool needs_directories(const struct event_desc *desc)
{
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (is_given_path(&desc->params[i]) && !desc->params[i].real)
			return true;
	return false;
}

/* Whether it has paths whose directory the kernel does not report if its call fails, either. */
static bool needs_bases(const struct event_desc *desc)
{
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (is_given_path(&desc->params[i]) && !desc->params[i].base_path)
			return true;
	return false;
}

/*
 * Which parts of the state an event needs for what is asked of the event itself. Each part may
 * need another: see selection_complete().
 */
static uint16_t parts_for_event(unsigned int needs, const struct event_desc *desc)
{
	bool own = (needs & NEEDS_EVENT_FD) && needs_own_descriptor(desc);
	bool all = (needs & NEEDS_EVENT_FDS) && needs_descriptors(desc);
	uint16_t why = 0;

	/* The names of files come from where they were opened. */
	if (own || all)
		why |= is_of_socket(desc) ? WHY_DESCRIPTORS : WHY_FILES | WHY_DIRECTORIES;
	if ((own || all) && names_socket(desc))
		why |= WHY_CONNECTIONS;
	if ((needs & NEEDS_EVENT_PATHS) && needs_bases(desc))
		why |= WHY_DIRECTORIES;
	if ((needs & NEEDS_EVENT_REAL_PATHS) && needs_directories(desc))
		why |= WHY_DIRECTORIES;
	return why;
}

/* Where the state is kept whole, an event that describes something changes nothing. */
static uint16_t parts_for_event_in_full(unsigned int needs, const struct event_desc *desc)
{
	bool fds = needs & (NEEDS_EVENT_FD | NEEDS_EVENT_FDS);
	bool paths = needs & (NEEDS_EVENT_PATHS | NEEDS_EVENT_REAL_PATHS);
	uint16_t why = 0;

	if (fds && names_descriptor(desc))
		why |= is_of_socket(desc) ? WHY_DESCRIPTORS : WHY_FILES | WHY_DIRECTORIES;
	if (fds && names_socket(desc))
		why |= WHY_CONNECTIONS;
	if (paths && names_path(desc))
		why |= WHY_DIRECTORIES;
	return why;
}

/* Of what does not depend on the event. */
static uint16_t parts_for_any_event(unsigned int needs)
{
	uint16_t why = 0;

	if (needs & NEEDS_FDS)
		why |= WHY_FILES | WHY_CONNECTIONS;
	if (needs & NEEDS_CWD)
		why |= WHY_DIRECTORIES;
	if (needs & NEEDS_SWITCHES)
		why |= WHY_SWITCHES;
	if (needs & NEEDS_CONTAINERS)
		why |= WHY_CONTAINERS;
	if (needs & NEEDS_CREATED)
		why |= WHY_CREATED;
	if (needs & NEEDS_ENVIRONMENT)
		why |= WHY_ENVIRONMENTS;
	if (needs & NEEDS_THREADS)
		why |= WHY_THREADS;
	return why;
}

/* Adds the parts that others need. */
static uint16_t selection_complete(uint16_t why)
{
	/* Names are relative. */
	if (why & WHY_CREATED)
		why |= WHY_DIRECTORIES;
	/* fchdir() uses a descriptor. */
	if (why & WHY_DIRECTORIES)
		why |= WHY_FILES;
	if (why & (WHY_FILES | WHY_CONNECTIONS))
		why |= WHY_DESCRIPTORS;
	/* All of these belong to threads. */
	if (why)
		why |= WHY_THREADS;
	return why;
}

/* The parts of the state that fields with these needs use, for the events of the filter. */
static uint16_t parts_for_needs(const struct selection *selection,
				const unsigned int needs[EVENT_ID_MAX])
{
	uint16_t why = 0;

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (!(selection->events[id] & WHY_FILTER))
			continue;
		why |= parts_for_any_event(needs[id]);
		why |= selection->full_state ? parts_for_event_in_full(needs[id], desc)
					     : parts_for_event(needs[id], desc);
	}
	return selection_complete(why);
}

static bool has_environment(const struct event_desc *desc)
{
	return desc->runs.env;
}

static bool any_filtered(const struct selection *selection,
			 bool (*test)(const struct event_desc *desc))
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if ((selection->events[id] & WHY_FILTER) && test(event_desc_get(id)))
			return true;
	return false;
}

static bool selection_is_possible(const struct event_desc *desc)
{
	return desc && !(desc->flags & EF_RECORDED) && event_desc_is_native(desc);
}

static bool selection_is_shown(const struct event_desc *desc)
{
	return desc && !(desc->flags & EF_UNSEEN);
}

static bool is_on_request(unsigned int id)
{
	return event_desc_get(id)->flags & EF_ON_REQUEST;
}

/* Whether all these events are ones that must be named. */
static bool only_on_request(const bool ids[EVENT_ID_MAX])
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (ids[id] && selection_is_possible(event_desc_get(id)) && !is_on_request(id))
			return false;
	return true;
}

/* Whether an expression names an event by its type, or by a field for it. */
static bool selection_is_named(const struct filter *filter, size_t item, unsigned int id)
{
	if (!filter)
		return false;
	return filter_group_names_event(filter, item, id) ||
	       (id == EVENT_switch && (filter_group_needs(filter, item) & NEEDS_SWITCHES));
}

/* Removes events that an expression would have to name from those that can pass it. */
static void drop_unnamed(const struct filter *filter, size_t item, bool ids[EVENT_ID_MAX])
{
	/* A parameter that only these events have names them, too. */
	if (only_on_request(ids))
		return;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (ids[id] && event_desc_get(id) && is_on_request(id))
			ids[id] = selection_is_named(filter, item, id);
}

/* Whether calls with that code can pass as the generic event. */
static bool is_generic(unsigned int code, const bool generic[SYSCALL_CODES_COUNT])
{
	return event_desc_of_syscall(code)->id == EVENT_syscall && generic[code];
}

static void allow_all(bool ids[EVENT_ID_MAX], bool generic[SYSCALL_CODES_COUNT])
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		ids[id] = true;
	for (unsigned int r = 0; r < SYSCALL_CODES_COUNT; r++)
		generic[r] = true;
}

/* Adds the events that can pass an expression, and the system calls of the generic event. */
static void add_item(struct selection *selection, const struct filter *filter, size_t item)
{
	bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];

	allow_all(ids, generic);
	if (filter)
		filter_group_event_types(filter, item, ids, generic);
	drop_unnamed(filter, item, ids);

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (ids[id] && id != EVENT_syscall && selection_is_possible(event_desc_get(id)))
			selection->events[id] |= WHY_FILTER;
	if (!ids[EVENT_syscall])
		return;
	for (unsigned int number = 0; number < SYSCALL_NR_MAX; number++) {
		selection->syscalls[number] |= is_generic(syscall_code_of_native(number), generic);
		selection->compat_syscalls[number] |=
			is_generic(syscall_code_of_compat(number), generic);
		if (selection->syscalls[number] || selection->compat_syscalls[number])
			selection->events[EVENT_syscall] |= WHY_FILTER;
	}
}

static uint16_t selection_parts_of(const struct selection *selection)
{
	return selection->filter_parts | selection->output_parts;
}

static void selection_set_all(unsigned int needs[EVENT_ID_MAX], unsigned int value)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		needs[id] = value;
}

static void choose_parts(struct selection *selection, const struct filter *filter,
			 unsigned int output_needs)
{
	unsigned int needs[EVENT_ID_MAX];

	selection_set_all(needs, output_needs);
	selection->output_parts = parts_for_needs(selection, needs);
	selection_set_all(needs,
			  filter && selection->full_state ? filter_needs(filter) : NEEDS_NOTHING);
	if (filter && !selection->full_state)
		filter_event_needs(filter, needs);
	selection->filter_parts = parts_for_needs(selection, needs);
}

/* Requests are made of what calls transfer, of sockets whose ends are known. */
static void add_requests(struct selection *selection)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (selection_is_possible(event_desc_get(id)) && selection_is_of_streams(id) &&
		    id != EVENT_tls_data)
			selection->events[id] |= WHY_REQUESTS;
	selection->makes_requests = true;
	selection->output_parts |= selection_complete(WHY_DESCRIPTORS | WHY_CONNECTIONS);
}

/* Marks the events that change the parts of the state that are wanted. */
static void mark_parts(struct selection *selection)
{
	uint16_t wanted = selection_parts_of(selection);

	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		unsigned int kept =
			selection_is_possible(event_desc_get(id)) ? state_event_keeps(id) : 0;

		for (int i = 0; i < PARTS_COUNT; i++)
			if ((wanted & parts[i].why) && (kept & parts[i].part))
				selection->events[id] |= parts[i].why;
	}
}

void selection_make(struct selection *selection, const struct filter *filter,
		    unsigned int output_needs, bool full_state)
{
	unsigned int needs = filter ? filter_needs(filter) : 0;

	*selection = (struct selection){.full_state = full_state};
	for (size_t i = 0; i < (filter ? filter_group_count(filter) : 1); i++)
		add_item(selection, filter, i);
	choose_parts(selection, filter, output_needs);
	selection->event_environments = (needs | output_needs) & NEEDS_EVENT_ENVIRONMENT &&
					any_filtered(selection, has_environment);
	if (!selection_lacks_calls(selection)) {
		selection->filter_enter_times = needs & NEEDS_ENTER_TIME;
		selection->output_enter_times = output_needs & NEEDS_ENTER_TIME;
		selection->entry_needs = (needs | output_needs) & (NEEDS_ARGUMENTS | NEEDS_CHANGED);
	}
	if (selection->events[EVENT_request] & WHY_FILTER)
		add_requests(selection);
	selection->needs_peers = (needs | output_needs) & NEEDS_PEERS;
	mark_parts(selection);
}

void selection_want_requests(struct selection *selection, bool recorded)
{
	selection->makes_requests = true;
	if (recorded)
		return;
	add_requests(selection);
	selection->output_parts |= selection_complete(WHY_CONTAINERS);
	mark_parts(selection);
}

void selection_want_plaintext(struct selection *selection)
{
	selection->events[EVENT_tls_data] |= WHY_REQUESTS;
	if (selection->makes_requests)
		return;
	/* By what calls transfer it is known whose it is. */
	add_requests(selection);
	mark_parts(selection);
}

void selection_want_sockets(struct selection *selection, bool samples)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (view_is_of_sockets(id) && (samples || id != EVENT_tcp_sample))
			selection->events[id] |= WHY_METRICS;
	selection->output_parts |= selection_complete(WHY_CONTAINERS);
	mark_parts(selection);
}

bool selection_has_sockets(const struct selection *selection)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (selection->events[id] && (event_desc_get(id)->flags & EF_OF_SOCKET))
			return true;
	return false;
}

void selection_make_recorded(struct selection *selection, const struct filter *filter)
{
	*selection = (struct selection){0};
	for (size_t i = 0; i < (filter ? filter_group_count(filter) : 1); i++) {
		bool ids[EVENT_ID_MAX], generic[SYSCALL_CODES_COUNT];

		allow_all(ids, generic);
		if (filter) {
			filter_group_event_types(filter, i, ids, generic);
			ids[EVENT_syscall] = filter_group_passes_generic(filter, i);
		}
		for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
			if (ids[id] && selection_is_shown(event_desc_get(id)))
				selection->events[id] |= WHY_FILTER;
		selection->makes_requests |=
			ids[EVENT_request] && selection_is_named(filter, i, EVENT_request);
	}
}

static bool is_any(const struct event_desc *desc)
{
	return true;
}

static bool is_call(const struct event_desc *desc)
{
	return desc->category & EC_SYSCALL;
}

bool selection_is_empty(const struct selection *selection)
{
	return !any_filtered(selection, is_any);
}

bool selection_lacks_calls(const struct selection *selection)
{
	return !any_filtered(selection, is_call);
}

static bool is_no_request(const struct event_desc *desc)
{
	return desc->id != EVENT_request;
}

bool selection_is_of_requests(const struct selection *selection)
{
	return selection->events[EVENT_request] & WHY_FILTER &&
	       !any_filtered(selection, is_no_request);
}

bool selection_has_requests(const struct selection *selection)
{
	return selection->makes_requests;
}

/* Calls with a position fail on sockets, but for preadv2 and pwritev2: for these -1 is none. */
static bool needs_position(const struct event_desc *desc)
{
	return event_param_find(desc, "pos") >= 0 && event_param_find(desc, "flags") < 0;
}

bool selection_is_of_streams(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	/* Of what nobody sees, how many bytes there were; and how long a connection took. */
	if (id == EVENT_shutdown || id == EVENT_sendfile || id == EVENT_splice ||
	    id == EVENT_tcp_connect || id == EVENT_tls_data)
		return true;
	return desc && desc->flags & EF_STREAMS && !needs_position(desc);
}

/* Where files are not kept, whether it is for sockets that closes are captured. */
static bool selection_closes_sockets_only(const struct selection *selection)
{
	return !(selection->events[EVENT_close] & ~(WHY_DESCRIPTORS | WHY_CONNECTIONS)) &&
	       !(selection_parts_of(selection) & WHY_FILES);
}

bool selection_is_of_streams_only(const struct selection *selection, unsigned int id)
{
	const uint16_t why = selection->events[id];
	bool is_only = why & WHY_REQUESTS && !(why & ~(WHY_REQUESTS | WHY_CONNECTIONS));

	if (id == EVENT_close)
		is_only = selection_has_requests(selection) &&
			  selection_closes_sockets_only(selection);
	return is_only && selection_lacks_calls(selection);
}

bool selection_has_enter_times(const struct selection *selection)
{
	return selection->filter_enter_times || selection->output_enter_times;
}

/* Whoever writes the state writes them, too. */
bool selection_has_environments(const struct selection *selection)
{
	return selection->full_state || selection->event_environments ||
	       (selection_parts_of(selection) & WHY_ENVIRONMENTS);
}

enum live_entry_notes selection_entry_notes(const struct selection *selection)
{
	if (selection->entry_needs & NEEDS_CHANGED)
		return ENTRY_NOTES_ALL;
	return selection->entry_needs ? ENTRY_NOTES_OVERWRITTEN : ENTRY_NOTES_NONE;
}

void selection_mark_rules(struct selection *selection, const struct filter *filter)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		selection->of_rules[id] =
			(selection->events[id] & WHY_FILTER) && filter_names_event(filter, id);
}

bool selection_captures_same(const struct selection *a, const struct selection *b)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (!a->events[id] != !b->events[id] ||
		    (a->events[id] & WHY_FILTER) != (b->events[id] & WHY_FILTER))
			return false;
	if (memcmp(a->of_rules, b->of_rules, sizeof(a->of_rules)) != 0)
		return false;
	if (selection_has_enter_times(a) != selection_has_enter_times(b) ||
	    selection_has_environments(a) != selection_has_environments(b) ||
	    selection_has_requests(a) != selection_has_requests(b) ||
	    a->entry_needs != b->entry_needs)
		return false;
	return memcmp(a->syscalls, b->syscalls, sizeof(a->syscalls)) == 0 &&
	       memcmp(a->compat_syscalls, b->compat_syscalls, sizeof(a->compat_syscalls)) == 0;
}

bool selection_adds_parts(const struct selection *from, const struct selection *to)
{
	return selection_parts_of(to) & ~selection_parts_of(from);
}

unsigned int selection_lacks(const struct selection *selection)
{
	const unsigned int optional = WHY_DESCRIPTORS | WHY_FILES | WHY_CONNECTIONS |
				      WHY_DIRECTORIES | WHY_ENVIRONMENTS | WHY_CREATED;
	unsigned int lacks = 0;

	if (selection->full_state)
		return 0;
	for (int i = 0; i < PARTS_COUNT; i++)
		if (parts[i].why & optional & ~(unsigned int)selection_parts_of(selection))
			lacks |= parts[i].part;
	return lacks;
}

const char *selection_why_name(enum selection_why why)
{
	for (int i = 0; i < PARTS_COUNT; i++)
		if (parts[i].why == why)
			return parts[i].name;
	return NULL;
}
