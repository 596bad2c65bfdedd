/* SPDX-License-Identifier: MIT */
/* Drop records, by the format of the output. */
#include "output/delivery/drops.h"

#include "rules/rules.h"
#include "sinsp/format/drop.h"
#include "sinsp/format/output_format.h"
#include "util/clock.h"

/* The id has the time: it must not repeat in a later run, which may go on with the same stream. */
static void append_id(const struct output_form *form, struct buf *id)
{
	buf_printf(id, "%s-d%llu", form->stream, (unsigned long long)clock_ns(CLOCK_REALTIME));
	buf_append_char(id, '\0');
}

static void add(const struct output_form *form, const struct gap *gap, enum gap_cause cause,
		uint64_t last_number, struct batch *batch)
{
	const struct output_record record = {.number = last_number,
					     .ts_ns = gap->last_ns,
					     .event = (uint16_t)cause,
					     .priority = PRIORITY_WARNING,
					     .flags = RECORD_IS_DROP};
	struct format_drop_type types[EVENT_ID_MAX];
	struct buf text = {0}, id = {0};
	struct format_drop drop;

	append_id(form, &id);
	gap_describe(gap, cause, last_number, types, &drop);
	drop.schema = form->schema;
	drop.id = id.failed ? NULL : id.data;
	form->format->records.append_drop(&drop, &text);
	batch_add_copy(batch, &record, &text);
	buf_finish(&text);
	buf_finish(&id);
}

void drops_add(const struct output_form *form, const struct gaps *gaps, uint64_t last_number,
	       struct batch *batch)
{
	if (!form->format->records.append_drop)
		return;
	for (unsigned int cause = 0; cause < GAP_CAUSES; cause++)
		if (gaps->by_cause[cause])
			add(form, gaps->by_cause[cause], (enum gap_cause)cause, last_number, batch);
}

void drops_mark(const void *context, const struct output_record *record, struct buf *out)
{
	const struct output_form *form = context;

	if (form->format->records.mark_redelivered)
		form->format->records.mark_redelivered(form->schema, record->bytes, record->len,
						       out);
}
