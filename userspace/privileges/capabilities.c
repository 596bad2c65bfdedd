/* SPDX-License-Identifier: MIT */
/* Names and numbers of capabilities; reads and drops those of the calling thread. */
#include "privileges/capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/count.h"

/* Headers before Linux 5.8 lack the first two. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

enum { SETS_OF_64_BITS = 2, BITS = 32 };

const struct capability capabilities[] = {
	{CAP_BPF, "BPF", USED_TO_LOAD, "load BPF programs and maps", .by_admin = true},
	{CAP_PERFMON, "PERFMON", USED_TO_LOAD | USED_FOR_RINGS,
	 "attach programs, open ring buffers", .by_admin = true},
	{CAP_IPC_LOCK, "IPC_LOCK", USED_TO_MAP,
	 "ring buffers larger than kernel.perf_event_mlock_kb"},
	{CAP_NET_ADMIN, "NET_ADMIN", USED_TO_LOAD,
	 "attach programs to the root control group, which note where datagrams go"},
	{CAP_SYS_RESOURCE, "SYS_RESOURCE", USED_TO_LOAD, "raise the limit of locked memory",
	 .if_old = true},
	{CAP_SYS_PTRACE, "SYS_PTRACE", USED_FOR_PROCESSES,
	 "read programs, directories, descriptors and environments of processes in /proc"},
	{CAP_DAC_READ_SEARCH, "DAC_READ_SEARCH", USED_TO_READ | USED_FOR_PROCESSES,
	 "read files of other users: /proc, tracefs, those of container runtimes"},
	{CAP_SETPCAP, "SETPCAP", USED_TO_DROP, "empty the bounding set"},
};
const size_t capabilities_count = COUNT(capabilities);

bool capabilities_kernel_locks_maps(void)
{
	unsigned int major, minor;
	struct utsname system;

	return uname(&system) == 0 && sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 11));
}

static bool capabilities_has_bit(uint64_t set, unsigned int number)
{
	return set >> number & 1;
}

/* The numbers end where the kernel knows none. */
static void read_by_number(struct capability_sets *sets)
{
	for (unsigned int number = 0; number < 64; number++) {
		int bounding = prctl(PR_CAPBSET_READ, number, 0, 0, 0);

		if (bounding < 0)
			return;
		sets->bounding |= (uint64_t)bounding << number;
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, number, 0, 0) == 1)
			sets->ambient |= CAPABILITY(number);
	}
}

int capability_sets_read(struct capability_sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[SETS_OF_64_BITS];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	*sets = (struct capability_sets){
		.effective = data[0].effective | (uint64_t)data[1].effective << BITS,
		.permitted = data[0].permitted | (uint64_t)data[1].permitted << BITS,
		.inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << BITS,
	};
	read_by_number(sets);
	return 0;
}

/* Without CAP_SETPCAP it stays as it is: no_new_privs keeps the thread from using it. */
static void empty_bounding_set(uint64_t keep)
{
	for (unsigned int number = 0; number < 64; number++)
		if (!capabilities_has_bit(keep, number) &&
		    prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0)
			return;
}

int capabilities_limit(uint64_t keep)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[SETS_OF_64_BITS] = {0};
	struct capability_sets sets;
	int r = capability_sets_read(&sets);

	if (r)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	empty_bounding_set(keep);
	keep &= sets.permitted;
	data[0].effective = data[0].permitted = (uint32_t)keep;
	data[1].effective = data[1].permitted = (uint32_t)(keep >> BITS);
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

bool capability_is_in(const struct capability *row, uint64_t set)
{
	return capabilities_has_bit(set, row->number) ||
	       (row->by_admin && capabilities_has_bit(set, CAP_SYS_ADMIN));
}

uint64_t capabilities_for(unsigned int use)
{
	bool is_old = capabilities_kernel_locks_maps();
	uint64_t set = 0;

	for (size_t i = 0; i < capabilities_count; i++)
		if ((capabilities[i].use & use) && (is_old || !capabilities[i].if_old))
			set |= CAPABILITY(capabilities[i].number);
	return set;
}

/* Those that a capture keeps only for something that its user asks for have no row. */
static const char *other_name(unsigned int number)
{
	static const char *const names[] = {
		[CAP_DAC_OVERRIDE] = "DAC_OVERRIDE",
		[CAP_KILL] = "KILL",
		[CAP_SYS_ADMIN] = "SYS_ADMIN",
	};

	return number < COUNT(names) ? names[number] : NULL;
}

void capabilities_append(uint64_t set, struct buf *out)
{
	const char *separator = "";

	if (!set)
		BUF_LITERAL(out, "none");
	for (size_t i = 0; i < capabilities_count; i++) {
		if (!capabilities_has_bit(set, capabilities[i].number))
			continue;
		buf_printf(out, "%s%s", separator, capabilities[i].name);
		set &= ~(CAPABILITY(capabilities[i].number));
		separator = ", ";
	}
	for (unsigned int number = 0; set; number++, set >>= 1) {
		if (!(set & 1))
			continue;
		buf_append_string(out, separator);
		if (other_name(number))
			buf_append_string(out, other_name(number));
		else
			buf_append_u64(out, number);
		separator = ", ";
	}
}
