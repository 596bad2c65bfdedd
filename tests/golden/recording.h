/* SPDX-License-Identifier: MIT */
/*
 * The file of a recording: events as the driver wrote them, each preceded by this header. In the
 * byte order of the machine that wrote it.
 */
#ifndef TESTS_GOLDEN_RECORDING_H
#define TESTS_GOLDEN_RECORDING_H

#include <stdint.h>

struct recording_entry {
	uint32_t len; /* bytes of the frame that follows */
	uint16_t cpu;
	uint16_t reserved;
};

#endif
