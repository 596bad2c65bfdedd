/* SPDX-License-Identifier: MIT */
/* Parameters as JSON values: one writer for each form, chosen when the table is made. */
#include "sinsp/values/param_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/names.h"
#include "sinsp/values/param_text.h"
#include "sinsp/values/text_bytes.h"
#include "util/arena.h"
#include "util/json.h"

/* One parameter that is present, with what is needed to write it. */
struct json_param {
	struct param_json *json;
	const struct event_param *param;
	const struct param_desc *desc;
	const struct flag_name *set;
	int64_t value; /* of fixed-size types */
	struct clock *utc;
	/* How texts are written: json_append_string(), or in base64. */
	bool (*encode)(struct buf *out, const char *text, size_t len);
	bool *changed; /* set if a text was not UTF-8 */
};

typedef void writer(const struct json_param *p, struct buf *out);

struct param_plan {
	const char *key; /* ,"name": with BUF_CHUNK readable bytes */
	size_t key_len;
	bool fixed_size;
	const struct flag_name *set;
	writer *write;
};

struct param_json {
	struct arena arena; /* the plans */
	const struct param_plan *plans[EVENT_ID_MAX];
	enum text_bytes bytes; /* DOTS: buffers are written as strings */
	struct buf text; /* memory for the other forms */
};

/* The bits as the event has them. */
static uint64_t bits_of(const struct json_param *p)
{
	return value_bits((uint64_t)p->value, p->param->len);
}

static void write_signed(const struct json_param *p, struct buf *out)
{
	json_append_i64(out, p->value);
}

static void write_unsigned(const struct json_param *p, struct buf *out)
{
	json_append_u64(out, (uint64_t)p->value);
}

static void write_hex(const struct json_param *p, struct buf *out)
{
	json_append_hex(out, bits_of(p));
}

static void write_octal(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '"');
	if (p->value)
		buf_append_char(out, '0');
	buf_append_octal(out, bits_of(p));
	buf_append_char(out, '"');
}

static void append_text(const struct json_param *p, struct buf *out, const char *text, size_t len)
{
	if (!p->encode(out, text, len))
		*p->changed = true;
}

/* Names are words: no escapes are needed. */
static void append_name(struct buf *out, const char *name)
{
	buf_append_char(out, '"');
	buf_append_string(out, name);
	buf_append_char(out, '"');
}

static void append_comma(struct buf *out)
{
	if (out->len && out->data[out->len - 1] != '[')
		buf_append_char(out, ',');
}

static void append_flags(struct buf *out, const struct flag_name *set, uint64_t value)
{
	buf_append_char(out, '[');
	for (; set && set->name && value; set++) {
		if (!set->value || (value & set->value) != set->value)
			continue;
		append_comma(out);
		append_name(out, set->name);
		value &= ~(uint64_t)set->value;
	}
	if (value) {
		append_comma(out);
		json_append_hex(out, value);
	}
	buf_append_char(out, ']');
}

static void write_flags(const struct json_param *p, struct buf *out)
{
	append_flags(out, p->set, bits_of(p));
}

/*
 * Events cannot distinguish flags that share bits in the kernel: O_DIRECTORY also sets O_TMPFILE's
 * bit, and O_DSYNC that of O_SYNC. O_TMPFILE works only with write access, and O_SYNC implies
 * O_DSYNC.
 */
static void write_file_flags(const struct json_param *p, struct buf *out)
{
	uint64_t value = bits_of(p);
	uint64_t access = value & file_flags__O_RDWR;

	if (value & file_flags__O_TMPFILE)
		value &= access > file_flags__O_RDONLY ? ~(uint64_t)file_flags__O_DIRECTORY
						       : ~(uint64_t)file_flags__O_TMPFILE;
	if (value & file_flags__O_DSYNC)
		value &= ~(uint64_t)file_flags__O_SYNC;
	append_flags(out, p->set, value);
}

/* Of several names for one value the last is the usual one: AF_UNIX rather than AF_LOCAL. */
static void write_enum(const struct json_param *p, struct buf *out)
{
	uint64_t value = bits_of(p);
	const char *name = NULL;

	for (const struct flag_name *flag = p->set; flag && flag->name; flag++)
		if (flag->value == value)
			name = flag->name;
	if (name)
		append_name(out, name);
	else
		json_append_u64(out, value);
}

