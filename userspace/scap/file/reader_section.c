/* SPDX-License-Identifier: MIT */
/* The head of a section of a capture file: its version, and whether it has extension events. */
#include "scap/file/reader_impl.h"

#include <errno.h>
#include <inttypes.h>

int reader_check_section(struct scap_reader *reader, const uint8_t *head)
{
	struct scap_section_body body;

	memcpy(&body, head, sizeof(body));
	if (body.byte_order_magic == __builtin_bswap32(SCAP_BYTE_ORDER_MAGIC))
		return reader_end_with(reader, -ENOTSUP,
				       "it was written on a machine of the other byte order");
	if (body.byte_order_magic != SCAP_BYTE_ORDER_MAGIC)
		return reader_end_with(reader, -EBADMSG,
				       "its byte order mark is corrupt (0x%08" PRIx32 ")",
				       body.byte_order_magic);
	if (body.major > SCAP_FORMAT_MAJOR)
		return reader_end_with(
			reader, -ENOTSUP,
			"it is of version %u.%u of the format: only versions up to %d are known",
			body.major, body.minor, SCAP_FORMAT_MAJOR);
	return 0;
}

/* Pending calls of a section do not end in the next. */
static int renew_upgrade(struct scap_reader *reader)
{
	struct scap_upgrade *upgrade;

	if (scap_upgrade_create(&upgrade))
		return reader_end_out_of_memory(reader);
	reader->joined += scap_upgrade_joined(reader->upgrade);
	scap_upgrade_destroy(reader->upgrade);
	reader->upgrade = upgrade;
	return 0;
}

int reader_take_section(struct scap_reader *reader, const uint8_t *head)
{
	int code = reader_check_section(reader, head);

	/* The snapshot of the first section has begun: see scap_reader_start(). */
	if (code || reader->block_at == 0)
		return code;
	code = reader_end_snapshot(reader);
	if (code == 0)
		code = renew_upgrade(reader);
	if (code)
		return code;
	reader->native = false;
	reader->in_snapshot = true;
	return reader->to->ops->begin(reader->to);
}

int reader_take_native(struct scap_reader *reader, const uint8_t *head)
{
	uint32_t version;

	memcpy(&version, head, sizeof(version));
	if (version > SCAP_NATIVE_VERSION)
		return reader_end_with(
			reader, -ENOTSUP,
			"it has events of a newer version of this program (%" PRIu32 ")", version);
	reader->native = true;
	return 0;
}
