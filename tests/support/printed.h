/* SPDX-License-Identifier: MIT */
/* What subcommands print. */
#ifndef PRINTED_TEST_H
#define PRINTED_TEST_H

struct printed {
	int exit_code; /* of a subcommand */
	char *out, *err; /* owned: what went to standard output and standard error */
};

/* Calls print(context). Release with printed_finish(). */
void printed_call(void (*print)(void *context), void *context, struct printed *printed);

/* Runs the subcommand of a command line. Release with printed_finish(). */
void printed_run(const char *line, struct printed *printed);
void printed_finish(struct printed *printed);

/* Fails unless the text has each of these words, the last of which is NULL. */
void printed_expect(const char *text, const char *const *words);

/* Fails unless the subcommand of a command line succeeds, prints these words, and reports nothing.
 */
void printed_expect_run(const char *line, const char *const *words);

#endif
