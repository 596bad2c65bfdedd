/* SPDX-License-Identifier: MIT */
/* The option --explain. */
#ifndef AGENT_COMMANDS_EXPLAIN_H
#define AGENT_COMMANDS_EXPLAIN_H

struct capture;

/* Prints to stdout what the plan captures and why; needs no privilege. */
void explain_print_plan(const struct capture *capture);

/* Prints the programs of an open capture with their hooks, and what the kernel refused. */
void explain_print_programs(const struct capture *capture);

#endif
