/* SPDX-License-Identifier: MIT */
/* What is asked of a recording: by -w and the options about it, or by an output scap:PATH. */
#ifndef AGENT_RECORD_RECORDING_CONFIG_H
#define AGENT_RECORD_RECORDING_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/options/options.h"
#include "scap/file/writer.h"

/* Captures contain data of programs: only for their owner. */
enum { RECORDING_MODE = 0600 };

struct recording_config {
	const char *path; /* "-": standard output; see also recording_name.h */
	const char *read; /* the file that is read ("-": standard input); NULL: none */
	struct recording_limits limits;
	struct scap_writer_config writer;
	mode_t mode; /* of files that are made */
	bool fat; /* also events that only update the state, hidden */
	bool container_env; /* the environment of containers is written, too */
	bool copies; /* all events of the input file, unchanged */
	/*
	 * The file that is written always has the name `path`; those before it have the time in
	 * their names, as in output/files/rotated.h, and are for others to remove: limits.files is
	 * not used.
	 */
	bool rotates;
	/* The first file is opened at once, but begins with the first event. */
	bool begins_later;
};

#endif
