/* SPDX-License-Identifier: MIT */
/* The machine as /proc shows it, and tables of it. */
#include "agent/tools/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/tools/run.h"
#include "sinsp/sinsp.h"
#include "util/json.h"
#include "util/terminal.h"

int machine_open(struct machine_listing *machine, const char *root, struct error *err)
{
	char path[PATH_MAX + sizeof("/passwd")];
	int r;

	*machine = (struct machine_listing){.hertz = (uint32_t)sysconf(_SC_CLK_TCK)};
	r = host_open(&machine->host, root, err);
	snprintf(path, sizeof(path), "%s/passwd", machine->host.etc);
	state_users_init(&machine->users, path);
	return r;
}

void machine_close(struct machine_listing *machine)
{
	state_users_finish(&machine->users);
	host_close(&machine->host);
}

const char *machine_user(struct machine_listing *machine, uint32_t uid, char memory[16])
{
	const struct state_user *user = state_users_find(&machine->users, uid, 1);

	if (user)
		return user->name;
	snprintf(memory, 16, "%u", uid);
	return memory;
}

const char *machine_container(const struct scap_thread *thread, struct state_cgroup_match *match)
{
	enum { SHORT = 12 };

	if (!state_cgroup_match(thread->cgroups, thread->cgroups_len, match))
		return "";
	if (!match->is_name && match->id_len > SHORT)
		match->id[SHORT] = '\0';
	return match->id;
}

const char *machine_tty(uint32_t device, char memory[32])
{
	enum { TTY = 4, CONSOLE = 5, PTS_FIRST = 136, PTS_LAST = 143, SERIAL = 64 };
	uint32_t major = device >> 8 & 0xfff, minor = (device & 0xff) | (device >> 12 & 0xfff00);

	if (device == 0)
		return "?";
	if (major >= PTS_FIRST && major <= PTS_LAST)
		snprintf(memory, 32, "pts/%u", minor + (major - PTS_FIRST) * 256);
	else if (major == TTY)
		snprintf(memory, 32, minor < SERIAL ? "tty%u" : "ttyS%u",
			 minor < SERIAL ? minor : minor - SERIAL);
	else if (major == CONSOLE && minor == 1)
		return "console";
	else
		snprintf(memory, 32, "%u,%u", major, minor);
	return memory;
}

size_t machine_split(char *list, const char **words, size_t max)
{
	size_t n = 0;

	for (char *word; n < max && (word = strsep(&list, ", "));)
		if (*word)
			words[n++] = word;
	return n;
}

bool machine_has(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

const struct output_format *machine_format(const char *name)
{
	const struct output_format *const formats[] = {&format_text, &format_json, &format_csv};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

/* Tables. */

void machine_end_cell(struct machine_table *table)
{
	buf_append_char(&table->cells, '\0');
}

void machine_cell(struct machine_table *table, const char *text)
{
	size_t start = table->cells.len;

	buf_append_string(&table->cells, text);
	/* Processes choose their names. */
	if (!table->cells.failed)
		terminal_mask(table->cells.data + start, table->cells.len - start);
	machine_end_cell(table);
}

void machine_cell_u64(struct machine_table *table, uint64_t value)
{
	buf_append_u64(&table->cells, value);
	machine_end_cell(table);
}

/* Columns are as wide as the widest cell; the last one is not padded. */
static void machine_append_text(const struct machine_table *table, struct buf *out)
{
	size_t widths[MACHINE_COLUMNS_MAX] = {0};
	const char *at = table->cells.data;

	for (size_t i = 0; i < table->columns_count && !table->no_head; i++)
		widths[i] = strlen(table->columns[i]->title);
	for (size_t n = 0; n < table->rows * table->columns_count; n++, at += strlen(at) + 1)
		if (strlen(at) > widths[n % table->columns_count])
			widths[n % table->columns_count] = strlen(at);
	at = table->cells.data;
	for (size_t row = table->no_head ? 1 : 0; row <= table->rows; row++)
		for (size_t i = 0; i < table->columns_count; i++) {
			const char *text = row ? at : table->columns[i]->title;
			bool last = i + 1 == table->columns_count;
			int pad = (int)(widths[i] - strlen(text));

			if (row)
				at += strlen(at) + 1;
			buf_printf(out, "%*s%s%*s%s", table->columns[i]->right ? pad : 0, "", text,
				   table->columns[i]->right || last ? 0 : pad, "",
				   last ? "\n" : " ");
		}
}

static bool machine_is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789.");

	return *text && text[digits] == '\0' && strspn(text, ".") == 0;
}

static void machine_append_json(const struct machine_table *table, struct buf *out)
{
	const char *at = table->cells.data;

	for (size_t n = 0; n < table->rows * table->columns_count; n++, at += strlen(at) + 1) {
		size_t i = n % table->columns_count;

		buf_append_string(out, i ? ",\"" : "{\"");
		buf_append_string(out, table->columns[i]->key);
		BUF_LITERAL(out, "\":");
		if (table->columns[i]->number && machine_is_number(at))
			buf_append_string(out, at);
		else
			json_append_string(out, at, strlen(at));
		if (i + 1 == table->columns_count)
			BUF_LITERAL(out, "}\n");
	}
}

static void machine_append_csv(const struct machine_table *table, struct buf *out)
{
	const char *at = table->cells.data;

	for (size_t row = table->no_head ? 1 : 0; row <= table->rows; row++)
		for (size_t i = 0; i < table->columns_count; i++) {
			const char *text = row ? at : table->columns[i]->key;

			csv_append_cell(out, text, strlen(text));
			buf_append_string(out, i + 1 == table->columns_count ? "\n" : ",");
			if (row)
				at += strlen(at) + 1;
		}
}

int machine_print(struct machine_table *table)
{
	struct buf out = {0};
	bool failed;

	if (!table->cells.failed && table->format == &format_json)
		machine_append_json(table, &out);
	else if (!table->cells.failed && table->format == &format_csv)
		machine_append_csv(table, &out);
	else if (!table->cells.failed)
		machine_append_text(table, &out);
	failed = table->cells.failed || out.failed ||
		 fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout);
	buf_finish(&out);
	buf_finish(&table->cells);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
