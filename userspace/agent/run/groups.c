/* SPDX-License-Identifier: MIT */
/*
 * Evaluates the filter for each control group, as far as its container alone decides, and tells the
 * input which groups can have no event that passes.
 */
#include "agent/run/groups.h"

#include <errno.h>

/*
 * All are told again, at most this often, if one of them was forgotten by the state, as it may
 * still exist and would never be accepted, or if the input failed.
 */
enum { RETELL_NS = 1000000000 };

struct teller {
	struct groups *groups;
	struct input *input;
	const struct plan *plan;
};

bool groups_are_pending(const struct plan *plan, const struct state_cgroups *cgroups)
{
	return (plan->needs_containers && state_cgroups_await_container(cgroups)) ||
	       (plan->needs_pods && state_cgroups_await_pod(cgroups));
}

static bool is_rejected(const struct plan *plan, const struct state_cgroups *cgroups)
{
	return filter_decide(plan->filter, cgroups) == FILTER_REJECTED &&
	       !groups_are_pending(plan, cgroups);
}

static void groups_tell(const struct state_cgroups *cgroups, void *context)
{
	const struct teller *teller = context;
	struct input *input = teller->input;
	size_t len;
	const char *text = state_cgroups_text(cgroups, &len);
	int r = input->live->reject_groups(input, text, len, is_rejected(teller->plan, cgroups));

	/* Groups that do not exist have no events. */
	if (r && r != -ENOENT)
		teller->groups->failed = true;
}

static bool groups_is_stale(const struct groups *groups, const struct state *state, uint64_t now_ns)
{
	return groups->revision &&
	       (groups->failed || groups->forgotten != state_cgroups_forgotten(state)) &&
	       now_ns - groups->retold_ns >= RETELL_NS;
}

void groups_begin(struct groups *groups, struct input *input)
{
	*groups = (struct groups){0};
	if (input->live)
		input->live->accept_groups(input);
}

void groups_step(struct groups *groups, struct input *input, const struct plan *plan,
		 const struct state *state, uint64_t now_ns)
{
	struct teller teller = {groups, input, plan};
	uint64_t since;

	if (!plan->rejects_groups || !input->live)
		return;
	if (groups_is_stale(groups, state, now_ns)) {
		groups_begin(groups, input);
		groups->retold_ns = now_ns;
	}
	since = groups->revision;
	if (state_revision(state) == since)
		return;
	if (!since)
		groups->forgotten = state_cgroups_forgotten(state);
	groups->revision = state_revision(state);
	state_visit_cgroups(state, since, groups_tell, &teller);
}
