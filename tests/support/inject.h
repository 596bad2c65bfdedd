/* SPDX-License-Identifier: MIT */
/*
 * A source of events made by the program itself: frames are appended, then read in that order.
 * Tests and benchmarks drive all layers above with it, without a kernel.
 */
#ifndef TESTS_INJECT_H
#define TESTS_INJECT_H

#include <stddef.h>
#include <stdint.h>

#include "scap/source.h"

struct scap_inject;

/* Returns 0 and an empty source, or -ENOMEM. Destroy it with scap_source_destroy(). */
int scap_inject_create(struct scap_inject **inject);

struct scap_source *scap_inject_source(struct scap_inject *inject);

/* Copies a frame to the end. Returns 0 or -ENOMEM. */
int scap_inject_append(struct scap_inject *inject, const void *frame, size_t len, uint16_t cpu);

/* The next read starts again at the first event. */
void scap_inject_rewind(struct scap_inject *inject);

#endif
