/* SPDX-License-Identifier: MIT */
/*
 * nats://HOST[:PORT]/SUBJECT: a message for each record, with the library cnats. Without JetStream
 * a batch is done when the server has answered a ping behind it; with JetStream when it has stored
 * each message, which it takes once however often it comes: its id is that of the record.
 */
#include <errno.h>
#include <inttypes.h>
#include <nats/nats.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/target.h"
#include "output/record.h"
#include "output/targets/kinds.h"

enum { LOOK_MS = 50, ID_MAX = 80 };

struct nats_keys {
	char *user, *password, *token, *ca, *cert, *key; /* owned */
	bool tls, jetstream;
	uint64_t timeout_ns;
};

struct nats_target {
	const struct output_config *config;
	struct output_stop *stop;
	char *url, *subject; /* owned */
	natsConnection *connection; /* NULL: none */
	jsCtx *stream; /* NULL: none, or without JetStream */
	/* Messages of the batch that JetStream did not take, and why; set by a thread of cnats. */
	atomic_uint refused;
	char reason[256];
};

/* "//HOST[:PORT]/SUBJECT": sets both, owned. Returns 0, -EINVAL or -ENOMEM. */
static int nats_split_target(const char *target, char **url, char **subject)
{
	const char *slash = strncmp(target, "//", 2) == 0 ? strchr(target + 2, '/') : NULL;

	if (!slash || slash == target + 2 || !slash[1] || strpbrk(slash + 1, " \t\r\n*>/"))
		return -EINVAL;
	if (asprintf(url, "nats:%.*s", (int)(slash - target), target) < 0)
		*url = NULL;
	*subject = strdup(slash + 1);
	return *url && *subject ? 0 : -ENOMEM;
}

static int nats_check(const struct output_config *config, struct error *err)
{
	const struct nats_keys *keys = config->own;
	char *url = NULL, *subject = NULL;
	int r = nats_split_target(config->target, &url, &subject);

	free(url);
	free(subject);
	if (r)
		return error_set(err, r,
				 "nats:%s: expected nats://HOST[:PORT]/SUBJECT, a subject without "
				 "blanks and wildcards",
				 config->target);
	if (!keys->cert != !keys->key)
		return error_set(err, -EINVAL, "nats: cert= and key= belong together");
	if (!keys->tls && (keys->ca || keys->cert))
		return error_set(err, -EINVAL, "nats: ca= and cert= are for tls=yes");
	return 0;
}

static void nats_end(void *context);

static int nats_open(const struct output_config *config, struct output_stop *stop, void **target,
		     struct error *err)
{
	struct nats_target *made = calloc(1, sizeof(*made));
	int r = made ? nats_split_target(config->target, &made->url, &made->subject) : -ENOMEM;

	if (r) {
		nats_end(made);
		return error_set(err, r, "out of memory");
	}
	made->config = config;
	made->stop = stop;
	*target = made;
	return 0;
}

static int64_t timeout_ms(const struct nats_target *target)
{
	const struct nats_keys *keys = target->config->own;

	return (int64_t)(keys->timeout_ns / 1000000);
}

static int nats_fail(struct nats_target *target, natsStatus status, struct error *err)
{
	const char *text = nats_GetLastError(NULL);

	if (atomic_load(&target->refused))
		return error_set(err, -EIO, "JetStream does not store messages of %s: %s",
				 target->subject, target->reason);
	return error_set(err, -EIO, "%s", text && text[0] ? text : natsStatus_GetText(status));
}

static natsStatus nats_set_tls(natsOptions *options, const struct nats_keys *keys)
{
	natsStatus status = natsOptions_SetSecure(options, true);

	if (status == NATS_OK && keys->ca)
		status = natsOptions_LoadCATrustedCertificates(options, keys->ca);
	if (status == NATS_OK && keys->cert)
		status = natsOptions_LoadCertificatesChain(options, keys->cert, keys->key);
	return status;
}

/* The thread of the output connects anew, with its own waits. */
static natsStatus nats_set_options(natsOptions *options, const struct nats_target *target)
{
	const struct nats_keys *keys = target->config->own;
	natsStatus status = natsOptions_SetURL(options, target->url);

	if (status == NATS_OK)
		status = natsOptions_SetName(options, "lanner");
	if (status == NATS_OK)
		status = natsOptions_SetAllowReconnect(options, false);
	if (status == NATS_OK)
		status = natsOptions_SetTimeout(options, timeout_ms(target));
	/* Otherwise a server that reads nothing holds up the thread, also at its end. */
	if (status == NATS_OK)
		status = natsOptions_SetWriteDeadline(options, timeout_ms(target));
	if (status == NATS_OK && keys->user)
		status = natsOptions_SetUserInfo(options, keys->user,
						 keys->password ? keys->password : "");
	if (status == NATS_OK && keys->token)
		status = natsOptions_SetToken(options, keys->token);
	return status == NATS_OK && keys->tls ? nats_set_tls(options, keys) : status;
}

/* Called by a thread of cnats for a message that was refused, or not answered. */
static void take_refusal(jsCtx *stream, jsPubAckErr *refusal, void *context)
{
	struct nats_target *target = context;

	if (atomic_load(&target->refused) == 0)
		snprintf(target->reason, sizeof(target->reason), "%s",
			 refusal->ErrText && refusal->ErrText[0]
				 ? refusal->ErrText
				 : natsStatus_GetText(refusal->Err));
	atomic_fetch_add(&target->refused, 1);
}

