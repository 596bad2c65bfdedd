/* SPDX-License-Identifier: MIT */
/* Parameters as text, by type. */
#include "sinsp/fields/param_text.h"

#include <string.h>
#include <sys/stat.h>

#include "event/names.h"
#include "sinsp/state/path.h"
#include "sinsp/fields/clock.h"
#include "sinsp/fields/text_value.h"
#include "util/error.h"
#include "util/terminal.h"

/* The text of lists of numbers, and of sets of small numbers. */

void param_append_numbers(struct buf *out, const struct event_param *param, enum param_type type)
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

void param_append_bits(struct buf *out, const uint8_t *data, size_t len)
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

/* Parameters as text: two renderers for each form of values, found through a table. */

enum { RESULT_PARAM = 0, FD_CWD = -100 };

/* One parameter that is present. */
struct text_param {
	const struct state_event *event;
	unsigned int index;
	const struct param_desc *desc;
	const struct event_param *param;
	const struct text_style *style;
};

typedef void renderer(const struct text_param *p, struct buf *out);

static void param_text_mask(const struct text_style *style, struct buf *out, size_t start)
{
	if (style->masked && !out->failed)
		terminal_mask(out->data + start, out->len - start);
}

static int64_t param_text_value_of(const struct text_param *p)
{
	return event_value_i64(p->desc->type, p->param);
}

/* The bits of a fixed-size parameter, not extended. */
static uint64_t param_text_bits_of(const struct text_param *p)
{
	return event_value_bits((uint64_t)param_text_value_of(p), p->param->len);
}

/* Decimal numbers are shown as signed ones of their width, whatever their type. */
static int64_t as_signed(uint64_t bits, uint32_t len)
{
	unsigned int unused_bits = 64 - 8 * len;

	return (int64_t)(bits << unused_bits) >> unused_bits;
}

static void raw_number(const struct text_param *p, struct buf *out)
{
	uint64_t bits = param_text_bits_of(p);

	switch (p->desc->format) {
	case PF_HEX:
		buf_append_hex(out, bits, 1);
		break;
	case PF_OCT:
		if (bits)
			buf_append_char(out, '0');
		buf_append_octal(out, bits);
		break;
	default:
		buf_append_i64(out, as_signed(bits, p->param->len));
	}
}

/* A registered file of io_uring is no descriptor. */
static void raw_fd(const struct text_param *p, struct buf *out)
{
	int64_t num = param_text_value_of(p);

	if (is_slot_fd(num))
		buf_printf(out, "uring[%u]", slot_of_fd(num));
	else
		raw_number(p, out);
}

static void raw_unsigned(const struct text_param *p, struct buf *out)
{
	buf_append_u64(out, param_text_bits_of(p));
}

/* Results are decimal, whatever their format: the table declares that of mmap an address. */
static void raw_result(const struct text_param *p, struct buf *out)
{
	buf_append_i64(out, param_text_value_of(p));
}

static void raw_string(const struct text_param *p, struct buf *out)
{
	const char *text = (const char *)p->param->data;
	size_t start = out->len;

	/* Old captures have this text for an absent string. */
	buf_append_string(out, strcmp(text, "(NULL)") == 0 ? "<NA>" : text);
	param_text_mask(p->style, out, start);
}

static void raw_numbers(const struct text_param *p, struct buf *out)
{
	param_append_numbers(out, p->param, p->desc->type);
}

static void raw_bits(const struct text_param *p, struct buf *out)
{
	param_append_bits(out, p->param->data, p->param->len);
}

static void raw_bytes(const struct text_param *p, struct buf *out)
{
	text_append_buffer(out, p->style, p->param->data, p->param->len);
}

static void raw_sockaddr(const struct text_param *p, struct buf *out)
{
	size_t start = out->len;

	address_append_sockaddr(out, p->param, p->style->services);
	param_text_mask(p->style, out, start);
}

