/* SPDX-License-Identifier: MIT */
/*
 * The forward protocol of Fluentd and Fluent Bit: messages, the session that sends them, and the
 * kind of target.
 */
#include "output/targets/fluent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <msgpack.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "output/targets/connection.h"
#include "output/targets/kinds.h"
#include "output/targets/tls.h"
#include "util/buf.h"

/* JSON records become maps of msgpack, with jansson and msgpack-c. */

enum { NS_PER_S = 1000000000, EVENT_TIME = 0, EVENT_TIME_BYTES = 8, CHUNK_RANDOM_BYTES = 12 };

static void pack_value(msgpack_packer *packer, json_t *value);

static void pack_object(msgpack_packer *packer, json_t *object)
{
	const char *key;
	json_t *value;

	msgpack_pack_map(packer, json_object_size(object));
	json_object_foreach(object, key, value)
	{
		fluent_pack_text(packer, key);
		pack_value(packer, value);
	}
}

static void pack_array(msgpack_packer *packer, json_t *array)
{
	json_t *value;
	size_t i;

	msgpack_pack_array(packer, json_array_size(array));
	json_array_foreach(array, i, value) pack_value(packer, value);
}

/* The depth is that of the JSON, which the loader bounds. */
static void pack_value(msgpack_packer *packer, json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		pack_object(packer, value);
		break;
	case JSON_ARRAY:
		pack_array(packer, value);
		break;
	case JSON_STRING:
		fluent_pack_bytes(packer, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		msgpack_pack_int64(packer, json_integer_value(value));
		break;
	case JSON_REAL:
		msgpack_pack_double(packer, json_real_value(value));
		break;
	case JSON_TRUE:
		msgpack_pack_true(packer);
		break;
	case JSON_FALSE:
		msgpack_pack_false(packer);
		break;
	case JSON_NULL:
		msgpack_pack_nil(packer);
		break;
	}
}

/* EventTime: seconds and nanoseconds, 32 bits each. */
static void pack_time(msgpack_packer *packer, uint64_t ts_ns)
{
	const uint32_t parts[] = {htonl((uint32_t)(ts_ns / NS_PER_S)),
				  htonl((uint32_t)(ts_ns % NS_PER_S))};

	msgpack_pack_ext(packer, EVENT_TIME_BYTES, EVENT_TIME);
	msgpack_pack_ext_body(packer, parts, EVENT_TIME_BYTES);
}

/* Appends [time, record]. Returns whether it is an object of JSON. */
static bool pack_entry(msgpack_packer *packer, const struct output_record *record)
{
	json_t *object = json_loadb(record->bytes, record->len, JSON_ALLOW_NUL, NULL);
	bool is_object = json_is_object(object);

	if (is_object) {
		msgpack_pack_array(packer, 2);
		pack_time(packer, record->ts_ns);
		pack_object(packer, object);
	}
	json_decref(object);
	return is_object;
}

/* Returns how many entries there are. */
static size_t pack_entries(struct output_batch *batch, struct buf *entries)
{
	msgpack_packer packer;
	size_t count = 0;

	fluent_pack_begin(&packer, entries);
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->results[i] != OUTPUT_RETRY)
			continue;
		if (pack_entry(&packer, &batch->records[i]))
			count++;
		else
			batch->results[i] = OUTPUT_REJECTED;
	}
	return count;
}

int fluent_pack(struct output_batch *batch, const char *tag, const char *chunk, struct buf *out)
{
	struct buf entries = {0};
	msgpack_packer packer;
	size_t count = pack_entries(batch, &entries);
	int r = entries.failed ? -ENOMEM : count ? 0 : -ENODATA;

	buf_clear(out);
	if (r == 0) {
		fluent_pack_begin(&packer, out);
		msgpack_pack_array(&packer, 3);
		fluent_pack_text(&packer, tag);
		msgpack_pack_bin(&packer, entries.len);
		msgpack_pack_bin_body(&packer, entries.data, entries.len);
		msgpack_pack_map(&packer, 2);
		fluent_pack_text(&packer, "chunk");
		fluent_pack_text(&packer, chunk);
		fluent_pack_text(&packer, "size");
		msgpack_pack_uint64(&packer, count);
		r = out->failed ? -ENOMEM : 0;
	}
	buf_finish(&entries);
	return r;
}

