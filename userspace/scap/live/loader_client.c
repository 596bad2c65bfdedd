/* SPDX-License-Identifier: MIT */
/* Sends a request, and takes the answers. What comes is checked like the data of a stranger. */
#include "scap/live/loader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scap/live/programs.h"
#include "util/clock.h"

/* How long to wait for an answer. Loading takes a second, of all programs on a slow machine ten. */
enum { LOAD_MS = 120000, RING_MS = 2000, RELEASE_MS = 30000 };

/*
 * The thread that reads events opens rings, too: while another one has programs loaded, it does not
 * wait longer than this, and tries again later.
 */
enum { LOCK_MS = 10 };

enum { CPUS_MAX = 1 << 16 };

struct exchange {
	struct loader_request request;
	struct loader_answer answer;
	int fds[LOADER_PARTS_MAX];
	size_t count; /* of `fds` in the last answer that was received */
};

static struct loader_client *loader_client_of(struct live_loader *loader)
{
	return (struct loader_client *)loader;
}

static int fail_lost(struct loader_client *client, int code, struct error *err)
{
	atomic_store(&client->lost, true);
	return error_set(err, code,
			 "the process that loads programs %s: other programs can be loaded after a "
			 "restart",
			 code == -ETIMEDOUT ? "does not answer" : "has ended");
}

static int lock(struct loader_client *client, bool waits, struct error *err)
{
	struct timespec until;

	if (waits)
		return -pthread_mutex_lock(&client->mutex);
	until = clock_after_ms(CLOCK_REALTIME, LOCK_MS);
	if (pthread_mutex_timedlock(&client->mutex, &until) == 0)
		return 0;
	return error_set(err, -EBUSY, "the process that loads programs is busy");
}

static void loader_client_close_fds(struct exchange *exchange)
{
	while (exchange->count)
		close(exchange->fds[--exchange->count]);
}

/* Waits for the next answer. Returns 0 or -errno. */
static int receive(const struct loader_client *client, uint64_t until_ns, struct exchange *exchange)
{
	const uint64_t ns_per_ms = 1000000;
	struct pollfd ready = {.fd = client->socket, .events = POLLIN};
	int r;

	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);

		if (now >= until_ns)
			return -ETIMEDOUT;
		r = poll(&ready, 1, (int)((until_ns - now) / ns_per_ms) + 1);
		if (r > 0)
			break;
		if (r < 0 && errno != EINTR)
			return -errno;
	}
	r = loader_receive(client->socket, &exchange->answer, sizeof(exchange->answer),
			   exchange->fds, LOADER_PARTS_MAX, &exchange->count);
	if (r == 0 && exchange->count != exchange->answer.parts)
		r = -EBADMSG;
	return r;
}

static bool loader_client_is_known(const struct loader_part *part)
{
	return part->kind < LIVE_PART_KINDS &&
	       part->row < (part->kind == LIVE_MAP ? LIVE_MAPS : live_programs_count);
}

/* Takes the descriptors of an answer. */
static int take_parts(struct exchange *exchange, struct live_loaded *loaded)
{
	int r = 0;

	for (size_t i = 0; i < exchange->count; i++) {
		const struct loader_part *part = &exchange->answer.list[i];

		if (r == 0 && !loader_client_is_known(part))
			r = -EBADMSG;
		if (r)
			close(exchange->fds[i]);
		else
			r = live_loaded_add(loaded, (enum live_part_kind)part->kind, part->row,
					    exchange->fds[i]);
	}
	exchange->count = 0;
	return r;
}

static int loader_client_result_of(const struct loader_answer *answer, struct error *err)
{
	if (answer->result == 0)
		return 0;
	/* Whatever it was, it is an error. */
	return error_set(err, answer->result < 0 ? answer->result : -EBADMSG, "%.*s",
			 (int)sizeof(answer->text) - 1, answer->text);
}

/*
 * Sends the request and receives all answers, whose parts are added to `loaded` if it is not NULL;
 * then the last answer may have descriptors that the caller takes. The client is locked.
 */
static int converse(struct loader_client *client, struct exchange *exchange, int ms,
		    struct live_loaded *loaded)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * 1000000;
	int r = loader_send(client->socket, &exchange->request, sizeof(exchange->request), NULL, 0);

	while (r == 0) {
		r = receive(client, until_ns, exchange);
		if (r == 0 && loaded)
			r = take_parts(exchange, loaded);
		if (r || exchange->answer.is_last)
			break;
		loader_client_close_fds(exchange);
	}
	return r;
}

static int loader_client_ask(struct live_loader *loader, struct exchange *exchange, int ms,
			     struct live_loaded *loaded, struct error *err)
{
	struct loader_client *client = loader_client_of(loader);
	int r = lock(client, exchange->request.kind != LOADER_RING, err);

