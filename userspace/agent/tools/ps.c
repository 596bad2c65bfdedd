/* SPDX-License-Identifier: MIT */
/* The command ps: processes, with the options and columns of ps(1), and their containers. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/tools/run.h"
#include "agent/tools/machine.h"
#include "output/redact/redact.h"
#include "scap/proc/text.h"
#include "util/clock.h"
#include "util/count.h"

enum { STAT_BYTES = 4096, NO_TERMINAL = -1 };

/* What /proc/PID/stat has beside what a thread has. */
struct ps_stat {
	char name[64]; /* of kernel threads it is longer than that of a thread */
	char state;
	int64_t foreground, nice, threads;
	uint64_t user_ticks, system_ticks, start_ticks;
};

struct ps_options {
	bool all, with_terminal, of_all_users; /* which; none of them: those of this terminal */
	bool threads, no_redact, no_head, help;
	char *pids, *users, *names, *columns; /* lists; NULL: not chosen by that */
	const struct output_format *format;
};

struct ps {
	const struct ps_options *options;
	struct machine_listing machine;
	struct redact *redact; /* NULL: arguments are shown as they are */
	struct buf text; /* of a file, of arguments */
	uint64_t now_ns;
	uint32_t own_tty, own_uid;
	const char *pids[MACHINE_LIST_MAX], *users[MACHINE_LIST_MAX], *names[MACHINE_LIST_MAX];
	size_t pids_count, users_count, names_count;
	uint64_t memory_kib;
};

struct ps_task {
	struct ps *ps;
	const struct scap_thread *thread;
	struct ps_stat stat;
};

typedef void ps_print(const struct ps_task *task, struct machine_table *table);

static double ps_seconds(const struct ps_task *task)
{
	uint64_t start = task->thread->start_ns;

	return start && task->ps->now_ns > start ? (double)(task->ps->now_ns - start) / 1e9 : 0;
}

static uint64_t ps_cpu_seconds(const struct ps_task *task)
{
	return (task->stat.user_ticks + task->stat.system_ticks) / task->ps->machine.hertz;
}

/* Of the time since it began. */
static double ps_cpu_percent(const struct ps_task *task)
{
	double seconds = ps_seconds(task);
	double used =
		(double)(task->stat.user_ticks + task->stat.system_ticks) / task->ps->machine.hertz;

	return seconds > 0 ? 100 * used / seconds : 0;
}

static void ps_append_user(const struct ps_task *task, struct machine_table *table)
{
	char memory[16];

	machine_cell(table, machine_user(&task->ps->machine, task->thread->uid, memory));
}

static void ps_append_uid(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, task->thread->uid);
}

static void ps_append_pid(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, (uint64_t)task->thread->pid);
}

static void ps_append_ppid(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, (uint64_t)task->thread->ptid);
}

static void ps_append_tid(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, (uint64_t)task->thread->tid);
}

static void ps_append_pgid(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, (uint64_t)task->thread->pgid);
}

static void ps_append_sid(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, (uint64_t)task->thread->sid);
}

static void ps_append_threads(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, (uint64_t)task->stat.threads);
}

static void ps_append_nice(const struct ps_task *task, struct machine_table *table)
{
	buf_append_i64(&table->cells, task->stat.nice);
	machine_end_cell(table);
}

static void ps_append_c(const struct ps_task *task, struct machine_table *table)
{
	double percent = ps_cpu_percent(task);

	machine_cell_u64(table, percent > 99 ? 99 : (uint64_t)percent);
}

static void ps_append_cpu(const struct ps_task *task, struct machine_table *table)
{
	buf_printf(&table->cells, "%.1f", ps_cpu_percent(task));
	machine_end_cell(table);
}

static void ps_append_memory(const struct ps_task *task, struct machine_table *table)
{
	uint64_t all = task->ps->memory_kib;

	/* As ps does, not rounded. */
	buf_printf(&table->cells, "%.1f",
		   all ? (double)(1000 * (uint64_t)task->thread->vm_rss_kib / all) / 10 : 0);
	machine_end_cell(table);
}

static void ps_append_vsz(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, task->thread->vm_size_kib);
}

static void ps_append_rss(const struct ps_task *task, struct machine_table *table)
{
	machine_cell_u64(table, task->thread->vm_rss_kib);
}

