/* SPDX-License-Identifier: MIT */
/* A capture file as the input of a run. */
#ifndef AGENT_INPUT_INPUT_FILE_H
#define AGENT_INPUT_INPUT_FILE_H

#include "agent/input/input.h"

int input_file_open(const struct plan *plan, struct input **input, struct error *err);

#endif
