/* SPDX-License-Identifier: MIT */
/* The command lsof: open files, with the options and columns of lsof(8), and their containers. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/tools/run.h"
#include "agent/tools/machine.h"
#include "event/address.h"
#include "scap/proc/text.h"
#include "util/count.h"

enum { FDINFO_BYTES = 4096, MAPS_BYTES = 16 << 20, FILES_MAX = 32, COMMAND_MAX = 9 };

struct lsof_options {
	char *pids, *users, *commands; /* lists; NULL: not chosen by that */
	bool sockets; /* -i */
	bool both; /* -a: what is chosen by processes and what by files */
	bool ids_only, no_head, help;
	const char *protocol; /* "TCP" or "UDP"; NULL: both */
	int version; /* 4 or 6; 0: both */
	uint16_t port; /* 0: any */
	const char *files[FILES_MAX];
	size_t files_count;
	const struct output_format *format;
};

struct lsof {
	const struct lsof_options *options;
	struct machine_listing machine;
	struct machine_table table;
	struct buf text;
	struct buf maps; /* text of a file; inodes that it has had, as uint64_t */
	struct buf mapped;
	const char *pids[MACHINE_LIST_MAX], *users[MACHINE_LIST_MAX], *commands[MACHINE_LIST_MAX];
	size_t pids_count, users_count, commands_count;
	struct stat wanted[FILES_MAX]; /* the files */
	char printed_pid[24]; /* of -t */
};

/* An open file of a process. */
struct lsof_file {
	const struct scap_thread *thread;
	const char *container;
	const char *place; /* "cwd", "txt", "3" */
	char access; /* 'r', 'w', 'u'; '\0': none */
	const char *name;
	const struct scap_fd *fd; /* NULL: no descriptor */
	struct stat stat;
	bool has_stat;
	uint64_t offset;
};

static const struct machine_column columns[] = {
	{"COMMAND", "proc.name"},
	{"PID", "proc.pid", .right = true, .number = true},
	{"USER", "user.name", .right = true},
	{"FD", "fd.num", .right = true},
	{"TYPE", "fd.type", .right = true},
	{"DEVICE", "fd.dev", .right = true},
	{"SIZE/OFF", "size", .right = true},
	{"NODE", "fd.ino", .right = true},
	{"NAME", "fd.name"},
};
static const struct machine_column container_column = {"CONTAINER", "container.id"};

static bool lsof_is_socket(const struct lsof_file *file)
{
	return file->fd && (file->fd->type == SCAP_FD_IPV4 || file->fd->type == SCAP_FD_IPV6);
}

static const char *lsof_type(const struct lsof_file *file)
{
	if (file->fd && file->fd->type == SCAP_FD_IPV4)
		return "IPv4";
	if (file->fd && file->fd->type == SCAP_FD_IPV6)
		return "IPv6";
	if (file->fd && file->fd->type == SCAP_FD_UNIX)
		return "unix";
	if (file->fd && file->fd->type == SCAP_FD_NETLINK)
		return "netlink";
	if (!file->has_stat)
		return "unknown";
	switch (file->stat.st_mode & S_IFMT) {
	case S_IFREG:
		return "REG";
	case S_IFDIR:
		return "DIR";
	case S_IFCHR:
		return "CHR";
	case S_IFBLK:
		return "BLK";
	case S_IFIFO:
		return "FIFO";
	case S_IFSOCK:
		return "sock";
	default:
		return "a_inode";
	}
}

static const char *lsof_l4(const struct scap_fd *fd)
{
	return fd->l4 == SCAP_L4_TCP ? "TCP" : fd->l4 == SCAP_L4_UDP ? "UDP" : "IP";
}

static void lsof_append_end(struct buf *out, const struct scap_fd *fd,
			    const struct scap_endpoint *end)
{
	static const uint8_t any[16];
	size_t len = fd->type == SCAP_FD_IPV4 ? 4 : 16;

	if (memcmp(end->address, any, len) == 0)
		buf_append_char(out, '*');
	else if (len == 16)
		buf_append_char(out, '[');
	if (memcmp(end->address, any, len))
		address_append_ip(out, end->address, len);
	if (len == 16 && memcmp(end->address, any, len))
		buf_append_char(out, ']');
	if (end->port)
		buf_printf(out, ":%u", end->port);
	else
		BUF_LITERAL(out, ":*");
}