static void ps_append_tty(const struct ps_task *task, struct machine_table *table)
{
	char memory[32];

	machine_cell(table, machine_tty(task->thread->tty, memory));
}

static void ps_append_state(const struct ps_task *task, struct machine_table *table)
{
	const struct ps_stat *stat = &task->stat;

	buf_append_char(&table->cells, stat->state);
	if (stat->nice)
		buf_append_char(&table->cells, stat->nice < 0 ? '<' : 'N');
	if (task->thread->sid == task->thread->pid)
		buf_append_char(&table->cells, 's');
	if (stat->threads > 1)
		buf_append_char(&table->cells, 'l');
	if (stat->foreground == task->thread->pgid)
		buf_append_char(&table->cells, '+');
	machine_end_cell(table);
}

/* The time of today, else the day. */
static void ps_append_start(const struct ps_task *task, struct machine_table *table)
{
	time_t start = (time_t)(task->thread->start_ns / 1000000000), now;
	struct tm began, today;
	char text[16] = "?";

	now = (time_t)(task->ps->now_ns / 1000000000);
	if (localtime_r(&start, &began) && localtime_r(&now, &today))
		strftime(text, sizeof(text),
			 now - start < 86400 && began.tm_yday == today.tm_yday ? "%H:%M"
			 : began.tm_year == today.tm_year		       ? "%b%d"
									       : "%Y",
			 &began);
	machine_cell(table, text);
}

static void ps_append_time(const struct ps_task *task, struct machine_table *table)
{
	uint64_t seconds = ps_cpu_seconds(task);

	if (seconds >= 86400)
		buf_printf(&table->cells, "%" PRIu64 "-", seconds / 86400);
	buf_printf(&table->cells, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / 3600 % 24,
		   seconds / 60 % 60, seconds % 60);
	machine_end_cell(table);
}

static void ps_append_short_time(const struct ps_task *task, struct machine_table *table)
{
	uint64_t seconds = ps_cpu_seconds(task);

	buf_printf(&table->cells, "%" PRIu64 ":%02" PRIu64, seconds / 60, seconds % 60);
	machine_end_cell(table);
}

static void ps_append_comm(const struct ps_task *task, struct machine_table *table)
{
	machine_cell(table, task->thread->exe[0] ? task->thread->comm : task->stat.name);
}

/* Kernel threads have no arguments, and those that have ended none any more. */
static void ps_append_command(const struct ps_task *task, struct machine_table *table)
{
	const struct scap_thread *thread = task->thread;
	struct buf *text = &task->ps->text;

	buf_clear(text);
	if (!thread->exe[0]) {
		buf_printf(text, task->stat.state == 'Z' ? "[%s] <defunct>" : "[%s]",
			   task->stat.name);
	} else {
		buf_append(text, thread->args, thread->args_len);
		if (task->ps->redact && !text->failed)
			redact_arguments(task->ps->redact, thread->comm, text->data, text->len);
		for (size_t i = 0; i + 1 < text->len; i++)
			if (!text->data[i])
				text->data[i] = ' ';
		if (text->len)
			text->data[text->len - 1] = '\0';
		buf_append_string(&table->cells, thread->exe);
		if (text->len)
			buf_append_char(&table->cells, ' ');
	}
	buf_append_char(text, '\0');
	machine_cell(table, text->failed ? "?" : text->data);
}

static void ps_append_container(const struct ps_task *task, struct machine_table *table)
{
	struct state_cgroup_match match;

	machine_cell(table, machine_container(task->thread, &match));
}