static void write_syscall(const struct json_param *p, struct buf *out)
{
	const char *name = syscall_name((unsigned int)p->value);

	if (name)
		append_name(out, name);
	else
		write_unsigned(p, out);
}

static void write_signal(const struct json_param *p, struct buf *out)
{
	const char *name = signal_name((unsigned int)p->value);

	if (name)
		append_name(out, name);
	else
		write_unsigned(p, out);
}

static void write_signal_set(const struct json_param *p, struct buf *out)
{
	uint64_t set = bits_of(p);

	buf_append_char(out, '[');
	for (unsigned int i = 0; i < 32; i++) {
		const char *name = signal_name(i + 1);

		if (!(set >> i & 1))
			continue;
		append_comma(out);
		if (name)
			append_name(out, name);
		else
			buf_append_u64(out, i + 1);
	}
	buf_append_char(out, ']');
}

static void write_duration(const struct json_param *p, struct buf *out)
{
	json_append_duration(out, (uint64_t)p->value);
}

static void write_time(const struct json_param *p, struct buf *out)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(p->utc, (uint64_t)p->value, text);
	buf_append_char(out, '"');
	buf_append(out, text, sizeof(text));
	buf_append_char(out, '"');
}

static void write_string(const struct json_param *p, struct buf *out)
{
	const char *text = (const char *)p->param->data;

	append_text(p, out, text, strlen(text));
}

static void write_bytes(const struct json_param *p, struct buf *out)
{
	if (p->json->bytes == TEXT_BYTES_DOTS)
		append_text(p, out, (const char *)p->param->data, p->param->len);
	else
		param_json_append_bytes(p->json, p->param->data, p->param->len, out);
}

static void write_list(const struct json_param *p, struct buf *out)
{
	const char *at = (const char *)p->param->data;
	const char *end = at + p->param->len;

	buf_append_char(out, '[');
	while (at < end) {
		size_t n = strnlen(at, (size_t)(end - at));

		append_comma(out);
		append_text(p, out, at, n);
		at += n + 1;
	}
	buf_append_char(out, ']');
}

static void append_numbers(struct buf *out, const struct event_param *param, enum param_type type)
{
	buf_append_char(out, '[');
	for (size_t n = 0; n < param->len / param_type_number_size(type); n++) {
		append_comma(out);
		json_append_u64(out, event_param_number(param, type, n));
	}
	buf_append_char(out, ']');
}

static void write_numbers_32(const struct json_param *p, struct buf *out)
{
	append_numbers(out, p->param, PT_UINT32LIST);
}

static void write_numbers_64(const struct json_param *p, struct buf *out)
{
	append_numbers(out, p->param, PT_UINT64LIST);
}

/* As in text: digits, commas and hyphens, no escapes are needed. */
static void write_bits(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '"');
	text_append_bits(out, p->param->data, p->param->len);
	buf_append_char(out, '"');
}

/* Longer addresses are corrupt. */
enum { ADDRESS_TEXT_BYTES = 512 };

static void append_address(const struct json_param *p, struct buf *out,
			   void (*append)(struct buf *, const struct event_param *,
					  const struct services *))
{
	char memory[ADDRESS_TEXT_BYTES];
	struct buf text = buf_fixed(memory, sizeof(memory));

	append(&text, p->param, NULL);
	append_text(p, out, text.data, text.len);
}

/* Digits, dots and colons: no escapes are needed. */
static void write_ip(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '"');
	text_append_ip(out, p->param->data, p->param->len);
	buf_append_char(out, '"');
}

static void write_sockaddr(const struct json_param *p, struct buf *out)
{
	append_address(p, out, text_append_sockaddr);
}

static void write_socktuple(const struct json_param *p, struct buf *out)
{
	append_address(p, out, text_append_socktuple);
}

/* [{"fd":3,"events":["POLLIN"]}] */
static void write_fd_list(const struct json_param *p, struct buf *out)
{
	buf_append_char(out, '[');
	for (unsigned int i = 0; i < event_fdlist_count(p->param); i++) {
		struct fdlist_entry entry = event_fdlist_entry(p->param, i);

		append_comma(out);
		BUF_LITERAL(out, "{\"fd\":");
		json_append_i64(out, entry.fd);
		BUF_LITERAL(out, ",\"events\":");
		append_flags(out, p->set, (uint16_t)entry.events);
		buf_append_char(out, '}');
	}
	buf_append_char(out, ']');
}

