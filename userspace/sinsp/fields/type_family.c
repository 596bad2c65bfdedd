/* SPDX-License-Identifier: MIT */
/* The two tables behind the names of event types. */
#include "sinsp/fields/type_family.h"

#include <string.h>

#include "event/event.h"
#include "util/nearest.h"

enum { NEWER_MAX = 2 };

/*
 * By name of the older call. fstat() is newfstatat() with an empty path in some libcs, and statx()
 * on machines that have nothing else.
 */
static const struct {
	const char *name;
	const char *newer[NEWER_MAX];
} families[] = {
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

/* Events of the .scap world that neither the event table nor the list of system calls names. */
static const char *const other_events[] = {
	"NA",
	"k8s",
	"mesos",
	"tracer",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *event_of_call(const char *name)
{
	int code = syscall_code_find(name);
	const struct event_desc *desc;

	if (code <= SC_unknown)
		return NULL;
	desc = event_desc_of_syscall((unsigned int)code);
	return desc->id != EVENT_syscall ? desc->name : NULL;
}

void type_family_init(struct type_family *family, const char *name)
{
	size_t n = 0;

	_Static_assert(COUNT(family->names) == 2 + NEWER_MAX,
		       "the name, and the event of the call");
	*family = (struct type_family){0};
	family->names[n++] = name;
	for (size_t i = 0; i < COUNT(families); i++)
		for (size_t j = 0; j < NEWER_MAX && strcmp(families[i].name, name) == 0; j++)
			if (families[i].newer[j])
				family->names[n++] = families[i].newer[j];
	family->names[n] = event_of_call(name);
}

bool type_family_has(const struct type_family *family, const char *type)
{
	for (size_t i = 0; i < COUNT(family->names) && family->names[i]; i++)
		if (strcmp(family->names[i], type) == 0)
			return true;
	return false;
}

bool type_name_is_known(const char *name)
{
	if (name[0] == '\0' || event_desc_find(name) || syscall_code_find(name) >= 0)
		return true;
	for (size_t i = 0; i < COUNT(other_events); i++)
		if (strcmp(other_events[i], name) == 0)
			return true;
	return false;
}

const char *type_name_nearest(const char *text, size_t len)
{
	struct nearest nearest;

	nearest_init(&nearest, text, len);
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id))
			nearest_offer(&nearest, event_desc_get(id)->name);
	for (unsigned int code = SC_unknown + 1; code < SYSCALL_CODES_COUNT; code++)
		nearest_offer(&nearest, syscall_name(code));
	for (size_t i = 0; i < COUNT(other_events); i++)
		nearest_offer(&nearest, other_events[i]);
	return nearest.word;
}