static const struct ps_column {
	const char *name; /* of -o */
	struct machine_column column;
	ps_print *print;
} ps_columns[] = {
	{"user", {"USER", "user.name"}, ps_append_user},
	{"euser", {"UID", "user.name"}, ps_append_user},
	{"uid", {"UID", "user.uid", .right = true, .number = true}, ps_append_uid},
	{"pid", {"PID", "proc.pid", .right = true, .number = true}, ps_append_pid},
	{"ppid", {"PPID", "proc.ppid", .right = true, .number = true}, ps_append_ppid},
	{"lwp", {"LWP", "thread.tid", .right = true, .number = true}, ps_append_tid},
	{"tid", {"TID", "thread.tid", .right = true, .number = true}, ps_append_tid},
	{"pgid", {"PGID", "proc.pgid", .right = true, .number = true}, ps_append_pgid},
	{"sid", {"SID", "proc.sid", .right = true, .number = true}, ps_append_sid},
	{"nlwp", {"NLWP", "proc.nthreads", .right = true, .number = true}, ps_append_threads},
	{"ni", {"NI", "nice", .right = true, .number = true}, ps_append_nice},
	{"c", {"C", "cpu", .right = true, .number = true}, ps_append_c},
	{"pcpu", {"%CPU", "thread.cpu", .right = true, .number = true}, ps_append_cpu},
	{"pmem", {"%MEM", "memory", .right = true, .number = true}, ps_append_memory},
	{"vsz", {"VSZ", "proc.vmsize", .right = true, .number = true}, ps_append_vsz},
	{"rss", {"RSS", "proc.vmrss", .right = true, .number = true}, ps_append_rss},
	{"tty", {"TTY", "proc.tty"}, ps_append_tty},
	{"stat", {"STAT", "state"}, ps_append_state},
	{"start", {"START", "start", .right = true}, ps_append_start},
	{"stime", {"STIME", "start", .right = true}, ps_append_start},
	{"time", {"TIME", "time", .right = true}, ps_append_time},
	{"cputime", {"TIME", "time", .right = true}, ps_append_short_time},
	{"comm", {"CMD", "proc.name"}, ps_append_comm},
	{"cmd", {"CMD", "proc.cmdline"}, ps_append_command},
	{"args", {"COMMAND", "proc.cmdline"}, ps_append_command},
	{"container", {"CONTAINER", "container.id"}, ps_append_container},
};

static const char short_form[] = "pid,tty,time,comm",
		  full_form[] = "euser,pid,ppid,c,stime,tty,time,cmd",
		  user_form[] = "user,pid,pcpu,pmem,vsz,rss,tty,stat,start,cputime,args",
		  all_form[] = "user,pid,ppid,pgid,sid,nlwp,pcpu,pmem,vsz,rss,tty,stat,start,time,"
			       "comm,container,args";

/* Selection. */

/* The numbers of /proc/PID/stat behind the name, which may have any characters. */
static bool ps_parse_stat(const char *text, struct ps_stat *stat)
{
	const char *begin = strchr(text, '('), *end = strrchr(text, ')');

	if (!begin || !end || end < begin)
		return false;
	snprintf(stat->name, sizeof(stat->name), "%.*s", (int)(end - begin - 1), begin + 1);
	return sscanf(end + 1,
		      " %c %*d %*d %*d %*d %" SCNd64 " %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
		      " %*d %*d %*d %" SCNd64 " %" SCNd64 " %*d %" SCNu64,
		      &stat->state, &stat->foreground, &stat->user_ticks, &stat->system_ticks,
		      &stat->nice, &stat->threads, &stat->start_ticks) == 7;
}

static bool ps_read_stat(struct ps *ps, const struct scap_thread *thread, struct ps_stat *stat)
{
	char path[64];

	snprintf(path, sizeof(path), "%" PRId64 "/task/%" PRId64 "/stat", thread->pid, thread->tid);
	/* Times of a process are those of all its threads. */
	if (!ps->options->threads)
		snprintf(path, sizeof(path), "%" PRId64 "/stat", thread->pid);
	return proc_read_file(scap_proc_dir(ps->machine.host.proc), path, STAT_BYTES, &ps->text) ==
		       0 &&
	       ps_parse_stat(ps->text.data, stat);
}

static bool ps_has_number(const char *const *words, size_t count, int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, number);
	return machine_has(words, count, text);
}

static bool ps_is_wanted(struct ps *ps, const struct scap_thread *thread)
{
	const struct ps_options *options = ps->options;
	bool chosen = options->pids || options->users || options->names;
	char memory[16];

	if (options->all)
		return true;
	if (options->with_terminal || options->of_all_users)
		return (options->of_all_users || thread->uid == ps->own_uid) &&
		       (options->with_terminal || thread->tty);
	if (!chosen)
		return thread->uid == ps->own_uid && thread->tty == ps->own_tty;
	return ps_has_number(ps->pids, ps->pids_count, thread->pid) ||
	       ps_has_number(ps->users, ps->users_count, thread->uid) ||
	       machine_has(ps->users, ps->users_count,
			   machine_user(&ps->machine, thread->uid, memory)) ||
	       machine_has(ps->names, ps->names_count, thread->comm);
}

