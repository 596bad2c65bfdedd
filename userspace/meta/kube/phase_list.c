/* SPDX-License-Identifier: MIT */
/* The list of a node's pods, page by page; and that of kubelet, which has one page. */
#include <errno.h>
#include <string.h>

#include "util/json_input.h"
#include "meta/kube/phase.h"

enum {
	VALUES_MAX = 5 * JSON_INPUT_VALUES_MAX, /* of a page: some 50 MB of memory */
	NS_PER_S = 1000000000,
	POLL_LEAST_S = 20, /* from one answer of kubelet to the next request */
	POLL_LONGER_S = 10, /* by chance */
};

/* The JSON of the answer, for the caller to release; NULL after a failure. */
static json_t *parse(struct reflector *reflector)
{
	struct error err = {0};
	const char *kind;
	json_t *list;

	if (json_input_parse(reflector->body.data, reflector->body.len, VALUES_MAX, "list of pods",
			     &list, &err)) {
		phase_fail(reflector, META_KUBE_NONSENSE, "%s", err.text);
		return NULL;
	}
	kind = JSON_INPUT_TEXT(list, "kind");
	if (kind && strcmp(kind, "PodList") == 0)
		return list;
	json_decref(list);
	phase_fail(reflector, META_KUBE_NONSENSE, "the answer is no list of pods");
	return NULL;
}

/* Those of a page. A list without any may have null for them. */
static void put_all(struct reflector *reflector, const json_t *list)
{
	const json_t *pod;
	size_t i;

	json_array_foreach((json_t *)JSON_INPUT_AT(list, "items"), i, pod)
	{
		if (!phase_put(reflector, pod))
			phase_fail(reflector, META_KUBE_NONSENSE, "an item of the list is no pod");
	}
}

static bool has_next_page(struct reflector *reflector, const json_t *list)
{
	const char *next = JSON_INPUT_TEXT(list, "metadata", "continue");
	size_t len = next ? strlen(next) : 0;

	reflector->next_page[0] = '\0';
	if (len >= sizeof(reflector->next_page))
		return phase_fail(reflector, META_KUBE_NONSENSE,
				  "the token for the next page has %zu bytes", len);
	if (len)
		memcpy(reflector->next_page, next, len + 1);
	return len > 0;
}

static void ask_list(struct reflector *reflector, struct buf *path)
{
	phase_append_pods(reflector, path);
	buf_printf(path, "&limit=%u", reflector->page_pods);
	if (reflector->next_page[0]) {
		phase_append_parameter(path, "continue", reflector->next_page);
		return;
	}
	known_pods_begin(&reflector->known);
	if (!reflector->list_version[0])
		return;
	phase_append_parameter(path, "resourceVersion", reflector->list_version);
	if (strcmp(reflector->list_version, "0") != 0)
		phase_append_parameter(path, "resourceVersionMatch", "NotOlderThan");
}

/* The watch begins where the list ends. */
static void end_list(struct reflector *reflector, const char *version)
{
	if (!phase_set_version(reflector, version)) {
		phase_fail(reflector, META_KUBE_NONSENSE, "the list of pods has no version");
		return;
	}
	phase_end_list(reflector);
	reflector->phase = PHASE_WATCH;
}

static void done_list(struct reflector *reflector, uint64_t now_ns)
{
	json_t *list = parse(reflector);

	if (!list)
		return;
	put_all(reflector, list);
	if (!has_next_page(reflector, list) && reflector->failure == META_COUNTERS)
		end_list(reflector, JSON_INPUT_TEXT(list, "metadata", "resourceVersion"));
	json_decref(list);
}

/* The next list begins anew; and asks for the newest state if there is none of that version. */
static bool failed_list(struct reflector *reflector, long status)
{
	reflector->next_page[0] = '\0';
	if (phase_rejects_version(status))
		reflector->list_version[0] = '\0';
	/*
	 * It may have had too many bytes, or too many values. A server sends the state in its cache,
	 * version 0, as a whole, whatever the limit is; the newest one comes in pages.
	 */
	if (reflector->failure == META_KUBE_TOO_LONG || reflector->failure == META_KUBE_NONSENSE) {
		reflector->list_version[0] = '\0';
		if (reflector->page_pods > 1)
			reflector->page_pods /= 2;
	}
	return false;
}

const struct phase_ops phase_list = {
	.ask = ask_list,
	.done = done_list,
	.failed = failed_list,
};

static void ask_poll(struct reflector *reflector, struct buf *path)
{
	known_pods_begin(&reflector->known);
	buf_append_string(path, "/pods");
}

static void done_poll(struct reflector *reflector, uint64_t now_ns)
{
	json_t *list = parse(reflector);

	if (!list)
		return;
	put_all(reflector, list);
	if (reflector->failure == META_COUNTERS)
		phase_end_list(reflector);
	reflector->pace.not_before_ns = now_ns + (uint64_t)POLL_LEAST_S * NS_PER_S +
					phase_chance(reflector, (uint64_t)POLL_LONGER_S * NS_PER_S);
	json_decref(list);
}

static bool failed_poll(struct reflector *reflector, long status)
{
	return false;
}

const struct phase_ops phase_poll = {
	.ask = ask_poll,
	.done = done_poll,
	.failed = failed_poll,
};