static natsStatus nats_begin_stream(struct nats_target *target)
{
	jsOptions options;

	jsOptions_Init(&options);
	options.PublishAsync.ErrHandler = take_refusal;
	options.PublishAsync.ErrHandlerClosure = target;
	return natsConnection_JetStream(&target->stream, target->connection, &options);
}

static void disconnect_server(struct nats_target *target)
{
	jsCtx_Destroy(target->stream);
	natsConnection_Destroy(target->connection);
	target->stream = NULL;
	target->connection = NULL;
}

static int connect_server(struct nats_target *target, struct error *err)
{
	const struct nats_keys *keys = target->config->own;
	natsOptions *options = NULL;
	natsStatus status = natsOptions_Create(&options);

	if (status == NATS_OK)
		status = nats_set_options(options, target);
	if (status == NATS_OK)
		status = natsConnection_Connect(&target->connection, options);
	natsOptions_Destroy(options);
	if (status == NATS_OK && keys->jetstream)
		status = nats_begin_stream(target);
	if (status == NATS_OK)
		return 0;
	disconnect_server(target);
	return nats_fail(target, status, err);
}

static natsStatus nats_publish(struct nats_target *target, const struct output_batch *batch,
			       size_t i)
{
	const struct output_record *record = &batch->records[i];
	int len = (int)output_record_text_len(record);
	jsPubOptions options;
	char bytes[ID_MAX];
	struct buf id = buf_fixed(bytes, sizeof(bytes));

	if (!target->stream)
		return natsConnection_Publish(target->connection, target->subject, record->bytes,
					      len);
	jsPubOptions_Init(&options);
	record_id_append(&id, batch, record);
	buf_append_char(&id, '\0');
	options.MsgId = bytes;
	return js_PublishAsync(target->stream, target->subject, record->bytes, len, &options);
}

/* Waits until the server has taken, or stored, all that was published. */
static natsStatus wait_for_server(struct nats_target *target)
{
	int64_t left_ms = timeout_ms(target);
	natsStatus status = NATS_TIMEOUT;
	jsPubOptions options;

	for (; left_ms > 0 && status == NATS_TIMEOUT && !output_is_stopped(target->stop);
	     left_ms -= LOOK_MS) {
		if (target->stream) {
			jsPubOptions_Init(&options);
			options.MaxWait = LOOK_MS;
			status = js_PublishAsyncComplete(target->stream, &options);
		} else {
			status = natsConnection_FlushTimeout(target->connection, LOOK_MS);
		}
	}
	return status;
}

static int nats_send(void *context, struct output_batch *batch, struct error *err)
{
	struct nats_target *target = context;
	natsStatus status = NATS_OK;
	int64_t largest;
	size_t i, rejected = 0;
	int r = target->connection ? 0 : connect_server(target, err);

	if (r)
		return r;
	atomic_store(&target->refused, 0);
	largest = natsConnection_GetMaxPayload(target->connection);
	for (i = 0; i < batch->count && status == NATS_OK; i++) {
		if ((int64_t)output_record_text_len(&batch->records[i]) > largest)
			rejected += batch->results[i] = OUTPUT_REJECTED;
		else
			status = nats_publish(target, batch, i);
	}
	if (status == NATS_OK)
		status = wait_for_server(target);
	if (status != NATS_OK || atomic_load(&target->refused)) {
		batch->uncertain = true;
		r = output_is_stopped(target->stop) ? -ECANCELED : nats_fail(target, status, err);
		disconnect_server(target);
		return r;
	}
	for (i = 0; i < batch->count; i++)
		if (batch->results[i] != OUTPUT_REJECTED)
			batch->results[i] = OUTPUT_DELIVERED;
	return rejected ? error_set(err, -EMSGSIZE,
				    "messages of more than %" PRId64
				    " bytes, the limit of the server, were rejected",
				    largest)
			: 0;
}

static void nats_end(void *context)
{
	struct nats_target *target = context;

	if (!target)
		return;
	disconnect_server(target);
	free(target->url);
	free(target->subject);
	free(target);
}

static const char *const names[] = {"nats", NULL};

#define MEMBER(member) offsetof(struct nats_keys, member)
static const struct output_key keys[] = {
	{"jetstream", "yes|no", "messages are for a stream of JetStream, which confirms them",
	 OUTPUT_FLAG, MEMBER(jetstream)},
	{"user", "NAME", "for servers that want to know it", OUTPUT_TEXT, MEMBER(user)},
	{"password", "TEXT", "of that user", OUTPUT_TEXT, MEMBER(password), .secret = true},
	{"token", "TEXT", "in place of a user", OUTPUT_TEXT, MEMBER(token), .secret = true},
	{"tls", "yes|no", "encrypt the connection", OUTPUT_FLAG, MEMBER(tls)},
	{"ca", "FILE", "certificates that are trusted, in place of those of the system",
	 OUTPUT_FILE, MEMBER(ca)},
	{"cert", "FILE", "the certificate of the agent", OUTPUT_FILE, MEMBER(cert)},
	{"key", "FILE", "its key", OUTPUT_FILE, MEMBER(key)},
	{"timeout", "TIME", "how long to wait for the server", OUTPUT_TIME, MEMBER(timeout_ns),
	 "5s"},
	{0},
};

const struct output_kind output_kind_nats = {
	.names = names,
	.target = "//HOST[:PORT]/SUBJECT",
	.help = "a subject of NATS, or a stream of JetStream",
	.keys = keys,
	.own_bytes = sizeof(struct nats_keys),
	.acknowledges = true,
	.has_deadlines = true,
	.uses = OUTPUT_USES_NETWORK,
	.check = nats_check,
	.open = nats_open,
	.send = nats_send,
	.close = nats_end,
};
