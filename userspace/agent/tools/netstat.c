/* SPDX-License-Identifier: MIT */
/* The command netstat: sockets, with the options and columns of netstat(8), their processes and
 * containers. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/tools/run.h"
#include "agent/tools/machine.h"
#include "event/address.h"
#include "scap/proc/text.h"
#include "util/count.h"

enum {
	TABLE_BYTES = 64 << 20, /* of a file of /proc/PID/net */
	NAMESPACES_MAX = 1024,
	TCP_ESTABLISHED = 1,
	TCP_LISTEN = 10,
	UDP_UNCONNECTED = 7,
	SS_CONNECTED = 3,
	UNIX_LISTENS = 1 << 16,
};

struct netstat_options {
	bool tcp, udp, raw, unix_sockets; /* none: all */
	bool v4, v6; /* none: both */
	bool all, listening; /* none: those that are connected */
	bool programs, container, help;
	const struct output_format *format;
};

/* Whose a socket is. */
struct netstat_owner {
	uint64_t ino;
	int64_t pid;
	char comm[16];
};

struct netstat {
	const struct netstat_options *options;
	struct machine_listing machine;
	struct machine_table ip, local; /* local: sockets of unix */
	struct buf owners; /* of struct netstat_owner, by `ino` */
	struct buf text;
	uint64_t namespaces[NAMESPACES_MAX]; /* that were read */
	size_t namespaces_count;
};

static const struct machine_column ip_columns[] = {
	{"Proto", "proto"},
	{"Recv-Q", "recv_q", .right = true, .number = true},
	{"Send-Q", "send_q", .right = true, .number = true},
	{"Local Address", "local"},
	{"Foreign Address", "foreign"},
	{"State", "state"},
};
static const struct machine_column local_columns[] = {
	{"Proto", "proto"}, {"RefCnt", "refs", .right = true, .number = true},	 {"Type", "type"},
	{"State", "state"}, {"I-Node", "fd.ino", .right = true, .number = true}, {"Path", "path"},
};
static const struct machine_column pid_column = {"PID", "proc.pid", .number = true},
				   name_column = {"Program name", "proc.name"},
				   program_column = {"PID/Program name", "program"},
				   container_column = {"CONTAINER", "container.id"};

/* Owners. */

static int netstat_compare(const void *a, const void *b)
{
	const struct netstat_owner *one = a, *other = b;

	return one->ino < other->ino ? -1 : one->ino > other->ino;
}

static const struct netstat_owner *netstat_find(const struct netstat *netstat, uint64_t ino)
{
	const struct netstat_owner key = {.ino = ino};

	return netstat->owners.len
		       ? bsearch(&key, netstat->owners.data, netstat->owners.len / sizeof(key),
				 sizeof(key), netstat_compare)
		       : NULL;
}

