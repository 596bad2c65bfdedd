/* SPDX-License-Identifier: MIT */
/* Slots of the state: the checks when they are loaded, and their turns when they are stored. */
#include "output/spool/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/file.h"
#include "output/spool/loss.h"
#include "util/crc32c.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

_Static_assert((int)SPOOL_CAUSES <= (int)SPOOL_LOSSES_MAX, "each has its place in a slot");

static uint32_t slot_crc(struct spool_slot slot)
{
	slot.crc = 0;
	return crc32c(0, &slot, sizeof(slot));
}

/* The stream is part of the id of each record, in whatever format: nothing but digits. */
static bool is_stream(const char *stream)
{
	for (int i = 0; i < SPOOL_STREAM_BYTES; i++)
		if (!memchr("0123456789abcdef", stream[i], 16))
			return false;
	return true;
}

static bool are_possible(const struct spool_slot *slot)
{
	const uint64_t values[] = {
		slot->appended,	  slot->acknowledged, slot->attempted,		 slot->dropped_from,
		slot->dropped_to, slot->number,	      slot->acknowledged_number, slot->reserved};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i] >= SPOOL_POSITION_MAX)
			return false;
	return true;
}

static bool is_valid(const struct spool_slot *slot)
{
	return memcmp(slot->magic, SPOOL_STATE_MAGIC, sizeof(slot->magic)) == 0 &&
	       slot->crc == slot_crc(*slot) && slot->losses_count <= SPOOL_LOSSES_MAX &&
	       is_stream(slot->stream) && are_possible(slot);
}

int spool_state_load(int fd, struct spool_slot *result, bool *corrupt)
{
	struct spool_slot slots[SPOOL_STATE_SLOTS], *newest = NULL;

	*corrupt = false;
	*result = (struct spool_slot){0};
	for (unsigned int i = 0; i < SPOOL_STATE_SLOTS; i++) {
		int r = spool_file_read(fd, &slots[i], sizeof(slots[i]), i * SPOOL_SLOT_BYTES);

		if (r < 0 && r != -EBADMSG)
			return r;
		if (r == 0 && is_valid(&slots[i]) &&
		    (!newest || slots[i].sequence > newest->sequence))
			newest = &slots[i];
	}
	if (newest && newest->version != SPOOL_VERSION)
		return -EPROTONOSUPPORT;
	if (newest)
		*result = *newest;
	else
		*corrupt = lseek(fd, 0, SEEK_END) > 0;
	return newest != NULL;
}

int spool_state_open(struct spool_state *state, int folder, bool *corrupt)
{
	int r;

	state->fd = openat(folder, "state", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (state->fd < 0)
		return -errno;
	r = spool_state_load(state->fd, &state->slot, corrupt);
	if (r < 0) {
		close(state->fd);
		state->fd = -1;
	}
	return r;
}

int spool_state_store(struct spool_state *state, const struct spool_slot *slot, bool sync)
{
	uint8_t bytes[SPOOL_SLOT_BYTES] = {0};
	struct spool_slot next = *slot;
	uint64_t offset;
	int r;

	memcpy(next.magic, SPOOL_STATE_MAGIC, sizeof(next.magic));
	next.version = SPOOL_VERSION;
	next.sequence = state->slot.sequence + 1;
	next.crc = slot_crc(next);
	memcpy(bytes, &next, sizeof(next));
	offset = next.sequence % SPOOL_STATE_SLOTS * SPOOL_SLOT_BYTES;
	r = spool_file_write(state->fd, bytes, sizeof(bytes), offset);
	if (r < 0)
		return r;
	state->slot = next;
	return sync && fdatasync(state->fd) ? -errno : 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void spool_boot_id(uint8_t id[SPOOL_BOOT_BYTES])
{
	char text[64];
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text));
	int digits = 0;

	memset(id, 0, SPOOL_BOOT_BYTES);
	for (ssize_t i = 0; i < len && digits < 2 * SPOOL_BOOT_BYTES; i++)
		if (digit(text[i]) >= 0) {
			id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit(text[i]));
			digits++;
		}
	if (fd >= 0)
		close(fd);
}
