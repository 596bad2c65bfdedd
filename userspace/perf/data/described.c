/* SPDX-License-Identifier: MIT */
/* A function for each description; those of the machine read /proc and uname(2). */
#include "perf/data/described.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/count.h"

enum { LINE_BYTES = 1024, PAIRS = 16 };

static const uint64_t tera = UINT64_C(1) << 40;

static void append_u32(struct buf *out, uint32_t value)
{
	buf_append(out, &value, sizeof(value));
}

static void append_u64(struct buf *out, uint64_t value)
{
	buf_append(out, &value, sizeof(value));
}

static void append_zeros(struct buf *out, size_t count)
{
	static const char zeros[PERF_DATA_STRING_ALIGN];

	buf_append(out, zeros, count);
}

/* The text, its NUL, and more of them up to a multiple. */
static void append_padded(struct buf *out, const char *text)
{
	size_t len = strlen(text) + 1;

	buf_append(out, text, len);
	append_zeros(out, (PERF_DATA_STRING_ALIGN - len % PERF_DATA_STRING_ALIGN) %
				  PERF_DATA_STRING_ALIGN);
}

void perf_data_append_string(struct buf *out, const char *text)
{
	size_t len = strlen(text) + 1;

	append_u32(out, (uint32_t)((len + PERF_DATA_STRING_ALIGN - 1) / PERF_DATA_STRING_ALIGN *
				   PERF_DATA_STRING_ALIGN));
	append_padded(out, text);
}

/* The machine. */

static bool append_hostname(const struct perf_data_described *described, struct buf *out)
{
	struct utsname names;

	if (uname(&names))
		return false;
	perf_data_append_string(out, names.nodename);
	return true;
}

static bool append_release(const struct perf_data_described *described, struct buf *out)
{
	struct utsname names;

	if (uname(&names))
		return false;
	perf_data_append_string(out, names.release);
	return true;
}

static bool append_machine(const struct perf_data_described *described, struct buf *out)
{
	struct utsname names;

	if (uname(&names))
		return false;
	perf_data_append_string(out, names.machine);
	return true;
}

