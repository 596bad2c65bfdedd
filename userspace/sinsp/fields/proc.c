/* SPDX-License-Identifier: MIT */
/* proc.* and thread.*: the thread of the event and its process. Its relatives have their own file.
 */
#include "sinsp/fields/cut.h"
#include "sinsp/fields/thread_text.h"
#include "sinsp/fields/table.h"
#include "util/count.h"

enum { EXEC_ID_DIGITS = 16 };

static const struct state_thread *self(const struct state_event *event)
{
	return event->thread;
}

/* The main thread, or the thread itself if that is unknown. */
static const struct state_thread *main_thread(const struct state_event *event)
{
	const struct state_thread *leader;

	if (!event->thread || state_thread_is_main(event->thread))
		return event->thread;
	leader = state_thread_main(event->state, event->thread);
	return leader ? leader : event->thread;
}

static int proc_get_args(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread)
		return NO_VALUE;
	if (!ref->has_arg)
		return thread_give_args(event->thread, scratch, values);
	if (cut_of_args(event->thread->program))
		scratch->cut |= CUT_WHOLE;
	return thread_give_argument(event->thread, ref->index, scratch, values);
}

static int get_env(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread)
		return NO_VALUE;
	if (!ref->has_arg)
		return thread_give_env(event->thread, scratch, values);
	return thread_give_variable(event->thread, ref->name, scratch, values);
}

static int get_cmdnargs(const struct state_event *event, const struct field_ref *ref,
			struct field_scratch *scratch, struct field_value *values)
{
	uint64_t n = 0;

	if (!event->thread)
		return NO_VALUE;
	scratch->cut |= cut_of_args(event->thread->program);
	for (size_t i = 0; i < event->thread->program->args_len; i++)
		n += event->thread->program->args[i] == '\0';
	return field_give_u64(values, n);
}

static int get_cmdlenargs(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	int r = get_cmdnargs(event, ref, scratch, values);

	if (r == 1)
		values->u64 = event->thread->program->args_len - values->u64;
	return r;
}

static int get_cwd(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	if (!event->thread || event->thread->fs->cwd_len == 0)
		return NO_VALUE;
	scratch->cut |= cut_of_path(event->thread->fs->cwd, event->thread->fs->cwd_len);
	return field_give_bytes(values, event->thread->fs->cwd, event->thread->fs->cwd_len);
}

/* Known even if the thread is not. */
static int get_tid(const struct state_event *event, const struct field_ref *ref,
		   struct field_scratch *scratch, struct field_value *values)
{
	return field_give_i64(values, event->ev.tid);
}

static int get_nametid(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (!event->thread)
		return NO_VALUE;
	buf_append_string(&text, event->thread->comm);
	buf_append_i64(&text, event->thread->tid);
	return field_give_text(values, scratch, &text);
}

static int give_cgroups(const struct state_thread *thread, struct field_scratch *scratch,
			struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (!thread->cgroups->len)
		return NO_VALUE;
	thread_strings_append(&text, thread->cgroups->text, thread->cgroups->len);
	return field_give_text(values, scratch, &text);
}

static int get_cgroup(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread = event->thread;

	if (!thread ||
	    !thread_strings_find(thread->cgroups->text, thread->cgroups->len, ref->name, values))
		return NO_VALUE;
	return 1;
}

