/* SPDX-License-Identifier: MIT */
/* Labels of containers and pods as values. */
#include <string.h>

#include "sinsp/fields/container.h"

int give_label(struct field_value *value, const struct sinsp_labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return give_string(value, labels->items[i].value);
	return NO_VALUE;
}

static bool is_shown(const struct sinsp_label *label)
{
	static const char *const hidden[] = {"io.kubernetes.", "annotation."};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (strncmp(label->name, hidden[i], strlen(hidden[i])) == 0)
			return false;
	return true;
}

int give_labels(struct field_value *value, struct field_scratch *scratch,
		const struct sinsp_labels *labels)
{
	struct buf text = text_begin(scratch);

	for (size_t i = 0; i < labels->count; i++) {
		if (!is_shown(&labels->items[i]))
			continue;
		if (text.len)
			buf_append_string(&text, ", ");
		buf_append_string(&text, labels->items[i].name);
		buf_append_char(&text, ':');
		buf_append_string(&text, labels->items[i].value);
	}
	return text.len ? give_text(value, scratch, &text) : NO_VALUE;
}
