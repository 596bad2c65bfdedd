/* SPDX-License-Identifier: MIT */
/* Counters of the threads that describe containers and pods, as text. */
#include "agent/run/account_meta.h"

#include <inttypes.h>

enum { PARTS_MAX = 4 };

/* A line for each subject of which something was counted. */
static const struct {
	const char *subject;
	struct {
		const char *what;
		enum meta_counter counter;
	} parts[PARTS_MAX];
} lines[] = {
	{"containers",
	 {{"looked for", META_REQUESTS},
	  {"found", META_DESCRIBED},
	  {"without data", META_MISSING}}},
	{"runtimes",
	 {{"streams of events", META_RUNTIME_STREAMS},
	  {"lists", META_RUNTIME_LISTS},
	  {"events", META_RUNTIME_EVENTS},
	  {"look-ups after them", META_RUNTIME_LOOKUPS}}},
	{"pods",
	 {{"known", META_KUBE_PODS},
	  {"changes", META_KUBE_CHANGES},
	  {"requests to Kubernetes", META_KUBE_REQUESTS}}},
};

static void put_line(struct buf *text, const struct meta_stats *meta, size_t number)
{
	const char *separator = ": ";
	bool any = false;

	for (int i = 0; i < PARTS_MAX && lines[number].parts[i].what; i++)
		any |= meta->counts[lines[number].parts[i].counter] > 0;
	if (!any)
		return;
	buf_printf(text, "agent: %s", lines[number].subject);
	for (int i = 0; i < PARTS_MAX && lines[number].parts[i].what; i++) {
		buf_printf(text, "%s%s %" PRIu64, separator, lines[number].parts[i].what,
			   meta->counts[lines[number].parts[i].counter]);
		separator = ", ";
	}
	buf_append_char(text, '\n');
}

/* The time in us within which that share of requests had data: a power of two. */
static uint64_t time_of_share(const struct meta_stats *meta, unsigned int percent)
{
	uint64_t all = 0, counted = 0;
	unsigned int power;

	for (power = 0; power < META_TIMES; power++)
		all += meta->times[power];
	for (power = 0; power < META_TIMES - 1; power++) {
		counted += meta->times[power];
		if (counted * 100 >= all * percent)
			break;
	}
	return UINT64_C(1) << power;
}

static void put_times(struct buf *text, const struct meta_stats *meta)
{
	uint64_t half_us = time_of_share(meta, 50), all_us = time_of_share(meta, 100);

	if (meta->counts[META_DESCRIBED])
		buf_printf(text,
			   "agent: containers: half of them found within %.3f ms, all within %.3f "
			   "ms\n",
			   (double)half_us / 1000, (double)all_us / 1000);
}

void account_meta_append_work(const struct meta_stats *meta, struct buf *text)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put_line(text, meta, i);
	put_times(text, meta);
}

void account_meta_append_troubles(const struct account_containers *containers, struct buf *text)
{
	static const char *const by_counter[META_COUNTERS] = {
		[META_REJECTED] = "containers not looked for, or not again: too many at a time, or "
				  "out of memory",
		[META_USERS_REJECTED] =
			"times that users of containers were not read: too many at a time, or out "
			"of memory",
		[META_MISSING] = "containers without data: no file and no runtime describes them",
		[META_FAILED] = "containers with files or answers that could not be read",
		[META_LEFT_OUT] =
			"labels, mounts and texts of containers left out: too many or too long",
		[META_KUBE_PODS_REJECTED] =
			"pods left out: too many, of other nodes, or out of memory",
		[META_KUBE_LINES_BAD] = "changes of pods not read: too long, or no JSON of a pod",
		[META_KUBE_UNREACHABLE] = "requests to Kubernetes without an answer",
		[META_KUBE_UNTRUSTED] = "requests to Kubernetes that failed: TLS, or a certificate",
		[META_KUBE_TOKEN] = "times that the token for Kubernetes could not be read",
		[META_KUBE_UNAUTHORIZED] = "requests to Kubernetes rejected: the token (401)",
		[META_KUBE_FORBIDDEN] = "requests to Kubernetes rejected: permissions (403)",
		[META_KUBE_EXPIRED] =
			"times that changes of pods were missed, and all listed again (410)",
		[META_KUBE_THROTTLED] = "requests to Kubernetes rejected: too many (429)",
		[META_KUBE_STATUS] = "requests to Kubernetes that failed there",
		[META_KUBE_CUT] = "answers of Kubernetes that were cut, or silent for too long",
		[META_KUBE_NONSENSE] =
			"answers of Kubernetes that are not lists or changes of pods",
		[META_KUBE_TOO_LONG] = "lists of pods that were too long",
		[META_RUNTIME_STREAMS_LOST] =
			"times that events of a runtime were missed, and all listed again",
		[META_RUNTIME_EVENTS_BAD] = "events of runtimes not read: too long, or nonsense",
		[META_RUNTIME_LOOKUPS_FAILED] = "look-ups after events of runtimes that failed",
		[META_PUSHES_LOST] = "changes of containers and pods not applied: out of memory",
	};
	const struct account_trouble waits[] = {
		{containers->unverified, "control groups that users named like those of containers "
					 "(meta.state=unverified)"},
		{containers->late, "new containers whose data was not there in time (--meta-wait)"},
		{containers->users_late,
		 "new containers whose users were not there in time (--meta-wait)"},
		{containers->full,
		 "new containers whose data was not waited for: a ring buffer was half full"},
	};

	for (int counter = 0; counter < META_COUNTERS; counter++) {
		struct account_trouble trouble = {containers->meta.counts[counter],
						  by_counter[counter]};

		account_append_troubles(&trouble, trouble.what ? 1 : 0, text);
	}
	account_append_troubles(waits, sizeof(waits) / sizeof(waits[0]), text);
}
