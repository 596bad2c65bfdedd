/* SPDX-License-Identifier: MIT */
/* A capture file as the input of a run. */
#ifndef AGENT_RUN_INPUT_FILE_H
#define AGENT_RUN_INPUT_FILE_H

#include "agent/run/input.h"

int input_file_open(const struct plan *plan, struct input **input, struct error *err);

#endif
