/* SPDX-License-Identifier: MIT */
/* All kinds of blocks in capture files, and the functions that read them. */
#include "scap/file/reader_impl.h"

#define MACHINE(type)                                                                              \
	{                                                                                          \
		type, 1, sizeof(struct scap_machine_body), .head = reader_take_machine             \
	}
#define INTERFACES(type, version, prefix)                                                          \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_interface                           \
	}
#define USERS(type, version, prefix)                                                               \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_user                                \
	}
#define PROCESSES(type, version, prefix)                                                           \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_thread                              \
	}
#define FDS(type, version, prefix)                                                                 \
	{                                                                                          \
		type, version, sizeof(uint64_t), prefix, .head = reader_take_fds,                  \
							 .entry = reader_take_fd                   \
	}
#define EVENT(type, version, flags)                                                                \
	{                                                                                          \
		type, version, .event = true, .event_flags = flags                                 \
	}

/* The most frequent first. */
static const struct block_kind kinds[] = {
	EVENT(SCAP_BLOCK_EVENT_V2, 2, false),
	EVENT(SCAP_BLOCK_EVENT_V2_FLAGS, 2, true),
	EVENT(SCAP_BLOCK_EVENT_V1, 1, false),
	EVENT(SCAP_BLOCK_EVENT_V1_FLAGS, 1, true),
	EVENT(SCAP_BLOCK_EVENT_V2_LARGE, 2, false),
	EVENT(SCAP_BLOCK_EVENT_V2_LARGE_FLAGS, 2, true),
	EVENT(SCAP_BLOCK_LEGACY_EVENT_V1, 1, false),
	FDS(SCAP_BLOCK_FDS_V2, 2, PREFIX_WHOLE),
	FDS(SCAP_BLOCK_FDS_V1, 1, PREFIX_NONE),
	FDS(SCAP_BLOCK_LEGACY_FDS_V1, 1, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V9, 9, PREFIX_WHOLE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V8, 8, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V7, 7, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V6, 6, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V5, 5, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V4, 4, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V3, 3, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V3, 3, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V2, 2, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V2, 2, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V1, 1, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V1, 1, PREFIX_NONE),
	USERS(SCAP_BLOCK_USERS_V2, 2, PREFIX_WHOLE),
	USERS(SCAP_BLOCK_USERS_V1, 1, PREFIX_NONE),
	USERS(SCAP_BLOCK_LEGACY_USERS_V1, 1, PREFIX_NONE),
	INTERFACES(SCAP_BLOCK_INTERFACES_V2, 2, PREFIX_REST),
	INTERFACES(SCAP_BLOCK_INTERFACES_V1, 1, PREFIX_NONE),
	INTERFACES(SCAP_BLOCK_LEGACY_INTERFACES_V1, 1, PREFIX_NONE),
	MACHINE(SCAP_BLOCK_MACHINE),
	MACHINE(SCAP_BLOCK_LEGACY_MACHINE),
	{SCAP_BLOCK_SECTION, 1, sizeof(struct scap_section_body), .head = reader_take_section},
	{SCAP_BLOCK_NATIVE, 1, sizeof(uint32_t), .head = reader_take_native},
};

const struct block_kind *reader_block_kind(uint32_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}