int fluent_new_chunk(char chunk[static FORWARD_CHUNK_BYTES])
{
	uint8_t random[CHUNK_RANDOM_BYTES];
	struct buf text = buf_fixed(chunk, FORWARD_CHUNK_BYTES);

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (size_t i = 0; i < sizeof(random); i++)
		buf_printf(&text, "%02x", random[i]);
	return 0;
}

/* HELO, PING and PONG with SHA-512 of OpenSSL; answers are read with msgpack-c. */

enum {
	READ_BYTES = 4096,
	ANSWER_MAX = 1 << 20, /* bytes of an answer */
	SALT_BYTES = 16,
	DIGEST_BYTES = 64,
	DIGEST_TEXT_BYTES = 2 * DIGEST_BYTES + 1,
};

/* Bytes of an answer, borrowed from it. */
struct span {
	const char *bytes;
	size_t len;
};

int fluent_session_init(struct fluent_session *session, const struct connection_config *config,
			const struct fluent_identity *identity, const struct output_stop *stop,
			struct error *err)
{
	*session = (struct fluent_session){.identity = *identity};
	connection_init(&session->connection, config, stop);
	if (msgpack_unpacker_init(&session->unpacker, READ_BYTES))
		return 0;
	return error_set(err, -ENOMEM, "out of memory");
}

static void close_session(struct fluent_session *session)
{
	connection_close(&session->connection);
	msgpack_unpacker_reset(&session->unpacker);
	session->is_open = false;
}

void fluent_session_finish(struct fluent_session *session)
{
	connection_finish(&session->connection);
	msgpack_unpacker_destroy(&session->unpacker);
}

static int fluent_fail(struct fluent_session *session, const char *what, struct error *err)
{
	close_session(session);
	return error_set(err, -EPROTO, "%s", what);
}

/* Reads bytes of the server until they are a whole answer. */
static int fluent_read_answer(struct fluent_session *session, msgpack_unpacked *answer,
			      uint64_t deadline_ns, struct error *err)
{
	msgpack_unpacker *unpacker = &session->unpacker;
	ssize_t n;

	for (;;) {
		msgpack_unpack_return result = msgpack_unpacker_next(unpacker, answer);

		if (result == MSGPACK_UNPACK_SUCCESS)
			return 0;
		if (result != MSGPACK_UNPACK_CONTINUE ||
		    msgpack_unpacker_message_size(unpacker) > ANSWER_MAX)
			return fluent_fail(session, "the answer of the server is not understood",
					   err);
		if (!msgpack_unpacker_reserve_buffer(unpacker, READ_BYTES))
			return error_set(err, -ENOMEM, "out of memory");
		n = connection_read(&session->connection, msgpack_unpacker_buffer(unpacker),
				    READ_BYTES, deadline_ns, err);
		if (n < 0) {
			close_session(session);
			return (int)n;
		}
		msgpack_unpacker_buffer_consumed(unpacker, (size_t)n);
	}
}

/* Text or binary, as servers differ; else it is empty. */
static struct span span_of(const msgpack_object *object)
{
	if (object->type == MSGPACK_OBJECT_STR)
		return (struct span){object->via.str.ptr, object->via.str.size};
	if (object->type == MSGPACK_OBJECT_BIN)
		return (struct span){object->via.bin.ptr, object->via.bin.size};
	return (struct span){"", 0};
}

static struct span span_of_text(const char *text)
{
	return (struct span){text ? text : "", text ? strlen(text) : 0};
}

static bool span_is(struct span span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.bytes, text, span.len) == 0;
}

/* The value of a key of a map, or an empty span. */
static struct span fluent_find(const msgpack_object *map, const char *key)
{
	for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size; i++)
		if (span_is(span_of(&map->via.map.ptr[i].key), key))
			return span_of(&map->via.map.ptr[i].val);
	return (struct span){"", 0};
}

/* SHA-512 of the parts one after the other, in hexadecimal. Returns whether it could be made. */
static bool digest(const struct span *parts, size_t count, char text[static DIGEST_TEXT_BYTES])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char bytes[DIGEST_BYTES];
	bool made = context && EVP_DigestInit_ex(context, EVP_sha512(), NULL);

	for (size_t i = 0; made && i < count; i++)
		made = EVP_DigestUpdate(context, parts[i].bytes, parts[i].len);
	made = made && EVP_DigestFinal_ex(context, bytes, NULL);
	EVP_MD_CTX_free(context);
	for (size_t i = 0; made && i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return made;
}

