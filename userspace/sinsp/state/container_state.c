/* SPDX-License-Identifier: MIT */
/*
 * Containers of the state: one description made of two, users that another thread reads, new
 * containers.
 */
#include "sinsp/state/container_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sinsp/state/containers/container_json.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"
#include "sinsp/state/path.h"
#include "sinsp/state/program.h"
#include "util/count.h"

/* What a runtime can change while a container runs. */
static const size_t changing[] = {
	offsetof(struct state_container_info, name),
	offsetof(struct state_container_info, ip),
	offsetof(struct state_container_info, cni_json),
	offsetof(struct state_container_info, pod.ip),
};

/* Where lists of names with values are. */
static const size_t labels_at[] = {
	offsetof(struct state_container_info, labels),
	offsetof(struct state_container_info, env),
	offsetof(struct state_container_info, pod.labels),
	offsetof(struct state_container_info, pod.annotations),
};

struct merge {
	struct state_container_info *info;
	const struct state_container_info *known;
	bool changed; /* `info` says more than `known`, or something else */
	bool failed; /* out of memory */
};

static const char *container_state_copy_text(struct merge *merge, const char *text)
{
	const char *copy = text ? arena_text(&merge->info->texts.arena, text, strlen(text)) : NULL;

	merge->failed |= text && !copy;
	return copy;
}

static bool can_change(size_t offset)
{
	for (size_t i = 0; i < COUNT(changing); i++)
		if (changing[i] == offset)
			return true;
	return false;
}

static void merge_text(struct merge *merge, const struct container_member *member)
{
	const char **text = container_text(merge->info, member);
	const char *known = *container_text((struct state_container_info *)merge->known, member);

	if (*text && known && strcmp(*text, known) == 0)
		return;
	if (*text && (!known || can_change(member->offset)))
		merge->changed = true;
	else
		*text = container_state_copy_text(merge, known);
}

static void merge_answer(struct merge *merge, const struct container_member *member)
{
	enum state_answer *answer = container_answer(merge->info, member);
	enum state_answer known =
		*container_answer((struct state_container_info *)merge->known, member);

	merge->changed |= *answer != STATE_UNKNOWN && known == STATE_UNKNOWN;
	if (known != STATE_UNKNOWN)
		*answer = known;
}

static void merge_labels(struct merge *merge, size_t offset)
{
	struct state_labels *labels = (struct state_labels *)((char *)merge->info + offset);
	const struct state_labels *known =
		(const struct state_labels *)((const char *)merge->known + offset);
	struct state_label *items;

	merge->changed |= labels->count && !known->count;
	if (!known->count)
		return;
	items = arena_alloc(&merge->info->texts.arena, known->count * sizeof(*items));
	merge->failed |= !items;
	for (size_t i = 0; items && i < known->count; i++)
		items[i] = (struct state_label){
			container_state_copy_text(merge, known->items[i].name),
			container_state_copy_text(merge, known->items[i].value)};
	*labels = (struct state_labels){items, items ? known->count : 0};
}

static void merge_mounts(struct merge *merge)
{
	const struct state_mounts *known = &merge->known->mounts;
	struct state_mounts *mounts = &merge->info->mounts;
	struct state_mount *items;

	merge->changed |= mounts->count && !known->count;
	if (!known->count)
		return;
	items = arena_alloc(&merge->info->texts.arena, known->count * sizeof(*items));
	merge->failed |= !items;
	for (size_t i = 0; items && i < known->count; i++) {
		const struct state_mount *from = &known->items[i];

		items[i] = (struct state_mount){
			.source = container_state_copy_text(merge, from->source),
			.dest = container_state_copy_text(merge, from->dest),
			.mode = container_state_copy_text(merge, from->mode),
			.propagation = container_state_copy_text(merge, from->propagation),
			.writable = from->writable,
		};
	}
	*mounts = (struct state_mounts){items, items ? known->count : 0};
}

static void merge_rest(struct merge *merge)
{
	const struct state_container_info *known = merge->known;
	struct state_container_info *info = merge->info;

	merge->changed |= info->created_ns && !known->created_ns;
	merge->changed |= info->type != STATE_CONTAINER_NONE && known->type == STATE_CONTAINER_NONE;
	merge->changed |= info->is_sandbox && !known->is_sandbox;
	if (known->created_ns)
		info->created_ns = known->created_ns;
	if (known->type != STATE_CONTAINER_NONE)
		info->type = known->type;
	info->is_sandbox |= known->is_sandbox;
}

