/* SPDX-License-Identifier: MIT */
/* The command doctor: the table of checks, and the report. */
#include "agent/commands/doctor.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/commands/commands.h"
#include "agent/commands/list.h"
#include "privileges/capabilities.h"
#include "sinsp/sinsp.h"
#include "util/terminal.h"

/* The table of checks, from the kernel to what is around a capture. */

#define RIGHTS_ADVICE                                                                              \
	"run as root, or give the container or service BPF, PERFMON, NET_ADMIN, IPC_LOCK, "        \
	"SYS_PTRACE and "                                                                          \
	"DAC_READ_SEARCH (privileges.md); before Linux 5.8: SYS_ADMIN"

const struct doctor_check doctor_checks[] = {
	{"kernel", "version and architecture", doctor_kernel,
	 "older kernels lack helpers that the programs use",
	 "use Linux 5.10 or newer, on arm64 5.18 (kernels.md)"},
	{"btf", "types of the kernel, for which programs are adapted", doctor_btf, "live captures",
	 "use a kernel with CONFIG_DEBUG_INFO_BTF; in a container, mount /sys"},
	{"lockdown", "what the kernel forbids even to root", doctor_lockdown,
	 "with confidentiality, live captures: programs may not read the kernel's memory",
	 "start the kernel with lockdown=integrity or without lockdown; secure boot may set it"},
	{"user_namespace", "whether capabilities count", doctor_user_namespace, "live captures",
	 "run in the user namespace of the host: not rootless, hostUsers: true, no userns-remap"},
	{"capabilities", "those that are effective", doctor_capabilities,
	 "without BPF and PERFMON live captures; without SYS_PTRACE and DAC_READ_SEARCH names, "
	 "paths and descriptors of processes that ran before; without IPC_LOCK large ring buffers; "
	 "without NET_ADMIN destinations of datagrams are the sender's word",
	 RIGHTS_ADVICE},
	{"bounding_set", "capabilities that can be gained", doctor_bounding, NULL, NULL},
	{"seccomp", "a filter of system calls", doctor_seccomp, "live captures",
	 "allow bpf and perf_event_open: seccompProfile Unconfined, SystemCallFilter=, or a newer "
	 "container runtime, which allows them with the capabilities"},
	{"lsm", "the profile of AppArmor or SELinux", doctor_lsm,
	 "a profile may forbid to read other processes; see processes",
	 "run unconfined (appArmorProfile: Unconfined, spc_t), or with a profile that allows "
	 "ptrace (read)"},
	{"perf_event_paranoid", "kernel.perf_event_paranoid", doctor_paranoid, "live captures",
	 "add CAP_SYS_ADMIN, or: sysctl kernel.perf_event_paranoid=2"},
	{"unprivileged_bpf", "kernel.unprivileged_bpf_disabled", doctor_unprivileged_bpf, NULL,
	 NULL},
	{"kptr_restrict", "kernel.kptr_restrict", doctor_kptr, NULL, NULL},
	{"bpf_stats", "kernel.bpf_stats_enabled", doctor_bpf_stats, NULL, NULL},
	{"memlock", "the limit of locked memory", doctor_memlock,
	 "maps of BPF programs, which count before Linux 5.11",
	 "ulimit -l unlimited, LimitMEMLOCK=infinity, or add CAP_SYS_RESOURCE"},
	{"tracing", "a program at a raw tracepoint", doctor_tracing, "live captures",
	 RIGHTS_ADVICE},
	{"kernel_reads", "a program that reads memory of the kernel", doctor_kernel_reads,
	 "live captures", "see lockdown and capabilities"},
	{"tracepoint", "a program at a classic tracepoint", doctor_tracepoints,
	 "evt.latency, and arguments that change during a call that fails are not marked",
	 RIGHTS_ADVICE},
	{"tracefs", "numbers of tracepoints", doctor_tracefs,
	 "evt.latency from Linux 7.0; arguments that change during a call that fails are not "
	 "marked",
	 "mount -t tracefs tracefs /sys/kernel/tracing, and in a container bind it; or add "
	 "CAP_SYS_ADMIN"},
	{"root_group", "the root of the control groups, version 2", doctor_root_group,
	 "destinations of datagrams are what the sender's memory has after the call",
	 "mount the control groups of the machine on /sys/fs/cgroup; add CAP_NET_ADMIN"},
	{"rings", "ring buffers of all CPUs", doctor_rings, "live captures",
	 "a smaller --buffer-size, CAP_IPC_LOCK, or more kernel.perf_event_mlock_kb"},
	{"programs", "the agent's programs of all events", doctor_programs,
	 "events of programs that are rejected", "-v of a capture prints why; report it"},
	{"capture", "a capture of one call, the whole way", doctor_capture, "live captures",
	 "see the checks above"},
	{"counters", "counters of the CPUs, for perf events of hardware", doctor_counters, NULL,
	 NULL},
	{"breakpoints", "those of the CPUs that nobody has", doctor_breakpoints,
	 "perf events mem:ADDRESS", "end debuggers that watch memory; add CAP_PERFMON"},
	{"sampling", "what the kernel allows samples of perf events to take", doctor_sampling, NULL,
	 NULL},
	{"perf_events", "who else has perf events open, or traces processes", doctor_perf_users,
	 "who takes counters and breakpoints is not known",
	 "add CAP_SYS_PTRACE; use the pid namespace of the host, or mount its /proc and name it "
	 "(--host-root); /proc without hidepid",
	 "use the pid namespace of the host, or mount its /proc and name it (--host-root); /proc "
	 "without hidepid"},
	{"proc", "whether /proc is that of the host", doctor_host,
	 "processes that ran before, and what events do not carry",
	 "use the pid namespace of the host (hostPID, --pid=host), or mount its /proc and name it "
	 "(--host-root)"},
	{"processes", "whether all processes can be read", doctor_processes,
	 "programs, directories, descriptors or environments of processes that ran before",
	 "add CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH; no AppArmor profile; /proc without hidepid",
	 "no AppArmor profile; /proc without hidepid"},
	{"tls", "processes whose plaintext under TLS cannot be had", doctor_tls,
	 "requests under TLS (--tls) of these processes",
	 "use programs with symbols, or with shared libraries of OpenSSL or GnuTLS"},
	{"namespaces", "whether those of the host are known", doctor_namespaces,
	 "container.host_pid, host_network and host_ipc of containers that join namespaces, as "
	 "those "
	 "of pods, unless a runtime says it: they have no value",
	 "add CAP_SYS_PTRACE; use the pid namespace of the host, or mount its /proc and name it "
	 "(--host-root); /proc without hidepid",
	 "use the pid namespace of the host, or mount its /proc and name it (--host-root); /proc "
	 "without hidepid"},
	{"connections", "the kernel's tables of connections, by which it translates addresses",
	 doctor_connections,
	 "request.peer.real.*, and pods behind Services of Kubernetes in request.peer.k8s.*",
	 "add CAP_NET_ADMIN; for other network namespaces CAP_SYS_ADMIN and CAP_SYS_PTRACE, too"},
	{"cgroups", "control groups, by which containers are known", doctor_cgroups,
	 "containers of processes", "mount /proc; use a kernel with CONFIG_CGROUPS"},
	{"runtimes", "sockets of container runtimes", doctor_runtimes,
	 "descriptions of containers that their files do not have",
	 "run as root, mount the socket, or name another one (--runtime-socket; containers.md)"},
	{"kubernetes", "who is asked for pods", doctor_kubernetes, "labels and owners of pods",
	 "see kubernetes.md"},
	{"landlock", "the kernel's filter of paths", doctor_landlock,
	 "files are not limited when privileges are dropped",
	 "use a kernel with CONFIG_SECURITY_LANDLOCK and landlock among lsm= (Linux 5.13)"},
	{"descriptors", "the limit of open files", doctor_descriptors,
	 "some programs or connections", "ulimit -n 4096, or LimitNOFILE="},
	{"memory", "the limit of the control group", doctor_memory,
	 "the agent may be killed when memory runs out",
	 "raise the limit (MemoryMax=, limits.memory)"},
	{"clock", "its source, and whether it is synchronized", doctor_clock,
	 "times differ from those of other machines, or each event costs more",
	 "run chrony or systemd-timesyncd; use the clock source tsc, kvm-clock or "
	 "arch_sys_counter"},
	{"disk", "space for a spool", doctor_disk, "a spool for the time that an output is away",
	 "free 1 GiB, or use another folder (spool=DIR)"},
	{NULL},
};

