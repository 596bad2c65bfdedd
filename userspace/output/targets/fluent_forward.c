/* SPDX-License-Identifier: MIT */
/* JSON records become maps of msgpack, with jansson and msgpack-c. */
#include "output/targets/fluent_forward.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <msgpack.h>
#include <string.h>
#include <sys/random.h>

#include "output/targets/fluent_pack.h"

enum { NS_PER_S = 1000000000, EVENT_TIME = 0, EVENT_TIME_BYTES = 8, CHUNK_RANDOM_BYTES = 12 };

static void pack_value(msgpack_packer *packer, json_t *value);

static void pack_object(msgpack_packer *packer, json_t *object)
{
	const char *key;
	json_t *value;

	msgpack_pack_map(packer, json_object_size(object));
	json_object_foreach(object, key, value)
	{
		pack_text(packer, key);
		pack_value(packer, value);
	}
}

static void pack_array(msgpack_packer *packer, json_t *array)
{
	json_t *value;
	size_t i;

	msgpack_pack_array(packer, json_array_size(array));
	json_array_foreach(array, i, value) pack_value(packer, value);
}

/* The depth is that of the JSON, which the loader bounds. */
static void pack_value(msgpack_packer *packer, json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		pack_object(packer, value);
		break;
	case JSON_ARRAY:
		pack_array(packer, value);
		break;
	case JSON_STRING:
		pack_bytes_as_text(packer, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		msgpack_pack_int64(packer, json_integer_value(value));
		break;
	case JSON_REAL:
		msgpack_pack_double(packer, json_real_value(value));
		break;
	case JSON_TRUE:
		msgpack_pack_true(packer);
		break;
	case JSON_FALSE:
		msgpack_pack_false(packer);
		break;
	case JSON_NULL:
		msgpack_pack_nil(packer);
		break;
	}
}

/* EventTime: seconds and nanoseconds, 32 bits each. */
static void pack_time(msgpack_packer *packer, uint64_t ts_ns)
{
	const uint32_t parts[] = {htonl((uint32_t)(ts_ns / NS_PER_S)),
				  htonl((uint32_t)(ts_ns % NS_PER_S))};

	msgpack_pack_ext(packer, EVENT_TIME_BYTES, EVENT_TIME);
	msgpack_pack_ext_body(packer, parts, EVENT_TIME_BYTES);
}

/* Appends [time, record]. Returns whether it is an object of JSON. */
static bool pack_entry(msgpack_packer *packer, const struct output_record *record)
{
	json_t *object = json_loadb(record->bytes, record->len, JSON_ALLOW_NUL, NULL);
	bool is_object = json_is_object(object);

	if (is_object) {
		msgpack_pack_array(packer, 2);
		pack_time(packer, record->ts_ns);
		pack_object(packer, object);
	}
	json_decref(object);
	return is_object;
}

/* Returns how many entries there are. */
static size_t pack_entries(struct output_batch *batch, struct buf *entries)
{
	msgpack_packer packer;
	size_t count = 0;

	pack_begin(&packer, entries);
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->results[i] != OUTPUT_RETRY)
			continue;
		if (pack_entry(&packer, &batch->records[i]))
			count++;
		else
			batch->results[i] = OUTPUT_REJECTED;
	}
	return count;
}

int forward_pack(struct output_batch *batch, const char *tag, const char *chunk, struct buf *out)
{
	struct buf entries = {0};
	msgpack_packer packer;
	size_t count = pack_entries(batch, &entries);
	int code = entries.failed ? -ENOMEM : count ? 0 : -ENODATA;

	buf_clear(out);
	if (code == 0) {
		pack_begin(&packer, out);
		msgpack_pack_array(&packer, 3);
		pack_text(&packer, tag);
		msgpack_pack_bin(&packer, entries.len);
		msgpack_pack_bin_body(&packer, entries.data, entries.len);
		msgpack_pack_map(&packer, 2);
		pack_text(&packer, "chunk");
		pack_text(&packer, chunk);
		pack_text(&packer, "size");
		msgpack_pack_uint64(&packer, count);
		code = out->failed ? -ENOMEM : 0;
	}
	buf_finish(&entries);
	return code;
}

int forward_new_chunk(char chunk[static FORWARD_CHUNK_BYTES])
{
	uint8_t random[CHUNK_RANDOM_BYTES];
	struct buf text = buf_fixed(chunk, FORWARD_CHUNK_BYTES);

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (size_t i = 0; i < sizeof(random); i++)
		buf_printf(&text, "%02x", random[i]);
	return 0;
}
