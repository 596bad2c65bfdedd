/* SPDX-License-Identifier: MIT */
/* Directory descriptors, looked up while their event is applied. */
#include "sinsp/state/directories.h"

#include <errno.h>

#include "sinsp/state/event_path.h"
#include "sinsp/state/lookup.h"

/*
 * Whether the call reached the directory of its path, so that /proc may be read for it: a failed
 * call did if the error concerns a file.
 */
static bool reached_directory(const struct event *ev)
{
	static const uint8_t about_files[] = {ENOENT, EEXIST,  EACCES, EPERM,	  ENOTDIR,
					      EISDIR, ELOOP,   EXDEV,  ENOTEMPTY, EROFS,
					      ENXIO,  ETXTBSY, EBUSY,  ENOSPC,	  EDQUOT};
	int64_t result;

	if (!event_result(ev, &result) || result >= 0)
		return true;
	for (size_t i = 0; i < sizeof(about_files); i++)
		if (result == -about_files[i])
			return true;
	return false;
}

void state_find_directories(struct sinsp *sinsp, const struct state_plan *plan,
			    const struct state_event *event)
{
	for (unsigned int i = 0; i < plan->paths_count; i++) {
		int64_t dirfd;

		if (state_path_is_relative(event->ev, plan->paths[i], &dirfd) && dirfd >= 0 &&
		    !sinsp_fds_find(event->thread->fds, dirfd) && reached_directory(event->ev))
			state_fd(sinsp, event->thread, dirfd);
	}
}
