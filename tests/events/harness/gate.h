/* SPDX-License-Identifier: MIT */
/* Where children wait, so that they can be looked at while they live. */
#ifndef TESTS_GATE_H
#define TESTS_GATE_H

struct gate {
	int ready[2], open[2];
};

void gate_init(struct gate *gate);
void gate_finish(struct gate *gate);

/* In the child, or thread: says that it is there, and waits until it may go on. */
void gate_wait(const struct gate *gate);

/* In the test: waits for that many children, and lets them go on. */
void gate_expect(const struct gate *gate, unsigned int children);
void gate_open(const struct gate *gate, unsigned int children);

#endif
