/* SPDX-License-Identifier: MIT */
/*
 * The phases of a reflector: lists of a node's pods, or of services, page by page; watches, streams
 * of events with a line of JSON each.
 */
#include "meta/kube_phase.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "meta/pod_json.h"
#include "meta/service_json.h"
#include "util/count.h"
#include "util/json_input.h"
#include "util/terminal.h"

/* What several phases need. */

enum { BAD_LINES_MAX = 100 }; /* of a stream */

const struct reflector_kind reflector_services = {
	.path = "/api/v1/services",
	.list = "ServiceList",
	.noun = "services",
	.describe = service_json_describe,
};

const struct reflector_kind reflector_slices = {
	.path = "/apis/discovery.k8s.io/v1/endpointslices",
	.list = "EndpointSliceList",
	.noun = "endpointslices",
	.describe = service_json_describe_slice,
};

const char *kube_phase_noun(const struct reflector *reflector)
{
	return reflector->config.kind ? reflector->config.kind->noun : "pods";
}

static enum meta_counter counter_of_known(const struct reflector *reflector)
{
	return reflector->config.kind ? META_KUBE_SERVICES : META_KUBE_PODS;
}

void kube_phase_begin_list(struct reflector *reflector)
{
	reflector->phase = reflector->lists_unstreamed ? PHASE_LIST : PHASE_STREAMING_LIST;
	reflector->next_page[0] = '\0';
}

static void phase_count(struct reflector *reflector, enum meta_counter counter, uint64_t more)
{
	reflector->config.output->count(reflector->config.output->data, counter, more);
}

static bool is_of_node(const struct reflector *reflector, const json_t *pod)
{
	const char *node = JSON_INPUT_TEXT(pod, "spec", "nodeName");

	return !reflector->config.node || (node && strcmp(node, reflector->config.node) == 0);
}

static void kube_phase_store(struct reflector *reflector, const json_t *pod, const char *uid)
{
	const struct reflector_output *output = reflector->config.output;
	struct state_pod_info *info = pod_json_describe(pod, uid);
	size_t before = reflector->known.count;
	enum pods_known_result result =
		info ? pods_known_put(&reflector->known, uid, pod_json_digest(info))
		     : KNOWN_REJECTED;

	phase_count(reflector, META_KUBE_PODS, reflector->known.count - before);
	if (result == KNOWN_REJECTED)
		phase_count(reflector, META_KUBE_PODS_REJECTED, 1);
	if (result != KNOWN_CHANGED) {
		state_pod_info_destroy(info);
		return;
	}
	phase_count(reflector, META_LEFT_OUT, info->texts.left_out);
	output->pod(output->data, info);
}

static void store_service(struct reflector *reflector, const json_t *object, const char *uid)
{
	const struct reflector_output *output = reflector->config.output;
	struct state_service_info *info = reflector->config.kind->describe(object, uid);
	size_t before = reflector->known.count;
	enum pods_known_result result =
		info ? pods_known_put(&reflector->known, uid, service_json_digest(info))
		     : KNOWN_REJECTED;

	phase_count(reflector, META_KUBE_SERVICES, reflector->known.count - before);
	if (result == KNOWN_REJECTED)
		phase_count(reflector, META_KUBE_PODS_REJECTED, 1);
	if (result != KNOWN_CHANGED) {
		state_service_info_destroy(info);
		return;
	}
	phase_count(reflector, META_LEFT_OUT, info->texts.left_out);
	output->service(output->data, info);
}

bool kube_phase_put(struct reflector *reflector, const json_t *pod)
{
	char uid[STATE_POD_UID_BYTES];

	if (!pod_json_uid(pod, uid))
		return false;
	if (reflector->config.kind) {
		store_service(reflector, pod, uid);
		return true;
	}
	/* A server may ignore which node's are asked for. */
	if (is_of_node(reflector, pod))
		kube_phase_store(reflector, pod, uid);
	else
		phase_count(reflector, META_KUBE_PODS_REJECTED, 1);
	return true;
}

static void phase_forget(struct reflector *reflector, const char *uid)
{
	phase_count(reflector, counter_of_known(reflector), UINT64_MAX); /* one less */
	reflector->config.output->removed(reflector->config.output->data, uid);
}

bool kube_phase_remove(struct reflector *reflector, const json_t *pod)
{
	char uid[STATE_POD_UID_BYTES];

	/* The last state may be new, too. */
	if (!kube_phase_put(reflector, pod) || !pod_json_uid(pod, uid))
		return false;
	if (pods_known_remove(&reflector->known, uid))
		phase_forget(reflector, uid);
	return true;
}

