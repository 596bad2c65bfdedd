/* SPDX-License-Identifier: MIT */
/*
 * The file format of perf(1), perf.data: what stands at its beginning, the records that only files
 * have, and the numbers of the descriptions behind the data.
 */
#ifndef PERF_DATA_FORMAT_H
#define PERF_DATA_FORMAT_H

#include <linux/perf_event.h>
#include <stdint.h>

#define PERF_DATA_MAGIC "PERFILE2"

/* A part of the file. */
struct perf_data_section {
	uint64_t offset, bytes;
};

enum { PERF_DATA_FEATURE_WORDS = 4 };

struct perf_data_header {
	char magic[8];
	uint64_t header_bytes; /* of this; 16: a pipe, in which records follow */
	uint64_t attr_bytes; /* of an attr with the section of its ids */
	struct perf_data_section attrs, data, types;
	uint64_t features[PERF_DATA_FEATURE_WORDS];
};

enum {
	PERF_DATA_PIPE_HEADER_BYTES = 16,
	/* perf of Linux 6.1 reads no larger ones, and all fields but config3 and later are there.
	 */
	PERF_DATA_ATTR_BYTES = 128,
	PERF_DATA_ATTR_BYTES_MIN = 64,
	PERF_DATA_STRING_ALIGN = 64,
	PERF_DATA_RECORD_BYTES_MAX = 65535,
	PERF_DATA_BUILD_ID_BYTES = 20,
};

/* The numbers of descriptions. */
enum perf_data_feature {
	PERF_DATA_TRACING_DATA = 1,
	PERF_DATA_BUILD_ID = 2,
	PERF_DATA_HOSTNAME = 3,
	PERF_DATA_OSRELEASE = 4,
	PERF_DATA_VERSION = 5,
	PERF_DATA_ARCH = 6,
	PERF_DATA_NRCPUS = 7,
	PERF_DATA_CPUDESC = 8,
	PERF_DATA_CPUID = 9,
	PERF_DATA_TOTAL_MEM = 10,
	PERF_DATA_CMDLINE = 11,
	PERF_DATA_EVENT_DESC = 12,
	PERF_DATA_BRANCH_STACK = 15,
	PERF_DATA_GROUP_DESC = 17,
	PERF_DATA_SAMPLE_TIME = 21,
	PERF_DATA_CLOCKID = 23,
	PERF_DATA_COMPRESSED = 27,
	PERF_DATA_CLOCK_DATA = 29,
	PERF_DATA_FEATURES = 32, /* the end of those that perf of Linux 6.1 knows */
};

/* Types of records that the kernel does not write. */
enum perf_data_record {
	PERF_DATA_HEADER_ATTR = 64,
	PERF_DATA_HEADER_TRACING_DATA = 66,
	PERF_DATA_HEADER_BUILD_ID = 67,
	PERF_DATA_FINISHED_ROUND = 68,
	PERF_DATA_AUXTRACE = 71,
	PERF_DATA_EVENT_UPDATE = 78,
	PERF_DATA_HEADER_FEATURE = 80,
	PERF_DATA_COMPRESSED_RECORD = 81,
	PERF_DATA_FINISHED_INIT = 82,
	PERF_DATA_COMPRESSED_RECORD_2 = 83,
};

enum { PERF_DATA_MISC_LEFT_OUT = 1 << 15 }; /* of LOST_SAMPLES: a filter did not want them */

enum {
	PERF_DATA_UPDATE_NAME = 2, /* of PERF_DATA_EVENT_UPDATE */
	PERF_DATA_ZSTD = 1, /* the only compression */
	/* Of records of build ids: a byte says how long it is. */
	PERF_DATA_MISC_BUILD_ID_SIZE = 1 << 15,
};

/* The record of a build id, before its name. */
struct perf_data_build_id {
	struct perf_event_header header;
	int32_t pid;
	uint8_t id[PERF_DATA_BUILD_ID_BYTES];
	uint8_t bytes, reserved[3];
};

/* The record of a mapping before its name; the numbers of the file, or its build id. */
struct perf_data_mapping {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t begin, bytes, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t ino, generation;
		};
		struct {
			uint8_t build_id_bytes, reserved[3];
			uint8_t build_id[PERF_DATA_BUILD_ID_BYTES];
		};
	};
	uint32_t protection, flags;
};

#endif
