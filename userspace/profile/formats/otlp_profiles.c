/* SPDX-License-Identifier: MIT */
/*
 * Samples come first, and collect the attributes and texts that they use; the dictionary is
 * written behind them. Its tables begin with an empty row, as 0 stands for none.
 */
#include "profile/formats/otlp_profiles.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "profile/formats/texts.h"
#include "util/count.h"
#include "util/proto.h"
#include "util/version.h"

/* Numbers of fields, by message. */
enum { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION,
	DICTIONARY_FUNCTION,
	DICTIONARY_LINK,
	DICTIONARY_TEXT,
	DICTIONARY_ATTRIBUTE,
	DICTIONARY_STACK
};
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPE };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILE };
enum { SCOPE_NAME = 1, SCOPE_VERSION };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_TIME, /* fixed64 */
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_LINK, SAMPLE_VALUES };
enum { STACK_LOCATIONS = 1 };
enum { MAPPING_BEGIN = 1, MAPPING_END, MAPPING_OFFSET, MAPPING_FILE, MAPPING_ATTRIBUTES };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_ATTRIBUTES };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE }; /* KeyValueAndUnit */
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum { ANY_TEXT = 1, ANY_INT = 3 };

enum { ID_BYTES = 16, SAMPLE_ATTRIBUTES_MAX = 12 };

/* As in pprof: a file is not larger. */
static const uint64_t file_range = UINT64_C(1) << 40;
static const uint64_t kernel_begin = UINT64_C(1) << 63;

struct otlp_writer {
	const struct stacks *stacks;
	const struct profile_names *names;
	struct buf *out;
	struct texts texts;
	struct texts attributes; /* "key=text" or "key#number" */
	int error; /* 0 or -ENOMEM */
};

static uint32_t otlp_add(struct otlp_writer *writer, struct texts *texts, const char *text)
{
	uint32_t number;
	int r = texts_add(texts, text, strlen(text), &number);

	if (r == -ENOMEM)
		writer->error = r;
	return r ? 0 : number;
}

static void otlp_put_number(struct buf *out, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	proto_tag(out, field, PROTO_VARINT);
	proto_varint(out, value);
}

static void otlp_put_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_text(out, text, strlen(text));
}

static size_t otlp_begin(struct buf *out, uint32_t field)
{
	proto_tag(out, field, PROTO_BYTES);
	return proto_begin(out);
}

static void otlp_put_type(struct otlp_writer *writer, uint32_t field, const char *name,
			  const char *unit)
{
	size_t begin = otlp_begin(writer->out, field);

	otlp_put_number(writer->out, TYPE_NAME, otlp_add(writer, &writer->texts, name));
	otlp_put_number(writer->out, TYPE_UNIT, otlp_add(writer, &writer->texts, unit));
	proto_end(writer->out, begin);
}

/* Attributes of samples: each is kept once, as "key=text" or "key#number". */

static uint32_t otlp_attribute(struct otlp_writer *writer, const char *key, const char *text,
			       int64_t number)
{
	struct buf row = {0};
	uint32_t index;

	if (text)
		buf_printf(&row, "%s=%s", key, text);
	else
		buf_printf(&row, "%s#%lld", key, (long long)number);
	buf_append_char(&row, '\0');
	if (row.failed)
		writer->error = -ENOMEM;
	index = row.failed ? 0 : otlp_add(writer, &writer->attributes, row.data);
	buf_finish(&row);
	return index;
}

static const struct {
	const char *key;
	size_t member; /* of struct stack_container */
} of_containers[] = {
	{"container.id", offsetof(struct stack_container, id)},
	{"container.name", offsetof(struct stack_container, name)},
	{"container.image.name", offsetof(struct stack_container, image)},
	{"k8s.pod.name", offsetof(struct stack_container, pod)},
	{"k8s.namespace.name", offsetof(struct stack_container, ns)},
};

/* NULL: it has none. */
static const char *otlp_container_text(const struct stack_container *container, size_t i)
{
	return *(const char *const *)(const void *)((const char *)container +
						    of_containers[i].member);
}

