/* SPDX-License-Identifier: MIT */
/*
 * Reads values of the configuration file: kinds, variables of the environment, messages with
 * positions.
 */
#ifndef AGENT_CONFIG_READER_H
#define AGENT_CONFIG_READER_H

#include "agent/options/settings.h"
#include "util/buf.h"
#include "yaml/report.h"
#include "yaml/tree.h"

/* What the files of this folder share while they read a configuration. */

/* Of one configuration: values that are lists included. */
enum { CONFIG_SETTINGS_MAX = 10000 };

struct config_reader {
	struct settings *settings; /* what was read so far */
	struct yaml_report *report;
	size_t left; /* bytes that values may still have: see config_expand() */
	struct buf value; /* memory of the value that is read */
};

/* Adds an error about a node. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) int
config_reject(struct config_reader *reader, const struct yaml_node *node, const char *format, ...);

/*
 * Reads the value of an option, in each of the forms that its row allows. A function of this kind
 * returns 0, -EINVAL with errors in the report, after which reading goes on, or -ENOMEM.
 */
int config_value_read(struct config_reader *reader, unsigned int place,
		      const struct yaml_link *pair);

/* Reads one output and adds it to the settings. Returns as config_value_read(). */
int config_output_read(struct config_reader *reader, struct setting *setting,
		       const struct yaml_node *node);

/* Adds a setting. Returns 0, -EINVAL with an error in the report if there are too many, or -ENOMEM.
 */
int config_add_setting(struct config_reader *reader, const struct setting *setting);

/* Reads the keys of a file. `include` is set to the value of that key if it has it. */
int config_keys_read(struct config_reader *reader, const struct yaml_node *root,
		     const struct yaml_node **include);

/* Whether a file is a configuration of Falco: it has keys of Falco, and none of the agent alone. */
bool config_is_falco(const struct yaml_node *root);

/*
 * Reads it: rules, priority, outputs, the server of pages; a warning names the keys that have no
 * effect. Returns 0, -EINVAL with errors in the report, or -ENOMEM.
 */
int config_falco_read(struct config_reader *reader, const struct yaml_node *root);

/* "a mapping", for messages. */
const char *config_kind_name(const struct yaml_node *node);

/*
 * Environment variables in values of the configuration: ${NAME}, ${NAME:-TEXT} for a variable that
 * is not set or empty, $$ for a dollar sign. Other dollar signs stay.
 */

/* The most that all values of a configuration may have together. */
enum { CONFIG_EXPANDED_BYTES_MAX = 16 << 20 };

/*
 * Writes the value of a scalar, followed by a NUL, to `out` in place of what it has. left: of the
 * limit; it gets less. Returns 0, -EINVAL with an error in the report, or -ENOMEM.
 */
int config_expand(const struct yaml_node *node, size_t *left, struct yaml_report *report,
		  struct buf *out);

#endif
