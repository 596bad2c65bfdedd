/* SPDX-License-Identifier: MIT */
/* A table of parameters and what prints them; names of members of structures. */
#include "trace/special.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "event/names.h"
#include "trace/quote.h"
#include "util/count.h"

/* Prints a parameter; what it prints is the whole of it. */
typedef void special_print(const struct trace_call *call, unsigned int param);

static unsigned int special_id(const struct trace_call *call)
{
	return call->event->ev.desc->id;
}

/* A list of names by value; the last one has none. */
struct special_name {
	uint64_t value;
	const char *name;
};

static const char *special_find(const struct special_name *names, uint64_t value)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

static void special_append_name(struct buf *out, const struct special_name *names, uint64_t value)
{
	const char *name = special_find(names, value);

	if (name)
		buf_append_string(out, name);
	else
		buf_printf(out, value ? "%#" PRIx64 : "%" PRIu64, value);
}

/* Files. */

/* In the order of strace; what events have beside the flags of open(2) is no flag of it. */
static const struct param_flag file_flags[] = {
	{"O_RDWR", file_flags__O_RDWR},		  {"O_WRONLY", file_flags__O_WRONLY},
	{"O_RDONLY", file_flags__O_RDONLY},	  {"O_CREAT", file_flags__O_CREAT},
	{"O_EXCL", file_flags__O_EXCL},		  {"O_TRUNC", file_flags__O_TRUNC},
	{"O_APPEND", file_flags__O_APPEND},	  {"O_NONBLOCK", file_flags__O_NONBLOCK},
	{"O_SYNC", file_flags__O_SYNC},		  {"O_DSYNC", file_flags__O_DSYNC},
	{"O_DIRECT", file_flags__O_DIRECT},	  {"O_LARGEFILE", file_flags__O_LARGEFILE},
	{"O_CLOEXEC", file_flags__O_CLOEXEC},	  {"O_TMPFILE", file_flags__O_TMPFILE},
	{"O_DIRECTORY", file_flags__O_DIRECTORY}, {NULL, 0},
};

enum {
	NOT_OF_OPEN =
		file_flags__O_F_CREATED | file_flags__FD_UPPER_LAYER | file_flags__FD_LOWER_LAYER,
	NOT_OF_CLONE = clone_flags__CLONE_INVERTED | clone_flags__NAME_CHANGED |
		       clone_flags__CLOSED | clone_flags__CLONE_CHILD_IN_PIDNS,
};

/*
 * Whether an open makes a file, and has a mode. Events have O_TMPFILE also of opens of directories,
 * a bit of which it has.
 */
static bool special_has_mode(const struct trace_call *call)
{
	unsigned int id = special_id(call);
	uint64_t flags = trace_values_bits(call, id == EVENT_open ? (unsigned int)open__flags
								  : (unsigned int)openat__flags);
	uint64_t mode = trace_values_bits(call, id == EVENT_open ? (unsigned int)open__mode
								 : (unsigned int)openat__mode);

	return flags & file_flags__O_CREAT || (flags & file_flags__O_TMPFILE && mode);
}

static void special_open_flags(const struct trace_call *call, unsigned int param)
{
	uint64_t hidden = NOT_OF_OPEN;

	if ((special_id(call) == EVENT_open || special_id(call) == EVENT_openat) &&
	    !special_has_mode(call))
		hidden |= file_flags__O_TMPFILE;
	trace_values_append_flags(call->out, file_flags, trace_values_bits(call, param), hidden);
}

static void special_clone_flags(const struct trace_call *call, unsigned int param)
{
	if (special_id(call) == EVENT_clone)
		BUF_LITERAL(call->out, "flags=");
	trace_values_append_flags(call->out, call->event->ev.desc->params[param].set,
				  trace_values_bits(call, param), NOT_OF_CLONE);
}

static void special_hex(const struct trace_call *call, unsigned int param)
{
	uint64_t bits = trace_values_bits(call, param);

	buf_printf(call->out, bits ? "%#" PRIx64 : "%" PRIu64, bits);
}

static void special_signed(const struct trace_call *call, unsigned int param)
{
	buf_append_i64(call->out, (int64_t)trace_values_bits(call, param));
}

