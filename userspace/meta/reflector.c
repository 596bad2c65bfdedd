/* SPDX-License-Identifier: MIT */
/*
 * The requests: when they are made, how they end, and what that means for the next one. Lines of
 * streams.
 */
#include "meta/reflector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/kube_phase.h"
#include "util/json_input.h"

static void reflector_lines_take(struct reflector_lines *lines, const char *bytes, size_t len)
{
	if (lines->skips)
		return;
	if (lines->line.len + len <= LINES_BYTES_MAX)
		buf_append(&lines->line, bytes, len);
	else
		buf_fail(&lines->line);
	if (!lines->line.failed)
		return;
	lines->skips = true;
	lines->dropped++;
	buf_clear(&lines->line);
}

bool reflector_lines_next(struct reflector_lines *lines, struct reflector_input *input)
{
	if (lines->is_whole)
		buf_clear(&lines->line);
	lines->is_whole = false;
	while (input->len) {
		const char *end = memchr(input->bytes, '\n', input->len);
		size_t len = end ? (size_t)(end - input->bytes) : input->len;
		size_t taken = len + (end ? 1 : 0);

		reflector_lines_take(lines, input->bytes, len);
		input->bytes += taken;
		input->len -= taken;
		if (end && !lines->skips && lines->line.len)
			return lines->is_whole = true;
		lines->skips = lines->skips && !end;
	}
	return false;
}

void reflector_lines_restart(struct reflector_lines *lines)
{
	buf_finish(&lines->line);
	lines->is_whole = lines->skips = false;
}

#define NS_PER_S UINT64_C(1000000000)

enum {
	STATUS_OK = 200,
	LIST_TIMEOUT_S = 60,
	STREAM_LONGER_S = 30, /* than the server was asked for: then it is silent */
	LIST_STREAM_S = 10, /* for the end of a streaming list */
	WATCH_ANSWER_S = 15, /* for the begin of the answer to a watch */
	WATCH_SILENT_S = 180, /* three bookmarks */
	HURRY_S = 2, /* between two requests, at least */
	START_LONGER_S = 1, /* by chance */
	RETRY_AFTER_MAX_S = 600,
	FORGET_S = 120, /* a failure, if no other follows */
	REJECTION_BYTES_MAX = 16 * 1024, /* of the body of a rejection; the rest is not wanted */
};

/* As client-go: 0.8 s to 30 s, up to twice as long by chance. */
static const struct backoff_limits backoff_limits = {800000000, 30 * NS_PER_S, 100};

/* At most 200 requests to an API server in any hour; 366 to kubelet, which is on the same machine.
 */
static const struct kube_pace_limits api_limits = {20 * NS_PER_S, 20};
static const struct kube_pace_limits kubelet_limits = {10 * NS_PER_S, 6};

/* Statuses after which no early retry helps: as a rule somebody must change something. */
enum { STATUS_FORBIDDEN = 403, STATUS_NOT_FOUND = 404, HOPELESS_S = 60 };

static const struct kube_phase_ops *ops_of(const struct reflector *reflector)
{
	static const struct kube_phase_ops *const phases[] = {
		[PHASE_STREAMING_LIST] = &kube_phase_streaming_list,
		[PHASE_LIST] = &kube_phase_list,
		[PHASE_WATCH] = &kube_phase_watch,
		[PHASE_POLL] = &kube_phase_poll,
	};

	return phases[reflector->phase];
}

void reflector_init(struct reflector *reflector, const struct reflector_config *config,
		    uint64_t now_ns)
{
	*reflector = (struct reflector){
		.config = *config,
		.pace.limits = config->node || config->kind ? &api_limits : &kubelet_limits,
		.known.max = config->kind ? REFLECTOR_SERVICES_MAX : 0,
		.chance = config->seed,
		/* At first any state will do: the watch completes it. It costs the server least. */
		.list_version = "0",
		.page_pods = REFLECTOR_PAGE_PODS,
		.failure = META_COUNTERS,
	};
	if (config->node || config->kind)
		kube_phase_begin_list(reflector);
	else
		reflector->phase = PHASE_POLL;
	reflector->pace.not_before_ns =
		now_ns + kube_phase_chance(reflector, START_LONGER_S * NS_PER_S);
}

