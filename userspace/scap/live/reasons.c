/* SPDX-License-Identifier: MIT */
/* Enumerations of the kernel as tables of names: their numbers differ between kernels. */
#include "scap/live/reasons.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "util/count.h"

static const struct {
	const char *type, *prefix;
	unsigned int first, count; /* places of its values */
} kinds[] = {
	{"skb_drop_reason", "SKB_DROP_REASON_", 0, DROP_REASONS_MAX},
	{"sk_rst_reason", "SK_RST_REASON_", DROP_REASONS_MAX, RESET_REASONS_MAX},
};

/* The last value of each only counts the others. */
static bool reason_is_named(const char *name, const char *prefix)
{
	return name && strncmp(name, prefix, strlen(prefix)) == 0 &&
	       strcmp(name + strlen(prefix), "MAX") != 0;
}

static void read_kind(const struct btf *types, size_t kind,
		      char names[REASONS_MAX][REASON_BYTES_MAX])
{
	int id = btf__find_by_name_kind(types, kinds[kind].type, BTF_KIND_ENUM);
	const struct btf_type *type = id > 0 ? btf__type_by_id(types, (uint32_t)id) : NULL;
	const struct btf_enum *values = type ? btf_enum(type) : NULL;

	for (unsigned int i = 0; type && i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(types, values[i].name_off);
		uint32_t value = (uint32_t)values[i].val;

		if (value < kinds[kind].count && reason_is_named(name, kinds[kind].prefix))
			snprintf(names[kinds[kind].first + value], REASON_BYTES_MAX, "%s",
				 name + strlen(kinds[kind].prefix));
	}
}

void live_reasons_read(const struct btf *types, char names[REASONS_MAX][REASON_BYTES_MAX])
{
	for (size_t kind = 0; kind < COUNT(kinds); kind++)
		read_kind(types, kind, names);
}
