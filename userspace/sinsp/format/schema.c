/* SPDX-License-Identifier: MIT */
/* Schemas: names and numbers of fields, and what tells this machine from others. */
#include "sinsp/format/schema.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sinsp/format/schema_fields.h"
#include "util/version.h"

#define NUMBER(number, field) {number, field},

static const struct {
	uint32_t number;
	const char *field;
} numbers[] = {
#include "sinsp/format/numbers.def"
};

uint32_t schema_number(const char *field)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(numbers[i].field, field) == 0)
			return numbers[i].number;
	return 0;
}

/* x: a hexadecimal digit. */
static const char machine_id_form[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
static const char boot_id_form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

static bool has_form(const char *text, const char *form)
{
	for (; *form; form++, text++)
		if (*form == 'x' ? !isxdigit((unsigned char)*text) : *text != *form)
			return false;
	return *text == '\0' || *text == '\n';
}

/* An image of a container may have an empty file, or the word "uninitialized". */
static void read_id(const char *path, const char *form, char text[IDENTITY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, text, IDENTITY_BYTES - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[has_form(text, form) ? strlen(form) : 0] = '\0';
}

static const char *architecture_of(const char *machine)
{
	static const struct {
		const char *machine, *architecture;
	} rows[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].machine, machine) == 0)
			return rows[i].architecture;
	return machine;
}

static void set(struct identity *identity, enum identity_part part, const char *text)
{
	snprintf(identity->parts[part], IDENTITY_BYTES, "%s", text);
}

void identity_read(struct identity *identity, const char *root)
{
	struct utsname names;
	char path[PATH_MAX];

	memset(identity, 0, sizeof(*identity));
	if (uname(&names) == 0) {
		set(identity, IDENTITY_MACHINE, names.machine);
		set(identity, IDENTITY_ARCHITECTURE, architecture_of(names.machine));
		set(identity, IDENTITY_KERNEL, names.release);
	}
	snprintf(path, sizeof(path), "%s/etc/machine-id", root ? root : "");
	read_id(path, machine_id_form, identity->parts[IDENTITY_MACHINE_ID]);
	read_id("/proc/sys/kernel/random/boot_id", boot_id_form, identity->parts[IDENTITY_BOOT_ID]);
}

/* The schemas, and the keys of fields in them. */

static const struct schema_head no_heads[] = {{0}};

static const struct schema_head otel_heads[] = {
	{"timestamp", "evt.time", NULL, SCHEMA_TIME},
	{"event_name", "evt.type", NULL, SCHEMA_EVENT_NAME},
	{"host.name", "evt.hostname", NULL, SCHEMA_SAME},
	{"service.name", .constant = "lanner"},
	{"service.version", .constant = LANNER_VERSION},
	{"os.type", .constant = "linux"},
	{"host.arch", .machine = IDENTITY_ARCHITECTURE},
	{"os.version", .machine = IDENTITY_KERNEL},
	{"host.id", .machine = IDENTITY_MACHINE_ID},
	{0},
};

static const struct schema_head ecs_heads[] = {
	{"@timestamp", "evt.time", NULL, SCHEMA_TIME},
	{"event.kind", "evt.type", "event", SCHEMA_EVENT_KIND},
	{"event.category", "evt.type", NULL, SCHEMA_CATEGORY},
	{"event.type", "evt.type", NULL, SCHEMA_KIND},
	{"event.action", "evt.type", NULL, SCHEMA_SAME},
	{"event.outcome", "evt.res", NULL, SCHEMA_OUTCOME},
	{"host.name", "evt.hostname", NULL, SCHEMA_SAME},
	{"host.hostname", "evt.hostname", NULL, SCHEMA_SAME},
	{"ecs.version", .constant = "9.0.0"},
	{"event.module", .constant = "lanner"},
	{"event.dataset", .constant = "lanner.events"},
	{"agent.type", .constant = "lanner"},
	{"agent.version", .constant = LANNER_VERSION},
	{"host.os.type", .constant = "linux"},
	{"host.os.kernel", .machine = IDENTITY_KERNEL},
	{"host.architecture", .machine = IDENTITY_MACHINE},
	{"host.id", .machine = IDENTITY_MACHINE_ID},
	{"host.boot.id", .machine = IDENTITY_BOOT_ID},
	{0},
};

static const struct schema_companion ecs_companions[] = {
	{"k8s.pod.name", "orchestrator.type", "kubernetes"},
	{"k8s.pod.name", "orchestrator.resource.type", "pod"},
	{0},
};

