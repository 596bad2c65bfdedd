/* SPDX-License-Identifier: MIT */
/*
 * fluent://HOST[:PORT]: the forward protocol of Fluentd and Fluent Bit. A batch is a message, which
 * the server confirms.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/targets/tls_keys.h"
#include "output/targets/fluent_forward.h"
#include "output/targets/fluent_session.h"
#include "output/targets/kinds.h"

enum { FLUENT_PORT = 24224, HOST_NAME_BYTES = 256 };

struct fluent_keys {
	char *tag, *shared_key, *user, *password; /* owned */
	bool tls;
	uint64_t timeout_ns;
	struct tls_keys files;
};

struct fluent_target {
	const struct fluent_keys *keys; /* borrowed */
	struct fluent_session session;
	struct tls *tls; /* NULL: plain */
	struct buf message; /* of the batch */
	char host[HOST_NAME_BYTES];
};

static int fluent_check(const struct output_config *config, struct error *err)
{
	const struct fluent_keys *keys = config->own;
	struct endpoint endpoint;
	int code = endpoint_read(config->target, FLUENT_PORT, &endpoint, err);

	if (code == 0 && keys->timeout_ns == 0)
		code = error_set(err, -EINVAL, "timeout= is 0");
	if (code == 0 && keys->user && !keys->shared_key)
		code = error_set(err, -EINVAL, "user= needs shared-key=, too");
	if (code == 0 && !keys->tls && (keys->files.ca || keys->files.cert || keys->files.insecure))
		code = error_set(err, -EINVAL, "ca=, cert= and insecure are for tls=yes");
	return code ? code : tls_keys_check(&keys->files, config->text, err);
}

static void fluent_close(void *opened)
{
	struct fluent_target *target = opened;

	if (!target)
		return;
	fluent_session_finish(&target->session);
	tls_destroy(target->tls);
	buf_finish(&target->message);
	free(target);
}

static int fluent_open(const struct output_config *config, struct output_stop *stop, void **opened,
		       struct error *err)
{
	const struct fluent_keys *keys = config->own;
	struct fluent_target *target = calloc(1, sizeof(*target));
	struct connection_config to = {.has_answers = true, .timeout_ns = keys->timeout_ns};
	struct fluent_identity identity = {
		.shared_key = keys->shared_key, .user = keys->user, .password = keys->password};
	int code;

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	target->keys = keys;
	identity.host = target->host;
	if (gethostname(target->host, sizeof(target->host) - 1))
		snprintf(target->host, sizeof(target->host), "lanner");
	code = endpoint_read(config->target, FLUENT_PORT, &to.endpoint, err);
	if (code == 0 && keys->tls)
		code = tls_keys_apply(&keys->files, &to, &target->tls, err);
	if (code == 0)
		code = fluent_session_init(&target->session, &to, &identity, stop, err);
	if (code) {
		tls_destroy(target->tls);
		free(target);
	} else {
		*opened = target;
	}
	return code;
}

/* What was not rejected is delivered. */
static int finish(const struct fluent_target *target, struct output_batch *batch, struct error *err)
{
	size_t rejected = 0;

	for (size_t i = 0; i < batch->count; i++) {
		rejected += batch->results[i] == OUTPUT_REJECTED;
		if (batch->results[i] == OUTPUT_RETRY)
			batch->results[i] = OUTPUT_DELIVERED;
	}
	return rejected ? error_set(err, -EBADMSG, "%zu records are no objects of JSON", rejected)
			: 0;
}

static int fluent_send(void *opened, struct output_batch *batch, struct error *err)
{
	struct fluent_target *target = opened;
	char chunk[FORWARD_CHUNK_BYTES];
	bool sent = false;
	int code = forward_new_chunk(chunk);

	if (code == 0)
		code = forward_pack(batch, target->keys->tag, chunk, &target->message);
	if (code == -ENODATA)
		return finish(target, batch, err);
	if (code)
		return error_set(err, code, "%s", strerror(-code));
	code = fluent_session_open(&target->session, err);
	if (code == 0)
		code = fluent_session_send(&target->session, target->message.data,
					   target->message.len, &sent, err);
	if (code == 0)
		code = fluent_session_wait(&target->session, chunk, err);
	batch->uncertain = code && sent;
	return code ? code : finish(target, batch, err);
}

static int fluent_tick(void *opened, struct error *err)
{
	struct fluent_target *target = opened;

	return connection_check(&target->session.connection, err);
}

static const char *const names[] = {"fluent", NULL};
static const char *const formats[] = {"json", NULL};

#define MEMBER(member) offsetof(struct fluent_keys, member)
#define FILES_MEMBER(member) offsetof(struct fluent_keys, files.member)
static const struct output_key keys[] = {
	{"tag", "TAG", "by which the server routes", OUTPUT_TEXT, MEMBER(tag), "lanner.events"},
	{"shared-key", "TEXT", "a secret that server and agent know", OUTPUT_TEXT,
	 MEMBER(shared_key), .secret = true},
	{"user", "NAME", "for servers that want to know it", OUTPUT_TEXT, MEMBER(user)},
	{"password", "TEXT", "of that user", OUTPUT_TEXT, MEMBER(password), .secret = true},
	{"timeout", "TIME", "for connecting, sending, and for the confirmation", OUTPUT_TIME,
	 MEMBER(timeout_ns), "30s"},
	{"tls", "yes|no", "encrypts the connection", OUTPUT_FLAG, MEMBER(tls)},
	TLS_KEY_ROWS(FILES_MEMBER),
	{0},
};

const struct output_kind output_kind_fluent = {
	.names = names,
	.target = "//HOST[:PORT]",
	.help = "Fluentd or Fluent Bit, by their forward protocol; default port 24224",
	.keys = keys,
	.own_bytes = sizeof(struct fluent_keys),
	.formats = formats,
	.acknowledges = true,
	.uses = OUTPUT_USES_NETWORK,
	.check = fluent_check,
	.open = fluent_open,
	.send = fluent_send,
	.tick = fluent_tick,
	.close = fluent_close,
};
