/* SPDX-License-Identifier: MIT */
/* Memory that only the start needed. */
#ifndef AGENT_PROCESS_MEMORY_H
#define AGENT_PROCESS_MEMORY_H

/*
 * Gives back the free parts of the heap, and the pages of programs and libraries that are as in
 * their files: those that are used again come back, from the page cache. Linking at the start
 * touches pages of all libraries, most of which belong to outputs that this run does not have.
 */
void memory_release(void);

#endif
