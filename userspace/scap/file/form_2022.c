/* SPDX-License-Identifier: MIT */
/*
 * Conversion of current events to pairs of events of 2022, by the rows AS_2022 of driver/events/.
 * Of events without such a row, calls become the generic event; known events that are no calls are
 * written unchanged; all others are left out.
 */
#include "scap/file/form_2022.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

enum {
	FRAME_BYTES = 65536, /* readers of 2022 reject larger ones */
	FILLED_BYTES = 512, /* at most, of values for absent parameters */
	ENTER_PARAMS_MAX = 6,
	SYSCALLS = 329, /* known codes: others crash sysdig 0.29.3 */
	NONE = UINT8_MAX,
};

struct enter_param {
	uint8_t source; /* index of a parameter of the event, or NONE */
	uint8_t type; /* 0: type of the source; no entry event has parameters of type INT8 */
};

struct pair {
	uint16_t id; /* of the exit event; 0: the event has no row */
	uint8_t params;
	uint8_t enter_params;
	struct enter_param enter[ENTER_PARAMS_MAX];
};

static const struct pair pairs[EVENT_EXTENSION_FIRST] = {
#define USER_EVENT(...)
#define AS_2022(event, id, params, ...)                                                            \
	[EVENT_##event] = {id,                                                                     \
			   params,                                                                 \
			   sizeof((struct enter_param[]){{0}, ##__VA_ARGS__}) /                    \
					   sizeof(struct enter_param) -                            \
				   1,                                                              \
			   {__VA_ARGS__}},
#include "events/all.def"
};

struct scap_form_2022 {
	uint16_t native[SYSCALL_CODES_COUNT];
	uint8_t enter[FRAME_BYTES + FILLED_BYTES];
	uint8_t exit[FRAME_BYTES + FILLED_BYTES];
};

int scap_form_2022_create(struct scap_form_2022 **form)
{
	struct scap_form_2022 *made = malloc(sizeof(*made));

	if (!made)
		return -ENOMEM;
	for (unsigned int r = 0; r < SYSCALL_CODES_COUNT; r++) {
		int number = syscall_native_number(r);

		made->native[r] = number < 0 ? NO_NATIVE : (uint16_t)number;
	}
	*form = made;
	return 0;
}

void scap_form_2022_destroy(struct scap_form_2022 *form)
{
	free(form);
}

/* A frame that is being written. */
struct target {
	uint8_t *bytes;
	uint8_t *length, *value; /* of the next parameter */
};

static struct target target_begin(uint8_t *bytes, unsigned int nparams)
{
	uint8_t *lengths = bytes + sizeof(struct ppm_evt_hdr);

	return (struct target){bytes, lengths, lengths + nparams * sizeof(uint16_t)};
}

static void target_put(struct target *to, const void *data, size_t len)
{
	uint16_t length = (uint16_t)len;

	memcpy(to->length, &length, sizeof(length));
	memcpy(to->value, data, len);
	to->length += sizeof(length);
	to->value += len;
}

/*
 * If a value of fixed size or a string is absent, readers take the bytes that follow for it. A
 * value is therefore needed: zeros, no descriptor, no user.
 */
static void target_put_nothing(struct target *to, enum param_type type,
			       const struct param_desc *desc)
{
	static const uint8_t zeros[1 + sizeof(uint64_t)];
	static const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	size_t size = param_type_size(type);

	switch (type) {
	case PT_FD:
	case PT_UID:
	case PT_GID:
		target_put(to, ones, size);
		break;
	case PT_CHARBUF:
	case PT_FSPATH:
	case PT_FSRELPATH:
		target_put(to, zeros, 1);
		break;
	case PT_FDLIST:
		target_put(to, zeros, sizeof(uint16_t));
		break;
	case PT_DYN:
		target_put(to, zeros, 1 + param_type_size(desc->dyn[0].type));
		break;
	default:
		target_put(to, zeros, size);
	}
}

static void target_put_param(struct target *to, const struct event *ev, unsigned int index)
{
	const struct param_desc *desc = &ev->desc->params[index];

	if (event_param_present(ev, index))
		target_put(to, ev->params[index].data, ev->params[index].len);
	else
		target_put_nothing(to, desc->type, desc);
}

static void target_put_number(struct target *to, uint64_t value, size_t size)
{
	target_put(to, &value, size);
}

static struct scap_event target_end(const struct target *to, uint16_t id, unsigned int nparams,
				    const struct event *ev, const struct scap_event *event)
{
	struct ppm_evt_hdr header = {
		.ts = ev->ts_ns,
		.tid = (uint64_t)ev->tid,
		.len = (uint32_t)(to->value - to->bytes),
		.type = id,
		.nparams = nparams,
	};

	memcpy(to->bytes, &header, sizeof(header));
	return (struct scap_event){
		.frame = to->bytes,
		.len = header.len,
		.cpu = event->cpu,
		.hidden = event->hidden,
		.clock_step_ns = event->clock_step_ns,
	};
}

static void put_enter_param(struct target *to, const struct enter_param *param,
			    const struct event *ev)
{
	if (param->source == NONE)
		target_put_nothing(to, param->type, NULL);
	else if (param->type)
		target_put_number(to, event_param_u64(ev, param->source),
				  param_type_size(param->type));
	else
		target_put_param(to, ev, param->source);
}

static struct scap_event make_enter(struct scap_form_2022 *form, const struct pair *pair,
				    const struct event *ev, const struct scap_event *event)
{
	struct target to = target_begin(form->enter, pair->enter_params);

	for (unsigned int i = 0; i < pair->enter_params; i++)
		put_enter_param(&to, &pair->enter[i], ev);
	return target_end(&to, pair->id - 1, pair->enter_params, ev, event);
}

static struct scap_event make_exit(struct scap_form_2022 *form, const struct pair *pair,
				   const struct event *ev, const struct scap_event *event)
{
	struct target to = target_begin(form->exit, pair->params);

	for (unsigned int i = 0; i < pair->params; i++)
		target_put_param(&to, ev, i);
	return target_end(&to, pair->id, pair->params, ev, event);
}

/* A new task did not enter the call that made it. */
static bool has_enter(const struct event *ev)
{
	int64_t result;

	if (ev->desc->flags & EF_MAKES_TASK)
		return !event_result(ev, &result) || result != 0;
	return ev->desc->category & EC_SYSCALL;
}

static int make_pair(struct scap_form_2022 *form, const struct pair *pair, const struct event *ev,
		     const struct scap_event *event, struct scap_event *out)
{
	int count = 0;

	if (has_enter(ev))
		out[count++] = make_enter(form, pair, ev, event);
	out[count++] = make_exit(form, pair, ev, event);
	return count;
}

static unsigned int native_number(const struct scap_form_2022 *form, const struct event *ev,
				  unsigned int code)
{
	if (ev->desc->id == EVENT_syscall && event_param_present(ev, syscall__nativeID))
		return (unsigned int)event_param_u64(ev, syscall__nativeID);
	return code < SYSCALL_CODES_COUNT ? form->native[code] : NO_NATIVE;
}

/* Only the code of the call remains. */
static int make_generic(struct scap_form_2022 *form, const struct event *ev,
			const struct scap_event *event, struct scap_event *out)
{
	unsigned int r = ev->desc->id == EVENT_syscall ? event_syscall_code(ev) : ev->desc->syscall;
	uint16_t known = r < SYSCALLS ? (uint16_t)r : SC_unknown;
	struct target enter = target_begin(form->enter, syscall__nativeID + 1);
	struct target exit = target_begin(form->exit, syscall__ID + 1);

	target_put_number(&enter, known, sizeof(known));
	target_put_number(&enter, native_number(form, ev, r), sizeof(uint16_t));
	target_put_number(&exit, known, sizeof(known));
	out[0] = target_end(&enter, EVENT_syscall - 1, syscall__nativeID + 1, ev, event);
	out[1] = target_end(&exit, EVENT_syscall, syscall__ID + 1, ev, event);
	return 2;
}

static uint32_t frame_bytes(const struct scap_event *event)
{
	struct ppm_evt_hdr header;

	memcpy(&header, event->frame, sizeof(header));
	return header.len;
}

int scap_form_2022_frames(struct scap_form_2022 *form, const struct scap_event *event,
			  struct scap_event out[SCAP_2022_FRAMES_MAX])
{
	struct event ev;
	unsigned int id;

	if (event_decode(event->frame, event->len, event->cpu, &ev) != 0)
		return 0;
	id = ev.desc->id;
	/* Without its mark a call that never ran would be one that succeeded. */
	if (ev.marks.is_faked)
		return make_generic(form, &ev, event, out);
	if (id < EVENT_EXTENSION_FIRST && pairs[id].id)
		return frame_bytes(event) <= FRAME_BYTES
			       ? make_pair(form, &pairs[id], &ev, event, out)
			       : 0;
	if (ev.desc->flags & EF_ENTER)
		return 0; /* it is made from the exit event */
	if (ev.desc->category & EC_SYSCALL)
		return make_generic(form, &ev, event, out);
	/*
	 * Of the events that these readers know, only the large ones are left. Empty ones crash
	 * them.
	 */
	if (id >= SCAP_2022_EVENTS || !event_param_present(&ev, 0))
		return 0;
	out[0] = *event;
	return 1;
}
