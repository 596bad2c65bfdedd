/* SPDX-License-Identifier: MIT */
/*
 * A reader gets a question by its socket, writes what it reads to memory that it shares with this
 * process, and answers with the length. One that does not answer keeps its memory to itself, until
 * it does.
 */
#include "scap/proc/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privileges/privileges.h"
#include "scap/proc/net.h"
#include "scap/proc/root.h"
#include "scap/proc/text.h"
#include "util/clock.h"

/* Shares of users, of whom the one who spent least makes room for another. */

/* How long a read may take, by what was spent. */
struct patience {
	uint64_t spent_ms;
	int patience_ms;
};

/*
 * Ordinary reads take less than a millisecond: even the last rows leave them time. `all`: by what
 * all users spent, so that those of one who spent his share have enough; NULL: no limit.
 */
static const struct {
	const struct patience *own, *all;
	bool of_files;
} rows[PROC_SHARE_KINDS] = {
	[PROC_SHARE_STRINGS] = {(const struct patience[]){{500, 500}, {1000, 20}, {UINT64_MAX, 2}},
				(const struct patience[]){{1000, 500}, {2000, 20}, {UINT64_MAX, 2}},
				false},
	[PROC_SHARE_SOCKET] = {(const struct patience[]){{200, 50}, {1000, 5}, {UINT64_MAX, 1}},
			       (const struct patience[]){{1000, 50}, {2000, 5}, {UINT64_MAX, 1}},
			       false},
	[PROC_SHARE_FILE] = {(const struct patience[]){{1000, 1000}, {3000, 200}, {UINT64_MAX, 50}},
			     NULL, true},
};

static uint64_t *spent_of(struct proc_shares *shares, unsigned int i, enum proc_share share)
{
	return rows[share].of_files ? &shares->owners[i].files_ms : &shares->owners[i].events_ms;
}

static uint64_t sum_of(const struct proc_shares *shares, unsigned int i)
{
	return shares->owners[i].events_ms + shares->owners[i].files_ms;
}

/* Returns whether there is one. */
static bool shares_find(const struct proc_shares *shares, uint32_t owner, unsigned int *found)
{
	for (unsigned int i = 0; i < shares->count; i++)
		if (shares->owners[i].owner == owner) {
			*found = i;
			return true;
		}
	return false;
}

static unsigned int take_place(struct proc_shares *shares, uint32_t owner)
{
	unsigned int least = 0;

	if (shares_find(shares, owner, &least))
		return least;
	if (shares->count < PROC_SHARES_OWNERS)
		least = shares->count++;
	else
		for (unsigned int i = 1; i < PROC_SHARES_OWNERS; i++)
			if (sum_of(shares, i) < sum_of(shares, least))
				least = i;
	shares->owners[least].owner = owner;
	shares->owners[least].events_ms = shares->owners[least].files_ms = 0;
	return least;
}

static int patience_by(const struct patience *row, uint64_t spent_ms)
{
	while (spent_ms >= row->spent_ms)
		row++;
	return row->patience_ms;
}

int proc_shares_patience(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			 uint64_t now_ms)
{
	unsigned int i;
	int own, all;

	if (now_ms - shares->span_ms >= PROC_SHARES_SPAN_MS)
		*shares = (struct proc_shares){.span_ms = now_ms};
	own = patience_by(rows[share].own,
			  shares_find(shares, owner, &i) ? *spent_of(shares, i, share) : 0);
	all = rows[share].all ? patience_by(rows[share].all, shares->spent_ms) : own;
	return own < all ? own : all;
}

void proc_shares_charge(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			unsigned int spent_ms)
{
	if (!spent_ms)
		return;
	*spent_of(shares, take_place(shares, owner), share) += spent_ms;
	if (!rows[share].of_files)
		shares->spent_ms += spent_ms;
}

static void take_from(uint64_t *sum, unsigned int ms)
{
	*sum -= *sum < ms ? *sum : ms;
}

void proc_shares_discharge(struct proc_shares *shares, uint32_t owner, enum proc_share share,
			   unsigned int spent_ms, uint64_t span_ms)
{
	unsigned int i;

	if (shares->span_ms != span_ms)
		return;
	if (shares_find(shares, owner, &i))
		take_from(spent_of(shares, i, share), spent_ms);
	if (!rows[share].of_files)
		take_from(&shares->spent_ms, spent_ms);
}