void reflector_finish(struct reflector *reflector)
{
	pods_known_finish(&reflector->known);
	reflector_lines_restart(&reflector->lines);
	buf_finish(&reflector->body);
}

uint64_t reflector_next_ns(const struct reflector *reflector)
{
	return kube_pace_next_ns(&reflector->pace);
}

void reflector_hurry(struct reflector *reflector)
{
	uint64_t early_ns = reflector->start_ns + HURRY_S * NS_PER_S;

	if (reflector->phase == PHASE_POLL && reflector->pace.not_before_ns > early_ns)
		reflector->pace.not_before_ns = early_ns;
}

static void reflector_count(struct reflector *reflector, enum meta_counter counter, uint64_t more)
{
	reflector->config.output->count(reflector->config.output->data, counter, more);
}

void reflector_begin(struct reflector *reflector, uint64_t now_ns,
		     struct reflector_request *request)
{
	struct buf path = buf_fixed(request->path, sizeof(request->path));

	reflector->start_ns = now_ns;
	reflector->events = 0;
	reflector->bad_lines = 0;
	reflector->failure = META_COUNTERS;
	reflector->error_status = 0;
	reflector->retry_after_s = 0;
	reflector->message[0] = '\0';
	reflector->is_unoffered = false;
	reflector->answered = reflector->heard = reflector->is_silent = false;
	reflector->heard_ns = now_ns;
	request->is_stream = ops_of(reflector)->is_stream;
	ops_of(reflector)->ask(reflector, &path);
	/* The sizes of versions and tokens are limited: it fits. */
	buf_append_char(&path, '\0');
	request->timeout_s =
		request->is_stream ? reflector->watch_s + STREAM_LONGER_S : LIST_TIMEOUT_S;
	kube_pace_count(&reflector->pace, now_ns);
	reflector_count(reflector, META_KUBE_REQUESTS, 1);
}

static bool take_lines(struct reflector *reflector, const char *bytes, size_t len)
{
	struct reflector_input input = {bytes, len};
	uint64_t dropped = reflector->lines.dropped;
	bool wanted = true;

	while (wanted && reflector_lines_next(&reflector->lines, &input))
		wanted = ops_of(reflector)->take_line(reflector, &reflector->lines.line);
	dropped = reflector->lines.dropped - dropped;
	if (dropped)
		wanted = kube_phase_count_bad_lines(reflector, (unsigned int)dropped) && wanted;
	return wanted;
}

void reflector_take_header(struct reflector *reflector)
{
	reflector->answered = true;
}

bool reflector_take(struct reflector *reflector, long status, const char *bytes, size_t len)
{
	size_t room;

	reflector->answered = reflector->heard = true;
	if (status == STATUS_OK && ops_of(reflector)->is_stream)
		return take_lines(reflector, bytes, len);
	room = status == STATUS_OK ? REFLECTOR_BODY_MAX : REJECTION_BYTES_MAX;
	room -= reflector->body.len;
	if (len > room && status == STATUS_OK)
		return kube_phase_fail(reflector, META_KUBE_TOO_LONG,
				       "the list of %s has more than %d bytes",
				       kube_phase_noun(reflector), REFLECTOR_BODY_MAX);
	buf_append(&reflector->body, bytes, len < room ? len : room);
	if (!reflector->body.failed)
		return len <= room;
	return kube_phase_fail(reflector, META_KUBE_TOO_LONG, "out of memory");
}

/*
 * A server may accept a watch and never answer, as one whose memory of events is stuck. One that
 * sends bookmarks is not silent for long.
 */
