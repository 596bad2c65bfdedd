/* SPDX-License-Identifier: MIT */
/*
 * HTTP/1.0 and HTTP/1.1 (RFC 9110, RFC 9112). A head is taken line by line as its lines arrive, so
 * that its size has no limit; bodies are skipped by their length, or chunk by chunk. Of the target
 * only the path is kept: queries hold secrets.
 *
 * What cannot be known: a response whose request was not seen may be one to HEAD. It is taken to
 * have its body, unless another response follows its head at once. A folded value is that of its
 * first line; where a length is folded, the length is not known.
 */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "event/event.h"
#include "requests/protocols/http.h"
#include "requests/protocols/text.h"

enum {
	/* A line that is longer and not yet whole is taken as it is, and its rest ignored. */
	LINE_WAITS_MAX = 8 * 1024,
	LENGTH_DIGITS_MAX = 18,
	CHUNK_DIGITS_MAX = 15,
	VERSION_AT = 6, /* in " HTTP/1.1" */
	STATUS_BYTES = 12, /* HTTP/1.1 200 */
};

enum http1_phase { HTTP1_START, HTTP1_HEADERS, HTTP1_CHUNK, HTTP1_TRAILERS, HTTP1_PHASES };

/* What is known of a side between two steps. */
struct http1 {
	uint64_t length; /* Content-Length */
	uint8_t phase;
	uint8_t trace_rank; /* of the header that gave the trace id */
	bool in_line; /* up to its end, a line is ignored */
	bool has_length;
	bool is_chunked;
	bool is_coded; /* the last transfer coding is not chunked */
	bool is_wrong; /* lengths that contradict each other, or are none */
	bool is_http2, is_websocket; /* what a response of 101 leaves for */
	bool was_framing; /* the last line was about the length: it must not be folded */
};

_Static_assert(sizeof(struct http1) <= PROTOCOL_STATE_BYTES, "more than what is kept of a side");

/* One step. */
struct http1_run {
	const uint8_t *at, *end;
	bool is_cut;
	bool is_over; /* the step ends here, though there may be more input */
	enum protocol_side side;
	struct http1 *http;
	struct protocol_message *message;
	const struct protocol_message *request;
	struct protocol_step step;
};

/* Those of RFC 9110, PATCH, those of WebDAV and its extensions, and what caches take. */
static const char *const methods[] = {
	"GET",	   "POST",	 "HEAD",     "PUT",	  "DELETE", "OPTIONS",	  "PATCH",
	"CONNECT", "TRACE",	 "PROPFIND", "PROPPATCH", "MKCOL",  "COPY",	  "MOVE",
	"LOCK",	   "UNLOCK",	 "REPORT",   "SEARCH",	  "ACL",    "MKCALENDAR", "CHECKOUT",
	"MERGE",   "MKACTIVITY", "PURGE",    "QUERY",
};

enum { METHODS_COUNT = sizeof(methods) / sizeof(methods[0]), METHOD_LEN_MAX = 10 };

static bool is_method(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < METHODS_COUNT; i++)
		if (methods[i][0] == data[0] && strlen(methods[i]) == len &&
		    memcmp(methods[i], data, len) == 0)
			return true;
	return false;
}

static bool begins_method(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < METHODS_COUNT; i++)
		if (strlen(methods[i]) >= len && memcmp(methods[i], data, len) == 0)
			return true;
	return false;
}

