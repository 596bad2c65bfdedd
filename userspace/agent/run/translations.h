/* SPDX-License-Identifier: MIT */
/*
 * To where the kernel translates the addresses that clients connect to, during a run: hands the
 * questions of requests to the thread that asks, and its answers back. A request whose answer is
 * under way is waited for, as a question takes some 50 us; not for longer than for containers
 * (--meta-wait), and for a small share of the time in all.
 */
#ifndef AGENT_RUN_TRANSLATIONS_H
#define AGENT_RUN_TRANSLATIONS_H

#include "agent/options/options.h"
#include "agent/input/input.h"
#include "meta/translator.h"
#include "net/exposition.h"
#include "requests/requests.h"
#include "util/buf.h"
#include "util/error.h"

enum {
	/* Of the time, one part of so many is waited at most; one wait of --meta-wait is saved up.
	 */
	TRANSLATIONS_SHARE = 20,
};

/* A zeroed struct asks nobody. */
struct translations_run {
	struct translator *translator; /* owned; NULL: nobody wants to know */
	uint64_t wait_ns; /* for one request, at most */
	uint64_t budget_ns, filled_ns; /* what may be waited for; when it was added to */
	uint32_t generation; /* of requests: questions of earlier ones have no answer */
	unsigned int timeouts; /* waits that timed out, since the last answer */
	uint64_t unbound; /* questions that nobody can answer: see conntrack_has_source() */
	uint64_t late; /* requests that were given out without the answer */
};

/* Starts the thread, if it does not run. Returns 0, or -errno with a message. */
int translations_run_begin(struct translations_run *run, const struct options *options,
			   struct error *err);
void translations_run_end(struct translations_run *run);

/* Other requests follow, which have questions of their own. */
void translations_run_forget(struct translations_run *run);

/* Takes questions and gives answers: cheap enough for each event. */
void translations_run_step(struct translations_run *run, struct requests *requests);

/*
 * Waits for the answer of the next request, if it may: not while a ring buffer is more than half
 * full, and not if three waits in a row timed out, until the next answer.
 */
void translations_run_wait(struct translations_run *run, struct requests *requests,
			   const struct input *input);

/* Appends lines of the report: what was asked, and what was not answered, by cause. */
void translations_run_append_report(const struct translations_run *run, bool verbose,
				    struct buf *text);

/* Appends what was asked as metrics, by result; none if nobody wants to know. */
void translations_run_append_metrics(const struct translations_run *run,
				     struct exposition *exposition);

#endif
