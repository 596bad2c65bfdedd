/* SPDX-License-Identifier: MIT */
/* `agent doctor`: what the machine offers, what will work, and what to do about the rest. */
#ifndef AGENT_COMMANDS_DOCTOR_H
#define AGENT_COMMANDS_DOCTOR_H

struct options;

/*
 * Runs the checks that the pattern selects. Returns the exit code of the agent: a failure if one of
 * them is missing.
 */
int doctor_run(const struct options *options);

#endif