void kube_phase_end_list(struct reflector *reflector)
{
	char uid[STATE_POD_UID_BYTES];

	while (pods_known_take_missing(&reflector->known, uid))
		phase_forget(reflector, uid);
}

bool kube_phase_fail(struct reflector *reflector, enum meta_counter failure, const char *format,
		     ...)
{
	va_list arguments;

	if (reflector->failure != META_COUNTERS)
		return false;
	reflector->failure = failure;
	va_start(arguments, format);
	vsnprintf(reflector->message, sizeof(reflector->message), format, arguments);
	va_end(arguments);
	terminal_mask(reflector->message, strlen(reflector->message));
	return false;
}

/* What a status is counted as. */
static const struct {
	long status;
	enum meta_counter failure;
} failures[] = {
	{401, META_KUBE_UNAUTHORIZED},
	{403, META_KUBE_FORBIDDEN},
	{410, META_KUBE_EXPIRED},
	{429, META_KUBE_THROTTLED},
};

enum meta_counter kube_phase_failure_of(long status)
{
	for (size_t i = 0; i < COUNT(failures); i++)
		if (failures[i].status == status)
			return failures[i].failure;
	return META_KUBE_STATUS;
}

bool kube_phase_reject(struct reflector *reflector, long status, const char *message)
{
	enum meta_counter failure = kube_phase_failure_of(status);

	if (reflector->failure == META_COUNTERS)
		reflector->error_status = status;
	return kube_phase_fail(reflector, failure, "status %ld%s%s", status, message ? ": " : "",
			       message ? message : "");
}

bool kube_phase_count_bad_lines(struct reflector *reflector, unsigned int more)
{
	phase_count(reflector, META_KUBE_LINES_BAD, more);
	reflector->bad_lines += more;
	if (reflector->bad_lines < BAD_LINES_MAX)
		return true;
	return kube_phase_fail(reflector, META_KUBE_NONSENSE,
			       "too many lines of a watch are no events");
}

/* SplitMix64. */
uint64_t kube_phase_chance(struct reflector *reflector, uint64_t max)
{
	uint64_t number = reflector->chance += UINT64_C(0x9e3779b97f4a7c15);

	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return (number ^ number >> 31) % (max + 1);
}

void kube_phase_append_parameter(struct buf *path, const char *name, const char *text)
{
	buf_printf(path, "&%s=", name);
	for (; *text; text++) {
		bool is_plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
				(*text >= '0' && *text <= '9') || *text == '.' || *text == '-';

		if (is_plain)
			buf_append_char(path, *text);
		else
			buf_printf(path, "%%%02X", (unsigned char)*text);
	}
}

void kube_phase_append_pods(const struct reflector *reflector, struct buf *path)
{
	if (reflector->config.kind) {
		buf_printf(path, "%s?", reflector->config.kind->path);
		return;
	}
	/* A node's name has no character that would be escaped: config.c checks it. */
	buf_printf(path, "/api/v1/pods?fieldSelector=spec.nodeName%%3D%s", reflector->config.node);
}

bool kube_phase_rejects_version(long status)
{
	/* Not understood, expired, invalid; 504 also says that a version is too large. */
	return status == 400 || status == 410 || status == 422 || status == 504;
}

bool kube_phase_set_version(struct reflector *reflector, const char *version)
{
	size_t len = version ? strlen(version) : 0;

	if (len == 0 || len >= sizeof(reflector->version) || strcmp(version, "0") == 0)
		return false;
	memcpy(reflector->version, version, len + 1);
	return true;
}

/* The list of a node's pods, page by page; and that of kubelet, which has one page. */

enum {
	VALUES_MAX = 5 * JSON_INPUT_VALUES_MAX, /* of a page: some 50 MB of memory */
	NS_PER_S = 1000000000,
	POLL_LEAST_S = 20, /* from one answer of kubelet to the next request */
	POLL_LONGER_S = 10, /* by chance */
};

/* The JSON of the answer, for the caller to release; NULL after a failure. */
static json_t *phase_parse(struct reflector *reflector)
{
	struct error err = {0};
	const char *kind;
	json_t *list;

	if (json_input_parse(reflector->body.data, reflector->body.len, VALUES_MAX, "list of pods",
			     &list, &err)) {
		kube_phase_fail(reflector, META_KUBE_NONSENSE, "%s", err.text);
		return NULL;
	}
	kind = JSON_INPUT_TEXT(list, "kind");
	if (kind &&
	    strcmp(kind, reflector->config.kind ? reflector->config.kind->list : "PodList") == 0)
		return list;
	json_decref(list);
	kube_phase_fail(reflector, META_KUBE_NONSENSE, "the answer is no list of %s",
			kube_phase_noun(reflector));
	return NULL;
}

