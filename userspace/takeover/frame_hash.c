/* SPDX-License-Identifier: MIT */
/* The hash of a frame without its times. */
#include "takeover/frame_hash.h"

#include "util/hash.h"

uint64_t frame_hash(const struct scap_event *event)
{
	struct ppm_evt_hdr header = frame_header(event);
	size_t len = event->len - sizeof(header);

	if (len >= frame_extra_bytes(header.nparams))
		len -= frame_extra_bytes(header.nparams);
	header.ts = 0;
	header.len = (uint32_t)len;
	header.nparams &= ~FRAME_EXTRAS;
	return (uint64_t)hash_bytes(&header, sizeof(header)) << 32 |
	       hash_bytes((const char *)event->frame + sizeof(header), len);
}
