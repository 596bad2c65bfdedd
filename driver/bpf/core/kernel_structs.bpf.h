/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel structs that the readers use: only the members that are needed, located in the running
 * kernel by CO-RE. kernel_versions.bpf.h handles members that were renamed or moved.
 */
#ifndef LANNER_KERNEL_STRUCTS_BPF_H
#define LANNER_KERNEL_STRUCTS_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs;

struct list_head {
	struct list_head *next, *prev;
};

struct thread_info {
	__u32 status;
};

typedef struct {
	__u32 val;
} kuid_t;

typedef struct {
	__u32 val;
} kgid_t;

struct qstr {
	union {
		struct {
			__u32 hash;
			__u32 len;
		};
	};
	const unsigned char *name;
};

struct super_block {
	__u32 s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
};

struct inode {
	__u16 i_mode;
	kuid_t i_uid;
	kgid_t i_gid;
	__u32 i_flags;
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	int mnt_id;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	__u32 f_flags;
	__u32 f_mode;
	void *private_data;
};

struct fs_struct {
	struct path root, pwd;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
	unsigned long *close_on_exec;
};

struct files_struct {
	struct fdtable *fdt;
};

struct mm_struct {
	unsigned long start_stack, arg_start, arg_end, env_start, env_end;
	unsigned long total_vm;
	struct file *exe_file;
};

struct group_info {
	int ngroups;
	kgid_t gid[0];
};

typedef struct {
	__u64 val;
} kernel_cap_t;

struct uid_gid_extent {
	__u32 first, lower_first, count;
};

struct uid_gid_map {
	__u32 nr_extents;
	struct uid_gid_extent extent[5];
	struct uid_gid_extent *reverse; /* in place of `extent` when there are more */
};

struct user_namespace {
	struct uid_gid_map uid_map, gid_map;
	struct user_namespace *parent;
	int level; /* 0: the initial one */
	kuid_t owner;
};

struct cred {
	struct user_namespace *user_ns;
	kuid_t uid, euid, fsuid;
	kgid_t egid, fsgid;
	kernel_cap_t cap_inheritable, cap_permitted, cap_effective;
	struct group_info *group_info;
};

struct task_struct;

struct pid_namespace {
	struct task_struct *child_reaper;
	unsigned int level;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

enum pid_type { PIDTYPE_PID, PIDTYPE_TGID, PIDTYPE_PGID, PIDTYPE_SID };

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct cgroup_namespace {
	struct css_set *root_cset;
};

struct nsproxy {
	struct pid_namespace *pid_ns_for_children;
	struct cgroup_namespace *cgroup_ns;
};

struct tty_driver {
	int major, minor_start;
};

struct tty_struct {
	int index;
	struct tty_driver *driver;
};

struct sigpending {
	struct list_head list;
};

union __sifields {
	struct {
		int _pid;
	} _kill;
};

struct kernel_siginfo {
	int si_signo, si_code;
	union __sifields _sifields;
};

struct sigqueue {
	struct list_head list;
	struct kernel_siginfo info;
};

struct rlimit {
	unsigned long rlim_cur;
};

struct signal_struct {
	struct list_head thread_head;
	struct sigpending shared_pending;
	int nr_threads;
	int group_exit_code;
	struct tty_struct *tty;
	struct pid *pids[4];
	struct rlimit rlim[16];
	unsigned int is_child_subreaper : 1;
};

struct kernfs_node {
	const char *name;
	__u64 id;
};

struct cgroup_root {
	unsigned int subsys_mask;
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp; /* in the hierarchy of version 2 */
};

/* The values are those of the running kernel, by CO-RE; here they only name them. */
enum cgroup_subsys_id {
	cpuset_cgrp_id = 1,
	cpu_cgrp_id,
	cpuacct_cgrp_id,
	io_cgrp_id,
	memory_cgrp_id
};

struct sock_fprog_kern {
	__u16 len;
	struct sock_filter *filter;
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
	struct sock_fprog_kern *orig_prog;
};

struct seccomp_filter {
	struct seccomp_filter *prev;
	struct bpf_prog *prog;
};

struct seccomp {
	int mode;
	struct seccomp_filter *filter;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags, ptrace;
	struct seccomp seccomp;
	int pid, tgid;
	int exit_code;
	struct task_struct *real_parent, *group_leader;
	struct list_head children, thread_node;
	struct mm_struct *mm;
	const struct cred *real_cred, *cred;
	struct signal_struct *signal;
	struct sigpending pending;
	struct files_struct *files;
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct pid *thread_pid;
	struct css_set *cgroups;
	kuid_t loginuid;
	__u64 start_time, start_boottime;
	__u64 self_exec_id;
	unsigned long min_flt, maj_flt;
	char comm[16];
};

struct linux_binprm {
	const char *filename;
};

struct in6_addr {
	__u8 s6_addr[16];
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	unsigned short skc_family;
	unsigned char skc_state;
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	__u16 sk_type, sk_protocol;
	__u32 sk_ack_backlog, sk_max_ack_backlog;
	int sk_err;
	__u8 sk_shutdown;
};

struct ipv6_pinfo {
	struct in6_addr saddr;
};

struct net_device {
	possible_net_t nd_net;
};

struct sk_buff {
	struct sock *sk;
	struct net_device *dev;
	unsigned char cb[48];
	unsigned int len;
	__be16 protocol;
	int skb_iif;
	__u16 network_header;
	unsigned char *head;
};

/* What TCP keeps in cb of a segment. */
struct tcp_skb_cb {
	__u32 seq, end_seq;
	__u16 tcp_gso_segs;
};

struct inet_connection_sock {
	__u8 icsk_ca_state : 5;
};

struct inet_sock {
	struct ipv6_pinfo *pinet6;
	__be32 inet_saddr;
	__be16 inet_sport;
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	__u32 copied_seq, rcv_nxt, write_seq, snd_una, packets_out;
	__u32 srtt_us, mdev_us, snd_cwnd, snd_ssthresh, mss_cache, reordering, lost;
	struct minmax rtt_min;
	__u32 segs_out, segs_in, data_segs_out, data_segs_in, total_retrans, dsack_dups, reord_seen;
	__u64 bytes_sent, bytes_acked, bytes_received, bytes_retrans;
};

struct sockaddr_un {
	char sun_path[108];
};

struct unix_address {
	int len;
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct socket {
	struct sock *sk;
};

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct seq_file;

/* Of an iterator. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_map {
	__u32 id;
};

struct bpf_link {
	__u32 id;
};

struct bpf_prog_aux {
	__u32 id;
};

#pragma clang attribute pop

#define READ(source, ...) BPF_CORE_READ(source, ##__VA_ARGS__)

#endif