const char *doctor_status_name(enum doctor_status status)
{
	static const char *const names[DOCTOR_STATUSES] = {
		[DOCTOR_OK] = "ok", [DOCTOR_LIMITED] = "limited", [DOCTOR_MISSING] = "missing"};

	return names[status];
}

/* Runs the checks of agent/doctor and prints them as text, JSON or Markdown. */

enum { FOLD = 3 };

static const char *const titles[] = {"CHECK", "STATUS", "FOUND", "AFFECTED", "ADVICE", NULL};

/* What is wrong is explained; with -v also what would be affected otherwise. */
static bool is_explained(const struct list *list, enum doctor_status status)
{
	return status != DOCTOR_OK || list->verbose;
}

/* A capability that is there is no advice. */
static const char *advice_of(const struct doctor_check *check)
{
	uint64_t uses = capabilities_for(USED_TO_READ | USED_FOR_PROCESSES);
	struct capability_sets sets;

	if (check->with_rights && capability_sets_read(&sets) == 0 &&
	    (sets.effective & uses) == uses)
		return check->with_rights;
	return check->advice;
}

static void doctor_add_row(struct list *list, const struct doctor_check *check,
			   enum doctor_status status, const char *found)
{
	bool explained = is_explained(list, status);

	list_add_cell(list, check->name);
	list_add_cell(list, doctor_status_name(status));
	list_add_cell(list, found);
	list_add_cell(list, explained && check->cost ? check->cost : "");
	list_add_cell(list, explained && check->advice ? advice_of(check) : "");
}

