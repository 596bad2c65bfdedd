/* SPDX-License-Identifier: MIT */
/* The fields: a table like the real ones, and the values beside it. */
#include "fake_fields.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 16 };

static field_getter get_value;

/* For each type: a field, another one to compare it with, and a list. */
#define ROWS(type)                                                                                 \
	{"type." #type, PT_##type, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},                       \
		{"other." #type, PT_##type, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},              \
		{"list." #type, PT_##type, PF_DEC, FIELD_LIST, FIELD_ARG_NONE, 0, get_value},

static const struct field_desc descs[] = {
	FAKE_TYPES(ROWS){"num.i8", PT_INT8, PF_DEC, 0, FIELD_ARG_NONE, NEEDS_THREADS, get_value},
	{"num.i64", PT_INT64, PF_DEC, 0, FIELD_ARG_NONE, NEEDS_FDS, get_value},
	{"num.u16", PT_UINT16, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"num.u64", PT_UINT64, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"num.u64b", PT_UINT64, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"num.port", PT_PORT, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"num.double", PT_DOUBLE, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"num.uid", PT_UID, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"bool.a", PT_BOOL, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"text.a", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"text.b", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"text.none", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"text.only", PT_CHARBUF, PF_NA, FIELD_NO_TRANSFORMER | FIELD_NO_RHS, FIELD_ARG_NONE, 0,
	 get_value},
	{"path.a", PT_FSPATH, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"bytes.a", PT_BYTEBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"bytes.b", PT_BYTEBUF, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"ip.a", PT_IPADDR, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"ip.b", PT_IPADDR, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"net.a", PT_IPNET, PF_NA, 0, FIELD_ARG_NONE, 0, get_value},
	{"list.text", PT_CHARBUF, PF_NA, FIELD_LIST | FIELD_ARG_ALLOWED, FIELD_ARG_INDEX, 0,
	 get_value},
	{"list.other", PT_CHARBUF, PF_NA, FIELD_LIST, FIELD_ARG_NONE, 0, get_value},
	{"list.num", PT_UINT64, PF_NA, FIELD_LIST, FIELD_ARG_NONE, 0, get_value},
	{"kin.text", PT_CHARBUF, PF_NA, FIELD_ANCESTORS | FIELD_ARG_ALLOWED, FIELD_ARG_INDEX, 0,
	 get_value},
	{"kin.num", PT_INT64, PF_NA, FIELD_ANCESTORS | FIELD_ARG_ALLOWED, FIELD_ARG_INDEX, 0,
	 get_value},
	{"ends.ip", PT_IPADDR, PF_NA, FIELD_EITHER_END | FIELD_NO_RHS, FIELD_ARG_NONE, 0,
	 get_value},
	{"ends.net", PT_IPNET, PF_NA, FIELD_EITHER_END | FIELD_NO_RHS, FIELD_ARG_NONE, 0,
	 get_value},
	{"ends.port", PT_PORT, PF_NA, FIELD_EITHER_END | FIELD_NO_RHS, FIELD_ARG_NONE, 0,
	 get_value},
	{"time.ns", PT_RELTIME, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value},
	{"time.s", PT_RELTIME, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value, .unit = FIELD_UNIT_S},
	{"size.u32", PT_UINT32, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value, .unit = FIELD_UNIT_BYTES},
	{"size.i64", PT_INT64, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value, .unit = FIELD_UNIT_BYTES},
	{"size.kib", PT_UINT64, PF_DEC, 0, FIELD_ARG_NONE, 0, get_value, .unit = FIELD_UNIT_KIB},
	{"past.num", PT_UINT64, PF_DEC, FIELD_OF_PAST, FIELD_ARG_NONE, 0, get_value},
	{"near.ns", PT_UINT64, PF_NA, FIELD_WITHIN_MS, FIELD_ARG_NONE, 0, get_value},
	{0},
};

enum { DESCS_COUNT = sizeof(descs) / sizeof(descs[0]) };

const struct field_desc *const field_tables[] = {descs, NULL};

static struct fake_values {
	int count;
	unsigned int cut;
	struct field_value values[VALUES_MAX];
} fakes[DESCS_COUNT];

static unsigned int reads;

static int get_value(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	const struct fake_values *fake = &fakes[ref->desc - descs];

	reads++;
	scratch->cut |= fake->cut;
	if (ref->has_arg) { /* from 1 for ancestors, from 0 for lists */
		int at = ref->index - ((ref->desc->flags & FIELD_ANCESTORS) != 0);

		if (at < 0 || at >= fake->count)
			return -1;
		values[0] = fake->values[at];
		return 1;
	}
	if (fake->count > 0)
		memcpy(values, fake->values, (size_t)fake->count * sizeof(values[0]));
	return fake->count;
}

static struct field_value *add(const char *name)
{
	for (int i = 0; i < DESCS_COUNT - 1; i++) {
		struct fake_values *fake = &fakes[i];

		if (strcmp(descs[i].name, name) != 0)
			continue;
		if (fake->count < 0)
			fake->count = 0;
		if (fake->count < VALUES_MAX)
			return &fake->values[fake->count++];
	}
	abort(); /* a test with a wrong name */
}

void fake_set_cut(const char *name, unsigned int cut)
{
	for (int i = 0; i < DESCS_COUNT - 1; i++)
		if (strcmp(descs[i].name, name) == 0)
			fakes[i].cut = cut;
}

unsigned int fake_reads(void)
{
	return reads;
}

void fake_clear(void)
{
	reads = 0;
	for (int i = 0; i < DESCS_COUNT; i++)
		fakes[i] = (struct fake_values){.count = -1};
}

void fake_add_i64(const char *name, int64_t value)
{
	add(name)->i64 = value;
}

void fake_add_u64(const char *name, uint64_t value)
{
	add(name)->u64 = value;
}

void fake_add_f64(const char *name, double value)
{
	add(name)->f64 = value;
}

void fake_add_text(const char *name, const char *text)
{
	fake_add_bytes(name, text, strlen(text));
}

void fake_add_bytes(const char *name, const char *bytes, size_t len)
{
	struct field_value *value = add(name);

	value->bytes.data = bytes;
	value->bytes.len = len;
}

void fake_add_ip(const char *name, const char *address)
{
	struct field_value *value = add(name);
	int family = strchr(address, '.') ? AF_INET : AF_INET6;

	value->ip.len = family == AF_INET ? 4 : 16;
	if (inet_pton(family, address, value->ip.address) != 1)
		abort();
}

void fake_set_empty(const char *name)
{
	struct field_value *value = add(name);

	for (int i = 0; i < DESCS_COUNT; i++)
		if (value >= fakes[i].values && value < fakes[i].values + VALUES_MAX)
			fakes[i].count = 0;
}

int field_ref_init(struct field_ref *ref, const char *text, size_t len, struct error *err)
{
	size_t name_len = strcspn(text, "[");

	for (const struct field_desc *desc = descs; desc->name; desc++) {
		if (strlen(desc->name) != name_len || memcmp(desc->name, text, name_len) != 0)
			continue;
		if (name_len < len && !(desc->flags & FIELD_ARG_ALLOWED))
			return error_set(err, -EINVAL, "no argument allowed");
		*ref = (struct field_ref){.desc = desc, .type = desc->type, .index = -1};
		if (name_len < len) {
			ref->has_arg = true;
			ref->index = atoi(text + name_len + 1);
		}
		return 0;
	}
	return error_set(err, -ENOENT, "unknown field '%.*s'", (int)len, text);
}

unsigned int field_ref_needs(const struct field_ref *ref)
{
	return ref->desc->needs;
}

void field_ref_finish(struct field_ref *ref)
{
}

const char *field_nearest(const char *text, size_t len)
{
	return len == 6 && memcmp(text, "text.q", 6) == 0 ? "text.a" : NULL;
}
