/* SPDX-License-Identifier: MIT */
/*
 * Every field of recorded events, compared with GOLDEN/fields.txt. The file has the fields of each
 * event that differ from those of the previous event of the same thread; "-" is a field that no
 * longer has a value.
 *
 * With GOLDEN_WRITE set the file is written instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording.h"
#include "sinsp/fields/field.h"
#include "sinsp/fields/param_text.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/state/engine.h"

enum { COLUMNS_MAX = 512, THREADS_MAX = 64, PATH_BYTES = 4096 };

/* 2026-11-21T00:00:00Z, so that times since boot do not depend on the machine. */
static const uint64_t boot_ns = UINT64_C(1795219200000000000);

/* Fields with arguments; without argument they are read where that is valid.
 */
static const char *const with_arguments[] = {
	"evt.arg[0]",
	"evt.arg.name",
	"evt.arg.fd",
	"evt.arg.res",
	"evt.arg.data",
	"evt.arg.flags",
	"evt.arg.tuple",
	"evt.arg.uid",
	"evt.rawarg.res",
	"evt.rawarg.name",
	"evt.rawarg.mode",
	"evt.type.is.openat",
	"evt.around[1795219200000000000]",
	"proc.aname[0]",
	"proc.aname[1]",
	"proc.aexe[1]",
	"proc.aexepath[1]",
	"proc.acmdline[1]",
	"proc.aargs[1]",
	"proc.apid[1]",
	"proc.args[0]",
	"proc.args[5]",
	"proc.env[COLOR]",
	"proc.aenv[SHELL]",
	"proc.aenv[1]",
	"fd.types[0]",
	"fd.types[3]",
	"thread.cgroup.cpu",
	"thread.cgroup.memory",
	/* These have no value yet. */
	"tracepoint.arg[comm]",
	"tracepoint.rawarg[pid]",
	"probe.arg[arg1]",
	"probe.rawarg[arg1]",
	"container.mount[0]",
	"container.mount.source[0]",
	"container.mount.dest[0]",
	"container.mount.mode[0]",
	"container.mount.rdwr[0]",
	"container.mount.propagation[0]",
	"container.label[a]",
	"k8s.pod.label[app]",
	"k8s.pod.annotation[app]",
	"k8smeta.pod.label[app]",
	"k8s.ns.label[app]",
	"k8s.rc.label[app]",
	"k8s.svc.label[app]",
	"k8s.rs.label[app]",
	"k8s.deployment.label[app]",
	"k8smeta.ns.label[app]",
	"k8smeta.deployment.label[app]",
	"k8smeta.svc.label[app]",
	"k8smeta.rs.label[app]",
	"k8smeta.rc.label[app]",
};

struct column {
	char text[64];
	struct field_ref ref;
};

/* The last values of the fields of a thread, as text; NULL: no value. */
struct seen {
	int64_t tid;
	char *values[COLUMNS_MAX];
};

struct golden {
	struct column columns[COLUMNS_MAX];
	size_t columns_count;
	struct seen threads[THREADS_MAX];
	size_t threads_count;
	struct field_scratch scratch;
	struct buf out, value;
};

static void path_of(char path[PATH_BYTES], const char *name)
{
	const char *folder = getenv("GOLDEN");

	snprintf(path, PATH_BYTES, "%s/%s", folder ? folder : ".", name);
}

static char *read_whole(const char *name, size_t *len)
{
	char path[PATH_BYTES], *text;
	FILE *file;
	long size;

	path_of(path, name);
	file = fopen(path, "re");
	if (!file)
		fail_msg("cannot open %s", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_true(size >= 0);
	rewind(file);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, file), size);
	text[size] = '\0';
	*len = (size_t)size;
	fclose(file);
	return text;
}

static void add_column(struct golden *golden, const char *text)
{
	struct column *column = &golden->columns[golden->columns_count++];
	struct error err;

	assert_true(golden->columns_count < COLUMNS_MAX);
	snprintf(column->text, sizeof(column->text), "%s", text);
	if (field_ref_init(&column->ref, text, strlen(text), &err))
		fail_msg("%s: %s", text, err.text);
}

/* Every row without argument, and with each argument of the list above. */
static void add_columns_of(struct golden *golden, const struct field_desc *desc)
{
	size_t len = strlen(desc->name), before;

	if (!(desc->flags & FIELD_ARG_REQUIRED))
		add_column(golden, desc->name);
	before = golden->columns_count;
	for (size_t i = 0; i < sizeof(with_arguments) / sizeof(with_arguments[0]); i++) {
		const char *text = with_arguments[i];

		if (strncmp(text, desc->name, len) != 0 || (text[len] != '[' && text[len] != '.'))
			continue;
		add_column(golden, text);
		/* A longer name with the same beginning. */
		if (golden->columns[golden->columns_count - 1].ref.desc != desc)
			golden->columns_count--;
	}
	if ((desc->flags & (FIELD_ARG_REQUIRED | FIELD_ARG_ALLOWED)) &&
	    golden->columns_count == before)
		fail_msg("no argument to ask %s for", desc->name);
}

static void add_columns(struct golden *golden)
{
	for (size_t t = 0; field_tables[t]; t++)
		for (const struct field_desc *desc = field_tables[t]; desc->name; desc++)
			add_columns_of(golden, desc);
}

static bool is_text(enum param_type type)
{
	return type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH;
}

