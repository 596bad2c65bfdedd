/* SPDX-License-Identifier: MIT */
/* Values by the kind that their type implies. */
#include "trace/values.h"

#include <inttypes.h>
#include <string.h>

#include "event/names.h"
#include "trace/quote.h"

enum { FD_CWD = -100, STRING_WHOLE = 1 << 16 };

static const struct event_param *values_param(const struct trace_call *call, unsigned int param)
{
	return &call->event->ev.params[param];
}

static const struct param_desc *values_desc(const struct trace_call *call, unsigned int param)
{
	return &call->event->ev.desc->params[param];
}

static int64_t values_value(const struct trace_call *call, unsigned int param)
{
	return event_value_i64(values_desc(call, param)->type, values_param(call, param));
}

uint64_t trace_values_bits(const struct trace_call *call, unsigned int param)
{
	const struct event_param *value = values_param(call, param);

	return value->len ? event_value_bits((uint64_t)values_value(call, param), value->len) : 0;
}

bool trace_values_result(const struct trace_call *call, int64_t *result)
{
	if (call->shape->result == TRACE_NO_ARG ||
	    !values_param(call, (unsigned int)call->shape->result)->len)
		return false;
	*result = values_value(call, (unsigned int)call->shape->result);
	return true;
}

/* Descriptors. */

static const struct state_fd *values_find_fd(const struct state_event *event, int64_t num)
{
	if (event->fd && event->fd_num == num)
		return event->fd;
	return event->thread ? state_fds_find(event->thread->fds, num) : NULL;
}

/* What -y has of a socket, and what -yy has instead. */
static void values_append_socket(const struct trace_call *call, const struct state_fd *fd)
{
	static const char *const protocols[] = {
		[SCAP_L4_UNKNOWN] = "IP", [SCAP_L4_TCP] = "TCP", [SCAP_L4_UDP] = "UDP",
		[SCAP_L4_ICMP] = "ICMP",  [SCAP_L4_RAW] = "RAW",
	};
	bool is_ip = fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6;

	if (call->options->names < TRACE_NAMES_ALL || !fd->name_len) {
		buf_printf(call->out, "socket:[%" PRIu64 "]", state_fd_ino(fd));
		return;
	}
	buf_printf(call->out, "%s%s:[",
		   is_ip		      ? protocols[fd->l4]
		   : fd->type == SCAP_FD_UNIX ? "UNIX"
					      : "NETLINK",
		   fd->type == SCAP_FD_IPV6 && fd->l4 != SCAP_L4_UNKNOWN ? "v6" : "");
	buf_append(call->out, fd->name, fd->name_len);
	buf_append_char(call->out, ']');
}

static void values_append_fd_name(const struct trace_call *call, const struct state_fd *fd)
{
	struct buf *out = call->out;

	buf_append_char(out, '<');
	if (state_fd_is_socket(fd))
		values_append_socket(call, fd);
	else if (fd->name_len)
		buf_append(out, fd->name, fd->name_len);
	else if (fd->type == SCAP_FD_PIPE)
		buf_printf(out, "pipe:[%" PRIu64 "]", state_fd_ino(fd));
	else
		buf_printf(out, "anon_inode:[%s]", state_fd_type_name(fd->type));
	buf_append_char(out, '>');
}

void trace_values_append_fd(const struct trace_call *call, int64_t num)
{
	const struct state_thread *thread = call->event->thread;
	const struct state_fd *fd;

	if (num == FD_CWD) {
		BUF_LITERAL(call->out, "AT_FDCWD");
		if (call->options->names && thread && thread->fs->cwd_len > 1)
			buf_printf(call->out, "<%.*s>", (int)thread->fs->cwd_len - 1,
				   thread->fs->cwd);
		return;
	}
	buf_append_i64(call->out, num);
	if (!call->options->names || num < 0)
		return;
	fd = values_find_fd(call->event, num);
	if (fd)
		values_append_fd_name(call, fd);
}

/* Values by kind. */

void trace_values_append_flags(struct buf *out, const struct param_flag *set, uint64_t value,
			       uint64_t hidden)
{
	uint64_t left = value & ~hidden;
	size_t start = out->len;

	for (; set && set->name; set++) {
		if (set->value ? (left & set->value) != set->value || hidden & set->value
			       : value != 0)
			continue;
		buf_printf(out, "%s%s", out->len > start ? "|" : "", set->name);
		left &= ~(uint64_t)set->value;
	}
	if (left)
		buf_printf(out, "%s%#" PRIx64, out->len > start ? "|" : "", left);
	else if (out->len == start)
		buf_append_char(out, '0');
}