/* Those of a page. A list without any may have null for them. */
static void put_all(struct reflector *reflector, const json_t *list)
{
	const json_t *pod;
	size_t i;

	json_array_foreach((json_t *)JSON_INPUT_AT(list, "items"), i, pod)
	{
		if (!kube_phase_put(reflector, pod))
			kube_phase_fail(reflector, META_KUBE_NONSENSE,
					"an item of the list is no pod");
	}
}

static bool has_next_page(struct reflector *reflector, const json_t *list)
{
	const char *next = JSON_INPUT_TEXT(list, "metadata", "continue");
	size_t len = next ? strlen(next) : 0;

	reflector->next_page[0] = '\0';
	if (len >= sizeof(reflector->next_page))
		return kube_phase_fail(reflector, META_KUBE_NONSENSE,
				       "the token for the next page has %zu bytes", len);
	if (len)
		memcpy(reflector->next_page, next, len + 1);
	return len > 0;
}

static void ask_list(struct reflector *reflector, struct buf *path)
{
	kube_phase_append_pods(reflector, path);
	buf_printf(path, "&limit=%u", reflector->page_pods);
	if (reflector->next_page[0]) {
		kube_phase_append_parameter(path, "continue", reflector->next_page);
		return;
	}
	pods_known_begin(&reflector->known);
	if (!reflector->list_version[0])
		return;
	kube_phase_append_parameter(path, "resourceVersion", reflector->list_version);
	if (strcmp(reflector->list_version, "0") != 0)
		kube_phase_append_parameter(path, "resourceVersionMatch", "NotOlderThan");
}

/* The watch begins where the list ends. */
static void kube_phase_end_page(struct reflector *reflector, const char *version)
{
	if (!kube_phase_set_version(reflector, version)) {
		kube_phase_fail(reflector, META_KUBE_NONSENSE, "the list of %s has no version",
				kube_phase_noun(reflector));
		return;
	}
	kube_phase_end_list(reflector);
	reflector->phase = PHASE_WATCH;
}

static void done_list(struct reflector *reflector, uint64_t now_ns)
{
	json_t *list = phase_parse(reflector);

	if (!list)
		return;
	put_all(reflector, list);
	if (!has_next_page(reflector, list) && reflector->failure == META_COUNTERS)
		kube_phase_end_page(reflector,
				    JSON_INPUT_TEXT(list, "metadata", "resourceVersion"));
	json_decref(list);
}

/* The next list begins anew; and asks for the newest state if there is none of that version. */
static bool failed_list(struct reflector *reflector, long status)
{
	reflector->next_page[0] = '\0';
	if (kube_phase_rejects_version(status))
		reflector->list_version[0] = '\0';
	/*
	 * It may have had too many bytes, or too many values. A server sends the state in its
	 * cache, version 0, as a whole, whatever the limit is; the newest one comes in pages.
	 */
	if (reflector->failure == META_KUBE_TOO_LONG || reflector->failure == META_KUBE_NONSENSE) {
		reflector->list_version[0] = '\0';
		if (reflector->page_pods > 1)
			reflector->page_pods /= 2;
	}
	return false;
}

const struct kube_phase_ops kube_phase_list = {
	.ask = ask_list,
	.done = done_list,
	.failed = failed_list,
};

static void ask_poll(struct reflector *reflector, struct buf *path)
{
	pods_known_begin(&reflector->known);
	buf_append_string(path, "/pods");
}

static void done_poll(struct reflector *reflector, uint64_t now_ns)
{
	json_t *list = phase_parse(reflector);

	if (!list)
		return;
	put_all(reflector, list);
	if (reflector->failure == META_COUNTERS)
		kube_phase_end_list(reflector);
	reflector->pace.not_before_ns =
		now_ns + (uint64_t)POLL_LEAST_S * NS_PER_S +
		kube_phase_chance(reflector, (uint64_t)POLL_LONGER_S * NS_PER_S);
	json_decref(list);
}

static bool failed_poll(struct reflector *reflector, long status)
{
	return false;
}

const struct kube_phase_ops kube_phase_poll = {
	.ask = ask_poll,
	.done = done_poll,
	.failed = failed_poll,
};

/*
 * Watches: streams of events, a line of JSON each. A streaming list is a watch that begins with an
 * event for each pod that is there; a bookmark marks the end of them.
 */

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

static bool phase_take_pod(const struct event *event)
{
	return kube_phase_put(event->reflector, event->object);
}

