/* SPDX-License-Identifier: MIT */
/* Socket tables: made from the files of /proc/PID/net, searched by inode number. */
#include "scap/proc/net.h"

#include <errno.h>
#include <stdlib.h>

#include "scap/proc/text.h"
#include "util/clock.h"
#include "util/count.h"

enum {
	TABLE_FRESH_MS = 1000,
	TABLE_KEPT_MS = 10000,
	TABLE_FRESH_TIMES = 20, /* as long as loading took: a large one does not take all time */
	FILE_BYTES_MAX = 16 << 20, /* a hundred thousand sockets */
	TEXT_BYTES_KEPT = 1 << 20,
	SOCKETS_MIN = 64,
};

struct net_socket {
	uint64_t ino;
	uint64_t unix_socket;
	size_t path; /* in net_table.paths */
	struct scap_endpoint local, remote;
	uint8_t type; /* enum scap_fd_type */
	uint8_t l4; /* enum scap_l4 */
};

struct net_table {
	uint64_t namespace;
	uint64_t loaded_ms, took_ms;
	struct net_socket *sockets; /* owned; by inode number */
	size_t count, capacity;
	struct buf paths; /* each with its NUL; the first is "" */
};

/* Reads a line into a socket whose type and l4 are set. Returns false if it has another form. */
typedef bool line_reader(struct proc_text line, struct net_table *table, struct net_socket *socket);

static line_reader read_ipv4_line, read_ipv6_line, read_unix_line, read_netlink_line;

static const struct net_file {
	const char *name;
	line_reader *read;
	enum scap_fd_type type;
	enum scap_l4 l4;
} net_files[] = {
	{"net/tcp", read_ipv4_line, SCAP_FD_IPV4, SCAP_L4_TCP},
	{"net/tcp6", read_ipv6_line, SCAP_FD_IPV6, SCAP_L4_TCP},
	{"net/udp", read_ipv4_line, SCAP_FD_IPV4, SCAP_L4_UDP},
	{"net/udp6", read_ipv6_line, SCAP_FD_IPV6, SCAP_L4_UDP},
	{"net/udplite", read_ipv4_line, SCAP_FD_IPV4, SCAP_L4_UDP},
	{"net/udplite6", read_ipv6_line, SCAP_FD_IPV6, SCAP_L4_UDP},
	{"net/icmp", read_ipv4_line, SCAP_FD_IPV4, SCAP_L4_ICMP},
	{"net/icmp6", read_ipv6_line, SCAP_FD_IPV6, SCAP_L4_ICMP},
	{"net/raw", read_ipv4_line, SCAP_FD_IPV4, SCAP_L4_RAW},
	{"net/raw6", read_ipv6_line, SCAP_FD_IPV6, SCAP_L4_RAW},
	{"net/unix", read_unix_line, SCAP_FD_UNIX, SCAP_L4_UNKNOWN},
	{"net/netlink", read_netlink_line, SCAP_FD_NETLINK, SCAP_L4_UNKNOWN},
};

/* "0100007F:0016": the address in words of the machine, then the port. */
static bool read_endpoint(struct proc_text word, size_t words, struct scap_endpoint *endpoint)
{
	uint64_t value;

	for (size_t i = 0; i < words; i++) {
		struct proc_text digits = {word.at, word.at + 8};
		uint32_t part;

		if (word.end - word.at < 8 || !proc_text_u64(&digits, 16, &value) ||
		    digits.at != digits.end)
			return false;
		part = (uint32_t)value;
		memcpy(endpoint->address + i * sizeof(part), &part, sizeof(part));
		word.at += 8;
	}
	if (!proc_text_prefix(&word, ":") || !proc_text_u64(&word, 16, &value) ||
	    word.at != word.end || value > UINT16_MAX)
		return false;
	endpoint->port = (uint16_t)value;
	return true;
}

static bool read_ino(struct proc_text *line, uint64_t *ino)
{
	struct proc_text word;

	return proc_text_word(line, &word) && proc_text_u64(&word, 10, ino) && word.at == word.end;
}

