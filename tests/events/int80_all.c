/* SPDX-License-Identifier: MIT */
/*
 * Calls of 32-bit programs by their numbers: each with arguments that let it fail, or do no harm,
 * and of which no two are the same; those with structs of another form have tests of their own.
 */
#include <sched.h>
#include <stdbool.h>

#include "harness/alike.h"
#include "harness/fixture.h"
#include "harness/live.h"

#ifdef __x86_64__

/* In place of arguments. */
enum {
	TEXT = -1000, /* a path of nothing */
	DATA, /* 4096 zeros */
	BAD, /* memory that cannot be read */
	THERE, /* the path of a file */
};

/* Parameters that are not the same. */
enum {
	RESULT = 0x1, /* 64-bit programs have no such call in truth */
	MEMORY_COUNTERS = 0xe, /* of brk, mmap, munmap */
};

static const struct {
	long compat, native;
	long args[ALIKE_ARGS];
	bool makes_fd;
	uint64_t except;
} calls[] = {
	{0, SYS_restart_syscall, {0}},
	{3, SYS_read, {NO_FD, DATA, 100}},
	{4, SYS_write, {NO_FD, DATA, 100}},
	{5, SYS_open, {TEXT, 02102, 0640}},
	{5, SYS_open, {THERE, 2, 0640}, .makes_fd = true},
	{6, SYS_close, {NO_FD}},
	{8, SYS_creat, {TEXT, 0640}},
	{9, SYS_link, {TEXT, THERE}},
	{10, SYS_unlink, {TEXT}},
	{12, SYS_chdir, {TEXT}},
	{14, SYS_mknod, {TEXT, 0100640, 0x12345}},
	{15, SYS_chmod, {TEXT, 0640}},
	{20, SYS_getpid, {0}},
	{21, SYS_mount, {TEXT, TEXT, TEXT, 0x1234, 0}},
	{26, SYS_ptrace, {16, 0x7ffffff0, 3, 4}},
	{27, SYS_alarm, {0}},
	{33, SYS_access, {TEXT, 5}},
	{37, SYS_kill, {0x7ffffff0, 10}},
	{38, SYS_rename, {TEXT, THERE}},
	{39, SYS_mkdir, {TEXT, 0750}},
	{40, SYS_rmdir, {TEXT}},
	{41, SYS_dup, {NO_FD}},
	{42, SYS_pipe, {BAD}},
	{45, SYS_brk, {0}, .except = MEMORY_COUNTERS},
	{51, SYS_acct, {TEXT}},
	{52, SYS_umount2, {TEXT, 7}},
	{54, SYS_ioctl, {NO_FD, 0x80085402, 0xfffffff3}},
	{55, SYS_fcntl, {NO_FD, 3, 4}},
	{57, SYS_setpgid, {0x7ffffff0, 0x7ffffff1}},
	{60, SYS_umask, {022}},
	{61, SYS_chroot, {TEXT}},
	{63, SYS_dup2, {NO_FD, 12}},
	{64, SYS_getppid, {0}},
	{65, SYS_getpgrp, {0}},
	{74, SYS_sethostname, {DATA, -1}},
	{83, SYS_symlink, {TEXT, TEXT}},
	{85, SYS_readlink, {TEXT, DATA, 100}},
	{87, SYS_swapon, {TEXT, 0x8001}},
	{88, SYS_reboot, {1, 2, 3, BAD}},
	{91, SYS_munmap, {4096, 0}, .except = MEMORY_COUNTERS},
	{94, SYS_fchmod, {NO_FD, 0640}},
	{96, SYS_getpriority, {9, 12}},
	{97, SYS_setpriority, {9, 12, 5}},
	{101, SYS_ioperm, {0x10000, 0x10000, 1}},
	{103, SYS_syslog, {99, DATA, 10}},
	{106, SYS_stat, {TEXT, DATA}},
	{107, SYS_lstat, {TEXT, DATA}},
	{108, SYS_fstat, {NO_FD, DATA}},
	{115, SYS_swapoff, {TEXT}},
	{118, SYS_fsync, {NO_FD}},
	{121, SYS_setdomainname, {DATA, -1}},
	{122, SYS_uname, {BAD}},
	{123, SYS_modify_ldt, {99, DATA, 16}},
	{125, SYS_mprotect, {1, 4096, 5}},
	{128, SYS_init_module, {BAD, 12, TEXT}},
	{129, SYS_delete_module, {TEXT, 04000}},
	{131, SYS_quotactl, {0x80000700, TEXT, 12, DATA}},
	{132, SYS_getpgid, {0x7ffffff0}},
	{133, SYS_fchdir, {NO_FD}},
	{135, SYS_sysfs, {2, 1234, DATA}},
	{136, SYS_personality, {0xffffffff}},
	{141, SYS_getdents, {NO_FD, DATA, 100}},
	{142, SYS_select, {-1, 0, 0, 0, 0}},
	{143, SYS_flock, {NO_FD, 6}},
	{144, SYS_msync, {1, 4096, 4}},
	{147, SYS_getsid, {0x7ffffff0}},
	{148, SYS_fdatasync, {NO_FD}},
	{150, SYS_mlock, {0x1000, 0x10000}},
	{151, SYS_munlock, {0x1000, 0x10000}},
	{152, SYS_mlockall, {0}},
	{153, SYS_munlockall, {0}},
	{154, SYS_sched_setparam, {-1, DATA}},
	{155, SYS_sched_getparam, {-1, DATA}},
	{156, SYS_sched_setscheduler, {-1, 0x40000001, DATA}},
	{157, SYS_sched_getscheduler, {-1}},
	{158, SYS_sched_yield, {0}},
	{159, SYS_sched_get_priority_max, {77}},
	{160, SYS_sched_get_priority_min, {1}},
	{163, SYS_mremap, {0x1001, 0x2000, 0x3000, 1, 0x4000}},
	{168, SYS_poll, {DATA, 2, 0}},
	{172, SYS_prctl, {1, 77, 3, 4, 5}},
	{172, SYS_prctl, {15, TEXT, 3, 4, 5}},
	{183, SYS_getcwd, {DATA, 4096}},
	{187, SYS_sendfile, {NO_FD, 12, DATA, 100}},
	{217, SYS_pivot_root, {TEXT, THERE}},
	{218, SYS_mincore, {1, 4096, DATA}},
	{219, SYS_madvise, {1, 4096, 4}},
	{220, SYS_getdents64, {NO_FD, DATA, 100}},
	{221, SYS_fcntl, {NO_FD, 5, 6}},
	{224, SYS_gettid, {0}},
	{226, SYS_setxattr, {TEXT, TEXT, DATA, 10, 1}},
	{227, SYS_lsetxattr, {TEXT, TEXT, DATA, 10, 1}},
	{228, SYS_fsetxattr, {NO_FD, TEXT, DATA, 10, 1}},
	{229, SYS_getxattr, {TEXT, TEXT, DATA, 10}},
	{230, SYS_lgetxattr, {TEXT, TEXT, DATA, 10}},
	{231, SYS_fgetxattr, {NO_FD, TEXT, DATA, 10}},
	{232, SYS_listxattr, {TEXT, DATA, 10}},
	{233, SYS_llistxattr, {TEXT, DATA, 10}},
	{234, SYS_flistxattr, {NO_FD, DATA, 10}},
	{235, SYS_removexattr, {TEXT, TEXT}},
	{236, SYS_lremovexattr, {TEXT, TEXT}},
	{237, SYS_fremovexattr, {NO_FD, TEXT}},
	{238, SYS_tkill, {0x7ffffff0, 10}},
	{239, SYS_sendfile, {NO_FD, 12, DATA, 100}},
	{240, SYS_futex, {DATA, 1, 3, 0, 0, 0}},
	{241, SYS_sched_setaffinity, {-1, 16, DATA}},
	{242, SYS_sched_getaffinity, {-1, 16, DATA}},
	{243, SYS_set_thread_area, {BAD}, .except = RESULT},
	{244, SYS_get_thread_area, {BAD}, .except = RESULT},
	{245, SYS_io_setup, {0, DATA}},
	{246, SYS_io_destroy, {0x1234}},
	{247, SYS_io_getevents, {0x1234, -3, -4, DATA, 0}},
	{248, SYS_io_submit, {0x1234, -3, DATA}},
	{249, SYS_io_cancel, {0x1234, DATA, 0x5678}},
	{254, SYS_epoll_create, {-1}},
	{255, SYS_epoll_ctl, {NO_FD, 1, 12, DATA}},
	{256, SYS_epoll_wait, {NO_FD, DATA, 3, 4}},
	{257, SYS_remap_file_pages, {0x1000, 0x2000, 3, 4, 5}},
	{262, SYS_timer_getoverrun, {77777}},
	{263, SYS_timer_delete, {77777}},
	{270, SYS_tgkill, {0x7ffffff0, 0x7ffffff1, 10}},
	{274, SYS_mbind, {0x1001, 0x2000, 1, DATA, 64, 2}},
	{275, SYS_get_mempolicy, {DATA, DATA, 3, 0x1000, 0x77}},
	{276, SYS_set_mempolicy, {77, DATA, 64}},
	{278, SYS_mq_unlink, {TEXT}},
	{283, SYS_kexec_load, {0x1234, 77, DATA, 0x77}},
	{286, SYS_add_key, {TEXT, TEXT, DATA, 10, 12345}},
	{287, SYS_request_key, {TEXT, TEXT, 0, 12345}},
	{288, SYS_keyctl, {5, 12345, 0x3f, 4, 5}},
	{289, SYS_ioprio_set, {9, 12, 0x4003}},
	{290, SYS_ioprio_get, {9, 12}},
	{291, SYS_inotify_init, {0}, .makes_fd = true},
	{292, SYS_inotify_add_watch, {NO_FD, TEXT, 0x102}},
	{293, SYS_inotify_rm_watch, {NO_FD, 12}},
	{294, SYS_migrate_pages, {0x7ffffff0, 64, DATA, DATA}},
	{295, SYS_openat, {NO_FD, TEXT, 02102, 0640}},
	{296, SYS_mkdirat, {NO_FD, TEXT, 0750}},
	{297, SYS_mknodat, {NO_FD, TEXT, 020640, 0x12345}},
	{298, SYS_fchownat, {NO_FD, TEXT, 12, -1, 0x100}},
	{300, SYS_newfstatat, {NO_FD, TEXT, DATA, 0x100}},
	{301, SYS_unlinkat, {NO_FD, TEXT, 0x200}},
	{302, SYS_renameat, {NO_FD, TEXT, 12, THERE}},
	{303, SYS_linkat, {NO_FD, TEXT, 12, THERE, 0x400}},
	{304, SYS_symlinkat, {TEXT, NO_FD, THERE}},
	{305, SYS_readlinkat, {NO_FD, TEXT, DATA, 100}},
	{306, SYS_fchmodat, {NO_FD, TEXT, 0640}},
	{307, SYS_faccessat, {NO_FD, TEXT, 5}},
	{310, SYS_unshare, {0x10}},
	{311, SYS_set_robust_list, {0x1000, 77}},
	{313, SYS_splice, {NO_FD, DATA, 12, DATA, 0x1234, 5}},
	{315, SYS_tee, {NO_FD, 12, 0x1234, 5}},
	{317, SYS_move_pages, {0x7ffffff0, 0, DATA, DATA, DATA, 2}},
	{322, SYS_timerfd_create, {77, 04000}},
	{323, SYS_eventfd, {5}, .makes_fd = true},
	{327, SYS_signalfd4, {NO_FD, DATA, 8, 04000}},
	{321, SYS_signalfd, {NO_FD, DATA, 8}},
	{328, SYS_eventfd2, {5, 04000}, .makes_fd = true},
	{329, SYS_epoll_create1, {02000000}, .makes_fd = true},
	{330, SYS_dup3, {NO_FD, 12, 02000000}},
	{331, SYS_pipe2, {BAD, 04000}},
	{332, SYS_inotify_init1, {04000}, .makes_fd = true},
	{336, SYS_perf_event_open, {DATA, -1, -1, 12, 0}},
	{338, SYS_fanotify_init, {0x80000000, 2}},
	{340, SYS_prlimit64, {0, 77, DATA, DATA}},
	{341, SYS_name_to_handle_at, {NO_FD, TEXT, DATA, DATA, 0x400}},
	{342, SYS_open_by_handle_at, {NO_FD, DATA, 2}},
	{344, SYS_syncfs, {NO_FD}},
	{346, SYS_setns, {NO_FD, 0x20000}},
	{349, SYS_kcmp, {0x7ffffff0, 0x7ffffff1, 1, 4, 5}},
	{350, SYS_finit_module, {NO_FD, TEXT, 1}},
	{351, SYS_sched_setattr, {-1, DATA, 0}},
	{352, SYS_sched_getattr, {-1, DATA, 48, 0}},
	{353, SYS_renameat2, {NO_FD, TEXT, 12, THERE, 2}},
	{354, SYS_seccomp, {77, 4, 0}},
	{355, SYS_getrandom, {BAD, 10, 2}},
	{356, SYS_memfd_create, {TEXT, 2}, .makes_fd = true},
	{357, SYS_bpf, {77, DATA, 4}},
	{359, SYS_socket, {1, 04002, 0}, .makes_fd = true},
	{360, SYS_socketpair, {1, 77, 12, DATA}},
	{361, SYS_bind, {NO_FD, DATA, 16}},
	{362, SYS_connect, {NO_FD, DATA, 16}},
	{363, SYS_listen, {NO_FD, 12}},
	{364, SYS_accept4, {NO_FD, DATA, DATA, 04000}},
	{365, SYS_getsockopt, {NO_FD, 1, 2, DATA, DATA}},
	{366, SYS_setsockopt, {NO_FD, 1, 2, DATA, 4}},
	{367, SYS_getsockname, {NO_FD, DATA, DATA}},
	{368, SYS_getpeername, {NO_FD, DATA, DATA}},
	{369, SYS_sendto, {NO_FD, DATA, 10, 0, DATA, 16}},
	{371, SYS_recvfrom, {NO_FD, DATA, 10, 0, DATA, DATA}},
	{373, SYS_shutdown, {NO_FD, 2}},
	{374, SYS_userfaultfd, {077}},
	{375, SYS_membarrier, {0x7777, 1, 2}},
	{376, SYS_mlock2, {0x1000, 0x10000, 1}},
	{377, SYS_copy_file_range, {NO_FD, 0, 12, 0, 0x1234, 0}},
	{380, SYS_pkey_mprotect, {1, 4096, 5, 7}},
	{381, SYS_pkey_alloc, {1, 2}},
	{382, SYS_pkey_free, {77}},
	{383, SYS_statx, {NO_FD, TEXT, 0x100, 0x7ff, DATA}},
	{384, SYS_arch_prctl, {0x7777, 0x1000}},
	{386, SYS_rseq, {DATA, 77, 2, 3}},
	{393, SYS_semget, {0x12345, -2, 01600}},
	{394, SYS_semctl, {-2, 3, 16, 5}},
	{395, SYS_shmget, {0x12345, 0, 0600}},
	{396, SYS_shmctl, {-2, 77, DATA}},
	{397, SYS_shmat, {-2, 0x1000, 010000}},
	{398, SYS_shmdt, {0x1001}},
	{399, SYS_msgget, {0x12345, 0600}},
	{402, SYS_msgctl, {-2, 77, DATA}},
	{422, SYS_futex, {DATA, 1, 3, 0, 0, 0}},
	{425, SYS_io_uring_setup, {0, DATA}},
	{426, SYS_io_uring_enter, {NO_FD, 2, 3, 1, 0x1000, 8}},
	{427, SYS_io_uring_register, {NO_FD, 2, DATA, 4}},
	{428, SYS_open_tree, {NO_FD, TEXT, 0x100}},
	{429, SYS_move_mount, {NO_FD, TEXT, 12, THERE, 4}},
	{430, SYS_fsopen, {TEXT, 1}},
	{431, SYS_fsconfig, {NO_FD, 1, TEXT, TEXT, 0}},
	{432, SYS_fsmount, {NO_FD, 1, 2}},
	{433, SYS_fspick, {NO_FD, TEXT, 3}},
	{434, SYS_pidfd_open, {0x7ffffff0, 04000}},
	{436, SYS_close_range, {6000, 6001, 4}},
	{437, SYS_openat2, {NO_FD, TEXT, DATA, 24}},
	{438, SYS_pidfd_getfd, {NO_FD, 12, 3}},
	{439, SYS_faccessat2, {NO_FD, TEXT, 5, 0x100}},
	{442, SYS_mount_setattr, {NO_FD, TEXT, 0x100, DATA, 32}},
	{443, 443 /* quotactl_fd */, {NO_FD, 0x80000700, 12, DATA}},
	{444, SYS_landlock_create_ruleset, {DATA, 8, 0x77}},
	{445, SYS_landlock_add_rule, {NO_FD, 1, DATA, 3}},
	{446, SYS_landlock_restrict_self, {NO_FD, 3}},
	{447, 447 /* memfd_secret */, {0x77}},
	{448, 448 /* process_mrelease */, {NO_FD, 3}},
	{449, 449 /* futex_waitv */, {DATA, 1, 3, 0, 5}},
	{450, 450 /* set_mempolicy_home_node */, {0x1001, 0x2000, 3, 4}},
};

static long real_argument(long arg)
{
	static char zeros[4096];

	switch (arg) {
	case TEXT:
		return low_text("no/such");
	case THERE:
		return low_text("there");
	case DATA:
		return low_copy(zeros, sizeof(zeros));
	case BAD:
		return (long)UNREADABLE;
	default:
		return arg;
	}
}

LIVE_TEST(int80_all)
{
	fixture_file("there", 100);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct alike alike = {{calls[i].native, {0}},
				      {calls[i].compat, {0}},
				      calls[i].makes_fd,
				      calls[i].except};

		for (int n = 0; n < ALIKE_ARGS; n++)
			alike.native.args[n] = alike.compat.args[n] =
				real_argument(calls[i].args[n]);
		alike_check_at("number", (int)calls[i].compat, &alike);
	}
}

#endif