static void append_value(struct buf *out, enum param_type type, const struct field_value *value)
{
	if (is_text(type) || (type != PT_IPADDR && type != PT_IPNET && !param_type_size(type)))
		text_append_bytes(out, TEXT_BYTES_DOTS, (const uint8_t *)value->bytes.data,
				  value->bytes.len);
	else if (type == PT_IPADDR || type == PT_IPNET)
		address_append_ip(out, value->ip.address, value->ip.len);
	else if (type == PT_DOUBLE)
		buf_printf(out, "%g", value->f64);
	else if (param_type_is_signed(type))
		buf_append_i64(out, value->i64);
	else
		buf_append_u64(out, value->u64);
}

/* The values of a field between commas; false if it has none. */
static bool read_column(struct golden *golden, const struct column *column,
			const struct state_event *event)
{
	struct field_value values[FIELD_VALUES_MAX];
	int n;

	golden->scratch.used = 0;
	buf_clear(&golden->value);
	n = field_get(&column->ref, event, &golden->scratch, values);
	for (int i = 0; i < n; i++) {
		if (i > 0)
			buf_append_char(&golden->value, ',');
		append_value(&golden->value, column->ref.type, &values[i]);
	}
	buf_append_char(&golden->value, '\0');
	return n >= 0;
}

static struct seen *seen_of(struct golden *golden, int64_t tid)
{
	struct seen *seen;

	for (size_t i = 0; i < golden->threads_count; i++)
		if (golden->threads[i].tid == tid)
			return &golden->threads[i];
	assert_true(golden->threads_count < THREADS_MAX);
	seen = &golden->threads[golden->threads_count++];
	seen->tid = tid;
	return seen;
}

static void write_event(struct golden *golden, const struct state_event *event)
{
	struct seen *seen = seen_of(golden, event->ev.tid);

	buf_printf(&golden->out, "event %llu: %s of %lld\n", (unsigned long long)event->num,
		   event->ev.desc->name, (long long)event->ev.tid);
	for (size_t i = 0; i < golden->columns_count; i++) {
		bool has = read_column(golden, &golden->columns[i], event);
		char **last = &seen->values[i];

		/* Filters rely on this to omit hooks. */
		if (has && golden->columns[i].ref.desc->can_have)
			assert_true(golden->columns[i].ref.desc->can_have(event->ev.desc));
		if (has ? *last && strcmp(*last, golden->value.data) == 0 : !*last)
			continue;
		buf_printf(&golden->out, "  %s %s%s\n", golden->columns[i].text, has ? "= " : "-",
			   has ? golden->value.data : "");
		free(*last);
		*last = has ? strdup(golden->value.data) : NULL;
	}
}

static void replay(struct golden *golden, const char *recording, size_t len)
{
	struct state_config config = {
		.hostname = "golden", .boot_id = "golden", .boot_ns = boot_ns};
	struct recording_entry entry;
	struct state_event event;
	struct state *engine;
	char etc[PATH_BYTES];

	path_of(etc, "etc");
	config.etc = etc;
	assert_int_equal(state_create(&config, &engine, NULL), 0);
	for (size_t at = 0; at < len; at += sizeof(entry) + entry.len) {
		struct scap_event raw;

		memcpy(&entry, recording + at, sizeof(entry));
		raw = (struct scap_event){
			.frame = recording + at + sizeof(entry),
			.len = entry.len,
			.cpu = entry.cpu,
		};
		assert_int_equal(state_process(engine, &raw, &event), 0);
		write_event(golden, &event);
	}
	state_destroy(engine);
}

static void golden_finish(struct golden *golden)
{
	for (size_t i = 0; i < golden->columns_count; i++)
		field_ref_finish(&golden->columns[i].ref);
	for (size_t t = 0; t < golden->threads_count; t++)
		for (size_t i = 0; i < COLUMNS_MAX; i++)
			free(golden->threads[t].values[i]);
	buf_finish(&golden->out);
	buf_finish(&golden->value);
	free(golden);
}

static void write_golden(const struct buf *out)
{
	char path[PATH_BYTES];
	FILE *file;

	path_of(path, "fields.txt");
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(out->data, 1, out->len, file), out->len);
	assert_int_equal(fclose(file), 0);
}

static int line_len(const char *text)
{
	return (int)strcspn(text, "\n");
}

/* Reports the first difference: in which event, and the old value. */
static void compare(const char *expected, const char *found)
{
	const char *event = found;
	unsigned int line = 1;

	while (*found && *expected) {
		int len = line_len(found);

		if (len != line_len(expected) || memcmp(found, expected, (size_t)len) != 0)
			break;
		if (*found != ' ')
			event = found;
		found += len + (found[len] == '\n');
		expected += len + (expected[len] == '\n');
		line++;
	}
	if (*found || *expected)
		fail_msg("fields.txt line %u, in '%.*s':\n  it was  '%.*s'\n  it is   '%.*s'\n"
			 "If that is right: GOLDEN_WRITE=1 meson test -C BUILD test_golden_fields",
			 line, line_len(event), event, line_len(expected), expected,
			 line_len(found), found);
}

static void test_fields(void **state)
{
	struct golden *golden = calloc(1, sizeof(*golden));
	char *recording, *expected;
	size_t len;

	assert_non_null(golden);
	add_columns(golden);
	recording = read_whole("scenario.events", &len);
	replay(golden, recording, len);
	assert_false(golden->out.failed);
	buf_append_char(&golden->out, '\0');
	golden->out.len--;
	if (getenv("GOLDEN_WRITE"))
		write_golden(&golden->out);
	expected = read_whole("fields.txt", &len);
	compare(expected, golden->out.data);
	free(expected);
	free(recording);
	golden_finish(golden);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
