/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The events that operations of io_uring have (uring.def), for the preprocessor: each has a program
 * of its own beside its filler. A name that lacks here and stands there does not compile.
 */
#ifndef LANNER_URING_EVENTS_H
#define LANNER_URING_EVENTS_H

#define URING_EVENT_accept4 , 1
#define URING_EVENT_bind , 1
#define URING_EVENT_close , 1
#define URING_EVENT_connect , 1
#define URING_EVENT_epoll_ctl , 1
#define URING_EVENT_epoll_wait , 1
#define URING_EVENT_fadvise64 , 1
#define URING_EVENT_fallocate , 1
#define URING_EVENT_fdatasync , 1
#define URING_EVENT_fgetxattr , 1
#define URING_EVENT_fsetxattr , 1
#define URING_EVENT_fsync , 1
#define URING_EVENT_ftruncate , 1
#define URING_EVENT_futex_wait , 1
#define URING_EVENT_futex_waitv , 1
#define URING_EVENT_futex_wake , 1
#define URING_EVENT_getxattr , 1
#define URING_EVENT_io_uring_op , 1
#define URING_EVENT_linkat , 1
#define URING_EVENT_listen , 1
#define URING_EVENT_madvise , 1
#define URING_EVENT_mkdirat , 1
#define URING_EVENT_openat , 1
#define URING_EVENT_openat2 , 1
#define URING_EVENT_pipe2 , 1
#define URING_EVENT_pread , 1
#define URING_EVENT_preadv , 1
#define URING_EVENT_pwrite , 1
#define URING_EVENT_pwritev , 1
#define URING_EVENT_read , 1
#define URING_EVENT_readv , 1
#define URING_EVENT_recvfrom , 1
#define URING_EVENT_recvmsg , 1
#define URING_EVENT_renameat2 , 1
#define URING_EVENT_sendmsg , 1
#define URING_EVENT_sendto , 1
#define URING_EVENT_setxattr , 1
#define URING_EVENT_shutdown , 1
#define URING_EVENT_socket , 1
#define URING_EVENT_splice , 1
#define URING_EVENT_statx , 1
#define URING_EVENT_symlinkat , 1
#define URING_EVENT_sync_file_range , 1
#define URING_EVENT_tee , 1
#define URING_EVENT_unlinkat , 1
#define URING_EVENT_waitid , 1
#define URING_EVENT_write , 1
#define URING_EVENT_writev , 1

/* 1 for one of these events, else 0. */
#define IS_URING_EVENT(event) URING_SECOND_OF(URING_EVENT_##event, 0, 0)
#define URING_SECOND_OF(...) URING_SECOND(__VA_ARGS__)
#define URING_SECOND(first, second, ...) second

/* A text only for these events, or only for all others. */
#define IF_URING_EVENT(event, ...) URING_KEEP_OF(IS_URING_EVENT(event), __VA_ARGS__)
#define UNLESS_URING_EVENT(event, ...) URING_DROP_OF(IS_URING_EVENT(event), __VA_ARGS__)
#define URING_KEEP_OF(is, ...) URING_KEEP(is, __VA_ARGS__)
#define URING_DROP_OF(is, ...) URING_DROP(is, __VA_ARGS__)
#define URING_KEEP(is, ...) URING_KEEP_##is(__VA_ARGS__)
#define URING_DROP(is, ...) URING_DROP_##is(__VA_ARGS__)
#define URING_KEEP_1(...) __VA_ARGS__
#define URING_KEEP_0(...)
#define URING_DROP_1(...)
#define URING_DROP_0(...) __VA_ARGS__

#endif