int container_merge(struct state_container_info *info, const struct state_container_info *known)
{
	static const struct container_members *const texts[] = {
		&container_texts, &container_extension_texts, &container_pod_labels};
	struct merge merge = {.info = info, .known = known};

	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t j = 0; j < texts[i]->count; j++)
			merge_text(&merge, &texts[i]->items[j]);
	for (size_t i = 0; i < container_answers.count; i++)
		merge_answer(&merge, &container_answers.items[i]);
	for (size_t i = 0; i < COUNT(labels_at); i++)
		merge_labels(&merge, labels_at[i]);
	merge_mounts(&merge);
	merge_rest(&merge);
	return merge.failed ? -ENOMEM : merge.changed;
}

/* How many execs of a container may have the root of the machine before that is its root. */
enum { TRIES_MAX = 8 };

bool state_take_users_wanted(struct state *state, struct state_users_wanted *wanted)
{
	struct state_container_lists *lists = &state->containers.lists;
	struct state_container *container = lists->of[STATE_CONTAINERS_UNREAD].oldest;

	if (!container)
		return false;
	state_container_list_remove(lists, container, STATE_CONTAINERS_UNREAD);
	*wanted = (struct state_users_wanted){container->id, container->owner, container->path,
					      container->users_tid};
	container->users_tid = 0;
	container->users_asked = true;
	return true;
}

/* Whether another process, or a later exec, may succeed. */
static bool container_state_try_again(struct state *state, struct state_container *container,
				      int result)
{
	if (result != -ESRCH && (result != -EAGAIN || ++container->users_tries >= TRIES_MAX))
		return false;
	if (container->users_tid)
		state_container_list_add(&state->containers.lists, container,
					 STATE_CONTAINERS_UNREAD);
	return true;
}

const struct state_container *state_find_container(const struct state *state, const char *id,
						   uint32_t owner)
{
	return state_containers_find(&state->containers, id, strlen(id), owner);
}

void state_set_users(struct state *state, const char *id, uint32_t owner, int result,
		     struct state_container_users *users)
{
	struct state_container *container =
		state_containers_find(&state->containers, id, strlen(id), owner);

	if (container)
		container->users_asked = false;
	if (!container || container_state_try_again(state, container, result)) {
		state_container_users_destroy(users);
		return;
	}
	container->users_read = true;
	/* Without a file that can be used no id has a name: one of the host would be wrong. */
	if (result && result != -EAGAIN)
		users = state_container_users_create();
	state_container_set_users(&state->containers, container, users);
	state_container_list_add(&state->containers.lists, container, STATE_CONTAINERS_USERS);
}

int state_copy_proc(const struct state *state, struct scap_proc **proc)
{
	*proc = NULL;
	return state->proc ? scap_proc_copy(state->proc, proc) : 0;
}

enum { ANCESTORS_MAX = 16, NS_PER_S = 1000000000 };

/* Those of runc, crun and conmon. */
static const char *const bundle_options[] = {"--bundle", "-b"};

/* Its arguments end in the id of the first container of a pod; others' bundles are beside it. */
static const char shim_prefix[] = "containerd-shim";

struct state_container *state_take_new_container(struct state *state)
{
	return state_containers_take_new(&state->containers);
}

/* Whether a runtime, or its files, said something of it. */
static bool was_described(const struct state_container *container)
{
	return container->runtime_info &&
	       (container->state == STATE_META_OK || container->state == STATE_META_PARTIAL);
}

/* A program always has a name in its arguments; only a strange one has none. */
static bool lacks_arguments(const struct state_thread *thread)
{
	return *thread->program->exepath && !*thread->program->exe && !thread->program->args_len;
}

/* The thread by which the container was found, then its ancestors; NULL: no more. */
static struct state_thread *next_ancestor(const struct state *state,
					  const struct state_thread *thread)
{
	return thread->ptid > 0 ? state_thread_get(state, thread->ptid) : NULL;
}

bool state_container_is_unread(const struct state *state, const struct state_container *container)
{
	const struct state_thread *thread = state_thread_get(state, container->first_tid);

	for (int i = 0; thread && i < ANCESTORS_MAX; i++, thread = next_ancestor(state, thread))
		if (lacks_arguments(thread))
			return true;
	return false;
}

static void read_again(struct state *state, const struct state_container *container)
{
	struct state_thread *thread = state_thread_get(state, container->first_tid);

	for (int i = 0; thread && i < ANCESTORS_MAX; i++, thread = next_ancestor(state, thread))
		if (lacks_arguments(thread))
			state_read_arguments(state, thread);
}

