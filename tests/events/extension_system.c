/* SPDX-License-Identifier: MIT */
/*
 * The machine and the kernel. Harmful operations are requested so that they are certain to be
 * rejected.
 */
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "harness/calls.h"
#include "harness/new_calls.h"

enum { NO_FD_EITHER = NO_FD - 1, NO_PID = 0x7fffffff };

LIVE_TEST(getrandom)
{
	char bytes[200];
	const struct event *ev;

	require(CALL(SYS_getrandom, bytes, 20, 1) == 20);
	ev = live_next(EVENT_getrandom);
	expect_values(ev, 20, OTHER, 20, 1);
	expect_bytes(ev, getrandom__data, bytes, 20);
	require(CALL(SYS_getrandom, bytes, sizeof(bytes), 0) == sizeof(bytes));
	ev = live_next(EVENT_getrandom);
	expect_values(ev, sizeof(bytes), OTHER, sizeof(bytes), 0);
	expect_bytes(ev, getrandom__data, bytes, LIVE_SNAPLEN);
	require(CHECK(getrandom, (SYS_getrandom, bytes, 5, 0x77), NOTHING, 5, 0x77) == -EINVAL);
	require(CHECK(getrandom, (SYS_getrandom, UNREADABLE, 5, 0), NOTHING, 5, 0) == -EFAULT);
}

LIVE_TEST(perf_event_open)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 0x123456789,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.read_format = PERF_FORMAT_ID,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	long fd = CHECK(perf_event_open,
			(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), 1,
			PERF_COUNT_SW_DUMMY, 0x123456789, 3, PERF_FORMAT_ID, 0x21, 0, -1, -1,
			PERF_FLAG_FD_CLOEXEC);

	if (fd > 0)
		close((int)fd);
	attr.type = 0x7fffffff;
	attr.config = UINT64_MAX;
	require(CHECK(perf_event_open, (SYS_perf_event_open, &attr, NO_PID, 0x5, NO_FD, 0xf0),
		      0x7fffffff, -1L, 0x123456789, 3, PERF_FORMAT_ID, 0x21, NO_PID, 5, NO_FD,
		      0xf0) < 0);
	require(CHECK(perf_event_open, (SYS_perf_event_open, UNREADABLE, -1, -1, -1, 0), NOTHING,
		      NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, -1, -1, -1, 0) < 0);
}

LIVE_TEST(kexec_load)
{
	require(CHECK(kexec_load, (SYS_kexec_load, 0x1000, 99999, UNREADABLE, 0xfff00), 0x1000,
		      99999, AT(UNREADABLE), 0xfff00) < 0);
	require(CHECK(kexec_load, (SYS_kexec_load, -1L, 1, UNREADABLE, 1), -1L, 1, AT(UNREADABLE),
		      1) < 0);
}

LIVE_TEST(kexec_file_load)
{
	long ret = CALL(SYS_kexec_file_load, NO_FD, NO_FD_EITHER, 6, "quiet", 0x7700);
	const struct event *ev = live_next(EVENT_kexec_file_load);

	expect_values(ev, ret, NO_FD, NO_FD_EITHER, 6, OTHER, 0x7700);
	expect_string(ev, kexec_file_load__cmdline, "quiet");
	require(ret < 0);
	require(CHECK(kexec_file_load, (SYS_kexec_file_load, -1, -1, 0, NULL, 0x7702), -1, -1, 0,
		      NOTHING, 0x7702) < 0);
}

LIVE_TEST(add_key)
{
	long ret = CALL(SYS_add_key, "nosuchtype", "lanner", "secret", 6, -3);
	const struct event *ev = live_next(EVENT_add_key);

	expect_values(ev, ret, OTHER, OTHER, OTHER, 6, 0xfffffffd);
	expect_string(ev, add_key__type, "nosuchtype");
	expect_string(ev, add_key__description, "lanner");
	expect_bytes(ev, add_key__data, "secret", 6);
	require(ret < 0);
	require(CHECK(add_key, (SYS_add_key, UNREADABLE, NULL, NULL, 100, 55), NOTHING, NOTHING,
		      NOTHING, 100, 55) < 0);
}

LIVE_TEST(request_key)
{
	long ret = CALL(SYS_request_key, "nosuchtype", "lanner", "callout", -1);
	const struct event *ev = live_next(EVENT_request_key);

	expect_values(ev, ret, OTHER, OTHER, OTHER, UINT32_MAX);
	expect_string(ev, request_key__type, "nosuchtype");
	expect_string(ev, request_key__description, "lanner");
	expect_string(ev, request_key__callout_info, "callout");
	require(ret < 0);
	require(CHECK(request_key, (SYS_request_key, UNREADABLE, NULL, NULL, 0), NOTHING, NOTHING,
		      NOTHING, 0) < 0);
}

