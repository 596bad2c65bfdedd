/* SPDX-License-Identifier: MIT */
/* Reads /proc and files that are mapped, and checks that they are these. */
#include "scap/samples/symbol_reader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "privileges/privileges.h"
#include "scap/symbols/symbol_elf.h"
#include "scap/symbols/symbol_file.h"
#include "util/buf.h"
#include "util/clock.h"

enum { PATIENCE_MS = 1000 };

struct symbol_thread {
	pthread_t thread;
	struct symbol_reader *reader;
	struct symbol_request *request; /* owned: what is read now; NULL: nothing */
	uint64_t begun_ns; /* monotonic clock: since when */
	bool given_up; /* when it comes back, it ends, and frees this */
};

struct symbol_reader {
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t asked;
	struct symbol_thread *thread; /* owned: who reads */
	struct symbol_request *requests, **requests_end, *answers, **answers_end;
	uint64_t slow_ns;
	uint64_t slow;
	/* Threads that were given up and have not come back. They free themselves. */
	struct symbol_thread *stuck_threads[SYMBOLS_STUCK_MAX];
	unsigned int stuck;
	bool ends;
	int proc, kernel; /* owned */
};

void symbol_request_destroy(struct symbol_request *request)
{
	if (!request)
		return;
	symbol_table_finish(&request->table);
	free(request->mappings);
	free(request->texts);
	free(request->path);
	free(request);
}

/* Mappings. */

struct reading {
	struct symbol_request *request;
	struct buf texts;
	bool failed;
};

static void read_line(struct reading *reading, const struct symbol_maps_line *line)
{
	struct symbol_request *request = reading->request;

	if (!line->id.ino || line->rights[2] != 'x')
		return;
	request->mappings[request->mappings_count++] = (struct symbol_mapping){
		.mapping = {line->begin, line->end, line->offset, 0},
		.id = line->id,
		.path = reading->texts.len,
	};
	buf_append_string(&reading->texts, line->path);
	buf_append_char(&reading->texts, '\0');
}

static int read_mappings(struct symbol_request *request, int proc)
{
	struct reading reading = {.request = request};
	struct symbol_maps_line line;
	char name[32];
	FILE *file;
	int r;

	snprintf(name, sizeof(name), "%d/maps", request->pid);
	r = symbol_maps_open(proc, name, &file);
	if (r)
		return r;
	request->mappings = calloc(MAPPINGS_MAX, sizeof(*request->mappings));
	while (request->mappings && request->mappings_count < MAPPINGS_MAX &&
	       symbol_maps_next(file, &line))
		read_line(&reading, &line);
	fclose(file);
	if (!request->mappings)
		return -ENOMEM;
	request->texts = reading.texts.data;
	return reading.texts.failed ? -ENOMEM : 0;
}

/* Files. */

static int read_file(struct symbol_request *request, int proc)
{
	const struct symbol_file file = {request->pid, request->begin, request->end, request->id,
					 request->path};
	int fd = symbol_file_open(&file, proc), r;

	if (fd < 0)
		return fd;
	r = symbol_elf_read(fd, -1, &request->table);
	close(fd);
	return r;
}

void symbol_request_read(struct symbol_request *request, int proc, int kernel)
{
	request->begun_ns = clock_ns(CLOCK_MONOTONIC);
	switch (request->kind) {
	case READ_KERNEL:
		/* It may have been read before. */
		(void)lseek(kernel, 0, SEEK_SET);
		request->error =
			kernel < 0 ? kernel : symbol_table_read_kernel(kernel, &request->table);
		break;
	case READ_MAPPINGS:
		request->error = read_mappings(request, proc);
		break;
	case READ_FILE:
		request->error = read_file(request, proc);
		break;
	}
	request->read_ns = clock_ns(CLOCK_MONOTONIC);
}

/* The thread. */

static struct symbol_request *take_request(struct symbol_request **first,
					   struct symbol_request ***end)
{
	struct symbol_request *taken = *first;

	if (!taken)
		return NULL;
	*first = taken->next;
	if (!*first)
		*end = first;
	taken->next = NULL;
	return taken;
}