static void lsof_append_name(struct lsof *lsof, const struct lsof_file *file)
{
	struct buf *out = &lsof->table.cells;

	if (!lsof_is_socket(file)) {
		machine_cell(&lsof->table, file->fd && file->fd->type == SCAP_FD_PIPE &&
							   strncmp(file->name, "pipe:", 5) == 0
						   ? "pipe"
						   : file->name);
		return;
	}
	lsof_append_end(out, file->fd, &file->fd->local);
	if (file->fd->remote.port) {
		BUF_LITERAL(out, "->");
		lsof_append_end(out, file->fd, &file->fd->remote);
	}
	machine_end_cell(&lsof->table);
}

/* Of what has no size, how far it was read. */
static void lsof_append_size(struct lsof *lsof, const struct lsof_file *file)
{
	bool sized = file->has_stat && (S_ISREG(file->stat.st_mode) || S_ISDIR(file->stat.st_mode));

	if (sized)
		machine_cell_u64(&lsof->table, (uint64_t)file->stat.st_size);
	else {
		buf_printf(&lsof->table.cells, "0t%" PRIu64, file->offset);
		machine_end_cell(&lsof->table);
	}
}

static void lsof_append_device(struct lsof *lsof, const struct lsof_file *file)
{
	bool is_device = S_ISCHR(file->stat.st_mode) || S_ISBLK(file->stat.st_mode);
	dev_t dev = is_device ? file->stat.st_rdev : file->stat.st_dev;

	if (lsof_is_socket(file))
		buf_append_u64(&lsof->table.cells, file->fd->ino);
	else if (file->has_stat)
		buf_printf(&lsof->table.cells, "%u,%u", major(dev), minor(dev));
	machine_end_cell(&lsof->table);
}

static void lsof_add(struct lsof *lsof, const struct lsof_file *file)
{
	struct machine_table *table = &lsof->table;
	char memory[24], command[COMMAND_MAX + 1];

	table->rows++;
	snprintf(command, sizeof(command), "%.*s", COMMAND_MAX, file->thread->comm);
	machine_cell(table, table->format ? file->thread->comm : command);
	machine_cell_u64(table, (uint64_t)file->thread->pid);
	machine_cell(table, machine_user(&lsof->machine, file->thread->uid, memory));
	buf_append_string(&table->cells, file->place);
	if (file->access)
		buf_append_char(&table->cells, file->access);
	machine_end_cell(table);
	machine_cell(table, lsof_type(file));
	lsof_append_device(lsof, file);
	lsof_append_size(lsof, file);
	if (lsof_is_socket(file))
		machine_cell(table, lsof_l4(file->fd));
	else if (file->has_stat)
		machine_cell_u64(table, (uint64_t)file->stat.st_ino);
	else
		machine_cell(table, "");
	lsof_append_name(lsof, file);
	if (table->columns_count > COUNT(columns))
		machine_cell(table, file->container);
}

/* Selection. */

static bool lsof_is_wanted_file(const struct lsof *lsof, const struct lsof_file *file)
{
	const struct lsof_options *options = lsof->options;
	const struct scap_fd *fd = file->fd;

	for (size_t i = 0; i < options->files_count; i++)
		if (file->has_stat && file->stat.st_ino == lsof->wanted[i].st_ino &&
		    file->stat.st_dev == lsof->wanted[i].st_dev)
			return true;
	if (!options->sockets || !lsof_is_socket(file))
		return false;
	if (options->version && (fd->type == SCAP_FD_IPV4) != (options->version == 4))
		return false;
	if (options->protocol && strcmp(options->protocol, lsof_l4(fd)))
		return false;
	return !options->port || fd->local.port == options->port ||
	       fd->remote.port == options->port;
}

