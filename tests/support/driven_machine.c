/* SPDX-License-Identifier: MIT */
#include "driven_machine.h"

#include <stdlib.h>

int driven_machine_setup(void **state)
{
	struct driven_machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return -1;
	machine->proc = (struct scap_proc){.threads = fake_machine, .count = FAKE_MACHINE_THREADS};
	drive_create(&machine->drive, &(struct state_config){.proc = &machine->proc});
	*state = machine;
	return 0;
}

int driven_machine_teardown(void **state)
{
	struct driven_machine *machine = *state;

	drive_destroy(&machine->drive);
	free(machine);
	return 0;
}

struct state_stats driven_machine_stats(const struct driven_machine *machine)
{
	struct state_stats stats;

	state_stats(machine->drive.state, &stats);
	return stats;
}
