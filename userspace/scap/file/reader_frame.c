/* SPDX-License-Identifier: MIT */
/* From a block of an event to its frame with the current header. */
#include "scap/file/reader_impl.h"

#include <errno.h>

#include "abi.h"

/*
 * The first version has no number of parameters: the header is moved 4 bytes forward, over the
 * bytes before it in the block. Returns 0; -ENOENT or -EBADMSG if the number is unknown.
 */
static int widen_frame(uint8_t **frame, uint32_t *len)
{
	struct ppm_evt_hdr header = {0};
	int count;

	memcpy(&header, *frame, SCAP_EVENT_V1_HEADER_BYTES);
	*frame -= sizeof(header.nparams);
	*len += (uint32_t)sizeof(header.nparams);
	header.len = *len;
	memcpy(*frame, &header, sizeof(header));
	count = scap_upgrade_count_params(*frame, *len);
	if (count < 0)
		return count;
	header.nparams = (uint32_t)count;
	memcpy(*frame, &header, sizeof(header));
	return 0;
}

/* The length of a frame according to its header. */
static uint32_t frame_len(const struct block_kind *kind, const uint8_t *frame)
{
	struct ppm_evt_hdr header;

	memcpy(&header, frame, SCAP_EVENT_V1_HEADER_BYTES);
	/* The writers of the first version counted some bytes of these twice. */
	if (kind->version == 1 && header.len >= SCAP_V1_SURPLUS_BYTES &&
	    (header.type == SCAP_V1_NOTIFICATION || header.type == SCAP_V1_INFRA))
		header.len -= SCAP_V1_SURPLUS_BYTES;
	return header.len;
}

int reader_find_frame(const struct block_kind *kind, uint8_t *block, uint32_t block_len,
		      struct scap_event *event)
{
	size_t header =
		kind->version == 1 ? SCAP_EVENT_V1_HEADER_BYTES : sizeof(struct ppm_evt_hdr);
	uint8_t *at = block + sizeof(struct scap_block_header), *frame = at + sizeof(event->cpu);
	uint8_t *end = block + block_len - SCAP_TRAILER_BYTES;
	uint32_t flags = 0;
	int code = 0;

	frame += kind->event_flags ? sizeof(flags) : 0;
	if (frame + header > end)
		return -EBADMSG;
	memcpy(&event->cpu, at, sizeof(event->cpu));
	if (kind->event_flags)
		memcpy(&flags, at + sizeof(event->cpu), sizeof(flags));
	/* Other writers may have added data after the frame. */
	event->len = frame_len(kind, frame);
	if (event->len < header || event->len > (size_t)(end - frame))
		return -EBADMSG;
	if (kind->version == 1)
		code = widen_frame(&frame, &event->len);
	event->frame = frame;
	event->hidden = flags & SCAP_EVENT_FLAG_HIDDEN;
	return code;
}