static void special_signed_32(const struct trace_call *call, unsigned int param)
{
	buf_append_i64(call->out, (int32_t)trace_values_bits(call, param));
}

static uint64_t special_fcntl_command(const struct trace_call *call)
{
	return trace_values_bits(call, fcntl__cmd);
}

/* Of open files, as the kernel has them, not as events do. */
static void special_append_status_flags(struct buf *out, uint64_t flags)
{
	static const struct param_flag names[] = {
		{"O_APPEND", O_APPEND},
		{"O_NONBLOCK", O_NONBLOCK},
		{"O_SYNC", O_SYNC},
		{"O_ASYNC", O_ASYNC},
		{"O_DIRECT", O_DIRECT},
		{"O_LARGEFILE", 0100000},
		{"O_NOFOLLOW", O_NOFOLLOW},
		{"O_NOATIME", O_NOATIME},
		{"O_PATH", O_PATH},
		{"O_DIRECTORY", O_DIRECTORY},
		{NULL, 0},
	};
	static const char *const modes[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};

	buf_append_string(out, modes[flags & O_ACCMODE]);
	if (!(flags & ~(uint64_t)O_ACCMODE))
		return;
	buf_append_char(out, '|');
	trace_values_append_flags(out, names, flags & ~(uint64_t)O_ACCMODE, 0);
}

/* What was transferred, whatever the buffers were that it was in. */
static void special_vector(const struct trace_call *call, unsigned int param)
{
	BUF_LITERAL(call->out, "[{iov_base=");
	trace_values_append(call, param);
	BUF_LITERAL(call->out, "}, ...]");
}

static void special_fcntl_arg(const struct trace_call *call, unsigned int param)
{
	uint64_t arg = trace_values_bits(call, param);

	switch (special_fcntl_command(call)) {
	case fcntl_commands__F_SETFD:
		buf_append_string(call->out, arg == FD_CLOEXEC ? "FD_CLOEXEC" : "0");
		break;
	case fcntl_commands__F_SETFL:
		special_append_status_flags(call->out, arg);
		break;
	case fcntl_commands__F_SETLK:
	case fcntl_commands__F_SETLKW:
	case fcntl_commands__F_GETLK:
	case fcntl_commands__F_OFD_GETLK:
	case fcntl_commands__F_OFD_SETLK:
	case fcntl_commands__F_OFD_SETLKW:
	case fcntl_commands__F_GETOWN_EX:
	case fcntl_commands__F_SETOWN_EX:
		BUF_LITERAL(call->out, "{...}");
		break;
	default:
		buf_append_u64(call->out, arg);
	}
}

static const struct special_name requests[] = {
	{TCGETS, "TCGETS"},
	{TCSETS, "TCSETS"},
	{TCSETSW, "TCSETSW"},
	{TCSETSF, "TCSETSF"},
	{TIOCGWINSZ, "TIOCGWINSZ"},
	{TIOCSWINSZ, "TIOCSWINSZ"},
	{TIOCGPGRP, "TIOCGPGRP"},
	{TIOCSPGRP, "TIOCSPGRP"},
	{FIONREAD, "FIONREAD"},
	{FIONBIO, "FIONBIO"},
	{FIOCLEX, "FIOCLEX"},
	{FIONCLEX, "FIONCLEX"},
	{TIOCSCTTY, "TIOCSCTTY"},
	{TIOCNOTTY, "TIOCNOTTY"},
	{TIOCGSID, "TIOCGSID"},
	{TIOCGPTN, "TIOCGPTN"},
	{TIOCSPTLCK, "TIOCSPTLCK"},
	{0x40049409, "FICLONE"},
	{0x80086601, "FS_IOC_GETFLAGS"},
	{0x8912, "SIOCGIFCONF"},
	{0x8913, "SIOCGIFFLAGS"},
	{0x8933, "SIOCGIFINDEX"},
	{0x2400, "PERF_EVENT_IOC_ENABLE"},
	{0x2401, "PERF_EVENT_IOC_DISABLE"},
	{0, NULL},
};

