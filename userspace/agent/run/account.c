/* SPDX-License-Identifier: MIT */
/* Parts of a report shared by all inputs. */
#include "agent/run/account.h"

#include <inttypes.h>

#include "agent/record/recording.h"
#include "rules/ruleset.h"

void account_append_matches(const struct account *account, struct buf *text)
{
	buf_printf(text, "; matched %" PRIu64 ", printed %" PRIu64 "\n", account->matched,
		   account->printed);
}

void account_append_unknown(const struct account *account, struct buf *text)
{
	const struct account_trouble trouble = {
		account->filter_unknown,
		"events passed a filter or rule that a part of a value decides which was not "
		"captured"};

	account_append_troubles(&trouble, 1, text);
}

void account_append_recording(const struct account *account, struct buf *text)
{
	struct recording_stats stats;

	if (!account->recording)
		return;
	recording_stats(account->recording, &stats);
	buf_printf(text, "agent: wrote %s%" PRIu64 " events (%" PRIu64 " bytes) to ",
		   stats.at_least ? "at least " : "", stats.events, stats.bytes);
	if (stats.files != 1)
		buf_printf(text, "%" PRIu64 " files", stats.files);
	if (stats.files > 1)
		BUF_LITERAL(text, ", the last ");
	if (stats.files)
		buf_append_string(text, stats.name);
	buf_append_char(text, '\n');
	if (stats.generic)
		buf_printf(text,
			   "agent: %" PRIu64 " of these, which other readers do not know, as the "
			   "generic event; --native keeps them whole\n",
			   stats.generic);
	if (stats.left_out)
		buf_printf(text,
			   "agent: %" PRIu64 " events, which other readers do not know, were not "
			   "written; --native keeps them\n",
			   stats.left_out);
}

void account_append_rules(const struct account *account, struct buf *text)
{
	const struct ruleset *ruleset = account->ruleset;
	uint64_t matches;

	for (size_t i = 0; ruleset && i < ruleset_count(ruleset); i++) {
		const char *name = ruleset_matches(ruleset, i, &matches);

		if (matches)
			buf_printf(text, "agent: rule %s: matched %" PRIu64 "\n", name, matches);
	}
}

void account_append_state(const struct account *account, struct buf *text)
{
	buf_printf(text, "agent: state: threads %" PRIu64 ", descriptors %" PRIu64,
		   account->state.threads, account->state.fds);
}

void account_append_cgroups(const struct account *account, struct buf *text)
{
	const uint64_t *counts = account->cgroups;

	if (counts[FILTER_REJECTED] || counts[FILTER_ACCEPTED] || counts[FILTER_UNDECIDED])
		buf_printf(text,
			   "agent: filter: control groups rejected %" PRIu64 ", accepted %" PRIu64
			   ", undecided %" PRIu64 "\n",
			   counts[FILTER_REJECTED], counts[FILTER_ACCEPTED],
			   counts[FILTER_UNDECIDED]);
}

void account_append_troubles(const struct account_trouble *troubles, size_t count, struct buf *text)
{
	for (size_t i = 0; i < count; i++)
		if (troubles[i].count)
			buf_printf(text, "agent: %" PRIu64 " %s\n", troubles[i].count,
				   troubles[i].what);
}
