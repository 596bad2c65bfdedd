/* SPDX-License-Identifier: MIT */
/* The frame of the event `request`. */
#ifndef REQUESTS_FRAME_H
#define REQUESTS_FRAME_H

#include "requests/exchange.h"

enum { REQUEST_FRAME_BYTES = 2048 };

/* Writes it; returns its bytes. */
uint32_t request_frame_write(const struct exchange *exchange, uint8_t frame[REQUEST_FRAME_BYTES]);

#endif