/* Numbers of requests are made of a direction, a type, a number and a size. */
static void special_request(const struct trace_call *call, unsigned int param)
{
	static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						 "_IOC_READ|_IOC_WRITE"};
	uint64_t request = trace_values_bits(call, param);
	const char *name = special_find(requests, request);

	if (name)
		buf_append_string(call->out, name);
	else
		buf_printf(call->out, "_IOC(%s, %#x, %#x, %#x)", directions[request >> 30 & 3],
			   (unsigned int)(request >> 8 & 0xff), (unsigned int)(request & 0xff),
			   (unsigned int)(request >> 16 & 0x3fff));
}

/* What a terminal is asked with is a structure. */
static void special_request_argument(const struct trace_call *call, unsigned int param)
{
	uint64_t argument = trace_values_bits(call, param);

	if (special_find(requests, trace_values_bits(call, ioctl__request)) && argument)
		BUF_LITERAL(call->out, "{...}");
	else
		buf_printf(call->out, argument ? "%#" PRIx64 : "%" PRIu64, argument);
}

/* Sockets. */

static void special_socket_type(const struct trace_call *call, unsigned int param)
{
	static const struct special_name types[] = {
		{SOCK_STREAM, "SOCK_STREAM"},
		{SOCK_DGRAM, "SOCK_DGRAM"},
		{SOCK_RAW, "SOCK_RAW"},
		{SOCK_RDM, "SOCK_RDM"},
		{SOCK_SEQPACKET, "SOCK_SEQPACKET"},
		{SOCK_PACKET, "SOCK_PACKET"},
		{0, NULL},
	};
	uint64_t type = trace_values_bits(call, param);

	special_append_name(call->out, types, type & 0xf);
	if (type & SOCK_CLOEXEC)
		BUF_LITERAL(call->out, "|SOCK_CLOEXEC");
	if (type & SOCK_NONBLOCK)
		BUF_LITERAL(call->out, "|SOCK_NONBLOCK");
}

/* Numbers of protocols mean something to IP and netlink alone. */
static void special_protocol(const struct trace_call *call, unsigned int param)
{
	static const struct special_name ip[] = {
		{0, "IPPROTO_IP"},   {1, "IPPROTO_ICMP"},    {6, "IPPROTO_TCP"},
		{17, "IPPROTO_UDP"}, {58, "IPPROTO_ICMPV6"}, {255, "IPPROTO_RAW"},
		{0, NULL},
	};
	static const struct special_name netlink[] = {
		{0, "NETLINK_ROUTE"},		{4, "NETLINK_SOCK_DIAG"}, {9, "NETLINK_AUDIT"},
		{15, "NETLINK_KOBJECT_UEVENT"}, {16, "NETLINK_GENERIC"},  {0, NULL},
	};
	static const struct special_name none[] = {{0, NULL}};
	uint64_t family = trace_values_bits(call, special_id(call) == EVENT_socket
							  ? (unsigned int)socket__domain
							  : (unsigned int)socketpair__domain);

	special_append_name(call->out,
			    family == AF_INET || family == AF_INET6 ? ip
			    : family == AF_NETLINK		    ? netlink
								    : none,
			    trace_values_bits(call, param));
}

/* Flags of a socket as events have them: those of files. */
static void special_socket_flags(const struct trace_call *call, unsigned int param)
{
	uint64_t flags = trace_values_bits(call, param);
	bool closes = flags & file_flags__O_CLOEXEC, blocks = !(flags & file_flags__O_NONBLOCK);

	buf_append_string(call->out, closes ? blocks ? "SOCK_CLOEXEC" : "SOCK_CLOEXEC|SOCK_NONBLOCK"
				     : blocks ? "0"
					      : "SOCK_NONBLOCK");
}

static void special_family(const struct trace_call *call, unsigned int param)
{
	if (trace_values_bits(call, param) == AF_UNIX)
		BUF_LITERAL(call->out, "AF_UNIX");
	else
		trace_values_append(call, param);
}

/* Of a connected socket the event has its other end, whether that is an argument or not. */
static void special_far_end(const struct trace_call *call, unsigned int param)
{
	const struct state_fd *fd = call->event->fd;

	if (fd && !fd->connected && fd->type != SCAP_FD_UNIX)
		trace_values_append(call, param);
	else
		BUF_LITERAL(call->out, "{...}");
}

