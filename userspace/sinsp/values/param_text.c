/* SPDX-License-Identifier: MIT */
/* Parameters as text, by type. */
#include "sinsp/values/param_text.h"

#include <string.h>
#include <sys/stat.h>

#include "event/names.h"
#include "sinsp/state/path.h"
#include "sinsp/values/clock.h"
#include "sinsp/values/text_value.h"
#include "util/error.h"
#include "util/terminal.h"

/* The text of lists of numbers, and of sets of small numbers. */

void text_append_numbers(struct buf *out, const struct event_param *param, enum param_type type)
{
	for (size_t n = 0; n < param->len / param_type_number_size(type); n++) {
		if (n > 0)
			buf_append_char(out, ' ');
		buf_append_u64(out, event_param_number(param, type, n));
	}
}

static bool param_text_has_bit(const uint8_t *data, size_t bits, size_t bit)
{
	return bit < bits && (data[bit / 8] >> bit % 8 & 1);
}

void text_append_bits(struct buf *out, const uint8_t *data, size_t len)
{
	size_t bits = len * 8, start = out->len;

	for (size_t bit = 0; bit < bits; bit++) {
		size_t first = bit;

		if (!param_text_has_bit(data, bits, bit))
			continue;
		while (param_text_has_bit(data, bits, bit + 1))
			bit++;
		if (out->len > start)
			buf_append_char(out, ',');
		buf_append_u64(out, first);
		if (bit > first) {
			buf_append_char(out, '-');
			buf_append_u64(out, bit);
		}
	}
}

/* Parameters as text: a renderer for each type, found through two tables. */

enum { RESULT_PARAM = 0, FD_CWD = -100 };

typedef void renderer(const struct sinsp_event *event, unsigned int index, struct buf *out);

static const struct param_desc *desc_of(const struct sinsp_event *event, unsigned int index)
{
	return &event->ev.desc->params[index];
}

/* The bits of a fixed-size parameter, not extended. */
static uint64_t param_text_bits_of(const struct sinsp_event *event, unsigned int index)
{
	return value_bits(event_param_u64(&event->ev, index), event->ev.params[index].len);
}

/* Decimal numbers are shown as signed ones of their width, whatever their type. */
static int64_t as_signed(uint64_t bits, uint32_t len)
{
	unsigned int unused_bits = 64 - 8 * len;

	return (int64_t)(bits << unused_bits) >> unused_bits;
}

static void raw_number(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t bits = param_text_bits_of(event, index);

	switch (desc_of(event, index)->format) {
	case PF_HEX:
		buf_append_hex(out, bits, 1);
		break;
	case PF_OCT:
		if (bits)
			buf_append_char(out, '0');
		buf_append_octal(out, bits);
		break;
	default:
		buf_append_i64(out, as_signed(bits, event->ev.params[index].len));
	}
}

static void raw_unsigned(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	buf_append_u64(out, param_text_bits_of(event, index));
}

/* Results are decimal, whatever their format: the table declares that of mmap an address. */
static void raw_result(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	buf_append_i64(out, event_param_i64(&event->ev, index));
}

static void raw_string(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	const char *text = event_param_string(&event->ev, index);

	/* Old captures have this text for an absent string. */
	buf_append_string(out, strcmp(text, "(NULL)") == 0 ? "<NA>" : text);
}

static void raw_numbers(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	text_append_numbers(out, &event->ev.params[index], desc_of(event, index)->type);
}

static void raw_bits(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	text_append_bits(out, event->ev.params[index].data, event->ev.params[index].len);
}

static void raw_ip(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	text_append_ip(out, event->ev.params[index].data, event->ev.params[index].len);
}

static void raw_syscall(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t code = param_text_bits_of(event, index);

	if (code < SYSCALL_CODES_COUNT)
		buf_append_u64(out, code);
	else
		BUF_LITERAL(out, "<unknown syscall>");
}

static void raw_signal_set(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t set = param_text_bits_of(event, index);
	bool first = true;

	for (unsigned int i = 0; i < 32; i++) {
		const char *name = signal_name(i + 1);

		if (!(set >> i & 1) || !name)
			continue;
		if (!first)
			buf_append_char(out, ' ');
		buf_append_string(out, name);
		first = false;
	}
}

static void raw_duration(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t ns = param_text_bits_of(event, index);

	if (ns == UINT64_MAX)
		BUF_LITERAL(out, "none");
	else
		buf_append_u64(out, ns);
}

