/* SPDX-License-Identifier: MIT */
#include "agent/run/live_warnings.h"

#include <errno.h>
#include <string.h>

#include "agent/run/live_open.h"
#include "event/event.h"

static void append_programs(const struct scap_live *live, struct buf *text)
{
	const int enter_error = scap_live_enter_error(live);
	const int sends_error = scap_live_sends_error(live);

	for (const uint16_t *id = scap_live_rejected(live); *id; id++)
		buf_printf(text,
			   "agent: this kernel rejects the program for %s: such events are missing "
			   "(-v shows why)\n",
			   event_desc_get(*id)->name);
	if (enter_error)
		buf_printf(text,
			   "agent: calls are not watched at their enter (%s): an argument that is "
			   "changed during a call that fails is not marked; mount tracefs on "
			   "/sys/kernel/tracing (-v shows programs that the kernel rejects)\n",
			   strerror(-enter_error));
	if (sends_error)
		buf_printf(text,
			   "agent: it is not noted where datagrams go (%s): their destinations are "
			   "what the sender's memory has after the call; mount the control groups "
			   "(version 2) of the machine on /sys/fs/cgroup, add CAP_NET_ADMIN\n",
			   strerror(-sends_error));
}

static const char *iterator_reason(int error)
{
	if (error == -EXDEV)
		return "the agent is not in the initial pid namespace";
	if (error == -EOPNOTSUPP)
		return "the kernel has none, or rejects its program";
	return strerror(-error);
}

/* Of what goes on without it, but costs more. */
static void append_costs(const struct scap_live *live, const struct live_lacks *lacks,
			 enum call_hooks wanted, struct buf *text)
{
	static const char *const iterated[SCAP_LIVE_ITERATORS] = {
		[SCAP_LIVE_OPEN_FDS] = "open descriptors",
		[SCAP_LIVE_THREADS] = "threads",
	};

	if (scap_live_call_hooks(live) != wanted)
		buf_printf(text, "agent: hooks: %s\n", live_hooks_text(live));
	for (unsigned int i = 0; i < SCAP_LIVE_ITERATORS; i++)
		if (lacks->iterator_errors[i])
			buf_printf(text,
				   "agent: %s were read from /proc, which takes longer than by an "
				   "iterator: %s\n",
				   iterated[i], iterator_reason(lacks->iterator_errors[i]));
	if (lacks->groups)
		BUF_LITERAL(text, "agent: the kernel does not filter by control groups: the agent "
				  "does not see all of their folders; mount /sys/fs/cgroup of the "
				  "machine\n");
}

static void append_roots(const struct scap_live *live, struct buf *text)
{
	const struct buf *roots;
	const int error = scap_live_cgroup_roots(live, &roots);

	if (error)
		buf_printf(text,
			   "agent: the place of the agent's own control group is not known (%s): "
			   "programs that ran before it have no container if they are in that "
			   "group or below it; give it the cgroup namespace of the host\n",
			   strerror(-error));
}

void live_warnings_append(const struct scap_live *live, const struct live_lacks *lacks,
			  const struct options *options, struct buf *text)
{
	append_programs(live, text);
	if (options->verbose)
		append_costs(live, lacks, options->call_hooks, text);
	append_roots(live, text);
}
