/* SPDX-License-Identifier: MIT */
/* The last failure, behind a lock. */
#include "output/delivery/delivery_status.h"

#include <string.h>

#include "util/terminal.h"

#define BETWEEN_NS UINT64_C(60000000000)

int delivery_status_init(struct delivery_status *status)
{
	*status = (struct delivery_status){0};
	return -pthread_mutex_init(&status->lock, NULL);
}

void delivery_status_finish(struct delivery_status *status)
{
	pthread_mutex_destroy(&status->lock);
}

void delivery_status_forget(struct delivery_status *status)
{
	pthread_mutex_lock(&status->lock);
	status->is_failing = status->was_failing = status->failed = false;
	pthread_mutex_unlock(&status->lock);
}

void delivery_status_set(struct delivery_status *status, const struct error *err)
{
	pthread_mutex_lock(&status->lock);
	status->is_failing = err != NULL;
	if (err) {
		status->failed = true;
		status->err = *err;
		/* A part may be the text of a server, which must not forge lines of the log. */
		terminal_mask(status->err.text, strlen(err->text));
	}
	pthread_mutex_unlock(&status->lock);
}

/* A target that fails for a moment again and again must not fill the log. */
static bool is_worth_a_line(const struct delivery_status *status, uint64_t now_ns)
{
	return status->failed && !status->is_failing &&
	       (status->failed_ns == 0 || now_ns - status->failed_ns >= BETWEEN_NS);
}

enum delivery_status_kind delivery_status_take(struct delivery_status *status, uint64_t now_ns,
					       struct error *err)
{
	enum delivery_status_kind kind = DELIVERY_STATUS_NONE;

	pthread_mutex_lock(&status->lock);
	if (status->is_failing != status->was_failing) {
		kind = status->is_failing ? DELIVERY_STATUS_FAILS : DELIVERY_STATUS_WORKS;
	} else if (is_worth_a_line(status, now_ns)) {
		kind = DELIVERY_STATUS_FAILED;
		status->failed_ns = now_ns;
	}
	status->was_failing = status->is_failing;
	status->failed = false;
	if (kind == DELIVERY_STATUS_FAILS || kind == DELIVERY_STATUS_FAILED)
		*err = status->err;
	pthread_mutex_unlock(&status->lock);
	return kind;
}

bool delivery_status_is_failing(struct delivery_status *status, struct error *err)
{
	bool failing;

	pthread_mutex_lock(&status->lock);
	failing = status->is_failing;
	if (failing)
		*err = status->err;
	pthread_mutex_unlock(&status->lock);
	return failing;
}
