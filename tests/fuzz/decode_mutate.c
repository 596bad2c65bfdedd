/* SPDX-License-Identifier: MIT */
/*
 * The mutator of the target `decode`: libFuzzer's own changes, mostly with the headers corrected
 * afterwards, as few other frames pass the first check.
 */
#include <string.h>

#include "event/event.h"

enum { AS_IT_IS = 8 }; /* one of that many inputs is not corrected */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* The nearest event at or after an id; the last ids have none. */
static const struct event_desc *some_event(unsigned int id)
{
	for (id %= EVENT_ID_MAX; id < EVENT_ID_MAX; id++)
		if (event_desc_get(id))
			return event_desc_get(id);
	return event_desc_get(EVENT_open);
}

/* The length that a parameter must have, with `left` bytes for it and the following ones. */
static uint32_t mend_length(const struct param_desc *param, uint8_t *value, uint32_t len,
			    size_t left)
{
	size_t size = param_type_size(param->type), unit = param_type_number_size(param->type);

	if (size)
		return len && size <= left ? (uint32_t)size : 0;
	if (len > left)
		len = (uint32_t)left;
	if (unit)
		len -= len % unit;
	if (param->type == PT_FDLIST) {
		uint16_t count = len < 2 ? 0 : (len - 2) / sizeof(struct fdlist_entry);

		if (len < 2)
			return 0;
		memcpy(value, &count, sizeof(count));
		len = 2 + count * sizeof(struct fdlist_entry);
	}
	if (param->type == PT_DYN && len) {
		value[0] %= param->dyn_count;
		size = param_type_size(param->dyn[value[0]].type);
		if (size)
			len = 1 + size <= left ? (uint32_t)(1 + size) : 0;
	}
	if (param->type == PT_IPADDR)
		len = len < 4 ? 0 : len < 16 ? 4 : 16;
	if (len &&
	    (param->type == PT_CHARBUF || param->type == PT_FSPATH || param->type == PT_FSRELPATH))
		value[len - 1] = '\0';
	return len;
}

/* Makes the first bytes one valid frame and returns its length; 0 if they are too few. */
static size_t mend_frame(uint8_t *data, size_t size)
{
	struct ppm_evt_hdr header;
	const struct event_desc *desc;
	size_t at, width;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	desc = some_event(header.type);
	width = desc->flags & EF_LARGE_PAYLOAD ? sizeof(uint32_t) : sizeof(uint16_t);
	at = sizeof(header) + desc->nparams * width;
	if (at > size)
		return 0;
	for (unsigned int i = 0; i < desc->nparams; i++) {
		uint8_t *length = data + sizeof(header) + i * width;
		uint32_t len = 0;

		memcpy(&len, length, width);
		len = mend_length(&desc->params[i], data + at, len, size - at);
		memcpy(length, &len, width);
		at += len;
	}
	header.type = desc->id;
	header.nparams = desc->nparams;
	header.len = (uint32_t)at;
	memcpy(data, &header, sizeof(header));
	return at;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	size_t at = 0, len;

	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed % AS_IT_IS == 0)
		return size;
	while ((len = mend_frame(data + at, size - at)))
		at += len;
	return size;
}