/* Methods that the table lacks are proved by the version at the end of their line. */
static bool is_token(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((data[i] < 'A' || data[i] > 'Z') && data[i] != '-' && data[i] != '_')
			return false;
	return len > 0;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static struct http_text trimmed(const uint8_t *data, size_t len)
{
	while (len && is_blank(*data)) {
		data++;
		len--;
	}
	while (len && is_blank(data[len - 1]))
		len--;
	return (struct http_text){data, len};
}

/*
 * Lines.
 */

struct http1_line {
	const uint8_t *data;
	size_t len; /* without what ends it */
	bool is_whole;
};

/* Takes a line, or what there is of it if no more of it will come. Returns false: it waits. */
static bool take_line(struct http1_run *run, struct http1_line *line)
{
	size_t left = (size_t)(run->end - run->at);
	const uint8_t *end = memchr(run->at, '\n', left);

	line->data = run->at;
	line->is_whole = end;
	if (end) {
		line->len = (size_t)(end - run->at);
		line->len -= line->len && end[-1] == '\r';
		run->at = end + 1;
		return true;
	}
	if (!run->is_cut && left <= LINE_WAITS_MAX)
		return false;
	line->len = left;
	run->at = run->end;
	run->http->in_line = true;
	return true;
}

/* The rest of a line that is ignored. */
static void drop_line(struct http1_run *run)
{
	const uint8_t *end = memchr(run->at, '\n', (size_t)(run->end - run->at));

	run->at = end ? end + 1 : run->end;
	run->http->in_line = !end;
}

/*
 * The first line.
 */

/* Where the version of a whole request line begins, with the blank before it; NULL: nowhere. */
static const uint8_t *version_of(const uint8_t *data, size_t len)
{
	static const char version[] = " HTTP/1.";
	const uint8_t *at;

	len = trimmed(data, len).len;
	if (len < sizeof(version) || !http_is_digit(data[len - 1]))
		return NULL;
	at = data + len - sizeof(version);
	return memcmp(at, version, sizeof(version) - 1) == 0 ? at : NULL;
}

/*
 * Where the target of a line that is not whole ends, as far as it is kept: its path may not be cut
 * off. NULL: that is not known.
 */
static const uint8_t *cut_target_end(const uint8_t *target, const uint8_t *end)
{
	size_t len = (size_t)(end - target), path = http_length_before(target, len, ' ');

	path = http_length_before(target, path, '?');
	return path < len || len >= MESSAGE_TARGET_BYTES + MESSAGE_HOST_BYTES ? target + path
									      : NULL;
}

/* digits: those behind "HTTP/". */
static void take_version(struct protocol_message *message, const uint8_t *digits)
{
	protocol_text_put(message->version, sizeof(message->version), digits, 3);
}

/* That of CONNECT is an authority alone. */
static void take_target(struct protocol_message *message, const uint8_t *data, size_t len)
{
	if (strcmp(message->method, "CONNECT") != 0 || len == 0 || *data == '/' ||
	    memmem(data, len, "://", 3)) {
		http_take_target(message, data, len);
		return;
	}
	len = http_length_before(data, len, '?');
	http_take_authority(message, data, http_length_before(data, len, '#'));
	memcpy(message->target, message->host, sizeof(message->host));
}

/* Returns false if that is no request line. */
static bool take_request_line(struct http1_run *run, const struct http1_line *line)
{
	size_t room = line->len < MESSAGE_METHOD_BYTES ? line->len : MESSAGE_METHOD_BYTES;
	const uint8_t *end = line->data + line->len;
	const uint8_t *blank = memchr(line->data, ' ', room);
	size_t len = blank ? (size_t)(blank - line->data) : 0;

	if (!is_token(line->data, len))
		return false;
	if (line->is_whole)
		end = version_of(line->data, line->len);
	else if (!is_method(line->data, len))
		return false;
	else
		end = cut_target_end(blank + 1, end);
	if (!end || end <= blank + 1)
		return false;
	protocol_text_put(run->message->method, MESSAGE_METHOD_BYTES, line->data, len);
	if (line->is_whole)
		take_version(run->message, end + VERSION_AT);
	take_target(run->message, blank + 1, (size_t)(end - blank - 1));
	return true;
}

/* Whether these bytes, at least one, can be the beginning of a status line. */
static bool begins_status_line(const uint8_t *data, size_t len)
{
	static const char form[] = "HTTP/1.d ddd";

	for (size_t i = 0; i < len && i < STATUS_BYTES; i++)
		if (form[i] == 'd' ? !http_is_digit(data[i]) : data[i] != (uint8_t)form[i])
			return false;
	return (len < 10 || data[9] != '0') &&
	       (len <= STATUS_BYTES || data[STATUS_BYTES] == ' ' || data[STATUS_BYTES] == '\r' ||
		data[STATUS_BYTES] == '\n');
}

/* Returns false if that is no status line. */
static bool take_status_line(struct http1_run *run, const struct http1_line *line)
{
	const uint8_t *digits = line->data + STATUS_BYTES - 3;

	if (line->len < STATUS_BYTES || !begins_status_line(line->data, line->len))
		return false;
	http_take_status(run->message, digits);
	take_version(run->message, line->data + VERSION_AT - 1);
	return true;
}

/* Ends the step where no message is known to begin. */
static void lose(struct http1_run *run)
{
	run->step.action = PROTOCOL_LOST;
	run->is_over = true;
}

static bool may_begin(const struct http1_run *run)
{
	if (*run->at == '\r')
		return true;
	return run->side == PROTOCOL_REQUESTS
		       ? is_token(run->at, 1)
		       : begins_status_line(run->at, (size_t)(run->end - run->at));
}

/* Returns false: it waits for more. */
static bool take_start(struct http1_run *run)
{
	const uint8_t *begin = run->at;
	struct http1_line line;
	bool is_good;

	if (!take_line(run, &line)) {
		if (may_begin(run))
			return false;
		lose(run);
		return true;
	}
	if (line.is_whole && !line.len) {
		/* Some clients send an empty line behind a body. */
		run->is_over = true;
		return true;
	}
	is_good = run->side == PROTOCOL_REQUESTS ? take_request_line(run, &line)
						 : take_status_line(run, &line);
	if (!is_good) {
		run->at = begin;
		lose(run);
		return true;
	}
	run->step.begins = true;
	run->http->phase = HTTP1_HEADERS;
	return true;
}

/*
 * Headers. Each takes its value, without blanks around it.
 */

static void take_host(struct http1_run *run, struct http_text value)
{
	if (!run->message->host[0])
		protocol_text_put(run->message->host, MESSAGE_HOST_BYTES, value.data, value.len);
}

static void take_length(struct http1_run *run, struct http_text value)
{
	struct http1 *http = run->http;
	uint64_t length = 0;

	http->was_framing = true;
	if (!value.len || value.len > LENGTH_DIGITS_MAX)
		http->is_wrong = true;
	for (size_t i = 0; i < value.len && !http->is_wrong; i++) {
		http->is_wrong = !http_is_digit(value.data[i]);
		length = length * 10 + value.data[i] - '0';
	}
	http->is_wrong |= http->has_length && http->length != length;
	http->has_length = true;
	http->length = length;
}

static bool is_word(struct http_text text, const char *word)
{
	return text.len == strlen(word) &&
	       strncasecmp((const char *)text.data, word, text.len) == 0;
}

/* Only the last coding decides where the body ends. */
static void take_coding(struct http1_run *run, struct http_text value)
{
	const uint8_t *comma = value.len ? memrchr(value.data, ',', value.len) : NULL;
	struct http_text last = value;

	if (comma)
		last = trimmed(comma + 1, (size_t)(value.data + value.len - comma - 1));
	run->http->was_framing = true;
	if (is_word(last, "identity"))
		return;
	run->http->is_chunked = is_word(last, "chunked");
	run->http->is_coded = !run->http->is_chunked;
}

/* Which protocol a server goes over to. */
static void take_upgrade(struct http1_run *run, struct http_text value)
{
	bool is_response = run->side == PROTOCOL_RESPONSES;

	run->http->is_http2 = is_response && is_word(value, "h2c");
	run->http->is_websocket = is_response && is_word(value, "websocket");
}

/* The headers that matter, beside trace ids. Those that say where a body ends are of both sides. */
static const struct http1_header {
	const char *name;
	uint8_t len;
	bool is_framing;
	void (*take)(struct http1_run *run, struct http_text value);
} headers[] = {
	{"Host", 4, false, take_host},
	{"Content-Length", 14, true, take_length},
	{"Transfer-Encoding", 17, true, take_coding},
	{"Upgrade", 7, true, take_upgrade},
};

enum { HEADERS_COUNT = sizeof(headers) / sizeof(headers[0]) };

/* Most headers are told apart from all of these by their first letter, of either case. */
#define LETTER(c) (UINT32_C(1) << ((c)&31))
static const uint32_t header_letters = LETTER('H') | LETTER('C') | LETTER('T') | LETTER('B') |
				       LETTER('X') | LETTER('U') | LETTER('S');

static void take_trace(struct http1_run *run, const struct http1_line *line)
{
	size_t name = http_length_before(line->data, line->len, ':');

	if (name < line->len)
		http_take_trace(run->message, &run->http->trace_rank,
				(struct http_text){line->data, name},
				trimmed(line->data + name + 1, line->len - name - 1));
}

static void take_header(struct http1_run *run, const struct http1_line *line)
{
	if (!line->len || !(header_letters & LETTER(line->data[0])))
		return;
	for (size_t i = 0; i < HEADERS_COUNT; i++) {
		const struct http1_header *header = &headers[i];

		if (line->len <= header->len || line->data[header->len] != ':' ||
		    strncasecmp((const char *)line->data, header->name, header->len) != 0)
			continue;
		if (run->side == PROTOCOL_REQUESTS || header->is_framing)
			header->take(run, trimmed(line->data + header->len + 1,
						  line->len - header->len - 1));
		return;
	}
	if (run->side == PROTOCOL_REQUESTS)
		take_trace(run, line);
}

/*
 * Where the message ends.
 */

static void end_message(struct http1_run *run, uint64_t skip)
{
	memset(run->http, 0, sizeof(*run->http));
	run->step.skip = skip;
	run->step.ends = true;
	run->is_over = true;
}

/* Whether the body of that response is none, whatever its headers say. */
static bool is_bare(const struct http1_run *run)
{
	size_t left = (size_t)(run->end - run->at);
	int status = run->message->status;

	if (status < 200 || status == 204 || status == 304)
		return true;
	if (run->request)
		return strcmp(run->request->method, "HEAD") == 0;
	return left > STATUS_BYTES && begins_status_line(run->at, left);
}

static bool leaves(const struct http1_run *run)
{
	int status = run->message->status;

	if (run->side == PROTOCOL_REQUESTS)
		return false;
	return status == 101 ||
	       (status / 100 == 2 && run->request && strcmp(run->request->method, "CONNECT") == 0);
}

/* What is spoken behind a response that leaves; NULL: nobody says. */
static const struct protocol *next_protocol(const struct http1_run *run)
{
	if (run->message->status != 101)
		return NULL;
	if (run->http->is_http2)
		return &protocol_http2;
	return run->http->is_websocket ? &protocol_websocket : NULL;
}

static void end_head(struct http1_run *run)
{
	bool is_response = run->side == PROTOCOL_RESPONSES;
	struct http1 *http = run->http;

	if (leaves(run)) {
		run->step.action = PROTOCOL_LEAVES;
		run->step.next = next_protocol(run);
		end_message(run, 0);
	} else if (is_response && is_bare(run)) {
		end_message(run, 0);
	} else if (http->is_chunked) {
		run->step.wants_all = true;
		http->phase = HTTP1_CHUNK;
	} else if (http->is_coded && is_response) {
		end_message(run, PROTOCOL_TO_THE_END);
	} else if (http->is_wrong || http->is_coded) {
		run->step.action = PROTOCOL_LOST;
		end_message(run, 0);
	} else if (http->has_length || !is_response) {
		end_message(run, http->length);
	} else {
		end_message(run, PROTOCOL_TO_THE_END);
	}
}

/* Returns false: it waits for more. */
static bool take_headers(struct http1_run *run)
{
	struct http1_line line;

	if (!take_line(run, &line))
		return false;
	if (line.is_whole && !line.len) {
		end_head(run);
		return true;
	}
	if (line.len && is_blank(line.data[0])) {
		run->http->is_wrong |= run->http->was_framing;
		return true;
	}
	run->http->was_framing = false;
	/* Of a value that is not whole nobody knows how it ends. */
	if (line.is_whole)
		take_header(run, &line);
	return true;
}

/* The length of a chunk: HEX [;EXTENSION]. Returns false if it is none. */
static bool chunk_length(const struct http1_line *line, uint64_t *length)
{
	size_t n = 0;

	for (*length = 0; n < line->len && http_hex_value(line->data[n]) >= 0; n++) {
		if (n == CHUNK_DIGITS_MAX)
			return false;
		*length = *length << 4 | (uint64_t)http_hex_value(line->data[n]);
	}
	return n && (n == line->len || line->data[n] == ';' || is_blank(line->data[n]));
}

static bool take_chunk(struct http1_run *run)
{
	struct http1_line line;
	uint64_t length;

	if (!take_line(run, &line))
		return false;
	if (!line.is_whole && run->is_cut) {
		run->at = line.data;
		run->http->in_line = false;
		return false;
	}
	if (!line.is_whole || !chunk_length(&line, &length)) {
		run->step.action = PROTOCOL_LOST;
		run->step.wants_all = true;
		end_message(run, 0);
	} else if (!length) {
		run->http->phase = HTTP1_TRAILERS;
	} else if (length + 2 <= (uint64_t)(run->end - run->at)) {
		run->at += length + 2;
	} else {
		run->step.skip = length + 2 - (uint64_t)(run->end - run->at);
		run->at = run->end;
		run->is_over = true;
	}
	return true;
}

static bool take_trailers(struct http1_run *run)
{
	struct http1_line line;

	if (!take_line(run, &line))
		return false;
	if (line.is_whole && !line.len)
		end_message(run, 0);
	return true;
}

static bool (*const phases[HTTP1_PHASES])(struct http1_run *run) = {
	[HTTP1_START] = take_start,
	[HTTP1_HEADERS] = take_headers,
	[HTTP1_CHUNK] = take_chunk,
	[HTTP1_TRAILERS] = take_trailers,
};

/* Whether what is known of a message stands, if the rest of its head is missing. */
static bool stands(const struct http1_run *run)
{
	return run->http->phase != HTTP1_START && !run->message->is_aside && !leaves(run);
}

/* There was no more input: what is behind it decides. */
static void stop(struct http1_run *run, bool is_used)
{
	run->step.wants_all |= run->is_cut && run->http->phase != HTTP1_START;
	/* All that is understood is taken first. */
	if (run->is_cut && is_used && stands(run))
		return;
	if (run->is_cut && run->http->phase != HTTP1_START) {
		/* What was said stands; where the message ends is not known. */
		run->step.action = PROTOCOL_LOST;
		end_message(run, 0);
	} else if (!is_used) {
		run->step.action = run->is_cut ? PROTOCOL_LOST : PROTOCOL_WAITS;
	}
}

static struct protocol_step http1_step(enum protocol_side side, void *state,
				       const struct protocol_input *input,
				       struct protocol_message *message,
				       const struct protocol_message *request)
{
	struct http1_run run = {
		.at = input->data,
		.end = input->data + input->len,
		.is_cut = input->is_cut,
		.side = side,
		.http = state,
		.message = message,
		.request = request,
		.step = {.action = PROTOCOL_GOES_ON},
	};

	run.step.wants_all = run.http->phase >= HTTP1_CHUNK;
	while (run.at < run.end && !run.is_over) {
		if (run.http->in_line)
			drop_line(&run);
		else if (!phases[run.http->phase](&run))
			break;
	}
	if (!run.is_over)
		stop(&run, run.at > input->data);
	run.step.used = (size_t)(run.at - input->data);
	run.step.stands = stands(&run);
	return run.step;
}

/*
 * Recognition.
 */

/* Whether a target begins as those of that method do. */
static bool begins_target(const uint8_t *data, size_t len, bool is_connect)
{
	static const char scheme[] = "http";
	size_t n = len < sizeof(scheme) - 1 ? len : sizeof(scheme) - 1;

	if (is_connect || !len)
		return true;
	return data[0] == '/' || data[0] == '*' || strncasecmp((const char *)data, scheme, n) == 0;
}

/* The printable bytes at the beginning. */
static size_t printable_length(const uint8_t *data, size_t len)
{
	size_t n = 0;

	while (n < len && data[n] > ' ' && data[n] != 0x7f)
		n++;
	return n;
}

/* What may follow the target; `len` of it is known. */
static enum protocol_verdict recognise_version(const uint8_t *data, size_t len)
{
	static const char form[] = " HTTP/1.";
	size_t n = len < sizeof(form) - 1 ? len : sizeof(form) - 1;

	if (memcmp(data, form, n) != 0)
		return PROTOCOL_NO;
	if (len > n && data[n] != '0' && data[n] != '1')
		return PROTOCOL_NO;
	if (len < n + 2)
		return PROTOCOL_MAYBE;
	return data[n + 1] == '\r' || data[n + 1] == '\n' ? PROTOCOL_YES : PROTOCOL_NO;
}

static enum protocol_verdict recognise_request(const uint8_t *data, size_t len)
{
	size_t room = len < METHOD_LEN_MAX + 1 ? len : METHOD_LEN_MAX + 1;
	const uint8_t *blank = memchr(data, ' ', room);
	size_t n, method = blank ? (size_t)(blank - data) : room;

	if (!blank)
		return begins_method(data, room) ? PROTOCOL_MAYBE : PROTOCOL_NO;
	if (!is_method(data, method))
		return PROTOCOL_NO;
	data = blank + 1;
	len -= method + 1;
	if (!begins_target(data, len, method == 7 && blank[-1] == 'T'))
		return PROTOCOL_NO;
	n = printable_length(data, len);
	return len && !n ? PROTOCOL_NO : recognise_version(data + n, len - n);
}

static enum protocol_verdict recognise_response(const uint8_t *data, size_t len)
{
	if (!begins_status_line(data, len))
		return PROTOCOL_NO;
	if (len > 7 && data[7] != '0' && data[7] != '1')
		return PROTOCOL_NO;
	return len > STATUS_BYTES ? PROTOCOL_YES : PROTOCOL_MAYBE;
}

static enum protocol_verdict http1_recognise(enum protocol_side side,
					     const struct protocol_input *input)
{
	return side == PROTOCOL_REQUESTS ? recognise_request(input->data, input->len)
					 : recognise_response(input->data, input->len);
}

/* Whether lines with a colon follow, and then an empty one: all of them with CRLF. */
static bool has_head(const uint8_t *data, const uint8_t *end)
{
	for (bool is_first = true;; is_first = false) {
		const uint8_t *line_end = memchr(data, '\n', (size_t)(end - data));

		if (!line_end || line_end == data || line_end[-1] != '\r')
			return false;
		if (line_end == data + 1)
			return !is_first;
		if (!is_first && !memchr(data, ':', (size_t)(line_end - data)))
			return false;
		data = line_end + 1;
	}
}

/*
 * At the beginning of what follows a gap, what looks like a first line is one. Farther on, bodies
 * can hold such lines: a whole head must be there, and, before a request, the end of another one.
 */
static size_t http1_find(enum protocol_side side, const struct protocol_input *input)
{
	const char *sought = side == PROTOCOL_REQUESTS ? "\r\n\r\n" : "HTTP/1.";
	const uint8_t *at = input->data, *end = input->data + input->len;

	if (http1_recognise(side, input) != PROTOCOL_NO)
		return 0;
	while ((at = memmem(at, (size_t)(end - at), sought, strlen(sought)))) {
		const uint8_t *begin = side == PROTOCOL_REQUESTS ? at + strlen(sought) : at;
		struct protocol_input rest = {begin, (size_t)(end - begin), input->is_cut};

		if (rest.len && http1_recognise(side, &rest) == PROTOCOL_YES &&
		    has_head(begin, end))
			return (size_t)(begin - input->data);
		at++;
	}
	return input->len;
}

const struct protocol protocol_http1 = {
	.name = "http",
	.number = request_protocols__http,
	.class = PROTOCOL_OF_HTTP,
	.recognise = http1_recognise,
	.step = http1_step,
	.find = http1_find,
};
