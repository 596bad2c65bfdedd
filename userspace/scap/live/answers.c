/* SPDX-License-Identifier: MIT */
/*
 * A pass over all threads scans their filters; the programs are attached while calls come that may
 * be answered by others, and for a while after the last one.
 */
#include "scap/live/answers.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lanner.skel.h"
#include "scap/live/load.h"
#include "scap/live/programs.h"
#include "scap/live/scan.h"

/* A pass over all threads scans one filter of each chain, the first that is not known. */
enum { PASSES_MAX = 128 };

/* How long the programs stay attached when no call is made that may be answered. */
static const uint64_t IDLE_NS = 30000000000;

int live_answers_scan(const struct live_object *object)
{
	return live_scan(object->skeleton->progs.scan_filters, PASSES_MAX);
}

void live_answers_open(struct live_answers *answers, struct live_loaded *loaded)
{
	int map = live_loaded_find(loaded, LIVE_MAP, LIVE_MAP_ANSWERS);
	void *state =
		mmap(NULL, sizeof(*answers->state), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	*answers = (struct live_answers){.loaded = loaded};
	if (map < 0 || state == MAP_FAILED)
		return;
	answers->state = state;
	answers->state->knows_filters = loaded->filters_error == 0;
}

static void detach(struct live_answers *answers)
{
	int fd;

	answers->state->epoch = 0;
	answers->attached = false;
	for (size_t i = 0; i < live_programs_count; i++)
		while (live_programs[i].for_answers &&
		       (fd = live_loaded_take(answers->loaded, LIVE_LINK, (uint16_t)i)) >= 0)
			close(fd);
}

static int answers_attach_one(struct live_answers *answers, size_t row)
{
	int program = live_loaded_find(answers->loaded, LIVE_PROGRAM, (uint16_t)row), link;

	if (program < 0)
		return -EOPNOTSUPP;
	link = bpf_link_create(program, 0, BPF_TRACE_RAW_TP, NULL);
	return link < 0 ? link : live_loaded_add(answers->loaded, LIVE_LINK, (uint16_t)row, link);
}

/* Notes of an earlier time say nothing: what happened since is not known. All programs, or none. */
static void answers_attach(struct live_answers *answers)
{
	int r = 0;

	answers->attached = true;
	answers->state->epoch = ++answers->epoch;
	for (size_t i = 0; i < live_programs_count && r == 0; i++)
		if (live_programs[i].for_answers)
			r = answers_attach_one(answers, i);
	if (r < 0) {
		detach(answers);
		answers->error = r;
	}
}

void live_answers_follow(struct live_answers *answers, uint64_t now_ns)
{
	struct answers_state *state = answers->state;
	uint64_t used_ns;

	if (!state || answers->error)
		return;
	if (!answers->attached) {
		if (state->wanted)
			answers_attach(answers);
		return;
	}
	used_ns = __atomic_load_n(&state->used_ns, __ATOMIC_RELAXED);
	if (now_ns > used_ns && now_ns - used_ns > IDLE_NS) {
		detach(answers);
		state->wanted = 0;
	}
}

void live_answers_close(struct live_answers *answers)
{
	if (answers->state)
		munmap(answers->state, sizeof(*answers->state));
	*answers = (struct live_answers){0};
}
