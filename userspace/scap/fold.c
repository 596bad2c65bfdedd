/* SPDX-License-Identifier: MIT */
/* Events as they are, until the real one takes its place. */
#include "scap/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

struct scap_fold {
	uint64_t count;
};

int scap_fold_create(struct scap_fold **fold)
{
	*fold = calloc(1, sizeof(**fold));
	return *fold ? 0 : -ENOMEM;
}

void scap_fold_destroy(struct scap_fold *fold)
{
	free(fold);
}

int scap_fold_event(struct scap_fold *fold, bool native, struct scap_event *event)
{
	struct ppm_evt_hdr header;

	memcpy(&header, event->frame, sizeof(header));
	return event_desc_get(header.type) ? 1 : -ENOENT;
}

uint64_t scap_fold_count(const struct scap_fold *fold)
{
	return fold->count;
}

int scap_fold_count_params(const void *frame, size_t len)
{
	const uint8_t *lengths = (const uint8_t *)frame + sizeof(struct ppm_evt_hdr);
	size_t sum = sizeof(struct ppm_evt_hdr);

	for (int n = 0; sum <= len; n++) {
		uint16_t value;

		if (sum == len)
			return n;
		if (sizeof(struct ppm_evt_hdr) + 2 * (size_t)n + 2 > len)
			break;
		memcpy(&value, lengths + 2 * n, sizeof(value));
		sum += sizeof(value) + value;
	}
	return -EBADMSG;
}