static bool reflector_is_silent(struct reflector *reflector, uint64_t now_ns)
{
	if (reflector->heard)
		reflector->heard_ns = now_ns;
	reflector->heard = false;
	if (!reflector->answered)
		return now_ns - reflector->start_ns > WATCH_ANSWER_S * NS_PER_S;
	return reflector->has_bookmarks && now_ns - reflector->heard_ns > WATCH_SILENT_S * NS_PER_S;
}

bool reflector_waits(struct reflector *reflector, uint64_t now_ns)
{
	if (reflector->phase == PHASE_WATCH && reflector_is_silent(reflector, now_ns)) {
		reflector->is_silent = true;
		return kube_phase_fail(reflector, META_KUBE_CUT, "the watch of %s is not answered",
				       kube_phase_noun(reflector));
	}
	if (reflector->phase == PHASE_STREAMING_LIST &&
	    now_ns - reflector->start_ns > LIST_STREAM_S * NS_PER_S)
		reflector->is_unoffered = true;
	return !reflector->is_unoffered;
}

/* What the server says about a rejection: the message of a Status. */
static void describe_rejection(struct reflector *reflector, long status)
{
	json_t *answer = NULL;
	const char *message = NULL;

	if (json_input_parse(reflector->body.data, reflector->body.len, JSON_INPUT_VALUES_MAX, "",
			     &answer, NULL) == 0)
		message = JSON_INPUT_TEXT(answer, "message");
	kube_phase_reject(reflector, status, message);
	json_decref(answer);
}

/* Finds out whether and how the request failed: sets reflector->failure. */
static void judge(struct reflector *reflector, uint64_t now_ns, const struct reflector_end *end)
{
	if (reflector->failure != META_COUNTERS || reflector->is_unoffered)
		return;
	if (end->failure != META_COUNTERS)
		kube_phase_fail(reflector, end->failure, "%s", end->message);
	else if (end->status != STATUS_OK)
		describe_rejection(reflector, end->status);
	else if (ops_of(reflector)->is_stream && !reflector->events &&
		 now_ns - reflector->start_ns < NS_PER_S)
		kube_phase_fail(reflector, META_KUBE_CUT, "the stream ended at once");
	else
		ops_of(reflector)->done(reflector, now_ns);
}

static void back_off(struct reflector *reflector, uint64_t now_ns, uint32_t retry_after_s)
{
	struct backoff *backoff = &reflector->pace.backoff;
	bool is_hopeless = reflector->error_status == STATUS_FORBIDDEN ||
			   reflector->error_status == STATUS_NOT_FOUND;
	uint32_t least_s = is_hopeless ? HOPELESS_S : 0;
	uint64_t least_ns;

	if (now_ns > backoff->next_ns + FORGET_S * NS_PER_S)
		backoff_reset(backoff);
	backoff_failed_by(backoff, &backoff_limits, now_ns,
			  (uint16_t)kube_phase_chance(reflector, UINT16_MAX));
	retry_after_s = retry_after_s < RETRY_AFTER_MAX_S ? retry_after_s : RETRY_AFTER_MAX_S;
	least_s = least_s > retry_after_s ? least_s : retry_after_s;
	/* The server may say the same to all. */
	least_ns = least_s * NS_PER_S + kube_phase_chance(reflector, least_s * NS_PER_S / 4);
	backoff->next_ns = kube_pace_later(backoff->next_ns, now_ns + least_ns);
}

void reflector_end(struct reflector *reflector, uint64_t now_ns, const struct reflector_end *end)
{
	const struct reflector_output *output = reflector->config.output;
	uint32_t retry_after_s = end->retry_after_s;

	judge(reflector, now_ns, end);
	if (reflector->retry_after_s > retry_after_s)
		retry_after_s = reflector->retry_after_s;
	reflector_lines_restart(&reflector->lines);
	buf_finish(&reflector->body);
	if (reflector->failure == META_COUNTERS && !reflector->is_unoffered)
		return;
	if (ops_of(reflector)->failed(reflector, reflector->error_status))
		return;
	reflector_count(reflector, reflector->failure, 1);
	output->failed(output->data, reflector->failure, reflector->message);
	back_off(reflector, now_ns, retry_after_s);
}
