/* SPDX-License-Identifier: MIT */
/* By the kernel's description of its types. */
#include "scap/live/uring_hooks.h"

#include <string.h>
#include <sys/random.h>

#include "scap/live/kernel_types.h"
#include "scap/live/load.h"
#include "scap/live/programs.h"
#include "util/count.h"

/* Arguments of io_uring_complete, that of whoever attached included, by what it passes. */
enum { ARGUMENTS_OF_ENTRIES = 4, ARGUMENTS_OF_VALUES = 8 };

/* Those of io_uring_req_failed, if the request is the second one. */
enum { ARGUMENTS_OF_FAILED = 4 };

/*
 * Before 6.4 the tracepoint of submission had the second name. It passes the request since 6.0;
 * kernels before that have other arguments.
 */
static const struct submit {
	const char *hook, *type;
	int arguments;
	enum live_uring seen;
} submits[] = {
	{"io_uring_submit_req", "btf_trace_io_uring_submit_req", 2, LIVE_URING_REQ},
	{"io_uring_submit_sqe", "btf_trace_io_uring_submit_sqe", 3, LIVE_URING_SQE},
};

static const struct submit *find_submit(void)
{
	for (size_t i = 0; i < COUNT(submits); i++)
		if (live_kernel_types_arguments(LIVE_BTF_PATH, submits[i].type) ==
		    submits[i].arguments)
			return &submits[i];
	return NULL;
}

static enum uring_kernel find_kernel(void)
{
	switch (live_kernel_types_arguments(LIVE_BTF_PATH, "btf_trace_io_uring_complete")) {
	case ARGUMENTS_OF_ENTRIES:
		return URING_ENTRIES;
	case ARGUMENTS_OF_VALUES:
		return URING_VALUES;
	default:
		return URING_NONE;
	}
}

void live_uring_hooks_find(const struct scap_live_config *config, struct live_uring_hooks *hooks)
{
	const struct submit *submit;

	*hooks = (struct live_uring_hooks){URING_NONE, LIVE_URING_UNNEEDED};
	if (!live_follows_uring(config))
		return;
	hooks->seen = LIVE_URING_UNSEEN;
	submit = find_submit();
	if (submit &&
	    getrandom(hooks->secret, sizeof(hooks->secret), 0) == (ssize_t)sizeof(hooks->secret))
		hooks->kernel = find_kernel();
	if (hooks->kernel == URING_NONE)
		return;
	hooks->submit = submit->hook;
	hooks->seen = submit->seen;
	hooks->has_failed =
		live_kernel_types_arguments(LIVE_BTF_PATH, "btf_trace_io_uring_req_failed") ==
		ARGUMENTS_OF_FAILED;
}

bool live_uring_hooks_have(const struct live_uring_hooks *hooks, const char *hook)
{
	if (hooks->kernel == URING_NONE)
		return false;
	if (hook && strcmp(hook, "io_uring_req_failed") == 0)
		return hooks->has_failed;
	return !hook || strcmp(hook, "io_uring_complete") == 0 || strcmp(hook, hooks->submit) == 0;
}
