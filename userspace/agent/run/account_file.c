/* SPDX-License-Identifier: MIT */
/* The counters of a reader and of the state, as text. */
#include "agent/run/account_file.h"

#include <inttypes.h>

#include "scap/file/reader.h"

int account_file_percent(const struct scap_reader_stats *file)
{
	if (file->bytes == 0)
		return -1;
	return file->bytes_read < file->bytes ? (int)(file->bytes_read * 100.0 / file->bytes) : 100;
}

static void put_troubles(struct buf *text, const struct scap_reader_stats *file,
			 const struct sinsp_stats *state)
{
	const struct account_trouble troubles[] = {
		{file->corrupt_events + state->corrupt, "corrupt events skipped"},
		{file->corrupt_lists,
		 "lists of threads, descriptors or users skipped from a corrupt entry on"},
		{file->unknown_events + state->unknown,
		 "events skipped whose type this version does not know"},
		{file->unknown_blocks, "blocks skipped whose kind this version does not know"},
		ACCOUNT_MARKS(state),
		{state->threads_evicted, "threads evicted: the table or the memory was full"},
		{state->fds_evicted,
		 "descriptors dropped with their names: the tables or the memory were full"},
		{state->fds_rejected, "descriptors not stored: the table was full"},
		{state->descriptions_corrupt, "corrupt descriptions of containers skipped"},
		{state->descriptions_ignored,
		 "values in descriptions of containers ignored: of a wrong type, or too many"},
		{state->descriptions_dropped,
		 "descriptions of containers dropped: too many without a process"},
		{state->descriptions_too_long,
		 "descriptions of containers not written: longer than readers accept"},
	};

	account_append_troubles(troubles, sizeof(troubles) / sizeof(troubles[0]), text);
}

void account_file_append_counters(const struct scap_reader_stats *file, struct buf *text)
{
	int percent = account_file_percent(file);

	buf_printf(text, "read %" PRIu64 " events of %" PRIu64 " bytes", file->events,
		   file->bytes_read);
	if (percent >= 0)
		buf_printf(text, " (%d%%)", percent);
}

void account_file_append(const struct scap_reader_stats *file, const struct account *account,
			 struct buf *text)
{
	buf_printf(text, "agent: read %" PRIu64 " events of %" PRIu64 " bytes", file->events,
		   file->bytes_read);
	account_append_matches(account, text);
	account_append_recording(account, text);
	put_troubles(text, file, &account->state);
	account_append_unknown(account, text);
	if (!account->verbose)
		return;
	if (file->joined)
		buf_printf(text,
			   "agent: %" PRIu64
			   " events on entry to calls merged into those on exit\n",
			   file->joined);
	account_append_state(account, text);
	buf_append_char(text, '\n');
	account_append_cgroups(account, text);
	account_append_rules(account, text);
}
