/* SPDX-License-Identifier: MIT */
/* Rings of holders, one for each doubling of what they hold. */
#include "util/holders.h"

#include <stdlib.h>

static void leave(struct holders *among, struct holder *holder)
{
	struct holder **ring = &among->of[holder->class];

	if (holder->next == holder) {
		*ring = NULL;
		among->classes &= ~(1u << holder->class);
	} else {
		holder->before->next = holder->next;
		holder->next->before = holder->before;
		if (*ring == holder)
			*ring = holder->next;
	}
	holder->next = holder->before = NULL;
}

/* Behind all others of the class. */
static void enter(struct holders *among, struct holder *holder)
{
	struct holder **ring = &among->of[holder->class];

	if (*ring) {
		holder->next = *ring;
		holder->before = (*ring)->before;
		holder->before->next = holder->next->before = holder;
	} else {
		*ring = holder->next = holder->before = holder;
		among->classes |= 1u << holder->class;
	}
}

void holder_move(struct holders *among, struct holder *holder, uint32_t class)
{
	if (holder->next)
		leave(among, holder);
	holder->class = class < HOLDER_CLASSES ? class : HOLDER_CLASSES - 1;
	if (class)
		enter(among, holder);
}

struct holder *holders_largest(struct holders *among)
{
	struct holder **ring, *largest;

	if (!among->classes)
		return NULL;
	ring = &among->of[31 - (uint32_t)__builtin_clz(among->classes)];
	largest = *ring;
	*ring = largest->next;
	return largest;
}

struct holder_group *holder_group_create(void)
{
	struct holder_group *group = calloc(1, sizeof(*group));

	if (group)
		group->refs = 1;
	return group;
}

void holder_group_unref(struct holder_group *group)
{
	if (group && --group->refs == 0)
		free(group);
}
