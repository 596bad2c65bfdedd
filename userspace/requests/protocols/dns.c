/* SPDX-License-Identifier: MIT */
/*
 * DNS (RFC 1035): over UDP, where an input is a message and what is cut off it belongs to it, and
 * over TCP, where each has its length in front. Responses answer the query with the same number and
 * question, so that those which overtake others, and queries that are sent again, are told apart.
 * Names are in lower case, as some resolvers ask with letters of random case.
 *
 * Of answers the addresses are read, as long as nothing is missing before them. What is not looked
 * at: other records; thus not the upper bits of a code, which EDNS has. A response without question
 * (some servers have none with FORMERR) answers an unknown query; over TCP it is the next part of a
 * zone that is transferred, and aside. Messages that UPDATE or NOTIFY have these words as method.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "requests/protocols/protocol.h"
#include "util/hash.h"

enum {
	LENGTH_BYTES = 2, /* over TCP */
	HEADER_BYTES = 12,
	DNS_NAME_MAX = 255,
	LABEL_MAX = 63,
	QUESTION_MAX = DNS_NAME_MAX + 4,
	RECORDS_MAX = 4096, /* that a message is thought to have */
	QUERY_BYTES_MAX = 1024, /* over TCP, of one that is recognised */
	ANSWER_BYTES_MAX = 8192, /* over TCP, of a response that are waited for, and looked at */
	FLAG_RESPONSE = 0x8000,
	FLAGS_RESERVED = 0x0040,
	COMPRESSED = 0xc0, /* the rest of a name stands elsewhere */
	RECORD_BYTES = 10, /* behind the name, before the data */
	ANSWERS_MAX = 64, /* records that are looked at */
	TYPE_A = 1,
	TYPE_AAAA = 28,
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
	CLASS_IN = 1,
	CLASS_CH = 3,
	CLASS_ANY = 255,
	OPCODE_QUERY = 0,
};

enum dns_found { DNS_WHOLE, DNS_SHORT, DNS_WRONG };

/* A name as it is on the wire, in lower case, with type and class. */
struct dns_question {
	uint8_t bytes[QUESTION_MAX];
	size_t len;
};

static const struct {
	uint16_t number;
	const char *name;
} types[] = {
	{1, "A"},     {2, "NS"},     {5, "CNAME"},  {6, "SOA"},	  {12, "PTR"},	  {13, "HINFO"},
	{15, "MX"},   {16, "TXT"},   {28, "AAAA"},  {33, "SRV"},  {35, "NAPTR"},  {39, "DNAME"},
	{43, "DS"},   {44, "SSHFP"}, {46, "RRSIG"}, {47, "NSEC"}, {48, "DNSKEY"}, {50, "NSEC3"},
	{52, "TLSA"}, {64, "SVCB"},  {65, "HTTPS"}, {99, "SPF"},  {251, "IXFR"},  {252, "AXFR"},
	{255, "ANY"}, {256, "URI"},  {257, "CAA"},
};

enum { TYPES_COUNT = sizeof(types) / sizeof(types[0]) };

static const char *const opcodes[16] = {[4] = "NOTIFY", [5] = "UPDATE"};

static const char *const codes[16] = {
	[1] = "FORMERR",  [2] = "SERVFAIL", [3] = "NXDOMAIN", [4] = "NOTIMP",  [5] = "REFUSED",
	[6] = "YXDOMAIN", [7] = "YXRRSET",  [8] = "NXRRSET",  [9] = "NOTAUTH", [10] = "NOTZONE",
};

static uint16_t read_u16(const uint8_t *data)
{
	return (uint16_t)(data[0] << 8 | data[1]);
}

static unsigned int opcode_of(const uint8_t *header)
{
	return header[2] >> 3 & 15;
}

static const char *type_name(uint16_t number)
{
	for (size_t i = 0; i < TYPES_COUNT; i++)
		if (types[i].number == number)
			return types[i].name;
	return NULL;
}

static uint8_t to_lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

/* The lengths of labels are no letters. */
static enum dns_found read_question(const uint8_t *data, size_t len, struct dns_question *question)
{
	size_t n = 0;

