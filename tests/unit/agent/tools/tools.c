/* SPDX-License-Identifier: MIT */
/* Names of bcc's tools: the command lines that they make, and what they reject. */
#include "agent/tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/tools/run.h"
#include "printed.h"
#include "unit.h"

enum { TOOL_WORDS_MAX = 16 };

/* Words that are separated by blanks. */
static int translate(const char *text, struct tools_line *line, struct error *err)
{
	static char memory[256];
	static char *words[TOOL_WORDS_MAX];
	char *rest = memory;
	int n = 0;

	snprintf(memory, sizeof(memory), "agent %s", text);
	while (n < TOOL_WORDS_MAX - 1 && (words[n] = strsep(&rest, " ")))
		n += words[n][0] != '\0';
	words[n] = NULL;
	return tools_translate(tools_find(words[1]), n, words, line, err);
}

static void makes_command_lines(void **state)
{
	static const struct {
		const char *words, *made;
	} rows[] = {
		{"opensnoop", "agent|view|opensnoop"},
		{"opensnoop -xp 42 -TU", "agent|view|opensnoop|--filter|evt.failed = true  and "
					 "proc.pid = \"42\"|-p|time,user"},
		{"opensnoop -ncat -d 3",
		 "agent|view|opensnoop|--duration|3|--filter|proc.name contains \"cat\""},
		{"fileslower -p 7 20", "agent|view|slowfiles|20|--filter|proc.pid = \"7\""},
		{"fileslower 1 2", "agent|view|slowfiles|1|--interval|2"},
		{"execsnoop", "agent|view|execsnoop|--filter|evt.failed = false"},
		{"execsnoop -x", "agent|view|execsnoop"},
		{"exitsnoop -t", "agent|view|exitsnoop|--filter|thread.ismain = true|-p|time"},
		{"exitsnoop -T", "agent|view|exitsnoop"},
		{"exitsnoop --per-thread --read=f", "agent|view|exitsnoop|--read=f"},
		{"cpudist -P -p 3 5",
		 "agent|view|cpudist|--interval|5|--filter|proc.pid = \"3\"|-p|process"},
		{"cpudist -mO 1", "agent|view|cpudist_off_ms|--interval|1"},
		{"cpudist --offcpu -L", "agent|view|cpudist_off|-p|thread"},
		{"tcpaccept -P 80", "agent|view|tcpaccept|--filter|fd.lport = \"80\""},
		{"runqlat -mL 1 2", "agent|view|runqlat_ms|--interval|1|--count|2|-p|thread"},
		{"runqslower -P 500 -t 7",
		 "agent|view|runqslower_previous|500|--filter|thread.tid = \"7\""},
		{"syscount -L -T 5 2 10",
		 "agent|view|syscount_latency|--limit|5|--interval|2|--count|10"},
		{"syscount -LP -e 2",
		 "agent|view|syscount_process_latency|--filter|evt.res = \"ENOENT\""},
		{"syscount -P -e EPERM",
		 "agent|view|syscount_process|--filter|evt.res = \"EPERM\""},
		{"filetop -a -s wbytes -r 5 2",
		 "agent|view|filetop_all|--sort|written_bytes|--limit|5|--interval|2"},
		{"tcptop -s sent", "agent|view|tcptop|--sort|tx"},
		{"shmsnoop -T -t 3", "agent|view|shmsnoop|--filter|thread.tid = \"3\"|-p|time"},
		{"tcplife --read=f fd.l4proto=tcp -- ls -x",
		 "agent|view|tcplife|--read=f|fd.l4proto=tcp|--|ls|-x"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tools_line line;
		struct error err = {""};
		char text[512] = "";

		assert_int_equal(translate(rows[i].words, &line, &err), 0);
		for (int k = 0; k < line.argc; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), k ? "|%s" : "%s",
				 line.argv[k]);
		assert_string_equal(text, rows[i].made);
		assert_null(line.argv[line.argc]);
		tools_line_finish(&line);
	}
}

static void rejects_what_tools_lack(void **state)
{
	static const char *const wrong[] = {
		"opensnoop -k",	     "opensnoop -p",  "vfsstat -x",	 "syscount -e 9999",
		"syscount -e ENONE", "filetop -s no", "tcptop -s rbytes"};
	struct tools_line line;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct error err = {""};

		assert_int_equal(translate(wrong[i], &line, &err), -EINVAL);
		assert_string_not_equal(err.text, "");
	}
	assert_null(tools_find("nosuchsnoop"));
}

/* The letters at the beginnings of lines of help, each once. */
static void expect_letters_once(const char *help)
{
	char letters[64] = "";
	size_t n = 0;

	for (const char *at = help; (at = strstr(at, "\n  -")); at++) {
		assert_null(strchr(letters, at[4]));
		assert_true(n < sizeof(letters) - 1);
		letters[n++] = at[4];
	}
}

static void print_tool_help(void *context)
{
	tools_print_help(context);
}

static void has_help_for_each(void **state)
{
	const char *name;

	for (unsigned int i = 0; (name = tools_name(i)); i++) {
		const struct tool *tool = tools_find(name);
		struct tools_line line;
		struct printed printed;
		struct error err = {""};
		char words[64];

		snprintf(words, sizeof(words), "%s -h", name);
		assert_int_equal(translate(words, &line, &err), 0);
		assert_true(line.help);
		tools_line_finish(&line);
		printed_call(print_tool_help, (void *)tool, &printed);
		printed_expect(printed.out, (const char *const[]){"Usage: agent", name, NULL});
		expect_letters_once(printed.out);
		printed_finish(&printed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(makes_command_lines),
	cmocka_unit_test(rejects_what_tools_lack),
	cmocka_unit_test(has_help_for_each),
};

UNIT_GROUP(tests);