const struct output_schema schema_native = {
	.name = "native",
	.title = "the fields of Lanner",
	.heads = no_heads,
};

const struct output_schema schema_otel = {
	.name = "otel",
	.title = "OpenTelemetry's semantic conventions",
	.renames = true,
	.heads = otel_heads,
	.column = SCHEMA_OTEL,
};

const struct output_schema schema_ecs = {
	.name = "ecs",
	.title = "the Elastic Common Schema",
	.renames = true,
	.plain_arguments = true,
	.heads = ecs_heads,
	.companions = ecs_companions,
	.column = SCHEMA_ECS,
};

#define ADDRESS(name) &schema_##name,

static const struct output_schema *const schemas[] = {OUTPUT_SCHEMAS(ADDRESS) NULL};

const struct output_schema *output_schema_get(unsigned int i)
{
	return i < sizeof(schemas) / sizeof(schemas[0]) ? schemas[i] : NULL;
}

const struct output_schema *output_schema_find(const char *name)
{
	for (const struct output_schema *const *schema = schemas; *schema; schema++)
		if (strcmp((*schema)->name, name) == 0)
			return *schema;
	return NULL;
}

static const char *const meanings[SCHEMA_FORMS_COUNT] = {
	[SCHEMA_SAME] = "",
	[SCHEMA_STRING] = "string",
	[SCHEMA_TEXT] = "string, as in lines of text",
	[SCHEMA_TIME] = "RFC 3339",
	[SCHEMA_LIST] = "list of one",
	[SCHEMA_SPLIT] = "list of words",
	[SCHEMA_ARGV] = "list with the first word of the command line",
	[SCHEMA_PARAMS] = "",
	[SCHEMA_KNOWN] = "left out if <NA>",
	[SCHEMA_ERROR] = "left out if SUCCESS",
	[SCHEMA_CONTAINER] = "left out if host",
	[SCHEMA_IMAGE] = "without tag and digest",
	[SCHEMA_FILE] = "of files; else lanner.fd_name",
	[SCHEMA_EVENT_NAME] = "lanner.TYPE",
	[SCHEMA_OUTCOME] = "success, failure or unknown",
	[SCHEMA_CATEGORY] = "list of one",
	[SCHEMA_KIND] = "list of one",
	[SCHEMA_EVENT_KIND] = "alert or event",
	[SCHEMA_BESIDE] = "",
};

const char *schema_form_meaning(enum schema_form form)
{
	return meanings[form];
}

static const struct schema_row *find_row(const char *field, size_t len, bool with_argument)
{
	const char *end = with_argument ? "[]" : "";

	for (const struct schema_row *row = schema_rows; row->field; row++)
		if (strncmp(row->field, field, len) == 0 && strcmp(row->field + len, end) == 0)
			return row;
	return NULL;
}

static void append_plain(struct buf *key, const char *text, size_t len)
{
	while (len && !isalnum((unsigned char)text[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++)
		buf_append_char(key, isalnum((unsigned char)text[i]) ? text[i] : '_');
}

/* The text after a field, without the brackets or the dot that separate it: [app], .app. */
static void append_argument(const struct output_schema *schema, const char *text, size_t len,
			    struct buf *key)
{
	bool bracketed = *text == '[';

	text++;
	len -= bracketed ? 2 : 1;
	if (bracketed && len > 1 && (*text == '"' || *text == '\'')) {
		text++;
		len -= 2;
	}
	if (schema->plain_arguments)
		append_plain(key, text, len);
	else
		buf_append(key, text, len);
}

enum schema_form output_schema_key(const struct output_schema *schema, const char *text, size_t len,
				   size_t field_len, struct buf *key)
{
	const struct schema_row *row;
	const struct schema_key *known;

	if (!schema || !schema->renames) {
		buf_append(key, text, len);
		return SCHEMA_SAME;
	}
	row = field_len ? find_row(text, field_len, field_len < len) : NULL;
	known = row ? &row->keys[schema->column] : NULL;
	if (!known || !known->key) {
		BUF_LITERAL(key, "lanner.");
		append_plain(key, text, len);
	} else if (field_len < len) {
		buf_append(key, known->key, strlen(known->key) - 1);
		append_argument(schema, text + field_len, len - field_len, key);
	} else {
		buf_append_string(key, known->key);
	}
	return known ? known->form : SCHEMA_SAME;
}

void output_schema_word(const struct output_schema *schema, const char *word, struct buf *key)
{
	output_schema_key(schema, word, strlen(word), strlen(word), key);
}