	if (r)
		return r;
	r = atomic_load(&client->lost) ? -EPIPE : converse(client, exchange, ms, loaded);
	if (r) {
		loader_client_close_fds(exchange);
		fail_lost(client, r, err);
	}
	pthread_mutex_unlock(&client->mutex);
	return r ? r : loader_client_result_of(&exchange->answer, err);
}

static struct exchange *exchange_create(enum loader_request_kind kind)
{
	struct exchange *made = calloc(1, sizeof(*made));

	if (made)
		made->request.kind = kind;
	return made;
}

static int loader_client_fail_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "loading the BPF programs: out of memory");
}

static void take_facts(const struct loader_answer *answer, struct live_loaded *loaded)
{
	loaded->enter_error = answer->enter_error;
	loaded->sends_error = answer->sends_error;
	loaded->call_hooks = (enum live_hooks)answer->call_hooks;
	loaded->uring = (enum live_uring)answer->uring;
	loaded->filters_error = answer->filters_error;
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++)
		loaded->rejected[id] = answer->rejected[id];
}

/* What the capture cannot do without, and relies on. */
static int check_loaded(const struct loader_answer *answer, const struct live_loaded *loaded,
			struct error *err)
{
	for (uint16_t row = 0; row < LIVE_MAP_OTHER; row++)
		if (live_loaded_find(loaded, LIVE_MAP, row) < 0)
			return error_set(err, -EBADMSG, "a BPF map was not handed over");
	if (answer->cpus == 0 || answer->cpus > CPUS_MAX || answer->cgroup_roots > WORK_BYTES ||
	    answer->own_groups > WORK_BYTES)
		return error_set(err, -EBADMSG, "what was handed over is malformed");
	return 0;
}

static int loader_client_load(struct live_loader *loader, const struct scap_live_config *config,
			      uint64_t boot_offset_ns, struct live_loaded *loaded,
			      struct error *err)
{
	struct exchange *exchange = exchange_create(LOADER_LOAD);
	int r;

	if (!exchange)
		return loader_client_fail_memory(err);
	loader_config_write(config, boot_offset_ns, &exchange->request.config);
	r = loader_client_ask(loader, exchange, LOAD_MS, loaded, err);
	if (r == 0)
		r = check_loaded(&exchange->answer, loaded, err);
	if (r == 0) {
		loaded->cpus = exchange->answer.cpus;
		loaded->cgroup_roots = exchange->answer.cgroup_roots;
		loaded->own_groups = exchange->answer.own_groups;
		memcpy(loaded->iterator_errors, exchange->answer.iterator_errors,
		       sizeof(loaded->iterator_errors));
		take_facts(&exchange->answer, loaded);
	}
	free(exchange);
	return r;
}

static int loader_client_attach(struct live_loader *loader, struct live_loaded *loaded,
				struct error *err)
{
	struct exchange *exchange = exchange_create(LOADER_ATTACH);
	int r;

	if (!exchange)
		return loader_client_fail_memory(err);
	r = loader_client_ask(loader, exchange, LOAD_MS, loaded, err);
	if (r == 0)
		take_facts(&exchange->answer, loaded);
	free(exchange);
	return r;
}

static int loader_client_open_ring(struct live_loader *loader, unsigned int cpu, uint32_t bytes,
				   bool backward, struct error *err)
{
	struct exchange *exchange = exchange_create(LOADER_RING);
	int r, fd = -1;

	if (!exchange)
		return loader_client_fail_memory(err);
	exchange->request.cpu = cpu;
	exchange->request.ring_bytes = bytes;
	exchange->request.backward = backward;
	r = loader_client_ask(loader, exchange, RING_MS, NULL, err);
	if (r == 0 && exchange->count == 1) {
		fd = exchange->fds[0];
		exchange->count = 0;
	} else if (r == 0) {
		r = error_set(err, -EBADMSG, "the ring of CPU %u was not handed over", cpu);
	}
	loader_client_close_fds(exchange);
	free(exchange);
	return r ? r : fd;
}

/* If this fails, the next load releases it. */
static void loader_client_release(struct live_loader *loader)
{
	struct exchange *exchange = exchange_create(LOADER_RELEASE);

	if (exchange)
		loader_client_ask(loader, exchange, RELEASE_MS, NULL, NULL);
	if (exchange)
		loader_client_close_fds(exchange);
	free(exchange);
}

static const struct live_loader_ops ops = {
	.load = loader_client_load,
	.open_ring = loader_client_open_ring,
	.attach = loader_client_attach,
	.release = loader_client_release,
};

void loader_client_init(struct loader_client *client, int socket)
{
	*client = (struct loader_client){.loader.ops = &ops, .socket = socket};
	pthread_mutex_init(&client->mutex, NULL);
}

void loader_client_finish(struct loader_client *client)
{
	pthread_mutex_destroy(&client->mutex);
	close(client->socket);
}
