/* SPDX-License-Identifier: MIT */
/* By the kernel's description of its types. */
#include "scap/live/uring_hooks.h"

#include <string.h>
#include <sys/random.h>

#include "scap/live/kernel_types.h"
#include "scap/live/load.h"
#include "scap/live/programs.h"
#include "util/count.h"

/* Those that a kernel may lack, or have with other arguments: they are done without. */
static const struct {
	const char *hook, *type;
	int arguments;
} optional[LIVE_URING_OPTIONAL] = {
	{"io_uring_req_failed", "btf_trace_io_uring_req_failed", 4},
	{"io_uring_cqe_overflow", "btf_trace_io_uring_cqe_overflow", 6},
};

/* Where a request is submitted. It has the second name before 6.4. */
enum { AT_REQ, AT_SQE };

static const struct submit {
	const char *hook, *type;
} submits[] = {
	[AT_REQ] = {"io_uring_submit_req", "btf_trace_io_uring_submit_req"},
	[AT_SQE] = {"io_uring_submit_sqe", "btf_trace_io_uring_submit_sqe"},
};

/*
 * What the kernel tells, by the number of arguments of its tracepoints, that of whoever attached
 * included. Before 6.0 it has the request only beside others, or not at all.
 */
static const struct shape {
	int submit, submitted, completed;
	enum live_uring seen;
	enum uring_kernel kernel;
} shapes[] = {
	{AT_REQ, 2, 4, LIVE_URING_REQ, URING_ENTRIES},
	{AT_REQ, 2, 8, LIVE_URING_REQ, URING_VALUES},
	{AT_SQE, 3, 8, LIVE_URING_SQE, URING_VALUES},
	{AT_SQE, 6, 4, LIVE_URING_NUMBERS, URING_NUMBERS},
	{AT_SQE, 6, 5, LIVE_URING_NUMBERS, URING_NUMBERS_AND_FLAGS},
	{AT_SQE, 8, 5, LIVE_URING_NUMBERS, URING_NUMBERS_OF_REQUESTS},
};

static const struct shape *find_shape(void)
{
	int completed = live_kernel_types_arguments(LIVE_BTF_PATH, "btf_trace_io_uring_complete");
	int submitted[COUNT(submits)];

	for (size_t i = 0; i < COUNT(submits); i++)
		submitted[i] = live_kernel_types_arguments(LIVE_BTF_PATH, submits[i].type);
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (shapes[i].completed == completed &&
		    shapes[i].submitted == submitted[shapes[i].submit])
			return &shapes[i];
	return NULL;
}

/* Requests that are given to a worker are counted, as both hold them. */
static uint64_t worker_flag(void)
{
	uint32_t bit;

	if (live_kernel_types_constant(LIVE_BTF_PATH, "REQ_F_REFCOUNT_BIT", &bit) < 0 || bit > 63)
		return 0;
	return UINT64_C(1) << bit;
}

void live_uring_hooks_find(const struct scap_live_config *config, struct live_uring_hooks *hooks)
{
	const struct shape *shape;

	*hooks = (struct live_uring_hooks){URING_NONE, LIVE_URING_UNNEEDED};
	if (!live_follows_uring(config))
		return;
	hooks->seen = LIVE_URING_UNSEEN;
	shape = find_shape();
	if (!shape ||
	    getrandom(hooks->secret, sizeof(hooks->secret), 0) != (ssize_t)sizeof(hooks->secret))
		return;
	hooks->kernel = shape->kernel;
	hooks->submit = submits[shape->submit].hook;
	hooks->seen = shape->seen;
	hooks->worker_flag = worker_flag();
	for (size_t i = 0; i < LIVE_URING_OPTIONAL; i++)
		hooks->has[i] = live_kernel_types_arguments(LIVE_BTF_PATH, optional[i].type) ==
				optional[i].arguments;
}

bool live_uring_hooks_have(const struct live_uring_hooks *hooks, const char *hook, bool by_number)
{
	if (hooks->kernel == URING_NONE || by_number != (hooks->seen == LIVE_URING_NUMBERS))
		return false;
	for (size_t i = 0; hook && i < LIVE_URING_OPTIONAL; i++)
		if (strcmp(hook, optional[i].hook) == 0)
			return hooks->has[i];
	return !hook || strcmp(hook, "io_uring_complete") == 0 || strcmp(hook, hooks->submit) == 0;
}
