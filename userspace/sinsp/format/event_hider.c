/* SPDX-License-Identifier: MIT */
/* Lists of an event, copied and overwritten where they are secret. */
#include "sinsp/format/event_hider.h"

/* index: of a parameter, plus 1. */
static size_t list_bytes(const struct state_event *event, unsigned int index)
{
	return index ? event->ev.params[index - 1].len : 0;
}

/* Hides what is secret in a list of an event. Without memory the list is left out. */
static void hide_list(struct event_hider *hider, const struct text_hider *how, unsigned int index,
		      const char *program)
{
	size_t start = hider->lists.len;
	struct event_param *param;

	if (!list_bytes(&hider->copy, index))
		return;
	param = &hider->copy.ev.params[index - 1];
	buf_append(&hider->lists, param->data, param->len);
	if (hider->lists.failed) {
		param->len = 0;
		return;
	}
	param->data = (const uint8_t *)hider->lists.data + start;
	how->arguments(how->context, program, hider->lists.data + start, param->len);
}

const struct state_event *event_hider_apply(struct event_hider *hider, const struct text_hider *how,
					    const struct state_event *event)
{
	const struct event_runs *runs = &event->ev.desc->runs;
	const struct state_thread *thread = event->thread;
	const char *program = thread && thread->program->exe ? thread->program->exe : "";

	if (!runs->args || !how->arguments)
		return event;
	hider->copy = *event;
	buf_clear(&hider->lists);
	/* The first list keeps its place then. */
	buf_reserve(&hider->lists, list_bytes(event, runs->args) + list_bytes(event, runs->env));
	hide_list(hider, how, runs->args, program);
	hide_list(hider, how, runs->env, NULL);
	return &hider->copy;
}

void event_hider_finish(struct event_hider *hider)
{
	buf_finish(&hider->lists);
}
