/* SPDX-License-Identifier: MIT */
/*
 * Watches: streams of events, a line of JSON each. A streaming list is a watch that begins with an
 * event for each pod that is there; a bookmark marks the end of them.
 */
#include <string.h>

#include "util/json_input.h"
#include "meta/kube/phase.h"

enum {
	STATUS_BAD_REQUEST = 400,
	STATUS_INVALID = 422,
	WATCH_LEAST_S = 300, /* asked for, as client-go does */
	WATCH_LONGER_S = 300, /* by chance */
};

/* What a watch reports about an object. */
struct event {
	struct reflector *reflector;
	const json_t *object;
};

static bool take_pod(const struct event *event)
{
	return phase_put(event->reflector, event->object);
}

static bool take_deleted(const struct event *event)
{
	return phase_remove(event->reflector, event->object);
}

static bool ends_list(const json_t *bookmark)
{
	const char *value =
		JSON_INPUT_TEXT(bookmark, "metadata", "annotations", "k8s.io/initial-events-end");

	return value && strcmp(value, "true") == 0;
}

static const char *version_of(const json_t *object)
{
	return JSON_INPUT_TEXT(object, "metadata", "resourceVersion");
}

static bool take_bookmark(const struct event *event)
{
	struct reflector *reflector = event->reflector;

	reflector->has_bookmarks |= reflector->phase == PHASE_WATCH;
	if (reflector->phase != PHASE_STREAMING_LIST)
		return true;
	if (!ends_list(event->object)) {
		/* A server that does not know of streaming lists. */
		reflector->is_unoffered = true;
		return true;
	}
	/* The next watch begins there: without a version it would list again. */
	if (!phase_set_version(reflector, version_of(event->object))) {
		phase_fail(reflector, META_KUBE_NONSENSE, "the list of pods has no version");
		return true;
	}
	phase_end_list(reflector);
	reflector->phase = PHASE_WATCH;
	return true;
}

/* The server ends the stream with a Status, as after a request that it rejects. */
static bool take_error(const struct event *event)
{
	const char *message = JSON_INPUT_TEXT(event->object, "message");
	long code = (long)json_integer_value(JSON_INPUT_AT(event->object, "code"));
	json_int_t after =
		json_integer_value(JSON_INPUT_AT(event->object, "details", "retryAfterSeconds"));

	if (after > 0 && after < UINT32_MAX)
		event->reflector->retry_after_s = (uint32_t)after;
	phase_reject(event->reflector, code, message);
	return true;
}

static const struct {
	const char *type;
	bool (*take)(const struct event *event);
	bool is_of_pod; /* counted, and its version is that of the watch */
} types[] = {
	{"ADDED", take_pod, true},	 {"MODIFIED", take_pod, true},
	{"DELETED", take_deleted, true}, {"BOOKMARK", take_bookmark, false},
	{"ERROR", take_error, false},
};

/* Returns false if the text is no event. */
static bool take_event(struct reflector *reflector, const json_t *line)
{
	const char *type = JSON_INPUT_TEXT(line, "type");
	struct event event = {reflector, JSON_INPUT_AT(line, "object")};

	for (size_t i = 0; type && i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(type, types[i].type) != 0)
			continue;
		if (!types[i].take(&event))
			return false;
		reflector->events += types[i].is_of_pod;
		/* Those of a list come in any order: the version is that of its end. */
		if (reflector->phase == PHASE_WATCH && reflector->failure == META_COUNTERS)
			phase_set_version(reflector, version_of(event.object));
		return true;
	}
	return false;
}

static bool take_line(struct reflector *reflector, const struct buf *text)
{
	json_t *line = NULL;
	bool is_event = json_input_parse(text->data, text->len, JSON_INPUT_VALUES_MAX, "event",
					 &line, NULL) == 0 &&
			take_event(reflector, line);

	json_decref(line);
	if (!is_event && !phase_count_bad_lines(reflector, 1))
		return false;
	return reflector->failure == META_COUNTERS && !reflector->is_unoffered;
}

static void ask_watch_of(struct reflector *reflector, struct buf *path)
{
	reflector->watch_s = WATCH_LEAST_S + (uint32_t)phase_chance(reflector, WATCH_LONGER_S);
	phase_append_pods(reflector, path);
	buf_printf(path, "&watch=1&allowWatchBookmarks=true&timeoutSeconds=%u", reflector->watch_s);
}

static void ask_watch(struct reflector *reflector, struct buf *path)
{
	ask_watch_of(reflector, path);
	phase_append_parameter(path, "resourceVersion", reflector->version);
}

/* The next one begins where this one ended. */
static void done_watch(struct reflector *reflector, uint64_t now_ns)
{
}

static bool failed_watch(struct reflector *reflector, long status)
{
	/* In nonsense, and in what a silent server did not say, there may have been events. */
	if (!phase_rejects_version(status) && reflector->failure != META_KUBE_NONSENSE &&
	    !reflector->is_silent)
		return false;
	memcpy(reflector->list_version, reflector->version, sizeof(reflector->list_version));
	phase_begin_list(reflector);
	return false;
}

const struct phase_ops phase_watch = {
	.is_stream = true,
	.ask = ask_watch,
	.take_line = take_line,
	.done = done_watch,
	.failed = failed_watch,
};

static void ask_streaming_list(struct reflector *reflector, struct buf *path)
{
	known_pods_begin(&reflector->known);
	ask_watch_of(reflector, path);
	phase_append_parameter(path, "sendInitialEvents", "true");
	phase_append_parameter(path, "resourceVersionMatch", "NotOlderThan");
}

static bool use_pages(struct reflector *reflector)
{
	reflector->lists_unstreamed = true;
	phase_begin_list(reflector);
	return true;
}

/* It ended before the end of the list. */
static void done_streaming_list(struct reflector *reflector, uint64_t now_ns)
{
	use_pages(reflector);
}

/* Servers that do not offer it reject it, or do not understand it. */
static bool failed_streaming_list(struct reflector *reflector, long status)
{
	if (status == STATUS_BAD_REQUEST || status == STATUS_INVALID || reflector->is_unoffered)
		return use_pages(reflector);
	return false;
}

const struct phase_ops phase_streaming_list = {
	.is_stream = true,
	.ask = ask_streaming_list,
	.take_line = take_line,
	.done = done_streaming_list,
	.failed = failed_streaming_list,
};
