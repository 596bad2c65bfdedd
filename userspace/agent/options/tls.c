/* SPDX-License-Identifier: MIT */
/* An element of digits alone is an id. */
#include "agent/options/tls.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int add_id(struct tls_chosen *chosen, const char *text)
{
	unsigned long id = strtoul(text, NULL, 10);

	if (id == 0 || id > INT_MAX)
		return -EINVAL;
	for (unsigned int i = 0; i < TLS_CHOSEN_MAX; i++)
		if (!chosen->pids[i]) {
			chosen->pids[i] = (uint32_t)id;
			return 0;
		}
	return -E2BIG;
}

static int add_name(struct tls_chosen *chosen, const char *text, size_t len)
{
	for (unsigned int i = 0; i < TLS_CHOSEN_MAX; i++)
		if (!chosen->names[i][0]) {
			memcpy(chosen->names[i], text, len);
			return 0;
		}
	return -E2BIG;
}

static int add_element(struct tls_chosen *chosen, const char *text, size_t len)
{
	if (len == 0 || len >= TLS_NAME_BYTES)
		return -EINVAL;
	if (len == 3 && memcmp(text, "all", len) == 0) {
		chosen->all = 1;
		return 0;
	}
	return strspn(text, "0123456789") == len ? add_id(chosen, text)
						 : add_name(chosen, text, len);
}

int options_read_tls(const char *text, struct tls_chosen *chosen)
{
	struct tls_chosen read = *chosen;
	int r = 0;

	read.wanted = 1;
	for (;;) {
		size_t len = strcspn(text, ",");

		r = add_element(&read, text, len);
		if (r || text[len] == '\0')
			break;
		text += len + 1;
	}
	if (r == 0)
		*chosen = read;
	return r;
}
