/* SPDX-License-Identifier: MIT */
/* The state engine on the machine of fake_machine.c, for tests of what it looks up in /proc. */
#ifndef TESTS_DRIVEN_MACHINE_H
#define TESTS_DRIVEN_MACHINE_H

#include "drive.h"
#include "fake_proc.h"

struct driven_machine {
	struct drive drive;
	struct scap_proc proc;
};

/* Fixture for cmocka, with a struct driven_machine as the state. Nothing is known of it yet. */
int driven_machine_setup(void **state);
int driven_machine_teardown(void **state);

struct state_stats driven_machine_stats(const struct driven_machine *machine);

#endif
