/* SPDX-License-Identifier: MIT */
#include "sinsp/state/plans.h"

#include <pthread.h>
#include <string.h>

#include "sinsp/state/rules.h"

/*
 * The parameter that is the event's descriptor: of calls that create one the result, unless that
 * only reports success; of calls on a descriptor the first that is not the result.
 */
static int8_t find_fd_param(const struct event_desc *desc)
{
	bool is_new = (desc->flags & EF_CREATES_FD) && !(desc->flags & EF_USES_FD);

	if (!(desc->flags & (EF_CREATES_FD | EF_USES_FD | EF_DESTROYS_FD)))
		return -1;
	if (is_new && (desc->flags & EF_ENTER))
		return -1;
	for (int8_t i = 0; i < desc->nparams; i++)
		if (desc->params[i].type == PT_FD &&
		    (is_new || strcmp(desc->params[i].name, "res") != 0))
			return i;
	return is_new ? 0 : -1;
}

static void find_paths(const struct event_desc *desc, struct state_plan *plan)
{
	for (uint8_t i = 0; i < desc->nparams && plan->paths_count < PLAN_BASES_MAX; i++)
		if (desc->params[i].base)
			plan->paths[plan->paths_count++] = i;
}

static struct state_plan plans[EVENT_ID_MAX];

static void make_plans(void)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);
		const struct state_rule *rule = state_rule_of(id);

		plans[id] = (struct state_plan){
			.handle = rule->handle,
			.object = rule->object,
			.fd_param = -1,
			.finds_thread = rule->finds_thread,
		};
		if (!desc)
			continue;
		plans[id].fd_param = find_fd_param(desc);
		plans[id].uses_fd = desc->flags & (EF_USES_FD | EF_DESTROYS_FD);
		plans[id].closes_fd = desc->flags & EF_DESTROYS_FD;
		plans[id].is_call = desc->category & EC_SYSCALL;
		find_paths(desc, &plans[id]);
	}
}

const struct state_plan *state_plans(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_plans);
	return plans;
}
