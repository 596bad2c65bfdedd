/* SPDX-License-Identifier: MIT */
/*
 * A state that no events keep up to date: each process is read into it when it is seen, and kept as
 * it was then. The filter is asked as if the process had an event.
 */
#include "agent/tools/profile_who.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "agent/run/containers.h"
#include "sinsp/sinsp.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	WHO_MAX = 1 << 16, /* processes that are decided at the end, or containers with names */
	WHO_PLACES = 2 * WHO_MAX,
	ANSWERS_MS = 1000,
	ANSWERS_STEP_MS = 20,
	NS_PER_MS = 1000000,
};

enum who_answer { WHO_OPEN, WHO_WANTED, WHO_UNWANTED };

/* A process, or the first one that was seen of a container. */
struct who_entry {
	uint64_t start_ns, exec_id;
	int32_t pid; /* 0: of a container */
	uint8_t answer; /* enum who_answer */
	bool lacks_names; /* it was judged before the names of its container were known */
	struct state_kept kept;
	char container[HOST_CONTAINER_BYTES]; /* of one of a container */
};

struct profile_who {
	struct profile_who_config config;
	struct filter *filter; /* NULL: none */
	bool of_threads; /* the filter looks at threads */
	bool of_relatives; /* it looks at ancestors, and perhaps at the end */
	bool of_facts; /* it looks at nothing that is gone with the process */
	struct state *state;
	struct input input; /* none */
	struct containers *descriptions; /* NULL: no container was seen */
	bool failed; /* to describe containers */
	struct who_entry **entries; /* owned */
	size_t count, capacity;
	uint32_t *places; /* owned: of processes, by hash, from 1; 0: free */
	uint64_t ended, left_out; /* processes that were not looked at */
	uint64_t nameless; /* processes that lack names */
	char container[HOST_CONTAINER_BYTES];
};

/* Fields. */

/*
 * Fields of these classes are of processes, but for those that are of events, of what only events
 * keep up to date, or of threads that are not looked at by themselves.
 */
static const char *const classes[] = {"proc.", "thread.", "user.", "group.", "container.", "k8s."};
static const char *const excluded[] = {
	"thread.exectime",	"thread.totexectime",	  "thread.cpu",
	"thread.cpu.user",	"thread.cpu.system",	  "thread.vtid",
	"thread.cap_permitted", "thread.cap_inheritable", "thread.cap_effective",
	"thread.pfmajor",	"thread.pfminor",	  "proc.nthreads",
	"proc.nchilds"};
/* Of threads: all that begins with "thread.", and what has the name of the thread. */
static const char *const of_threads[] = {"proc.name", "proc.cmdline"};

