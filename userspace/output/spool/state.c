/* SPDX-License-Identifier: MIT */
/*
 * The state of a spool: as it is in memory and in the slots of its file, and what of it was sent
 * and arrived.
 */
#include "output/spool/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "output/spool/folder.h"
#include "output/spool/spool.h"
#include "output/spool/spool_impl.h"
#include "util/count.h"
#include "util/hash.h"

/* Slots of the state: the checks when they are loaded, and their turns when they are stored. */

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

_Static_assert((int)SPOOL_CAUSES <= (int)SPOOL_LOSSES_MAX, "each has its place in a slot");

static uint32_t slot_crc(struct spool_slot slot)
{
	slot.crc = 0;
	return hash_crc32c(0, &slot, sizeof(slot));
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

	for (size_t i = 0; i < COUNT(values); i++)
		if (values[i] >= SPOOL_POSITION_MAX)
			return false;
	return true;
}

static bool state_is_valid(const struct spool_slot *slot)
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
		if (r == 0 && state_is_valid(&slots[i]) &&
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

/* The state as it is in memory, made into what is stored. */

uint64_t spool_segment_last(const struct spool *spool, size_t i)
{
	return i + 1 < spool->segments.count ? spool->segments.items[i + 1].first - 1
					     : spool->slot.appended;
}

static void state_take_losses(struct spool_slot *slot, const struct spool_losses *losses)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++) {
		struct spool_slot_loss *stored = &slot->losses[cause];
		struct spool_loss sum = {stored->from, stored->to, stored->count, stored->first_ns,
					 stored->last_ns};

		spool_loss_merge(&sum, &losses->causes[cause]);
		*stored = (struct spool_slot_loss){sum.from, sum.to, sum.count, sum.first_ns,
						   sum.last_ns};
	}
}

static int count_failure(struct spool *spool, int code)
{
	pthread_mutex_lock(&spool->lock);
	spool->stats.failed_stores++;
	pthread_mutex_unlock(&spool->lock);
	return code;
}

int spool_store(struct spool *spool, bool sync)
{
	struct spool_slot slot;
	int r;

	pthread_mutex_lock(&spool->lock);
	slot = spool->slot;
	slot.number = spool->used > slot.number ? spool->used : slot.number;
	slot.losses_unsaid = !spool->losses_attempted;
	slot.losses_count = SPOOL_CAUSES;
	memset(slot.losses, 0, sizeof(slot.losses));
	state_take_losses(&slot, &spool->losses);
	state_take_losses(&slot, &spool->given);
	pthread_mutex_unlock(&spool->lock);
	r = spool_state_store(&spool->state, &slot, sync);
	return r < 0 ? count_failure(spool, r) : 0;
}

int spool_store_state(struct spool *spool, bool sync)
{
	int r;

	pthread_mutex_lock(&spool->files);
	r = spool_store(spool, false);
	pthread_mutex_unlock(&spool->files);
	/* The other thread need not wait for the disk, too. */
	if (r == 0 && sync && fdatasync(spool->state.fd))
		r = count_failure(spool, -errno);
	return r;
}

/* Sums of losses, and the texts of their causes. */

const char *const spool_cause_texts[SPOOL_CAUSES] = {
	[SPOOL_LOST_LIMIT] = "the spool reached its limit",
	[SPOOL_LOST_NO_SPACE] = "the disk of the spool was full",
	[SPOOL_LOST_IO] = "the spool could not be written",
	[SPOOL_LOST_CORRUPT] = "the spool was corrupt",
	[SPOOL_LOST_POWER] = "the machine stopped before the spool was on disk",
	[SPOOL_LOST_REJECTED] = "rejected by the target",
	[SPOOL_LOST_TOO_LARGE] = "larger than the target takes",
};

void spool_loss_merge(struct spool_loss *loss, const struct spool_loss *more)
{
	if (!more->count)
		return;
	if (!loss->count) {
		*loss = *more;
		return;
	}
	loss->count += more->count;
	if (more->from < loss->from)
		loss->from = more->from;
	if (more->to > loss->to)
		loss->to = more->to;
	if (more->first_ns && (!loss->first_ns || more->first_ns < loss->first_ns))
		loss->first_ns = more->first_ns;
	if (more->last_ns > loss->last_ns)
		loss->last_ns = more->last_ns;
}

void spool_losses_add(struct spool_losses *losses, enum spool_cause cause, uint64_t number,
		      uint64_t ts_ns, unsigned int event)
{
	struct spool_loss one = {number, number, 1, ts_ns, ts_ns};

	spool_loss_merge(&losses->causes[cause], &one);
	if (event < EVENT_ID_MAX)
		losses->events[cause][event]++;
}

void spool_losses_merge(struct spool_losses *losses, const struct spool_losses *more)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++) {
		if (!more->causes[cause].count)
			continue;
		spool_loss_merge(&losses->causes[cause], &more->causes[cause]);
		for (unsigned int event = 0; event < EVENT_ID_MAX; event++)
			losses->events[cause][event] += more->events[cause][event];
	}
}

bool spool_losses_any(const struct spool_losses *losses)
{
	for (unsigned int cause = 0; cause < SPOOL_CAUSES; cause++)
		if (losses->causes[cause].count)
			return true;
	return false;
}
