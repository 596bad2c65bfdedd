/* SPDX-License-Identifier: MIT */
/* From the bytes of a frame to checked parameters. */
#include "event/event.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

/* How values are stored: the second column of types.def. */
#define UNSIGNED(bytes) .size = (bytes)
#define SIGNED(bytes) .size = (bytes), .is_signed = true
#define STRING .is_string = true
#define NUMBERS(bytes) .number_size = (bytes)
#define BYTES .size = 0 /* neither a fixed size nor one of these forms */

const struct param_form param_forms[PT_TYPES_COUNT] = {
#define TYPE(name, stored, form) [PT_##name] = {stored},
#include "event/types.def"
};

const uint8_t param_kinds[PT_TYPES_COUNT] = {
#define TYPE(name, stored, form) [PT_##name] = PARAM_##form,
#include "event/types.def"
};

static bool is_whole_fdlist(const uint8_t *data, size_t len)
{
	uint16_t count;

	if (len < sizeof(count))
		return false;
	memcpy(&count, data, sizeof(count));
	return len == sizeof(count) + count * sizeof(struct fdlist_entry);
}

/* Whether the bytes of a value without a fixed size have the form of its type. */
static bool decode_is_whole(enum param_type type, const uint8_t *data, size_t len)
{
	const struct param_form *form = &param_forms[type];

	if (form->is_string)
		return data[len - 1] == '\0';
	if (form->number_size)
		return len % form->number_size == 0;
	if (type == PT_IPADDR)
		return len == sizeof(struct in_addr) || len == sizeof(struct in6_addr);
	return type != PT_FDLIST || is_whole_fdlist(data, len);
}

/* After the kind byte a string may be missing, a number may not. */
static bool is_whole_dyn(const struct param_desc *param, const uint8_t *data, size_t len)
{
	enum param_type type;
	size_t fixed;

	if (data[0] >= param->dyn_count)
		return false;
	type = param->dyn[data[0]].type;
	fixed = param_type_size(type);
	if (fixed)
		return len == 1 + fixed;
	return len == 1 || decode_is_whole(type, data + 1, len - 1);
}

/* Whether a value without a fixed size is valid. */
static bool is_valid_form(const struct param_desc *param, const uint8_t *data, size_t len)
{
	return param->type == PT_DYN ? is_whole_dyn(param, data, len)
				     : decode_is_whole(param->type, data, len);
}

/* Removes `n` bytes from the end of a frame that says it has them; false if it is too short. */
static bool take_extra(const void *frame, struct ppm_evt_hdr *header, void *extra, uint32_t n)
{
	if (header->len < sizeof(*header) + n)
		return false;
	header->len -= n;
	memcpy(extra, (const uint8_t *)frame + header->len, n);
	return true;
}

#define NO_URING ((struct frame_uring){.slot = -1, .made_slot = -1})

static inline void have_no_extras(struct event *ev)
{
	ev->latency_ns = LATENCY_UNKNOWN;
	ev->marks = (struct frame_marks){0};
	ev->file = (struct frame_file){0};
	ev->stream = (struct frame_stream){0};
	ev->uring = NO_URING;
	ev->times.since_ns = 0;
}

/* Whether an event is a call, or an operation of a ring that no call does, or plaintext of a
 * socket. */
static inline bool may_have_extras(const struct event_desc *desc, uint32_t extras)
{
	return desc->category & EC_SYSCALL ||
	       (desc->id == EVENT_io_uring_op && extras & FRAME_URING) ||
	       (desc->id == EVENT_tls_data &&
		!(extras & ~(FRAME_MARKED | FRAME_FILE | FRAME_STREAM | FRAME_TIMES)));
}

/*
 * Takes the latency, the marks and the like of a frame, which stand behind its values. Returns
 * where these end, or 0 if it has not what it says. Not inlined: most frames have none.
 */
static __attribute__((noinline)) uint32_t take_extras(const void *frame, struct event *ev)
{
	struct ppm_evt_hdr header;
	uint32_t extras;

	memcpy(&header, frame, sizeof(header));
	extras = header.nparams & FRAME_EXTRAS;
	if (!may_have_extras(ev->desc, extras))
		return 0;
	if ((extras & FRAME_TIMED) &&
	    !take_extra(frame, &header, &ev->latency_ns, sizeof(ev->latency_ns)))
		return 0;
	if ((extras & FRAME_MARKED) && !take_extra(frame, &header, &ev->marks, sizeof(ev->marks)))
		return 0;
	if ((extras & FRAME_FILE) && !take_extra(frame, &header, &ev->file, sizeof(ev->file)))
		return 0;
	if ((extras & FRAME_TIMES) && !take_extra(frame, &header, &ev->times, sizeof(ev->times)))
		return 0;
	if ((extras & FRAME_STREAM) && !take_extra(frame, &header, &ev->stream, sizeof(ev->stream)))
		return 0;
	if ((extras & FRAME_URING) &&
	    (!take_extra(frame, &header, &ev->uring, sizeof(ev->uring)) || ev->uring.ring == 0))
		return 0;
	return header.len;
}

/*
 * The values, up to `end`; they follow their `count` lengths of `width` bytes. Older versions of an
 * event have fewer parameters than the table; the surplus of newer ones is ignored.
 */
static inline __attribute__((always_inline)) int take_params(const void *frame, uint32_t count,
							     size_t end, size_t width,
							     const struct event_desc *desc,
							     struct event *ev)
{
	const uint8_t *lengths = (const uint8_t *)frame + sizeof(struct ppm_evt_hdr);
	size_t at = sizeof(struct ppm_evt_hdr) + count * width;
	unsigned int nparams = desc->nparams, known = nparams;
	const uint8_t *sizes = desc->sizes;

