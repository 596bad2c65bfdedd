/* SPDX-License-Identifier: MIT */
/* The server (libmicrohttpd), and the one question that waits for the loop. */
#include "agent/control/control.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/control/listen.h"
#include "privileges/privileges.h"
#include "util/clock.h"

enum { CONNECTIONS_MAX = 16, CONNECTION_TIMEOUT_S = 10, CONNECTION_BYTES = 16 << 10 };

struct control {
	const struct control_page *pages;
	void *context;
	char *address; /* owned */
	struct MHD_Daemon *daemon;
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

static enum MHD_Result send_answer(struct MHD_Connection *connection, struct control_answer *answer)
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

static void fill(struct control *control, struct MHD_Connection *connection, const char *path,
		 const char *method, struct control_answer *answer)
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
	fill(context, connection, path, method, &answer);
	result = send_answer(connection, &answer);
	buf_finish(&answer.body);
	return result;
}

static int init(struct control *control, const char *address)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&control->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&control->lock, NULL);
	control->address = strdup(address);
	return control->address ? 0 : -ENOMEM;
}

struct start {
	struct control *control;
	int fd;
	struct error *err;
};

/* The thread of the server inherits the privileges of this one. */
static void *start_daemon(void *context)
{
	static const struct files_rule none[] = {{0}};
	static const struct files_limits nothing = {.rules = none};
	struct start *start = context;

	if (privileges_enter(ROLE_CONTROL, &nothing, start->err))
		return NULL;
	start->control->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, start->control,
		MHD_OPTION_LISTEN_SOCKET, start->fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_END);
	if (!start->control->daemon)
		error_set(start->err, -EIO, "cannot start the server of %s",
			  start->control->address);
	return NULL;
}

/* Without signals: the main thread handles them. Returns 0 or -EIO with a message. */
static int start(struct control *control, int fd, struct error *err)
{
	struct start start = {control, fd, err};
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&thread, NULL, start_daemon, &start) == 0)
		pthread_join(thread, NULL);
	else
		error_set(err, -EIO, "cannot start a thread for %s", control->address);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return control->daemon ? 0 : -EIO;
}

int control_create(const char *address, const struct control_page *pages, void *context,
		   struct control **control, struct error *err)
{
	struct control *made = calloc(1, sizeof(*made));
	int fd;

	if (!made || init(made, address)) {
		free(made);
		return error_set(err, -ENOMEM, "out of memory");
	}
	made->pages = pages;
	made->context = context;
	fd = listen_open(address, err);
	if (fd >= 0) {
		int code = start(made, fd, err);

		if (code == 0) {
			*control = made;
			return 0;
		}
		close(fd);
		listen_remove(address);
		fd = code;
	}
	control_destroy(made);
	return fd;
}

void control_destroy(struct control *control)
{
	if (!control)
		return;
	if (control->daemon) {
		/* A page that waits for the loop would wait until its time is over. */
		pthread_mutex_lock(&control->lock);
		control->closing = true;
		pthread_cond_broadcast(&control->changed);
		pthread_mutex_unlock(&control->lock);
		MHD_stop_daemon(control->daemon);
		listen_remove(control->address);
	}
	pthread_cond_destroy(&control->changed);
	pthread_mutex_destroy(&control->lock);
	free(control->address);
	free(control);
}

bool control_ask(struct control *control, void (*function)(void *data), void *data)
{
	const struct timespec end = clock_after_ms(CLOCK_MONOTONIC, CONTROL_PATIENCE_MS);
	bool done;
	int code = 0;

	pthread_mutex_lock(&control->lock);
	control->function = function;
	control->data = data;
	atomic_store(&control->is_asked, true);
	while (control->function && !control->closing && code == 0)
		code = pthread_cond_timedwait(&control->changed, &control->lock, &end);
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
