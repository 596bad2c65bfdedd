/* SPDX-License-Identifier: MIT */
/* Syslog: messages, and the kind of target. */
#include "output/targets/syslog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "output/record.h"
#include "output/targets/connection.h"
#include "output/targets/kinds.h"
#include "output/targets/messenger.h"
#include "output/targets/tls.h"
#include "util/count.h"

/* Headers of syslog messages, and what is cut off. */

enum {
	NS_PER_S = 1000000000,
	NS_PER_US = 1000,
	MSGID_MAX = 32,
	SEQUENCE_MAX = 2147483647,
	SEVERITIES = 8,
	TIME_BYTES = 32,
	UTF8_MAX = 4,
};

const char *const SYSLOG_FACILITIES[] = {
	"kern",	  "user",     "mail",	"daemon", "auth",   "syslog", "lpr",   "news",	 "uucp",
	"cron",	  "authpriv", "ftp",	"ntp",	  "audit",  "alert",  "clock", "local0", "local1",
	"local2", "local3",   "local4", "local5", "local6", "local7", NULL,
};

void syslog_format_finish(struct syslog_format *format)
{
	buf_finish(&format->second_text);
}

bool syslog_is_name(const char *text, size_t max)
{
	size_t len = 0;

	for (; text[len]; len++)
		if (text[len] < '!' || text[len] > '~')
			return false;
	return len > 0 && len <= max;
}

bool syslog_is_sd_id(const char *text)
{
	return syslog_is_name(text, SYSLOG_SD_ID_MAX) && !strpbrk(text, "=]\"");
}

/* The time up to the second; records follow each other in the same one. */
static void append_second(struct syslog_format *format, uint64_t ns, struct buf *out)
{
	time_t second = (time_t)(ns / NS_PER_S);
	char text[TIME_BYTES];
	struct tm parts;

	if (second != format->second || format->second_text.len == 0) {
		const char *form = format->local ? "%b %e %H:%M:%S" : "%Y-%m-%dT%H:%M:%S";

		format->local ? localtime_r(&second, &parts) : gmtime_r(&second, &parts);
		strftime(text, sizeof(text), form, &parts);
		buf_clear(&format->second_text);
		buf_append_string(&format->second_text, text);
		format->second = second;
	}
	buf_append(out, format->second_text.data, format->second_text.len);
}

static void append_priority(const struct syslog_format *format, const struct output_record *record,
			    struct buf *out)
{
	buf_append_char(out, '<');
	buf_append_u64(out, format->facility * SEVERITIES + record->priority % SEVERITIES);
	buf_append_char(out, '>');
}

static void append_local_header(struct syslog_format *format, const struct output_record *record,
				struct buf *out)
{
	append_priority(format, record, out);
	append_second(format, record->ts_ns, out);
	buf_append_char(out, ' ');
	buf_append_string(out, format->app);
	buf_append_char(out, '[');
	buf_append_u64(out, (uint64_t)format->pid);
	BUF_LITERAL(out, "]: ");
}

/* The type of the event, which has only characters that are allowed. */
static void append_msgid(const struct output_record *record, struct buf *out)
{
	const struct event_desc *desc = event_desc_get(record->event);
	const char *name = desc ? desc->name : "-";

	if (record->flags & RECORD_IS_DROP)
		name = record->flags & RECORD_IS_END ? "end" : "drop";
	buf_append(out, name, strnlen(name, MSGID_MAX));
}

/* Elements of structured data, which find gaps and duplicates without a look at the message. */
static void append_structured_data(const struct syslog_format *format,
				   const struct output_batch *batch,
				   const struct output_record *record, struct buf *out)
{
	if (!(record->flags & RECORD_IS_DROP)) {
		BUF_LITERAL(out, "[meta sequenceId=\"");
		buf_append_u64(out, (record->number - 1) % SEQUENCE_MAX + 1);
		BUF_LITERAL(out, "\"]");
	}
	buf_append_char(out, '[');
	buf_append_string(out, format->sd_id);
	BUF_LITERAL(out, " id=\"");
	record_id_append(out, batch, record);
	buf_append_char(out, '"');
	if (record->flags & RECORD_REDELIVERED)
		BUF_LITERAL(out, " redelivered=\"1\"");
	buf_append_char(out, ']');
}

static void append_header(struct syslog_format *format, const struct output_batch *batch,
			  const struct output_record *record, struct buf *out)
{
	append_priority(format, record, out);
	BUF_LITERAL(out, "1 ");
	append_second(format, record->ts_ns, out);
	buf_append_char(out, '.');
	buf_append_padded(out, record->ts_ns % NS_PER_S / NS_PER_US, 6);
	BUF_LITERAL(out, "Z ");
	buf_append_string(out, format->host);
	buf_append_char(out, ' ');
	buf_append_string(out, format->app);
	buf_append_char(out, ' ');
	buf_append_u64(out, (uint64_t)format->pid);
	buf_append_char(out, ' ');
	append_msgid(record, out);
	buf_append_char(out, ' ');
	append_structured_data(format, batch, record, out);
	buf_append_char(out, ' ');
}

