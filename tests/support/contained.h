/* SPDX-License-Identifier: MIT */
/* The world of world.h, whose process is in a container of a pod of which everything is known. */
#ifndef TESTS_CONTAINED_H
#define TESTS_CONTAINED_H

#include "sinsp/state/core.h"
#include "world.h"

#define CONTAINER_ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SANDBOX_ID "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

/* A fixture for cmocka, beside world_teardown(). */
int contained_setup(void **state);

/* Moves the world's process to a control group, in all subsystems. */
void contained_set_group(struct drive *world, const char *path);

/* The description, which the caller owns. */
struct state_container_info *contained_info(void);

#endif
