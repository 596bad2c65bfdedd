/* SPDX-License-Identifier: MIT */
/*
 * The sources of parameters, as text: "put_string(f, ARG(1))" is of the second argument. A source
 * may name a variable of the rows before it, which has the argument. What that does not find, or
 * finds wrong, is in two tables.
 */
#include "trace/shape.h"

#include <string.h>

#include "util/count.h"

#define SYSCALL_EVENT(name, ...) static const char *const sources_##name[] = {
#define TRACEPOINT_EVENT(name, ...)                                                                \
	__attribute__((unused)) static const char *const sources_##name[] = {
#define PARAM(event, name, type, format, source, ...) [event##__##name] = #source,
#define EVENT_END(name)                                                                            \
	[name##__count] = NULL                                                                     \
	}                                                                                          \
	;
#include "events/all.def"

static const char *const *const sources[EVENT_ID_MAX] = {
#define SYSCALL_EVENT(name, id, ...) [id] = sources_##name,
#include "events/all.def"
};

static const struct {
	uint16_t event;
	const char *name, *value;
} locals[] = {
#define LOCAL(event, name, value) {EVENT_##event, #name, #value},
#include "events/all.def"
};

/* Where the first argument in the source is not that of the value. */
static const struct {
	uint16_t event;
	int8_t param, arg;
} corrections[] = {
	{EVENT_socket, socket__flags, TRACE_NO_ARG},
	{EVENT_accept, accept__queuepct, TRACE_NO_ARG},
	{EVENT_accept, accept__queuelen, TRACE_NO_ARG},
	{EVENT_accept, accept__queuemax, TRACE_NO_ARG},
	{EVENT_accept4, accept4__queuepct, TRACE_NO_ARG},
	{EVENT_accept4, accept4__queuelen, TRACE_NO_ARG},
	{EVENT_accept4, accept4__queuemax, TRACE_NO_ARG},
	{EVENT_clock_nanosleep, clock_nanosleep__remain, 3},
	{EVENT_sendmsg, sendmsg__size, TRACE_NO_ARG},
	{EVENT_recvmsg, recvmsg__msgcontrol, TRACE_NO_ARG},
	{EVENT_recvmsg, recvmsg__received, TRACE_NO_ARG},
	{EVENT_clone, clone__flags, 1},
	{EVENT_open, open__mode, 2},
	{EVENT_openat, openat__mode, 3},
	{EVENT_prctl, prctl__arg2_str, 1},
	{EVENT_prctl, prctl__arg2_int, 1},
	{EVENT_setsockopt, setsockopt__optname, 2},
	{EVENT_setsockopt, setsockopt__val, 3},
	{EVENT_getsockopt, getsockopt__optname, 2},
	{EVENT_getsockopt, getsockopt__val, 3},
	{EVENT_semctl, semctl__val, 3},
	{EVENT_epoll_ctl, epoll_ctl__events, 3},
	{EVENT_epoll_ctl, epoll_ctl__data, 3},
	{EVENT_bpf, bpf__object, TRACE_NO_ARG},
	{EVENT_bpf, bpf__id, TRACE_NO_ARG},
	{EVENT_accept, accept__tuple, 1},
	{EVENT_accept4, accept4__tuple, 1},
	{EVENT_sendto, sendto__tuple, 4},
	{EVENT_recvfrom, recvfrom__tuple, 4},
	{EVENT_connect, connect__tuple, TRACE_NO_ARG},
	{EVENT_ftruncate, ftruncate__length, 1},
	{EVENT_truncate, truncate__length, 1},
	{EVENT_fadvise64, fadvise64__len, 2},
	{EVENT_fadvise64, fadvise64__advice, 3},
	{EVENT_ptrace, ptrace__data, 3},
	{EVENT_eventfd, eventfd__flags, TRACE_NO_ARG},
	{EVENT_writev, writev__size, TRACE_NO_ARG},
	{EVENT_execve, execve__args, TRACE_NO_ARG},
	{EVENT_execveat, execveat__args, TRACE_NO_ARG},
};

