/* SPDX-License-Identifier: MIT */
/*
 * Numbers for the calls of x86_64 that newer architectures were not given, so that tests compile
 * there: no call has that number. Tests of their events are skipped (main.c).
 */
#ifndef TESTS_LEGACY_CALLS_H
#define TESTS_LEGACY_CALLS_H

#include <sys/syscall.h>

#ifndef SYS_access
#define SYS_access -1
#endif
#ifndef SYS_alarm
#define SYS_alarm -1
#endif
#ifndef SYS_arch_prctl
#define SYS_arch_prctl -1
#endif
#ifndef SYS_chmod
#define SYS_chmod -1
#endif
#ifndef SYS_chown
#define SYS_chown -1
#endif
#ifndef SYS_creat
#define SYS_creat -1
#endif
#ifndef SYS_dup2
#define SYS_dup2 -1
#endif
#ifndef SYS_epoll_create
#define SYS_epoll_create -1
#endif
#ifndef SYS_epoll_ctl_old
#define SYS_epoll_ctl_old -1
#endif
#ifndef SYS_epoll_wait
#define SYS_epoll_wait -1
#endif
#ifndef SYS_epoll_wait_old
#define SYS_epoll_wait_old -1
#endif
#ifndef SYS_eventfd
#define SYS_eventfd -1
#endif
#ifndef SYS_fork
#define SYS_fork -1
#endif
#ifndef SYS_futimesat
#define SYS_futimesat -1
#endif
#ifndef SYS_get_thread_area
#define SYS_get_thread_area -1
#endif
#ifndef SYS_getdents
#define SYS_getdents -1
#endif
#ifndef SYS_getpgrp
#define SYS_getpgrp -1
#endif
#ifndef SYS_inotify_init
#define SYS_inotify_init -1
#endif
#ifndef SYS_ioperm
#define SYS_ioperm -1
#endif
#ifndef SYS_iopl
#define SYS_iopl -1
#endif
#ifndef SYS_lchown
#define SYS_lchown -1
#endif
#ifndef SYS_link
#define SYS_link -1
#endif
#ifndef SYS_lstat
#define SYS_lstat -1
#endif
#ifndef SYS_mkdir
#define SYS_mkdir -1
#endif
#ifndef SYS_mknod
#define SYS_mknod -1
#endif
#ifndef SYS_modify_ldt
#define SYS_modify_ldt -1
#endif
#ifndef SYS_open
#define SYS_open -1
#endif
#ifndef SYS_pause
#define SYS_pause -1
#endif
#ifndef SYS_pipe
#define SYS_pipe -1
#endif
#ifndef SYS_poll
#define SYS_poll -1
#endif
#ifndef SYS_readlink
#define SYS_readlink -1
#endif
#ifndef SYS_rename
#define SYS_rename -1
#endif
#ifndef SYS_rmdir
#define SYS_rmdir -1
#endif
#ifndef SYS_select
#define SYS_select -1
#endif
#ifndef SYS_set_thread_area
#define SYS_set_thread_area -1
#endif
#ifndef SYS_signalfd
#define SYS_signalfd -1
#endif
#ifndef SYS_stat
#define SYS_stat -1
#endif
#ifndef SYS_symlink
#define SYS_symlink -1
#endif
#ifndef SYS_sysfs
#define SYS_sysfs -1
#endif
#ifndef SYS_time
#define SYS_time -1
#endif
#ifndef SYS_unlink
#define SYS_unlink -1
#endif
#ifndef SYS_ustat
#define SYS_ustat -1
#endif
#ifndef SYS_utime
#define SYS_utime -1
#endif
#ifndef SYS_utimes
#define SYS_utimes -1
#endif
#ifndef SYS_vfork
#define SYS_vfork -1
#endif

#endif