static void special_message(const struct trace_call *call, unsigned int param)
{
	BUF_LITERAL(call->out, "{msg_iov=[{iov_base=");
	trace_values_append(call, param);
	BUF_LITERAL(call->out, "}, ...], ...}");
}

/* Two descriptors that were made together. */
static void special_append_pair(const struct trace_call *call, unsigned int param)
{
	buf_append_char(call->out, '[');
	trace_values_append_fd(call, (int64_t)trace_values_bits(call, param));
	BUF_LITERAL(call->out, ", ");
	trace_values_append_fd(call, (int64_t)trace_values_bits(call, param + 1));
	buf_append_char(call->out, ']');
}

/* Processes. */

/* A status as wait(2) gives it. */
static void special_wait_status(const struct trace_call *call, unsigned int param)
{
	int status = (int)trace_values_bits(call, param);
	int64_t result = 0;
	const char *name;

	if (trace_values_result(call, &result) && result <= 0) {
		BUF_LITERAL(call->out, "NULL");
	} else if (WIFEXITED(status)) {
		buf_printf(call->out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]",
			   WEXITSTATUS(status));
	} else {
		int number = WIFSIGNALED(status) ? WTERMSIG(status) : WSTOPSIG(status);

		name = event_signal_name((unsigned int)number);
		buf_printf(call->out,
			   WIFSIGNALED(status) ? "[{WIFSIGNALED(s) && WTERMSIG(s) == %s%s}]"
					       : "[{WIFSTOPPED(s) && WSTOPSIG(s) == %s%s}]",
			   name ? name : "?",
			   WIFSIGNALED(status) && WCOREDUMP(status) ? " && WCOREDUMP(s)" : "");
	}
}

/* The name of the program and its arguments are the list that it was given. */
static void special_exec_arguments(const struct trace_call *call, unsigned int param)
{
	const struct event *ev = &call->event->ev;
	unsigned int id = special_id(call);
	unsigned int args =
		id == EVENT_execve ? (unsigned int)execve__args : (unsigned int)execveat__args;
	const struct event_param *name = &ev->params[param], *rest = &ev->params[args];
	size_t len = name->len ? name->len - 1 : 0, max = call->options->string_max;

	buf_append_char(call->out, '[');
	trace_quote_append(call->out, name->data, len, len, max, TRACE_ESCAPES_OCTAL);
	for (size_t at = 0; at < rest->len;) {
		len = strnlen((const char *)rest->data + at, rest->len - at);
		BUF_LITERAL(call->out, ", ");
		trace_quote_append(call->out, rest->data + at, len, len, max, TRACE_ESCAPES_OCTAL);
		at += len + 1;
	}
	buf_append_char(call->out, ']');
}

static void special_environment(const struct trace_call *call, unsigned int param)
{
	const struct event_param *env = &call->event->ev.params[param];
	unsigned int n = 0;

	for (size_t at = 0; at < env->len; n++)
		at += strnlen((const char *)env->data + at, env->len - at) + 1;
	buf_printf(call->out, "[/* %u var%s */]", n, n == 1 ? "" : "s");
}

/* Limits that were not given or not asked for are 0 in events, both. */
static bool special_has_limits(const struct trace_call *call, unsigned int arg)
{
	bool given = trace_values_bits(call, prlimit__newcur) ||
		     trace_values_bits(call, prlimit__newmax);
	bool got = trace_values_bits(call, prlimit__oldcur) ||
		   trace_values_bits(call, prlimit__oldmax);

	return arg == 2 ? given : got;
}

static void special_limit(const struct trace_call *call, unsigned int param)
{
	uint64_t limit = trace_values_bits(call, param);

	if (limit == UINT64_MAX)
		buf_append_string(call->out, special_id(call) == EVENT_prlimit ? "RLIM64_INFINITY"
									       : "RLIM_INFINITY");
	else if (limit > 1024 && limit % 1024 == 0)
		buf_printf(call->out, "%" PRIu64 "*1024", limit / 1024);
	else
		buf_append_u64(call->out, limit);
}