	if (at > end)
		return -EBADMSG;
	if (count < known)
		known = count;
	for (unsigned int i = 0; i < known; i++) {
		const uint8_t *data = (const uint8_t *)frame + at;
		uint32_t n = 0;

		memcpy(&n, lengths + i * width, width);
		at += n;
		ev->params[i].data = data;
		ev->params[i].len = n;
		if (n == 0)
			continue;
		if (sizes[i] ? n != sizes[i]
			     : at > end || !is_valid_form(&desc->params[i], data, n))
			return -EBADMSG;
	}
	if (at > end)
		return -EBADMSG;
	for (unsigned int i = known; i < nparams; i++)
		ev->params[i] = (struct event_param){(const uint8_t *)frame + at, 0};
	return 0;
}

/* The generic event, calls that do not return, and events on entry. */
static bool has_no_result(const struct event_desc *desc)
{
	return desc->id == EVENT_syscall || desc->id == EVENT_exit ||
	       desc->id == EVENT_exit_group || (desc->flags & EF_ENTER);
}

/* What a call that never ran returned is no result: nobody finds it a success. */
static __attribute__((noinline)) void drop_result(struct event *ev)
{
	if (ev->desc->nparams && !has_no_result(ev->desc))
		ev->params[0].len = 0;
}

int event_decode(const void *frame, size_t len, uint16_t cpu, struct event *ev)
{
	const struct event_desc *desc;
	struct ppm_evt_hdr header;
	uint32_t nparams, end;
	int r;

	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, frame, sizeof(header));
	if (header.len > len)
		return -EBADMSG;
	desc = event_desc_get(header.type);
	ev->desc = desc;
	if (!desc)
		return -ENOENT;
	have_no_extras(ev);
	nparams = header.nparams & ~FRAME_EXTRAS;
	end = nparams == header.nparams ? header.len : take_extras(frame, ev);
	ev->ts_ns = header.ts;
	ev->tid = (int64_t)header.tid;
	ev->cpu = cpu;
	/* Where `end` is 0, that is before them. */
	if (desc->flags & EF_LARGE_PAYLOAD)
		r = take_params(frame, nparams, end, sizeof(uint32_t), desc, ev);
	else
		r = take_params(frame, nparams, end, sizeof(uint16_t), desc, ev);
	if (r == 0 && ev->marks.is_faked)
		drop_result(ev);
	return r;
}

/* Whether a list of texts and the text before it, which shares its space, leave none of that. */
static bool fills_space(const struct event *ev, unsigned int list)
{
	uint32_t bytes = ev->params[list].len;

	if (list > 0 && param_forms[ev->desc->params[list - 1].type].is_string)
		bytes += ev->params[list - 1].len;
	return bytes >= STRING_BYTES_MAX;
}

void event_mark_by_length(struct event *ev)
{
	const struct event_runs *runs = &ev->desc->runs;
	uint64_t truncated = 0;

	for (unsigned int i = 0; i < ev->desc->nparams; i++)
		if (param_forms[ev->desc->params[i].type].is_string &&
		    ev->params[i].len >= STRING_BYTES_MAX)
			truncated |= UINT64_C(1) << i;
	if (runs->args && fills_space(ev, runs->args - 1u))
		truncated |= UINT64_C(1) << (runs->args - 1);
	if (runs->env && fills_space(ev, runs->env - 1u))
		truncated |= UINT64_C(1) << (runs->env - 1);
	ev->marks.truncated |= truncated;
}

/* One load of the right width: a copy of variable length would be a call. */
static uint64_t decode_load(const uint8_t *data, uint32_t len)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (len) {
	case 1:
		return data[0];
	case 2:
		memcpy(&u16, data, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, data, sizeof(u32));
		return u32;
	case 8:
		memcpy(&u64, data, sizeof(u64));
		return u64;
	default:
		return 0;
	}
}

uint64_t event_param_number(const struct event_param *param, enum param_type type, size_t n)
{
	uint32_t size = (uint32_t)param_type_number_size(type);

	return decode_load(param->data + n * size, size);
}

int64_t event_short_value_i64(enum param_type type, const struct event_param *param)
{
	uint64_t raw = decode_load(param->data, param->len);
	unsigned int unused_bits;

	if (!param_type_is_signed(type) || param->len == 0 || param->len > sizeof(raw))
		return (int64_t)raw;
	unused_bits = 64 - 8 * param->len;
	return (int64_t)(raw << unused_bits) >> unused_bits;
}

unsigned int event_syscall_code(const struct event *ev)
{
	unsigned int r = (unsigned int)event_param_u64(ev, syscall__ID);

	if (r == SC_unknown && event_param_present(ev, syscall__nativeID))
		r = syscall_code_of_native((unsigned int)event_param_u64(ev, syscall__nativeID));
	return r;
}

bool event_result(const struct event *ev, int64_t *result)
{
	/* Operations of io_uring that are no calls have one, too. */
	bool is_done = (ev->desc->category & EC_SYSCALL) || ev->uring.ring;

	if (!is_done || has_no_result(ev->desc) || ev->desc->nparams == 0 || ev->params[0].len == 0)
		return false;
	*result = event_param_i64(ev, 0);
	return true;
}

struct fdlist_entry event_fdlist_entry(const struct event_param *list, unsigned int index)
{
	const uint8_t *entries = list->data + sizeof(uint16_t);
	struct fdlist_entry entry;

	memcpy(&entry, entries + index * sizeof(entry), sizeof(entry));
	return entry;
}

struct event_dyn event_dyn_value(const struct param_desc *desc, const struct event_param *param)
{
	return (struct event_dyn){
		.kind = &desc->dyn[param->data[0]],
		.param = {param->data + 1, param->len - 1},
	};
}
