/* SPDX-License-Identifier: MIT */
/* The list of captures, and how another list takes its place. */
#include "agent/record/captures.h"

#include <errno.h>
#include <string.h>

#include "util/clock.h"

int captures_add(struct captures *captures, struct capture *capture, struct error *err)
{
	int code = 0;

	for (size_t i = 0; i < captures->count && code == 0; i++)
		if (strcmp(captures->list[i]->config->target, capture->config->target) == 0)
			code = error_set(err, -EINVAL, "two outputs write %s: name another file",
					 capture->config->target);
	if (code == 0 && captures->count == CAPTURES_MAX)
		code = error_set(err, -EINVAL, "more than %d outputs scap:", CAPTURES_MAX);
	if (code)
		capture_destroy(capture);
	else
		captures->list[captures->count++] = capture;
	return code;
}

static int open_capture(const struct captures *captures, struct capture *capture, struct error *err)
{
	return capture_open(capture, captures->sinsp, captures->read, captures->give_up, err);
}

int captures_open(struct captures *captures, struct sinsp *sinsp, const char *read,
		  bool (*give_up)(void), struct error *err)
{
	int code = 0;

	captures->sinsp = sinsp;
	captures->read = read;
	captures->give_up = give_up;
	for (size_t i = 0; i < captures->count && code == 0; i++)
		code = open_capture(captures, captures->list[i], err);
	return code;
}

void captures_close(struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_close(captures->list[i]);
}

void captures_finish(struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_destroy(captures->list[i]);
	*captures = (struct captures){0};
}

unsigned int captures_needs(const struct captures *captures)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < captures->count; i++)
		if (captures->list[i]->filter)
			needs |= filter_needs(captures->list[i]->filter);
	return needs;
}

bool captures_have_filters(const struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		if (!captures->list[i]->filter)
			return false;
	return true;
}

void captures_append_filters(const struct captures *captures, struct buf *text)
{
	for (size_t i = 0; i < captures->count; i++)
		buf_printf(text, "%s(%s)", i ? " or " : "", captures->list[i]->config->filter);
}

bool captures_are_due(const struct captures *captures, const struct scap_event *raw)
{
	bool due = false;

	for (size_t i = 0; i < captures->count; i++)
		due |= raw ? capture_is_due(captures->list[i], raw)
			   : capture_waits_to_begin(captures->list[i]);
	return due;
}

void captures_turn(const struct captures *captures, const struct scap_event *raw)
{
	for (size_t i = 0; i < captures->count; i++) {
		struct capture *capture = captures->list[i];

		if (!raw && capture_waits_to_begin(capture))
			capture_begin(capture, clock_ns(CLOCK_REALTIME));
		else if (raw && capture_is_due(capture, raw))
			capture_turn(capture, raw);
	}
}

void captures_changes(const struct captures *captures, const struct sinsp_event *event, bool passed,
		      struct fan *fan)
{
	for (size_t i = 0; i < captures->count; i++)
		fan_add(fan, capture_changes(captures->list[i], event, passed));
}

void captures_changes_alone(const struct captures *captures, struct fan *fan)
{
	for (size_t i = 0; i < captures->count; i++) {
		const struct capture *capture = captures->list[i];
		bool gets_them = !capture->is_failing && recording_has_begun(capture->recording);

		fan_add(fan, gets_them ? recording_changes(capture->recording, EVENT_NONE, false)
				       : NULL);
	}
}

void captures_event(const struct captures *captures, const struct scap_event *raw, unsigned int id,
		    const int *codes)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_event(captures->list[i], raw, id, codes[i]);
}

void captures_step(const struct captures *captures, uint64_t now_ns, bool idle,
		   struct buf *messages)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_step(captures->list[i], now_ns, idle, messages);
}

void captures_reopen(const struct captures *captures)
{
	for (size_t i = 0; i < captures->count; i++)
		capture_reopen(captures->list[i]);
}

/* The index of the capture with the same configuration, or count. */
static size_t find_equal(const struct captures *captures, const struct capture *capture)
{
	size_t i = 0;

	while (i < captures->count &&
	       !output_config_equals(captures->list[i]->config, capture->config))
		i++;
	return i;
}

static void swap(struct capture **a, struct capture **b)
{
	struct capture *other = *a;

	*a = *b;
	*b = other;
}

int captures_prepare(const struct captures *captures, struct captures *next, struct error *err)
{
	int code = 0;

	for (size_t i = 0; i < next->count && code == 0; i++)
		if (find_equal(captures, next->list[i]) == captures->count)
			code = open_capture(captures, next->list[i], err);
	return code;
}

/* Ends a capture; its account is the last that is said of it. */
static void end_capture(struct capture *capture, struct buf *ended)
{
	struct output_account account;

	capture_close(capture);
	capture_account(capture, &account);
	buf_printf(ended, "agent: output %s: ended by a reload\n", account.name);
	output_account_append(&account, false, ended);
}

void captures_replace(struct captures *captures, struct captures *next, struct buf *ended)
{
	struct capture *list[CAPTURES_MAX];
	size_t count = captures->count;

	/* Those that go on change places with their equals, which were never opened. */
	for (size_t i = 0; i < next->count; i++) {
		size_t at = find_equal(captures, next->list[i]);

		if (at < captures->count)
			swap(&captures->list[at], &next->list[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (captures->list[i]->recording)
			end_capture(captures->list[i], ended);
	memcpy(list, captures->list, sizeof(list));
	memcpy(captures->list, next->list, sizeof(list));
	memcpy(next->list, list, sizeof(list));
	captures->count = next->count;
	next->count = count;
}