static void put_last(struct symbol_request *request, struct symbol_request ***end)
{
	request->next = NULL;
	**end = request;
	*end = &request->next;
}

static bool is_slow(const struct symbol_reader *reader, const struct symbol_thread *thread)
{
	return thread->request && clock_ns(CLOCK_MONOTONIC) - thread->begun_ns > reader->slow_ns;
}

/*
 * Whether a stuck thread reads from the same source: all files of a device are those of one server,
 * and all mappings of a process have one lock.
 */
static bool is_hopeless(const struct symbol_reader *reader, const struct symbol_request *request)
{
	for (unsigned int i = 0; i < reader->stuck; i++) {
		const struct symbol_request *other = reader->stuck_threads[i]->request;
		const bool is_same[] = {
			[READ_MAPPINGS] = other->pid == request->pid,
			[READ_FILE] = other->id.major == request->id.major &&
				      other->id.minor == request->id.minor,
		};

		if (other->kind == request->kind && is_same[request->kind])
			return true;
	}
	return false;
}

static void refuse(struct symbol_reader *reader, struct symbol_request *request)
{
	request->error = -ETIMEDOUT;
	request->begun_ns = request->read_ns = clock_ns(CLOCK_MONOTONIC);
	put_last(request, &reader->answers_end);
}

/* Reads one request, without the mutex meanwhile. */
static void thread_read(struct symbol_thread *thread, int error)
{
	struct symbol_reader *reader = thread->reader;
	struct symbol_request *request = thread->request;

	thread->begun_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&reader->mutex);
	if (error)
		request->error = error;
	else
		symbol_request_read(request, reader->proc, reader->kernel);
	pthread_mutex_lock(&reader->mutex);
	/* It was answered when it was given up. */
	if (thread->given_up) {
		symbol_request_destroy(request);
	} else {
		reader->slow += is_slow(reader, thread);
		put_last(request, &reader->answers_end);
	}
	thread->request = NULL;
}

static void take_stuck_out(struct symbol_reader *reader, const struct symbol_thread *thread)
{
	for (unsigned int i = 0; i < reader->stuck; i++) {
		if (reader->stuck_threads[i] != thread)
			continue;
		reader->stuck_threads[i] = reader->stuck_threads[--reader->stuck];
		return;
	}
}

/* The next request that is to be read; NULL: there is none. */
static struct symbol_request *next_request(struct symbol_reader *reader)
{
	struct symbol_request *request;

	while ((request = take_request(&reader->requests, &reader->requests_end))) {
		if (!is_hopeless(reader, request))
			break;
		refuse(reader, request);
	}
	return request;
}

static void *symbol_thread_run(void *data)
{
	struct symbol_thread *thread = data;
	struct symbol_reader *reader = thread->reader;
	int r = privileges_enter(ROLE_PROCESSES, NULL, NULL);
	bool given_up;

	pthread_setname_np(pthread_self(), "symbols");
	pthread_mutex_lock(&reader->mutex);
	while (!reader->ends && !thread->given_up) {
		thread->request = next_request(reader);
		if (thread->request)
			thread_read(thread, r);
		else
			pthread_cond_wait(&reader->asked, &reader->mutex);
	}
	given_up = thread->given_up;
	take_stuck_out(reader, thread);
	pthread_mutex_unlock(&reader->mutex);
	if (given_up)
		free(thread);
	return NULL;
}

/* Signals are the business of the other threads. Returns 0 or -errno. */
static int symbol_thread_start(struct symbol_reader *reader, struct symbol_thread **thread)
{
	struct symbol_thread *made = calloc(1, sizeof(*made));
	sigset_t all, before;
	int r;

	if (!made)
		return -ENOMEM;
	made->reader = reader;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&made->thread, NULL, symbol_thread_run, made);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		free(made);
	else
		*thread = made;
	return -r;
}

/* What it was asked for, and that there is no answer. NULL: out of memory. */
static struct symbol_request *make_refusal(const struct symbol_request *request)
{
	struct symbol_request *made = calloc(1, sizeof(*made));