/* Of calls with more arguments than the event knows of. */
static const struct {
	uint16_t event;
	const char *missing;
} shapes[] = {
	{EVENT_stat, ".{"},
	{EVENT_lstat, ".{"},
	{EVENT_fstat, ".{"},
	{EVENT_newfstatat, "..{."},
	{EVENT_statfs, ".{"},
	{EVENT_fstatfs, ".{"},
	{EVENT_statx, "....{"},
	{EVENT_getdents, "..."},
	{EVENT_getdents64, "..."},
	{EVENT_wait4, "...{"},
	{EVENT_uname, "{"},
	{EVENT_getsockname, ".{["},
	{EVENT_getpeername, ".{["},
	{EVENT_accept, ".{["},
	{EVENT_accept4, ".{[."},
	{EVENT_connect, ".{."},
	{EVENT_bind, ".{."},
	{EVENT_recvfrom, "....{["},
	{EVENT_sendto, "....{."},
	{EVENT_sendmsg, ".{."},
	{EVENT_recvmsg, ".{."},
	{EVENT_sendmmsg, ".[.."},
	{EVENT_recvmmsg, ".[..{"},
	{EVENT_rt_sigaction, ".{{."},
	{EVENT_select, "....."},
	{EVENT_pselect6, ".....{"},
	{EVENT_epoll_wait, ".[.."},
	{EVENT_times, "{"},
	{EVENT_sysinfo, "{"},
	{EVENT_getrusage, ".{"},
	{EVENT_getrlimit, ".{"},
	{EVENT_setrlimit, ".{"},
	{EVENT_prlimit, "..{{"},
	{EVENT_execve, ".[["},
	{EVENT_execveat, "..[[."},
	{EVENT_getcwd, ".."},
	{EVENT_writev, ".[."},
	{EVENT_readv, ".[."},
	{EVENT_preadv, ".[.."},
	{EVENT_pwritev, ".[.."},
	{EVENT_nanosleep, "{{"},
	{EVENT_clock_nanosleep, "..{{"},
	{EVENT_socketpair, "...["},
	{EVENT_bpf, ".{."},
	{EVENT_poll, "[.."},
	{EVENT_ppoll, "[.{[."},
	{EVENT_clone3, "{."},
	{EVENT_sendfile, "..[."},
	{EVENT_splice, ".[.[.."},
	{EVENT_gettimeofday, "{{"},
	{EVENT_waitid, "..{.{"},
	{EVENT_perf_event_open, "{...."},
	{EVENT_capget, "{{"},
	{EVENT_capset, "{{"},
	{EVENT_seccomp, "..{"},
	{EVENT_io_uring_setup, ".{"},
	{EVENT_listxattr, ".[."},
	{EVENT_sched_getaffinity, "..["},
	{EVENT_get_robust_list, ".[["},
	{EVENT_timer_create, ".{["},
	{EVENT_sigaltstack, "{{"},
	{EVENT_mount, "....."},
	{EVENT_signalfd4, ".[.."},
	{EVENT_getresuid, "[[["},
	{EVENT_getresgid, "[[["},
	{EVENT_futex, "..."},
};

/* The end of a name in a source. */
static bool shape_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool shape_names(const char *source, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = source; (at = strstr(at, name)); at += len)
		if ((at == source || !shape_is_word(at[-1])) && !shape_is_word(at[len]))
			return true;
	return false;
}

/* What transfers data names the descriptor before the data. */
static bool shape_is_of_fd(const char *source)
{
	static const char *const readers[] = {"fd_data_", "fd_vector_", "message_data_"};

	for (size_t i = 0; i < COUNT(readers); i++)
		if (strstr(source, readers[i]))
			return true;
	return false;
}

static int shape_direct(const char *source)
{
	static const char argument[] = "ARG(";
	const char *at = strstr(source, argument);

	if (at && shape_is_of_fd(source))
		at = strstr(at + 1, argument);
	if (!at || strncmp(source, "tuple_", 6) == 0)
		return TRACE_NO_ARG;
	at += sizeof(argument) - 1;
	return *at >= '0' && *at < '0' + TRACE_ARGS_MAX ? *at - '0' : TRACE_NO_ARG;
}

/* The argument that a source is of; *member: through a variable with a structure. */
static int shape_find(unsigned int event, const char *source, unsigned int depth, bool *member,
		      bool *given)
{
	int arg = shape_direct(source);

	*given |= strstr(source, "ON_SUCCESS(") || strstr(source, "RET ") ||
		  strncmp(source, "result", 6) == 0 || strstr(source, "put_result");
	if (arg != TRACE_NO_ARG || depth == 0 || strncmp(source, "tuple_", 6) == 0)
		return arg;
	for (size_t i = 0; i < COUNT(locals); i++) {
		if (locals[i].event != event || !shape_names(source, locals[i].name))
			continue;
		arg = shape_find(event, locals[i].value, depth - 1, member, given);
		if (arg == TRACE_NO_ARG)
			continue;
		*member |= strstr(locals[i].value, "file_flags(ARG") == NULL;
		return arg;
	}
	return TRACE_NO_ARG;
}

static void shape_correct(const struct event_desc *desc, struct trace_shape *shape)
{
	for (size_t i = 0; i < COUNT(corrections); i++)
		if (corrections[i].event == desc->id)
			shape->args[corrections[i].param] = corrections[i].arg;
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (shapes[i].event == desc->id)
			shape->missing = shapes[i].missing;
}

void trace_shape_make(const struct event_desc *desc, struct trace_shape *shape)
{
	const char *const *of_event = sources[desc->id];

	enum { VARIABLES_DEEP = 3 };

	*shape = (struct trace_shape){.result = TRACE_NO_ARG, .missing = "", .is_made = true};
	for (unsigned int i = 0; i < desc->nparams && of_event; i++) {
		bool is_result =
			desc->params[i].is_result || strcmp(desc->params[i].name, "res") == 0;

		shape->args[i] = TRACE_NO_ARG;
		if (is_result)
			shape->result = (int8_t)i;
		else if (!desc->params[i].on_entry)
			shape->args[i] = (int8_t)shape_find(desc->id, of_event[i], VARIABLES_DEEP,
							    &shape->members[i], &shape->given[i]);
	}
	shape_correct(desc, shape);
	shape->nargs = (uint8_t)strlen(shape->missing);
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (shape->args[i] >= shape->nargs)
			shape->nargs = (uint8_t)(shape->args[i] + 1);
}
