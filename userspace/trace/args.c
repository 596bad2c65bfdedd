/* SPDX-License-Identifier: MIT */
/* Arguments of several parameters, or of none that the event has; results. */
#include "trace/args.h"

#include <inttypes.h>
#include <string.h>

#include "trace/special.h"
#include "util/error.h"

enum { ERRNO_MAX = 4095 };

/* Arguments. */

/* What stands for an argument that the event has nothing of. */
static void args_append_missing(const struct trace_call *call, unsigned int arg)
{
	const char *missing = call->shape->missing;
	char kind = arg < strlen(missing) ? missing[arg] : '.';

	if (trace_special_append_missing(call, arg))
		return;
	buf_append_string(call->out, kind == '{' ? "{...}" : kind == '[' ? "[...]" : "...");
}

static void args_append_one(const struct trace_call *call, unsigned int param)
{
	if (!trace_special_append(call, param))
		trace_values_append(call, param);
}

/* Parameters that are present, of an argument. */
static unsigned int args_list(const struct trace_call *call, unsigned int arg,
			      unsigned int params[EVENT_PARAMS_MAX], bool *absent)
{
	unsigned int n = 0;

	*absent = false;
	for (unsigned int i = 0; i < call->event->ev.desc->nparams; i++) {
		if (call->shape->args[i] != (int)arg)
			continue;
		if (call->event->ev.params[i].len)
			params[n++] = i;
		else
			*absent = true;
	}
	return n;
}

/* A structure that was read; flags and a mode that share an argument are joined. */
static void args_append_group(const struct trace_call *call, const unsigned int *params,
			      unsigned int n)
{
	bool is_struct = call->shape->members[params[0]];

	if (is_struct)
		buf_append_char(call->out, '{');
	for (unsigned int i = 0; i < n; i++) {
		size_t start = call->out->len;

		if (i && is_struct)
			BUF_LITERAL(call->out, ", ");
		if (is_struct)
			buf_printf(call->out, "%s=", trace_special_member(call, params[i]));
		else if (i)
			buf_append_char(call->out, '|');
		args_append_one(call, params[i]);
		/* No flag is none. */
		if (!is_struct && i && call->out->len == start + 2 &&
		    call->out->data[start + 1] == '0')
			call->out->len = start;
	}
	if (is_struct)
		BUF_LITERAL(call->out, ", ...}");
}

/* Whether an argument is an address of what the parameter has. */
static bool args_is_pointer(const struct trace_call *call, unsigned int param)
{
	enum param_type type = call->event->ev.desc->params[param].type;

	return call->shape->members[param] || !param_type_size(type) || type == PT_RELTIME ||
	       type == PT_ABSTIME || type == PT_SIGSET;
}

/*
 * A pointer that is NULL, or to memory that could not be read, has no parameter; nor has what a
 * call gives if it failed, or had nothing to give.
 */
static void args_append_absent(const struct trace_call *call, unsigned int arg)
{
	int64_t result = 0;
	bool gave = trace_values_result(call, &result) &&
		    (result > 0 || (result == 0 && call->event->ev.desc->id != EVENT_wait4));

	for (unsigned int i = 0; i < call->event->ev.desc->nparams; i++) {
		enum param_type type = call->event->ev.desc->params[i].type;

		if (call->shape->args[i] != (int)arg)
			continue;
		if (type == PT_BYTEBUF && result >= 0)
			BUF_LITERAL(call->out, "\"\"");
		else if ((call->shape->given[i] && !gave) || type == PT_BYTEBUF ||
			 !args_is_pointer(call, i))
			args_append_missing(call, arg);
		else
			BUF_LITERAL(call->out, "NULL");
		return;
	}
}

static void args_append_arg(const struct trace_call *call, unsigned int arg)
{
	unsigned int params[EVENT_PARAMS_MAX], n;
	bool absent;

	n = args_list(call, arg, params, &absent);
	if (n > 1 && trace_special_append_whole(call, arg))
		return;
	if (n == 1 && trace_special_append(call, params[0]))
		return;
	if (n == 1 && !call->shape->members[params[0]])
		trace_values_append(call, params[0]);
	else if (n)
		args_append_group(call, params, n);
	else if (absent)
		args_append_absent(call, arg);
	else
		args_append_missing(call, arg);
}

void trace_args_append(const struct trace_call *call)
{
	unsigned int count = trace_special_count(call);

	if (call->event->ev.desc->id == EVENT_syscall)
		BUF_LITERAL(call->out, "...");
	for (unsigned int arg = 0; arg < count; arg++) {
		if (arg)
			BUF_LITERAL(call->out, ", ");
		args_append_arg(call, arg);
	}
}

/* The result. */

/* Errors that programs do not see: the kernel makes the call again. */
static const char *args_restart(int64_t result)
{
	switch (-result) {
	case 512:
		return "ERESTARTSYS (To be restarted if SA_RESTART is set)";
	case 513:
		return "ERESTARTNOINTR (To be restarted)";
	case 514:
		return "ERESTARTNOHAND (To be restarted if no handler)";
	case 516:
		return "ERESTART_RESTARTBLOCK (Interrupted by signal)";
	default:
		return NULL;
	}
}

static bool args_gives_address(unsigned int id)
{
	return id == EVENT_mmap || id == EVENT_mmap2 || id == EVENT_mremap || id == EVENT_brk ||
	       id == EVENT_shmat;
}

static void args_append_error(struct buf *out, int64_t result)
{
	const char *name = error_errno_name(result), *restart = args_restart(result);

	if (restart)
		buf_printf(out, "? %s", restart);
	else if (name)
		buf_printf(out, "-1 %s (%s)", name, strerror((int)-result));
	else
		buf_printf(out, "-1 (errno %" PRId64 ")", -result);
}

static void args_append_plain_result(const struct trace_call *call, int64_t result)
{
	const struct event_desc *desc = call->event->ev.desc;

	if (args_gives_address(desc->id))
		buf_printf(call->out, "%#" PRIx64, (uint64_t)result);
	else if (param_type_kind(desc->params[call->shape->result].type) == PARAM_FD)
		trace_values_append_fd(call, result);
	else
		buf_append_i64(call->out, result);
}

void trace_args_append_result(const struct trace_call *call)
{
	int64_t result;

	if (!trace_values_result(call, &result)) {
		buf_append_char(call->out, '?');
		return;
	}
	if (result < 0 && result >= -ERRNO_MAX)
		args_append_error(call->out, result);
	else if (!trace_special_append_result(call, result))
		args_append_plain_result(call, result);
	trace_special_append_given(call, result);
}
