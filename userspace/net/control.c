/* SPDX-License-Identifier: MIT */
/*
 * The server: its thread accepts, libmicrohttpd reads and answers what was accepted; and the one
 * question that waits for the loop.
 */
#include "net/control.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "net/listen.h"
#include "privileges/privileges.h"
#include "util/clock.h"
#include "util/count.h"
#include "util/waker.h"

enum { CONNECTION_BYTES = 16 << 10, ACCEPTED_AT_ONCE = 64, LOOK_MS = 1000 };

struct control {
	const struct control_page *pages;
	void *context;
	const struct waker *waker; /* borrowed: that of the loop */
	char *address; /* owned */
	int listener, wake; /* owned; wake: readable when the thread must end */
	pthread_t thread;
	bool runs; /* the thread */
	/* Of the thread alone: */
	struct MHD_Daemon *daemon;
	struct listen_connections connections;
	struct listen_connection *added; /* the one that is told to the daemon now */
	/* Counted by the thread, read by others. */
	_Atomic uint64_t dropped[CONTROL_DROPPED_KINDS];
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed; /* on the monotonic clock */
	void (*function)(void *data); /* the question; NULL: none */
	void *data;
	atomic_bool is_asked; /* whether there is one, to be read without the lock */
	bool closing; /* the loop does not come by any more */
};

static const struct control_page *find_page(const struct control *control, const char *path)
{
	for (const struct control_page *page = control->pages; page->path; page++)
		if (strcmp(page->path, path) == 0)
			return page;
	return NULL;
}

static void list_pages(const struct control *control, struct control_answer *answer)
{
	for (const struct control_page *page = control->pages; page->path; page++)
		buf_printf(&answer->body, "%s  %s\n", page->path, page->help);
}

static void answer_error(struct control_answer *answer, unsigned int status, const char *text)
{
	answer->status = status;
	answer->type = "text/plain; charset=utf-8";
	buf_clear(&answer->body);
	buf_printf(&answer->body, "%s\n", text);
}

static enum MHD_Result control_send_answer(struct MHD_Connection *connection,
					   struct control_answer *answer)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	if (answer->body.failed)
		answer_error(answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	response = MHD_create_response_from_buffer(answer->body.len, answer->body.data,
						   MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	/* One request a connection: the time that it may take is that of the connection. */
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return result;
}

static bool accepts_openmetrics(struct MHD_Connection *connection)
{
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return accept && strstr(accept, "application/openmetrics-text");
}

static void control_fill(struct control *control, struct MHD_Connection *connection,
			 const char *path, const char *method, struct control_answer *answer)
{
	const struct control_page *page = find_page(control, path);

	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		answer_error(answer, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is served");
	else if (page)
		page->get(control, control->context, accepts_openmetrics(connection), answer);
	else if (strcmp(path, "/") == 0)
		list_pages(control, answer);
	else
		answer_error(answer, MHD_HTTP_NOT_FOUND, "there is no such page; / lists them");
}

/* Called first for the headers, then for each part of a body, which is ignored, and at the end. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **request)
{
	static int begun;
	struct control_answer answer = {.status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8"};
	enum MHD_Result result;

	if (!*request) {
		*request = &begun;
		return MHD_YES;
	}
	if (*upload_bytes) {
		*upload_bytes = 0;
		return MHD_YES;
	}
	control_fill(context, connection, path, method, &answer);
	result = control_send_answer(connection, &answer);
	buf_finish(&answer.body);
	return result;
}

/* Called by the daemon, on the thread, when it takes a connection and before it closes one. */
static void control_follow(void *context, struct MHD_Connection *connection, void **place,
			   enum MHD_ConnectionNotificationCode code)
{
	struct control *control = context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*place = control->added;
	else
		listen_connections_remove(&control->connections, *place);
}

static void control_drop(struct control *control, enum control_dropped why, unsigned int count)
{
	atomic_fetch_add_explicit(&control->dropped[why], count, memory_order_relaxed);
}

static void control_make_room(struct control *control, uint64_t address)
{
	struct listen_connection *crowded =
		listen_connections_crowded(&control->connections, address);

	if (!crowded)
		return;
	shutdown(crowded->fd, SHUT_RDWR);
	control_drop(control, CONTROL_DROPPED_CROWDED, 1);
	MHD_run(control->daemon);
}

static void admit(struct control *control, int fd, const struct sockaddr *address, socklen_t len)
{
	uint64_t from = listen_connections_address(address);

	control_make_room(control, from);
	if (listen_connections_crowded(&control->connections, from)) {
		control_drop(control, CONTROL_DROPPED_CROWDED, 1);
		close(fd); /* the daemon did not let go of the other one */
		return;
	}
	control->added =
		listen_connections_add(&control->connections, fd, from, clock_ns(CLOCK_MONOTONIC));
	/* Closes the socket if it fails. */
	if (MHD_add_connection(control->daemon, fd, address, len) != MHD_YES)
		listen_connections_remove(&control->connections, control->added);
}

/* Each one is read from before the next one can take its place. */
static void accept_some(struct control *control)
{
	for (unsigned int i = 0; i < ACCEPTED_AT_ONCE; i++) {
		struct sockaddr_storage address = {0};
		socklen_t len = sizeof(address);
		int fd = accept4(control->listener, (struct sockaddr *)&address, &len,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		admit(control, fd, (struct sockaddr *)&address, len);
		MHD_run(control->daemon);
	}
}

static int next_look_ms(const struct control *control)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(control->daemon, &ms) == MHD_YES && ms < LOOK_MS)
		return (int)ms;
	return control->connections.count ? LOOK_MS : -1;
}

/* Expired is who has nothing more to be read after all was read: pages may take their time. */
static void control_server_serve(struct control *control)
{
	struct pollfd wait[] = {
		{.fd = control->wake, .events = POLLIN},
		{.fd = control->listener, .events = POLLIN},
		{.fd = MHD_get_daemon_info(control->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
		 .events = POLLIN},
	};

	while (!wait[0].revents) {
		poll(wait, COUNT(wait), next_look_ms(control));
		accept_some(control);
		MHD_run(control->daemon);
		control_drop(control, CONTROL_DROPPED_LATE,
			     listen_connections_expire(&control->connections,
						       clock_ns(CLOCK_MONOTONIC)));
	}
}

struct start {
	struct control *control;
	struct error *err;
	sem_t done;
};

static void start_daemon(struct control *control, struct error *err)
{
	static const struct files_rule none[] = {{0}};
	static const struct files_limits nothing = {.rules = none};

	if (privileges_enter(ROLE_CONTROL, &nothing, err))
		return;
	control->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, handle, control,
		MHD_OPTION_NOTIFY_CONNECTION, control_follow, control, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_END);
	if (!control->daemon)
		error_set(err, -EIO, "cannot start the server of %s", control->address);
}

static void *control_run_thread(void *context)
{
	struct start *start = context;
	struct control *control = start->control;

	start_daemon(control, start->err);
	sem_post(&start->done);
	if (!control->daemon)
		return NULL;
	control_server_serve(control);
	MHD_stop_daemon(control->daemon);
	return NULL;
}

/* Without signals: the main thread handles them. Returns 0 or -EIO with a message. */
static int start(struct control *control, struct error *err)
{
	struct start start = {.control = control, .err = err};
	sigset_t all, before;

	sem_init(&start.done, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	control->runs = pthread_create(&control->thread, NULL, control_run_thread, &start) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!control->runs)
		return error_set(err, -EIO, "cannot start a thread for %s", control->address);
	while (sem_wait(&start.done))
		;
	sem_destroy(&start.done);
	return control->daemon ? 0 : -EIO;
}

static int control_init(struct control *control, const char *address)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&control->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&control->lock, NULL);
	control->listener = -1;
	control->wake = eventfd(0, EFD_CLOEXEC);
	control->address = strdup(address);
	return control->address && control->wake >= 0 ? 0 : -ENOMEM;
}

