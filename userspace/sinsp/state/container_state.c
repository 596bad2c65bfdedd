/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container_state.h"

#include <stdio.h>
#include <string.h>

#include "sinsp/state/container_merge.h"
#include "sinsp/state/core.h"
#include "sinsp/state/path.h"
#include "sinsp/state/program.h"

enum { ANCESTORS_MAX = 16 };

/* Those of runc, crun and conmon. */
static const char *const bundle_options[] = {"--bundle", "-b"};

/* Its arguments end in the id of the first container of a pod; others' bundles are beside it. */
static const char shim_prefix[] = "containerd-shim";

struct sinsp_container *sinsp_take_new_container(struct sinsp *sinsp)
{
	return sinsp_containers_take_new(&sinsp->containers);
}

void sinsp_container_set_pending(struct sinsp_container *container)
{
	container->state = SINSP_META_PENDING;
	sinsp_container_changed(container);
}

/* Whether `info` is to take the place of what is known of the container, which it completes. */
static bool completes(struct sinsp_container_info *info, const struct sinsp_container *container)
{
	if (container->state != SINSP_META_OK || !container->runtime_info)
		return true;
	/* Another one may have the id of one that was removed. */
	return info && (container->removed || container_merge(info, container->runtime_info) > 0);
}

void sinsp_describe_container(struct sinsp *sinsp, const char *id, uint32_t owner,
			      enum sinsp_meta_state state, struct sinsp_container_info *info)
{
	struct sinsp_container *container =
		sinsp_containers_find(&sinsp->containers, id, strlen(id), owner);

	if (!container || !completes(info, container)) {
		sinsp_container_info_destroy(info);
		return;
	}
	sinsp_container_set_info(&sinsp->containers, container, state, info);
	container->removed = false;
}

void sinsp_remove_container(struct sinsp *sinsp, const char *id)
{
	sinsp_containers_forget(&sinsp->containers, id);
}

void sinsp_describe_pod(struct sinsp *sinsp, struct sinsp_pod_info *info)
{
	sinsp_containers_describe_pod(&sinsp->containers, info);
}

void sinsp_forget_pod(struct sinsp *sinsp, const char *uid)
{
	sinsp_containers_forget_pod(&sinsp->containers, uid);
}

/* "--bundle FOLDER", "--bundle=FOLDER" or "-b FOLDER"; NULL: none of these. */
static const char *bundle_argument(const struct sinsp_program *program)
{
	const char *arg = NULL;

	while ((arg = sinsp_program_argument(program, arg)))
		for (size_t i = 0; i < sizeof(bundle_options) / sizeof(bundle_options[0]); i++) {
			size_t len = strlen(bundle_options[i]);

			if (strncmp(arg, bundle_options[i], len) != 0)
				continue;
			if (arg[len] == '=')
				return arg + len + 1;
			if (arg[len] == '\0')
				return sinsp_program_argument(program, arg);
		}
	return NULL;
}

static bool is_shim(const struct sinsp_program *program)
{
	return strncmp(sinsp_path_name(program->exe), shim_prefix, sizeof(shim_prefix) - 1) == 0;
}

/* Any process may be named like a shim; one of root's is believed. */
static bool is_shim_of_root(const struct sinsp_thread *thread)
{
	const char *name = sinsp_path_name(thread->program->exepath);

	return thread->uid == 0 && strncmp(name, shim_prefix, sizeof(shim_prefix) - 1) == 0;
}

void state_find_named_container(struct sinsp *sinsp, struct sinsp_thread *thread)
{
	const struct sinsp_thread *parent = state_thread_find(sinsp, thread->ptid);
	struct sinsp_cgroups *cgroups = thread->cgroups;

	if (cgroups->container || !parent || !is_shim_of_root(parent))
		return;
	for (size_t at = 0; at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const char *path = strchr(cgroups->text + at, '/');

		if (path && path[1] &&
		    sinsp_program_has_argument(parent->program, sinsp_path_name(path))) {
			sinsp_cgroups_declare(cgroups, path, SINSP_CONTAINER_CONTAINERD);
			return;
		}
	}
}

struct declared {
	const char *path;
	enum sinsp_container_type type;
};

/* Threads in the group, or below it. */
static void declare_of(struct sinsp_thread_entry *entry, void *context)
{
	const struct declared *declared = context;
	struct sinsp_cgroups *cgroups = entry->thread.cgroups;
	size_t len = strlen(declared->path);

	for (size_t at = 0; cgroups && at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const char *path = strchr(cgroups->text + at, '/');

		if (path && strncmp(path, declared->path, len) == 0 &&
		    (!path[len] || path[len] == '/')) {
			sinsp_cgroups_declare(cgroups, declared->path, declared->type);
			return;
		}
	}
}

void sinsp_declare_container(struct sinsp *sinsp, int64_t pid, const char *id,
			     enum sinsp_container_type type)
{
	const struct sinsp_thread *thread = state_thread_find(sinsp, pid);
	struct sinsp_cgroups *cgroups = thread ? sinsp_cgroups_ref(thread->cgroups) : NULL;

	for (size_t at = 0; cgroups && at < cgroups->len; at += strlen(cgroups->text + at) + 1) {
		const struct declared declared = {strchr(cgroups->text + at, '/'), type};

		if (!declared.path || strcmp(sinsp_path_name(declared.path), id) != 0)
			continue;
		sinsp_threads_each(&sinsp->threads, declare_of, (void *)&declared);
		break;
	}
	sinsp_cgroups_unref(cgroups);
}

/* Stores a path of a process: absolute, or in its directory. Returns whether it is known. */
static bool store_path(const struct sinsp_thread *thread, const char *path, char *to, size_t size)
{
	const char *cwd = *path == '/' ? "" : thread->fs->cwd;
	int len;

	if (*path != '/' && *cwd != '/')
		return false;
	len = snprintf(to, size, "%s%s", cwd, path);
	return (size_t)len < size;
}

/* The folder of that id beside the directory of a shim, which is the bundle of another one. */
static bool store_beside(const struct sinsp_thread *shim, const char *id, char *to, size_t size)
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
static bool bundle_of(const struct sinsp_thread *thread, const char *id, char *path, size_t size)
{
	const char *argument;

	if (is_shim(thread->program))
		return store_beside(thread, id, path, size);
	if (!sinsp_program_has_argument(thread->program, id))
		return false;
	argument = bundle_argument(thread->program);
	return store_path(thread, argument ? argument : "", path, size);
}

bool sinsp_container_bundle(const struct sinsp *sinsp, const struct sinsp_container *container,
			    char *path, size_t size)
{
	const struct sinsp_thread *thread = state_thread_find(sinsp, container->first_tid);

	for (int i = 0; thread && i < ANCESTORS_MAX; i++) {
		/* Those in the container run what its image has. */
		if (thread->cgroups->container != container &&
		    bundle_of(thread, container->id, path, size))
			return true;
		thread = thread->ptid > 0 ? state_thread_find(sinsp, thread->ptid) : NULL;
	}
	return false;
}