static bool lsof_is_wanted_process(struct lsof *lsof, const struct scap_thread *thread)
{
	char memory[24];

	snprintf(memory, sizeof(memory), "%" PRId64, thread->pid);
	if (machine_has(lsof->pids, lsof->pids_count, memory) ||
	    machine_has(lsof->users, lsof->users_count,
			machine_user(&lsof->machine, thread->uid, memory)))
		return true;
	snprintf(memory, sizeof(memory), "%u", thread->uid);
	if (machine_has(lsof->users, lsof->users_count, memory))
		return true;
	for (size_t i = 0; i < lsof->commands_count; i++)
		if (strncmp(thread->comm, lsof->commands[i], strlen(lsof->commands[i])) == 0)
			return true;
	return false;
}

/* Without -a it is enough that a process or its file is chosen. */
static bool lsof_is_wanted(struct lsof *lsof, const struct lsof_file *file)
{
	const struct lsof_options *options = lsof->options;
	bool by_process = options->pids || options->users || options->commands;
	bool by_file = options->sockets || options->files_count;
	bool process = by_process && lsof_is_wanted_process(lsof, file->thread);
	bool is_file = by_file && lsof_is_wanted_file(lsof, file);

	if (!by_process && !by_file)
		return true;
	if (by_process && by_file && options->both)
		return process && is_file;
	return process || is_file;
}

static void lsof_take(struct lsof *lsof, const struct lsof_file *file)
{
	char pid[24];

	if (!lsof_is_wanted(lsof, file))
		return;
	if (!lsof->options->ids_only) {
		lsof_add(lsof, file);
		return;
	}
	snprintf(pid, sizeof(pid), "%" PRId64, file->thread->pid);
	if (strcmp(pid, lsof->printed_pid) == 0)
		return;
	snprintf(lsof->printed_pid, sizeof(lsof->printed_pid), "%s", pid);
	lsof->table.rows++;
	machine_cell(&lsof->table, pid);
}

/* The walk. */

static bool lsof_stat(struct lsof *lsof, const struct scap_thread *thread, const char *place,
		      struct stat *stat)
{
	char path[64];

	snprintf(path, sizeof(path), "%" PRId64 "/%s", thread->pid, place);
	return fstatat(scap_proc_dir(lsof->machine.host.proc), path, stat, 0) == 0;
}

/* The flags and the position of a descriptor. */
static void lsof_read_info(struct lsof *lsof, struct lsof_file *file)
{
	static const char letters[] = {'r', 'w', 'u', 'u'};
	const char *at;
	char path[64];

	snprintf(path, sizeof(path), "%" PRId64 "/fdinfo/%" PRId64, file->thread->pid,
		 file->fd->num);
	if (proc_read_file(scap_proc_dir(lsof->machine.host.proc), path, FDINFO_BYTES, &lsof->text))
		return;
	at = strstr(lsof->text.data, "pos:");
	file->offset = at ? strtoull(at + 4, NULL, 10) : 0;
	at = strstr(lsof->text.data, "flags:");
	if (at)
		file->access = letters[strtoul(at + 6, NULL, 8) & O_ACCMODE];
}