static void raw_time(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t ns = param_text_bits_of(event, index);
	struct clock clock = {0};
	char fraction[9];

	clock_fraction(fraction, ns);
	buf_append_string(out, clock_local(&clock, ns));
	buf_append_char(out, '.');
	buf_append(out, fraction, sizeof(fraction));
}

static void append_fd_kind(struct buf *out, const struct sinsp_fd *fd)
{
	static const char l4_letters[] = {
		[SCAP_L4_TCP] = 't',
		[SCAP_L4_UDP] = 'u',
		[SCAP_L4_ICMP] = 'i',
		[SCAP_L4_RAW] = 'r',
	};

	buf_append_char(out, scap_fd_type_char(fd->type));
	if ((fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6) && fd->l4 != SCAP_L4_UNKNOWN)
		buf_append_char(out, l4_letters[fd->l4]);
}

/* The event's entry is valid even after the event has closed it. */
static const struct sinsp_fd *param_text_find_fd(const struct sinsp_event *event, int64_t num)
{
	if (event->fd && event->fd_num == num)
		return event->fd;
	return event->thread ? sinsp_fds_find(event->thread->fds, num) : NULL;
}

static void resolved_errno(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	int64_t value = event_param_i64(&event->ev, index);
	const char *name = errno_name(value);

	if (name)
		buf_append_string(out, name);
}

static void resolved_fd(const struct sinsp_event *event, unsigned int index,
			const struct text_style *style, struct buf *out)
{
	int64_t num = event_param_i64(&event->ev, index);
	const struct sinsp_fd *fd;

	if (num == FD_CWD) {
		BUF_LITERAL(out, "AT_FDCWD");
		return;
	}
	if (num < 0) {
		/* As an argument -1 means no descriptor; only as a result it means EPERM. */
		if (num != -1 || index == RESULT_PARAM)
			resolved_errno(event, index, out);
		return;
	}
	fd = param_text_find_fd(event, num);
	if (!fd)
		return;
	buf_append_char(out, '<');
	append_fd_kind(out, fd);
	buf_append_char(out, '>');
	text_append_fd_name(out, fd, style);
}

static void resolved_thread(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	int64_t tid = event_param_i64(&event->ev, index);
	const struct sinsp_thread *thread = event->thread;

	if (!thread || thread->tid != tid)
		thread = sinsp_thread_find(event->sinsp, tid);
	if (thread)
		buf_append_string(out, thread->comm);
}

static void resolved_path(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	static const char unknown[] = SINSP_PATH_UNKNOWN;
	const char *raw = event_param_string(&event->ev, index);
	char path[SINSP_PATH_MAX];
	bool from_unknown;

	if (!event->thread || raw[0] == '/')
		return;
	if (sinsp_event_path(event, index, path, sizeof(path)) == 0)
		return;
	/* The name of a base that is no directory (a pipe, a memfd) begins with neither. */
	from_unknown = strncmp(path, unknown, sizeof(unknown) - 1) == 0;
	buf_append_string(out, from_unknown ? path + sizeof(unknown) - 1 : path);
}

static void resolved_syscall(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	const char *name = syscall_name((unsigned int)param_text_bits_of(event, index));

	if (name)
		buf_append_string(out, name);
}

static void resolved_signal(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	const char *name = signal_name((unsigned int)param_text_bits_of(event, index));

	if (name)
		buf_append_string(out, name);
}

static void resolved_duration(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t ns = param_text_bits_of(event, index);

	if (ns != UINT64_MAX)
		buf_printf(out, "%gs", (double)ns / 1e9);
}

static void param_text_append_name(struct buf *out, size_t start, const char *name)
{
	if (out->len > start)
		buf_append_char(out, '|');
	buf_append_string(out, name);
}

/* Bits are named in the order of the set; each bit once. */
static void param_text_append_flags(struct buf *out, const struct flag_name *set, uint64_t value)
{
	uint64_t left = value;
	size_t start = out->len;

	for (; set && set->name; set++) {
		bool matches = set->value ? left && (left & set->value) == set->value : value == 0;

		if (!matches)
			continue;
		param_text_append_name(out, start, set->name);
		left &= ~(uint64_t)set->value;
		if (set->value == value)
			break;
	}
}

static void resolved_flags(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	param_text_append_flags(out, desc_of(event, index)->set, param_text_bits_of(event, index));
}

/* File types share bits: the type is one number, after the permissions. */
static void resolved_mode(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	const struct flag_name *set = desc_of(event, index)->set;
	uint64_t mode = param_text_bits_of(event, index), type = mode & S_IFMT;
	size_t start = out->len;

	param_text_append_flags(out, set, mode & ~(uint64_t)S_IFMT);
	for (; type && set && set->name; set++)
		if (set->value == type)
			param_text_append_name(out, start, set->name);
}

