/* SPDX-License-Identifier: MIT */
#include "fluent_server.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <msgpack.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

#define NONCE "nonce-of-16-byte"
#define AUTH "auth-of-16-bytes"
#define HOST "server.example"

enum { READ_BYTES = 65536, DIGEST_TEXT_BYTES = 129 };

struct fluent_server {
	struct fluent_server_config config;
	struct peer peer;
	pthread_t thread;
	atomic_int fd; /* of the client; -1: none */
	atomic_size_t records;
	atomic_bool stopped;
	unsigned int messages;
};

static void digest(char text[DIGEST_TEXT_BYTES], const char *const parts[4])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char bytes[64];

	EVP_DigestInit_ex(context, EVP_sha512(), NULL);
	for (int i = 0; i < 4; i++)
		EVP_DigestUpdate(context, parts[i], strlen(parts[i]));
	EVP_DigestFinal_ex(context, bytes, NULL);
	EVP_MD_CTX_free(context);
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

static void fluent_pack_text(msgpack_packer *packer, const char *text)
{
	msgpack_pack_str(packer, strlen(text));
	msgpack_pack_str_body(packer, text, strlen(text));
}

static void send_packed(int fd, msgpack_sbuffer *buffer)
{
	send(fd, buffer->data, buffer->size, MSG_NOSIGNAL);
	msgpack_sbuffer_destroy(buffer);
}

static void send_helo(const struct fluent_server *server, int fd)
{
	msgpack_sbuffer buffer;
	msgpack_packer packer;

	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
	msgpack_pack_array(&packer, 2);
	fluent_pack_text(&packer, "HELO");
	msgpack_pack_map(&packer, 3);
	fluent_pack_text(&packer, "nonce");
	msgpack_pack_bin(&packer, strlen(NONCE));
	msgpack_pack_bin_body(&packer, NONCE, strlen(NONCE));
	fluent_pack_text(&packer, "auth");
	fluent_pack_text(&packer, server->config.user ? AUTH : "");
	fluent_pack_text(&packer, "keepalive");
	msgpack_pack_true(&packer);
	send_packed(fd, &buffer);
}

static void copy_text(const msgpack_object *object, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)object->via.str.size, object->via.str.ptr);
}

/* Checks PING, answers with PONG. */
static void answer_ping(const struct fluent_server *server, int fd, const msgpack_object *parts)
{
	const struct fluent_server_config *config = &server->config;
	char host[256], salt[64], key[DIGEST_TEXT_BYTES], login[DIGEST_TEXT_BYTES];
	char right_key[DIGEST_TEXT_BYTES], right_login[DIGEST_TEXT_BYTES] = "";
	msgpack_sbuffer buffer;
	msgpack_packer packer;
	bool right;

	copy_text(&parts[1], host, sizeof(host));
	copy_text(&parts[2], salt, sizeof(salt));
	copy_text(&parts[3], key, sizeof(key));
	copy_text(&parts[5], login, sizeof(login));
	digest(right_key, (const char *const[]){salt, host, NONCE, config->shared_key});
	if (config->user)
		digest(right_login,
		       (const char *const[]){AUTH, config->user, config->password, ""});
	right = strcmp(key, right_key) == 0 && strcmp(login, right_login) == 0;
	digest(right_key, (const char *const[]){salt, HOST, NONCE, config->shared_key});
	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
	msgpack_pack_array(&packer, 5);
	fluent_pack_text(&packer, "PONG");
	right ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer);
	fluent_pack_text(&packer, right ? "" : "wrong key or password");
	fluent_pack_text(&packer, HOST);
	fluent_pack_text(&packer, right_key);
	send_packed(fd, &buffer);
}

/* Counts the entries, and confirms the chunk. Returns whether the connection goes on. */
static bool take_message(struct fluent_server *server, int fd, const msgpack_object *parts)
{
	const msgpack_object *chunk = &parts[2].via.map.ptr[0].val;
	msgpack_sbuffer buffer;
	msgpack_packer packer;
	msgpack_unpacked entry;
	size_t at = 0;

	msgpack_unpacked_init(&entry);
	while (msgpack_unpack_next(&entry, parts[1].via.bin.ptr, parts[1].via.bin.size, &at) ==
	       MSGPACK_UNPACK_SUCCESS)
		atomic_fetch_add(&server->records, 1);
	msgpack_unpacked_destroy(&entry);
	if (server->messages++ < server->config.unconfirmed)
		return false;
	msgpack_sbuffer_init(&buffer);
	msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
	msgpack_pack_map(&packer, 1);
	fluent_pack_text(&packer, "ack");
	if (server->config.chunk)
		fluent_pack_text(&packer, server->config.chunk);
	else
		msgpack_pack_object(&packer, *chunk);
	send_packed(fd, &buffer);
	return true;
}

/* Returns whether the connection goes on. */
static bool take(struct fluent_server *server, int fd, const msgpack_object *object)
{
	if (server->config.raw)
		return true;
	if (object->via.array.size == 6) {
		answer_ping(server, fd, object->via.array.ptr);
		return true;
	}
	return take_message(server, fd, object->via.array.ptr);
}

static void serve(struct fluent_server *server, int fd)
{
	msgpack_unpacker unpacker;
	msgpack_unpacked object;
	bool goes_on = true;
	ssize_t n;

	msgpack_unpacker_init(&unpacker, READ_BYTES);
	msgpack_unpacked_init(&object);
	if (server->config.raw)
		send(fd, server->config.raw, strlen(server->config.raw), MSG_NOSIGNAL);
	else if (server->config.shared_key)
		send_helo(server, fd);
	while (goes_on) {
		msgpack_unpacker_reserve_buffer(&unpacker, READ_BYTES);
		n = read(fd, msgpack_unpacker_buffer(&unpacker), READ_BYTES);
		if (n <= 0)
			break;
		msgpack_unpacker_buffer_consumed(&unpacker, (size_t)n);
		while (goes_on &&
		       msgpack_unpacker_next(&unpacker, &object) == MSGPACK_UNPACK_SUCCESS)
			goes_on = take(server, fd, &object.data);
	}
	msgpack_unpacked_destroy(&object);
	msgpack_unpacker_destroy(&unpacker);
}

static void *run(void *data)
{
	struct fluent_server *server = data;
	int fd;

	while ((fd = accept(server->peer.fd, NULL, NULL)) >= 0) {
		atomic_store(&server->fd, fd);
		if (!atomic_load(&server->stopped))
			serve(server, fd);
		atomic_store(&server->fd, -1);
		close(fd);
	}
	return NULL;
}

struct fluent_server *fluent_server_start(const struct fluent_server_config *config, uint16_t *port)
{
	struct fluent_server *server = calloc(1, sizeof(*server));

	server->config = *config;
	atomic_init(&server->fd, -1);
	peer_open(&server->peer, SOCK_STREAM, 0);
	*port = server->peer.port;
	assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
	return server;
}

size_t fluent_server_stop(struct fluent_server *server)
{
	size_t records;
	int fd;

	atomic_store(&server->stopped, true);
	shutdown(server->peer.fd, SHUT_RDWR);
	fd = atomic_load(&server->fd);
	if (fd >= 0)
		shutdown(fd, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	peer_close(&server->peer);
	records = atomic_load(&server->records);
	free(server);
	return records;
}