/* As the kernel has it; the flags are one 32-bit word here. */
struct segment {
	uint32_t entry_number, base_addr, limit, flags;
};

/* Not present, so that nobody can use it. */
static const struct segment empty_segment = {77, 0x12345000, 0xfff, 0x28};

enum { WRITE = 0x11, DEFAULT = 2 };

LIVE_TEST(modify_ldt)
{
	struct segment segment = empty_segment;
	char bytes[16];
	long ret = CALL(SYS_modify_ldt, WRITE, &segment, sizeof(segment));

	expect_values(live_next(EVENT_modify_ldt), (int)ret, WRITE, 77, 0x12345000, 0xfff, 0x28,
		      sizeof(segment));
	ret = CALL(SYS_modify_ldt, WRITE, UNREADABLE, 16);
	expect_values(live_next(EVENT_modify_ldt), (int)ret, WRITE, NOTHING, NOTHING, NOTHING,
		      NOTHING, 16);
	require((int)ret < 0);
	ret = CALL(SYS_modify_ldt, DEFAULT, bytes, sizeof(bytes));
	expect_values(live_next(EVENT_modify_ldt), (int)ret, DEFAULT, NOTHING, NOTHING, NOTHING,
		      NOTHING, sizeof(bytes));
	ret = CALL(SYS_modify_ldt, 99, &segment, -1L);
	expect_values(live_next(EVENT_modify_ldt), (int)ret, 99, NOTHING, NOTHING, NOTHING, NOTHING,
		      -1L);
	require((int)ret < 0);
}

LIVE_TEST(set_thread_area)
{
	struct segment segment = empty_segment;

	CHECK(set_thread_area, (SYS_set_thread_area, &segment), 77, 0x12345000, 0xfff, 0x28);
	segment.entry_number = UINT32_MAX;
	CHECK(set_thread_area, (SYS_set_thread_area, &segment), segment.entry_number, 0x12345000,
	      0xfff, 0x28);
	require(CHECK(set_thread_area, (SYS_set_thread_area, UNREADABLE), NOTHING, NOTHING, NOTHING,
		      NOTHING) < 0);
}

LIVE_TEST(get_thread_area)
{
	struct segment segment = empty_segment;

	segment.entry_number = 12;
	CHECK(get_thread_area, (SYS_get_thread_area, &segment), 12, segment.base_addr,
	      segment.limit, segment.flags);
	segment = empty_segment;
	require(CHECK(get_thread_area, (SYS_get_thread_area, &segment), 77, 0x12345000, 0xfff,
		      0x28) < 0);
	require(CHECK(get_thread_area, (SYS_get_thread_area, NULL), NOTHING, NOTHING, NOTHING,
		      NOTHING) < 0);
}

enum { GET_FS = 0x1003 };

LIVE_TEST(arch_prctl)
{
	uint64_t base;

	require(CHECK(arch_prctl, (SYS_arch_prctl, GET_FS, &base), GET_FS, AT(&base)) == 0);
	require(CHECK(arch_prctl, (SYS_arch_prctl, 0x777, -1L), 0x777, -1L) == -EINVAL);
}

static int use_ports(void *arg)
{
	CALL(SYS_iopl, 3);
	CALL(SYS_ioperm, 0x80, 1, 1);
	return 0;
}

LIVE_TEST(iopl)
{
	pid_t child = fixture_child(use_ports, NULL);
	const struct event *ev;

	fixture_wait(child);
	ev = live_next_of(EVENT_iopl, child);
	expect_range(ev, iopl__res, -ENOSYS, 0);
	expect_i64(ev, iopl__level, 3);
	require(CHECK(iopl, (SYS_iopl, 4), 4) < 0);
	CHECK(iopl, (SYS_iopl, 0), 0);
}

LIVE_TEST(ioperm)
{
	pid_t child = fixture_child(use_ports, NULL);
	const struct event *ev;

	fixture_wait(child);
	ev = live_next_of(EVENT_ioperm, child);
	expect_values(ev, OTHER, 0x80, 1, 1);
	expect_range(ev, ioperm__res, -ENOSYS, 0);
	require(CHECK(ioperm, (SYS_ioperm, -1L, 0x123456789, -1), -1L, 0x123456789, -1) < 0);
}

/* Names of a namespace of its own. */
static int set_names(void *arg)
{
	char name[200];

	memset(name, 'n', sizeof(name));
	if (unshare(CLONE_NEWUTS))
		return 1;
	CALL(SYS_sethostname, "lanner", 3);
	CALL(SYS_setdomainname, "example", 7);
	CALL(SYS_sethostname, name, sizeof(name));
	CALL(SYS_setdomainname, name, sizeof(name));
	return 0;
}

