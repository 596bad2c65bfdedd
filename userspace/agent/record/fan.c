/* SPDX-License-Identifier: MIT */
/* A receiver that fails gets nothing more; the others do. */
#include "agent/record/fan.h"

static int pass_container(struct scap_snapshot *snapshot, const struct scap_container *container)
{
	struct fan *fan = (struct fan *)snapshot;

	for (size_t i = 0; i < fan->count; i++)
		if (fan->to[i] && fan->codes[i] == 0)
			fan->codes[i] = fan->to[i]->ops->container(fan->to[i], container);
	return 0;
}

static int pass_user(struct scap_snapshot *snapshot, const struct scap_container_user *user)
{
	struct fan *fan = (struct fan *)snapshot;

	for (size_t i = 0; i < fan->count; i++)
		if (fan->to[i] && fan->codes[i] == 0)
			fan->codes[i] = fan->to[i]->ops->container_user(fan->to[i], user);
	return 0;
}

void fan_init(struct fan *fan)
{
	/* Others are reported with a whole state alone. */
	static const struct scap_snapshot_ops ops = {
		.container = pass_container,
		.container_user = pass_user,
	};

	fan->snapshot.ops = &ops;
	fan->count = 0;
}

size_t fan_add(struct fan *fan, struct scap_snapshot *to)
{
	fan->to[fan->count] = to;
	fan->codes[fan->count] = 0;
	return fan->count++;
}
