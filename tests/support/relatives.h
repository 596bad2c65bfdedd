/* SPDX-License-Identifier: MIT */
/* A process with its ancestors, in the world of world.h. */
#ifndef TESTS_RELATIVES_H
#define TESTS_RELATIVES_H

#include "world.h"

/*
 * systemd (1) > bash (50) > make (80) > cat (100, with a second thread 101). cat is "cat -n
 * /etc/hostname" in /home/user; cat and bash have an environment.
 */
struct relatives {
	struct drive world;
	struct state_thread *init, *shell, *make, *cat, *second;
};

/* Fixture for cmocka, with a struct relatives as the state; its event is one of cat. */
int relatives_setup(void **state);
int relatives_teardown(void **state);

/* An event of one of them. */
void relatives_event(struct relatives *relatives, int64_t tid);

#endif