enum {
	FILE_BYTES_MAX = 256 << 10,
	OWNER_READERS_MAX = PROC_READERS / 2,
	FREE_MS = 2, /* that an answer may take: as long as any read is waited for */
	NS_IN_MS = 1000000,
	PROC_FD = HELPER_FD, /* there, followed by a socket for each reader */
	STACK_BYTES = 128 << 10,
	START_MS = 30000,
	SCHEDSTAT_BYTES = 64,
};

struct question {
	int64_t pid, tid;
	uint64_t network, ino;
	uint32_t what;
};

/* The text of an answer about a socket; its name follows. */
struct socket_text {
	uint32_t type, l4;
	struct scap_endpoint local, remote;
	uint64_t unix_socket;
};

struct answer {
	int32_t code; /* 0 or -errno */
	uint32_t len;
	uint32_t waited_ms; /* for what the owner makes slow */
};

enum reader_state {
	READER_FREE,
	READER_ASKED, /* a thread waits for its answer */
	READER_GIVEN_UP,
	READER_ENDED, /* with its process */
};

struct reader {
	int ends[2]; /* of its socket: ours, and that of the process */
	char *bytes; /* shared: FILE_BYTES_MAX */
	enum reader_state state;
	struct proc_target target; /* of what it was given up for */
	struct {
		enum proc_share share;
		unsigned int ms;
		uint64_t span_ms; /* of proc_shares */
	} charged; /* for that */
};

struct proc_readers {
	atomic_uint refs;
	_Atomic uint64_t given_up;
	pid_t pid; /* 0: there is none */
	pthread_mutex_t lock; /* of what follows */
	struct reader list[PROC_READERS];
	struct proc_shares shares;
};

static int readers_read_strings(int proc, int task, const char *name, struct buf *text)
{
	return proc_read_file(task, name, PROC_STRINGS_BYTES_MAX + 1, text);
}

static int read_of_root(int proc, int task, const char *path, struct buf *text)
{
	struct proc_root root;
	int r = proc_root_open(&root, proc, task);

	if (r == 0)
		r = proc_root_read(&root, path, FILE_BYTES_MAX, text);
	proc_root_close(&root);
	return r;
}

static const struct {
	enum proc_share share;
	int (*read)(int proc, int task, const char *path, struct buf *text);
	const char *path;
} kinds[PROC_READ_KINDS] = {
	[PROC_READ_ARGUMENTS] = {PROC_SHARE_STRINGS, readers_read_strings, "cmdline"},
	[PROC_READ_ENVIRONMENT] = {PROC_SHARE_STRINGS, readers_read_strings, "environ"},
	[PROC_READ_SOCKET] = {PROC_SHARE_SOCKET, NULL, NULL},
	[PROC_READ_PASSWD] = {PROC_SHARE_FILE, read_of_root, "etc/passwd"},
	[PROC_READ_GROUP] = {PROC_SHARE_FILE, read_of_root, "etc/group"},
};

int proc_read_here(int proc, int task, enum proc_read_what what, struct buf *text)
{
	return kinds[what].read(proc, task, kinds[what].path, text);
}

/* In the other process: */

static int readers_find_socket(struct proc_net *net, const struct question *question, int task,
			       struct buf *text)
{
	struct scap_fd fd = {.name = ""};
	struct socket_text found;
	int r = proc_net_find(net, task, question->network, question->ino, &fd);

	if (r)
		return r;
	memset(&found, 0, sizeof(found)); /* its gaps, too: they leave this process */
	found.type = fd.type;
	found.l4 = fd.l4;
	found.local = fd.local;
	found.remote = fd.remote;
	found.unix_socket = fd.unix_socket;
	buf_append(text, &found, sizeof(found));
	buf_append_string(text, fd.name);
	return text->failed ? -ENOMEM : 0;
}