	while (n < len && data[n]) {
		if (data[n] > LABEL_MAX || n + data[n] + 2 > DNS_NAME_MAX)
			return DNS_WRONG;
		n += (size_t)data[n] + 1;
	}
	if (n + 1 + 4 > len)
		return DNS_SHORT;
	question->len = n + 1 + 4;
	for (size_t i = 0; i <= n; i++)
		question->bytes[i] = to_lower(data[i]);
	memcpy(question->bytes + n + 1, data + n + 1, 4);
	return DNS_WHOLE;
}

/* One byte of a label; what is no plain text is \DDD. Returns false if there is no room. */
static bool put_byte(char *to, size_t *len, uint8_t c)
{
	bool is_plain = c > ' ' && c < 0x7f && c != '.' && c != '\\';

	if (*len + (is_plain ? 1 : 4) >= MESSAGE_TARGET_BYTES)
		return false;
	if (is_plain)
		to[(*len)++] = (char)c;
	else
		*len += (size_t)snprintf(to + *len, MESSAGE_TARGET_BYTES - *len, "\\%03u", c);
	return true;
}

static void put_name(char *to, const uint8_t *name)
{
	size_t len = 0;
	bool has_room = true;

	for (; *name && has_room; name += *name + 1) {
		if (len && len + 1 < MESSAGE_TARGET_BYTES)
			to[len++] = '.';
		for (size_t i = 1; i <= *name && has_room; i++)
			has_room = put_byte(to, &len, name[i]);
	}
	if (!len)
		to[len++] = '.';
	to[len] = '\0';
}

static void put_method(struct protocol_message *message, const uint8_t *header, uint16_t type)
{
	const char *name = opcodes[opcode_of(header)];

	if (!name)
		name = type_name(type);
	if (name)
		snprintf(message->method, sizeof(message->method), "%s", name);
	else
		snprintf(message->method, sizeof(message->method), "TYPE%u", type);
}

static void put_code(struct protocol_message *message, const uint8_t *header)
{
	unsigned int code = header[3] & 15;

	message->has_status = true;
	message->status = (int32_t)code;
	if (code && codes[code])
		snprintf(message->error, sizeof(message->error), "%s", codes[code]);
	else if (code)
		snprintf(message->error, sizeof(message->error), "RCODE%u", code);
}

static uint32_t read_u32(const uint8_t *data)
{
	return (uint32_t)read_u16(data) << 16 | read_u16(data + 2);
}

/* Where what follows a name begins; `len`: it is not there, or it is no name. */
static size_t skip_name(const uint8_t *data, size_t len, size_t at)
{
	while (at < len && data[at]) {
		if ((data[at] & COMPRESSED) == COMPRESSED)
			return at + 2 < len ? at + 2 : len;
		if (data[at] > LABEL_MAX)
			return len;
		at += (size_t)data[at] + 1;
	}
	return at < len ? at + 1 : len;
}

/* Appends it if there is room. */
static void put_address(struct protocol_message *message, int family, const uint8_t *address)
{
	size_t used = strlen(message->answer);
	char text[INET6_ADDRSTRLEN];

	inet_ntop(family, address, text, sizeof(text));
	if (used + strlen(text) + 2 <= sizeof(message->answer))
		snprintf(message->answer + used, sizeof(message->answer) - used, "%s%s",
			 used ? " " : "", text);
}

/* The addresses of an answer, also of other names that the one asked for leads to. */
static void put_addresses(struct protocol_message *message, const uint8_t *data, size_t len,
			  size_t at)
{
	unsigned int count = read_u16(data + 6);
	uint32_t ttl_s = UINT32_MAX;

	for (unsigned int i = 0; i < count && i < ANSWERS_MAX; i++) {
		uint16_t type, size;

		at = skip_name(data, len, at);
		if (len - at < RECORD_BYTES)
			break;
		type = read_u16(data + at);
		size = read_u16(data + at + 8);
		if (read_u16(data + at + 2) != CLASS_IN || len - at - RECORD_BYTES < size)
			break;
		ttl_s = read_u32(data + at + 4) < ttl_s ? read_u32(data + at + 4) : ttl_s;
		at += RECORD_BYTES;
		if (type == TYPE_A && size == IPV4_BYTES)
			put_address(message, AF_INET, data + at);
		else if (type == TYPE_AAAA && size == IPV6_BYTES)
			put_address(message, AF_INET6, data + at);
		at += size;
	}
	message->ttl_s = ttl_s;
}

