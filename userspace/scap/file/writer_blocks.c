/* SPDX-License-Identifier: MIT */
/* Writing of blocks, and of the beginning of a section. */
#include "scap/file/writer_impl.h"

int writer_put_block(struct scap_writer *writer, uint32_t type, const void *body, size_t len)
{
	uint8_t *at = writer_begin_block(writer, type, len);

	if (!at)
		return writer->sink.error;
	memcpy(at, body, len);
	return 0;
}

int writer_put_section(struct scap_writer *writer)
{
	const struct scap_section_body section = {
		.byte_order_magic = SCAP_BYTE_ORDER_MAGIC,
		.major = SCAP_FORMAT_MAJOR,
		.minor = SCAP_FORMAT_MINOR,
		.section_len = SCAP_SECTION_LENGTH_UNKNOWN,
	};
	const uint32_t version = SCAP_NATIVE_VERSION;
	int r = writer_put_block(writer, SCAP_BLOCK_SECTION, &section, sizeof(section));

	if (r == 0 && writer->config.native)
		r = writer_put_block(writer, SCAP_BLOCK_NATIVE, &version, sizeof(version));
	writer->section_end = scap_sink_bytes(&writer->sink);
	return r;
}
