/* SPDX-License-Identifier: MIT */
/* Mounts that move: paths below them change from the next event on. */
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/core.h"
#include "sinsp/state/event_path.h"

/*
 * Notes a move from the path of one parameter to that of another. Ignored if a path is not
 * absolute, or for a move from "/": that is the path of mounts not yet attached.
 */
static struct state_move *note_move(struct sinsp *sinsp, const struct state_event *event,
				    unsigned int from, unsigned int to)
{
	struct state_move *move = &sinsp->move;

	if (!event->thread || event_param_i64(event->ev, 0) != 0)
		return NULL;
	if (state_event_path(event->ev, event->thread, from, move->from, SINSP_PATH_MAX) < 2 ||
	    state_event_path(event->ev, event->thread, to, move->to, SINSP_PATH_MAX) == 0 ||
	    *move->from != '/' || *move->to != '/')
		return NULL;
	*move->old_root = '\0';
	move->tid = event->thread->tid;
	sinsp->after.moved = true;
	sinsp->after.pending = true;
	return move;
}

void state_mount(struct sinsp *sinsp, struct state_event *event)
{
	if (event_param_u64(event->ev, mount__flags) & mount_flags__MOVE)
		note_move(sinsp, event, mount__dev, mount__dir);
}

void state_move_mount(struct sinsp *sinsp, struct state_event *event)
{
	note_move(sinsp, event, move_mount__from_path, move_mount__to_path);
}

/* The new root becomes "/", and the old one moves to the second path, as seen from there. */
void state_pivot_root(struct sinsp *sinsp, struct state_event *event)
{
	struct state_move *move =
		note_move(sinsp, event, pivot_root__new_root, pivot_root__put_old);
	const char *below = "/";
	size_t len;

	_Static_assert(sizeof(move->old_root) >= sizeof(move->to), "a part of one fits the other");
	if (!move)
		return;
	len = strlen(move->from);
	if (strncmp(move->to, move->from, len) == 0 && move->to[len])
		below = move->to + len;
	memcpy(move->old_root, below, strlen(below) + 1);
	memcpy(move->to, "/", sizeof("/"));
}