static writer *choose_writer(const struct param_desc *desc, const struct flag_name *set);

/* The value in the form of its kind; an empty string means no value. */
static void write_dyn(const struct json_param *p, struct buf *out)
{
	struct dyn_value value = event_dyn_value(p->desc, p->param);
	const struct param_desc desc = {
		.name = p->desc->name, .type = value.kind->type, .format = value.kind->format};
	struct json_param inner = *p;

	inner.param = &value.param;
	inner.desc = &desc;
	inner.set = NULL;
	if (value.param.len == 0 && desc.type == PT_CHARBUF) {
		BUF_LITERAL(out, "null");
		return;
	}
	if (param_type_size(desc.type))
		inner.value = event_value_i64(desc.type, &value.param);
	choose_writer(&desc, NULL)(&inner, out);
}

static writer *const writers[PT_TYPES_COUNT] = {
	[PT_FLAGS8] = write_flags,
	[PT_FLAGS16] = write_flags,
	[PT_FLAGS32] = write_flags,
	[PT_ENUMFLAGS8] = write_enum,
	[PT_ENUMFLAGS16] = write_enum,
	[PT_ENUMFLAGS32] = write_enum,
	[PT_ERRNO] = write_signed,
	[PT_SYSCALLID] = write_syscall,
	[PT_MODE] = write_octal,
	[PT_SIGTYPE] = write_signal,
	[PT_SIGSET] = write_signal_set,
	[PT_RELTIME] = write_duration,
	[PT_ABSTIME] = write_time,
	[PT_CHARBUF] = write_string,
	[PT_FSPATH] = write_string,
	[PT_FSRELPATH] = write_string,
	[PT_BYTEBUF] = write_bytes,
	[PT_SOCKADDR] = write_sockaddr,
	[PT_SOCKTUPLE] = write_socktuple,
	[PT_CHARBUFARRAY] = write_list,
	[PT_FDLIST] = write_fd_list,
	[PT_DYN] = write_dyn,
	[PT_UINT32LIST] = write_numbers_32,
	[PT_UINT64LIST] = write_numbers_64,
	[PT_BITSET] = write_bits,
	[PT_FLAGS64] = write_flags,
	[PT_IPADDR] = write_ip,
};

