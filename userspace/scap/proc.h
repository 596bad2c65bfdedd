/* SPDX-License-Identifier: MIT */
/*
 * What /proc says about threads and their descriptors: the state that was there before the first
 * event. Used to seed the tables above, and to look up a thread that they do not know.
 */
#ifndef SCAP_PROC_H
#define SCAP_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Kinds of descriptors, as the .scap world letters them. */
enum scap_fd_type {
	SCAP_FD_UNKNOWN,
	SCAP_FD_FILE,
	SCAP_FD_DIRECTORY,
	SCAP_FD_IPV4,
	SCAP_FD_IPV6,
	SCAP_FD_UNIX,
	SCAP_FD_PIPE,
	SCAP_FD_EVENT,
	SCAP_FD_SIGNAL,
	SCAP_FD_EPOLL,
	SCAP_FD_INOTIFY,
	SCAP_FD_TIMER,
	SCAP_FD_NETLINK,
	SCAP_FD_BPF,
	SCAP_FD_USERFAULT,
	SCAP_FD_IO_URING,
	SCAP_FD_MEMFD,
	SCAP_FD_PIDFD,
	SCAP_FD_UNSUPPORTED,
	SCAP_FD_TYPES_COUNT,
};

enum scap_l4 { SCAP_L4_UNKNOWN, SCAP_L4_TCP, SCAP_L4_UDP, SCAP_L4_ICMP, SCAP_L4_RAW };

/* One end of an IP socket. IPv4 addresses take the first 4 bytes. */
struct scap_endpoint {
	uint8_t address[16]; /* network order */
	uint16_t port;	     /* host order */
};

/* Pointers go to memory of the reader, valid until its next call. Numbers are of the initial
 * namespaces unless their name starts with v; in captures those that are not known are -1. */
struct scap_thread {
	int64_t tid, pid, ptid, vtid, vpid, pgid, vpgid, sid;
	uint32_t uid, gid;  /* effective */
	uint32_t loginuid;  /* 0xffffffff: not set */
	uint32_t tty;	    /* device number, 0: none */
	uint64_t start_ns;  /* since the epoch; 0: not known */
	int64_t fd_limit;   /* soft limit of open files, -1 unknown */
	uint64_t caps_permitted, caps_effective, caps_inheritable;
	uint64_t faults_major, faults_minor;
	uint32_t vm_size_kib, vm_rss_kib, vm_swap_kib;
	uint64_t exe_ino, exe_ctime_ns, exe_mtime_ns; /* 0: not known */
	uint32_t exe_flags; /* execve_flags values, as far as known */
	uint32_t flags;	    /* clone_flags values, as far as known */
	uint64_t pidns_start_ns; /* when the init of its pid namespace began; 0: not known */
	uint64_t exec_id;   /* exec_id_of() of the process; 0 for all but main threads */
	char comm[16];
	const char *exe;      /* argv[0]; "" for kernel threads */
	const char *exepath;  /* of the executable; "" when there is none */
	const char *args;     /* argv[1..], each with its NUL */
	size_t args_len;
	const char *env;      /* each with its NUL */
	size_t env_len;
	const char *cgroups;  /* "name=/path", each with its NUL */
	size_t cgroups_len;
	const char *cwd;      /* absolute, whatever root the thread has; "" when unreadable */
	const char *root;     /* "/" mostly */
};

struct scap_fd {
	int64_t num;
	enum scap_fd_type type;
	uint32_t flags;	      /* file_flags values of the event table, for files */
	uint32_t dev;	      /* encoded as in the open events, for files */
	uint64_t ino;
	const char *name;     /* path, "pipe:[1]", unix socket path; "" for IP sockets */
	enum scap_l4 l4;      /* IP sockets */
	struct scap_endpoint local, remote; /* IP sockets; all zero: not bound, not connected */
	uint64_t unix_socket; /* unix sockets: its kernel address, or that of the end that called */
	uint64_t unix_peer;   /* that of the end that was called; 0, both: not known */
};

struct scap_proc;

/* Opens a proc file system ("/proc", or another one for tests). Returns 0 or -errno. */
int scap_proc_open(const char *path, struct scap_proc **proc, struct error *err);
void scap_proc_close(struct scap_proc *proc);

/* Begins a new walk over all threads (every task of every process). */
int scap_proc_rewind(struct scap_proc *proc);

/* The next thread of the walk. Returns 1, 0 at the end, or -errno. Threads that vanish are
 * passed over. Main threads come before their process's other threads. */
int scap_proc_next(struct scap_proc *proc, struct scap_thread *thread);

/* One thread. Returns 0, -ESRCH when it is gone, or another -errno. */
int scap_proc_thread(struct scap_proc *proc, int64_t tid, struct scap_thread *thread);

/* Begins the walk over the descriptors of a thread. Returns 0 or -errno. */
int scap_proc_fds(struct scap_proc *proc, int64_t tid);

/* The next descriptor of that walk. Returns 1, 0 at the end, or -errno. May be interleaved with
 * the walk over threads. */
int scap_proc_next_fd(struct scap_proc *proc, struct scap_fd *fd);

/* One descriptor. Returns 0, -EBADF when it is not open, -ESRCH, or another -errno. */
int scap_proc_fd(struct scap_proc *proc, int64_t tid, int64_t num, struct scap_fd *fd);

/* The current directory of a thread, absolute as the caller sees it. Returns 0 or -errno. */
int scap_proc_cwd(struct scap_proc *proc, int64_t tid, const char **cwd);

/*
 * The real path of a directory that a thread names by an absolute path: symbolic links resolved as
 * that thread's root has them, and the path as seen from there. Returns 0; -ESRCH when the thread
 * is gone; -EXDEV for directories of /proc, which every process sees differently; -ELOOP when a
 * link cannot be followed at once; -EAGAIN when the kernel would have to ask a disk or a server; or
 * another -errno.
 */
int scap_proc_real_directory(struct scap_proc *proc, int64_t tid, const char *path,
			     const char **real);

#endif
