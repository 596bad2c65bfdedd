/* SPDX-License-Identifier: MIT */
#include "output/targets/otlp_resource.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/targets/http_pairs.h"
#include "sinsp/schema/identity.h"
#include "util/json.h"
#include "util/protobuf.h"
#include "util/version.h"

/* Numbers of fields in opentelemetry/proto/resource/v1 and common/v1. */
enum { RESOURCE_ATTRIBUTES = 1, KEY_VALUE_KEY = 1, KEY_VALUE_VALUE = 2, ANY_STRING = 1 };

/* Adds an attribute, or replaces its value. */
static int set(struct otlp_resource *resource, const char *name, size_t name_len, const char *value)
{
	struct otlp_attribute *attribute = resource->attributes;
	struct otlp_attribute *end = attribute + resource->count;
	char *copy = strdup(value);

	while (attribute < end && (strlen(attribute->name) != name_len ||
				   memcmp(attribute->name, name, name_len) != 0))
		attribute++;
	if (!copy)
		return -ENOMEM;
	if (attribute == end) {
		char *name_copy =
			resource->count < OTLP_ATTRIBUTES_MAX ? strndup(name, name_len) : NULL;

		if (!name_copy) {
			free(copy);
			return resource->count < OTLP_ATTRIBUTES_MAX ? -ENOMEM : -E2BIG;
		}
		*attribute = (struct otlp_attribute){.name = name_copy};
		resource->count++;
	}
	free(attribute->value);
	attribute->value = copy;
	return 0;
}

/* The same for a name that is known, where no value means that it is left out. */
static int set_known(struct otlp_resource *resource, const char *name, const char *value)
{
	return value && *value ? set(resource, name, strlen(name), value) : 0;
}

static int find_out(struct otlp_resource *resource, const char *host)
{
	struct identity machine;

	identity_read(&machine, getenv("HOST_ROOT"));
	const struct {
		const char *name, *value;
	} rows[] = {
		{"service.name", "lanner"},
		{"service.version", LANNER_VERSION},
		{"host.name", host},
		{"host.id", machine.parts[IDENTITY_MACHINE_ID]},
		{"host.arch", machine.parts[IDENTITY_ARCHITECTURE]},
		{"os.type", "linux"},
		{"os.version", machine.parts[IDENTITY_KERNEL]},
		{"k8s.node.name", getenv("NODE_NAME")},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int code = set_known(resource, rows[i].name, rows[i].value);

		if (code)
			return code;
	}
	return 0;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

void otlp_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high = *text == '%' ? hex_digit(text[1]) : -1;
		int low = high >= 0 ? hex_digit(text[2]) : -1;

		if (low < 0 || high + low == 0) {
			*to++ = *text;
			continue;
		}
		*to++ = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
}

/* "name=value,name=value"; what is not of that form is skipped, as OpenTelemetry asks. */
static int read_variable(struct otlp_resource *resource, const char *text)
{
	char *copy = strdup(text), *rest = copy, *item;
	int code = copy ? 0 : -ENOMEM;

	while (code == 0 && (item = strsep(&rest, ","))) {
		struct http_pair pair;

		item += strspn(item, " \t");
		pair = http_pair_of(item);
		if (!pair.name_len || !item[pair.name_len])
			continue;
		otlp_unescape((char *)pair.value);
		code = set(resource, pair.name, pair.name_len, pair.value);
	}
	free(copy);
	return code;
}

static int collect(struct otlp_resource *resource, const char *host,
		   const struct output_list *given)
{
	const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
	int code = find_out(resource, host);

	if (code == 0 && attributes)
		code = read_variable(resource, attributes);
	if (code == 0)
		code = set_known(resource, "service.name", getenv("OTEL_SERVICE_NAME"));
	for (size_t i = 0; i < given->count && code == 0; i++) {
		struct http_pair pair = http_pair_of(given->items[i]);

		code = set(resource, pair.name, pair.name_len, pair.value);
	}
	return code;
}

int otlp_resource_init(struct otlp_resource *resource, const char *host,
		       const struct output_list *given, struct error *err)
{
	int code;

	*resource = (struct otlp_resource){0};
	code = collect(resource, host, given);
	if (code == 0)
		return 0;
	otlp_resource_finish(resource);
	if (code == -E2BIG)
		return error_set(err, -EINVAL, "more than %d attributes of the resource",
				 OTLP_ATTRIBUTES_MAX);
	return error_set(err, code, "out of memory");
}

void otlp_resource_finish(struct otlp_resource *resource)
{
	for (size_t i = 0; i < resource->count; i++) {
		free(resource->attributes[i].name);
		free(resource->attributes[i].value);
	}
	resource->count = 0;
}

static void append_text(struct buf *out, uint32_t field, const char *text)
{
	proto_tag(out, field, PROTO_BYTES);
	proto_text(out, text, strlen(text));
}

void otlp_resource_append_proto(const struct otlp_resource *resource, struct buf *out)
{
	for (size_t i = 0; i < resource->count; i++) {
		size_t attribute, value;

		proto_tag(out, RESOURCE_ATTRIBUTES, PROTO_BYTES);
		attribute = proto_begin(out);
		append_text(out, KEY_VALUE_KEY, resource->attributes[i].name);
		proto_tag(out, KEY_VALUE_VALUE, PROTO_BYTES);
		value = proto_begin(out);
		append_text(out, ANY_STRING, resource->attributes[i].value);
		proto_end(out, value);
		proto_end(out, attribute);
	}
}

void otlp_resource_append_json(const struct otlp_resource *resource, struct buf *out)
{
	BUF_LITERAL(out, "{\"attributes\":[");
	for (size_t i = 0; i < resource->count; i++) {
		const struct otlp_attribute *attribute = &resource->attributes[i];

		buf_append_string(out, i ? ",{\"key\":" : "{\"key\":");
		json_append_string(out, attribute->name, strlen(attribute->name));
		BUF_LITERAL(out, ",\"value\":{\"stringValue\":");
		json_append_string(out, attribute->value, strlen(attribute->value));
		BUF_LITERAL(out, "}}");
	}
	BUF_LITERAL(out, "]}");
}