/* The type of a file is one number beside the permissions; those have at least three digits. */
static void values_append_mode(struct buf *out, uint64_t mode)
{
	static const struct {
		uint64_t type;
		const char *name;
	} types[] = {{0140000, "S_IFSOCK"}, {0120000, "S_IFLNK"}, {0100000, "S_IFREG"},
		     {0060000, "S_IFBLK"},  {0040000, "S_IFDIR"}, {0020000, "S_IFCHR"},
		     {0010000, "S_IFIFO"}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((mode & 0170000) == types[i].type)
			buf_printf(out, "%s|", types[i].name);
	buf_printf(out, "%#03" PRIo64, mode & 07777);
}

static bool values_is_mode(const struct param_desc *desc)
{
	return desc->format == PF_OCT || desc->type == PT_MODE || strcmp(desc->name, "mode") == 0;
}

static void values_append_number(const struct trace_call *call, unsigned int param)
{
	const struct param_desc *desc = values_desc(call, param);
	uint64_t bits = trace_values_bits(call, param);

	if (values_is_mode(desc))
		values_append_mode(call->out, bits);
	else if (desc->format == PF_HEX && bits == 0)
		buf_append_string(call->out, desc->type == PT_UINT64 ? "NULL" : "0");
	else if (desc->format == PF_HEX)
		buf_printf(call->out, "%#" PRIx64, bits);
	else if (param_type_is_signed(desc->type))
		buf_append_i64(call->out, values_value(call, param));
	else
		buf_append_u64(call->out, bits);
}

static void values_append_enum(const struct trace_call *call, unsigned int param)
{
	uint64_t bits = trace_values_bits(call, param);

	for (const struct param_flag *flag = values_desc(call, param)->set; flag && flag->name;
	     flag++)
		if (flag->value == bits) {
			buf_append_string(call->out, flag->name);
			return;
		}
	buf_printf(call->out, bits ? "%#" PRIx64 : "%" PRIx64, bits);
}

/*
 * Events have the first 32 signals alone. As strace does, where most are in the set those are
 * shown that are not.
 */
static void values_append_signal_set(struct buf *out, uint64_t set)
{
	enum { KNOWN = 31, MOST = 21 };
	bool inverted = __builtin_popcountll(set) >= MOST;
	const char *apart = "";

	buf_append_string(out, inverted ? "~[" : "[");
	for (unsigned int i = 0; i < KNOWN; i++) {
		const char *name = event_signal_name(i + 1);

		if ((set >> i & 1) == inverted || !name)
			continue;
		buf_printf(out, "%s%s", apart, name + (strncmp(name, "SIG", 3) ? 0 : 3));
		apart = " ";
	}
	buf_append_string(out, inverted ? (*apart ? " ...]" : "...]") : "]");
}

void trace_values_append_signal(struct buf *out, uint64_t number)
{
	enum { REALTIME = 32, SIGNALS = 64 };
	const char *name = event_signal_name((unsigned int)number);

	if (number == REALTIME)
		BUF_LITERAL(out, "SIGRTMIN");
	else if (name)
		buf_append_string(out, name);
	else if (number > REALTIME && number <= SIGNALS)
		buf_printf(out, "SIGRT_%u", (unsigned int)number - REALTIME);
	else
		buf_append_u64(out, number);
}

/* Texts that end with a NUL each. */
static void values_append_list(const struct trace_call *call, const struct event_param *list)
{
	const char *apart = "";

	buf_append_char(call->out, '[');
	for (size_t at = 0; at < list->len;) {
		size_t len = strnlen((const char *)list->data + at, list->len - at);

		buf_append_string(call->out, apart);
		trace_quote_append(call->out, list->data + at, len, len, call->options->string_max,
				   TRACE_ESCAPES_OCTAL);
		apart = ", ";
		at += len + 1;
	}
	buf_append_char(call->out, ']');
}

static void values_append_numbers(const struct trace_call *call, unsigned int param)
{
	enum param_type type = values_desc(call, param)->type;
	const struct event_param *list = values_param(call, param);

	buf_append_char(call->out, '[');
	for (size_t n = 0; n < list->len / param_type_number_size(type); n++)
		buf_printf(call->out, "%s%" PRIu64, n ? ", " : "",
			   event_param_number(list, type, n));
	buf_append_char(call->out, ']');
}

static void values_append_bits(struct buf *out, const struct event_param *set)
{
	const char *apart = "";

	buf_append_char(out, '[');
	for (size_t bit = 0; bit < (size_t)set->len * 8; bit++) {
		if (!(set->data[bit / 8] >> bit % 8 & 1))
			continue;
		buf_printf(out, "%s%zu", apart, bit);
		apart = " ";
	}
	buf_append_char(out, ']');
}

/* How many bytes there were, of which the event has the first. */
static size_t values_total(const struct trace_call *call, unsigned int param)
{
	size_t len = values_param(call, param)->len;
	const struct event_desc *desc = call->event->ev.desc;
	bool writes = (desc->flags & EF_WRITES_TO_FD) != 0;
	int size = writes ? event_param_find(desc, "size") : -1;
	int64_t total = 0;

	if (size >= 0)
		total = (int64_t)trace_values_bits(call, (unsigned int)size);
	else if (!writes)
		trace_values_result(call, &total);
	return total > (int64_t)len ? (size_t)total : len;
}

static void values_append_string(const struct trace_call *call, unsigned int param)
{
	const struct event_param *value = values_param(call, param);
	size_t len = strnlen((const char *)value->data, value->len);
	bool cut = strcmp(values_desc(call, param)->name, "buf") == 0;

	trace_quote_append(call->out, value->data, len, len,
			   cut ? call->options->string_max : STRING_WHOLE, TRACE_ESCAPES_OCTAL);
}

/* Calls of which members are microseconds. */
static bool values_has_micros(const struct trace_call *call)
{
	unsigned int id = call->event->ev.desc->id;

	return id == EVENT_setitimer || id == EVENT_getitimer || id == EVENT_gettimeofday ||
	       id == EVENT_wait4 || id == EVENT_waitid || id == EVENT_getrusage ||
	       id == EVENT_utimes || id == EVENT_futimesat;
}

static void values_append_duration(const struct trace_call *call, uint64_t ns)
{
	if (ns == UINT64_MAX)
		BUF_LITERAL(call->out, "NULL");
	else
		trace_quote_time(call->out, ns, values_has_micros(call));
}

/* Values of any length. */
static bool values_append_long(const struct trace_call *call, unsigned int param)
{
	const struct event_param *value = values_param(call, param);

	switch (param_type_kind(values_desc(call, param)->type)) {
	case PARAM_STRING:
	case PARAM_PATH:
		values_append_string(call, param);
		return true;
	case PARAM_BYTES:
		trace_quote_append(call->out, value->data, value->len, values_total(call, param),
				   call->options->string_max, TRACE_ESCAPES_OCTAL);
		return true;
	case PARAM_LIST:
		values_append_list(call, value);
		return true;
	case PARAM_NUMBERS:
		values_append_numbers(call, param);
		return true;
	case PARAM_BITS:
		values_append_bits(call->out, value);
		return true;
	case PARAM_SOCKADDR:
		trace_quote_sockaddr(call->out, value);
		return true;
	case PARAM_SOCKTUPLE:
		trace_quote_peer(call->out, value,
				 !(call->event->ev.desc->flags & EF_WRITES_TO_FD));
		return true;
	case PARAM_FD_LIST:
	case PARAM_DYN:
		BUF_LITERAL(call->out, "{...}");
		return true;
	default:
		return false;
	}
}

/* Values of a fixed size. */
static void values_append_fixed(const struct trace_call *call, unsigned int param)
{
	const struct param_desc *desc = values_desc(call, param);
	uint64_t bits = trace_values_bits(call, param);

	switch (param_type_kind(desc->type)) {
	case PARAM_FD:
		trace_values_append_fd(call, values_value(call, param));
		break;
	case PARAM_FLAGS:
		trace_values_append_flags(call->out, desc->set, bits, 0);
		break;
	case PARAM_ENUM:
		values_append_enum(call, param);
		break;
	case PARAM_SIGNAL:
		trace_values_append_signal(call->out, bits);
		break;
	case PARAM_SIGNAL_SET:
		values_append_signal_set(call->out, bits);
		break;
	case PARAM_DURATION:
	case PARAM_TIME:
		values_append_duration(call, bits);
		break;
	case PARAM_USER:
	case PARAM_GROUP:
	case PARAM_THREAD:
	case PARAM_RESULT:
		buf_append_i64(call->out, (int32_t)values_value(call, param));
		break;
	default:
		values_append_number(call, param);
	}
}

void trace_values_append(const struct trace_call *call, unsigned int param)
{
	if (!values_append_long(call, param))
		values_append_fixed(call, param);
}