static void otlp_put_attributes(struct otlp_writer *writer, const struct stack_row *row)
{
	const struct stack_process *process = &writer->stacks->processes[row->process];
	uint8_t lack = row->user.lack ? row->user.lack : row->kernel.lack;
	uint32_t indexes[SAMPLE_ATTRIBUTES_MAX];
	size_t count = 0, begin;

	indexes[count++] = otlp_attribute(writer, "process.executable.name", process->comm, 0);
	indexes[count++] = otlp_attribute(writer, "process.pid", NULL, process->pid);
	indexes[count++] = otlp_attribute(writer, "thread.name", row->comm, 0);
	indexes[count++] = otlp_attribute(writer, "thread.id", NULL, row->tid);
	for (size_t i = 0; i < COUNT(of_containers); i++)
		if (otlp_container_text(&process->container, i))
			indexes[count++] =
				otlp_attribute(writer, of_containers[i].key,
					       otlp_container_text(&process->container, i), 0);
	if (row->reason != STACK_NO_REASON)
		indexes[count++] =
			otlp_attribute(writer, "lanner.wait.reason",
				       stack_reason_name((enum stack_reason)row->reason), 0);
	if (lack != STACK_WHOLE)
		indexes[count++] = otlp_attribute(writer, "lanner.stack.incomplete",
						  stack_lack_text((enum stack_lack)lack), 0);
	begin = otlp_begin(writer->out, SAMPLE_ATTRIBUTES);
	for (size_t i = 0; i < count; i++)
		proto_varint(writer->out, indexes[i]);
	proto_end(writer->out, begin);
}

/* Profiles. */

static void otlp_put_sample(struct otlp_writer *writer, size_t i)
{
	const struct stack_row *row = &writer->stacks->rows[i];
	uint64_t value = row->value, period = writer->stacks->period_ns;
	size_t begin = otlp_begin(writer->out, PROFILE_SAMPLE), values;

	if (row->kind == STACK_ON_CPU && period &&
	    (__builtin_mul_overflow(value, period, &value) || value > INT64_MAX))
		value = INT64_MAX;
	otlp_put_number(writer->out, SAMPLE_STACK, i + 1);
	otlp_put_attributes(writer, row);
	values = otlp_begin(writer->out, SAMPLE_VALUES);
	proto_varint(writer->out, value);
	proto_end(writer->out, values);
	proto_end(writer->out, begin);
}

