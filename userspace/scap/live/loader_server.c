/* SPDX-License-Identifier: MIT */
/* Each request is checked, done by the loader of this process, and answered. */
#include "scap/live/loader.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scap/live/load.h"

struct server {
	int socket;
	struct live_load load;
	struct loader_request request;
	struct loader_answer answer;
};

static int loader_server_send_answer(struct server *server, const int *fds, size_t count)
{
	server->answer.parts = (uint32_t)count;
	return loader_send(server->socket, &server->answer, sizeof(server->answer), fds, count);
}

/* Sends all parts, in as many answers as it takes; the last one has the facts. */
static int send_loaded(struct server *server, const struct live_loaded *loaded)
{
	struct loader_answer *answer = &server->answer;
	int fds[LOADER_PARTS_MAX], r;
	size_t sent = 0, count;

	do {
		for (count = 0; count < LOADER_PARTS_MAX && sent < loaded->count; count++, sent++) {
			const struct live_part *part = &loaded->parts[sent];

			answer->list[count] =
				(struct loader_part){.kind = part->kind, .row = part->row};
			fds[count] = part->fd;
		}
		answer->is_last = sent == loaded->count;
		if (answer->is_last) {
			answer->cpus = loaded->cpus;
			answer->enter_error = loaded->enter_error;
			answer->sends_error = loaded->sends_error;
			answer->call_hooks = loaded->call_hooks;
			answer->uring = loaded->uring;
			answer->filters_error = loaded->filters_error;
			answer->cgroup_roots = loaded->cgroup_roots;
			answer->own_groups = loaded->own_groups;
			memcpy(answer->iterator_errors, loaded->iterator_errors,
			       sizeof(answer->iterator_errors));
			memcpy(answer->rejected, loaded->rejected, sizeof(answer->rejected));
		}
		r = loader_server_send_answer(server, fds, count);
	} while (r == 0 && !answer->is_last);
	return r;
}

static int send_error(struct server *server, int result, const struct error *err)
{
	server->answer.result = result;
	server->answer.is_last = 1;
	memcpy(server->answer.text, err->text, sizeof(server->answer.text));
	return loader_server_send_answer(server, NULL, 0);
}

/* Answers with what was loaded or attached, or with the error. */
static int loader_server_end(struct server *server, int result, struct live_loaded *loaded,
			     const struct error *err)
{
	int r = result ? send_error(server, result, err) : send_loaded(server, loaded);

	live_loaded_finish(loaded);
	return r;
}

static int load(struct server *server, struct live_loader *loader)
{
	struct live_loaded loaded = {0};
	struct scap_live_config config;
	struct error err = {""};
	int result = loader_config_read(&server->request.config, &config, &err);

	if (result == 0)
		result = loader->ops->load(loader, &config, server->request.config.boot_offset_ns,
					   &loaded, &err);
	return loader_server_end(server, result, &loaded, &err);
}

static int loader_server_attach(struct server *server, struct live_loader *loader)
{
	struct live_loaded loaded = {0};
	struct error err = {""};
	int result = loader->ops->attach(loader, &loaded, &err);

	return loader_server_end(server, result, &loaded, &err);
}

static int loader_server_open_ring(struct server *server, struct live_loader *loader)
{
	const struct loader_request *request = &server->request;
	struct error err = {""};
	int r, fd = request->ring_bytes > LOADER_RING_BYTES_MAX
			    ? error_set(&err, -EINVAL, "a request for a ring is malformed")
			    : loader->ops->open_ring(loader, request->cpu, request->ring_bytes,
						     request->backward != 0, &err);

	if (fd < 0)
		return send_error(server, fd, &err);
	server->answer.is_last = 1;
	r = loader_server_send_answer(server, &fd, 1);
	close(fd);
	return r;
}

static int loader_server_release(struct server *server, struct live_loader *loader)
{
	loader->ops->release(loader);
	/* Between reloads, which are rare, the process needs next to nothing. */
#ifdef __GLIBC__
	malloc_trim(0);
#endif
	server->answer.is_last = 1;
	return loader_server_send_answer(server, NULL, 0);
}

static int loader_server_reject(struct server *server)
{
	struct error err;

	return send_error(server, error_set(&err, -EINVAL, "a request to the loader is malformed"),
			  &err);
}

static int answer(struct server *server)
{
	static int (*const functions[LOADER_REQUESTS])(struct server *, struct live_loader *) = {
		[LOADER_LOAD] = load,
		[LOADER_RING] = loader_server_open_ring,
		[LOADER_ATTACH] = loader_server_attach,
		[LOADER_RELEASE] = loader_server_release,
	};
	uint32_t kind = server->request.kind;

	memset(&server->answer, 0, sizeof(server->answer));
	if (kind >= LOADER_REQUESTS || !functions[kind])
		return loader_server_reject(server);
	return functions[kind](server, &server->load.loader);
}

int loader_serve(int socket)
{
	struct server server = {.socket = socket};
	size_t none;
	int r;

	live_load_init(&server.load);
	do {
		r = loader_receive(socket, &server.request, sizeof(server.request), NULL, 0, &none);
		if (r == -EBADMSG)
			server.request.kind = 0;
		if (r == 0 || r == -EBADMSG)
			r = answer(&server);
	} while (r == 0);
	server.load.loader.ops->release(&server.load.loader);
	return r == -EPIPE || r == -ECONNRESET ? 0 : r;
}
