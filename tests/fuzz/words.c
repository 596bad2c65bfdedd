/* SPDX-License-Identifier: MIT */
/*
 * Prints a dictionary for libFuzzer: the words of the filter language, from the tables that define
 * them, and the words in its arguments.
 *   words [WORD...] >DICTIONARY
 */
#include <stdio.h>

#include "sinsp/filter/tree.h"
#include "sinsp/fields/field.h"

static void print_word(const char *before, const char *word, const char *after)
{
	putchar('"');
	fputs(before, stdout);
	for (; *word; word++) {
		if (*word < ' ' || *word == '"' || *word == '\\')
			printf("\\x%02x", (unsigned char)*word);
		else
			putchar(*word);
	}
	printf("%s\"\n", after);
}

static void print_events(void)
{
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct event_desc *desc = event_desc_get(id);

		if (desc)
			print_word("evt.type=", desc->name, "");
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		print_word("", argv[i], "");
	for (size_t t = 0; field_tables[t]; t++)
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++)
			print_word("", desc->name, desc->flags & FIELD_ARG_REQUIRED ? "[0]" : "");
	for (unsigned int op = 0; op < FILTER_OPS_COUNT; op++)
		print_word(" ", filter_op_name(op), " ");
	for (unsigned int call = 0; call < FILTER_CALLS_COUNT; call++)
		print_word("", filter_call_name(call), "(");
	print_events();
	return 0;
}
