/* SPDX-License-Identifier: MIT */
/* Between the requests and the thread that asks the kernel. */
#include "agent/run/translations.h"

#include <inttypes.h>

#include "util/clock.h"
#include "util/count.h"

#define NS_PER_MS UINT64_C(1000000)
#define LOOK_NS (INPUT_LOOK_MS * NS_PER_MS)

int translations_run_begin(struct translations_run *run, const struct options *options,
			   struct error *err)
{
	if (run->translator)
		return 0;
	run->wait_ns = run->budget_ns = options->meta_wait_ms * NS_PER_MS;
	run->filled_ns = clock_ns(CLOCK_MONOTONIC);
	return translator_create(options->host_root, &run->translator, err);
}

void translations_run_end(struct translations_run *run)
{
	translator_destroy(run->translator);
	run->translator = NULL;
}

void translations_run_forget(struct translations_run *run)
{
	run->generation++;
}

/* Whether there will be an answer. */
static bool translations_ask_thread(struct translations_run *run,
				    const struct requests_question *asked)
{
	const struct translator_question question = {
		.id = (uint64_t)run->generation << 32 | asked->id,
		.pid = asked->pid,
		.netns = asked->netns,
		.tuple = {asked->from, asked->to, asked->address_len, asked->l4},
	};

	if (!conntrack_has_source(&question.tuple)) {
		run->unbound++;
		return false;
	}
	return translator_ask(run->translator, &question);
}

void translations_run_step(struct translations_run *run, struct requests *requests)
{
	struct requests_question question;
	struct translator_answer answer;

	if (!run->translator)
		return;
	while (requests_next_question(requests, &question))
		if (!translations_ask_thread(run, &question))
			requests_answer(requests, question.id, NULL, 0);
	while (translator_take(run->translator, &answer)) {
		run->timeouts = 0;
		if (answer.id >> 32 == run->generation)
			requests_answer(requests, (uint32_t)answer.id,
					answer.fate == TRANSLATOR_FOUND ? &answer.real : NULL,
					answer.address_len);
	}
}

/* What may be waited for now. */
static uint64_t fill_budget(struct translations_run *run, uint64_t now_ns)
{
	run->budget_ns += (now_ns - run->filled_ns) / TRANSLATIONS_SHARE;
	run->filled_ns = now_ns;
	if (run->budget_ns > run->wait_ns)
		run->budget_ns = run->wait_ns;
	return run->budget_ns;
}

static void wait_for_answer(struct translations_run *run, struct requests *requests,
			    const struct input *input, uint64_t now_ns)
{
	uint64_t until_ns = now_ns + fill_budget(run, now_ns);

	for (; requests_await_answer(requests); now_ns = clock_ns(CLOCK_MONOTONIC)) {
		if (now_ns >= until_ns) {
			run->timeouts++;
			return;
		}
		if (!input_has_room(input))
			return;
		translator_wait(run->translator,
				until_ns - now_ns < LOOK_NS ? until_ns - now_ns : LOOK_NS);
		translations_run_step(run, requests);
	}
}

void translations_run_wait(struct translations_run *run, struct requests *requests,
			   const struct input *input)
{
	uint64_t begin_ns, waited_ns;

	if (!run->translator || !requests_await_answer(requests))
		return;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	if (run->timeouts < INPUT_TIMEOUTS_MAX) {
		wait_for_answer(run, requests, input, begin_ns);
		waited_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
		run->budget_ns -= waited_ns < run->budget_ns ? waited_ns : run->budget_ns;
	}
	run->late += requests_await_answer(requests);
}

static const struct {
	const char *what, *result;
	enum translator_fate fate;
	bool is_trouble;
} fates[] = {
	{"translated", "translated", TRANSLATOR_FOUND, false},
	{"as they are", "same", TRANSLATOR_SAME, false},
	{"in no table", "missing", TRANSLATOR_MISSING, false},
	{"in the tables of host and agent both, or in one of a network namespace that leads "
	 "nowhere",
	 "unsure", TRANSLATOR_UNSURE, true},
	{"of processes that had ended", "gone", TRANSLATOR_GONE, true},
	{"not allowed (CAP_NET_ADMIN, CAP_SYS_ADMIN)", "forbidden", TRANSLATOR_FORBIDDEN, true},
	{"asked for too late", "late", TRANSLATOR_LATE, true},
	{"without a table in the kernel", "absent", TRANSLATOR_ABSENT, false},
	{"failed", "failed", TRANSLATOR_FAILED, true},
};

void translations_run_append_report(const struct translations_run *run, bool verbose,
				    struct buf *text)
{
	struct translator_stats stats;
	uint64_t troubles = run->late + run->unbound;

	if (!run->translator)
		return;
	translator_stats(run->translator, &stats);
	troubles += stats.rejected;
	for (size_t i = 0; i < COUNT(fates); i++)
		troubles += fates[i].is_trouble ? stats.fates[fates[i].fate] : 0;
	if (!verbose && !troubles)
		return;
	BUF_LITERAL(text, "agent: addresses of connections asked for");
	for (size_t i = 0; i < COUNT(fates); i++)
		if (stats.fates[fates[i].fate])
			buf_printf(text, ", %s %" PRIu64, fates[i].what,
				   stats.fates[fates[i].fate]);
	if (run->unbound)
		buf_printf(text, ", of sockets that are not bound to an address %" PRIu64,
			   run->unbound);
	if (stats.rejected)
		buf_printf(text, ", too many at a time %" PRIu64, stats.rejected);
	if (run->late)
		buf_printf(text, "; requests without the answer, as it came too late: %" PRIu64,
			   run->late);
	buf_append_char(text, '\n');
}

void translations_run_append_metrics(const struct translations_run *run,
				     struct exposition *exposition)
{
	static const struct exposition_family asked = {
		"lanner_translations", METRIC_COUNTER, NULL,
		"Connections whose translation was asked for, by result."};
	static const struct exposition_family late = {"lanner_translations_not_waited_for",
						      METRIC_COUNTER, NULL,
						      "Requests given out before the answer came."};
	struct translator_stats stats;

	if (!run->translator)
		return;
	translator_stats(run->translator, &stats);
	exposition_begin(exposition, &asked);
	for (size_t i = 0; i < COUNT(fates); i++) {
		const struct exposition_label labels[] = {{"result", fates[i].result}, {0}};

		exposition_sample(exposition, labels, stats.fates[fates[i].fate]);
	}
	exposition_sample(exposition, (const struct exposition_label[]){{"result", "unbound"}, {0}},
			  run->unbound);
	exposition_sample(exposition,
			  (const struct exposition_label[]){{"result", "rejected"}, {0}},
			  stats.rejected);
	exposition_add(exposition, &late, run->late);
}