/* A private futex has names of its own. */
static void special_futex(const struct trace_call *call, unsigned int param)
{
	uint64_t op = trace_values_bits(call, param);
	const struct param_flag *set = call->event->ev.desc->params[param].set;
	uint64_t command = op & ~(uint64_t)(futex_operations__FUTEX_PRIVATE_FLAG |
					    futex_operations__FUTEX_CLOCK_REALTIME);

	for (; set->name && set->value != command; set++)
		continue;
	buf_append_string(call->out, set->name ? set->name : "FUTEX_???");
	if (op & futex_operations__FUTEX_PRIVATE_FLAG)
		BUF_LITERAL(call->out, "_PRIVATE");
	if (op & futex_operations__FUTEX_CLOCK_REALTIME)
		BUF_LITERAL(call->out, "|FUTEX_CLOCK_REALTIME");
}

static void special_handler(const struct trace_call *call, unsigned int param)
{
	static const struct special_name handlers[] = {
		{0, "SIG_DFL"}, {1, "SIG_IGN"}, {UINT64_MAX, "SIG_ERR"}, {0, NULL}};

	special_append_name(call->out, handlers, trace_values_bits(call, param));
}

static void special_random(const struct trace_call *call, unsigned int param)
{
	const struct event_param *data = &call->event->ev.params[param];
	int64_t total = 0;

	trace_values_result(call, &total);
	trace_quote_append(call->out, data->data, data->len, total > 0 ? (size_t)total : 0,
			   call->options->string_max, TRACE_ESCAPES_ALL_HEX);
}

static void special_text_of_prctl(const struct trace_call *call, unsigned int param)
{
	if (call->event->ev.params[prctl__arg2_str].len)
		trace_values_append(call, prctl__arg2_str);
	else
		special_hex(call, prctl__arg2_int);
}

/* What was waited for is not told apart from what came: there are the numbers alone. */
static void special_polled(const struct trace_call *call, unsigned int param)
{
	const struct event_param *list = &call->event->ev.params[param];
	const char *apart = "";

	buf_append_char(call->out, '[');
	for (unsigned int i = 0; i < event_fdlist_count(list); i++) {
		struct fdlist_entry entry = event_fdlist_entry(list, i);

		buf_printf(call->out, "%s{fd=", apart);
		trace_values_append_fd(call, entry.fd);
		BUF_LITERAL(call->out, ", ...}");
		apart = ", ";
	}
	buf_append_char(call->out, ']');
}