static void lsof_take_special(struct lsof *lsof, const struct scap_thread *thread,
			      const char *container)
{
	static const struct {
		const char *link, *place;
	} specials[] = {{"cwd", "cwd"}, {"root", "rtd"}, {"exe", "txt"}};
	char path[64], target[PATH_MAX];

	for (size_t i = 0; i < COUNT(specials); i++) {
		struct lsof_file file = {
			.thread = thread, .container = container, .place = specials[i].place};
		ssize_t n;

		snprintf(path, sizeof(path), "%" PRId64 "/%s", thread->pid, specials[i].link);
		n = readlinkat(scap_proc_dir(lsof->machine.host.proc), path, target,
			       sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		file.name = target;
		file.has_stat = lsof_stat(lsof, thread, specials[i].link, &file.stat);
		lsof_take(lsof, &file);
	}
}

static bool lsof_was_mapped(struct lsof *lsof, uint64_t ino)
{
	const uint64_t *list = (const uint64_t *)lsof->mapped.data;

	for (size_t i = 0; i < lsof->mapped.len / sizeof(ino); i++)
		if (list[i] == ino)
			return true;
	buf_append(&lsof->mapped, &ino, sizeof(ino));
	return false;
}

/* Files that are mapped, but for the program itself. */
static void lsof_take_mapped(struct lsof *lsof, const struct scap_thread *thread,
			     const char *container)
{
	int dir = scap_proc_dir(lsof->machine.host.proc);
	char path[PATH_MAX], *rest, *line;
	struct stat program;

	snprintf(path, sizeof(path), "%" PRId64 "/maps", thread->pid);
	if (proc_read_file(dir, path, MAPS_BYTES, &lsof->maps))
		return;
	buf_clear(&lsof->mapped);
	if (lsof_stat(lsof, thread, "exe", &program))
		(void)lsof_was_mapped(lsof, program.st_ino);
	rest = lsof->maps.data;
	while (rest && (line = strsep(&rest, "\n")) && *line) {
		struct lsof_file file = {.thread = thread, .container = container, .place = "mem"};
		char *name = strchr(line, '/');
		uint64_t ino;

		if (!name || sscanf(line, "%*s %*s %*s %*s %" SCNu64, &ino) != 1 ||
		    lsof_was_mapped(lsof, ino))
			continue;
		file.name = name;
		snprintf(path, sizeof(path), "%" PRId64 "/root%s", thread->pid, name);
		file.has_stat = fstatat(dir, path, &file.stat, 0) == 0 && file.stat.st_ino == ino;
		lsof_take(lsof, &file);
	}
}

static int lsof_take_process(struct lsof *lsof, const struct scap_thread *thread)
{
	struct scap_proc *proc = lsof->machine.host.proc;
	struct state_cgroup_match match;
	const char *container = machine_container(thread, &match);
	struct scap_fd fd;
	char place[32];
	int r;

	lsof_take_special(lsof, thread, container);
	lsof_take_mapped(lsof, thread, container);
	r = scap_proc_fds(proc, thread->tid);
	while (r >= 0 && (r = scap_proc_next_fd(proc, &fd)) == 1) {
		struct lsof_file file = {
			.thread = thread, .container = container, .name = fd.name, .fd = &fd};

		snprintf(place, sizeof(place), "fd/%" PRId64, fd.num);
		file.has_stat = lsof_stat(lsof, thread, place, &file.stat);
		file.place = place + sizeof("fd/") - 1;
		lsof_read_info(lsof, &file);
		lsof_take(lsof, &file);
	}
	/* It may have ended meanwhile. */
	return r == -ENOMEM ? r : 0;
}

static int lsof_find_files(struct lsof *lsof, struct error *err)
{
	const struct lsof_options *options = lsof->options;

	for (size_t i = 0; i < options->files_count; i++)
		if (stat(options->files[i], &lsof->wanted[i]))
			return error_set(err, -errno, "lsof: %s: %s", options->files[i],
					 strerror(errno));
	return 0;
}

static int lsof_walk(struct lsof *lsof, struct error *err)
{
	struct scap_proc *proc = lsof->machine.host.proc;
	struct scap_thread thread;
	int r = lsof_find_files(lsof, err);

	if (r)
		return r;
	r = scap_proc_rewind(proc);
	while (r >= 0 && (r = scap_proc_next_process(proc, &thread)) == 1)
		r = lsof_take_process(lsof, &thread);
	return r < 0 ? error_set(err, r, "lsof: reading /proc: %s", strerror(-r)) : 0;
}

static int lsof_print(const struct lsof_options *options, bool container, const char *root)
{
	struct lsof lsof = {.options = options, .table = {.format = options->format}};
	struct machine_table *table = &lsof.table;
	struct error err = {""};
	int r = machine_open(&lsof.machine, root, &err);

	table->no_head = options->no_head || options->ids_only;
	table->columns_count = options->ids_only ? 1 : COUNT(columns);
	for (size_t i = 0; i < COUNT(columns); i++)
		table->columns[i] = options->ids_only ? &columns[1] : &columns[i];
	if ((container || options->format) && !options->ids_only)
		table->columns[table->columns_count++] = &container_column;
	lsof.pids_count = machine_split(options->pids, lsof.pids, MACHINE_LIST_MAX);
	lsof.users_count = machine_split(options->users, lsof.users, MACHINE_LIST_MAX);
	lsof.commands_count = machine_split(options->commands, lsof.commands, MACHINE_LIST_MAX);
	if (r == 0)
		r = lsof_walk(&lsof, &err);
	buf_finish(&lsof.text);
	buf_finish(&lsof.maps);
	buf_finish(&lsof.mapped);
	machine_close(&lsof.machine);
	if (r) {
		buf_finish(&table->cells);
		return command_fail(EXIT_FAILURE, &err);
	}
	r = table->rows ? EXIT_SUCCESS : EXIT_FAILURE;
	return machine_print(table) ? EXIT_FAILURE : r;
}

/* "[46][TCP|UDP][:PORT]" */
static int lsof_read_socket(const char *value, struct lsof_options *options, struct error *err)
{
	const char *rest = value;

	options->sockets = true;
	if (*rest == '4' || *rest == '6')
		options->version = *rest++ - '0';
	if (strncasecmp(rest, "tcp", 3) == 0 || strncasecmp(rest, "udp", 3) == 0) {
		options->protocol = *rest == 't' || *rest == 'T' ? "TCP" : "UDP";
		rest += 3;
	}
	if (*rest == ':') {
		char *end;
		unsigned long port = strtoul(rest + 1, &end, 10);

		options->port = (uint16_t)port;
		rest = port && port <= UINT16_MAX ? end : rest;
	}
	return *rest ? error_set(err, -EINVAL, "lsof: -i %s: expected [46][TCP|UDP][:PORT]", value)
		     : 0;
}

/* The value of -i, which may be the next word. */
static const char *lsof_socket_word(int argc, char **argv)
{
	const char *next = optind < argc ? argv[optind] : NULL;

	if (optarg || !next ||
	    !(*next == ':' || strncasecmp(next, "tcp", 3) == 0 ||
	      strncasecmp(next, "udp", 3) == 0 ||
	      ((*next == '4' || *next == '6') && access(next, F_OK))))
		return optarg ? optarg : "";
	optind++;
	return next;
}

static const char help[] =
	"Usage: agent lsof [OPTION]... [FILE]...\n\n"
	"Prints open files from /proc, as lsof(8) does; nothing is captured.\n\n"
	"  -p, -u, -c LIST     of processes with these ids, users or beginnings of names\n"
	"  -i[46][TCP|UDP][:PORT]  sockets of IP\n"
	"  -a                  only what is chosen by process and by file, not by one of them\n"
	"  -t                  ids of processes alone\n"
	"  -n, -P              accepted: addresses and ports are numbers always\n"
	"  -o json, -o csv     objects or comma separated values\n"
	"  --container         with the container of each\n";

static int lsof_read(int argc, char **argv, struct lsof_options *options, bool *container,
		     struct error *err)
{
	static const struct option names[] = {
		{"container", no_argument, NULL, 'K'}, {"help", no_argument, NULL, 'h'}, {0}};
	int code, r = 0;

	optind = 0;
	opterr = 0;
	while (r == 0 && (code = getopt_long(argc, argv, "p:u:c:i::anPto:h", names, NULL)) != -1) {
		if (code == 'p')
			options->pids = optarg;
		else if (code == 'u')
			options->users = optarg;
		else if (code == 'c')
			options->commands = optarg;
		else if (code == 'i')
			r = lsof_read_socket(lsof_socket_word(argc, argv), options, err);
		else if (code == 'a')
			options->both = true;
		else if (code == 't')
			options->ids_only = true;
		else if (code == 'o' && machine_format(optarg))
			options->format = machine_format(optarg);
		else if (code == 'K')
			*container = true;
		else if (code == 'h')
			options->help = true;
		else if (code != 'n' && code != 'P')
			r = error_set(err, -EINVAL, "lsof: %s: unknown option; agent lsof --help",
				      argv[optind - 1]);
	}
	for (; r == 0 && optind < argc && options->files_count < FILES_MAX; optind++)
		options->files[options->files_count++] = argv[optind];
	return r;
}

int lsof_run(const struct options *options)
{
	struct lsof_options own = {0};
	struct error err = {""};
	bool container = false;

	if (lsof_read(options->argc - 1, options->argv + 1, &own, &container, &err))
		return command_fail(EXIT_USAGE, &err);
	if (own.help) {
		fputs(help, stdout);
		return EXIT_SUCCESS;
	}
	return lsof_print(&own, container, getenv("HOST_ROOT"));
}
