/* SPDX-License-Identifier: MIT */
/* Record by record, or text by text where a format has a structure. */
#include "output/delivery/hide.h"

#include "output/redact/redact.h"
#include "sinsp/format/output_format.h"

static void hide_part(void *redact, char *text, size_t len)
{
	redact_part(redact, text, len);
}

void hide_secrets(const struct output_form *form, struct block *block)
{
	const struct format_records *records = &form->format->records;

	for (size_t i = 0; form->redact && i < block->count; i++) {
		char *bytes = (char *)block->records[i].bytes;
		size_t len = block->records[i].len;

		if (!records->visit_texts) {
			redact_text(form->redact, bytes, len);
			continue;
		}
		redact_begin_parts(form->redact);
		records->visit_texts(bytes, len, hide_part, form->redact);
	}
}