static void netstat_add_owners(struct netstat *netstat, const struct scap_thread *thread)
{
	char path[80], target[64];
	struct scap_proc *proc = netstat->machine.host.proc;
	struct scap_fd fd;
	int r = scap_proc_fds(proc, thread->tid);

	while (r >= 0 && (r = scap_proc_next_fd(proc, &fd)) == 1) {
		struct netstat_owner owner = {.pid = thread->pid};
		ssize_t n;

		snprintf(path, sizeof(path), "%" PRId64 "/fd/%" PRId64, thread->pid, fd.num);
		n = readlinkat(scap_proc_dir(proc), path, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (sscanf(target, "socket:[%" SCNu64 "]", &owner.ino) != 1)
			continue;
		memcpy(owner.comm, thread->comm, sizeof(owner.comm));
		buf_append(&netstat->owners, &owner, sizeof(owner));
	}
}

static void netstat_append_owner(struct netstat *netstat, struct machine_table *table, uint64_t ino,
				 const char *container)
{
	const struct netstat_owner *owner = netstat_find(netstat, ino);

	if (netstat->options->format) {
		if (owner)
			machine_cell_u64(table, (uint64_t)owner->pid);
		else
			machine_cell(table, "");
		machine_cell(table, owner ? owner->comm : "");
	} else if (netstat->options->programs) {
		if (owner)
			buf_printf(&table->cells, "%" PRId64 "/", owner->pid);
		machine_cell(table, owner ? owner->comm : "-");
	}
	if (netstat->options->container || netstat->options->format)
		machine_cell(table, container);
	table->rows++;
}

/* Sockets of IP. */

/* An address as /proc has it: words in the order of the machine, and the port behind. */
static bool netstat_parse_end(const char *text, struct scap_endpoint *end, size_t *len)
{
	size_t digits = strspn(text, "0123456789ABCDEF");
	unsigned int port;

	*len = digits / 2;
	if ((*len != 4 && *len != 16) || sscanf(text + digits, ":%x", &port) != 1)
		return false;
	for (size_t word = 0; word < *len / 4; word++) {
		unsigned int value;

		if (sscanf(text + word * 8, "%8x", &value) != 1)
			return false;
		memcpy(end->address + word * 4, &value, sizeof(value));
	}
	end->port = (uint16_t)port;
	return true;
}

static void netstat_append_end(struct machine_table *table, const struct scap_endpoint *end,
			       size_t len)
{
	address_append_ip(&table->cells, end->address, len);
	if (end->port)
		buf_printf(&table->cells, ":%u", end->port);
	else
		BUF_LITERAL(&table->cells, ":*");
	machine_end_cell(table);
}

static const char *netstat_state(const char *proto, unsigned int state)
{
	static const char *const states[] = {
		"",	     "ESTABLISHED", "SYN_SENT", "SYN_RECV",   "FIN_WAIT1",
		"FIN_WAIT2", "TIME_WAIT",   "CLOSE",	"CLOSE_WAIT", "LAST_ACK",
		"LISTEN",    "CLOSING",	    "SYN_RECV",
	};

	if (proto[0] != 't' && state == UDP_UNCONNECTED)
		return proto[0] == 'r' ? "7" : "";
	return state < COUNT(states) ? states[state] : "";
}

/* What listens waits for others; the rest is connected, or has been. */
static bool netstat_is_wanted(const struct netstat_options *options, const char *proto,
			      unsigned int state)
{
	bool listens = proto[0] == 't' ? state == TCP_LISTEN : state == UDP_UNCONNECTED;

	return options->all || options->listening == listens;
}

static void netstat_add_ip(struct netstat *netstat, const char *proto, const char *line,
			   const char *container)
{
	struct scap_endpoint local = {.port = 0}, remote = {.port = 0};
	unsigned int state, send, receive;
	char ends[2][64];
	struct machine_table *table = &netstat->ip;
	uint64_t ino;
	size_t len;

	if (sscanf(line, " %*[^:]: %63s %63s %x %x:%x %*s %*s %*s %*s %" SCNu64, ends[0], ends[1],
		   &state, &send, &receive, &ino) != 6 ||
	    !netstat_parse_end(ends[0], &local, &len) || !netstat_parse_end(ends[1], &remote, &len))
		return;
	if (!netstat_is_wanted(netstat->options, proto, state))
		return;
	machine_cell(table, proto);
	machine_cell_u64(table, receive);
	machine_cell_u64(table, send);
	netstat_append_end(table, &local, len);
	netstat_append_end(table, &remote, len);
	machine_cell(table, netstat_state(proto, state));
	netstat_append_owner(netstat, table, ino, container);
}

/* Sockets of unix. */

static void netstat_add_unix(struct netstat *netstat, const char *line, const char *container)
{
	static const char *const types[] = {"", "STREAM", "DGRAM", "RAW", "RDM", "SEQPACKET"};
	unsigned int refs, flags, type, state;
	struct machine_table *table = &netstat->local;
	const struct netstat_options *options = netstat->options;
	uint64_t ino;
	char path[128] = "";
	bool listens;

	if (sscanf(line, " %*[^:]: %x %*x %x %x %x %" SCNu64 " %127[^\n]", &refs, &flags, &type,
		   &state, &ino, path) < 5)
		return;
	listens = flags & UNIX_LISTENS;
	if (!options->all && options->listening != listens)
		return;
	machine_cell(table, "unix");
	machine_cell_u64(table, refs);
	machine_cell(table, type < COUNT(types) ? types[type] : "");
	machine_cell(table, listens ? "LISTENING" : state == SS_CONNECTED ? "CONNECTED" : "");
	machine_cell_u64(table, ino);
	machine_cell(table, path);
	netstat_append_owner(netstat, table, ino, container);
}

/* Namespaces. */

static const struct netstat_file {
	const char *name;
	size_t chosen; /* in the options */
	bool v6;
} files[] = {
	{"tcp", offsetof(struct netstat_options, tcp), false},
	{"tcp6", offsetof(struct netstat_options, tcp), true},
	{"udp", offsetof(struct netstat_options, udp), false},
	{"udp6", offsetof(struct netstat_options, udp), true},
	{"raw", offsetof(struct netstat_options, raw), false},
	{"raw6", offsetof(struct netstat_options, raw), true},
	{"unix", offsetof(struct netstat_options, unix_sockets), false},
};

static bool netstat_is_chosen(const struct netstat_options *options,
			      const struct netstat_file *file)
{
	bool any = options->tcp || options->udp || options->raw || options->unix_sockets;
	bool is_unix = strcmp(file->name, "unix") == 0;

	if (!is_unix && (options->v4 || options->v6) && !(file->v6 ? options->v6 : options->v4))
		return false;
	return !any || *((const char *)options + file->chosen);
}

static void netstat_read(struct netstat *netstat, const struct scap_thread *thread,
			 const char *container)
{
	char path[64];

	for (size_t i = 0; i < COUNT(files); i++) {
		char *rest, *line;

		snprintf(path, sizeof(path), "%" PRId64 "/net/%s", thread->pid, files[i].name);
		if (!netstat_is_chosen(netstat->options, &files[i]) ||
		    proc_read_file(scap_proc_dir(netstat->machine.host.proc), path, TABLE_BYTES,
				   &netstat->text))
			continue;
		rest = netstat->text.data;
		/* The first line has titles. */
		strsep(&rest, "\n");
		while (rest && (line = strsep(&rest, "\n")) && *line) {
			if (strcmp(files[i].name, "unix") == 0)
				netstat_add_unix(netstat, line, container);
			else
				netstat_add_ip(netstat, files[i].name, line, container);
		}
	}
}

/* A namespace is read by the first process that is in it. */
static bool netstat_is_new(struct netstat *netstat, const struct scap_thread *thread)
{
	uint64_t ino;
	char path[64];
	struct stat stat;

	snprintf(path, sizeof(path), "%" PRId64 "/ns/net", thread->pid);
	if (fstatat(scap_proc_dir(netstat->machine.host.proc), path, &stat, 0))
		return false;
	ino = stat.st_ino;
	for (size_t i = 0; i < netstat->namespaces_count; i++)
		if (netstat->namespaces[i] == ino)
			return false;
	if (netstat->namespaces_count == NAMESPACES_MAX)
		return false;
	netstat->namespaces[netstat->namespaces_count++] = ino;
	return true;
}

static int netstat_each(struct netstat *netstat,
			void (*take)(struct netstat *netstat, const struct scap_thread *thread))
{
	struct scap_proc *proc = netstat->machine.host.proc;
	struct scap_thread thread;
	int r = scap_proc_rewind(proc);

	while (r >= 0 && (r = scap_proc_next_process(proc, &thread)) == 1)
		take(netstat, &thread);
	return r;
}

static void netstat_take(struct netstat *netstat, const struct scap_thread *thread)
{
	struct state_cgroup_match match;

	if (netstat_is_new(netstat, thread))
		netstat_read(netstat, thread, machine_container(thread, &match));
}

static int netstat_walk(struct netstat *netstat, struct error *err)
{
	const struct netstat_options *options = netstat->options;
	struct scap_thread own;
	int r = options->programs || options->format ? netstat_each(netstat, netstat_add_owners)
						     : 0;

	if (netstat->owners.len && !netstat->owners.failed)
		qsort(netstat->owners.data, netstat->owners.len / sizeof(struct netstat_owner),
		      sizeof(struct netstat_owner), netstat_compare);
	if (r >= 0 && options->container)
		r = netstat_each(netstat, netstat_take);
	else if (r >= 0) {
		r = scap_proc_thread(netstat->machine.host.proc, netstat->machine.host.self, &own);
		if (r == 0)
			netstat_take(netstat, &own);
	}
	if (netstat->owners.failed)
		r = -ENOMEM;
	return r < 0 ? error_set(err, r, "netstat: reading /proc: %s", strerror(-r)) : 0;
}

/* The command. */

static void netstat_set_columns(const struct netstat_options *options,
				const struct machine_column *columns, size_t count,
				struct machine_table *table)
{
	table->format = options->format;
	for (size_t i = 0; i < count; i++)
		table->columns[table->columns_count++] = &columns[i];
	if (options->format) {
		table->columns[table->columns_count++] = &pid_column;
		table->columns[table->columns_count++] = &name_column;
	} else if (options->programs) {
		table->columns[table->columns_count++] = &program_column;
	}
	if (options->format || options->container)
		table->columns[table->columns_count++] = &container_column;
}

static int netstat_print(const struct netstat_options *options, const char *root)
{
	bool ip = options->tcp || options->udp || options->raw || !options->unix_sockets;
	bool local = options->unix_sockets || !(options->tcp || options->udp || options->raw);
	struct netstat netstat = {.options = options};
	struct error err = {""};
	int r = machine_open(&netstat.machine, root, &err);

	netstat_set_columns(options, ip_columns, COUNT(ip_columns), &netstat.ip);
	netstat_set_columns(options, local_columns, COUNT(local_columns), &netstat.local);
	if (r == 0)
		r = netstat_walk(&netstat, &err);
	buf_finish(&netstat.owners);
	buf_finish(&netstat.text);
	machine_close(&netstat.machine);
	if (r) {
		buf_finish(&netstat.ip.cells);
		buf_finish(&netstat.local.cells);
		return command_fail(EXIT_FAILURE, &err);
	}
	r = ip ? machine_print(&netstat.ip) : EXIT_SUCCESS;
	if (r == EXIT_SUCCESS && local)
		r = machine_print(&netstat.local);
	buf_finish(&netstat.ip.cells);
	buf_finish(&netstat.local.cells);
	return r;
}

static const char help[] =
	"Usage: agent netstat [OPTION]...\n\n"
	"Prints sockets from /proc, as netstat(8) does; nothing is captured.\n\n"
	"  -t, -u, -w, -x    of TCP, UDP, raw, unix; without them all\n"
	"  -4, -6            of that version of IP\n"
	"  -l                those that listen; -a: all; without them those that are connected\n"
	"  -p                with process and program\n"
	"  -n                accepted: addresses and ports are numbers always\n"
	"  -o json, -o csv   objects or comma separated values, with all columns\n"
	"  --container       of all network namespaces, with the container of each\n";

static int netstat_set(int code, const char *value, struct netstat_options *options)
{
	static const struct {
		int code;
		size_t offset;
	} flags[] = {
		{'t', offsetof(struct netstat_options, tcp)},
		{'u', offsetof(struct netstat_options, udp)},
		{'w', offsetof(struct netstat_options, raw)},
		{'x', offsetof(struct netstat_options, unix_sockets)},
		{'4', offsetof(struct netstat_options, v4)},
		{'6', offsetof(struct netstat_options, v6)},
		{'a', offsetof(struct netstat_options, all)},
		{'l', offsetof(struct netstat_options, listening)},
		{'p', offsetof(struct netstat_options, programs)},
		{'K', offsetof(struct netstat_options, container)},
		{'h', offsetof(struct netstat_options, help)},
	};

	for (size_t i = 0; i < COUNT(flags); i++)
		if (flags[i].code == code) {
			*((bool *)options + flags[i].offset) = true;
			return 0;
		}
	if (code == 'n')
		return 0;
	if (code != 'o' || !machine_format(value))
		return -EINVAL;
	options->format = machine_format(value);
	return 0;
}

int netstat_run(const struct options *options)
{
	static const struct option names[] = {
		{"container", no_argument, NULL, 'K'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct netstat_options own = {0};
	struct error err = {""};
	int code, argc = options->argc - 1;
	char **argv = options->argv + 1;

	optind = 0;
	opterr = 0;
	while ((code = getopt_long(argc, argv, "tuwx46alpnho:", names, NULL)) != -1)
		if (netstat_set(code, optarg, &own)) {
			error_set(&err, -EINVAL,
				  "netstat: %s: unknown option; agent netstat --help",
				  argv[optind - 1]);
			return command_fail(EXIT_USAGE, &err);
		}
	if (optind < argc) {
		error_set(&err, -EINVAL, "netstat takes no '%s'", argv[optind]);
		return command_fail(EXIT_USAGE, &err);
	}
	if (own.help) {
		fputs(help, stdout);
		return EXIT_SUCCESS;
	}
	return netstat_print(&own, getenv("HOST_ROOT"));
}
