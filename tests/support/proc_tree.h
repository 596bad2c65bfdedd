/* SPDX-License-Identifier: MIT */
/* A /proc in a folder of its own, for the reader of /proc: what is in its files is up to the test.
 */
#ifndef TESTS_PROC_TREE_H
#define TESTS_PROC_TREE_H

#include <stddef.h>

#include "scap/proc/proc.h"

#define PROC_TREE_STAT "S 1 70 60 34816 70 4194560 11 22 33 44 1 2 3 4 20 0 1 0 500 1000 20 0 0\n"
#define PROC_TREE_STATUS                                                                           \
	"Name:\tx\nTgid:\t70\nPid:\t70\nPPid:\t1\nUid:\t0\t1000\t2\t3\nGid:\t0\t1001\t2\t3\n"      \
	"NStgid:\t70\t7\nNSpid:\t70\t8\nNSpgid:\t70\t9\nVmSize:\t  4000 kB\nVmRSS:\t 300 kB\n"     \
	"VmSwap:\t 20 kB\nCapInh:\t0000000000000001\nCapPrm:\t00000000000000ff\n"                  \
	"CapEff:\t000001ffffffffff\n"

/* The first line of net/tcp and the like. */
#define PROC_TREE_TCP_HEADINGS                                                                     \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "      \
	"timeout inode\n"

struct proc_tree {
	char root[32];
	struct scap_proc *proc;
};

/* For cmocka: a process 70 with a main thread that has a stat and a status. */
int proc_tree_setup(void **state);
int proc_tree_teardown(void **state);

/* Put a file, link or directory among those of that thread. */
void proc_tree_put(struct proc_tree *tree, const char *name, const char *text);
void proc_tree_put_bytes(struct proc_tree *tree, const char *name, const char *bytes, size_t len);
void proc_tree_put_link(struct proc_tree *tree, const char *name, const char *target);
void proc_tree_put_directory(struct proc_tree *tree, const char *name);

#endif
