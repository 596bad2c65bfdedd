/* SPDX-License-Identifier: MIT */
/*
 * The rows of fields against tests/reference/facts/fields.tsv: every field of the sheet is there
 * with its type, flags and format, and what is there besides is ours. Differences stand here with
 * their reasons.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/fields/field.h"
#include "sheet.h"
#include "unit.h"

enum { SHEET_FIELDS = 233, LINE_BYTES = 512 };

/* A line of the sheet. */
struct line {
	char class[32], name[64], type[32], flags[128], format[16];
};

static const struct {
	const char *name;
	enum param_type type;
} types[] = {
	{"BOOL", PT_BOOL},     {"BYTEBUF", PT_BYTEBUF}, {"CHARBUF", PT_CHARBUF},
	{"DOUBLE", PT_DOUBLE}, {"DYN", PT_DYN},		{"INT16", PT_INT16},
	{"INT32", PT_INT32},   {"INT64", PT_INT64},	{"UINT32", PT_UINT32},
	{"UINT64", PT_UINT64}, {"IPADDR", PT_IPADDR},	{"IPNET", PT_IPNET},
	{"PORT", PT_PORT},     {"RELTIME", PT_RELTIME}, {"ABSTIME", PT_ABSTIME},
};

static const struct {
	const char *name;
	enum param_format format;
} formats[] = {
	{"NA", PF_NA}, {"DEC", PF_DEC}, {"HEX", PF_HEX},
	{"ID", PF_ID}, {"DIR", PF_DIR}, {"10PAD", PF_PADDED_DEC},
};

/*
 * Three flags of the sheet are none of ours: TABLE_ONLY and PRINT_ONLY forbid nothing in the
 * reference, and NO_PTR_STABILITY is about the memory of its values.
 */
static const struct {
	const char *name;
	unsigned int flag;
} flags[] = {
	{"ARG_REQUIRED", FIELD_ARG_REQUIRED},
	{"ARG_ALLOWED", FIELD_ARG_ALLOWED},
	{"IS_LIST", FIELD_LIST},
	{"FILTER_ONLY", FIELD_FILTER_ONLY},
	{"NO_RHS", FIELD_NO_RHS},
	{"NO_TRANSFORMER", FIELD_NO_TRANSFORMER},
	{"DEPRECATED", FIELD_DEPRECATED},
	{"TABLE_ONLY", 0},
	{"PRINT_ONLY", 0},
	{"NO_PTR_STABILITY", 0},
};

/* Rows with other flags than in the sheet. */
static const struct {
	const char *name;
	const char *reason;
} differences[] = {
	{"evt.abspath",
	 "evt.abspath.src and .dst are rows of their own, so that it takes no argument"},
	{"evt.around", "formats take it (output-format.md), and it prints the distance"},
	/* Deprecated in the reference, as nothing measures them there. */
	{"evt.latency", "enter times are noted"},
	{"evt.latency.s", "enter times are noted"},
	{"evt.latency.ns", "enter times are noted"},
	{"evt.latency.quantized", "enter times are noted"},
	{"evt.latency.human", "enter times are noted"},
	{"evt.wait_latency", "enter times are noted"},
};

/* What the sheet does not have: whole classes, and single fields. */
static const char *const extension_fields[] = {
	"evt.addr.",

	"container.",
	"syslog.",
	"proc.is_container_",
	"evt.family",
	"request.",
	"tcp.",
	"perf.",
	"tracepoint.",
	"probe.",
	"evt.marks",
	"evt.is_faked",
	"evt.is_contested",
	"evt.is_truncated",
	"evt.is_uring",
	"evt.via",
	"fd.slot",
	"evt.abspath.src",
	"evt.abspath.dst",
	"fs.path.age",
	"proc.exec_id",
	"thread.runqtime",
	"thread.offtime",
	"meta.",
	"k8s.",
	"k8smeta.",
};

