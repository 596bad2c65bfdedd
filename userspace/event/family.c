/* SPDX-License-Identifier: MIT */
/*
 * What an event is about in one word: the files of driver/events/ by subject. Unlike the category
 * it does not depend on the current descriptor, so that a filter on it decides what is captured.
 */
#include "event/event.h"

#define SYSCALL_EVENT(name, ...) [EVENT_##name] = FAMILY,
#define TRACEPOINT_EVENT(name, ...) [EVENT_##name] = FAMILY,
#define USER_EVENT(name, ...) [EVENT_##name] = FAMILY,
#define LOCAL(...)
#define PARAM(...)
#define EXTENSION_PARAM(...)
#define EVENT_END(name)

static const uint8_t families[EVENT_ID_MAX] = {
#define FAMILY FAMILY_file
#include "events/file.def"
#include "events/attributes.def"
#include "events/links.def"
#include "events/extension/path.def"
#include "events/extension/data.def"
#include "events/extension/xattr.def"
#include "events/extension/notify.def"
#undef FAMILY
#define FAMILY FAMILY_mount
#include "events/mount.def"
#include "events/extension/mount.def"
#include "events/extension/fs.def"
#undef FAMILY
#define FAMILY FAMILY_io
#include "events/fd.def"
#include "events/io.def"
#include "events/extension/aio.def"
#undef FAMILY
#define FAMILY FAMILY_poll
#include "events/poll.def"
#include "events/extension/poll.def"
#undef FAMILY
#define FAMILY FAMILY_net
#include "events/net.def"
#undef FAMILY
#define FAMILY FAMILY_process
#include "events/process.def"
#include "events/extension/exit.def"
#include "events/extension/cgroup.def"
#include "events/extension/ids.def"
#include "events/task.def"
#undef FAMILY
#define FAMILY FAMILY_user
#include "events/user.def"
#undef FAMILY
#define FAMILY FAMILY_memory
#include "events/memory.def"
#include "events/extension/memory.def"
#undef FAMILY
#define FAMILY FAMILY_module
#include "events/module.def"
#undef FAMILY
#define FAMILY FAMILY_security
#include "events/control.def"
#include "events/extension/security.def"
#undef FAMILY
#define FAMILY FAMILY_object
#include "events/object.def"
#undef FAMILY
#define FAMILY FAMILY_signal
#include "events/signal.def"
#include "events/extension/signal.def"
#undef FAMILY
#define FAMILY FAMILY_ipc
#include "events/ipc.def"
#include "events/extension/ipc.def"
#include "events/extension/thread.def"
#undef FAMILY
#define FAMILY FAMILY_time
#include "events/extension/time.def"
#undef FAMILY
#define FAMILY FAMILY_sched
#include "events/extension/sched.def"
#undef FAMILY
#define FAMILY FAMILY_system
#include "events/extension/system.def"
#undef FAMILY
#define FAMILY FAMILY_kernel
#include "events/kernel.def"
#undef FAMILY
#define FAMILY FAMILY_other
#include "events/generic.def"
#include "events/meta.def"
};

#define NAME(name) [FAMILY_##name] = #name,

static const char *const names[] = {EVENT_FAMILIES(NAME)};

enum event_family event_family_of(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	if (desc && (desc->flags & EF_ENTER))
		id++; /* that on exit */
	return id < EVENT_ID_MAX ? families[id] : FAMILY_none;
}

const char *event_family(unsigned int id)
{
	return names[event_family_of(id)];
}
