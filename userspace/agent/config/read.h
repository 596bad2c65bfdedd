/* SPDX-License-Identifier: MIT */
/* Reads the configuration of the agent: a file in YAML, and the files that it includes. */
#ifndef AGENT_CONFIG_READ_H
#define AGENT_CONFIG_READ_H

#include "agent/options/settings.h"
#include "yaml/report.h"

/* The file of packages and of the service; a run by hand reads none unless --config names it. */
#define CONFIG_PATH_DEFAULT "/etc/lanner/agent.yaml"

enum { CONFIG_FILES_MAX = 256, CONFIG_BYTES_MAX = 16 << 20 };

/*
 * Reads the settings of a file and of those that it includes, in this order. All errors are added
 * to the report. Returns 0, -EINVAL if there are errors, or -ENOMEM.
 */
int config_read(const char *path, struct settings *settings, struct yaml_report *report);

#endif