int control_create(const char *address, const struct control_page *pages, void *context,
		   const struct waker *waker, struct control **control, struct error *err)
{
	struct control *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	made->pages = pages;
	made->context = context;
	made->waker = waker;
	r = control_init(made, address) ? error_set(err, -ENOMEM, "out of memory") : 0;
	if (r == 0)
		r = made->listener = listen_open(address, err);
	if (r >= 0)
		r = start(made, err);
	if (r == 0)
		*control = made;
	else
		control_destroy(made);
	return r;
}

/* A page that waits for the loop would wait until its time is over. */
static void end_thread(struct control *control)
{
	pthread_mutex_lock(&control->lock);
	control->closing = true;
	pthread_cond_broadcast(&control->changed);
	pthread_mutex_unlock(&control->lock);
	eventfd_write(control->wake, 1);
	pthread_join(control->thread, NULL);
}

void control_destroy(struct control *control)
{
	if (!control)
		return;
	if (control->runs)
		end_thread(control);
	if (control->listener >= 0) {
		close(control->listener);
		listen_remove(control->address);
	}
	if (control->wake >= 0)
		close(control->wake);
	pthread_cond_destroy(&control->changed);
	pthread_mutex_destroy(&control->lock);
	free(control->address);
	free(control);
}

uint64_t control_dropped(const struct control *control, enum control_dropped why)
{
	return control ? atomic_load_explicit(&control->dropped[why], memory_order_relaxed) : 0;
}

bool control_ask(struct control *control, void (*function)(void *data), void *data)
{
	const struct timespec end = clock_after_ms(CLOCK_MONOTONIC, CONTROL_PATIENCE_MS);
	bool done;
	int r = 0;

	pthread_mutex_lock(&control->lock);
	control->function = function;
	control->data = data;
	atomic_store(&control->is_asked, true);
	waker_wake(control->waker);
	while (control->function && !control->closing && r == 0)
		r = pthread_cond_timedwait(&control->changed, &control->lock, &end);
	done = !control->function;
	control->function = NULL;
	atomic_store(&control->is_asked, false);
	pthread_mutex_unlock(&control->lock);
	return done;
}

void control_serve(struct control *control)
{
	if (!control || !atomic_load_explicit(&control->is_asked, memory_order_relaxed))
		return;
	pthread_mutex_lock(&control->lock);
	if (control->function)
		control->function(control->data);
	control->function = NULL;
	atomic_store(&control->is_asked, false);
	pthread_cond_broadcast(&control->changed);
	pthread_mutex_unlock(&control->lock);
}
