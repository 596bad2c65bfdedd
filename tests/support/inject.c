/* SPDX-License-Identifier: MIT */
/* The injected source: frames in one growing block of memory. */
#include "inject.h"

#include <errno.h>
#include <stdlib.h>

#include "util/buf.h"

/* Before each frame in the block. */
struct inject_entry {
	uint32_t len;
	uint32_t cpu;
};

struct scap_inject {
	struct scap_source source;
	struct buf entries;
	size_t at;
};

static int inject_next(struct scap_source *source, int timeout_ms, struct scap_event *event)
{
	struct scap_inject *inject = (struct scap_inject *)source;
	struct inject_entry entry;

	if (inject->at == inject->entries.len)
		return -ENODATA;
	memcpy(&entry, inject->entries.data + inject->at, sizeof(entry));
	event->frame = inject->entries.data + inject->at + sizeof(entry);
	event->len = entry.len;
	event->cpu = (uint16_t)entry.cpu;
	inject->at += sizeof(entry) + entry.len;
	return 1;
}

static void inject_destroy(struct scap_source *source)
{
	struct scap_inject *inject = (struct scap_inject *)source;

	buf_finish(&inject->entries);
	free(inject);
}

static const struct scap_source_ops inject_ops = {
	.next = inject_next,
	.destroy = inject_destroy,
};

int scap_inject_create(struct scap_inject **inject)
{
	struct scap_inject *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->source.ops = &inject_ops;
	*inject = made;
	return 0;
}

struct scap_source *scap_inject_source(struct scap_inject *inject)
{
	return &inject->source;
}

int scap_inject_append(struct scap_inject *inject, const void *frame, size_t len, uint16_t cpu)
{
	struct inject_entry entry = {.len = (uint32_t)len, .cpu = cpu};

	if (!buf_reserve(&inject->entries, sizeof(entry) + len))
		return -ENOMEM;
	buf_append(&inject->entries, &entry, sizeof(entry));
	buf_append(&inject->entries, frame, len);
	return 0;
}

void scap_inject_rewind(struct scap_inject *inject)
{
	inject->at = 0;
}