static void pack_span(msgpack_packer *packer, struct span span)
{
	fluent_pack_bytes(packer, span.bytes, span.len);
}

/* Answers the HELO of the server. */
static int send_ping(struct fluent_session *session, struct span salt, struct span nonce,
		     struct span auth, struct error *err)
{
	const struct fluent_identity *identity = &session->identity;
	const struct span user = span_of_text(identity->user);
	const struct span password = span_of_text(identity->password);
	const struct span key[] = {salt, span_of_text(identity->host), nonce,
				   span_of_text(identity->shared_key)};
	const struct span login[] = {auth, user, password};
	char key_digest[DIGEST_TEXT_BYTES], login_digest[DIGEST_TEXT_BYTES] = "";
	struct buf message = {0};
	msgpack_packer packer;
	size_t done = 0;
	int r;

	if (!digest(key, 4, key_digest) || (auth.len && !digest(login, 3, login_digest)))
		return fluent_fail(session, "SHA-512 is not available", err);
	fluent_pack_begin(&packer, &message);
	msgpack_pack_array(&packer, 6);
	fluent_pack_text(&packer, "PING");
	fluent_pack_text(&packer, identity->host);
	pack_span(&packer, salt);
	fluent_pack_text(&packer, key_digest);
	pack_span(&packer, auth.len ? user : span_of_text(NULL));
	fluent_pack_text(&packer, login_digest);
	r = message.failed
		    ? error_set(err, -ENOMEM, "out of memory")
		    : connection_write(&session->connection, message.data, message.len, &done, err);
	buf_finish(&message);
	return r;
}

/* Whether the server knows the shared key, too. */
static bool is_right_server(const struct fluent_session *session, const msgpack_object *parts,
			    struct span salt, struct span nonce)
{
	const struct span key[] = {salt, span_of(&parts[3]), nonce,
				   span_of_text(session->identity.shared_key)};
	char expected[DIGEST_TEXT_BYTES];

	return digest(key, 4, expected) && span_is(span_of(&parts[4]), expected);
}

/* An array of that many parts, of which the first is the name. */
static bool is_message(const msgpack_object *answer, const char *name, uint32_t parts)
{
	return answer->type == MSGPACK_OBJECT_ARRAY && answer->via.array.size >= parts &&
	       span_is(span_of(&answer->via.array.ptr[0]), name);
}

static int check_pong(struct fluent_session *session, struct span salt, struct span nonce,
		      uint64_t deadline_ns, struct error *err)
{
	msgpack_unpacked pong;
	const msgpack_object *parts;
	char reason[256];
	int r;

	msgpack_unpacked_init(&pong);
	r = fluent_read_answer(session, &pong, deadline_ns, err);
	if (r == 0 && !is_message(&pong.data, "PONG", 5))
		r = fluent_fail(session, "the server answered something else than PONG", err);
	parts = pong.data.via.array.ptr;
	if (r == 0 && !(parts[1].type == MSGPACK_OBJECT_BOOLEAN && parts[1].via.boolean)) {
		struct span why = span_of(&parts[2]);

		snprintf(reason, sizeof(reason), "the server refused: %.*s", (int)why.len,
			 why.bytes);
		r = fluent_fail(session, reason, err);
	}
	if (r == 0 && !is_right_server(session, parts, salt, nonce))
		r = fluent_fail(session, "the server does not know the shared key", err);
	msgpack_unpacked_destroy(&pong);
	return r;
}

/* Waits for HELO, and goes on from there. */
static int fluent_shake_hands(struct fluent_session *session, uint64_t deadline_ns,
			      struct error *err)
{
	char random[SALT_BYTES / 2], salt[SALT_BYTES + 1];
	msgpack_unpacked helo;
	int r;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return fluent_fail(session, "there are no random numbers", err);
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(salt + 2 * i, 3, "%02x", (unsigned char)random[i]);
	msgpack_unpacked_init(&helo);
	r = fluent_read_answer(session, &helo, deadline_ns, err);
	if (r == 0 && !is_message(&helo.data, "HELO", 2))
		r = fluent_fail(session, "the server did not begin with HELO", err);
	if (r == 0) {
		/* They point into `helo`. */
		const msgpack_object *options = &helo.data.via.array.ptr[1];
		struct span nonce = fluent_find(options, "nonce"),
			    auth = fluent_find(options, "auth");

		r = send_ping(session, span_of_text(salt), nonce, auth, err);
		if (r == 0)
			r = check_pong(session, span_of_text(salt), nonce, deadline_ns, err);
	}
	msgpack_unpacked_destroy(&helo);
	return r;
}