static void resolved_enum(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t value = param_text_bits_of(event, index);
	size_t start = out->len;

	for (const struct flag_name *flag = desc_of(event, index)->set; flag && flag->name; flag++)
		if (flag->value == value)
			param_text_append_name(out, start, flag->name);
}

static void append_id_name(struct buf *out, uint64_t id, const char *name)
{
	if (id == UINT32_MAX)
		name = "<NONE>";
	buf_append_string(out, name ? name : "<NA>");
}

static void resolved_user(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t id = param_text_bits_of(event, index);

	append_id_name(out, id, sinsp_event_user_name(event, (uint32_t)id));
}

static void resolved_group(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	uint64_t id = param_text_bits_of(event, index);

	append_id_name(out, id, sinsp_event_group_name(event, (uint32_t)id));
}

/* Lists show the bits of an event as a 32-bit number, sign-extended from the lowest 16 bits. */
static void raw_fd_list(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	const struct event_param *list = &event->ev.params[index];

	for (unsigned int i = 0; i < event_fdlist_count(list); i++) {
		struct fdlist_entry entry = event_fdlist_entry(list, i);
		const struct sinsp_fd *fd = param_text_find_fd(event, entry.fd);

		if (i > 0)
			buf_append_char(out, ' ');
		buf_append_i64(out, entry.fd);
		buf_append_char(out, ':');
		buf_append_char(out, fd ? scap_fd_type_char(fd->type) : '?');
		buf_append_hex_lower(out, (uint32_t)entry.events);
	}
}

/*
 * A value of type DYN is rendered as the only parameter of a temporary event, in the format of the
 * original parameter.
 */
struct inner {
	struct param_desc param;
	struct event_desc desc;
	struct sinsp_event event;
};

static struct dyn_value make_inner(struct inner *inner, const struct sinsp_event *event,
				   unsigned int index)
{
	const struct param_desc *outer = desc_of(event, index);
	struct dyn_value value = event_dyn_value(outer, &event->ev.params[index]);

	inner->param = (struct param_desc){.type = value.kind->type, .format = outer->format};
	inner->desc = (struct event_desc){.nparams = 1, .params = &inner->param};
	inner->event = *event;
	inner->event.ev.desc = &inner->desc;
	inner->event.ev.params[0] = value.param;
	return value;
}

/* An empty value after the kind is a string or a buffer, with special texts in the .scap world. */
static void append_dyn(const struct sinsp_event *event, unsigned int index,
		       const struct text_style *style, struct buf *out)
{
	struct inner inner;
	struct dyn_value value = make_inner(&inner, event, index);

	if (value.param.len)
		param_text_raw(&inner.event, 0, style, out);
	else if (value.kind->type == PT_CHARBUF)
		BUF_LITERAL(out, "(null)");
}

/* Numeric types that are not listed use raw_number(). */
static renderer *const raw_renderers[PT_TYPES_COUNT] = {
	[PT_FLAGS8] = raw_unsigned,
	[PT_FLAGS16] = raw_unsigned,
	[PT_FLAGS32] = raw_unsigned,
	[PT_FLAGS64] = raw_unsigned,
	[PT_ENUMFLAGS8] = raw_unsigned,
	[PT_ENUMFLAGS16] = raw_unsigned,
	[PT_ENUMFLAGS32] = raw_unsigned,
	[PT_ERRNO] = raw_result,
	[PT_SYSCALLID] = raw_syscall,
	[PT_SIGTYPE] = raw_unsigned,
	[PT_SIGSET] = raw_signal_set,
	[PT_RELTIME] = raw_duration,
	[PT_ABSTIME] = raw_time,
	[PT_CHARBUF] = raw_string,
	[PT_FSPATH] = raw_string,
	[PT_FSRELPATH] = raw_string,
	[PT_FDLIST] = raw_fd_list,
	[PT_UINT32LIST] = raw_numbers,
	[PT_UINT64LIST] = raw_numbers,
	[PT_BITSET] = raw_bits,
	[PT_IPADDR] = raw_ip,
};