bool state_ask_for_container_again(struct state *state, struct state_container *container)
{
	struct state_container_lists *lists = &state->containers.lists;

	if (container->links[STATE_CONTAINERS_AGAIN].listed)
		return true;
	if (container->asked_again >= STATE_AGAIN_TIMES ||
	    lists->of[STATE_CONTAINERS_AGAIN].count >= STATE_AGAIN_MAX)
		return false;
	container->asked_again++;
	container->ask_ns = state->now_ns + (uint64_t)STATE_AGAIN_S * NS_PER_S;
	state_container_list_add(lists, container, STATE_CONTAINERS_AGAIN);
	return true;
}

struct state_container *state_take_container_again(struct state *state)
{
	struct state_container_lists *lists = &state->containers.lists;
	struct state_container *container;

	while ((container = lists->of[STATE_CONTAINERS_AGAIN].oldest) &&
	       container->ask_ns <= state->now_ns) {
		state_container_list_remove(lists, container, STATE_CONTAINERS_AGAIN);
		if (container->state == STATE_META_OK || container->state == STATE_META_PENDING)
			continue;
		if (state->proc)
			read_again(state, container);
		return container;
	}
	return NULL;
}

void state_container_set_pending(struct state_container *container)
{
	if (was_described(container))
		return;
	container->state = STATE_META_PENDING;
	state_container_changed(container);
}

/* Whether `info` is to take the place of what is known of the container, which it completes. */
static bool completes(struct state_container_info *info, const struct state_container *container)
{
	if (!was_described(container))
		return true;
	/* Another one may have the id of one that was removed. */
	return info && (container->removed || container_merge(info, container->runtime_info) > 0);
}

/* The state after a description: what was known wholly does not become a part. */
static enum state_meta meta_after(const struct state_container *container, enum state_meta meta)
{
	bool was_whole = was_described(container) && container->state == STATE_META_OK;

	return was_whole && !container->removed && meta == STATE_META_PARTIAL ? STATE_META_OK
									      : meta;
}

void state_describe_container(struct state *state, const char *id, uint32_t owner,
			      enum state_meta meta, struct state_container_info *info)
{
	struct state_container *container =
		state_containers_find(&state->containers, id, strlen(id), owner);
	bool is_end = !info && meta == STATE_META_OK;

	if (container && !is_end && completes(info, container)) {
		state_container_set_info(&state->containers, container, meta_after(container, meta),
					 info);
		container->removed = false;
		return;
	}
	state_container_info_destroy(info);
	if (container && container->state == STATE_META_PARTIAL && meta == STATE_META_OK)
		state_container_set_state(&state->containers, container, meta);
}

void state_remove_container(struct state *state, const char *id)
{
	state_containers_forget(&state->containers, id);
}

void state_describe_pod(struct state *state, struct state_pod_info *info)
{
	state_containers_describe_pod(&state->containers, info);
}

void state_forget_pod(struct state *state, const char *uid)
{
	state_containers_forget_pod(&state->containers, uid);
}

void state_describe_service(struct state *state, struct state_service_info *info)
{
	state_services_describe(&state->services, info);
}

void state_forget_service(struct state *state, const char *uid)
{
	state_services_forget(&state->services, uid);
}

bool state_want_workload(struct state *state, const char *uid)
{
	return workloads_want(&state->workloads, uid, state->now_ns);
}

void state_set_workload(struct state *state, const char *uid, const struct state_workload *workload)
{
	workloads_set(&state->workloads, uid, workload);
}

/* "--bundle FOLDER", "--bundle=FOLDER" or "-b FOLDER"; NULL: none of these. */
static const char *bundle_argument(const struct state_program *program)
{
	const char *arg = NULL;

	while ((arg = state_program_argument(program, arg)))
		for (size_t i = 0; i < COUNT(bundle_options); i++) {
			size_t len = strlen(bundle_options[i]);

			if (strncmp(arg, bundle_options[i], len) != 0)
				continue;
			if (arg[len] == '=')
				return arg + len + 1;
			if (arg[len] == '\0')
				return state_program_argument(program, arg);
		}
	return NULL;
}

static bool is_shim(const struct state_program *program)
{
	return strncmp(state_path_name(program->exe), shim_prefix, sizeof(shim_prefix) - 1) == 0;
}

/* Any process may be named like a shim; one of root's is believed. */
static bool is_shim_of_root(const struct state_thread *thread)
{
	const char *name = state_path_name(thread->program->exepath);

	return thread->uid == 0 && strncmp(name, shim_prefix, sizeof(shim_prefix) - 1) == 0;
}

void state_find_named_container(struct state *state, struct state_thread *thread)
{
	const struct state_thread *parent = state_thread_get(state, thread->ptid);
	struct state_cgroups *cgroups = thread->cgroups;

	if (cgroups->container || !parent || !is_shim_of_root(parent))
		return;
	for (size_t at = 0; at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const char *path = strchr(cgroups->text + at, '/');

		if (path && path[1] &&
		    state_program_has_argument(parent->program, state_path_name(path))) {
			state_cgroups_declare(cgroups, path, STATE_CONTAINER_CONTAINERD);
			return;
		}
	}
}

