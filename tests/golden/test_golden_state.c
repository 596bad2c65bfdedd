/* SPDX-License-Identifier: MIT */
/*
 * State on demand: recorded events print the same with the events and the parts of the state that a
 * filter and an output need as with all of them. Filters and outputs are random, with a fixed seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/plan/selection.h"
#include "recording.h"
#include "sinsp/state/engine.h"
#include "sinsp/format/formatter.h"

enum { ROUNDS = 400, TEXT_BYTES = 1024, FIELDS_MAX = 8 };

static const char *const terms[] = {
	"evt.type=open",
	"evt.type=openat",
	"evt.type in (open, creat, socket, pipe2)",
	"evt.type in (read, write)",
	"evt.type in (close, dup, dup2, fcntl)",
	"evt.type in (connect, accept4, sendto)",
	"evt.type in (chdir, mkdir, rename, unlinkat)",
	"evt.type in (execve, clone, procexit)",
	"evt.failed=true",
	"fd.name contains e",
	"fd.type=file",
	"fd.num>3",
	"fd.l4proto=tcp",
	"proc.name contains s",
	"proc.cwd=/",
	"fs.path.name contains a",
	"evt.arg.name contains e",
};

static const char *const fields[] = {
	"evt.type",	"evt.args",	   "evt.category", "evt.res",	   "evt.is_io",
	"fd.num",	"fd.name",	   "fd.nameraw",   "fd.type",	   "fd.directory",
	"fd.filename",	"fd.ino",	   "fd.dev",	   "fd.sip",	   "fd.sport",
	"fd.connected", "fd.name_changed", "fd.types",	   "fs.path.name", "fs.path.target",
	"fs.path.age",	"evt.abspath",	   "proc.name",	   "proc.pid",	   "proc.ppid",
	"proc.cmdline", "proc.cwd",	   "user.uid",	   "evt.arg.name", "proc.fdopencount",
};

struct recording {
	char *bytes;
	size_t len;
};

static unsigned int pick(unsigned int below)
{
	static uint64_t state = 20261123;

	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned int)(state >> 33) % below;
}

#define PICK(list) (list)[pick(sizeof(list) / sizeof((list)[0]))]

static void make_filter(char text[TEXT_BYTES])
{
	unsigned int count = 1 + pick(4);
	size_t len = 0;

	for (unsigned int i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, TEXT_BYTES - len, "%s%s(%s",
					i == 0	  ? ""
					: pick(2) ? " and "
						  : " or ",
					pick(5) ? "" : "not ", PICK(terms));
	while (count-- > 0)
		text[len++] = ')';
	text[len] = '\0';
}

static struct formatter *make_formatter(void)
{
	const char *chosen[FIELDS_MAX];
	size_t count = 1 + pick(FIELDS_MAX);
	struct formatter *formatter;
	struct error err;

	for (size_t i = 0; i < count; i++)
		chosen[i] = PICK(fields);
	if (formatter_create(pick(2) ? &format_text : &format_json, chosen, count, &formatter,
			     &err))
		fail_msg("%s", err.text);
	return formatter;
}

/* Whether a capture for a selection has an event: see live_open(). */
static bool is_captured(const struct selection *selection, const struct event *ev)
{
	uint16_t why = selection->events[ev->desc->id];
	int64_t result;

	if (why & WHY_FILTER)
		return true;
	return why && (!event_result(ev, &result) || result >= 0);
}

static void print_all(const struct recording *recording, const struct selection *selection,
		      bool only_captured, struct filter *filter, struct formatter *formatter,
		      struct buf *out)
{
	const struct state_config config = {
		.hostname = "golden",
		.boot_id = "golden",
		.boot_ns = 1,
		.lacks = only_captured ? selection_lacks(selection) : 0,
	};
	struct recording_entry entry;
	struct state_event event;
	struct state *engine;

	assert_int_equal(state_create(&config, &engine, NULL), 0);
	for (size_t at = 0; at < recording->len; at += sizeof(entry) + entry.len) {
		struct scap_event raw = {.frame = recording->bytes + at + sizeof(entry)};

		memcpy(&entry, recording->bytes + at, sizeof(entry));
		raw.len = entry.len;
		raw.cpu = entry.cpu;
		assert_int_equal(event_decode(raw.frame, raw.len, raw.cpu, &event.ev), 0);
		if (only_captured && !is_captured(selection, &event.ev))
			continue;
		assert_int_equal(state_process(engine, &raw, &event), 0);
		if ((selection->events[event.ev.desc->id] & WHY_FILTER) &&
		    filter_match(filter, &event))
			formatter_write(formatter, &event, out);
	}
	state_destroy(engine);
	buf_append_char(out, '\0');
}

/* Returns whether a part of the state was left out. */
static bool compare(const struct recording *recording)
{
	struct buf whole = {0}, demanded = {0};
	struct selection selection;
	struct formatter *formatter = make_formatter();
	struct filter *filter;
	struct filter_error err;
	char text[TEXT_BYTES];
	bool lacks;

	make_filter(text);
	if (filter_create(text, &(struct filter_options){0}, &filter, &err))
		fail_msg("%s", text);
	selection_make(&selection, filter, formatter_needs(formatter), false);
	/* Environments are a part of events that are captured all the same; for ages one field
	 * asks. */
	lacks = selection_lacks(&selection) & ~(unsigned int)(STATE_ENVIRONMENTS | STATE_CREATED);
	print_all(recording, &selection, false, filter, formatter, &whole);
	print_all(recording, &selection, true, filter, formatter, &demanded);
	if (strcmp(whole.data, demanded.data) != 0)
		fail_msg("%s:\n%s\nnot\n%s", text, demanded.data, whole.data);
	buf_finish(&whole);
	buf_finish(&demanded);
	filter_destroy(filter);
	formatter_destroy(formatter);
	return lacks;
}

static void test_same_output(void **state)
{
	struct recording recording = {0};
	char path[TEXT_BYTES];
	unsigned int lacking = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/scenario.events", getenv("GOLDEN"));
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	recording.len = (size_t)ftell(file);
	rewind(file);
	recording.bytes = malloc(recording.len);
	assert_int_equal(fread(recording.bytes, 1, recording.len, file), recording.len);
	fclose(file);
	for (int i = 0; i < ROUNDS; i++)
		lacking += compare(&recording);
	/* Otherwise nothing was tested. */
	assert_in_range(lacking, ROUNDS / 10, ROUNDS - 1);
	free(recording.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_output)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