/* The command. */

static int ps_choose_columns(const struct ps_options *options, const struct ps_column **chosen,
			     size_t *count, struct error *err)
{
	const char *words[MACHINE_COLUMNS_MAX];
	size_t n = machine_split(options->columns, words, MACHINE_COLUMNS_MAX);

	for (*count = 0; *count < n; ++*count) {
		size_t i = 0;

		while (i < COUNT(ps_columns) && strcmp(ps_columns[i].name, words[*count]))
			i++;
		if (i == COUNT(ps_columns))
			return error_set(err, -EINVAL, "ps: -o %s: there is no such column",
					 words[*count]);
		chosen[*count] = &ps_columns[i];
	}
	return 0;
}

static uint64_t ps_memory_kib(struct ps *ps)
{
	const char *at;

	if (proc_read_file(scap_proc_dir(ps->machine.host.proc), "meminfo", STAT_BYTES, &ps->text))
		return 0;
	at = strstr(ps->text.data, "MemTotal:");
	return at ? strtoull(at + sizeof("MemTotal:") - 1, NULL, 10) : 0;
}

static void ps_find_own(struct ps *ps)
{
	struct scap_thread own;

	ps->own_uid = (uint32_t)geteuid();
	if (scap_proc_thread(ps->machine.host.proc, ps->machine.host.self, &own) == 0)
		ps->own_tty = own.tty;
	ps->now_ns = clock_ns(CLOCK_REALTIME);
	ps->memory_kib = ps_memory_kib(ps);
	ps->pids_count = machine_split(ps->options->pids, ps->pids, MACHINE_LIST_MAX);
	ps->users_count = machine_split(ps->options->users, ps->users, MACHINE_LIST_MAX);
	ps->names_count = machine_split(ps->options->names, ps->names, MACHINE_LIST_MAX);
}

static int ps_list(struct ps *ps, const struct ps_column *const *columns,
		   struct machine_table *table, struct error *err)
{
	struct scap_proc *proc = ps->machine.host.proc;
	struct scap_thread thread;
	int r = scap_proc_rewind(proc);

	while (r >= 0 && (r = ps->options->threads ? scap_proc_next(proc, &thread)
						   : scap_proc_next_process(proc, &thread)) == 1) {
		struct ps_task task = {.ps = ps, .thread = &thread};

		if (!ps_is_wanted(ps, &thread) || !ps_read_stat(ps, &thread, &task.stat))
			continue;
		for (size_t i = 0; i < table->columns_count; i++)
			columns[i]->print(&task, table);
		table->rows++;
	}
	return r < 0 ? error_set(err, r, "ps: reading /proc: %s", strerror(-r)) : 0;
}

static int ps_print_processes(const struct ps_options *options, const char *root)
{
	const struct ps_column *columns[MACHINE_COLUMNS_MAX];
	struct machine_table table = {.format = options->format, .no_head = options->no_head};
	struct ps ps = {.options = options};
	struct error err = {""};
	int r = ps_choose_columns(options, columns, &table.columns_count, &err);

	if (r)
		return command_fail(EXIT_USAGE, &err);
	for (size_t i = 0; i < table.columns_count; i++)
		table.columns[i] = &columns[i]->column;
	r = machine_open(&ps.machine, root, &err);
	if (r == 0 && !options->no_redact)
		r = redact_create(NULL, 0, &ps.redact, &err);
	if (r == 0) {
		ps_find_own(&ps);
		r = ps_list(&ps, columns, &table, &err);
	}
	redact_destroy(ps.redact);
	buf_finish(&ps.text);
	machine_close(&ps.machine);
	if (r) {
		buf_finish(&table.cells);
		return command_fail(EXIT_FAILURE, &err);
	}
	r = machine_print(&table);
	return r ? r : table.rows ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Letters without a dash: "aux". */
static int ps_read_letters(const char *letters, struct ps_options *options, const char **form,
			   struct error *err)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'a':
			options->of_all_users = true;
			break;
		case 'x':
			options->with_terminal = true;
			break;
		case 'u':
			*form = user_form;
			break;
		case 'w':
			break;
		default:
			return error_set(err, -EINVAL, "ps: %c: unknown letter; agent ps --help",
					 *letters);
		}
	}
	options->all = options->of_all_users && options->with_terminal;
	return 0;
}