static void doctor_add_object(struct list *list, const struct doctor_check *check,
			      enum doctor_status status, const char *found)
{
	list_add_object(list);
	list_add_string(list, "name", check->name);
	list_add_string(list, "status", doctor_status_name(status));
	list_add_string(list, "checks", check->what);
	list_add_string(list, "found", found);
	list_add_string(list, "affected", check->cost);
	list_add_string(list, "advice", advice_of(check));
	BUF_LITERAL(&list->json, "}\n");
}

static enum doctor_status doctor_add(struct list *list, const struct doctor *doctor,
				     const struct doctor_check *check)
{
	struct buf found = {0};
	enum doctor_status status = check->run(doctor, &found);

	/* Messages have lines, and what they quote may be anything. */
	if (found.len)
		terminal_mask(found.data, found.len);
	buf_append_char(&found, '\0');
	if (list->format->objects)
		doctor_add_object(list, check, status, found.failed ? "" : found.data);
	else
		doctor_add_row(list, check, status, found.failed ? "" : found.data);
	list->json.failed |= found.failed;
	buf_finish(&found);
	return status;
}

/* In few words, for people. */
static void print_verdict(const unsigned int counts[DOCTOR_STATUSES])
{
	if (counts[DOCTOR_MISSING])
		printf("\nCaptures do not work, or lack events: %u missing, %u limited, %u ok.\n",
		       counts[DOCTOR_MISSING], counts[DOCTOR_LIMITED], counts[DOCTOR_OK]);
	else if (counts[DOCTOR_LIMITED])
		printf("\nCaptures work: %u limited, %u ok.\n", counts[DOCTOR_LIMITED],
		       counts[DOCTOR_OK]);
	else
		printf("\nEverything works: %u ok.\n", counts[DOCTOR_OK]);
}

int doctor_run(const struct options *options)
{
	const struct doctor doctor = {.options = options, .root = ""};
	unsigned int counts[DOCTOR_STATUSES] = {0};
	struct list list;
	bool for_people;
	int exit_code;

	list_init(&list, options, titles, FOLD);
	for_people = list.format == &format_text.lists;
	for (const struct doctor_check *check = doctor_checks; check->name; check++) {
		if (!list_matches(&list, check->name) &&
		    !(list.verbose && list_matches(&list, check->what))) {
			nearest_offer(&list.nearest, check->name);
			continue;
		}
		list.found++;
		counts[doctor_add(&list, &doctor, check)]++;
	}
	exit_code = list_print(&list, "checks");
	if (exit_code == EXIT_SUCCESS && !options->operand && for_people)
		print_verdict(counts);
	return counts[DOCTOR_MISSING] ? EXIT_FAILURE : exit_code;
}
