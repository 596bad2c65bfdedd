/* SPDX-License-Identifier: MIT */
/* CRC-32C (Castagnoli), with the instruction of the processor where there is one. */
#ifndef UTIL_CRC32C_H
#define UTIL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of bytes that follow those of the checksum `crc`; 0: none. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t len);

/* The same without that instruction: what others compute must equal it. */
uint32_t crc32c_plain(uint32_t crc, const void *bytes, size_t len);

#endif