/* "0: LOCAL:PORT REMOTE:PORT STATE TX:RX TR:WHEN RETRANSMITS UID TIMEOUT INODE ..." */
static bool read_ip_line(struct proc_text line, size_t words, struct net_socket *socket)
{
	struct proc_text local, remote;

	if (!proc_text_skip(&line, 1) || !proc_text_word(&line, &local) ||
	    !proc_text_word(&line, &remote) || !read_endpoint(local, words, &socket->local) ||
	    !read_endpoint(remote, words, &socket->remote) || !proc_text_skip(&line, 6) ||
	    !read_ino(&line, &socket->ino))
		return false;
	/* Here the protocol and an id replace the ports. */
	if (socket->l4 == SCAP_L4_RAW || socket->l4 == SCAP_L4_ICMP) {
		socket->local.port = 0;
		socket->remote.port = 0;
	}
	return true;
}

static bool read_ipv4_line(struct proc_text line, struct net_table *table,
			   struct net_socket *socket)
{
	return read_ip_line(line, 1, socket);
}

static bool unmap_ipv4(struct scap_endpoint *endpoint)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (memcmp(endpoint->address, mapped, sizeof(mapped)) != 0)
		return false;
	memmove(endpoint->address, endpoint->address + sizeof(mapped), 4);
	memset(endpoint->address + 4, 0, sizeof(endpoint->address) - 4);
	return true;
}

static bool read_ipv6_line(struct proc_text line, struct net_table *table,
			   struct net_socket *socket)
{
	struct scap_endpoint local, remote;

	if (!read_ip_line(line, 4, socket))
		return false;
	/* An IPv6 socket that uses IPv4 is reported as IPv4. */
	local = socket->local;
	remote = socket->remote;
	if (unmap_ipv4(&local) && unmap_ipv4(&remote)) {
		socket->type = SCAP_FD_IPV4;
		socket->local = local;
		socket->remote = remote;
	}
	return true;
}

/* "ADDRESS: REFS PROTOCOL FLAGS TYPE STATE INODE[ PATH]"; a path may contain blanks. */
static bool read_unix_line(struct proc_text line, struct net_table *table,
			   struct net_socket *socket)
{
	if (!proc_text_u64(&line, 16, &socket->unix_socket) || !proc_text_prefix(&line, ":") ||
	    !proc_text_skip(&line, 5) || !read_ino(&line, &socket->ino))
		return false;
	if (proc_text_prefix(&line, " ") && line.at != line.end) {
		socket->path = table->paths.len;
		buf_append(&table->paths, line.at, (size_t)(line.end - line.at));
		buf_append_char(&table->paths, '\0');
	}
	return true;
}

/* "ADDRESS PROTOCOL PID GROUPS RMEM WMEM DUMP LOCKS DROPS INODE" */
static bool read_netlink_line(struct proc_text line, struct net_table *table,
			      struct net_socket *socket)
{
	return proc_text_skip(&line, 9) && read_ino(&line, &socket->ino);
}

static int net_add_socket(struct net_table *table, const struct net_socket *socket)
{
	if (table->count == table->capacity) {
		size_t more = table->capacity ? 2 * table->capacity : SOCKETS_MIN;
		void *grown = reallocarray(table->sockets, more, sizeof(*table->sockets));

		if (!grown)
			return -ENOMEM;
		table->sockets = grown;
		table->capacity = more;
	}
	table->sockets[table->count++] = *socket;
	return 0;
}

static int load_file(struct net_table *table, int task_dir, const struct net_file *file,
		     struct buf *buf)
{
	struct proc_text text, line;
	int r = proc_read_file(task_dir, file->name, FILE_BYTES_MAX, buf);

	/* No such protocol in this kernel, or the task exited: no sockets. */
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	text = proc_text_of(buf);
	proc_text_line(&text, &line); /* headings */
	while (r == 0 && proc_text_line(&text, &line)) {
		struct net_socket socket = {.type = file->type, .l4 = file->l4};

		/* A socket in a closing state has no inode. */
		if (file->read(line, table, &socket) && socket.ino)
			r = net_add_socket(table, &socket);
	}
	return table->paths.failed ? -ENOMEM : r;
}

static int compare_sockets(const void *a, const void *b)
{
	const struct net_socket *left = a, *right = b;

	return (left->ino > right->ino) - (left->ino < right->ino);
}

/* Among the lines of one inode number, those of unix sockets come last. */
static int compare_lines(const void *a, const void *b)
{
	const struct net_socket *left = a, *right = b;
	int order = compare_sockets(a, b);

	return order ? order : (left->type == SCAP_FD_UNIX) - (right->type == SCAP_FD_UNIX);
}

/*
 * Keeps one socket for each inode number. The path of a unix socket may contain newlines and so
 * forged lines: they never replace another socket, and two contradicting lines are both dropped.
 */