static const char help[] =
	"Usage: agent ps [OPTION]... | aux\n\n"
	"Prints processes from /proc, as ps(1) does; nothing is captured.\n\n"
	"  -e, -A            all processes; without them those of this user and terminal\n"
	"  -p, -u, -C LIST   those with these ids, users or names\n"
	"  -f                UID PID PPID C STIME TTY TIME CMD\n"
	"  -L                a row for each thread\n"
	"  a, x, u, aux      as in ps: of all users, without terminal, with more columns\n"
	"  -o LIST           these columns: user euser uid pid ppid lwp tid pgid sid nlwp ni c "
	"pcpu\n"
	"                    pmem vsz rss tty stat start stime time cputime comm cmd args "
	"container\n"
	"  -o json, -o csv   objects or comma separated values, by default with all columns\n"
	"  --container       with the container of each\n"
	"  --no-headers      without the first line\n"
	"  --no-redact       show secrets in arguments\n";

enum { NO_HEADERS = 256, NO_REDACT, CONTAINER };

static const struct option names[] = {
	{"no-headers", no_argument, NULL, NO_HEADERS},
	{"no-heading", no_argument, NULL, NO_HEADERS},
	{"no-redact", no_argument, NULL, NO_REDACT},
	{"container", no_argument, NULL, CONTAINER},
	{"pid", required_argument, NULL, 'p'},
	{"user", required_argument, NULL, 'u'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* columns: what -o gave. */
static int ps_set(int code, char *value, struct ps_options *options, const char **form,
		  bool *container)
{
	switch (code) {
	case 'e':
	case 'A':
		options->all = true;
		return 0;
	case 'f':
		*form = full_form;
		return 0;
	case 'L':
		options->threads = true;
		return 0;
	case 'p':
		options->pids = value;
		return 0;
	case 'u':
		options->users = value;
		return 0;
	case 'C':
		options->names = value;
		return 0;
	case 'o':
		if (machine_format(value))
			options->format = machine_format(value);
		else
			options->columns = value;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	case NO_HEADERS:
		options->no_head = true;
		return 0;
	case NO_REDACT:
		options->no_redact = true;
		return 0;
	case CONTAINER:
		*container = true;
		return 0;
	default:
		return -EINVAL;
	}
}

/* columns: memory for the list. */
static int ps_read(int argc, char **argv, struct ps_options *options, char columns[256],
		   struct error *err)
{
	const char *form = NULL;
	bool container = false;
	int code, r = 0;

	optind = 0;
	opterr = 0;
	while (r == 0 && (code = getopt_long(argc, argv, "eAfLp:u:C:o:wh", names, NULL)) != -1) {
		if (code != 'w' && ps_set(code, optarg, options, &form, &container))
			r = error_set(err, -EINVAL, "ps: %s: unknown option; agent ps --help",
				      argv[optind - 1]);
	}
	for (; r == 0 && optind < argc; optind++)
		r = ps_read_letters(argv[optind], options, &form, err);
	if (r || options->columns)
		return r;
	if (options->format && options->format != machine_format("text"))
		form = all_form;
	else if (!form)
		form = short_form;
	snprintf(columns, 256, "%s%s%s", container && form != all_form ? "container," : "",
		 options->threads ? "lwp," : "", form);
	options->columns = columns;
	return 0;
}

int ps_run(const struct options *options)
{
	struct ps_options own = {0};
	struct error err = {""};
	char columns[256];

	if (ps_read(options->argc - 1, options->argv + 1, &own, columns, &err))
		return command_fail(EXIT_USAGE, &err);
	if (own.help) {
		fputs(help, stdout);
		return EXIT_SUCCESS;
	}
	return ps_print_processes(&own, getenv("HOST_ROOT"));
}
