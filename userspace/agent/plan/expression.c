/* SPDX-License-Identifier: MIT */
/* Converts the error of a filter or format to a message of the agent. */
#include "agent/plan/expression.h"

#include <errno.h>

#include "util/buf.h"

int expression_error(const char *option, const char *expression, const struct filter_error *wrong,
		     int code, struct error *err)
{
	struct buf text = {0};

	if (code != -EINVAL)
		return error_set(err, code, "%sout of memory", option);
	buf_append_string(&text, option);
	filter_error_render(expression, wrong, &text);
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	buf_append_char(&text, '\0');
	error_set(err, code, "%s", text.failed ? wrong->text : text.data);
	buf_finish(&text);
	return code;
}
