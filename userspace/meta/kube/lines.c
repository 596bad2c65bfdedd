/* SPDX-License-Identifier: MIT */
#include "meta/kube/lines.h"

static void take(struct lines *lines, const char *bytes, size_t len)
{
	if (lines->skips)
		return;
	if (lines->line.len + len <= LINES_BYTES_MAX)
		buf_append(&lines->line, bytes, len);
	else
		buf_fail(&lines->line);
	if (!lines->line.failed)
		return;
	lines->skips = true;
	lines->dropped++;
	buf_clear(&lines->line);
}

bool lines_next(struct lines *lines, struct lines_input *input)
{
	if (lines->is_whole)
		buf_clear(&lines->line);
	lines->is_whole = false;
	while (input->len) {
		const char *end = memchr(input->bytes, '\n', input->len);
		size_t len = end ? (size_t)(end - input->bytes) : input->len;
		size_t taken = len + (end ? 1 : 0);

		take(lines, input->bytes, len);
		input->bytes += taken;
		input->len -= taken;
		if (end && !lines->skips && lines->line.len)
			return lines->is_whole = true;
		lines->skips = lines->skips && !end;
	}
	return false;
}

void lines_restart(struct lines *lines)
{
	buf_finish(&lines->line);
	lines->is_whole = lines->skips = false;
}