/* Whether it goes the way of that side. */
static bool is_of_side(const uint8_t *header, enum protocol_side side)
{
	return (header[2] >> 7) == (side == PROTOCOL_RESPONSES);
}

/*
 * The message whose first bytes these are. A part of them is enough, if the question is in it; and
 * nothing is changed if it is not.
 */
static enum dns_found take_message(enum protocol_side side, const uint8_t *data, size_t len,
				   struct protocol_message *message)
{
	struct dns_question question = {.len = 0};
	enum dns_found found = DNS_WHOLE;

	if (len < HEADER_BYTES)
		return DNS_SHORT;
	if (!is_of_side(data, side))
		return DNS_WRONG;
	if (read_u16(data + 4))
		found = read_question(data + HEADER_BYTES, len - HEADER_BYTES, &question);
	else if (side == PROTOCOL_REQUESTS)
		found = DNS_WRONG;
	if (found != DNS_WHOLE)
		return found;
	message->has_key = true;
	message->key = (uint64_t)read_u16(data) << 32;
	if (question.len)
		message->key |= hash_bytes(question.bytes, question.len);
	if (side == PROTOCOL_RESPONSES) {
		put_code(message, data);
		if (!message->status && opcode_of(data) == OPCODE_QUERY)
			put_addresses(message, data, len, HEADER_BYTES + question.len);
	} else {
		put_method(message, data, read_u16(question.bytes + question.len - 4));
		put_name(message->target, question.bytes);
	}
	return DNS_WHOLE;
}

static struct protocol_step lost_step(void)
{
	return (struct protocol_step){.action = PROTOCOL_LOST, .wants_all = true};
}

static struct protocol_step dns_step(enum protocol_side side, void *state,
				     const struct protocol_input *input,
				     struct protocol_message *message,
				     const struct protocol_message *request)
{
	if (take_message(side, input->data, input->len, message) != DNS_WHOLE)
		return lost_step();
	return (struct protocol_step){
		.action = PROTOCOL_GOES_ON, .used = input->len, .begins = true, .ends = true};
}

/* Whether more of a message that is known may have addresses. */
static bool waits_for_answer(enum protocol_side side, size_t len, size_t size)
{
	return side == PROTOCOL_RESPONSES && len < size && len < ANSWER_BYTES_MAX;
}

static struct protocol_step dns_tcp_step(enum protocol_side side, void *state,
					 const struct protocol_input *input,
					 struct protocol_message *message,
					 const struct protocol_message *request)
{
	struct protocol_step step = {.action = PROTOCOL_GOES_ON, .begins = true, .ends = true};
	size_t size = 0, len = input->len, looked_at;
	enum dns_found found = DNS_SHORT;

	if (len >= LENGTH_BYTES) {
		size = LENGTH_BYTES + (size_t)read_u16(input->data);
		len = len < size ? len : size;
		looked_at = len < ANSWER_BYTES_MAX ? len : ANSWER_BYTES_MAX;
		found = take_message(side, input->data + LENGTH_BYTES, looked_at - LENGTH_BYTES,
				     message);
		if (found == DNS_SHORT && len == size)
			found = DNS_WRONG;
		step.used = len;
		step.skip = size - len;
	}
	if ((found == DNS_SHORT || (found == DNS_WHOLE && waits_for_answer(side, len, size))) &&
	    !input->is_cut)
		return (struct protocol_step){.action = PROTOCOL_WAITS};
	if (found != DNS_WHOLE)
		return lost_step();
	/* Further parts of a transfer. */
	message->is_aside = side == PROTOCOL_RESPONSES && !read_u16(input->data + LENGTH_BYTES + 4);
	return step;
}

/*
 * Recognition.
 */