/* One that was sent twice can be recognised. */
static void otlp_put_id(struct buf *out)
{
	uint8_t id[ID_BYTES];

	if (getrandom(id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		return;
	proto_tag(out, PROFILE_ID, PROTO_BYTES);
	proto_bytes(out, id, sizeof(id));
}

static void otlp_put_profile(struct otlp_writer *writer, enum stack_kind kind)
{
	const struct stacks *stacks = writer->stacks;
	size_t begin = otlp_begin(writer->out, SCOPE_PROFILES_PROFILE);
	bool is_clock = stacks->period_ns;

	if (kind == STACK_OFF_CPU)
		otlp_put_type(writer, PROFILE_SAMPLE_TYPE, "off_cpu", "nanoseconds");
	else
		otlp_put_type(writer, PROFILE_SAMPLE_TYPE, is_clock ? "cpu" : stacks->event,
			      is_clock ? "nanoseconds" : "count");
	for (size_t i = 0; i < stacks->rows_count && !writer->error; i++)
		if (stacks->rows[i].kind == kind)
			otlp_put_sample(writer, i);
	proto_tag(writer->out, PROFILE_TIME, PROTO_FIXED64);
	proto_fixed64(writer->out, stacks->begin_ns);
	otlp_put_number(writer->out, PROFILE_DURATION, stacks->duration_ns);
	if (kind == STACK_ON_CPU && is_clock) {
		otlp_put_type(writer, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
		otlp_put_number(writer->out, PROFILE_PERIOD, stacks->period_ns);
	}
	otlp_put_id(writer->out);
	proto_end(writer->out, begin);
}

static void otlp_put_resource_text(struct buf *out, const char *key, const char *text)
{
	size_t begin, value;

	if (!text)
		return;
	begin = otlp_begin(out, RESOURCE_ATTRIBUTES);
	otlp_put_text(out, KEY_VALUE_KEY, key);
	value = otlp_begin(out, KEY_VALUE_VALUE);
	otlp_put_text(out, ANY_TEXT, text);
	proto_end(out, value);
	proto_end(out, begin);
}

static void otlp_put_profiles(struct otlp_writer *writer,
			      const struct otlp_profiles_resource *resource)
{
	struct buf *out = writer->out;
	bool has_kind[STACK_KINDS] = {false};
	size_t whole = otlp_begin(out, DATA_RESOURCE_PROFILES), begin, inner;

	begin = otlp_begin(out, RESOURCE_PROFILES_RESOURCE);
	for (size_t i = 0; i < COUNT(of_containers); i++)
		otlp_put_resource_text(out, of_containers[i].key,
				       otlp_container_text(&resource->container, i));
	otlp_put_resource_text(out, "host.name", resource->host);
	proto_end(out, begin);
	begin = otlp_begin(out, RESOURCE_PROFILES_SCOPE);
	inner = otlp_begin(out, SCOPE_PROFILES_SCOPE);
	otlp_put_text(out, SCOPE_NAME, "lanner");
	otlp_put_text(out, SCOPE_VERSION, LANNER_VERSION);
	proto_end(out, inner);
	for (size_t i = 0; i < writer->stacks->rows_count; i++)
		has_kind[writer->stacks->rows[i].kind] = true;
	for (int kind = 0; kind < STACK_KINDS; kind++)
		if (has_kind[kind])
			otlp_put_profile(writer, (enum stack_kind)kind);
	proto_end(out, begin);
	proto_end(out, whole);
}

/* The dictionary. */

static void otlp_put_empty(struct buf *out, uint32_t field)
{
	proto_end(out, otlp_begin(out, field));
}

static bool otlp_has_range(const struct stack_file *file)
{
	return file->kind == STACK_FILE || file->kind == STACK_VDSO;
}

/* That of a file has the number of the file, from 1 on. */
static void otlp_put_mappings(struct otlp_writer *writer)
{
	struct buf *out = writer->out;

	otlp_put_empty(out, DICTIONARY_MAPPING);
	for (size_t i = 0; i < writer->stacks->files_count; i++) {
		const struct stack_file *file = &writer->stacks->files[i];
		const bool is_kernel = file->kind == STACK_KERNEL;
		char id[2 * STACK_BUILD_ID_MAX + 1];
		size_t begin = otlp_begin(out, DICTIONARY_MAPPING), list;

		otlp_put_number(out, MAPPING_BEGIN,
				is_kernel	       ? kernel_begin
				: otlp_has_range(file) ? (i + 1) * file_range
						       : 0);
		otlp_put_number(out, MAPPING_END,
				is_kernel	       ? UINT64_MAX
				: otlp_has_range(file) ? (i + 2) * file_range
						       : 0);
		otlp_put_number(out, MAPPING_FILE,
				otlp_add(writer, &writer->texts,
					 is_kernel ? "[kernel.kallsyms]" : file->path));
		for (size_t k = 0; k < file->build_id_bytes && k < STACK_BUILD_ID_MAX; k++) {
			id[2 * k] = "0123456789abcdef"[file->build_id[k] >> 4];
			id[2 * k + 1] = "0123456789abcdef"[file->build_id[k] & 15];
			id[2 * k + 2] = '\0';
		}
		if (file->build_id_bytes) {
			list = otlp_begin(out, MAPPING_ATTRIBUTES);
			proto_varint(out, otlp_attribute(writer, "process.executable.build_id.gnu",
							 id, 0));
			proto_end(out, list);
		}
		proto_end(out, begin);
	}
}

static const char *otlp_frame_type(const struct stack_file *file)
{
	return file->kind == STACK_KERNEL ? "kernel" : "native";
}

static void otlp_put_line(struct buf *out, uint32_t function)
{
	size_t begin = otlp_begin(out, LOCATION_LINE);

	otlp_put_number(out, LINE_FUNCTION, function + 1);
	proto_end(out, begin);
}

/* A function comes behind those that are inlined in it. */
static void otlp_put_location(struct otlp_writer *writer, const struct names_location *location)
{
	const struct stack_file *file = &writer->stacks->files[location->file];
	struct buf *out = writer->out;
	size_t begin = otlp_begin(out, DICTIONARY_LOCATION), inner;

	otlp_put_number(out, LOCATION_MAPPING, location->file + 1);
	otlp_put_number(out, LOCATION_ADDRESS,
			otlp_has_range(file)
				? (location->file + 1) * file_range + location->at % file_range
				: location->at);
	for (uint32_t i = 0; i < location->inlined_count; i++)
		otlp_put_line(out, writer->names->inlined[location->inlined + i]);
	if (writer->names->functions_count)
		otlp_put_line(out, location->function);
	inner = otlp_begin(out, LOCATION_ATTRIBUTES);
	proto_varint(out, otlp_attribute(writer, "profile.frame.type", otlp_frame_type(file), 0));
	proto_end(out, inner);
	proto_end(out, begin);
}

static void otlp_put_functions(struct otlp_writer *writer)
{
	const struct profile_names *names = writer->names;
	struct buf *out = writer->out;

	otlp_put_empty(out, DICTIONARY_FUNCTION);
	for (size_t i = 0; i < names->functions_count && !writer->error; i++) {
		const struct names_function *function = &names->functions[i];
		size_t begin = otlp_begin(out, DICTIONARY_FUNCTION);

		otlp_put_number(
			out, FUNCTION_NAME,
			otlp_add(writer, &writer->texts, names_text(names, function->name)));
		otlp_put_number(out, FUNCTION_SYSTEM_NAME,
				otlp_add(writer, &writer->texts, names_text(names, function->raw)));
		proto_end(out, begin);
	}
}

/* A frame without a location is the empty one. */
static void otlp_put_stacks(struct otlp_writer *writer)
{
	const struct stacks *stacks = writer->stacks;
	struct buf *out = writer->out;

	otlp_put_empty(out, DICTIONARY_STACK);
	for (size_t i = 0; i < stacks->rows_count; i++) {
		const struct stack_row *row = &stacks->rows[i];
		const struct stack_part *parts[] = {&row->kernel, &row->user};
		size_t begin = otlp_begin(out, DICTIONARY_STACK);
		size_t list = otlp_begin(out, STACK_LOCATIONS);

		for (size_t part = 0; part < 2; part++)
			for (uint32_t k = 0; k < parts[part]->count; k++) {
				const struct names_location *found =
					names_find(writer->names, stacks, row->process,
						   &stacks->frames[parts[part]->first + k]);

				proto_varint(out,
					     found ? (uint64_t)(found - writer->names->locations) +
							     1
						   : 0);
			}
		proto_end(out, list);
		proto_end(out, begin);
	}
}

static void otlp_put_attribute(struct otlp_writer *writer, const char *row)
{
	size_t len = strcspn(row, "=#"), begin, value;
	struct buf *out = writer->out;
	char key[64];

	begin = otlp_begin(out, DICTIONARY_ATTRIBUTE);
	if (row[len] && len < sizeof(key)) {
		memcpy(key, row, len);
		key[len] = '\0';
		otlp_put_number(out, ATTRIBUTE_KEY, otlp_add(writer, &writer->texts, key));
		value = otlp_begin(out, ATTRIBUTE_VALUE);
		if (row[len] == '=') {
			otlp_put_text(out, ANY_TEXT, row + len + 1);
		} else {
			proto_tag(out, ANY_INT, PROTO_VARINT);
			proto_varint(out, strtoull(row + len + 1, NULL, 10));
		}
		proto_end(out, value);
	}
	proto_end(out, begin);
}

static void otlp_put_dictionary(struct otlp_writer *writer)
{
	struct buf *out = writer->out;
	size_t begin = otlp_begin(out, DATA_DICTIONARY);

	otlp_put_mappings(writer);
	otlp_put_empty(out, DICTIONARY_LOCATION);
	for (size_t i = 0; i < writer->names->locations_count && !writer->error; i++)
		otlp_put_location(writer, &writer->names->locations[i]);
	otlp_put_functions(writer);
	otlp_put_empty(out, DICTIONARY_LINK);
	otlp_put_stacks(writer);
	for (size_t i = 0; i < writer->attributes.count && !writer->error; i++)
		otlp_put_attribute(writer, texts_at(&writer->attributes, (uint32_t)i));
	for (size_t i = 0; i < writer->texts.count; i++)
		otlp_put_text(out, DICTIONARY_TEXT, texts_at(&writer->texts, (uint32_t)i));
	proto_end(out, begin);
}

int otlp_profiles_write(const struct stacks *stacks, const struct profile_names *names,
			const struct otlp_profiles_resource *resource, struct buf *out)
{
	struct otlp_writer writer = {.stacks = stacks, .names = names, .out = out};

	if (texts_init(&writer.texts) != 0)
		return -ENOMEM;
	if (texts_init(&writer.attributes) != 0) {
		texts_finish(&writer.texts);
		return -ENOMEM;
	}
	/* 0 is none. */
	otlp_add(&writer, &writer.texts, "");
	otlp_add(&writer, &writer.attributes, "");
	otlp_put_profiles(&writer, resource);
	otlp_put_dictionary(&writer);
	texts_finish(&writer.texts);
	texts_finish(&writer.attributes);
	return writer.error || out->failed ? -ENOMEM : 0;
}
