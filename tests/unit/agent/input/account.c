/* SPDX-License-Identifier: MIT */
/* Parts of the account as text, of counters made by hand and a recording that has only counters. */
#include <errno.h>
#include <string.h>

#include "agent/input/account.h"
#include "agent/record/recording.h"
#include "rules/ruleset.h"
#include "rules_text.h"
#include "unit.h"

struct recording {
	struct recording_stats stats;
};

void recording_stats(const struct recording *recording, struct recording_stats *stats)
{
	*stats = recording->stats;
}

static void expect(void (*append)(const struct account *account, struct buf *text),
		   struct account account, const char *expected)
{
	struct buf text = {0};

	append(&account, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, expected);
	buf_finish(&text);
}

static void test_matches(void **state)
{
	expect(account_append_matches, (struct account){.matched = 7, .printed = 5},
	       "; matched 7, printed 5\n");
	expect(account_append_matches,
	       (struct account){.matched = UINT64_MAX, .printed = UINT64_MAX},
	       "; matched 18446744073709551615, printed 18446744073709551615\n");
}

static void test_state(void **state)
{
	expect(account_append_state, (struct account){.state = {.threads = 7, .fds = 20}},
	       "agent: state: threads 7, descriptors 20");
}

static void test_recordings(void **state)
{
	static const struct {
		struct recording recording;
		const char *text;
	} cases[] = {
		{{{.files = 1, .events = 9, .bytes = 90, .name = "a.scap"}},
		 "agent: wrote 9 events (90 bytes) to a.scap\n"},
		/* The last name of several. */
		{{{.files = 3, .events = 9, .bytes = 90, .name = "a.scap2"}},
		 "agent: wrote 9 events (90 bytes) to 3 files, the last a.scap2\n"},
		/* No event came, whose time would have been in the name. */
		{{{.files = 0}}, "agent: wrote 0 events (0 bytes) to 0 files\n"},
		{{{.files = 1, .events = 9, .at_least = true, .bytes = 90, .name = "a.scap"}},
		 "agent: wrote at least 9 events (90 bytes) to a.scap\n"},
		{{{.files = 1, .events = 9, .generic = 2, .bytes = 90, .name = "a.scap"}},
		 "agent: wrote 9 events (90 bytes) to a.scap\n"
		 "agent: 2 of these, which other readers do not know, as the generic event; "
		 "--native keeps them whole\n"},
		{{{.files = 1, .events = 9, .left_out = 3, .bytes = 90, .name = "a.scap"}},
		 "agent: wrote 9 events (90 bytes) to a.scap\n"
		 "agent: 3 events, which other readers do not know, were not written; "
		 "--native keeps them\n"},
	};

	expect(account_append_recording, (struct account){0}, "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(account_append_recording, (struct account){.recording = &cases[i].recording},
		       cases[i].text);
}

static void test_cgroups(void **state)
{
	expect(account_append_cgroups, (struct account){0}, "");
	expect(account_append_cgroups,
	       (struct account){.cgroups = {[FILTER_REJECTED] = 3, [FILTER_UNDECIDED] = 1}},
	       "agent: filter: control groups rejected 3, accepted 0, undecided 1\n");
}

/* Only rules that matched have a line. */
static void test_rules(void **state)
{
	static const char text[] =
		NAMED_RULE("always", "evt.num>=0") "  warn_evttypes: false\n" NAMED_RULE(
			"never", "evt.num<0") "  warn_evttypes: false\n";
	const struct rules_input input = {.path = "r.yaml", .text = text, .len = sizeof(text) - 1};
	const struct ruleset_config config = {.rules.least = PRIORITY_DEBUG,
					      .lines = &(struct ruleset_line){&format_none},
					      .lines_count = 1};
	const struct state_event event = {.num = 1};
	struct rules_counts counts;
	struct yaml_report report;
	struct ruleset *ruleset;

	assert_int_equal(ruleset_create(&input, 1, &config, &ruleset, &counts, &report), 0);
	yaml_report_finish(&report);
	expect(account_append_rules, (struct account){.ruleset = ruleset}, "");
	for (int i = 0; i < 3; i++)
		assert_int_equal(ruleset_next(ruleset, &event, 0), 0);
	expect(account_append_rules, (struct account){.ruleset = ruleset},
	       "agent: rule always: matched 3\n");
	expect(account_append_rules, (struct account){0}, "");
	ruleset_destroy(ruleset);
}

static void test_troubles(void **state)
{
	static const struct account_trouble troubles[] = {
		{2, "dogs"}, {0, "cats"}, {1, "birds lost"}};
	struct buf text = {0};

	account_append_troubles(troubles, 3, &text);
	buf_append_char(&text, '\0');
	assert_string_equal(text.data, "agent: 2 dogs\nagent: 1 birds lost\n");
	buf_finish(&text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_matches),	   cmocka_unit_test(test_state),
	cmocka_unit_test(test_recordings), cmocka_unit_test(test_rules),
	cmocka_unit_test(test_troubles),   cmocka_unit_test(test_cgroups),
};

UNIT_GROUP(tests);