static void raw_socktuple(const struct text_param *p, struct buf *out)
{
	size_t start = out->len;

	address_append_socktuple(out, p->param, p->style->services);
	param_text_mask(p->style, out, start);
}

static void raw_ip(const struct text_param *p, struct buf *out)
{
	address_append_ip(out, p->param->data, p->param->len);
}

static void raw_syscall(const struct text_param *p, struct buf *out)
{
	uint64_t code = param_text_bits_of(p);

	if (code < SYSCALL_CODES_COUNT)
		buf_append_u64(out, code);
	else
		BUF_LITERAL(out, "<unknown syscall>");
}

static void raw_signal_set(const struct text_param *p, struct buf *out)
{
	uint64_t set = param_text_bits_of(p);
	bool first = true;

	for (unsigned int i = 0; i < 32; i++) {
		const char *name = event_signal_name(i + 1);

		if (!(set >> i & 1) || !name)
			continue;
		if (!first)
			buf_append_char(out, ' ');
		buf_append_string(out, name);
		first = false;
	}
}

static void raw_duration(const struct text_param *p, struct buf *out)
{
	uint64_t ns = param_text_bits_of(p);

	if (ns == UINT64_MAX)
		BUF_LITERAL(out, "none");
	else
		buf_append_u64(out, ns);
}

static void raw_time(const struct text_param *p, struct buf *out)
{
	uint64_t ns = param_text_bits_of(p);
	struct clock clock = {0};
	char fraction[9];

	clock_fraction(fraction, ns);
	buf_append_string(out, clock_local(&clock, ns));
	buf_append_char(out, '.');
	buf_append(out, fraction, sizeof(fraction));
}

static void append_fd_kind(struct buf *out, const struct state_fd *fd)
{
	static const char l4_letters[] = {
		[SCAP_L4_TCP] = 't',
		[SCAP_L4_UDP] = 'u',
		[SCAP_L4_ICMP] = 'i',
		[SCAP_L4_RAW] = 'r',
	};

	buf_append_char(out, state_fd_type_char(fd->type));
	if ((fd->type == SCAP_FD_IPV4 || fd->type == SCAP_FD_IPV6) && fd->l4 != SCAP_L4_UNKNOWN)
		buf_append_char(out, l4_letters[fd->l4]);
}

/* The event's entry is valid even after the event has closed it. */
static const struct state_fd *param_text_find_fd(const struct state_event *event, int64_t num)
{
	if (event->fd && event->fd_num == num)
		return event->fd;
	return event->thread ? state_fds_find(event->thread->fds, num) : NULL;
}

static void append_known(struct buf *out, const char *name)
{
	if (name)
		buf_append_string(out, name);
}

static void resolved_errno(const struct text_param *p, struct buf *out)
{
	append_known(out, error_errno_name(param_text_value_of(p)));
}

static void resolved_fd(const struct text_param *p, struct buf *out)
{
	int64_t num = param_text_value_of(p);
	const struct state_fd *fd;

	if (num == FD_CWD) {
		BUF_LITERAL(out, "AT_FDCWD");
		return;
	}
	if (num < 0) {
		/* As an argument -1 means no descriptor; only as a result it means EPERM. */
		if (num != -1 || p->index == RESULT_PARAM)
			resolved_errno(p, out);
		return;
	}
	fd = param_text_find_fd(p->event, num);
	if (!fd)
		return;
	buf_append_char(out, '<');
	append_fd_kind(out, fd);
	buf_append_char(out, '>');
	text_append_fd_name(out, fd, p->style);
}

static void resolved_thread(const struct text_param *p, struct buf *out)
{
	int64_t tid = param_text_value_of(p);
	const struct state_thread *thread = p->event->thread;

	if (!thread || thread->tid != tid)
		thread = state_thread_find(p->event->state, tid);
	if (thread)
		buf_append_string(out, thread->comm);
}

