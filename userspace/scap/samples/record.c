/* SPDX-License-Identifier: MIT */
/* Reads records as the kernel lays them out: numbers in the order of the bits of sample_type. */
#include "scap/samples/record.h"

#include <errno.h>
#include <string.h>

#include "util/count.h"

/* A sample up to what not all have. */
struct sample_begin {
	struct perf_event_header header;
	uint64_t id, ip;
	int32_t pid, tid;
	uint64_t time_ns, addr;
	uint32_t cpu, reserved;
	uint64_t period;
};

/* What other records end with (sample_id_all). */
struct record_end {
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct record_mapping {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t begin, bytes, offset;
	uint32_t major, minor;
	uint64_t ino, generation;
	uint32_t protection, flags;
};

struct record_task {
	struct perf_event_header header;
	int32_t pid, parent, tid, parent_tid;
	uint64_t time_ns;
};

struct record_lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* What is left of a record. */
struct rest {
	const uint8_t *at;
	size_t bytes;
};

static bool begin(const void *record, size_t bytes, struct sample_begin *sample)
{
	if (bytes < sizeof(*sample))
		return false;
	memcpy(sample, record, sizeof(*sample));
	return true;
}

bool sample_head_read(const void *record, size_t bytes, struct sample_head *head)
{
	struct perf_event_header header;
	struct sample_begin sample;
	struct record_end end;

	if (bytes < sizeof(header))
		return false;
	memcpy(&header, record, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		if (!begin(record, bytes, &sample))
			return false;
		*head = (struct sample_head){header.type, sample.pid, sample.time_ns, sample.id};
		return true;
	}
	if (bytes < sizeof(header) + sizeof(end))
		return false;
	memcpy(&end, (const uint8_t *)record + bytes - sizeof(end), sizeof(end));
	*head = (struct sample_head){header.type, end.pid, end.time_ns, end.id};
	return true;
}

/* Takes a number of up to eight bytes. Returns false if there are fewer. */
static bool take(struct rest *rest, void *number, size_t size)
{
	if (rest->bytes < size)
		return false;
	memcpy(number, rest->at, size);
	rest->at += size;
	rest->bytes -= size;
	return true;
}

static bool take_frames(struct rest *rest, struct sample_record *sample)
{
	uint64_t count;

	if (!take(rest, &count, sizeof(count)) || count > rest->bytes / sizeof(uint64_t))
		return false;
	sample->frames = rest->at;
	sample->frames_count = (uint32_t)count;
	rest->at += count * sizeof(uint64_t);
	rest->bytes -= count * sizeof(uint64_t);
	return true;
}

static bool take_raw(struct rest *rest, struct sample_record *sample)
{
	uint32_t bytes;

	if (!take(rest, &bytes, sizeof(bytes)) || bytes > rest->bytes)
		return false;
	sample->raw = rest->at;
	sample->raw_bytes = bytes;
	rest->at += bytes;
	rest->bytes -= bytes;
	return true;
}

/* Of a thread of the kernel there are none. */
static bool take_registers(struct rest *rest, struct sample_record *sample)
{
	const size_t count = (size_t)__builtin_popcountll(PERF_ARGS_REGISTERS);
	uint64_t abi;

	if (!take(rest, &abi, sizeof(abi)))
		return false;
	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	if (rest->bytes < count * sizeof(uint64_t))
		return false;
	sample->registers.numbers = rest->at;
	sample->registers.count = count;
	rest->at += count * sizeof(uint64_t);
	rest->bytes -= count * sizeof(uint64_t);
	return true;
}

/* Behind the copy stands how much of it the kernel could read. */
static bool take_stack(struct rest *rest, struct sample_record *sample)
{
	uint64_t bytes, copied;

	if (!take(rest, &bytes, sizeof(bytes)) || bytes > rest->bytes)
		return false;
	if (!bytes)
		return true;
	sample->registers.stack = rest->at;
	rest->at += bytes;
	rest->bytes -= bytes;
	if (!take(rest, &copied, sizeof(copied)) || copied > bytes)
		return false;
	sample->registers.stack_bytes = copied;
	return true;
}

int sample_record_decode(const void *record, size_t bytes, uint64_t type,
			 struct sample_record *sample)
{
	struct sample_begin first;
	struct rest rest;