static const char *const capability_names[] = {
	"CAP_CHOWN",
	"CAP_DAC_OVERRIDE",
	"CAP_DAC_READ_SEARCH",
	"CAP_FOWNER",
	"CAP_FSETID",
	"CAP_KILL",
	"CAP_SETGID",
	"CAP_SETUID",
	"CAP_SETPCAP",
	"CAP_LINUX_IMMUTABLE",
	"CAP_NET_BIND_SERVICE",
	"CAP_NET_BROADCAST",
	"CAP_NET_ADMIN",
	"CAP_NET_RAW",
	"CAP_IPC_LOCK",
	"CAP_IPC_OWNER",
	"CAP_SYS_MODULE",
	"CAP_SYS_RAWIO",
	"CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE",
	"CAP_SYS_PACCT",
	"CAP_SYS_ADMIN",
	"CAP_SYS_BOOT",
	"CAP_SYS_NICE",
	"CAP_SYS_RESOURCE",
	"CAP_SYS_TIME",
	"CAP_SYS_TTY_CONFIG",
	"CAP_MKNOD",
	"CAP_LEASE",
	"CAP_AUDIT_WRITE",
	"CAP_AUDIT_CONTROL",
	"CAP_SETFCAP",
	"CAP_MAC_OVERRIDE",
	"CAP_MAC_ADMIN",
	"CAP_SYSLOG",
	"CAP_WAKE_ALARM",
	"CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ",
	"CAP_PERFMON",
	"CAP_BPF",
	"CAP_CHECKPOINT_RESTORE",
};

static int give_capabilities(uint64_t set, struct field_scratch *scratch,
			     struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	for (size_t i = 0; i < COUNT(capability_names); i++) {
		if (!(set >> i & 1))
			continue;
		if (text.len)
			buf_append_char(&text, ' ');
		buf_append_string(&text, capability_names[i]);
	}
	return field_give_text(values, scratch, &text);
}

static uint64_t share_of_limit(const struct state_thread *thread, double *percent)
{
	uint32_t open = state_fds_count(thread->fds);

	*percent = thread->fd_limit > 0 ? open * 100.0 / (double)thread->fd_limit : 0;
	return open;
}

static int give_fdopencount(const struct state_thread *thread, struct field_scratch *scratch,
			    struct field_value *values)
{
	double percent;

	return field_give_u64(values, share_of_limit(thread, &percent));
}

static int give_fdusage(const struct state_thread *thread, struct field_scratch *scratch,
			struct field_value *values)
{
	share_of_limit(thread, &values->f64);
	return 1;
}

static int proc_get_duration(const struct state_event *event, const struct field_ref *ref,
			     struct field_scratch *scratch, struct field_value *values)
{
	const struct state_thread *thread = event->thread;

	if (!thread || thread->clone_ts_ns == 0 || thread->clone_ts_ns > event->ev.ts_ns)
		return NO_VALUE;
	return field_give_u64(values, event->ev.ts_ns - thread->clone_ts_ns);
}

/* The time between two moments; no value unless the first is known and earlier. */
static int give_span(uint64_t from, uint64_t to, struct field_value *values)
{
	return from && from <= to ? field_give_nonzero(values, to - from) : NO_VALUE;
}

static int give_changed_before_start(const struct state_event *event,
				     const struct state_thread *thread, struct field_value *values)
{
	return give_span(thread->program->exe_ctime_ns, state_wall_ns(event, thread->clone_ts_ns),
			 values);
}

static int give_changed_in_container(const struct state_event *event,
				     const struct state_thread *thread, struct field_value *values)
{
	return give_span(state_wall_ns(event, thread->pidns_start_ns),
			 thread->program->exe_ctime_ns, values);
}

/* A hash: numbers that differ in one bit differ in about half of the result's bits. */
static uint64_t scatter(uint64_t number)
{
	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return number ^ number >> 31;
}

/* A hash of boot, process and program; only of data that every observer has. */
static int give_exec_id(const struct state_event *event, const struct state_thread *thread,
			struct field_scratch *scratch, struct field_value *values)
{
	struct buf text = field_text_begin(scratch);

	if (!thread->exec_id)
		return NO_VALUE;
	buf_append_hex(&text,
		       scatter(state_boot(event->state) ^
			       scatter(thread->exec_id ^ scatter((uint64_t)thread->pid))),
		       EXEC_ID_DIGITS);
	return field_give_text(values, scratch, &text);
}