static const struct {
	uint16_t event;
	uint8_t param;
	special_print *print;
} specials[] = {
	{EVENT_open, open__flags, special_open_flags},
	{EVENT_openat, openat__flags, special_open_flags},
	{EVENT_openat2, openat2__flags, special_open_flags},
	{EVENT_open_by_handle_at, open_by_handle_at__flags, special_open_flags},
	{EVENT_dup3, dup3__flags, special_open_flags},
	{EVENT_pipe2, pipe2__flags, special_open_flags},
	{EVENT_fcntl, fcntl__arg, special_fcntl_arg},
	{EVENT_ioctl, ioctl__request, special_request},
	{EVENT_ioctl, ioctl__argument, special_request_argument},
	{EVENT_readv, readv__data, special_vector},
	{EVENT_writev, writev__data, special_vector},
	{EVENT_preadv, preadv__data, special_vector},
	{EVENT_pwritev, pwritev__data, special_vector},
	{EVENT_preadv2, preadv2__data, special_vector},
	{EVENT_pwritev2, pwritev2__data, special_vector},
	{EVENT_sendmsg, sendmsg__data, special_message},
	{EVENT_recvmsg, recvmsg__data, special_message},
	{EVENT_sendto, sendto__tuple, special_far_end},
	{EVENT_recvfrom, recvfrom__tuple, special_far_end},
	{EVENT_socket, socket__domain, special_family},
	{EVENT_accept4, accept4__flags, special_socket_flags},
	{EVENT_socketpair, socketpair__domain, special_family},
	{EVENT_lseek, lseek__offset, special_signed},
	{EVENT_mmap, mmap__fd, special_signed_32},
	{EVENT_mmap, mmap__offset, special_hex},
	{EVENT_epoll_ctl, epoll_ctl__data, special_hex},
	{EVENT_poll, poll__timeout, special_signed_32},
	{EVENT_poll, poll__fds, special_polled},
	{EVENT_ppoll, ppoll__fds, special_polled},
	{EVENT_clone, clone__flags, special_clone_flags},
	{EVENT_clone3, clone3__flags, special_clone_flags},
	{EVENT_unshare, unshare__flags, special_clone_flags},
	{EVENT_setns, setns__nstype, special_clone_flags},
	{EVENT_execve, execve__exe, special_exec_arguments},
	{EVENT_execve, execve__env, special_environment},
	{EVENT_execveat, execveat__exe, special_exec_arguments},
	{EVENT_execveat, execveat__env, special_environment},
	{EVENT_wait4, wait4__wstatus, special_wait_status},
	{EVENT_prlimit, prlimit__newcur, special_limit},
	{EVENT_prlimit, prlimit__newmax, special_limit},
	{EVENT_prlimit, prlimit__oldcur, special_limit},
	{EVENT_prlimit, prlimit__oldmax, special_limit},
	{EVENT_getrlimit, getrlimit__cur, special_limit},
	{EVENT_getrlimit, getrlimit__max, special_limit},
	{EVENT_setrlimit, setrlimit__cur, special_limit},
	{EVENT_setrlimit, setrlimit__max, special_limit},
	{EVENT_futex, futex__op, special_futex},
	{EVENT_rt_sigaction, rt_sigaction__handler, special_handler},
	{EVENT_rt_sigaction, rt_sigaction__old_handler, special_handler},
	{EVENT_rseq, rseq__rseq_len, special_hex},
	{EVENT_rseq, rseq__sig, special_hex},
	{EVENT_getrandom, getrandom__data, special_random},
	{EVENT_prctl, prctl__arg2_str, special_text_of_prctl},
	{EVENT_prctl, prctl__arg2_int, special_text_of_prctl},
	{EVENT_socket, socket__type, special_socket_type},
	{EVENT_socketpair, socketpair__type, special_socket_type},
	{EVENT_socket, socket__proto, special_protocol},
	{EVENT_socketpair, socketpair__proto, special_protocol},
};

bool trace_special_append_result(const struct trace_call *call, int64_t result)
{
	uint64_t command;

	if (special_id(call) == EVENT_umask) {
		buf_printf(call->out, "%#03" PRIo64, (uint64_t)result);
		return true;
	}
	if (special_id(call) != EVENT_fcntl || result == 0)
		return false;
	command = special_fcntl_command(call);
	if (command != fcntl_commands__F_GETFD && command != fcntl_commands__F_GETFL)
		return false;
	buf_printf(call->out, "%#" PRIx64, (uint64_t)result);
	return true;
}

bool trace_special_append(const struct trace_call *call, unsigned int param)
{
	for (size_t i = 0; i < COUNT(specials); i++)
		if (specials[i].event == special_id(call) && specials[i].param == param) {
			specials[i].print(call, param);
			return true;
		}
	return false;
}

/* The first of two descriptors that are made together; -1: the call makes none. */
static int special_pair(const struct trace_call *call)
{
	switch (special_id(call)) {
	case EVENT_pipe:
		return pipe__fd1;
	case EVENT_pipe2:
		return pipe2__fd1;
	case EVENT_socketpair:
		return socketpair__fd1;
	default:
		return -1;
	}
}

bool trace_special_append_whole(const struct trace_call *call, unsigned int arg)
{
	int pair = special_pair(call);
	int64_t result;

	if (pair >= 0 && call->shape->args[pair] == (int)arg) {
		if (trace_values_result(call, &result) && result < 0)
			BUF_LITERAL(call->out, "[...]");
		else
			special_append_pair(call, (unsigned int)pair);
		return true;
	}
	if (special_id(call) != EVENT_prlimit || arg < 2 || special_has_limits(call, arg))
		return false;
	/* If neither has any, it is not known which of them is 0. */
	buf_append_string(call->out, special_has_limits(call, 5 - arg) ? "NULL" : "{...}");
	return true;
}

