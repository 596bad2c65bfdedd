/* SPDX-License-Identifier: MIT */
/* The meaning of names of event types, by two tables. */
#include "sinsp/fields/type_names.h"

#include <string.h>

#include "event/event.h"
#include "util/count.h"

enum { NEWER_MAX = 2 };

/*
 * By name of the older call. fstat() is newfstatat() with an empty path in some libcs, and statx()
 * on machines without both.
 */
static const struct {
	const char *name;
	const char *newer[NEWER_MAX];
} newer_forms[] = {
	{"accept", {"accept4"}},
	{"access", {"faccessat", "faccessat2"}},
	{"chmod", {"fchmodat", "fchmodat2"}},
	{"chown", {"fchownat"}},
	{"clone", {"clone3"}},
	{"dup2", {"dup3"}},
	{"epoll_create", {"epoll_create1"}},
	{"epoll_wait", {"epoll_pwait", "epoll_pwait2"}},
	{"eventfd", {"eventfd2"}},
	{"execve", {"execveat"}},
	{"fstat", {"newfstatat", "statx"}},
	{"futimesat", {"utimensat"}},
	{"getdents", {"getdents64"}},
	{"inotify_init", {"inotify_init1"}},
	{"lchown", {"fchownat"}},
	{"link", {"linkat"}},
	{"lstat", {"newfstatat", "statx"}},
	{"mkdir", {"mkdirat"}},
	{"mknod", {"mknodat"}},
	{"open", {"openat", "openat2"}},
	{"pipe", {"pipe2"}},
	{"poll", {"ppoll"}},
	{"preadv", {"preadv2"}},
	{"pwritev", {"pwritev2"}},
	{"readlink", {"readlinkat"}},
	{"rename", {"renameat", "renameat2"}},
	{"renameat", {"renameat2"}},
	{"select", {"pselect6"}},
	{"signalfd", {"signalfd4"}},
	{"stat", {"newfstatat", "statx"}},
	{"symlink", {"symlinkat"}},
	{"umount", {"umount2"}},
	{"unlink", {"unlinkat"}},
	{"utime", {"utimensat"}},
	{"utimes", {"utimensat"}},
};

/* Events of the .scap world that are in neither the event table nor the list of system calls. */
static const char *const other_events[] = {
	"NA",
	"k8s",
	"mesos",
	"tracer",
};

static const char *event_of_call(const char *name)
{
	int r = syscall_code_find(name);
	const struct event_desc *desc;

	if (r <= SC_unknown)
		return NULL;
	desc = event_desc_of_syscall((unsigned int)r);
	return desc->id != EVENT_syscall ? desc->name : NULL;
}

void type_names_init(struct type_names *types, const char *name)
{
	size_t n = 0;

	_Static_assert(COUNT(types->names) == 2 + NEWER_MAX, "the name, and the event of the call");
	*types = (struct type_names){0};
	types->names[n++] = name;
	for (size_t i = 0; i < COUNT(newer_forms); i++)
		for (size_t j = 0; j < NEWER_MAX && strcmp(newer_forms[i].name, name) == 0; j++)
			if (newer_forms[i].newer[j])
				types->names[n++] = newer_forms[i].newer[j];
	types->names[n] = event_of_call(name);
}

bool type_names_have(const struct type_names *types, const char *type)
{
	for (size_t i = 0; i < COUNT(types->names) && types->names[i]; i++)
		if (strcmp(types->names[i], type) == 0)
			return true;
	return false;
}

void type_names_each(void (*see)(void *context, const char *name), void *context)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id))
			see(context, event_desc_get(id)->name);
	for (unsigned int r = SC_unknown; r < SYSCALL_CODES_COUNT; r++)
		see(context, syscall_name(r));
	for (size_t i = 0; i < COUNT(other_events); i++)
		see(context, other_events[i]);
}
