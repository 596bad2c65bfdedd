/* SPDX-License-Identifier: MIT */
/* Parses endpoints, and resolves their names in a thread that nobody has to wait for. */
#include "output/targets/endpoint.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "output/targets/connection.h"
#include "util/value.h"

int endpoint_read(const char *text, uint16_t port, struct endpoint *endpoint, struct error *err)
{
	const char *host = strncmp(text, "//", 2) ? NULL : text + 2, *end = NULL, *rest;
	size_t len;

	if (host && *host == '[') {
		end = strchr(++host, ']');
		rest = end ? end + 1 : NULL;
	} else {
		end = rest = host ? host + strcspn(host, ":") : NULL;
	}
	len = end ? (size_t)(end - host) : 0;
	if (len == 0 || len > ENDPOINT_HOST_MAX || strcspn(host, "/@ ") < len)
		return error_set(err, -EINVAL,
				 "'%s' is not //HOST:PORT; addresses of IPv6 stand in brackets",
				 text);
	if (*rest == ':' ? !value_read_port(rest + 1, '\0', &port) : *rest || port == 0)
		return error_set(err, -EINVAL, "'%s' does not end with a port: //HOST:PORT", text);
	memcpy(endpoint->host, host, len);
	endpoint->host[len] = '\0';
	snprintf(endpoint->port, sizeof(endpoint->port), "%u", (unsigned int)port);
	return 0;
}

/* Belongs to the thread and to the one that waits for it: the last one frees it. */
struct resolution {
	atomic_int users;
	struct endpoint endpoint;
	struct addrinfo hints;
	int fd; /* an eventfd: readable when there is a result */
	struct addrinfo *addresses;
	int code; /* EAI_... */
	int code_errno; /* for EAI_SYSTEM */
};

static void endpoint_release(struct resolution *resolution)
{
	if (atomic_fetch_sub(&resolution->users, 1) > 1)
		return;
	if (resolution->addresses)
		freeaddrinfo(resolution->addresses);
	if (resolution->fd >= 0)
		close(resolution->fd);
	free(resolution);
}

static void targets_endpoint_resolve(struct resolution *resolution)
{
	resolution->code = getaddrinfo(resolution->endpoint.host, resolution->endpoint.port,
				       &resolution->hints, &resolution->addresses);
	resolution->code_errno = errno;
}

static void *endpoint_run(void *argument)
{
	struct resolution *resolution = argument;

	targets_endpoint_resolve(resolution);
	eventfd_write(resolution->fd, 1);
	endpoint_release(resolution);
	return NULL;
}

static int endpoint_start(struct resolution *resolution)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int r;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	atomic_fetch_add(&resolution->users, 1);
	r = pthread_create(&thread, &attributes, endpoint_run, resolution);
	if (r)
		atomic_fetch_sub(&resolution->users, 1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -r;
}

static int endpoint_fail(const struct resolution *resolution, struct error *err)
{
	const char *text = resolution->code == EAI_SYSTEM ? strerror(resolution->code_errno)
							  : gai_strerror(resolution->code);

	return error_set(err, -EHOSTUNREACH, "cannot resolve %s: %s", resolution->endpoint.host,
			 text);
}

int endpoint_resolve(const struct endpoint *endpoint, int type, const struct output_stop *stop,
		     uint64_t deadline_ns, struct addrinfo **addresses, struct error *err)
{
	struct resolution *resolution = calloc(1, sizeof(*resolution));
	int r = -ENOMEM;

	if (!resolution)
		return error_set(err, r, "out of memory");
	*resolution = (struct resolution){
		.endpoint = *endpoint,
		.hints = {.ai_socktype = type, .ai_flags = AI_NUMERICSERV | AI_NUMERICHOST},
		.fd = -1,
	};
	atomic_init(&resolution->users, 1);
	/* An address needs no thread. */
	targets_endpoint_resolve(resolution);
	r = 1;
	if (resolution->code == EAI_NONAME) {
		resolution->hints.ai_flags = AI_NUMERICSERV;
		resolution->fd = eventfd(0, EFD_CLOEXEC);
		r = resolution->fd < 0 ? -errno : endpoint_start(resolution);
		if (r == 0)
			r = deadline_wait(stop, resolution->fd, POLLIN, deadline_ns);
	}
	if (r < 0) {
		error_set(err, r, "cannot resolve %s: %s", endpoint->host, strerror(-r));
	} else if (resolution->code) {
		r = endpoint_fail(resolution, err);
	} else {
		*addresses = resolution->addresses;
		resolution->addresses = NULL;
		r = 0;
	}
	endpoint_release(resolution);
	return r;
}
