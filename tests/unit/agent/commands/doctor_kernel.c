/* SPDX-License-Identifier: MIT */
/* What the kernel's files say, and what follows from it. */
#include "doctored.h"
#include "unit.h"

static void test_this_kernel(void **state)
{
	doctored_expect(NULL, "doctor", doctor_kernel, DOCTOR_OK, "Linux ");
	doctored_expect(NULL, "doctor", doctor_btf, DOCTOR_OK, "KiB");
}

static void test_btf(void **state)
{
	static const char header[] = {'\x9f', '\xeb', 1, 0};

	doctored_expect(*state, "doctor", doctor_btf, DOCTOR_MISSING, "No such file");
	tree_write(*state, "sys/kernel/btf/vmlinux", "");
	doctored_expect(*state, "doctor", doctor_btf, DOCTOR_MISSING, "is no BTF");
	tree_write_bytes(*state, "sys/kernel/btf/vmlinux", header, sizeof(header));
	doctored_expect(*state, "doctor", doctor_btf, DOCTOR_OK, "vmlinux, 0 KiB");
}

static void test_lockdown(void **state)
{
	tree_write(*state, "sys/kernel/security/lsm", "lockdown");
	doctored_expect(*state, "doctor", doctor_lockdown, DOCTOR_OK, "this kernel has none");
	tree_write(*state, "sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	doctored_expect(*state, "doctor", doctor_lockdown, DOCTOR_OK, "[integrity]");
	tree_write(*state, "sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	doctored_expect(*state, "doctor", doctor_lockdown, DOCTOR_MISSING, "[confidentiality]");
}

static void test_paranoid(void **state)
{
	static const char path[] = "proc/sys/kernel/perf_event_paranoid";

	doctored_expect(*state, "doctor", doctor_paranoid, DOCTOR_MISSING, "No such file");
	tree_write(*state, path, "-1\n");
	doctored_expect(*state, "doctor", doctor_paranoid, DOCTOR_OK, "-1");
	tree_write(*state, path, "2\n");
	doctored_expect(*state, "doctor", doctor_paranoid, DOCTOR_OK, "2");
	tree_write(*state, path, "x\n");
	doctored_expect(*state, "doctor", doctor_paranoid, DOCTOR_MISSING, "Invalid argument");
}

static void test_settings(void **state)
{
	doctored_expect(*state, "doctor", doctor_kptr, DOCTOR_OK, "No such file");
	tree_write(*state, "proc/sys/kernel/kptr_restrict", "1\n");
	doctored_expect(*state, "doctor", doctor_kptr, DOCTOR_OK,
			"1: kernel addresses are shown with CAP_SYSLOG");
	tree_write(*state, "proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
	doctored_expect(*state, "doctor", doctor_unprivileged_bpf, DOCTOR_OK,
			"2: only with CAP_BPF");
	tree_write(*state, "proc/sys/kernel/bpf_stats_enabled", "7\n");
	doctored_expect(*state, "doctor", doctor_bpf_stats, DOCTOR_OK, "7");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_this_kernel),
	cmocka_unit_test_setup_teardown(test_btf, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_lockdown, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_paranoid, doctored_setup, doctored_teardown),
	cmocka_unit_test_setup_teardown(test_settings, doctored_setup, doctored_teardown),
};

UNIT_GROUP(tests);
