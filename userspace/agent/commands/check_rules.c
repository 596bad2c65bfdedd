/* SPDX-License-Identifier: MIT */
/* Checks rules files, all together as for a capture. */
#include "agent/commands/check_rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/rules_load.h"
#include "util/terminal.h"

int check_rules_run(const struct options *options)
{
	const struct printer printer = {.format = &format_none, .style = options->style};
	struct rules_counts counts = {0};
	struct ruleset *ruleset = NULL;
	struct buf text = {0};
	int code = rules_load_options(options, &printer, options->filter, &ruleset, &counts, &text);

	ruleset_destroy(ruleset);
	if (code == 0) {
		BUF_LITERAL(&text, "OK: ");
		rules_append_summary(&counts, &text);
		buf_append_char(&text, '\n');
	}
	terminal_print(stdout, &text);
	if (code == 0 && text.failed)
		code = -ENOMEM;
	buf_finish(&text);
	if (fflush(stdout) && code == 0)
		code = -errno;
	if (code && code != -EINVAL)
		fprintf(stderr, "agent: check-rules: %s\n", strerror(-code));
	return code ? EXIT_FAILURE : EXIT_SUCCESS;
}