int fluent_session_open(struct fluent_session *session, struct error *err)
{
	uint64_t deadline_ns = connection_deadline(session->connection.config.timeout_ns);
	bool was_open = session->is_open && session->connection.fd >= 0;
	int r = connection_open(&session->connection, err);

	if (r || (was_open && session->connection.fd >= 0))
		return r;
	msgpack_unpacker_reset(&session->unpacker);
	if (session->identity.shared_key)
		r = fluent_shake_hands(session, deadline_ns, err);
	session->is_open = r == 0;
	if (r)
		close_session(session);
	return r;
}

int fluent_session_send(struct fluent_session *session, const void *bytes, size_t len, bool *sent,
			struct error *err)
{
	size_t done = 0;
	int r = connection_write(&session->connection, bytes, len, &done, err);

	*sent = done > 0;
	/* What follows half a message would not be understood. */
	if (r)
		close_session(session);
	return r;
}

int fluent_session_wait(struct fluent_session *session, const char *chunk, struct error *err)
{
	uint64_t deadline_ns = connection_deadline(session->connection.config.timeout_ns);
	msgpack_unpacked answer;
	bool is_right;
	int r;

	msgpack_unpacked_init(&answer);
	r = fluent_read_answer(session, &answer, deadline_ns, err);
	is_right = r == 0 && span_is(fluent_find(&answer.data, "ack"), chunk);
	msgpack_unpacked_destroy(&answer);
	if (r)
		return r;
	return is_right ? 0 : fluent_fail(session, "the server confirmed something else", err);
}

/*
 * fluent://HOST[:PORT]: the forward protocol of Fluentd and Fluent Bit. A batch is a message, which
 * the server confirms.
 */

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
	struct connection_endpoint endpoint;
	int r = connection_endpoint_read(config->target, FLUENT_PORT, &endpoint, err);

	if (r == 0 && keys->timeout_ns == 0)
		r = error_set(err, -EINVAL, "timeout= is 0");
	if (r == 0 && keys->user && !keys->shared_key)
		r = error_set(err, -EINVAL, "user= needs shared-key=, too");
	if (r == 0 && !keys->tls && (keys->files.ca || keys->files.cert || keys->files.insecure))
		r = error_set(err, -EINVAL, "ca=, cert= and insecure are for tls=yes");
	return r ? r : tls_keys_check(&keys->files, config->text, err);
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
	int r;

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	target->keys = keys;
	identity.host = target->host;
	if (gethostname(target->host, sizeof(target->host) - 1))
		snprintf(target->host, sizeof(target->host), "lanner");
	r = connection_endpoint_read(config->target, FLUENT_PORT, &to.endpoint, err);
	if (r == 0 && keys->tls)
		r = tls_keys_apply(&keys->files, &to, &target->tls, err);
	if (r == 0)
		r = fluent_session_init(&target->session, &to, &identity, stop, err);
	if (r) {
		tls_destroy(target->tls);
		free(target);
	} else {
		*opened = target;
	}
	return r;
}

/* What was not rejected is delivered. */
static int fluent_finish(const struct fluent_target *target, struct output_batch *batch,
			 struct error *err)
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
	int r = fluent_new_chunk(chunk);

	if (r == 0)
		r = fluent_pack(batch, target->keys->tag, chunk, &target->message);
	if (r == -ENODATA)
		return fluent_finish(target, batch, err);
	if (r)
		return error_set(err, r, "%s", strerror(-r));
	r = fluent_session_open(&target->session, err);
	if (r == 0)
		r = fluent_session_send(&target->session, target->message.data, target->message.len,
					&sent, err);
	if (r == 0)
		r = fluent_session_wait(&target->session, chunk, err);
	batch->uncertain = r && sent;
	return r ? r : fluent_finish(target, batch, err);
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