static bool next_line(FILE *sheet, struct line *line)
{
	char text[LINE_BYTES];

	while (fgets(text, sizeof(text), sheet)) {
		if (sscanf(text, "%31s %63s %31s %127s %15s", line->class, line->name, line->type,
			   line->flags, line->format) != 5)
			fail_msg("a line of the sheet is not understood: %s", text);
		if (strcmp(line->class, "class") != 0)
			return true;
	}
	fclose(sheet);
	return false;
}

static const struct field_desc *find_row(const char *name)
{
	for (size_t t = 0; field_tables[t]; t++)
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++)
			if (strcmp(desc->name, name) == 0)
				return desc;
	return NULL;
}

static bool differs(const char *name)
{
	for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++)
		if (strcmp(differences[i].name, name) == 0)
			return true;
	return false;
}

static enum param_type type_of(const struct line *line)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, line->type) == 0)
			return types[i].type;
	fail_msg("%s: the type %s is not known here", line->name, line->type);
	return PT_TYPES_COUNT;
}

static enum param_format format_of(const struct line *line)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, line->format) == 0)
			return formats[i].format;
	fail_msg("%s: the format %s is not known here", line->name, line->format);
	return PF_NA;
}

static unsigned int flags_of(struct line *line)
{
	unsigned int found = 0;
	char *rest;

	for (char *word = strtok_r(line->flags, "|-", &rest); word;
	     word = strtok_r(NULL, "|-", &rest)) {
		size_t i = 0;

		while (i < sizeof(flags) / sizeof(flags[0]) && strcmp(flags[i].name, word) != 0)
			i++;
		if (i == sizeof(flags) / sizeof(flags[0]))
			fail_msg("%s: the flag %s is not known here", line->name, word);
		found |= flags[i].flag;
	}
	return found;
}

/* The flags of a row that the sheet knows too. */
static unsigned int common_flags(const struct field_desc *desc)
{
	unsigned int common = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		common |= flags[i].flag;
	return desc->flags & common;
}

static void test_every_field_is_there(void **state)
{
	FILE *sheet = sheet_file("facts/fields.tsv");
	unsigned int missing = 0, lines = 0;
	struct line line;

	while (next_line(sheet, &line)) {
		lines++;
		if (find_row(line.name))
			continue;
		missing++;
		print_error("%s is missing\n", line.name);
	}
	assert_int_equal(lines, SHEET_FIELDS);
	assert_int_equal(missing, 0);
}

static void test_rows_are_as_the_sheet_says(void **state)
{
	FILE *sheet = sheet_file("facts/fields.tsv");
	struct line line;

	while (next_line(sheet, &line)) {
		const struct field_desc *desc = find_row(line.name);
		unsigned int wanted = flags_of(&line);

		if (!desc)
			continue; /* the test above says so */
		if (desc->type != type_of(&line))
			fail_msg("%s is not of type %s", line.name, line.type);
		if (desc->format != format_of(&line))
			fail_msg("%s has not the format %s", line.name, line.format);
		if ((common_flags(desc) == wanted) == differs(line.name))
			fail_msg("%s has the flags %x, not %x", line.name, common_flags(desc),
				 wanted);
	}
}

static bool sheet_has(const char *name)
{
	FILE *sheet = sheet_file("facts/fields.tsv");
	bool found = false;
	struct line line;

	while (next_line(sheet, &line))
		found |= strcmp(line.name, name) == 0;
	return found;
}

static bool is_extension(const char *name)
{
	for (size_t i = 0; i < sizeof(extension_fields) / sizeof(extension_fields[0]); i++) {
		size_t n = strlen(extension_fields[i]);

		if (strncmp(name, extension_fields[i], n) == 0 &&
		    (extension_fields[i][n - 1] == '.' || extension_fields[i][n - 1] == '_' ||
		     !name[n]))
			return true;
	}
	return false;
}

static void test_other_rows_are_ours(void **state)
{
	for (size_t t = 0; field_tables[t]; t++)
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++)
			if (is_extension(desc->name) == sheet_has(desc->name))
				fail_msg("%s is neither of the sheet nor ours", desc->name);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_field_is_there),
	cmocka_unit_test(test_rows_are_as_the_sheet_says),
	cmocka_unit_test(test_other_rows_are_ours),
};

UNIT_GROUP(tests);
