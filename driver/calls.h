/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Calls of which the kernel's part of the filter knows more than the result and the thread; both
 * sides have the EVENT_ ids. Macros, so that programs of other calls have no code for it.
 */
#ifndef LANNER_CALLS_H
#define LANNER_CALLS_H

/* Those that have the flags of an open in a register: the number of that argument, or 0. */
#define OPEN_FLAGS_ARGUMENT(event)                                                                 \
	((event) == EVENT_open                                                                     \
		 ? 1                                                                               \
		 : ((event) == EVENT_openat || (event) == EVENT_open_by_handle_at ? 2 : 0))

/* Those whose result is a file with a path. */
#define OPENS_BY_PATH(event)                                                                       \
	(OPEN_FLAGS_ARGUMENT(event) || (event) == EVENT_openat2 || (event) == EVENT_creat)

/* Those that move bytes through the descriptor that is their first argument. */
#define TRANSFERS(event)                                                                           \
	((event) == EVENT_read || (event) == EVENT_write || (event) == EVENT_pread ||              \
	 (event) == EVENT_pwrite || (event) == EVENT_readv || (event) == EVENT_writev ||           \
	 (event) == EVENT_preadv || (event) == EVENT_pwritev || (event) == EVENT_preadv2 ||        \
	 (event) == EVENT_pwritev2 || (event) == EVENT_sendto || (event) == EVENT_recvfrom ||      \
	 (event) == EVENT_sendmsg || (event) == EVENT_recvmsg)

/* Those whose events say which file their descriptor is: the first argument, or the result. */
#define TELLS_FILE_USED(event)                                                                     \
	(TRANSFERS(event) || (event) == EVENT_sendmmsg || (event) == EVENT_recvmmsg)
#define TELLS_FILE_MADE(event)                                                                     \
	((event) == EVENT_socket || (event) == EVENT_accept || (event) == EVENT_accept4)
#define TELLS_FILE(event) (TELLS_FILE_USED(event) || TELLS_FILE_MADE(event))

#endif