/* These parameters are lists of strings, though the .scap world calls them buffers. */
static bool is_list(const struct param_desc *desc)
{
	static const char *const names[] = {"args", "env", "cgroups"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (desc->type == PT_BYTEBUF && strcmp(desc->name, names[i]) == 0)
			return true;
	return false;
}

/* Flags with the kernel's bits whose names in the .scap world differ from the kernel's. */
static const struct {
	uint16_t event, param;
	struct flag_name names[4];
} native_sets[] = {
	{EVENT_fchownat,
	 fchownat__flags,
	 {{"AT_SYMLINK_FOLLOW", 0x400}, {"AT_EMPTY_PATH", 0x1000}}},
	{EVENT_quotactl, quotactl__dqi_flags, {{"DQF_ROOT_SQUASH", 1}}},
	{EVENT_userfaultfd,
	 userfaultfd__flags,
	 {{"UFFD_USER_MODE_ONLY", 1}, {"O_NONBLOCK", 04000}, {"O_CLOEXEC", 02000000}}},
};

static const struct flag_name *choose_set(const struct event_desc *event, unsigned int index)
{
	for (size_t i = 0; i < sizeof(native_sets) / sizeof(native_sets[0]); i++)
		if (native_sets[i].event == event->id && native_sets[i].param == index)
			return native_sets[i].names;
	return event->params[index].set;
}

static writer *choose_writer(const struct param_desc *desc, const struct flag_name *set)
{
	const struct flag_name *file_flags = event_desc_get(EVENT_open)->params[open__flags].set;

	if (set && set == file_flags)
		return write_file_flags;
	if (is_list(desc))
		return write_list;
	if (writers[desc->type])
		return writers[desc->type];
	if (desc->format == PF_HEX)
		return write_hex;
	if (desc->format == PF_OCT)
		return write_octal;
	return param_type_is_signed(desc->type) ? write_signed : write_unsigned;
}

static bool plan_param(struct param_json *json, const struct event_desc *event, unsigned int index,
		       struct param_plan *plan)
{
	const struct param_desc *desc = &event->params[index];
	size_t len = strlen(desc->name);
	char *key = arena_alloc(&json->arena, len + BUF_CHUNK);

	if (!key)
		return false;
	memcpy(key, ",\"", 2);
	memcpy(key + 2, desc->name, len);
	memcpy(key + 2 + len, "\":", 2);
	plan->key = key;
	plan->key_len = len + 4;
	plan->fixed_size = param_type_size(desc->type) != 0;
	plan->set = choose_set(event, index);
	plan->write = choose_writer(desc, plan->set);
	return true;
}

static int plan_event(struct param_json *json, const struct event_desc *desc)
{
	struct param_plan *plans;

	if (desc->nparams == 0)
		return 0;
	plans = arena_alloc(&json->arena, desc->nparams * sizeof(*plans));
	if (!plans)
		return -ENOMEM;
	for (unsigned int i = 0; i < desc->nparams; i++)
		if (!plan_param(json, desc, i, &plans[i]))
			return -ENOMEM;
	json->plans[desc->id] = plans;
	return 0;
}

int param_json_create(struct param_json **json)
{
	struct param_json *made = calloc(1, sizeof(*made));
	int rc = made ? 0 : -ENOMEM;

	for (unsigned int id = 0; id < EVENT_ID_MAX && rc == 0; id++)
		if (event_desc_get(id))
			rc = plan_event(made, event_desc_get(id));
	if (rc == 0)
		*json = made;
	else
		param_json_destroy(made);
	return rc;
}

void param_json_destroy(struct param_json *json)
{
	if (!json)
		return;
	arena_finish(&json->arena);
	buf_finish(&json->text);
	free(json);
}

void param_json_set_bytes(struct param_json *json, enum text_bytes form)
{
	json->bytes = form;
}

void param_json_append_bytes(struct param_json *json, const uint8_t *data, size_t len,
			     struct buf *out)
{
	buf_clear(&json->text);
	text_append_bytes(&json->text, json->bytes, data, len);
	if (json->text.failed)
		buf_fail(out);
	else
		json_append_string(out, json->text.data, json->text.len);
}

/* Writes a parameter that is present; returns whether a text of it was changed. */
static bool write_param(struct param_json *json, const struct sinsp_event *event,
			unsigned int index, struct clock *utc,
			bool (*encode)(struct buf *, const char *, size_t), struct buf *out)
{
	const struct param_plan *plan = &json->plans[event->ev.desc->id][index];
	bool changed = false;
	struct json_param p = {
		.json = json,
		.param = &event->ev.params[index],
		.desc = &event->ev.desc->params[index],
		.set = plan->set,
		.utc = utc,
		.encode = encode,
		.changed = &changed,
	};

	if (plan->fixed_size)
		p.value = event_param_i64(&event->ev, index);
	plan->write(&p, out);
	return changed;
}

bool param_json_append(struct param_json *json, const struct sinsp_event *event, unsigned int index,
		       struct clock *utc, struct buf *out)
{
	if (event->ev.params[index].len == 0) {
		BUF_LITERAL(out, "null");
		return false;
	}
	return write_param(json, event, index, utc, json_append_string, out);
}

static bool encode_base64(struct buf *out, const char *text, size_t len)
{
	json_append_base64(out, text, len);
	return true;
}

void param_json_append_base64(struct param_json *json, const struct sinsp_event *event,
			      unsigned int index, struct buf *out)
{
	write_param(json, event, index, NULL, encode_base64, out);
}

void param_json_append_all(struct param_json *json, const struct sinsp_event *event,
			   struct clock *utc, bool base64, struct buf *out)
{
	const struct param_plan *plans = json->plans[event->ev.desc->id];
	size_t start = out->len;

	for (unsigned int i = 0; i < event->ev.desc->nparams; i++) {
		/* Extensions are omitted if absent: readers do not expect them as null. */
		if (event->ev.desc->params[i].extension && event->ev.params[i].len == 0)
			continue;
		buf_append_chunk(out, plans[i].key, plans[i].key_len);
		if (!param_json_append(json, event, i, utc, out) || !base64)
			continue;
		json_append_base64_key(out, plans[i].key, plans[i].key_len);
		param_json_append_base64(json, event, i, out);
	}
	json_end_object(out, start);
}