static void drop_doubtful(struct net_table *table)
{
	size_t kept = 0, next;

	for (size_t i = 0; i < table->count; i = next) {
		struct net_socket first = table->sockets[i];

		for (next = i + 1; next < table->count; next++)
			if (table->sockets[next].ino != first.ino)
				break;
		if (next == i + 1 || first.type != SCAP_FD_UNIX)
			table->sockets[kept++] = first;
	}
	table->count = kept;
}

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static int load_table(struct proc_net *net, int task_dir, struct net_table *table)
{
	uint64_t began = now_ms();
	int r = 0;

	table->count = 0;
	buf_clear(&table->paths);
	buf_append_char(&table->paths, '\0');
	for (size_t i = 0; i < COUNT(net_files) && r == 0; i++)
		r = load_file(table, task_dir, &net_files[i], &net->text);
	if (r < 0)
		return r;
	if (table->count)
		qsort(table->sockets, table->count, sizeof(*table->sockets), compare_lines);
	drop_doubtful(table);
	if (net->text.capacity > TEXT_BYTES_KEPT)
		buf_finish(&net->text);
	table->loaded_ms = now_ms();
	table->took_ms = table->loaded_ms - began;
	return 0;
}

static void table_finish(struct net_table *table)
{
	free(table->sockets);
	buf_finish(&table->paths);
}

void proc_net_finish(struct proc_net *net)
{
	for (size_t i = 0; i < net->count; i++)
		table_finish(&net->tables[i]);
	free(net->tables);
	buf_finish(&net->text);
	*net = (struct proc_net){0};
}

/* Namespaces are temporary: when one is added, those not used recently are dropped. */
static int add_table(struct proc_net *net, uint64_t namespace, struct net_table **table)
{
	uint64_t now = now_ms();
	struct net_table *grown;
	size_t kept = 0;

	for (size_t i = 0; i < net->count; i++) {
		if (now - net->tables[i].loaded_ms > TABLE_KEPT_MS)
			table_finish(&net->tables[i]);
		else
			net->tables[kept++] = net->tables[i];
	}
	net->count = kept;
	grown = reallocarray(net->tables, kept + 1, sizeof(*net->tables));
	if (!grown)
		return -ENOMEM;
	net->tables = grown;
	*table = &grown[net->count++];
	**table = (struct net_table){.namespace = namespace};
	return 0;
}

static bool is_fresh(const struct net_table *table)
{
	uint64_t age = now_ms() - table->loaded_ms;

	return table->loaded_ms &&
	       (age <= TABLE_FRESH_MS || age <= TABLE_FRESH_TIMES * table->took_ms);
}

/* The table of a namespace, not older than a second, or some times what loading takes. */
static int fresh_table(struct proc_net *net, int task_dir, uint64_t namespace,
		       struct net_table **table)
{
	struct net_table *found = NULL;
	int r;

	for (size_t i = 0; i < net->count && !found; i++)
		if (net->tables[i].namespace == namespace)
			found = &net->tables[i];
	if (!found) {
		r = add_table(net, namespace, &found);
		if (r < 0)
			return r;
	}
	if (!is_fresh(found)) {
		r = load_table(net, task_dir, found);
		if (r < 0)
			return r;
	}
	*table = found;
	return 0;
}

uint64_t proc_net_namespace(int task_dir)
{
	char target[64];
	int len = proc_read_link(task_dir, "ns/net", target, sizeof(target));
	struct proc_text text = {target, target + (len > 0 ? len : 0)};
	uint64_t ino;

	return proc_text_prefix(&text, "net:[") && proc_text_u64(&text, 10, &ino) ? ino : 0;
}

int proc_net_find(struct proc_net *net, int task_dir, uint64_t namespace, uint64_t ino,
		  struct scap_fd *fd)
{
	const struct net_socket key = {.ino = ino}, *found;
	struct net_table *table;
	int r = fresh_table(net, task_dir, namespace, &table);

	if (r < 0)
		return r;
	found = table->count
			? bsearch(&key, table->sockets, table->count, sizeof(key), compare_sockets)
			: NULL;
	if (!found)
		return -ENOENT;
	fd->type = found->type;
	fd->l4 = found->l4;
	fd->local = found->local;
	fd->remote = found->remote;
	fd->name = table->paths.data + found->path;
	fd->unix_socket = found->unix_socket;
	return 0;
}
