/* SPDX-License-Identifier: MIT */
/* A list of descriptors by kind and row; each is closed once. */
#include "scap/live/loaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROWTH = 64 };

int live_loaded_add(struct live_loaded *loaded, enum live_part_kind kind, uint16_t row, int fd)
{
	if (loaded->count % GROWTH == 0) {
		struct live_part *grown =
			reallocarray(loaded->parts, loaded->count + GROWTH, sizeof(*grown));

		if (!grown) {
			close(fd);
			return -ENOMEM;
		}
		loaded->parts = grown;
	}
	loaded->parts[loaded->count++] =
		(struct live_part){.fd = fd, .kind = (uint16_t)kind, .row = row};
	return 0;
}

int live_loaded_find(const struct live_loaded *loaded, enum live_part_kind kind, uint16_t row)
{
	for (size_t i = 0; i < loaded->count; i++)
		if (loaded->parts[i].kind == kind && loaded->parts[i].row == row)
			return loaded->parts[i].fd;
	return -1;
}

int live_loaded_take(struct live_loaded *loaded, enum live_part_kind kind, uint16_t row)
{
	for (size_t i = 0; i < loaded->count; i++) {
		struct live_part *part = &loaded->parts[i];
		int fd = part->fd;

		if (part->kind != kind || part->row != row)
			continue;
		memmove(part, part + 1, (--loaded->count - i) * sizeof(*part));
		return fd;
	}
	return -1;
}

bool live_loaded_close(struct live_loaded *loaded, enum live_part_kind kind)
{
	size_t kept = 0, count = loaded->count;

	for (size_t i = count; i-- > 0;)
		if (loaded->parts[i].kind == kind)
			close(loaded->parts[i].fd);
	for (size_t i = 0; i < count; i++)
		if (loaded->parts[i].kind != kind)
			loaded->parts[kept++] = loaded->parts[i];
	loaded->count = kept;
	return kept < count;
}

void live_loaded_finish(struct live_loaded *loaded)
{
	for (unsigned int kind = LIVE_PART_KINDS; kind-- > 0;)
		live_loaded_close(loaded, (enum live_part_kind)kind);
	free(loaded->parts);
	*loaded = (struct live_loaded){0};
}
