/* SPDX-License-Identifier: MIT */
#include "scap/live/skeleton.h"

#include "event/event.h"
#include "lanner.skel.h"

struct lanner *live_skeleton_open(const struct bpf_object_open_opts *options)
{
	return lanner__open_opts(options);
}