bool trace_special_append_missing(const struct trace_call *call, unsigned int arg)
{
	const struct event_param *list = &call->event->ev.params[poll__fds];

	if (special_id(call) == EVENT_clone) {
		BUF_LITERAL(call->out, "child_stack=...");
		return true;
	}
	if ((special_id(call) != EVENT_poll && special_id(call) != EVENT_ppoll) || arg != 1 ||
	    !list->len)
		return false;
	buf_append_u64(call->out, event_fdlist_count(list));
	return true;
}

unsigned int trace_special_count(const struct trace_call *call)
{
	unsigned int nargs = call->shape->nargs;
	uint64_t command;

	switch (special_id(call)) {
	case EVENT_open:
	case EVENT_openat:
		return special_has_mode(call) ? nargs : nargs - 1;
	case EVENT_fcntl:
		command = special_fcntl_command(call);
		return command == fcntl_commands__F_GETFD || command == fcntl_commands__F_GETFL ||
				       command == fcntl_commands__F_GETOWN ||
				       command == fcntl_commands__F_GETSIG ||
				       command == fcntl_commands__F_GETPIPE_SZ ||
				       command == fcntl_commands__F_GETLEASE
			       ? 2
			       : nargs;
	case EVENT_futex:
		return (trace_values_bits(call, futex__op) & 0x7f) == futex_operations__FUTEX_WAKE
			       ? 3
			       : 4;
	default:
		return nargs;
	}
}

/* The names that structures have where events have others. */
static const struct {
	uint16_t event;
	uint8_t param;
	const char *name;
} members[] = {
	{EVENT_rt_sigaction, rt_sigaction__handler, "sa_handler"},
	{EVENT_rt_sigaction, rt_sigaction__mask, "sa_mask"},
	{EVENT_rt_sigaction, rt_sigaction__flags, "sa_flags"},
	{EVENT_rt_sigaction, rt_sigaction__old_handler, "sa_handler"},
	{EVENT_rt_sigaction, rt_sigaction__old_mask, "sa_mask"},
	{EVENT_rt_sigaction, rt_sigaction__old_flags, "sa_flags"},
	{EVENT_prlimit, prlimit__newcur, "rlim_cur"},
	{EVENT_prlimit, prlimit__newmax, "rlim_max"},
	{EVENT_prlimit, prlimit__oldcur, "rlim_cur"},
	{EVENT_prlimit, prlimit__oldmax, "rlim_max"},
	{EVENT_getrlimit, getrlimit__cur, "rlim_cur"},
	{EVENT_getrlimit, getrlimit__max, "rlim_max"},
	{EVENT_setrlimit, setrlimit__cur, "rlim_cur"},
	{EVENT_setrlimit, setrlimit__max, "rlim_max"},
	{EVENT_wait4, wait4__utime, "ru_utime"},
	{EVENT_wait4, wait4__stime, "ru_stime"},
	{EVENT_wait4, wait4__maxrss, "ru_maxrss"},
	{EVENT_wait4, wait4__minflt, "ru_minflt"},
	{EVENT_wait4, wait4__majflt, "ru_majflt"},
};

const char *trace_special_member(const struct trace_call *call, unsigned int param)
{
	for (size_t i = 0; i < COUNT(members); i++)
		if (members[i].event == special_id(call) && members[i].param == param)
			return members[i].name;
	return call->event->ev.desc->params[param].name;
}

static void special_append_fcntl(const struct trace_call *call, uint64_t result)
{
	uint64_t command = special_fcntl_command(call);

	if (command == fcntl_commands__F_GETFD && result & FD_CLOEXEC)
		BUF_LITERAL(call->out, " (flags FD_CLOEXEC)");
	if (command != fcntl_commands__F_GETFL)
		return;
	BUF_LITERAL(call->out, " (flags ");
	special_append_status_flags(call->out, result);
	buf_append_char(call->out, ')');
}

void trace_special_append_given(const struct trace_call *call, int64_t result)
{
	unsigned int id = special_id(call);

	if (id == EVENT_fcntl && result >= 0)
		special_append_fcntl(call, (uint64_t)result);
	if ((id == EVENT_poll || id == EVENT_ppoll) && result == 0)
		BUF_LITERAL(call->out, " (Timeout)");
	if (id == EVENT_personality && result == 0)
		BUF_LITERAL(call->out, " (PER_LINUX)");
}
