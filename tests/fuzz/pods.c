/* SPDX-License-Identifier: MIT */
/*
 * The answers of an API server of Kubernetes, or of a kubelet: whatever they are, requests stay
 * rare and well formed, pods that are reported as gone were there, and texts are UTF-8. The input
 * begins with a letter, 'k' for a kubelet, 's' for services, 'e' for slices; of each answer, up to
 * a NUL, the first character stands for a status, and the second for how long it took and into
 * which pieces the network cut it.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "meta/reflector.h"
#include "util/utf8.h"

#define SECOND UINT64_C(1000000000)

enum { UIDS_MAX = 256, LONGEST_WAIT_S = 800, BURST = 20, REFILL_S = 20, KUBELET_REFILL_S = 10 };

struct run {
	struct reflector reflector;
	struct reflector_output output;
	uint64_t start_ns, now_ns;
	uint64_t requests, pods;
	char uids[UIDS_MAX][STATE_POD_UID_BYTES]; /* of pods that are there */
	size_t uids_count;
};

static void check_text(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	uint32_t code_point;

	for (size_t at = 0, n; at < len; at += n) {
		n = utf8_decode(text + at, len - at, &code_point);
		REQUIRE(n, "byte %zu of %s", at, text);
	}
}

static size_t find_uid(const struct run *run, const char *uid)
{
	size_t i = 0;

	while (i < run->uids_count && strcmp(run->uids[i], uid) != 0)
		i++;
	return i;
}

static void note_uid(struct run *run, const char *uid)
{
	if (find_uid(run, uid) < run->uids_count)
		return;
	REQUIRE(run->uids_count < UIDS_MAX, "too many objects for so short an input");
	strcpy(run->uids[run->uids_count++], uid);
}

static void take_service(void *data, struct state_service_info *info)
{
	REQUIRE(info->uid && *info->uid, "no uid");
	check_text(info->name);
	check_text(info->ns);
	for (uint32_t i = 0; i < info->count; i++) {
		const struct state_place *place = &info->places[i];

		REQUIRE(place->address_len == 4 || place->address_len == 16, "no address");
		REQUIRE(place->end.port ? place->l4 != SCAP_L4_UNKNOWN : place->pod != NULL,
			"no port");
		if (place->pod)
			check_text(place->pod->name);
	}
	note_uid(data, info->uid);
	state_service_info_destroy(info);
}

static void take_pod(void *data, struct state_pod_info *info)
{
	struct run *run = data;
	const struct state_pod *pod = &info->pod;

	REQUIRE(pod->uid && *pod->uid, "no uid");
	REQUIRE(!run->reflector.config.node ||
			(pod->node && strcmp(pod->node, run->reflector.config.node) == 0),
		"of another node");
	check_text(pod->name);
	check_text(pod->workload.name);
	for (size_t i = 0; i < pod->labels.count; i++)
		check_text(pod->labels.items[i].value);
	for (size_t i = 0; i < info->containers.count; i++)
		REQUIRE(info->containers.items[i].id[0], "a container without an id");
	note_uid(run, pod->uid);
	state_pod_info_destroy(info);
}

static void take_removed(void *data, const char *uid)
{
	struct run *run = data;
	size_t found = find_uid(run, uid);

	REQUIRE(found < run->uids_count, "%s was not there", uid);
	memcpy(run->uids[found], run->uids[--run->uids_count], STATE_POD_UID_BYTES);
}

static void take_count(void *data, enum meta_counter counter, uint64_t more)
{
	struct run *run = data;

	run->pods += counter == META_KUBE_PODS || counter == META_KUBE_SERVICES ? more : 0;
	run->requests += counter == META_KUBE_REQUESTS ? more : 0;
}

static void take_failure(void *data, enum meta_counter failure, const char *message)
{
	REQUIRE(failure >= META_KUBE_UNREACHABLE && failure < META_COUNTERS, "%d", failure);
	REQUIRE(message[0], "a failure without a message");
}

static void check(const struct run *run)
{
	const struct reflector_config *config = &run->reflector.config;
	uint64_t refill_s = config->node || config->kind ? REFILL_S : KUBELET_REFILL_S;
	uint64_t next_ns = reflector_next_ns(&run->reflector);
	uint64_t elapsed_s = (run->now_ns - run->start_ns) / SECOND;

	REQUIRE(run->pods == run->uids_count, "%zu pods are there", run->uids_count);
	REQUIRE(next_ns < run->now_ns + LONGEST_WAIT_S * SECOND, "it waits for too long");
	REQUIRE(run->requests <= BURST + 1 + elapsed_s / refill_s, "too many requests");
}

static void ask(struct run *run)
{
	const struct reflector_config *config = &run->reflector.config;
	const char *begin = config->kind   ? config->kind->path
			    : config->node ? "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&"
					   : "/pods";
	uint64_t next_ns = reflector_next_ns(&run->reflector);
	struct reflector_request request;

	run->now_ns = next_ns > run->now_ns ? next_ns : run->now_ns;
	reflector_begin(&run->reflector, run->now_ns, &request);
	REQUIRE(strncmp(request.path, begin, strlen(begin)) == 0, "%s", request.path);
	REQUIRE(!strpbrk(request.path, " \r\n#\""), "%s", request.path);
	REQUIRE(request.timeout_s >= 60 && request.timeout_s <= 630, "%u", request.timeout_s);
}

static void answer(struct run *run, const char *text, size_t len)
{
	static const long statuses[] = {200, 200, 200, 400, 401, 403, 410, 422, 429, 504};
	struct reflector_end end = {.failure = META_COUNTERS, .message = "cut"};
	unsigned int status = len ? (unsigned char)text[0] : 0;
	unsigned int how = len > 1 ? (unsigned char)text[1] : 0;
	size_t piece = 1 + how;

	end.status = statuses[status % (sizeof(statuses) / sizeof(statuses[0]))];
	end.retry_after_s = end.status == 429 ? how * how * how : 0;
	if (how % 8 == 7)
		end.failure = META_KUBE_CUT;
	for (size_t at = 2; at < len; at += piece) {
		size_t left = len - at;

		if (!reflector_take(&run->reflector, end.status, text + at,
				    left < piece ? left : piece))
			break;
	}
	run->now_ns += how * SECOND;
	reflector_waits(&run->reflector, run->now_ns);
	reflector_end(&run->reflector, run->now_ns, &end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run *run = calloc(1, sizeof(*run));
	char *text = fuzz_text(data, size);
	struct reflector_config config = {
		.kind = text[0] == 's'	 ? &reflector_services
			: text[0] == 'e' ? &reflector_slices
					 : NULL,
	};

	REQUIRE(run, "out of memory");
	run->output = (struct reflector_output){take_pod,   take_service, take_removed,
						take_count, take_failure, run};
	config.output = &run->output;
	config.node = text[0] == 'k' || config.kind ? NULL : "n1";
	run->start_ns = run->now_ns = 1000 * SECOND;
	reflector_init(&run->reflector, &config, run->now_ns);
	for (size_t at = 1, len; at < size; at += len + 1) {
		len = strlen(text + at);
		ask(run);
		answer(run, text + at, len);
		reflector_hurry(&run->reflector);
		check(run);
	}
	reflector_finish(&run->reflector);
	free(text);
	free(run);
	return 0;
}
