/* SPDX-License-Identifier: MIT */
/* Where children wait, so that they can be looked at while they live. */
#include "harness/gate.h"

#include "harness/fixture.h"
#include "harness/live.h"

void gate_init(struct gate *gate)
{
	require(pipe(gate->ready) == 0 && pipe(gate->open) == 0);
}

void gate_finish(struct gate *gate)
{
	for (int i = 0; i < 2; i++) {
		close(gate->ready[i]);
		close(gate->open[i]);
	}
}

void gate_wait(const struct gate *gate)
{
	char byte = 'g';

	if (write(gate->ready[1], &byte, 1) != 1 || read(gate->open[0], &byte, 1) != 1)
		_exit(1);
}

void gate_expect(const struct gate *gate, unsigned int children)
{
	char byte;

	while (children-- > 0)
		require(read(gate->ready[0], &byte, 1) == 1);
}

void gate_open(const struct gate *gate, unsigned int children)
{
	while (children-- > 0)
		require(write(gate->open[1], "g", 1) == 1);
}
