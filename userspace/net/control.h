/* SPDX-License-Identifier: MIT */
/*
 * The pages that the agent serves with HTTP at an address, on a thread of its own. What they show
 * belongs to the loop of the run: they ask it to come by.
 */
#ifndef NET_CONTROL_H
#define NET_CONTROL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/buf.h"
#include "util/error.h"

struct control;
struct waker; /* util/waker.h */

struct control_answer {
	unsigned int status; /* of HTTP: 200 */
	const char *type; /* of the body, static */
	struct buf body; /* owned by the server */
};

struct control_page {
	const char *path; /* "/metrics"; NULL: after the last page */
	const char *help; /* for the list of pages */
	/*
	 * Fills the answer, which is 200 and text/plain before. On the thread of the server: it may
	 * wait for some seconds. openmetrics: the client accepts that format.
	 */
	void (*get)(struct control *control, void *context, bool openmetrics,
		    struct control_answer *answer);
};

enum { CONTROL_PATIENCE_MS = 5000 };

/* Why connections were closed before their answer. */
enum control_dropped {
	CONTROL_DROPPED_LATE, /* the time for a request was over */
	CONTROL_DROPPED_CROWDED, /* a new one needed the place, see listen_connections_crowded() */
	CONTROL_DROPPED_KINDS
};

#ifdef WITH_HTTP_SERVER

/*
 * Starts the server. address: as listen_open(); pages, context and the waker of the loop (NULL: it
 * comes by often) must outlive it. Returns 0 or -errno with a message.
 */
int control_create(const char *address, const struct control_page *pages, void *context,
		   const struct waker *waker, struct control **control, struct error *err);
void control_destroy(struct control *control); /* accepts NULL */

/*
 * For pages: calls the function on the thread of the loop, and waits for that. Returns false if the
 * loop did not come by for CONTROL_PATIENCE_MS; the function was not called then, nor will be.
 */
bool control_ask(struct control *control, void (*function)(void *data), void *data);

/* For the loop: does what pages ask for. Cheap if there is nothing. Accepts NULL. */
void control_serve(struct control *control);

/* How many connections were closed early. From any thread; accepts NULL. */
uint64_t control_dropped(const struct control *control, enum control_dropped why);

#else /* a build without libmicrohttpd */

static inline int control_create(const char *address, const struct control_page *pages,
				 void *context, const struct waker *waker, struct control **control,
				 struct error *err)
{
	return error_set(err, -ENOSYS,
			 "--http: this agent was built without a server (feature http_server)");
}

static inline void control_destroy(struct control *control)
{
}

static inline bool control_ask(struct control *control, void (*function)(void *data), void *data)
{
	return false;
}

static inline void control_serve(struct control *control)
{
}

static inline uint64_t control_dropped(const struct control *control, enum control_dropped why)
{
	return 0;
}

#endif

#endif
