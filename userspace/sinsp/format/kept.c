/* SPDX-License-Identifier: MIT */
/* A table with one place for each key, and its bytes one after the other in one buffer. */
#include "sinsp/format/kept.h"

#include <stdlib.h>

/* When there is no room, all go: what is still used is soon there again. */
static void kept_make_room(struct kept *kept, size_t len)
{
	if (kept->bytes.len + len <= KEPT_BYTES_MAX)
		return;
	buf_clear(&kept->bytes);
	memset(kept->slots, 0, KEPT_SLOTS * sizeof(kept->slots[0]));
}

void kept_add(struct kept *kept, uint64_t key, const char *bytes, size_t len)
{
	size_t at;

	if (!kept->slots)
		kept->slots = calloc(KEPT_SLOTS, sizeof(kept->slots[0]));
	if (!kept->slots || len > KEPT_BYTES_MAX)
		return;
	kept_make_room(kept, len);
	at = kept->bytes.len;
	buf_append(&kept->bytes, bytes, len);
	if (!kept->bytes.failed)
		kept->slots[key % KEPT_SLOTS] =
			(struct kept_slot){key, (uint32_t)at, (uint32_t)len};
	else
		kept_finish(kept);
}

void kept_finish(struct kept *kept)
{
	buf_finish(&kept->bytes);
	free(kept->slots);
	*kept = (struct kept){0};
}
