/* SPDX-License-Identifier: MIT */
/* The kinds unix, tcp and tls: records over a socket, in frames or datagrams. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "output/targets/connection.h"
#include "output/targets/messenger.h"
#include "output/targets/tls.h"
#include "output/targets/kinds.h"

struct socket_keys {
	unsigned int type; /* the index in type_words */
	unsigned int framing; /* enum messenger_framing */
	uint64_t timeout_ns;
	struct tls_keys tls;
};

enum socket_type { TYPE_STREAM, TYPE_DATAGRAM };
static const char *const type_words[] = {"stream", "datagram", NULL};

struct socket_target {
	struct connection connection;
	struct messenger messenger;
	struct tls *tls; /* NULL: plain */
};

static bool socket_is_kind(const struct output_config *config, const struct output_kind *kind)
{
	return config->kind == kind;
}

static int check_framing(const struct output_config *config, struct error *err)
{
	const struct socket_keys *keys = config->own;

	if (keys->framing == FRAMING_NEWLINE)
		return 0;
	if (config->format && strcmp(config->format, "protobuf") == 0)
		return error_set(err, -EINVAL,
				 "messages of protobuf have their length before them: leave "
				 "out framing=");
	if (keys->type == TYPE_DATAGRAM)
		return error_set(err, -EINVAL, "a datagram is a frame: leave out framing=");
	return 0;
}

static int check_timeout(const struct output_config *config, struct error *err)
{
	const struct socket_keys *keys = config->own;

	return keys->timeout_ns ? check_framing(config, err)
				: error_set(err, -EINVAL, "timeout= is 0");
}

static int check_unix(const struct output_config *config, struct error *err)
{
	const size_t path_max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

	if (config->target[0] == '\0')
		return error_set(err, -EINVAL, "unix: a path is missing: unix:PATH or unix:@NAME");
	if (strlen(config->target) > path_max)
		return error_set(err, -EINVAL, "paths of sockets have at most %zu bytes", path_max);
	return check_timeout(config, err);
}

static int check_server(const struct output_config *config, struct error *err)
{
	const struct socket_keys *keys = config->own;
	struct connection_endpoint endpoint;
	int r = connection_endpoint_read(config->target, 0, &endpoint, err);

	if (r == 0)
		r = tls_keys_check(&keys->tls, config->text, err);
	return r ? r : check_timeout(config, err);
}

static void close_socket(void *opened)
{
	struct socket_target *target = opened;

	if (!target)
		return;
	connection_finish(&target->connection);
	messenger_finish(&target->messenger);
	tls_destroy(target->tls);
	free(target);
}

static int targets_open_socket(const struct output_config *config, struct output_stop *stop,
			       void **opened, struct error *err)
{
	const struct socket_keys *keys = config->own;
	bool is_unix = socket_is_kind(config, &output_kind_unix);
	struct socket_target *target = calloc(1, sizeof(*target));
	struct connection_config to = {
		.path = is_unix ? config->target : NULL,
		.datagrams = keys->type == TYPE_DATAGRAM,
		.timeout_ns = keys->timeout_ns,
	};
	int r = is_unix ? 0 : connection_endpoint_read(config->target, 0, &to.endpoint, err);

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	connection_init(&target->connection, &to, stop);
	target->messenger.framing = keys->framing;
	if (r == 0 && strcmp(config->name, "tls") == 0)
		r = tls_keys_apply(&keys->tls, &target->connection.config, &target->tls, err);
	if (r)
		close_socket(target);
	else
		*opened = target;
	return r;
}

static int send_socket(void *opened, struct output_batch *batch, struct error *err)
{
	struct socket_target *target = opened;

	return target->connection.config.datagrams
		       ? messenger_send(&target->messenger, &target->connection, batch, err)
		       : messenger_write(&target->messenger, &target->connection, batch, err);
}

static int socket_tick(void *opened, struct error *err)
{
	struct socket_target *target = opened;

	return connection_check(&target->connection, err);
}

#define MEMBER(member) offsetof(struct socket_keys, member)
#define TLS_MEMBER(member) offsetof(struct socket_keys, tls.member)
#define FRAMING_ROW                                                                                \
	{                                                                                          \
		"framing", "FRAMING",                                                              \
			"newline: after each record; octets: its length before it, in decimal; "   \
			"length: as 4 bytes, big-endian",                                          \
			OUTPUT_WORD, MEMBER(framing), "newline", FRAMING_WORDS                     \
	}
#define TIMEOUT_ROW                                                                                \
	{                                                                                          \
		"timeout", "TIME", "for connecting, and for the peer to take something",           \
			OUTPUT_TIME, MEMBER(timeout_ns), "30s"                                     \
	}

static const struct output_key unix_keys[] = {
	{"type", "TYPE", "stream or datagram (a record each)", OUTPUT_WORD, MEMBER(type), "stream",
	 type_words},
	FRAMING_ROW,
	TIMEOUT_ROW,
	{0},
};
static const struct output_key tcp_keys[] = {FRAMING_ROW, TIMEOUT_ROW, {0}};
static const struct output_key tls_keys[] = {
	FRAMING_ROW, TIMEOUT_ROW, TLS_KEY_ROWS(TLS_MEMBER), {0}};

#define SOCKET_KIND(kind_names, form, text, key_rows, check_target, used)                          \
	{                                                                                          \
		.names = kind_names, .target = form, .help = text, .keys = key_rows,               \
		.own_bytes = sizeof(struct socket_keys), .uses = used, .check = check_target,      \
		.open = targets_open_socket, .send = send_socket, .tick = socket_tick,             \
		.close = close_socket                                                              \
	}

static const char *const unix_names[] = {"unix", NULL};
static const char *const tcp_names[] = {"tcp", NULL};
static const char *const tls_names[] = {"tls", NULL};

const struct output_kind output_kind_unix = SOCKET_KIND(
	unix_names, "PATH", "a unix socket; @NAME: an abstract one", unix_keys, check_unix, 0);
const struct output_kind output_kind_tcp =
	SOCKET_KIND(tcp_names, "//HOST:PORT", "a server, over TCP", tcp_keys, check_server,
		    OUTPUT_USES_NETWORK);
#ifdef WITH_TLS_OUTPUTS
const struct output_kind output_kind_tls =
	SOCKET_KIND(tls_names, "//HOST:PORT", "a server, over TLS", tls_keys, check_server,
		    OUTPUT_USES_NETWORK);
#endif
