/* SPDX-License-Identifier: MIT */
/*
 * How events change the state: the handlers, one file for each family of events. Only the engine
 * calls them, through the table in rules.c.
 */
#ifndef SINSP_STATE_APPLY_H
#define SINSP_STATE_APPLY_H

#include "sinsp/state/handler.h"

/* file.c */
state_handler state_open, state_openat, state_openat2, state_creat, state_open_by_handle_at,
	state_chdir, state_fchdir;
/* fd.c */
state_handler state_close, state_close_range, state_dup, state_dup2, state_dup3, state_fcntl,
	state_pipe, state_pipe2;
/* object.c */
state_handler state_make_object, state_make_unknown, state_pidfd_open, state_pidfd_getfd, state_bpf;
/* net.c */
state_handler state_socket, state_socketpair, state_bind, state_listen, state_connect, state_accept,
	state_accept4, state_shutdown, state_sendto, state_sendmsg, state_recvfrom, state_recvmsg,
	state_send, state_recv, state_sendmmsg, state_recvmmsg, state_getsockopt, state_io;
/* process.c */
state_handler state_clone, state_exec, state_exit;
/* attributes.c */
state_handler state_setuid, state_setgid, state_setreuid, state_setregid, state_setresuid,
	state_setresgid, state_setsid, state_setpgid, state_unshare, state_setns, state_prctl,
	state_capset, state_setrlimit, state_prlimit;
/* cgroup.c */
state_handler state_cgroup_attach;
/* memory.c */
state_handler state_memory, state_switch, state_procinfo;
/* mount.c */
state_handler state_mount, state_move_mount, state_pivot_root;
/* user.c */
state_handler state_user_added, state_user_deleted, state_group_added, state_group_deleted;
/* container.c */
state_handler state_container, state_asyncevent;

#endif