/* Whether a header, as far as it is there, is that of a usual query or response: one question. */
static bool is_usual_header(enum protocol_side side, const uint8_t *data, size_t len)
{
	/* What is missing is as it should be. */
	uint8_t header[HEADER_BYTES] = {[2] = side == PROTOCOL_RESPONSES ? 0x80 : 0, [5] = 1};
	uint16_t answers, authorities, others;

	memcpy(header, data, len < HEADER_BYTES ? len : HEADER_BYTES);
	answers = read_u16(header + 6);
	authorities = read_u16(header + 8);
	others = read_u16(header + 10);
	if (!is_of_side(header, side) || opcode_of(header) != OPCODE_QUERY ||
	    (read_u16(header + 2) & FLAGS_RESERVED) || read_u16(header + 4) != 1)
		return false;
	if (side == PROTOCOL_REQUESTS)
		return !answers && !authorities && others <= 2 && !(header[3] & 15);
	return answers <= RECORDS_MAX && authorities <= RECORDS_MAX && others <= RECORDS_MAX;
}

/* Whether labels, as far as they are there, are of letters, digits, `-`, `_` or `*`. */
static bool is_usual_name(const uint8_t *data, size_t len)
{
	size_t label = 0;

	for (size_t i = 0; i < len; i++) {
		uint8_t c = to_lower(data[i]);

		if (label == 0 && c == 0)
			return true;
		if (label == 0) {
			label = c;
			continue;
		}
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_' &&
		    c != '*')
			return false;
		label--;
	}
	return true;
}

/* Of a message of which `len` bytes are there. A query without other records ends with its
 * question. */
static enum protocol_verdict recognise_message(enum protocol_side side, const uint8_t *data,
					       size_t len, size_t size)
{
	struct dns_question question;
	enum dns_found found;
	uint16_t class;

	if (size < HEADER_BYTES + 5 || !is_usual_header(side, data, len))
		return PROTOCOL_NO;
	if (len < HEADER_BYTES)
		return len < size ? PROTOCOL_SHORT : PROTOCOL_NO;
	if (!is_usual_name(data + HEADER_BYTES, len - HEADER_BYTES))
		return PROTOCOL_NO;
	found = read_question(data + HEADER_BYTES, len - HEADER_BYTES, &question);
	if (found == DNS_SHORT && len < size)
		return PROTOCOL_SHORT;
	if (found != DNS_WHOLE)
		return PROTOCOL_NO;
	class = read_u16(question.bytes + question.len - 2);
	if (!type_name(read_u16(question.bytes + question.len - 4)) ||
	    (class != CLASS_IN && class != CLASS_CH && class != CLASS_ANY))
		return PROTOCOL_NO;
	if (side == PROTOCOL_REQUESTS && !read_u16(data + 10) &&
	    HEADER_BYTES + question.len != size)
		return PROTOCOL_NO;
	return PROTOCOL_YES;
}

static enum protocol_verdict dns_recognise(enum protocol_side side,
					   const struct protocol_input *input)
{
	size_t size = input->is_cut ? SIZE_MAX : input->len;

	if (input->is_cut && side == PROTOCOL_REQUESTS)
		return PROTOCOL_NO;
	return recognise_message(side, input->data, input->len, size);
}

static enum protocol_verdict dns_tcp_recognise(enum protocol_side side,
					       const struct protocol_input *input)
{
	size_t size, len = input->len - LENGTH_BYTES;

	if (input->len < LENGTH_BYTES)
		return PROTOCOL_SHORT;
	size = read_u16(input->data);
	if (side == PROTOCOL_REQUESTS && size > QUERY_BYTES_MAX)
		return PROTOCOL_NO;
	return recognise_message(side, input->data + LENGTH_BYTES, len < size ? len : size, size);
}

static size_t dns_find(enum protocol_side side, const struct protocol_input *input)
{
	return dns_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

/* Only where a read begins: lengths of two bytes can be anywhere. */
static size_t dns_tcp_find(enum protocol_side side, const struct protocol_input *input)
{
	return dns_tcp_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_dns = {
	.name = "dns",
	.number = request_protocols__dns,
	.class = PROTOCOL_OF_DNS,
	.recognise = dns_recognise,
	.step = dns_step,
	.find = dns_find,
};

const struct protocol protocol_dns_tcp = {
	.name = "dns",
	.number = request_protocols__dns,
	.class = PROTOCOL_OF_DNS,
	.recognise = dns_tcp_recognise,
	.step = dns_tcp_step,
	.find = dns_tcp_find,
};
