/* SPDX-License-Identifier: MIT */
#include "output/targets/http_pairs.h"

#include <errno.h>
#include <string.h>

struct http_pair http_pair_of(const char *item)
{
	size_t len = strcspn(item, "=");

	return (struct http_pair){item, len, item[len] ? item + len + 1 : ""};
}

int http_pairs_check(const struct output_list *list, const char *key, struct error *err)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i][0] == '=' || !strchr(list->items[i], '='))
			return error_set(err, -EINVAL, "%s: '%s' is not of the form NAME=VALUE",
					 key, list->items[i]);
	return 0;
}