static const struct state_fd *standard_fd(const struct state_event *event, int64_t num)
{
	return event->thread ? state_fds_find(event->thread->fds, num) : NULL;
}

/* Without the thread that the event ends. */
static uint32_t live_threads(const struct state_event *event, const struct state_thread *main)
{
	return main->nthreads - (main->nthreads && event->thread->exiting);
}

static uint32_t live_others(const struct state_event *event, const struct state_thread *main)
{
	uint32_t live = live_threads(event, main);

	return live - (live && !main->exiting);
}

/* Unknown ids are both -1. */
static bool is_leader(int64_t group, int64_t id)
{
	return group == id && id > 0;
}

/*
 * Defines a getter: the thread, and an expression for its value (with `thread`, `scratch` and
 * `values`).
 */
#define GETTER(name, whose, give)                                                                  \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		const struct state_thread *thread = whose(event);                                  \
                                                                                                   \
		return thread ? give : NO_VALUE;                                                   \
	}

static int give_fd_name(const struct state_fd *fd, struct field_scratch *scratch,
			struct field_value *values)
{
	if (!fd)
		return NO_VALUE;
	scratch->cut |= cut_of_path(fd->name, fd->name_len);
	return field_give_bytes(values, fd->name, fd->name_len);
}

#define STANDARD_FD_GETTERS(what, num)                                                             \
	static int get_##what##_type(const struct state_event *event, const struct field_ref *ref, \
				     struct field_scratch *scratch, struct field_value *values)    \
	{                                                                                          \
		const struct state_fd *fd = standard_fd(event, num);                               \
                                                                                                   \
		return fd ? field_give_string(values, state_fd_type_name(fd->type)) : NO_VALUE;    \
	}                                                                                          \
	static int get_##what##_name(const struct state_event *event, const struct field_ref *ref, \
				     struct field_scratch *scratch, struct field_value *values)    \
	{                                                                                          \
		return give_fd_name(standard_fd(event, num), scratch, values);                     \
	}

/* Kernel threads have none. */
static bool exepath_is_known(const struct state_event *event)
{
	return thread_event_is_known(event) && event->thread->program->exepath[0];
}

GETTER(get_exe, self, thread_give_exe(thread, scratch, values))
GETTER(get_exepath, self, thread_give_exepath(thread, scratch, values))
GETTER(get_name, self, thread_give_name(thread, scratch, values))
GETTER(get_cmdline, self, thread_give_cmdline(thread, scratch, values))
GETTER(get_exeline, self, thread_give_exeline(thread, scratch, values))
GETTER(get_tty, self, field_give_u64(values, thread->tty))
GETTER(get_pid, self, thread->pid < 0 ? NO_VALUE : field_give_i64(values, thread->pid))
GETTER(get_vpid, self, thread->vpid == -1 ? NO_VALUE : field_give_i64(values, thread->vpid))
GETTER(get_vtid, self, thread->vtid == -1 ? NO_VALUE : field_give_i64(values, thread->vtid))
GETTER(get_sid, self, field_give_i64(values, thread->sid))
GETTER(get_vpgid, self, field_give_i64(values, thread->vpgid))
GETTER(get_pgid, self, field_give_i64(values, thread->pgid))
GETTER(get_is_sid_leader, self, field_give_u64(values, is_leader(thread->sid, thread->vpid)))
GETTER(get_is_vpgid_leader, self, field_give_u64(values, is_leader(thread->vpgid, thread->vpid)))
GETTER(get_is_pgid_leader, self, field_give_u64(values, is_leader(thread->pgid, thread->pid)))
GETTER(get_start, main_thread,
       field_give_nonzero(values, state_wall_ns(event, thread->clone_ts_ns)))
GETTER(get_is_exe_writable, self,
       field_give_u64(values, (thread->program->flags & execve_flags__EXE_WRITABLE) != 0))
GETTER(get_is_exe_upper_layer, self,
       field_give_u64(values, (thread->program->flags & execve_flags__EXE_UPPER_LAYER) != 0))
