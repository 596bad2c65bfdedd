/* SPDX-License-Identifier: MIT */
/* Lists of strings as one text, one of them by its number, one by its key. */
#include "sinsp/fields/string_list.h"

#include <string.h>

void string_list_append(struct buf *text, const char *strings, size_t len)
{
	char *at = text->data + text->len, *end, *nul;

	if (len && strings[len - 1] == '\0')
		len--;
	buf_append(text, strings, len);
	end = text->data + text->len;
	while (at < end && (nul = memchr(at, '\0', (size_t)(end - at)))) {
		*nul = ' ';
		at = nul + 1;
	}
}

struct field_value string_list_at(const char *strings, size_t len, int32_t index)
{
	struct field_value value = {.bytes = {"", 0}};

	for (const char *at = strings, *end = strings + len; at < end && index >= 0; index--) {
		size_t n = strnlen(at, (size_t)(end - at));

		if (index == 0)
			value.bytes.data = at, value.bytes.len = n;
		at += n + 1;
	}
	return value;
}

bool string_list_find(const char *strings, size_t len, const char *name, struct field_value *value)
{
	size_t name_len = strlen(name);

	for (const char *at = strings, *end = strings + len; at < end;) {
		size_t n = strnlen(at, (size_t)(end - at));

		if (n > name_len && at[name_len] == '=' && memcmp(at, name, name_len) == 0) {
			value->bytes.data = at + name_len + 1;
			value->bytes.len = n - name_len - 1;
			return true;
		}
		at += n + 1;
	}
	return false;
}