/* At most `len` bytes of a text, without a part of a character at the end. */
static size_t syslog_whole_characters(const char *text, size_t len)
{
	size_t end = len;

	while (end > 0 && len - end < UTF8_MAX && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

static void truncate_body(struct syslog_format *format, struct messenger_message *message)
{
	size_t space =
		format->bytes_max > message->head.len ? format->bytes_max - message->head.len : 0;
	size_t whole = message->body_len;

	if (whole <= space)
		return;
	buf_printf(&message->tail, " [truncated: %zu bytes in all]", whole);
	space = space > message->tail.len ? space - message->tail.len : 0;
	message->body_len = syslog_whole_characters(message->body, space);
}

void syslog_message_make(void *context, const struct output_batch *batch,
			 const struct output_record *record, struct messenger_message *message)
{
	struct syslog_format *format = context;

	if (format->local)
		append_local_header(format, record, &message->head);
	else
		append_header(format, batch, record, &message->head);
	truncate_body(format, message);
}

/*
 * The kind syslog: a server over UDP, TCP or TLS (RFC 5424, 5425, 5426 and 6587), or the local
 * daemon.
 */

#define LOCAL_SOCKET "/dev/log"

struct syslog_keys {
	unsigned int facility, framing;
	const char *app, *host, *sd_id;
	uint64_t bytes_max, timeout_ns;
	struct tls_keys tls;
};

/* What stands before the host. */
static const struct transport {
	const char *prefix;
	uint16_t port;
	bool datagrams, tls;
	size_t bytes_max; /* what receivers should take */
} transports[] = {
	{"udp:", 514, .datagrams = true, .bytes_max = 2048},
	{"tcp:", 514, .bytes_max = 8192},
	{"tls:", 6514, .tls = true, .bytes_max = 8192},
};
static const struct transport local = {"", 0, .datagrams = true, .bytes_max = 8192};

struct syslog_target {
	struct connection connection;
	struct messenger messenger;
	struct syslog_format format;
	struct tls *tls; /* NULL: plain */
	char host[SYSLOG_HOST_MAX + 1]; /* of this machine */
};

/* Finds how the server is reached, and where it is. Returns 0, or -EINVAL with a message. */
static int read_target(const struct output_config *config, const struct transport **transport,
		       struct connection_config *to, struct error *err)
{
	const char *target = config->target;

	*transport = &local;
	if (target[0] == '\0' || target[0] == '/') {
		to->path = target[0] ? target : LOCAL_SOCKET;
		return 0;
	}
	for (size_t i = 0; i < COUNT(transports); i++) {
		size_t len = strlen(transports[i].prefix);

		if (strncmp(target, transports[i].prefix, len))
			continue;
		*transport = &transports[i];
		return connection_endpoint_read(target + len, transports[i].port, &to->endpoint,
						err);
	}
	return error_set(err, -EINVAL,
			 "the target is udp://HOST, tcp://HOST or tls://HOST, each with :PORT "
			 "if it is not the usual one, or nothing for the local daemon");
}

static int check_names(const struct output_config *config, struct error *err)
{
	const struct syslog_keys *keys = config->own;

	if (!syslog_is_name(keys->app, SYSLOG_APP_MAX))
		return error_set(err, -EINVAL,
				 "app= takes 1 to %d printable characters without blanks",
				 SYSLOG_APP_MAX);
	if (keys->host && !syslog_is_name(keys->host, SYSLOG_HOST_MAX))
		return error_set(err, -EINVAL,
				 "host= takes 1 to %d printable characters without blanks",
				 SYSLOG_HOST_MAX);
	if (!syslog_is_sd_id(keys->sd_id))
		return error_set(err, -EINVAL,
				 "sd-id= takes 1 to %d printable characters without blanks, =, "
				 "] and \"",
				 SYSLOG_SD_ID_MAX);
	return 0;
}

static int syslog_check(const struct output_config *config, struct error *err)
{
	const struct syslog_keys *keys = config->own;
	const struct transport *transport;
	struct connection_config to = {0};
	int r = read_target(config, &transport, &to, err);

	if (r == 0)
		r = check_names(config, err);
	if (r == 0)
		r = tls_keys_check(&keys->tls, config->text, err);
	if (r)
		return r;
	if (keys->bytes_max && keys->bytes_max < SYSLOG_BYTES_MIN)
		return error_set(err, -EINVAL, "size= is at least %d, which all receivers take",
				 SYSLOG_BYTES_MIN);
	if (keys->framing == FRAMING_LENGTH ||
	    (keys->framing != FRAMING_OCTETS && (transport->tls || transport->datagrams)))
		return error_set(err, -EINVAL, "framing= is octets; only tcp:// can have newline");
	return keys->timeout_ns ? 0 : error_set(err, -EINVAL, "timeout= is 0");
}

/* The name of this machine, as far as syslog can have it. */
static void syslog_find_host(char host[SYSLOG_HOST_MAX + 1])
{
	if (gethostname(host, SYSLOG_HOST_MAX) || !syslog_is_name(host, SYSLOG_HOST_MAX))
		memcpy(host, "-", 2);
}

static void close_syslog(void *opened)
{
	struct syslog_target *target = opened;

	if (!target)
		return;
	connection_finish(&target->connection);
	messenger_finish(&target->messenger);
	syslog_format_finish(&target->format);
	tls_destroy(target->tls);
	free(target);
}

static int open_syslog(const struct output_config *config, struct output_stop *stop, void **opened,
		       struct error *err)
{
	const struct syslog_keys *keys = config->own;
	struct syslog_target *target = calloc(1, sizeof(*target));
	const struct transport *transport;
	struct connection_config to = {.timeout_ns = keys->timeout_ns};
	int r = read_target(config, &transport, &to, err);

	if (!target)
		return error_set(err, -ENOMEM, "out of memory");
	to.datagrams = transport->datagrams;
	connection_init(&target->connection, &to, stop);
	syslog_find_host(target->host);
	target->format = (struct syslog_format){
		.local = transport == &local,
		.facility = keys->facility,
		.bytes_max = keys->bytes_max ? keys->bytes_max : transport->bytes_max,
		.host = keys->host ? keys->host : target->host,
		.app = keys->app,
		.sd_id = keys->sd_id,
		.pid = getpid(),
	};
	target->messenger = (struct messenger){
		.make = syslog_message_make,
		.context = &target->format,
		.one_line = true,
		.framing = keys->framing,
	};
	if (r == 0 && transport->tls)
		r = tls_keys_apply(&keys->tls, &target->connection.config, &target->tls, err);
	if (r)
		close_syslog(target);
	else
		*opened = target;
	return r;
}

static int send_syslog(void *opened, struct output_batch *batch, struct error *err)
{
	struct syslog_target *target = opened;

	return target->connection.config.datagrams
		       ? messenger_send(&target->messenger, &target->connection, batch, err)
		       : messenger_write(&target->messenger, &target->connection, batch, err);
}

static int syslog_tick(void *opened, struct error *err)
{
	struct syslog_target *target = opened;

	return connection_check(&target->connection, err);
}

#define MEMBER(member) offsetof(struct syslog_keys, member)
#define TLS_MEMBER(member) offsetof(struct syslog_keys, tls.member)
static const struct output_key keys[] = {
	{"facility", "FACILITY", "of all messages", OUTPUT_WORD, MEMBER(facility), "daemon",
	 SYSLOG_FACILITIES},
	{"app", "NAME", "the name of the program", OUTPUT_TEXT, MEMBER(app), "lanner"},
	{"host", "NAME", "the name of this machine; default: as it calls itself", OUTPUT_TEXT,
	 MEMBER(host)},
	{"size", "BYTES", "longer messages are truncated; default: 2048 over UDP, otherwise 8192",
	 OUTPUT_BYTES, MEMBER(bytes_max)},
	{"framing", "FRAMING", "of tcp://: octets or newline", OUTPUT_WORD, MEMBER(framing),
	 "octets", FRAMING_WORDS},
	{"sd-id", "NAME", "the name of the structured data with the id of the record", OUTPUT_TEXT,
	 MEMBER(sd_id), "lanner@32473"},
	{"timeout", "TIME", "for connecting, and for the server to take something", OUTPUT_TIME,
	 MEMBER(timeout_ns), "30s"},
	TLS_KEY_ROWS(TLS_MEMBER),
	{0},
};
static const char *const names[] = {"syslog", NULL};
static const char *const formats[] = {"json", "text", NULL};

const struct output_kind output_kind_syslog = {
	.names = names,
	.target = "[udp|tcp|tls://HOST[:PORT]]",
	.help = "a syslog server, or the local daemon",
	.keys = keys,
	.own_bytes = sizeof(struct syslog_keys),
	.formats = formats,
	.uses = OUTPUT_USES_NETWORK,
	.check = syslog_check,
	.open = open_syslog,
	.send = send_syslog,
	.tick = syslog_tick,
	.close = close_syslog,
};
