/* SPDX-License-Identifier: MIT */
/* Errors about nodes of a configuration, and the list of its settings. */
#include "agent/config/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int config_reject(struct config_reader *reader, const struct yaml_node *node, const char *format,
		  ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	yaml_report_add(reader->report, YAML_ERROR, node->file, node->start, "%s", text);
	return -EINVAL;
}

const char *config_kind_name(const struct yaml_node *node)
{
	static const char *const names[] = {[YAML_SCALAR] = "a text",
					    [YAML_SEQUENCE] = "a sequence",
					    [YAML_MAPPING] = "a mapping"};

	return yaml_is_null(node) ? "nothing" : names[node->kind];
}

int config_add_setting(struct config_reader *reader, const struct setting *setting)
{
	if (reader->settings->count == CONFIG_SETTINGS_MAX)
		return config_reject(reader, setting->key, "more than %d values in all",
				     CONFIG_SETTINGS_MAX);
	return settings_add(reader->settings, setting);
}