struct declared {
	const char *path;
	enum state_container_type type;
};

/* Threads in the group, or below it. */
static void declare_of(struct state_thread_entry *entry, void *context)
{
	const struct declared *declared = context;
	struct state_cgroups *cgroups = entry->thread.cgroups;
	size_t len = strlen(declared->path);

	for (size_t at = 0; cgroups && at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const char *path = strchr(cgroups->text + at, '/');

		if (path && strncmp(path, declared->path, len) == 0 &&
		    (!path[len] || path[len] == '/')) {
			state_cgroups_declare(cgroups, declared->path, declared->type);
			return;
		}
	}
}

void state_declare_container(struct state *state, int64_t pid, const char *id,
			     enum state_container_type type)
{
	const struct state_thread *thread = state_thread_get(state, pid);
	struct state_cgroups *cgroups = thread ? state_cgroups_ref(thread->cgroups) : NULL;

	for (size_t at = 0; cgroups && at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const struct declared declared = {strchr(cgroups->text + at, '/'), type};

		if (!declared.path || strcmp(state_path_name(declared.path), id) != 0)
			continue;
		state_threads_each(&state->threads, declare_of, (void *)&declared);
		break;
	}
	state_cgroups_unref(cgroups);
}

/* Stores a path of a process: absolute, or in its directory. Returns whether it is known. */
static bool store_path(const struct state_thread *thread, const char *path, char *to, size_t size)
{
	const char *cwd = *path == '/' ? "" : thread->fs->cwd;
	int len;

	if (*path != '/' && *cwd != '/')
		return false;
	len = snprintf(to, size, "%s%s", cwd, path);
	return (size_t)len < size;
}

/* The folder of that id beside the directory of a shim, which is the bundle of another one. */
static bool store_beside(const struct state_thread *shim, const char *id, char *to, size_t size)
{
	const char *cwd = shim->fs->cwd;
	size_t len = shim->fs->cwd_len;

	if (len < 2 || *cwd != '/')
		return false;
	len--; /* the '/' at the end */
	while (cwd[len - 1] != '/')
		len--;
	return (size_t)snprintf(to, size, "%.*s%s", (int)len, cwd, id) < size;
}

/* Without an option the bundle is the directory of the runtime. */
static bool bundle_of(const struct state_thread *thread, const char *id, char *path, size_t size)
{
	const char *argument;

	if (is_shim(thread->program))
		return store_beside(thread, id, path, size);
	if (!state_program_has_argument(thread->program, id))
		return false;
	argument = bundle_argument(thread->program);
	return store_path(thread, argument ? argument : "", path, size);
}

bool state_container_bundle(const struct state *state, const struct state_container *container,
			    char *path, size_t size)
{
	const struct state_thread *thread = state_thread_get(state, container->first_tid);

	for (int i = 0; thread && i < ANCESTORS_MAX; i++) {
		/* Those in the container run what its image has. */
		if (thread->cgroups->container != container &&
		    bundle_of(thread, container->id, path, size))
			return true;
		thread = thread->ptid > 0 ? state_thread_get(state, thread->ptid) : NULL;
	}
	return false;
}

/* Visits the groups that changed since a revision, and gives the text of their paths. */

uint64_t state_revision(const struct state *state)
{
	return state->containers.revisions;
}

uint64_t state_cgroups_forgotten(const struct state *state)
{
	return state->containers.forgotten;
}

void state_visit_cgroups(const struct state *state, uint64_t since,
			 void (*visit)(const struct state_cgroups *cgroups, void *context),
			 void *context)
{
	state_cgroups_each(&state->containers, since, visit, context);
}

const char *state_cgroups_text(const struct state_cgroups *cgroups, size_t *len)
{
	*len = cgroups->len;
	return cgroups->text;
}

bool state_cgroups_await_container(const struct state_cgroups *cgroups)
{
	const struct state_container *container = cgroups->container;

	return container && (container->links[STATE_CONTAINERS_NEW].listed ||
			     state_container_state(container) == STATE_META_PENDING);
}

bool state_cgroups_await_users(const struct state *state, const struct state_cgroups *cgroups)
{
	return state->proc && cgroups->container && !cgroups->container->users_read;
}

bool state_cgroups_await_pod(const struct state_cgroups *cgroups)
{
	const struct state_container *container = cgroups->container;

	return container && container->pod_uid[0] && !(container->pod && container->pod->info);
}