	if (!begin(record, bytes, &first) || first.header.type != PERF_RECORD_SAMPLE)
		return -EBADMSG;
	*sample = (struct sample_record){
		.id = first.id,
		.ip = first.ip,
		.time_ns = first.time_ns,
		.addr = first.addr,
		.period = first.period,
		.pid = first.pid,
		.tid = first.tid,
		.mode = first.header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
	};
	if (sample->mode >= SAMPLE_MODES)
		sample->mode = PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	rest = (struct rest){(const uint8_t *)record + sizeof(first), bytes - sizeof(first)};
	if (type & PERF_SAMPLE_CALLCHAIN && !take_frames(&rest, sample))
		return -EBADMSG;
	if (type & PERF_SAMPLE_RAW && !take_raw(&rest, sample))
		return -EBADMSG;
	if (type & PERF_SAMPLE_REGS_USER && !take_registers(&rest, sample))
		return -EBADMSG;
	if (type & PERF_SAMPLE_STACK_USER && !take_stack(&rest, sample))
		return -EBADMSG;
	return 0;
}

uint64_t sample_frame(const struct sample_record *sample, uint32_t i)
{
	uint64_t frame;

	memcpy(&frame, sample->frames + i * sizeof(frame), sizeof(frame));
	return frame;
}

bool sample_frame_is_marker(uint64_t frame, uint8_t *mode)
{
	static const struct {
		uint64_t marker;
		uint8_t mode;
	} markers[] = {
		{PERF_CONTEXT_KERNEL, PERF_RECORD_MISC_KERNEL},
		{PERF_CONTEXT_USER, PERF_RECORD_MISC_USER},
		{PERF_CONTEXT_HV, PERF_RECORD_MISC_HYPERVISOR},
		{PERF_CONTEXT_GUEST_KERNEL, PERF_RECORD_MISC_GUEST_KERNEL},
		{PERF_CONTEXT_GUEST_USER, PERF_RECORD_MISC_GUEST_USER},
	};

	if (frame < (uint64_t)PERF_CONTEXT_MAX)
		return false;
	*mode = PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	for (size_t i = 0; i < COUNT(markers); i++)
		if (markers[i].marker == frame)
			*mode = markers[i].mode;
	return true;
}

int sample_mapping_decode(const void *record, size_t bytes, struct sample_mapping *mapping)
{
	struct record_mapping found;
	const char *path = (const char *)record + sizeof(found);

	if (bytes < sizeof(found) + sizeof(struct record_end))
		return -EBADMSG;
	memcpy(&found, record, sizeof(found));
	if (found.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		return -ENODATA;
	if (!memchr(path, '\0', bytes - sizeof(found) - sizeof(struct record_end)))
		return -EBADMSG;
	*mapping = (struct sample_mapping){
		.pid = found.pid,
		.begin = found.begin,
		.bytes = found.bytes,
		.offset = found.offset,
		.major = found.major,
		.minor = found.minor,
		.ino = found.ino,
		.path = path,
	};
	return found.begin + found.bytes < found.begin ? -EBADMSG : 0;
}

int sample_task_decode(const void *record, size_t bytes, struct sample_task *task)
{
	struct record_task found;

	if (bytes < sizeof(found))
		return -EBADMSG;
	memcpy(&found, record, sizeof(found));
	*task = (struct sample_task){found.pid, found.parent, found.tid};
	return 0;
}

bool sample_is_exec(const void *record, size_t bytes, int32_t *pid)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
	} found;

	if (bytes < sizeof(found))
		return false;
	memcpy(&found, record, sizeof(found));
	*pid = found.pid;
	return found.header.misc & PERF_RECORD_MISC_COMM_EXEC;
}

uint64_t sample_lost(const void *record, size_t bytes, uint64_t *id)
{
	struct record_lost found;

	if (bytes < sizeof(found))
		return 0;
	memcpy(&found, record, sizeof(found));
	*id = found.id;
	return found.lost;
}