static bool is_class(const char *name)
{
	for (size_t i = 0; i < COUNT(classes); i++)
		if (strncmp(name, classes[i], strlen(classes[i])) == 0)
			return true;
	return false;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* context: set to the name of the first field that is not known of samples. */
static bool who_is_known(const struct field_ref *ref, void *context)
{
	const struct field_desc *desc = ref->desc;
	const char **unknown = context;

	if (is_class(desc->name) && !is_among(desc->name, excluded, COUNT(excluded)) &&
	    !(desc->needs & (NEEDS_FDS | NEEDS_SWITCHES)) && !(desc->flags & FIELD_OF_PAST))
		return true;
	*unknown = desc->name;
	return false;
}

static bool who_is_of_process(const struct field_ref *ref, void *context)
{
	return strncmp(ref->desc->name, "thread.", strlen("thread.")) != 0 &&
	       !is_among(ref->desc->name, of_threads, COUNT(of_threads));
}

static bool who_is_not_relative(const struct field_ref *ref, void *context)
{
	return strncmp(ref->desc->name, "proc.a", strlen("proc.a")) != 0 &&
	       strncmp(ref->desc->name, "proc.p", strlen("proc.p")) != 0 &&
	       strcmp(ref->desc->name, "proc.loginshellid") != 0;
}

/* Fields that the kernel reports with the process. */
static bool who_is_fact(const struct field_ref *ref, void *context)
{
	return ref->desc->fact == FIELD_FACT_PID || ref->desc->fact == FIELD_FACT_TID ||
	       ref->desc->fact == FIELD_FACT_UID || ref->desc->fact == FIELD_FACT_NAME;
}

static int compile(struct profile_who *who, struct error *err)
{
	const struct filter_options options = {.exact_types = false};
	const char *text = who->config.filter, *unknown = NULL;
	struct filter_error wrong = {0};
	struct buf message = {0};
	int r;

	if (!text)
		return 0;
	r = filter_create(text, &options, &who->filter, &wrong);
	if (r == -EINVAL) {
		filter_error_render(text, &wrong, &message);
		buf_append_char(&message, '\0');
		error_set(err, r, "profile: the filter: %s",
			  message.failed ? wrong.text : message.data);
		buf_finish(&message);
	}
	if (r)
		return r == -EINVAL ? r : error_set(err, r, "out of memory");
	if (!filter_reads_only(who->filter, who_is_known, &unknown))
		return error_set(err, -EINVAL,
				 "profile: %s is not known of samples: a filter has fields of "
				 "processes, users, containers and pods, such as proc.name, "
				 "thread.tid, user.name, container.id, k8s.ns.name",
				 unknown);
	who->of_threads = !filter_reads_only(who->filter, who_is_of_process, NULL);
	who->of_relatives = !filter_reads_only(who->filter, who_is_not_relative, NULL);
	who->of_facts = filter_reads_only(who->filter, who_is_fact, NULL);
	return 0;
}

/* Opening. */

static int who_open_state(struct profile_who *who, struct error *err)
{
	const struct host *host = who->config.host;
	const struct state_config config = {
		.proc = host->proc,
		.etc = host->etc,
		.hostname = host->hostname,
		.node = host_node_name(),
		.lacks = STATE_DESCRIPTORS | STATE_FILES | STATE_CONNECTIONS,
	};

	return state_create(&config, &who->state, err);
}

int profile_who_open(const struct profile_who_config *config, struct profile_who **who,
		     struct error *err)
{
	struct profile_who *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->config = *config;
	made->places = calloc(WHO_PLACES, sizeof(*made->places));
	r = made->places ? compile(made, err) : error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = who_open_state(made, err);
	if (r)
		profile_who_close(made);
	else
		*who = made;
	return r;
}

void profile_who_close(struct profile_who *who)
{
	if (!who)
		return;
	containers_destroy(who->descriptions);
	for (size_t i = 0; i < who->count; i++) {
		state_kept_finish(who->state, &who->entries[i]->kept);
		free(who->entries[i]);
	}
	free(who->entries);
	free(who->places);
	state_destroy(who->state);
	filter_destroy(who->filter);
	free(who);
}

/* Entries. */

static uint32_t *who_place(const struct profile_who *who, const struct stack_process *process)
{
	uint64_t hash = (process->start_ns ^ process->exec_id << 20 ^ (uint32_t)process->pid) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t i = hash >> 32 & (WHO_PLACES - 1);

	for (; who->places[i]; i = (i + 1) & (WHO_PLACES - 1)) {
		const struct who_entry *entry = who->entries[who->places[i] - 1];

		if (entry->pid == process->pid && entry->start_ns == process->start_ns &&
		    entry->exec_id == process->exec_id)
			break;
	}
	return &who->places[i];
}

/* An entry, with nothing; NULL if there is no room. */
static struct who_entry *who_add(struct profile_who *who)
{
	size_t capacity = who->capacity ? 2 * who->capacity : 64;
	struct who_entry **entries = who->entries, *made;

	if (who->count == WHO_MAX)
		return NULL;
	if (who->count == who->capacity) {
		entries = reallocarray(entries, capacity, sizeof(struct who_entry *));
		if (!entries)
			return NULL;
		who->entries = entries;
		who->capacity = capacity;
	}
	made = calloc(1, sizeof(*made));
	if (made)
		entries[who->count++] = made;
	return made;
}

static struct who_entry *who_find_container(const struct profile_who *who, const char *id)
{
	for (size_t i = 0; i < who->count; i++)
		if (!who->entries[i]->pid && strcmp(who->entries[i]->container, id) == 0)
			return who->entries[i];
	return NULL;
}

/* Containers. */

/* The threads that ask have no priority of their own. */
static int who_begin_descriptions(struct profile_who *who, struct error *err)
{
	int before = getpriority(PRIO_PROCESS, 0);
	int r;

	(void)setpriority(PRIO_PROCESS, 0, 0);
	r = containers_create(who->config.options, who->state, &who->input, &who->descriptions,
			      err);
	if (r == 0)
		r = containers_follow_pods(who->descriptions, err);
	if (r == 0)
		r = containers_describe(who->descriptions, err);
	(void)setpriority(PRIO_PROCESS, 0, before);
	return r;
}

/* Has the containers described that came with the last process. */
static void who_follow_containers(struct profile_who *who)
{
	struct error err = {""};

	if (who->failed)
		return;
	if (who->descriptions) {
		containers_apply(who->descriptions);
		containers_follow(who->descriptions);
	} else if (who_begin_descriptions(who, &err)) {
		who->failed = true;
		fprintf(stderr, "agent: containers have no names: %s\n", err.text);
	}
}

/* Where there is no filter, one process of each container is enough for its names. */
static void who_meet_container(struct profile_who *who, const struct stack_process *process)
{
	struct who_entry *entry = who_find_container(who, process->container_id);

	if (entry)
		return;
	entry = who_add(who);
	if (!entry)
		return;
	snprintf(entry->container, sizeof(entry->container), "%s", process->container_id);
	if (state_keep_process(who->state, process->pid, false, &entry->kept) == 0)
		who_follow_containers(who);
}

/* Decisions. */

static bool who_matches(struct profile_who *who, const struct state_thread *thread)
{
	const struct state_event event = {
		.ev = {.desc = event_desc_get(EVENT_switch),
		       .ts_ns = clock_ns(CLOCK_REALTIME),
		       .tid = thread->tid},
		.num = 1,
		.state = who->state,
		.thread = thread,
	};

	return filter_match(who->filter, &event);
}

static bool who_is_pending(const struct profile_who *who, const struct who_entry *entry)
{
	const struct state_cgroups *cgroups = entry->kept.thread.cgroups;
	unsigned int needs = filter_needs(who->filter);

	if (!who->descriptions)
		return false;
	return (needs & (NEEDS_DESCRIPTIONS | NEEDS_PODS) &&
		state_cgroups_await_container(cgroups)) ||
	       (needs & NEEDS_PODS && state_cgroups_await_pod(cgroups)) ||
	       state_cgroups_await_users(who->state, cgroups);
}

/* What the filter says of all threads of the process, whatever they are called. */
static enum who_answer who_answer(struct profile_who *who, const struct who_entry *entry)
{
	if (who_is_pending(who, entry))
		return WHO_OPEN;
	if (!who->of_threads)
		return who_matches(who, &entry->kept.thread) ? WHO_WANTED : WHO_UNWANTED;
	return filter_decide(who->filter, entry->kept.thread.cgroups) == FILTER_REJECTED
		       ? WHO_UNWANTED
		       : WHO_OPEN;
}

/*
 * Whether /proc still has the program that was seen: its stack begins elsewhere after an exec, also
 * of a program with the same name. That of one that was seen while it was executed had no place
 * yet: it is known by its name. Threads of the kernel execute nothing.
 */
static bool who_is_same_program(const struct stack_process *process,
				const struct state_thread *thread)
{
	if (!*thread->program->exepath)
		return true;
	if (!process->start_stack)
		return strncmp(thread->comm, process->comm, sizeof(thread->comm) - 1) == 0;
	return thread->exec_id == exec_id_of(process->start_ns / TICK_NS, process->start_stack);
}

/* Reads the process. If it executes something else by now, another one with that id is seen soon.
 */
static int who_keep(struct profile_who *who, const struct stack_process *process,
		    struct who_entry *entry)
{
	const struct state_thread *thread = &entry->kept.thread;
	int r = process->was_read ? state_keep_process(who->state, process->pid, who->of_relatives,
						       &entry->kept)
				  : -ESRCH;

	if (r == 0 && !who_is_same_program(process, thread)) {
		state_kept_finish(who->state, &entry->kept);
		r = -ESRCH;
	}
	if (r != -ESRCH || !who->of_facts)
		return r;
	return state_keep_unread(who->state, process->pid, process->comm, process->uid,
				 &entry->kept);
}

/* Whether the filter uses fields of the container or pod of a process that are not known. */
static bool who_lacks_names(const struct profile_who *who, const struct who_entry *entry)
{
	const struct state_cgroups *cgroups = entry->kept.thread.cgroups;
	const struct state_container *container = cgroups ? cgroups->container : NULL;
	unsigned int needs = filter_needs(who->filter);

	if (!container || !(needs & (NEEDS_DESCRIPTIONS | NEEDS_PODS)))
		return false;
	return !state_container_is_described(container) ||
	       (needs & NEEDS_PODS && container->pod_uid[0] && !container->info.pod.name);
}

/* What is not known decides then, but not silently. */
static void who_note_lack(struct profile_who *who, struct who_entry *entry)
{
	if (entry->lacks_names || !who_lacks_names(who, entry))
		return;
	entry->lacks_names = true;
	who->nameless++;
}

static bool who_describe_filtered(struct profile_who *who, struct stack_process *process)
{
	uint32_t *place = who_place(who, process);
	struct who_entry *entry = *place ? NULL : who_add(who);

	if (!entry) {
		who->left_out += !*place;
		return *place != 0;
	}
	*place = (uint32_t)who->count;
	entry->pid = process->pid;
	entry->start_ns = process->start_ns;
	entry->exec_id = process->exec_id;
	if (who_keep(who, process, entry)) {
		who->ended++;
		entry->answer = WHO_UNWANTED;
		return false;
	}
	if (entry->kept.thread.cgroups->container)
		who_follow_containers(who);
	entry->answer = (uint8_t)who_answer(who, entry);
	if (entry->answer == WHO_UNWANTED)
		who_note_lack(who, entry);
	return entry->answer != WHO_UNWANTED;
}

bool profile_who_describe(struct profile_who *who, struct stack_process *process)
{
	const char *wanted = who->config.container;

	if (process->was_read && host_container_of(who->config.host, process->pid, who->container))
		process->container_id = who->container;
	if (wanted &&
	    (!process->container_id || strncmp(process->container_id, wanted, strlen(wanted)) != 0))
		return false;
	if (process->container_id && !who->filter)
		who_meet_container(who, process);
	return !who->filter || who_describe_filtered(who, process);
}

/* The end. */

static bool who_is_wanted(void *context, const struct stacks *stacks, const struct stack_row *row)
{
	struct profile_who *who = context;
	uint32_t place = *who_place(who, &stacks->processes[row->process]);
	struct who_entry *entry = place ? who->entries[place - 1] : NULL;
	struct state_thread thread;

	if (entry)
		who_note_lack(who, entry);
	if (!entry || entry->answer != WHO_OPEN)
		return entry && entry->answer == WHO_WANTED;
	state_kept_restore(who->state, &entry->kept);
	thread = state_kept_thread(&entry->kept, row->tid, row->comm);
	return who_matches(who, &thread);
}

static bool who_awaits(const struct profile_who *who)
{
	for (size_t i = 0; i < who->count; i++) {
		const struct state_cgroups *cgroups = who->entries[i]->kept.thread.cgroups;

		if (cgroups && (state_cgroups_await_container(cgroups) ||
				(who->filter && who_is_pending(who, who->entries[i]))))
			return true;
	}
	return false;
}

static void who_wait(struct profile_who *who)
{
	const struct timespec step = clock_timespec((uint64_t)ANSWERS_STEP_MS * NS_PER_MS);

	for (int ms = 0; who->descriptions && ms < ANSWERS_MS; ms += ANSWERS_STEP_MS) {
		containers_apply(who->descriptions);
		if (!who_awaits(who))
			return;
		nanosleep(&step, NULL);
	}
}

/* Names of the container of a process. */
static int who_name(struct profile_who *who, struct stacks *stacks, uint32_t index)
{
	const struct stack_process *process = &stacks->processes[index];
	uint32_t place = *who_place(who, process);
	const struct who_entry *entry =
		place ? who->entries[place - 1] : who_find_container(who, process->container_id);
	const struct state_cgroups *cgroups = entry ? entry->kept.thread.cgroups : NULL;
	const struct state_container_info *info =
		cgroups && cgroups->container ? &cgroups->container->info : NULL;
	struct stack_container names;

	if (!info)
		return 0;
	names = (struct stack_container){process->container_id, info->name, info->image.name,
					 info->pod.name, info->pod.ns};
	return stacks_name_container(stacks, index, &names);
}

int profile_who_decide(struct profile_who *who, struct stacks *stacks)
{
	int r = 0;

	who_wait(who);
	if (who->filter)
		stacks_keep_rows(stacks, who_is_wanted, who);
	for (uint32_t i = 0; i < stacks->processes_count && r == 0; i++)
		if (stacks->processes[i].container_id)
			r = who_name(who, stacks, i);
	return r;
}

void profile_who_print_lacks(const struct profile_who *who)
{
	if (who->nameless)
		fprintf(stderr,
			"agent: %llu processes were judged by the filter without what nobody told "
			"of their containers or pods\n",
			(unsigned long long)who->nameless);
	if (who->ended)
		fprintf(stderr,
			"agent: %llu processes are left out: they had ended, or executed something "
			"else, before the filter could look at them\n",
			(unsigned long long)who->ended);
	if (who->left_out)
		fprintf(stderr,
			"agent: %llu processes are left out: there is room for %d that the filter "
			"looks at\n",
			(unsigned long long)who->left_out, WHO_MAX);
}
