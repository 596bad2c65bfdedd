/* SPDX-License-Identifier: MIT */
/*
 * Containers from events of a capture: descriptions in JSON, as events of their own and, later, as
 * asynchronous events. They come before or after the threads of the container.
 */
#include <string.h>

#include "sinsp/state/apply.h"
#include "sinsp/state/container_json.h"
#include "sinsp/state/core.h"
#include "sinsp/state/load.h"

/* A text up to its NUL, which asynchronous events may lack. */
static size_t text_len(const struct event_param *param)
{
	return strnlen((const char *)param->data, param->len);
}

static void forget(struct sinsp *sinsp, const struct event_param *param)
{
	struct sinsp_container_json read;

	if (sinsp_container_json_read((const char *)param->data, text_len(param), false, &read)) {
		sinsp->stats.descriptions_corrupt++;
		return;
	}
	sinsp_containers_forget(&sinsp->containers, read.id);
	sinsp_container_info_destroy(read.info);
}

static void describe(struct sinsp *sinsp, const struct event_param *param)
{
	state_load_container(sinsp, (const char *)param->data, text_len(param));
}

void state_container(struct sinsp *sinsp, struct state_event *event)
{
	describe(sinsp, &event->ev->params[container__json]);
}

/* Those of other names are not about containers. */
void state_asyncevent(struct sinsp *sinsp, struct state_event *event)
{
	static const struct {
		const char *name;
		void (*apply)(struct sinsp *sinsp, const struct event_param *data);
	} kinds[] = {
		{"container", describe},
		{"container_removed", forget},
	};
	const char *name = event_param_string(event->ev, asyncevent__name);

	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(name, kinds[i].name) == 0)
			kinds[i].apply(sinsp, &event->ev->params[asyncevent__data]);
}
