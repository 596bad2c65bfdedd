/* SPDX-License-Identifier: MIT */
/* What this process may do, and what a child may do after it gave something up. */
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doctored.h"
#include "unit.h"

static int as_nobody(void)
{
	return setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534);
}

static int with_ptrace_missing(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (geteuid() || syscall(SYS_capget, &header, data))
		return -1;
	data[0].effective &= ~(1U << CAP_SYS_PTRACE);
	return (int)syscall(SYS_capset, &header, data);
}

static int in_user_namespace(void)
{
	return unshare(CLONE_NEWUSER);
}

/* As container runtimes answer calls that they do not allow. */
static int without_bpf(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (geteuid())
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void test_capabilities(void **state)
{
	doctored_expect_child(
		as_nobody, doctor_capabilities, DOCTOR_MISSING,
		"lacks BPF, PERFMON, IPC_LOCK, NET_ADMIN, SYS_PTRACE, DAC_READ_SEARCH; has none");
	doctored_expect_child(
		with_ptrace_missing, doctor_capabilities, DOCTOR_LIMITED,
		"lacks SYS_PTRACE; has BPF, PERFMON, IPC_LOCK, NET_ADMIN, DAC_READ_SEARCH");
	doctored_expect_child(as_nobody, doctor_bounding, DOCTOR_OK,
			      "cannot be emptied without CAP_SETPCAP");
}

static void test_user_namespace(void **state)
{
	doctored_expect_child(in_user_namespace, doctor_user_namespace, DOCTOR_MISSING,
			      "one of its own");
}

static void test_seccomp(void **state)
{
	doctored_expect_child(without_bpf, doctor_seccomp, DOCTOR_MISSING,
			      "no_new_privs is set; bpf is not allowed");
}

static void test_lsm(void **state)
{
	doctored_expect(*state, "doctor", doctor_lsm, DOCTOR_OK, "none");
	tree_write(*state, "proc/self/attr/current", "unconfined\n");
	doctored_expect(*state, "doctor", doctor_lsm, DOCTOR_OK, "unconfined");
	tree_write(*state, "proc/self/attr/current", "cri-containerd.apparmor.d (enforce)\n");
	doctored_expect(*state, "doctor", doctor_lsm, DOCTOR_LIMITED, "cri-containerd");
}

static void test_connections(void **state)
{
	doctored_expect(*state, "doctor", doctor_connections, DOCTOR_OK, "translates nothing");
	if (access("/proc/sys/net/netfilter/nf_conntrack_max", F_OK) != 0)
		skip();
	doctored_expect_child(as_nobody, doctor_connections, DOCTOR_LIMITED,
			      "cannot be read: Operation not permitted");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_capabilities),
	cmocka_unit_test(test_user_namespace),
	cmocka_unit_test(test_seccomp),
	cmocka_unit_test_setup_teardown(test_lsm, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_connections, doctored_setup, doctored_teardown),
};

UNIT_GROUP(tests);