	if (made)
		*made = (struct symbol_request){
			.kind = request->kind,
			.pid = request->pid,
			.file = request->file,
			.begin = request->begin,
			.end = request->end,
			.id = request->id,
			.error = -ETIMEDOUT,
			.read_ns = clock_ns(CLOCK_MONOTONIC),
		};
	return made;
}

/* A thread that is stuck goes on by itself, if it ever does; another one takes its place. */
static void give_up_if_slow(struct symbol_reader *reader)
{
	struct symbol_thread *stuck = reader->thread, *other;
	struct symbol_request *refusal;

	if (!is_slow(reader, stuck) || reader->stuck == SYMBOLS_STUCK_MAX)
		return;
	refusal = make_refusal(stuck->request);
	if (!refusal || symbol_thread_start(reader, &other)) {
		symbol_request_destroy(refusal);
		return;
	}
	pthread_detach(stuck->thread);
	stuck->given_up = true;
	reader->stuck_threads[reader->stuck++] = stuck;
	reader->slow++;
	reader->thread = other;
	put_last(refusal, &reader->answers_end);
}

static void close_files(int proc, int kernel)
{
	if (proc >= 0)
		close(proc);
	if (kernel >= 0)
		close(kernel);
}

int symbol_reader_create(int proc, int kernel, uint64_t slow_ns, struct symbol_reader **reader,
			 struct error *err)
{
	struct symbol_reader *made = calloc(1, sizeof(*made));
	int r;

	if (!made) {
		close_files(proc, kernel);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->proc = proc;
	made->kernel = kernel;
	made->slow_ns = slow_ns;
	made->requests_end = &made->requests;
	made->answers_end = &made->answers;
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->asked, NULL);
	r = symbol_thread_start(made, &made->thread);
	if (r) {
		close_files(proc, kernel);
		free(made);
		return error_set(err, r, "cannot start the thread that reads symbols: %s",
				 strerror(-r));
	}
	*reader = made;
	return 0;
}

static void destroy_all(struct symbol_request *first)
{
	while (first) {
		struct symbol_request *next = first->next;

		symbol_request_destroy(first);
		first = next;
	}
}

void symbol_reader_destroy(struct symbol_reader *reader)
{
	struct timespec until;
	unsigned int stuck;

	if (!reader)
		return;
	pthread_mutex_lock(&reader->mutex);
	reader->ends = true;
	stuck = reader->stuck;
	pthread_cond_signal(&reader->asked);
	pthread_mutex_unlock(&reader->mutex);
	until = clock_after_ms(CLOCK_REALTIME, PATIENCE_MS);
	if (pthread_timedjoin_np(reader->thread->thread, NULL, &until)) {
		pthread_detach(reader->thread->thread);
		return; /* what it uses stays */
	}
	if (stuck)
		return; /* likewise */
	free(reader->thread);
	destroy_all(reader->requests);
	destroy_all(reader->answers);
	close_files(reader->proc, reader->kernel);
	pthread_cond_destroy(&reader->asked);
	pthread_mutex_destroy(&reader->mutex);
	free(reader);
}

void symbol_reader_ask(struct symbol_reader *reader, struct symbol_request *request)
{
	pthread_mutex_lock(&reader->mutex);
	put_last(request, &reader->requests_end);
	pthread_cond_signal(&reader->asked);
	pthread_mutex_unlock(&reader->mutex);
}

struct symbol_request *symbol_reader_answer(struct symbol_reader *reader)
{
	struct symbol_request *answer;

	pthread_mutex_lock(&reader->mutex);
	give_up_if_slow(reader);
	answer = take_request(&reader->answers, &reader->answers_end);
	pthread_mutex_unlock(&reader->mutex);
	return answer;
}

uint64_t symbol_reader_slow(struct symbol_reader *reader)
{
	uint64_t slow;

	pthread_mutex_lock(&reader->mutex);
	slow = reader->slow + is_slow(reader, reader->thread);
	pthread_mutex_unlock(&reader->mutex);
	return slow;
}