static renderer *const resolved_renderers[PT_TYPES_COUNT] = {
	[PT_FLAGS8] = resolved_flags,	  [PT_FLAGS16] = resolved_flags,
	[PT_FLAGS32] = resolved_flags,	  [PT_FLAGS64] = resolved_flags,
	[PT_ENUMFLAGS8] = resolved_enum,  [PT_ENUMFLAGS16] = resolved_enum,
	[PT_ENUMFLAGS32] = resolved_enum, [PT_MODE] = resolved_mode,
	[PT_PID] = resolved_thread,	  [PT_PID32] = resolved_thread,
	[PT_ERRNO] = resolved_errno,	  [PT_UID] = resolved_user,
	[PT_GID] = resolved_group,	  [PT_SYSCALLID] = resolved_syscall,
	[PT_SIGTYPE] = resolved_signal,	  [PT_RELTIME] = resolved_duration,
	[PT_FSPATH] = resolved_path,	  [PT_FSRELPATH] = resolved_path,
};

static const char *absent_text(enum param_type type)
{
	switch (type) {
	case PT_BYTEBUF:
	case PT_SOCKTUPLE:
	case PT_FDLIST:
	case PT_CHARBUFARRAY:
	case PT_DYN:
	case PT_UINT32LIST:
	case PT_UINT64LIST:
	case PT_BITSET:
		return "NULL";
	default:
		return "<NA>";
	}
}

static void append_raw(const struct sinsp_event *event, unsigned int index, struct buf *out)
{
	renderer *render = raw_renderers[desc_of(event, index)->type];

	(render ? render : raw_number)(event, index, out);
}

static void param_text_mask(const struct text_style *style, struct buf *out, size_t start)
{
	if (style->masked && !out->failed)
		terminal_mask(out->data + start, out->len - start);
}

void param_text_raw(const struct sinsp_event *event, unsigned int index,
		    const struct text_style *style, struct buf *out)
{
	enum param_type type = desc_of(event, index)->type;
	size_t start = out->len;

	if (!event_param_present(&event->ev, index)) {
		buf_append_string(out, absent_text(type));
	} else if (type == PT_BYTEBUF || type == PT_CHARBUFARRAY) {
		text_append_buffer(out, style, event->ev.params[index].data,
				   event->ev.params[index].len);
	} else if (type == PT_SOCKADDR) {
		text_append_sockaddr(out, &event->ev.params[index], style->services);
		param_text_mask(style, out, start);
	} else if (type == PT_SOCKTUPLE) {
		text_append_socktuple(out, &event->ev.params[index], style->services);
		param_text_mask(style, out, start);
	} else if (type == PT_DYN) {
		append_dyn(event, index, style, out);
	} else {
		append_raw(event, index, out);
		param_text_mask(style, out, start);
	}
}

void param_text_resolved(const struct sinsp_event *event, unsigned int index,
			 const struct text_style *style, struct buf *out)
{
	enum param_type type = desc_of(event, index)->type;
	size_t start = out->len;
	struct inner inner;

	if (!event_param_present(&event->ev, index))
		return;
	if (type == PT_DYN) {
		make_inner(&inner, event, index);
		param_text_resolved(&inner.event, 0, style, out);
		return;
	}
	if (type == PT_FD || type == PT_FD32)
		resolved_fd(event, index, style, out);
	else if (resolved_renderers[type])
		resolved_renderers[type](event, index, out);
	param_text_mask(style, out, start);
}

void param_text_append(const struct sinsp_event *event, unsigned int index,
		       const struct text_style *style, struct buf *out)
{
	size_t start = out->len;

	param_text_resolved(event, index, style, out);
	if (out->len == start)
		param_text_raw(event, index, style, out);
}

/* Extensions are shown if they add information to the other parameters. */
static bool param_text_is_shown(const struct sinsp_event *event, unsigned int index)
{
	const struct param_desc *desc = desc_of(event, index);

	return !desc->extension || (!desc->quiet && event_param_present(&event->ev, index));
}

static void append_param(const struct sinsp_event *event, unsigned int index,
			 const struct text_style *style, struct buf *out)
{
	size_t before;

	if (index > 0)
		buf_append_char(out, ' ');
	buf_append_string(out, desc_of(event, index)->name);
	buf_append_char(out, '=');
	param_text_raw(event, index, style, out);
	/* The bracket is removed if nothing follows it. */
	before = out->len;
	buf_append_char(out, '(');
	param_text_resolved(event, index, style, out);
	if (out->len > before + 1)
		buf_append_char(out, ')');
	else
		out->len = before;
}

void param_text_all(const struct sinsp_event *event, const struct text_style *style,
		    struct buf *out)
{
	const struct event_desc *desc = event->ev.desc;

	/* The name of the call suffices, unless it is unknown. */
	if (desc->id == EVENT_syscall && event_syscall_code(&event->ev) != SC_unknown)
		return;
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (param_text_is_shown(event, i))
			append_param(event, i, style, out);
}
