/* SPDX-License-Identifier: MIT */
/*
 * Where the events of a run come from: the kernel, or a capture file. What a run does with either
 * is the same; what differs is after these operations.
 */
#ifndef AGENT_RUN_INPUT_H
#define AGENT_RUN_INPUT_H

#include <stdbool.h>

#include "agent/run/account.h"
#include "agent/plan/plan.h"
#include "scap/model/source.h"
#include "util/buf.h"
#include "util/error.h"

struct input;

/* Those that may be NULL say what that means. */
struct input_ops {
	/*
	 * Makes a state engine with what was there before the first event. Once, before the first
	 * event is taken. Returns 0 or -errno with a message; the caller owns the engine, and
	 * destroys it before the input.
	 */
	int (*create_state)(struct input *input, const struct sinsp_follow *follow,
			    struct sinsp **sinsp, struct error *err);

	/* Appends what people should know before the run, in whole lines. NULL: nothing. */
	void (*append_warnings)(const struct input *input, struct buf *text);

	/* Between two events: where the next one is to be taken from. */
	struct scap_source *(*step)(struct input *input);

	/*
	 * What an error of the source means for the run: -ENODATA (it ends there, and that is no
	 * failure), or -errno with a message.
	 */
	int (*fail)(struct input *input, int code, struct error *err);

	/* From here on no event happens. Returns the source of those before, or NULL: none count.
	 */
	struct scap_source *(*stop)(struct input *input);

	/*
	 * Another plan. begin() comes before it is made, prepare() in any thread, and then take()
	 * from between two events on, or drop(). All four return 0 or -errno, those with `err` with
	 * a message. NULL: an input gives the same events whatever the plan.
	 */
	int (*change_begin)(struct input *input);
	int (*change_prepare)(struct input *input, const struct plan *from, const struct plan *to,
			      struct error *err);
	int (*change_take)(struct input *input, const struct plan *from, const struct plan *to,
			   struct sinsp *sinsp, struct error *err);
	void (*change_drop)(struct input *input);

	/* The counters for a line while the run goes on. Returns 0 or -errno. */
	int (*append_counters)(struct input *input, struct buf *text);

	/* The report at the end. Returns 0 or -errno with a message. */
	int (*append_report)(struct input *input, const struct account *account, struct buf *text,
			     struct error *err);

	/* How much of the input was read, in percent; -1, or NULL: not known. */
	int (*percent_read)(const struct input *input);

	/* Whether events are missing: they were lost, or are corrupt. */
	bool (*is_incomplete)(struct input *input, const struct sinsp_stats *state);

	void (*destroy)(struct input *input);
};

/* Inputs embed this as their first member. */
struct input {
	const struct input_ops *ops;
	bool changing; /* the last change goes on: another may not begin */
};

/* Opens what the options of the plan name; it captures from here on. As plan_create(). */
int input_open(const struct plan *plan, struct input **input, struct error *err);

void input_destroy(struct input *input); /* accepts NULL */

#endif
