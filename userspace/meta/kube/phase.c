/* SPDX-License-Identifier: MIT */
/* What several phases need. */
#include "meta/kube/phase.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/json_input.h"
#include "meta/kube/pod_json.h"
#include "util/terminal.h"

enum { BAD_LINES_MAX = 100 }; /* of a stream */

void phase_begin_list(struct reflector *reflector)
{
	reflector->phase = reflector->lists_unstreamed ? PHASE_LIST : PHASE_STREAMING_LIST;
	reflector->next_page[0] = '\0';
}

static void count(struct reflector *reflector, enum meta_counter counter, uint64_t more)
{
	reflector->config.output->count(reflector->config.output->data, counter, more);
}

static bool is_of_node(const struct reflector *reflector, const json_t *pod)
{
	const char *node = JSON_INPUT_TEXT(pod, "spec", "nodeName");

	return !reflector->config.node || (node && strcmp(node, reflector->config.node) == 0);
}

static void put(struct reflector *reflector, const json_t *pod, const char *uid)
{
	const struct reflector_output *output = reflector->config.output;
	struct sinsp_pod_info *info = pod_json_describe(pod, uid);
	size_t before = reflector->known.count;
	enum known_result result =
		info ? known_pods_put(&reflector->known, uid, pod_json_digest(info))
		     : KNOWN_REJECTED;

	count(reflector, META_KUBE_PODS, reflector->known.count - before);
	if (result == KNOWN_REJECTED)
		count(reflector, META_KUBE_PODS_REJECTED, 1);
	if (result != KNOWN_CHANGED) {
		sinsp_pod_info_destroy(info);
		return;
	}
	count(reflector, META_LEFT_OUT, info->texts.left_out);
	output->pod(output->data, info);
}

bool phase_put(struct reflector *reflector, const json_t *pod)
{
	char uid[SINSP_POD_UID_BYTES];

	if (!pod_json_uid(pod, uid))
		return false;
	/* A server may ignore which node's are asked for. */
	if (is_of_node(reflector, pod))
		put(reflector, pod, uid);
	else
		count(reflector, META_KUBE_PODS_REJECTED, 1);
	return true;
}

static void forget(struct reflector *reflector, const char *uid)
{
	count(reflector, META_KUBE_PODS, UINT64_MAX); /* one less */
	reflector->config.output->removed(reflector->config.output->data, uid);
}

bool phase_remove(struct reflector *reflector, const json_t *pod)
{
	char uid[SINSP_POD_UID_BYTES];

	/* The last state may be new, too. */
	if (!phase_put(reflector, pod) || !pod_json_uid(pod, uid))
		return false;
	if (known_pods_remove(&reflector->known, uid))
		forget(reflector, uid);
	return true;
}

void phase_end_list(struct reflector *reflector)
{
	char uid[SINSP_POD_UID_BYTES];

	while (known_pods_take_missing(&reflector->known, uid))
		forget(reflector, uid);
}

bool phase_fail(struct reflector *reflector, enum meta_counter failure, const char *format, ...)
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

bool phase_reject(struct reflector *reflector, long status, const char *message)
{
	enum meta_counter failure = META_KUBE_STATUS;

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].status == status)
			failure = failures[i].failure;
	if (reflector->failure == META_COUNTERS)
		reflector->error_status = status;
	return phase_fail(reflector, failure, "status %ld%s%s", status, message ? ": " : "",
			  message ? message : "");
}

bool phase_count_bad_lines(struct reflector *reflector, unsigned int more)
{
	count(reflector, META_KUBE_LINES_BAD, more);
	reflector->bad_lines += more;
	if (reflector->bad_lines < BAD_LINES_MAX)
		return true;
	return phase_fail(reflector, META_KUBE_NONSENSE, "too many lines of a watch are no events");
}

/* SplitMix64. */
uint64_t phase_chance(struct reflector *reflector, uint64_t max)
{
	uint64_t number = reflector->chance += UINT64_C(0x9e3779b97f4a7c15);

	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return (number ^ number >> 31) % (max + 1);
}

void phase_append_parameter(struct buf *path, const char *name, const char *text)
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

void phase_append_pods(const struct reflector *reflector, struct buf *path)
{
	/* A node's name has no character that would be escaped: config.c checks it. */
	buf_printf(path, "/api/v1/pods?fieldSelector=spec.nodeName%%3D%s", reflector->config.node);
}

bool phase_rejects_version(long status)
{
	/* Not understood, expired, invalid; 504 also says that a version is too large. */
	return status == 400 || status == 410 || status == 422 || status == 504;
}

bool phase_set_version(struct reflector *reflector, const char *version)
{
	size_t len = version ? strlen(version) : 0;

	if (len == 0 || len >= sizeof(reflector->version) || strcmp(version, "0") == 0)
		return false;
	memcpy(reflector->version, version, len + 1);
	return true;
}
