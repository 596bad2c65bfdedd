/* SPDX-License-Identifier: MIT */
/* Names of containers and pods, from the tables of the state. */
#include "agent/counts/counted_name.h"

#include <string.h>

#include "util/buf.h"

static void name_set(char text[LABEL_BYTES_MAX], const char *value)
{
	size_t len;

	if (!value)
		return;
	len = strnlen(value, LABEL_BYTES_MAX - 1);
	memcpy(text, value, len);
	text[len] = '\0';
	label_make_valid(text, len);
}

/* Of what is no letter of ASCII the bytes are shown, so that another id has another text. */
static void set_id(const struct counted_who *who, char text[COUNTED_ID_BYTES])
{
	struct buf out = buf_fixed(text, COUNTED_ID_BYTES - 1);

	for (const char *at = who->id; *at; at++)
		buf_printf(&out, *at > ' ' && *at < 0x7f && *at != '\\' ? "%c" : "\\x%02x",
			   (unsigned char)*at);
	if (who->owner != STATE_OWNER_ROOT)
		buf_printf(&out, "@%u", who->owner);
	text[out.len] = '\0';
}

void counted_name_init(const struct counted_who *who, struct counted_name *name)
{
	*name = (struct counted_name){.container = ""};
	set_id(who, name->id);
	name_set(name->container, who->id);
	if (!who->is_named && strlen(name->container) > STATE_CONTAINER_SHORT_LEN)
		name->container[STATE_CONTAINER_SHORT_LEN] = '\0';
}

bool counted_name_learn(const struct state *state, const struct counted_who *who,
			struct counted_name *name)
{
	const struct state_container *container = state_find_container(state, who->id, who->owner);

	if (!container)
		return false;
	name_set(name->container, container->info.name);
	name_set(name->pod, container->info.pod.name);
	name_set(name->ns, container->info.pod.ns);
	name_set(name->workload_kind, container->info.pod.workload.kind);
	name_set(name->workload, container->info.pod.workload.name);
	return container->info.name != NULL;
}
