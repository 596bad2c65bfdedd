/* SPDX-License-Identifier: MIT */
/* Words in filled lines. */
#ifndef AGENT_COMMANDS_WORDS_H
#define AGENT_COMMANDS_WORDS_H

/* Prints " WORD", on a new line if the current one is full; `column` is the end of the last word.
 */
void words_print(const char *word, int *column);

#endif