static int answer_question(const struct question *question, struct proc_net *net, struct buf *text)
{
	char name[64];
	int task, r;

	if (question->what >= PROC_READ_KINDS)
		return -EINVAL;
	snprintf(name, sizeof(name), "%" PRId64 "/task/%" PRId64, question->pid, question->tid);
	task = openat(PROC_FD, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (task < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	r = question->what == PROC_READ_SOCKET
		    ? readers_find_socket(net, question, task, text)
		    : proc_read_here(PROC_FD, task, question->what, text);
	close(task);
	return r;
}

/* Where this thread has spent its time so far. */
struct spent {
	uint64_t now_ns, queued_ns; /* queued: it waited for a CPU */
	long sleeps;
};

/* schedstat: the thread's file of that name; -1: the kernel has none, and nothing is known. */
static struct spent spent_so_far(int schedstat)
{
	struct spent spent = {.now_ns = clock_ns(CLOCK_MONOTONIC)};
	struct rusage usage = {0};
	char text[SCHEDSTAT_BYTES];
	ssize_t n = schedstat < 0 ? -1 : pread(schedstat, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	sscanf(text, "%*u %" SCNu64, &spent.queued_ns);
	getrusage(RUSAGE_THREAD, &usage);
	spent.sleeps = usage.ru_nvcsw;
	return spent;
}

/*
 * How long the answer took, if that was for what the owner has a say in: a file that lets the
 * thread sleep, or as many sockets as he likes; but not while the thread was only waiting for a
 * CPU.
 */
static uint32_t waited_ms(const struct question *question, const struct spent *begin,
			  const struct spent *end)
{
	uint64_t took = end->now_ns - begin->now_ns, queued = end->queued_ns - begin->queued_ns;
	uint64_t ms = (took > queued ? took - queued : 0) / NS_IN_MS;

	if (ms < FREE_MS || (question->what != PROC_READ_SOCKET && end->sleeps == begin->sleeps))
		return 0;
	return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

struct service {
	int socket;
	char *bytes;
};

/* Until the other side is closed: then the process ends. */
static void *readers_serve(void *context)
{
	const struct service *service = context;
	struct question question;
	struct buf text = {0};
	struct proc_net net = {0};
	int schedstat = openat(PROC_FD, "thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	while (read(service->socket, &question, sizeof(question)) == sizeof(question)) {
		struct answer answer = {0};
		struct spent begin = spent_so_far(schedstat), end;

		buf_clear(&text);
		answer.code = answer_question(&question, &net, &text);
		end = spent_so_far(schedstat);
		answer.waited_ms = waited_ms(&question, &begin, &end);
		if (answer.code == 0) {
			answer.len =
				text.len < FILE_BYTES_MAX ? (uint32_t)text.len : FILE_BYTES_MAX;
			memcpy(service->bytes, text.data, answer.len);
		}
		if (write(service->socket, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(EXIT_SUCCESS);
}

/* A reader gets its thread with its first question: most never do. */
static void serve_all(struct service services[PROC_READERS])
{
	struct pollfd wait[PROC_READERS];
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (size_t i = 0; i < PROC_READERS; i++)
		wait[i] = (struct pollfd){.fd = services[i].socket, .events = POLLIN};
	while (poll(wait, PROC_READERS, -1) >= 0 || errno == EINTR)
		for (size_t i = 0; i < PROC_READERS; i++)
			if (wait[i].fd >= 0 && wait[i].revents &&
			    pthread_create(&thread, &attributes, readers_serve, &services[i]) == 0)
				wait[i].fd = -1;
}

static int readers_run(const struct proc_readers *readers, int proc)
{
	static const struct answer begun;
	struct service services[PROC_READERS];
	int fds[1 + PROC_READERS] = {proc};

	for (size_t i = 0; i < PROC_READERS; i++) {
		fds[1 + i] = readers->list[i].ends[1];
		services[i] = (struct service){PROC_FD + 1 + (int)i, readers->list[i].bytes};
	}
	_Static_assert(1 + PROC_READERS <= HELPER_FDS_MAX, "all are kept");
	if (privileges_begin_helper("agent-reader", fds, 1 + PROC_READERS) ||
	    privileges_enter(ROLE_PROCESSES, NULL, NULL) ||
	    write(services[0].socket, &begun, sizeof(begun)) != sizeof(begun))
		return EXIT_FAILURE;
	serve_all(services);
	return EXIT_FAILURE;
}

/* In this process: */

/* The answer. Returns 0; -EAGAIN if there is none yet; -EPIPE if the process has ended. */
static int take_answer(struct reader *reader, struct answer *answer)
{
	ssize_t n = recv(reader->ends[0], answer, sizeof(*answer), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	return n == sizeof(*answer) && answer->len <= FILE_BYTES_MAX ? 0 : -EPIPE;
}

static int readers_init(struct reader *reader)
{
	void *bytes = mmap(NULL, FILE_BYTES_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);

	if (bytes == MAP_FAILED)
		return -errno;
	reader->bytes = bytes;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, reader->ends) ? -errno : 0;
}

static int start_process(struct proc_readers *readers, int proc)
{
	struct pollfd begins = {.fd = readers->list[0].ends[0], .events = POLLIN};
	struct answer begun;
	pid_t pid = fork();

	if (pid == 0)
		_exit(readers_run(readers, proc));
	if (pid < 0)
		return -errno;
	readers->pid = pid;
	return poll(&begins, 1, START_MS) == 1 && take_answer(&readers->list[0], &begun) == 0
		       ? 0
		       : -ETIMEDOUT;
}

static int readers_start(struct proc_readers *readers, const char *path)
{
	int proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (proc < 0)
		return -errno;
	for (size_t i = 0; r == 0 && i < PROC_READERS; i++)
		r = readers_init(&readers->list[i]);
	if (r == 0)
		r = start_process(readers, proc);
	close(proc);
	for (size_t i = 0; i < PROC_READERS; i++)
		if (readers->list[i].ends[1] >= 0)
			close(readers->list[i].ends[1]);
	return r;
}

int proc_readers_start(const char *path, struct proc_readers **readers, struct error *err)
{
	struct proc_readers *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < PROC_READERS; i++)
		made->list[i].ends[0] = made->list[i].ends[1] = -1;
	atomic_init(&made->refs, 1);
	pthread_mutex_init(&made->lock, NULL);
	r = readers_start(made, path);
	if (r) {
		proc_readers_unref(made);
		return error_set(err, r, "cannot start the process that reads %s: %s", path,
				 strerror(-r));
	}
	*readers = made;
	return 0;
}

struct proc_readers *proc_readers_ref(struct proc_readers *readers)
{
	if (readers)
		atomic_fetch_add(&readers->refs, 1);
	return readers;
}

void proc_readers_unref(struct proc_readers *readers)
{
	bool hangs = false;

	if (!readers || atomic_fetch_sub(&readers->refs, 1) > 1)
		return;
	for (size_t i = 0; i < PROC_READERS; i++) {
		struct reader *reader = &readers->list[i];

		hangs |= reader->state == READER_GIVEN_UP;
		if (reader->ends[0] >= 0)
			close(reader->ends[0]);
		if (reader->bytes)
			munmap(reader->bytes, FILE_BYTES_MAX);
	}
	if (readers->pid) {
		kill(readers->pid, SIGKILL);
		while (waitpid(readers->pid, NULL, hangs ? WNOHANG : 0) < 0 && errno == EINTR)
			;
	}
	pthread_mutex_destroy(&readers->lock);
	free(readers);
}

pid_t proc_readers_pid(const struct proc_readers *readers)
{
	return readers->pid;
}

/* What a reader that came back did not wait for, after all: it had no CPU. */
static void readers_discharge(struct proc_readers *readers, const struct reader *reader,
			      uint32_t waited_ms)
{
	if (waited_ms < reader->charged.ms)
		proc_shares_discharge(&readers->shares, reader->target.owner, reader->charged.share,
				      reader->charged.ms - waited_ms, reader->charged.span_ms);
}

/* Those that came back from what they were given up for. */
static void take_back(struct proc_readers *readers)
{
	struct answer late;

	for (size_t i = 0; i < PROC_READERS; i++) {
		struct reader *reader = &readers->list[i];
		int r = reader->state == READER_GIVEN_UP ? take_answer(reader, &late) : -EAGAIN;

		if (r == 0)
			readers_discharge(readers, reader, late.waited_ms);
		if (r != -EAGAIN)
			reader->state = r ? READER_ENDED : READER_FREE;
	}
}

/* Whether both would wait for the same. */
static bool readers_is_same(const struct proc_target *a, const struct proc_target *b)
{
	return a->network == b->network && (a->network || a->pid == b->pid);
}

/* One that is free. NULL: there is none, or none that may be lost for this target, too. */
static struct reader *readers_find(struct proc_readers *readers, const struct proc_target *target)
{
	struct reader *found = NULL;
	size_t of_owner = 0;

	for (size_t i = 0; i < PROC_READERS; i++) {
		struct reader *reader = &readers->list[i];

		if (reader->state == READER_FREE && !found)
			found = reader;
		if (reader->state != READER_GIVEN_UP)
			continue;
		of_owner += reader->target.owner == target->owner;
		if (readers_is_same(&reader->target, target))
			return NULL;
	}
	return of_owner < OWNER_READERS_MAX ? found : NULL;
}

/* Takes one for a question, and how long to wait for it. */
static struct reader *readers_take(struct proc_readers *readers, const struct proc_target *target,
				   enum proc_read_what what, int *patience_ms)
{
	struct reader *reader;

	pthread_mutex_lock(&readers->lock);
	take_back(readers);
	reader = readers_find(readers, target);
	if (reader) {
		reader->state = READER_ASKED;
		reader->target = *target;
		*patience_ms =
			proc_shares_patience(&readers->shares, target->owner, kinds[what].share,
					     clock_ns(CLOCK_MONOTONIC) / NS_IN_MS);
	}
	pthread_mutex_unlock(&readers->lock);
	return reader;
}

static void readers_give_back(struct proc_readers *readers, struct reader *reader,
			      enum reader_state state, enum proc_share share, unsigned int spent_ms)
{
	pthread_mutex_lock(&readers->lock);
	reader->state = state;
	reader->charged.share = share;
	reader->charged.ms = spent_ms;
	reader->charged.span_ms = readers->shares.span_ms;
	proc_shares_charge(&readers->shares, reader->target.owner, share, spent_ms);
	pthread_mutex_unlock(&readers->lock);
}

/* Returns 0 with an answer; -ETIMEDOUT; or -EPIPE. A signal does not make it longer. */
static int readers_ask(struct reader *reader, const struct question *question, int patience_ms,
		       struct answer *answer)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)patience_ms * NS_IN_MS;
	struct pollfd wait = {.fd = reader->ends[0], .events = POLLIN};
	uint64_t now;

	if (send(reader->ends[0], question, sizeof(*question), MSG_NOSIGNAL) < 0)
		return -EPIPE;
	while ((now = clock_ns(CLOCK_MONOTONIC)) < end) {
		poll(&wait, 1, (int)((end - now) / NS_IN_MS) + 1);
		int r = take_answer(reader, answer);

		if (r != -EAGAIN)
			return r;
	}
	return -ETIMEDOUT;
}

static int readers_take_text(const struct reader *reader, const struct answer *answer,
			     struct buf *text)
{
	buf_clear(text);
	if (answer->code)
		return answer->code;
	if (!buf_reserve(text, answer->len + 1))
		return -ENOMEM;
	memcpy(text->data, reader->bytes, answer->len);
	text->data[answer->len] = '\0';
	text->len = answer->len;
	return 0;
}

int proc_readers_read(struct proc_readers *readers, const struct proc_target *target,
		      enum proc_read_what what, struct buf *text)
{
	const struct question question = {target->pid, target->tid, target->network, target->ino,
					  what};
	struct answer answer;
	struct reader *reader;
	int patience_ms, r = -ETIMEDOUT;

	reader = readers_take(readers, target, what, &patience_ms);
	if (reader)
		r = readers_ask(reader, &question, patience_ms, &answer);
	if (r) {
		atomic_fetch_add_explicit(&readers->given_up, 1, memory_order_relaxed);
		buf_clear(text);
		if (reader)
			readers_give_back(readers, reader,
					  r == -EPIPE ? READER_ENDED : READER_GIVEN_UP,
					  kinds[what].share, (unsigned int)patience_ms);
		return -ETIMEDOUT;
	}
	r = readers_take_text(reader, &answer, text);
	readers_give_back(readers, reader, READER_FREE, kinds[what].share, answer.waited_ms);
	return r;
}

int proc_readers_socket(struct proc_readers *readers, const struct proc_target *target,
			struct buf *text, struct scap_fd *fd)
{
	int r = proc_readers_read(readers, target, PROC_READ_SOCKET, text);
	struct socket_text found;

	if (r)
		return r;
	if (text->len < sizeof(found))
		return -EBADMSG;
	memcpy(&found, text->data, sizeof(found));
	fd->type = found.type;
	fd->l4 = found.l4;
	fd->local = found.local;
	fd->remote = found.remote;
	fd->unix_socket = found.unix_socket;
	fd->name = text->data + sizeof(found);
	return 0;
}

int proc_readers_read_or_here(struct proc_readers *readers, int proc, int task,
			      const struct proc_target *target, enum proc_read_what what,
			      struct buf *text)
{
	return readers ? proc_readers_read(readers, target, what, text)
		       : proc_read_here(proc, task, what, text);
}

uint64_t proc_readers_given_up(const struct proc_readers *readers)
{
	return atomic_load_explicit(&readers->given_up, memory_order_relaxed);
}