static void check_names(unsigned int id, long number, const char *name)
{
	char cut[LIVE_SNAPLEN];
	pid_t child = fixture_child(set_names, NULL);
	const struct event *ev;

	memset(cut, 'n', sizeof(cut));
	require(fixture_wait(child) == 0);
	ev = live_next_of(id, child);
	expect_values(ev, 0, OTHER, strlen(name));
	expect_bytes(ev, sethostname__name, name, strlen(name));
	ev = live_next_of(id, child);
	expect_values(ev, -EINVAL, OTHER, 200);
	expect_bytes(ev, sethostname__name, cut, sizeof(cut));
	require(CALL(number, "x", -1) == -EINVAL);
	expect_values(live_next(id), -EINVAL, NOTHING, -1);
	require(CALL(number, UNREADABLE, 5) == -EFAULT);
	expect_values(live_next(id), -EFAULT, NOTHING, 5);
}

LIVE_TEST(sethostname)
{
	check_names(EVENT_sethostname, SYS_sethostname, "lan");
}

LIVE_TEST(setdomainname)
{
	check_names(EVENT_setdomainname, SYS_setdomainname, "example");
}

/* The first number is never the right one. */
LIVE_TEST(reboot)
{
	const struct event *ev;

	require(CHECK(reboot, (SYS_reboot, 0x12345678, 5, LINUX_REBOOT_CMD_RESTART, 0), 0x12345678,
		      5, LINUX_REBOOT_CMD_RESTART, NOTHING) == -EINVAL);
	require(CALL(SYS_reboot, 0, -1, LINUX_REBOOT_CMD_RESTART2, "bootloader") == -EINVAL);
	ev = live_next(EVENT_reboot);
	expect_values(ev, -EINVAL, 0, -1, LINUX_REBOOT_CMD_RESTART2, OTHER);
	expect_string(ev, reboot__arg, "bootloader");
	require(CHECK(reboot, (SYS_reboot, 0, 0, LINUX_REBOOT_CMD_RESTART2, UNREADABLE), 0, 0,
		      LINUX_REBOOT_CMD_RESTART2, NOTHING) == -EINVAL);
}

/* In a session without a terminal there is nothing to hang up. */
static int hang_up(void *arg)
{
	setsid();
	CALL(SYS_vhangup);
	if (setuid(65534))
		return 1;
	CALL(SYS_vhangup);
	return 0;
}

LIVE_TEST(vhangup)
{
	pid_t child = fixture_child(hang_up, NULL);

	require(fixture_wait(child) == 0);
	expect_values(live_next_of(EVENT_vhangup, child), 0);
	expect_values(live_next_of(EVENT_vhangup, child), -EPERM);
}

LIVE_TEST(uname)
{
	struct utsname names;

	require(CHECK(uname, (SYS_uname, &names)) == 0);
	require(CHECK(uname, (SYS_uname, UNREADABLE)) == -EFAULT);
}

LIVE_TEST(sysinfo)
{
	struct sysinfo info;

	require(CHECK(sysinfo, (SYS_sysinfo, &info), info.uptime, info.totalram, info.freeram,
		      info.procs) == 0);
	require(CHECK(sysinfo, (SYS_sysinfo, UNREADABLE), NOTHING, NOTHING, NOTHING, NOTHING) ==
		-EFAULT);
}

enum { READ_ALL = 3, SIZE_BUFFER = 10 };

LIVE_TEST(syslog)
{
	char text[200];
	long ret = CALL(SYS_syslog, READ_ALL, text, sizeof(text));
	const struct event *ev = live_next(EVENT_syslog);
	size_t shown = ret < 0 ? 0 : ret < LIVE_SNAPLEN ? (size_t)ret : LIVE_SNAPLEN;

	expect_values(ev, ret, READ_ALL, OTHER, sizeof(text));
	expect_bytes(ev, syslog__data, text, shown);
	CHECK(syslog, (SYS_syslog, SIZE_BUFFER, text, 200), SIZE_BUFFER, NOTHING, 200);
	require(CHECK(syslog, (SYS_syslog, READ_ALL, UNREADABLE, -1), READ_ALL, NOTHING, -1) < 0);
	require(CHECK(syslog, (SYS_syslog, 99, text, 5), 99, NOTHING, 5) < 0);
}

/* Kernels that know these calls may end who makes them by himself. */
static int call_raw(void *arg)
{
	CALL(*(long *)arg, 1, 0x123456789, 3, 4, 5, -6L);
	return 0;
}

static void check_raw(unsigned int id, long number)
{
	pid_t child = fixture_child(call_raw, &number);
	const struct event *ev;

	fixture_wait(child);
	ev = live_next_of(id, child);
	expect_values(ev, OTHER, 1, 0x123456789, 3, 4, 5, -6L);
	expect_range(ev, uprobe__res, -4095, -1);
}

LIVE_TEST(uprobe)
{
	check_raw(EVENT_uprobe, SYS_uprobe);
}

LIVE_TEST(uretprobe)
{
	check_raw(EVENT_uretprobe, SYS_uretprobe);
}