static bool take_deleted(const struct event *event)
{
	return kube_phase_remove(event->reflector, event->object);
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
	if (!kube_phase_set_version(reflector, version_of(event->object))) {
		kube_phase_fail(reflector, META_KUBE_NONSENSE, "the list of %s has no version",
				kube_phase_noun(reflector));
		return true;
	}
	kube_phase_end_list(reflector);
	reflector->phase = PHASE_WATCH;
	return true;
}

/* The server ends the stream with a Status, as after a request that it rejects. */
static bool phase_take_error(const struct event *event)
{
	const char *message = JSON_INPUT_TEXT(event->object, "message");
	long code = (long)json_integer_value(JSON_INPUT_AT(event->object, "code"));
	json_int_t after =
		json_integer_value(JSON_INPUT_AT(event->object, "details", "retryAfterSeconds"));

	if (after > 0 && after < UINT32_MAX)
		event->reflector->retry_after_s = (uint32_t)after;
	kube_phase_reject(event->reflector, code, message);
	return true;
}

static const struct {
	const char *type;
	bool (*take)(const struct event *event);
	bool is_of_pod; /* counted, and its version is that of the watch */
} types[] = {
	{"ADDED", phase_take_pod, true},    {"MODIFIED", phase_take_pod, true},
	{"DELETED", take_deleted, true},    {"BOOKMARK", take_bookmark, false},
	{"ERROR", phase_take_error, false},
};

/* Returns false if the text is no event. */
static bool phase_take_event(struct reflector *reflector, const json_t *line)
{
	const char *type = JSON_INPUT_TEXT(line, "type");
	struct event event = {reflector, JSON_INPUT_AT(line, "object")};

	for (size_t i = 0; type && i < COUNT(types); i++) {
		if (strcmp(type, types[i].type) != 0)
			continue;
		if (!types[i].take(&event))
			return false;
		reflector->events += types[i].is_of_pod;
		/* Those of a list come in any order: the version is that of its end. */
		if (reflector->phase == PHASE_WATCH && reflector->failure == META_COUNTERS)
			kube_phase_set_version(reflector, version_of(event.object));
		return true;
	}
	return false;
}

static bool phase_take_line(struct reflector *reflector, const struct buf *text)
{
	json_t *line = NULL;
	bool is_event = json_input_parse(text->data, text->len, JSON_INPUT_VALUES_MAX, "event",
					 &line, NULL) == 0 &&
			phase_take_event(reflector, line);

	json_decref(line);
	if (!is_event && !kube_phase_count_bad_lines(reflector, 1))
		return false;
	return reflector->failure == META_COUNTERS && !reflector->is_unoffered;
}

static void ask_watch_of(struct reflector *reflector, struct buf *path)
{
	reflector->watch_s = WATCH_LEAST_S + (uint32_t)kube_phase_chance(reflector, WATCH_LONGER_S);
	kube_phase_append_pods(reflector, path);
	buf_printf(path, "&watch=1&allowWatchBookmarks=true&timeoutSeconds=%u", reflector->watch_s);
}

static void ask_watch(struct reflector *reflector, struct buf *path)
{
	ask_watch_of(reflector, path);
	kube_phase_append_parameter(path, "resourceVersion", reflector->version);
}

/* The next one begins where this one ended. */
static void done_watch(struct reflector *reflector, uint64_t now_ns)
{
}

static bool failed_watch(struct reflector *reflector, long status)
{
	/* In nonsense, and in what a silent server did not say, there may have been events. */
	if (!kube_phase_rejects_version(status) && reflector->failure != META_KUBE_NONSENSE &&
	    !reflector->is_silent)
		return false;
	memcpy(reflector->list_version, reflector->version, sizeof(reflector->list_version));
	kube_phase_begin_list(reflector);
	return false;
}

const struct kube_phase_ops kube_phase_watch = {
	.is_stream = true,
	.ask = ask_watch,
	.take_line = phase_take_line,
	.done = done_watch,
	.failed = failed_watch,
};

static void ask_streaming_list(struct reflector *reflector, struct buf *path)
{
	pods_known_begin(&reflector->known);
	ask_watch_of(reflector, path);
	kube_phase_append_parameter(path, "sendInitialEvents", "true");
	kube_phase_append_parameter(path, "resourceVersionMatch", "NotOlderThan");
}

static bool use_pages(struct reflector *reflector)
{
	reflector->lists_unstreamed = true;
	kube_phase_begin_list(reflector);
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

const struct kube_phase_ops kube_phase_streaming_list = {
	.is_stream = true,
	.ask = ask_streaming_list,
	.take_line = phase_take_line,
	.done = done_streaming_list,
	.failed = failed_streaming_list,
};
