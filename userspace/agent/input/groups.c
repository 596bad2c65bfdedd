/* SPDX-License-Identifier: MIT */
#include "agent/input/groups.h"

#include <errno.h>

/* Groups that do not exist any more take room until all are told again, at most this often. */
enum { RETELL_NS = 1000000000 };

struct teller {
	struct groups *groups;
	struct input *input;
	const struct plan *plan;
};

/* Those whose container is still asked about may turn out to be wanted. */
static bool is_rejected(const struct plan *plan, const struct sinsp_cgroups *cgroups)
{
	return filter_decide(plan->filter, cgroups) == FILTER_REJECTED &&
	       !(plan->needs_containers && sinsp_cgroups_await_container(cgroups)) &&
	       !(plan->needs_pods && sinsp_cgroups_await_pod(cgroups));
}

static void tell(const struct sinsp_cgroups *cgroups, void *context)
{
	const struct teller *teller = context;
	struct input *input = teller->input;
	size_t len;
	const char *text = sinsp_cgroups_text(cgroups, &len);

	if (input->ops->reject_groups(input, text, len, is_rejected(teller->plan, cgroups)) ==
	    -E2BIG)
		teller->groups->full = true;
}

void groups_begin(struct groups *groups, struct input *input)
{
	*groups = (struct groups){0};
	if (input->ops->accept_groups)
		input->ops->accept_groups(input);
}

void groups_step(struct groups *groups, struct input *input, const struct plan *plan,
		 const struct sinsp *sinsp, uint64_t now_ns)
{
	struct teller teller = {groups, input, plan};
	uint64_t since = groups->revision;

	if (!plan->rejects_groups || !input->ops->reject_groups || sinsp_revision(sinsp) == since)
		return;
	if (groups->full && now_ns - groups->retold_ns >= RETELL_NS) {
		groups_begin(groups, input);
		groups->retold_ns = now_ns;
		since = 0;
	}
	groups->revision = sinsp_revision(sinsp);
	sinsp_visit_cgroups(sinsp, since, tell, &teller);
}