GETTER(get_is_exe_lower_layer, self,
       field_give_u64(values, (thread->program->flags & execve_flags__EXE_LOWER_LAYER) != 0))
GETTER(get_is_exe_from_memfd, self,
       field_give_u64(values, (thread->program->flags & execve_flags__EXE_FROM_MEMFD) != 0))
GETTER(get_exe_ino, self, field_give_nonzero(values, thread->program->exe_ino))
GETTER(get_exe_ctime, self, field_give_nonzero(values, thread->program->exe_ctime_ns))
GETTER(get_exe_mtime, self, field_give_nonzero(values, thread->program->exe_mtime_ns))
GETTER(get_changed_before_start, self, give_changed_before_start(event, thread, values))
GETTER(get_changed_in_container, self, give_changed_in_container(event, thread, values))
GETTER(get_pidns_start, self,
       field_give_nonzero(values, state_wall_ns(event, thread->pidns_start_ns)))
GETTER(get_cap_permitted, self, give_capabilities(thread->caps_permitted, scratch, values))
GETTER(get_cap_inheritable, self, give_capabilities(thread->caps_inheritable, scratch, values))
GETTER(get_cap_effective, self, give_capabilities(thread->caps_effective, scratch, values))
GETTER(get_exec_id, main_thread, give_exec_id(event, thread, scratch, values))
GETTER(get_fdopencount, main_thread, give_fdopencount(thread, scratch, values))
GETTER(get_fdlimit, main_thread, field_give_i64(values, thread->fd_limit))
GETTER(get_fdusage, main_thread, give_fdusage(thread, scratch, values))
GETTER(get_vmsize, main_thread, field_give_u64(values, thread->vm_size_kib))
GETTER(get_vmrss, main_thread, field_give_u64(values, thread->vm_rss_kib))
GETTER(get_vmswap, main_thread, field_give_u64(values, thread->vm_swap_kib))
GETTER(get_pfmajor, self, field_give_u64(values, thread->faults_major))
GETTER(get_pfminor, self, field_give_u64(values, thread->faults_minor))
GETTER(get_ismain, self, field_give_u64(values, state_thread_is_main(thread)))
GETTER(get_cgroups, self, give_cgroups(thread, scratch, values))
GETTER(get_nthreads, main_thread, field_give_u64(values, live_threads(event, thread)))
GETTER(get_nchilds, main_thread, field_give_u64(values, live_others(event, thread)))
/* Memory is counted once for a process, by its main thread. */
GETTER(get_thread_vmsize, self,
       field_give_u64(values, state_thread_is_main(thread) ? thread->vm_size_kib : 0))
GETTER(get_thread_vmrss, self,
       field_give_u64(values, state_thread_is_main(thread) ? thread->vm_rss_kib : 0))
GETTER(get_thread_vmsize_b, self,
       field_give_u64(values,
		      state_thread_is_main(thread) ? UINT64_C(1024) * thread->vm_size_kib : 0))
GETTER(get_thread_vmrss_b, self,
       field_give_u64(values,
		      state_thread_is_main(thread) ? UINT64_C(1024) * thread->vm_rss_kib : 0))
STANDARD_FD_GETTERS(stdin, 0)
STANDARD_FD_GETTERS(stdout, 1)
STANDARD_FD_GETTERS(stderr, 2)

#define ROW_OF(what, flags, name, type, format, needs, getter, help...)                            \
	{                                                                                          \
		name, PT_##type, PF_##format, flags, FIELD_ARG_NONE, NEEDS_THREADS | (needs),      \
			getter, help, .colour = FIELD_COLOUR_##what                                \
	}
#define ROW(args...) ROW_OF(PROCESS, 0, args)
/* Of what the key has, and what the threads of a process have in common. */
#define KEY_ROW(args...) ROW_OF(PROCESS, FIELD_OF_THREAD | FIELD_OF_PROCESS, args)
#define THREAD_ROW(args...) ROW_OF(ID, 0, args)