static bool append_cpus(const struct perf_data_described *described, struct buf *out)
{
	append_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	append_u32(out, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return true;
}

/* The value of the first line "KEY : VALUE" of a file. Returns whether there is one. */
static bool find_line(const char *path, const char *key, char value[LINE_BYTES])
{
	FILE *file = fopen(path, "re");
	size_t len = strlen(key);
	bool found = false;
	char line[LINE_BYTES];

	while (file && !found && fgets(line, sizeof(line), file)) {
		const char *at = line + len;

		if (strncmp(line, key, len) != 0)
			continue;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		snprintf(value, LINE_BYTES, "%.*s", (int)strcspn(at, "\n"), at);
		found = true;
	}
	if (file)
		fclose(file);
	return found;
}

#define CPU_FILE "/proc/cpuinfo"

static bool append_cpu_name(const struct perf_data_described *described, struct buf *out)
{
	char value[LINE_BYTES];

	if (!find_line(CPU_FILE, "model name", value))
		return false;
	perf_data_append_string(out, value);
	return true;
}

/* "GenuineIntel,6,85,7": its maker, family, model and stepping. */
static bool append_cpu_id(const struct perf_data_described *described, struct buf *out)
{
	static const char *const keys[] = {"vendor_id", "cpu family", "model", "stepping"};
	struct buf text = {0};
	bool found = true;

	for (size_t i = 0; i < COUNT(keys) && found; i++) {
		char value[LINE_BYTES];

		found = find_line(CPU_FILE, keys[i], value);
		if (found)
			buf_printf(&text, i ? ",%s" : "%s", value);
	}
	buf_append_char(&text, '\0');
	found &= !text.failed;
	if (found)
		perf_data_append_string(out, text.data);
	buf_finish(&text);
	return found;
}

static bool append_memory(const struct perf_data_described *described, struct buf *out)
{
	char value[LINE_BYTES];

	if (!find_line("/proc/meminfo", "MemTotal", value))
		return false;
	append_u64(out, strtoull(value, NULL, 10));
	return true;
}

/* The recording. */

static bool append_version(const struct perf_data_described *described, struct buf *out)
{
	perf_data_append_string(out, described->facts->version);
	return true;
}

static bool append_command(const struct perf_data_described *described, struct buf *out)
{
	char *const *words = described->facts->command;
	uint32_t count = 0;

	while (words[count])
		count++;
	append_u32(out, count);
	for (uint32_t i = 0; i < count; i++)
		perf_data_append_string(out, words[i]);
	return true;
}

static bool append_events(const struct perf_data_described *described, struct buf *out)
{
	const struct perf_data_facts *facts = described->facts;

	append_u32(out, (uint32_t)facts->events_count);
	append_u32(out, PERF_DATA_ATTR_BYTES);
	for (size_t i = 0; i < facts->events_count; i++) {
		const struct perf_data_event *event = &facts->events[i];

		buf_append(out, &event->attr, PERF_DATA_ATTR_BYTES);
		append_u32(out, (uint32_t)event->ids_count);
		perf_data_append_string(out, event->name);
		buf_append(out, event->ids, event->ids_count * sizeof(*event->ids));
	}
	return true;
}

static bool append_groups(const struct perf_data_described *described, struct buf *out)
{
	const struct perf_data_facts *facts = described->facts;
	uint32_t count = 0;

	for (size_t i = 0; i < facts->events_count; i++)
		count += facts->events[i].group_members > 0;
	if (!count)
		return false;
	append_u32(out, count);
	for (size_t i = 0; i < facts->events_count; i++) {
		if (!facts->events[i].group_members)
			continue;
		perf_data_append_string(out, "{anon_group}");
		append_u32(out, (uint32_t)i);
		append_u32(out, facts->events[i].group_members);
	}
	return true;
}

static bool append_branches(const struct perf_data_described *described, struct buf *out)
{
	for (size_t i = 0; i < described->facts->events_count; i++)
		if (described->facts->events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static void append_build_id(struct buf *out, const struct perf_build_id_entry *entry)
{
	size_t name = (strlen(entry->path) + PERF_DATA_STRING_ALIGN) / PERF_DATA_STRING_ALIGN *
		      PERF_DATA_STRING_ALIGN;
	struct perf_data_build_id record = {
		.header = {.misc = (uint16_t)(PERF_DATA_MISC_BUILD_ID_SIZE |
					      (entry->is_kernel ? PERF_RECORD_MISC_KERNEL
								: PERF_RECORD_MISC_USER)),
			   .size = (uint16_t)(sizeof(record) + name)},
		.pid = -1,
		.bytes = entry->id.size,
	};

	memcpy(record.id, entry->id.bytes, sizeof(record.id));
	buf_append(out, &record, sizeof(record));
	append_padded(out, entry->path);
}

static bool append_build_ids(const struct perf_data_described *described, struct buf *out)
{
	const struct perf_build_ids *ids = described->facts->build_ids;
	size_t start = out->len;

	if (!described->end)
		return false;
	for (size_t i = 0; i < ids->capacity; i++)
		if (ids->places[i].path && ids->places[i].id.size)
			append_build_id(out, &ids->places[i]);
	return out->len > start;
}

static bool append_tracing(const struct perf_data_described *described, struct buf *out)
{
	const struct buf *tracing = described->facts->tracing;

	buf_append(out, tracing->data, tracing->len);
	return tracing->len > 0;
}

static bool append_times(const struct perf_data_described *described, struct buf *out)
{
	if (!described->end || !described->end->last_ns)
		return false;
	append_u64(out, described->end->first_ns);
	append_u64(out, described->end->last_ns);
	return true;
}

static bool append_clock(const struct perf_data_described *described, struct buf *out)
{
	struct timespec step;

	if (described->facts->clock < 0 || clock_getres(described->facts->clock, &step))
		return false;
	append_u64(out, (uint64_t)step.tv_nsec);
	return true;
}

static bool append_clocks(const struct perf_data_described *described, struct buf *out)
{
	enum { VERSION = 1 };

	if (described->facts->clock < 0)
		return false;
	append_u32(out, VERSION);
	append_u32(out, (uint32_t)described->facts->clock);
	append_u64(out, described->wall_ns);
	append_u64(out, described->clock_ns);
	return true;
}

static bool append_compression(const struct perf_data_described *described, struct buf *out)
{
	enum { VERSION = 1 };
	uint64_t packed = described->packed_bytes ? described->packed_bytes : 1;

	if (!described->facts->level)
		return false;
	append_u32(out, VERSION);
	append_u32(out, PERF_DATA_ZSTD);
	append_u32(out, (uint32_t)described->facts->level);
	append_u32(out,
		   described->raw_bytes < tera ? (uint32_t)(described->raw_bytes / packed) : 1);
	append_u32(out, described->facts->ring_bytes);
	return true;
}

typedef bool feature_append(const struct perf_data_described *described, struct buf *out);

static feature_append *const rows[PERF_DATA_FEATURES] = {
	[PERF_DATA_TRACING_DATA] = append_tracing,
	[PERF_DATA_BUILD_ID] = append_build_ids,
	[PERF_DATA_HOSTNAME] = append_hostname,
	[PERF_DATA_OSRELEASE] = append_release,
	[PERF_DATA_VERSION] = append_version,
	[PERF_DATA_ARCH] = append_machine,
	[PERF_DATA_NRCPUS] = append_cpus,
	[PERF_DATA_CPUDESC] = append_cpu_name,
	[PERF_DATA_CPUID] = append_cpu_id,
	[PERF_DATA_TOTAL_MEM] = append_memory,
	[PERF_DATA_CMDLINE] = append_command,
	[PERF_DATA_EVENT_DESC] = append_events,
	[PERF_DATA_BRANCH_STACK] = append_branches,
	[PERF_DATA_GROUP_DESC] = append_groups,
	[PERF_DATA_SAMPLE_TIME] = append_times,
	[PERF_DATA_CLOCKID] = append_clock,
	[PERF_DATA_COMPRESSED] = append_compression,
	[PERF_DATA_CLOCK_DATA] = append_clocks,
};

bool perf_data_feature_append(enum perf_data_feature feature,
			      const struct perf_data_described *described, struct buf *out)
{
	return rows[feature] && rows[feature](described, out);
}

/* The pair that was read in the shortest time. */
void perf_data_described_init(const struct perf_data_facts *facts,
			      struct perf_data_described *described)
{
	uint64_t tightest = UINT64_MAX;

	*described = (struct perf_data_described){.facts = facts};
	for (int i = 0; i < PAIRS && facts->clock >= 0; i++) {
		uint64_t before = clock_ns(facts->clock), wall = clock_ns(CLOCK_REALTIME);
		uint64_t took = clock_ns(facts->clock) - before;

		if (took >= tightest)
			continue;
		tightest = took;
		described->wall_ns = wall;
		described->clock_ns = before + took / 2;
	}
}