static void resolved_path(const struct text_param *p, struct buf *out)
{
	static const char unknown[] = STATE_PATH_UNKNOWN;
	const char *raw = (const char *)p->param->data;
	char path[STATE_PATH_MAX];
	bool from_unknown;

	if (!p->event->thread || raw[0] == '/')
		return;
	if (state_event_path(p->event, p->index, path, sizeof(path)) == 0)
		return;
	/* The name of a base that is no directory (a pipe, a memfd) begins with neither. */
	from_unknown = strncmp(path, unknown, sizeof(unknown) - 1) == 0;
	buf_append_string(out, from_unknown ? path + sizeof(unknown) - 1 : path);
}

static void resolved_syscall(const struct text_param *p, struct buf *out)
{
	append_known(out, syscall_name((unsigned int)param_text_bits_of(p)));
}

static void resolved_signal(const struct text_param *p, struct buf *out)
{
	append_known(out, event_signal_name((unsigned int)param_text_bits_of(p)));
}

static void resolved_duration(const struct text_param *p, struct buf *out)
{
	uint64_t ns = param_text_bits_of(p);

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
static void param_text_append_flags(struct buf *out, const struct param_flag *set, uint64_t value)
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

static void resolved_flags(const struct text_param *p, struct buf *out)
{
	param_text_append_flags(out, p->desc->set, param_text_bits_of(p));
}

/* File types share bits: the type is one number, after the permissions. */
static void resolved_mode(const struct text_param *p, struct buf *out)
{
	const struct param_flag *set = p->desc->set;
	uint64_t mode = param_text_bits_of(p), type = mode & S_IFMT;
	size_t start = out->len;

	param_text_append_flags(out, set, mode & ~(uint64_t)S_IFMT);
	for (; type && set && set->name; set++)
		if (set->value == type)
			param_text_append_name(out, start, set->name);
}

static void resolved_enum(const struct text_param *p, struct buf *out)
{
	uint64_t value = param_text_bits_of(p);
	size_t start = out->len;

	for (const struct param_flag *flag = p->desc->set; flag && flag->name; flag++)
		if (flag->value == value)
			param_text_append_name(out, start, flag->name);
}

static void append_id_name(struct buf *out, uint64_t id, const char *name)
{
	if (id == UINT32_MAX)
		name = "<NONE>";
	buf_append_string(out, name ? name : "<NA>");
}

static void resolved_user(const struct text_param *p, struct buf *out)
{
	uint64_t id = param_text_bits_of(p);

	append_id_name(out, id, state_event_user_name(p->event, (uint32_t)id));
}

static void resolved_group(const struct text_param *p, struct buf *out)
{
	uint64_t id = param_text_bits_of(p);

	append_id_name(out, id, state_event_group_name(p->event, (uint32_t)id));
}

/* Lists show the bits of an event as a 32-bit number, sign-extended from the lowest 16 bits. */
static void raw_fd_list(const struct text_param *p, struct buf *out)
{
	const struct event_param *list = p->param;

	for (unsigned int i = 0; i < event_fdlist_count(list); i++) {
		struct fdlist_entry entry = event_fdlist_entry(list, i);
		const struct state_fd *fd = param_text_find_fd(p->event, entry.fd);

		if (i > 0)
			buf_append_char(out, ' ');
		buf_append_i64(out, entry.fd);
		buf_append_char(out, ':');
		buf_append_char(out, fd ? state_fd_type_char(fd->type) : '?');
		buf_append_hex_lower(out, (uint32_t)entry.events);
	}
}

static renderer param_text_append_raw, param_text_append_resolved;

/* A value of type DYN is rendered as the only parameter of an event, in its own format. */
static struct text_param param_text_inner(const struct text_param *p, struct event_param *param,
					  struct param_desc *desc)
{
	struct event_dyn value = event_dyn_value(p->desc, p->param);

	*param = value.param;
	*desc = (struct param_desc){.type = value.kind->type, .format = p->desc->format};
	return (struct text_param){p->event, 0, desc, param, p->style};
}

/* An empty value after the kind is a string or a buffer, with special texts in the .scap world. */
static void raw_dyn(const struct text_param *p, struct buf *out)
{
	struct event_param param;
	struct param_desc desc;
	struct text_param inner = param_text_inner(p, &param, &desc);

	if (param.len)
		param_text_append_raw(&inner, out);
	else if (desc.type == PT_CHARBUF)
		BUF_LITERAL(out, "(null)");
}

static void resolved_dyn(const struct text_param *p, struct buf *out)
{
	struct event_param param;
	struct param_desc desc;
	struct text_param inner = param_text_inner(p, &param, &desc);

	param_text_append_resolved(&inner, out);
}

#define resolved_none NULL

static const struct text_form {
	renderer *raw;
	renderer *resolved; /* NULL: there is no other text than the raw one */
	const char *absent;
} text_forms[PARAM_FORMS_COUNT] = {
#define FORM(name, word, raw, resolved, absent, ...)                                               \
	[PARAM_##name] = {raw_##raw, resolved_##resolved, absent},
#include "event/types.def"
};

static const struct text_form *text_form_of(const struct param_desc *desc)
{
	return &text_forms[param_type_kind(desc->type)];
}

static struct text_param param_text_of(const struct state_event *event, unsigned int index,
				       const struct text_style *style)
{
	return (struct text_param){event, index, &event->ev.desc->params[index],
				   &event->ev.params[index], style};
}

static void param_text_append_raw(const struct text_param *p, struct buf *out)
{
	const struct text_form *form = text_form_of(p->desc);

	if (p->param->len)
		form->raw(p, out);
	else
		buf_append_string(out, form->absent);
}

static void param_text_append_resolved(const struct text_param *p, struct buf *out)
{
	const struct text_form *form = text_form_of(p->desc);
	size_t start = out->len;

	if (p->param->len == 0 || !form->resolved)
		return;
	form->resolved(p, out);
	param_text_mask(p->style, out, start);
}

void param_text_raw(const struct state_event *event, unsigned int index,
		    const struct text_style *style, struct buf *out)
{
	struct text_param p = param_text_of(event, index, style);

	param_text_append_raw(&p, out);
}

void param_text_resolved(const struct state_event *event, unsigned int index,
			 const struct text_style *style, struct buf *out)
{
	struct text_param p = param_text_of(event, index, style);

	param_text_append_resolved(&p, out);
}

void param_text_append(const struct state_event *event, unsigned int index,
		       const struct text_style *style, struct buf *out)
{
	struct text_param p = param_text_of(event, index, style);
	size_t start = out->len;

	param_text_append_resolved(&p, out);
	if (out->len == start)
		param_text_append_raw(&p, out);
}

/* Extensions are shown if they add information to the other parameters. */
static bool param_text_is_shown(const struct text_param *p)
{
	return !p->desc->extension || (!p->desc->quiet && p->param->len);
}

static void append_param(const struct text_param *p, struct buf *out)
{
	size_t before;

	if (p->index > 0)
		buf_append_char(out, ' ');
	buf_append_string(out, p->desc->name);
	buf_append_char(out, '=');
	param_text_append_raw(p, out);
	if (!text_form_of(p->desc)->resolved)
		return;
	/* The bracket is removed if nothing follows it. */
	before = out->len;
	buf_append_char(out, '(');
	param_text_append_resolved(p, out);
	if (out->len > before + 1)
		buf_append_char(out, ')');
	else
		out->len = before;
}

void param_text_all(const struct state_event *event, const struct text_style *style,
		    struct buf *out)
{
	const struct event_desc *desc = event->ev.desc;

	/* The name of the call suffices, unless it is unknown. */
	if (desc->id == EVENT_syscall && event_syscall_code(&event->ev) != SC_unknown)
		return;
	for (unsigned int i = 0; i < desc->nparams; i++) {
		struct text_param p = param_text_of(event, i, style);

		if (param_text_is_shown(&p))
			append_param(&p, out);
	}
}