const struct field_desc fields_proc[] = {
	KEY_ROW("proc.exe", CHARBUF, NA, 0, get_exe, "first word of the command line",
		.example = "=python3"),
	KEY_ROW("proc.exepath", CHARBUF, NA, 0, get_exepath, "path of the executable",
		.example = " startswith /tmp/", .is_known = exepath_is_known),
	KEY_ROW("proc.name", CHARBUF, NA, 0, get_name, "name of the thread, at most 15 bytes",
		.example = "=cat", .fact = FIELD_FACT_NAME),
	{"proc.args", PT_CHARBUF, PF_NA, FIELD_ARG_ALLOWED | FIELD_OF_THREAD | FIELD_OF_PROCESS,
	 FIELD_ARG_INDEX, NEEDS_THREADS, proc_get_args,
	 "arguments of the command line; proc.args[N]: one of them, 0 is the first",
	 .example = "[0]=-l", .colour = FIELD_COLOUR_PROCESS},
	KEY_ROW("proc.cmdline", CHARBUF, NA, 0, get_cmdline, "proc.name and the arguments",
		.example = " contains --verbose"),
	KEY_ROW("proc.cmdnargs", UINT64, DEC, 0, get_cmdnargs, "number of arguments",
		.example = ">10"),
	KEY_ROW("proc.cmdlenargs", UINT64, DEC, 0, get_cmdlenargs, "bytes of all arguments",
		.unit = FIELD_UNIT_BYTES, .example = ">4096"),
	KEY_ROW("proc.exeline", CHARBUF, NA, 0, get_exeline, "proc.exe and the arguments",
		.example = " contains --verbose"),
	{"proc.env", PT_CHARBUF, PF_NA, FIELD_ARG_ALLOWED | FIELD_OF_THREAD | FIELD_OF_PROCESS,
	 FIELD_ARG_KEY, NEEDS_THREADS | NEEDS_ENVIRONMENT, get_env,
	 "environment of the process; proc.env[NAME]: value of one variable",
	 .example = "[LD_PRELOAD]!=\"\"", .colour = FIELD_COLOUR_PROCESS},
	ROW("proc.cwd", CHARBUF, NA, NEEDS_CWD, get_cwd,
	    "current directory of the process, with a final '/'", .example = " startswith /tmp/"),
	ROW("proc.tty", UINT32, ID, 0, get_tty, "device number of the terminal, 0 without one",
	    .example = "!=0"),
	KEY_ROW("proc.pid", INT64, ID, 0, get_pid, "id of the process", .example = "=1",
		.fact = FIELD_FACT_PID),
	ROW("proc.vpid", INT64, ID, 0, get_vpid, "id of the process in its own pid namespace",
	    .example = "=1"),
	ROW("proc.sid", INT64, ID, 0, get_sid, "id of the session", .example = "=1"),
	ROW("proc.vpgid", INT64, ID, 0, get_vpgid, "id of the process group in its pid namespace",
	    .example = "=1"),
	ROW("proc.pgid", INT64, ID, 0, get_pgid, "id of the process group", .example = "=1"),
	ROW("proc.duration", RELTIME, DEC, 0, proc_get_duration, "ns since the process began"),
	ROW("proc.pid.ts", RELTIME, DEC, 0, get_start, "when the process began, ns since 1970",
	    .moment = true),
	KEY_ROW("proc.is_exe_writable", BOOL, NA, 0, get_is_exe_writable,
		"true if the user of the process may write to its executable"),
	KEY_ROW("proc.is_exe_upper_layer", BOOL, NA, 0, get_is_exe_upper_layer,
		"true if the executable lies in the upper layer of an overlay"),
	KEY_ROW("proc.is_exe_lower_layer", BOOL, NA, 0, get_is_exe_lower_layer,
		"true if the executable lies in a lower layer of an overlay"),
	KEY_ROW("proc.is_exe_from_memfd", BOOL, NA, 0, get_is_exe_from_memfd,
		"true if the executable is a memfd"),
	ROW("proc.is_sid_leader", BOOL, NA, 0, get_is_sid_leader,
	    "true if the process leads its session"),
	ROW("proc.is_vpgid_leader", BOOL, NA, 0, get_is_vpgid_leader,
	    "true if the process leads its process group, by the ids of its pid namespace"),
	ROW("proc.is_pgid_leader", BOOL, NA, 0, get_is_pgid_leader,
	    "true if the process leads its process group"),
	ROW("proc.exec_id", CHARBUF, NA, 0, get_exec_id,
	    "16 hexadecimal digits that are others for each process and each program it runs",
	    .example = "=18F3A2B4C5D6E7F8"),
	KEY_ROW("proc.exe_ino", INT64, DEC, 0, get_exe_ino, "inode of the executable",
		.example = "=1234"),
	KEY_ROW("proc.exe_ino.ctime", ABSTIME, DEC, 0, get_exe_ctime,
		"when the inode of the executable was changed, ns since 1970", .moment = true),
	KEY_ROW("proc.exe_ino.mtime", ABSTIME, DEC, 0, get_exe_mtime,
		"when the executable was modified, ns since 1970", .moment = true),
	ROW("proc.exe_ino.ctime_duration_proc_start", ABSTIME, DEC, 0, get_changed_before_start,
	    "ns from proc.exe_ino.ctime to the start of the process"),
	ROW("proc.exe_ino.ctime_duration_pidns_start", ABSTIME, DEC, 0, get_changed_in_container,
	    "ns from the start of the pid namespace to proc.exe_ino.ctime"),
	ROW("proc.pidns_init_start_ts", UINT64, DEC, 0, get_pidns_start,
	    "when the pid namespace began, ns since 1970", .moment = true),
	THREAD_ROW("thread.cap_permitted", CHARBUF, NA, 0, get_cap_permitted,
		   "permitted capabilities of the thread", .example = " contains CAP_SYS_ADMIN"),
	THREAD_ROW("thread.cap_inheritable", CHARBUF, NA, 0, get_cap_inheritable,
		   "inheritable capabilities of the thread", .example = " contains CAP_NET_RAW"),
	THREAD_ROW("thread.cap_effective", CHARBUF, NA, 0, get_cap_effective,
		   "effective capabilities of the thread", .example = " contains CAP_SYS_ADMIN"),
	ROW("proc.fdopencount", UINT64, DEC, NEEDS_FDS, get_fdopencount,
	    "number of open descriptors", .example = ">1000"),
	ROW("proc.fdlimit", INT64, DEC, 0, get_fdlimit,
	    "most descriptors that the process may have, -1 if unknown", .example = "<1024"),
	ROW("proc.fdusage", DOUBLE, NA, NEEDS_FDS, get_fdusage, "percentage of proc.fdlimit in use",
	    .example = ">90"),
	ROW("proc.vmsize", UINT64, DEC, 0, get_vmsize, "virtual memory of the process, KiB",
	    .unit = FIELD_UNIT_KIB, .example = ">1GiB"),
	ROW("proc.vmrss", UINT64, DEC, 0, get_vmrss, "resident memory of the process, KiB",
	    .unit = FIELD_UNIT_KIB, .example = ">1GiB"),
	ROW("proc.vmswap", UINT64, DEC, 0, get_vmswap, "swapped memory of the process, KiB",
	    .unit = FIELD_UNIT_KIB, .example = ">0"),
	THREAD_ROW("thread.pfmajor", UINT64, DEC, 0, get_pfmajor,
		   "page faults of the thread that had to read from a disk", .example = ">0"),
	THREAD_ROW("thread.pfminor", UINT64, DEC, 0, get_pfminor,
		   "page faults of the thread that had not", .example = ">10000"),
	{"thread.tid", PT_INT64, PF_ID, FIELD_OF_THREAD, FIELD_ARG_NONE, 0, get_tid,
	 "id of the thread", .example = "=1", .colour = FIELD_COLOUR_ID, .fact = FIELD_FACT_TID},
	THREAD_ROW("thread.ismain", BOOL, NA, 0, get_ismain,
		   "true for the main thread of a process"),
	THREAD_ROW("thread.vtid", INT64, ID, 0, get_vtid,
		   "id of the thread in its own pid namespace", .example = "=1"),
	THREAD_ROW("thread.nametid", CHARBUF, NA, 0, get_nametid,
		   "proc.name and thread.tid in one word", .example = "=systemd1"),
	{"thread.cgroups", PT_CHARBUF, PF_NA, 0, FIELD_ARG_NONE, NEEDS_CONTAINERS, get_cgroups,
	 "control groups of the thread, each as controller=path", .example = " contains docker",
	 .colour = FIELD_COLOUR_ID},
	{"thread.cgroup", PT_CHARBUF, PF_NA, FIELD_ARG_REQUIRED, FIELD_ARG_WORD, NEEDS_CONTAINERS,
	 get_cgroup, "thread.cgroup.NAME: path of the control group of one controller",
	 .example = ".memory contains docker", .colour = FIELD_COLOUR_ID},
	ROW("proc.nthreads", UINT64, DEC, 0, get_nthreads, "live threads of the process",
	    .example = ">100"),
	ROW("proc.nchilds", UINT64, DEC, 0, get_nchilds, "live threads besides the main one",
	    .example = "=0"),
	THREAD_ROW("thread.vmsize", UINT64, DEC, 0, get_thread_vmsize,
		   "proc.vmsize for main threads, 0 for others", .unit = FIELD_UNIT_KIB,
		   .example = ">1GiB"),
	THREAD_ROW("thread.vmrss", UINT64, DEC, 0, get_thread_vmrss,
		   "proc.vmrss for main threads, 0 for others", .unit = FIELD_UNIT_KIB,
		   .example = ">1GiB"),
	THREAD_ROW("thread.vmsize.b", UINT64, DEC, 0, get_thread_vmsize_b, "thread.vmsize in bytes",
		   .unit = FIELD_UNIT_BYTES, .example = ">1GiB"),
	THREAD_ROW("thread.vmrss.b", UINT64, DEC, 0, get_thread_vmrss_b, "thread.vmrss in bytes",
		   .unit = FIELD_UNIT_BYTES, .example = ">1GiB"),
	ROW("proc.stdin.type", CHARBUF, NA, NEEDS_FDS, get_stdin_type,
	    "kind of descriptor 0, as fd.type", .example = "=ipv4", .words = &fd_type_words),
	ROW("proc.stdout.type", CHARBUF, NA, NEEDS_FDS, get_stdout_type,
	    "kind of descriptor 1, as fd.type", .example = "=ipv4", .words = &fd_type_words),
	ROW("proc.stderr.type", CHARBUF, NA, NEEDS_FDS, get_stderr_type,
	    "kind of descriptor 2, as fd.type", .example = "=file", .words = &fd_type_words),
	ROW("proc.stdin.name", CHARBUF, NA, NEEDS_FDS | NEEDS_CWD, get_stdin_name,
	    "name of descriptor 0, as fd.name", .example = "=/dev/null"),
	ROW("proc.stdout.name", CHARBUF, NA, NEEDS_FDS | NEEDS_CWD, get_stdout_name,
	    "name of descriptor 1, as fd.name", .example = " startswith /var/log/"),
	ROW("proc.stderr.name", CHARBUF, NA, NEEDS_FDS | NEEDS_CWD, get_stderr_name,
	    "name of descriptor 2, as fd.name", .example = "=/dev/null"),
	{0},
};
