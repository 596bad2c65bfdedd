/* SPDX-License-Identifier: MIT */
/* From the text of a constant to the value that a type of field is compared with. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter_program.h"
#include "sinsp/filter_regex.h"

enum { VALUE_BYTES_MAX = 255 };

/* A text that a value is made of, and where the value goes. */
struct source {
	struct filter_binder *binder;
	const struct filter_expr *expr;
	enum param_type type;
};

typedef int parse_value(const struct source *source, struct filter_constant *constant);

static int fail(const struct source *source, const char *what)
{
	return BINDER_FAIL(source->binder, source->expr->position, "'%.60s' is not %s",
			   source->expr->text.data, what);
}

/* White space, a sign, digits, and nothing behind. */
static bool is_integer(const char *text)
{
	size_t digits;

	text += strspn(text, " \t\n\v\f\r");
	text += *text == '+' || *text == '-';
	digits = strspn(text, "0123456789");
	return digits && text[digits] == '\0';
}

/* Keeps what fits the width of the type, as a store into a variable of that type would. */
static int64_t wrap(int64_t number, size_t bytes, bool is_signed)
{
	unsigned int unused_bits = 64 - 8 * (unsigned int)bytes;
	uint64_t raised = (uint64_t)number << unused_bits;

	return is_signed ? (int64_t)raised >> unused_bits : (int64_t)(raised >> unused_bits);
}

static int parse_integer(const struct source *source, struct filter_constant *constant)
{
	bool is_signed = param_type_is_signed(source->type);
	const char *text = source->expr->text.data;
	int64_t number;

	if (!is_integer(text))
		return fail(source, "a whole number");
	number = is_signed ? strtoll(text, NULL, 10) : (int64_t)strtoull(text, NULL, 10);
	constant->value.i64 = wrap(number, param_type_size(source->type), is_signed);
	return 0;
}

static int parse_double(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;

	if (!is_integer(text))
		return fail(source, "a whole number");
	constant->value.f64 = (double)wrap(strtoll(text, NULL, 10), sizeof(int32_t), true);
	return 0;
}

static int parse_bool(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;

	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return fail(source, "'true' or 'false'");
	constant->value.u64 = text[0] == 't';
	return 0;
}

static int parse_port(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;
	struct servent service, *found = NULL;
	char memory[2048];
	unsigned long long number;

	if (text[strspn(text, "0123456789")] != '\0') {
		if (getservbyname_r(text, NULL, &service, memory, sizeof(memory), &found) || !found)
			return fail(source, "a port number or the name of a service");
		constant->value.u64 = ntohs((uint16_t)service.s_port);
		return 0;
	}
	number = strtoull(text, NULL, 10);
	if (number > INT_MAX)
		return fail(source, "a port number");
	constant->value.u64 = (uint16_t)number;
	return 0;
}

static int check_length(const struct source *source)
{
	if (source->expr->text.len > VALUE_BYTES_MAX)
		return BINDER_FAIL(source->binder, source->expr->position,
				   "filter parameter too long: %zu bytes, at most %d are allowed",
				   source->expr->text.len, VALUE_BYTES_MAX);
	return 0;
}

static int parse_bytes(const struct source *source, struct filter_constant *constant)
{
	constant->value.bytes.data = source->expr->text.data;
	constant->value.bytes.len = source->expr->text.len;
	return check_length(source);
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) % 16 : -1;
}

static int parse_hex(const struct source *source, struct filter_constant *constant)
{
	const struct filter_text *text = &source->expr->text;
	char *bytes = arena_alloc(&source->binder->filter->arena, text->len / 2 + 1);

	if (!bytes)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < text->len; i += 2) {
		int high = hex_digit(text->data[i]), low = hex_digit(text->data[i + 1]);

		if (high < 0 || low < 0)
			return fail(source, "a row of hexadecimal digits");
		bytes[i / 2] = (char)(high << 4 | low);
	}
	if (text->len % 2)
		return fail(source, "an even number of hexadecimal digits");
	constant->value.bytes.data = bytes;
	constant->value.bytes.len = text->len / 2;
	return check_length(source);
}

static bool parse_ip(const char *text, struct field_value *value)
{
	bool v4 = strchr(text, '.') != NULL;

	value->ip.len = v4 ? 4 : 16;
	return inet_pton(v4 ? AF_INET : AF_INET6, text, value->ip.address) == 1;
}

static int parse_address(const struct source *source, struct filter_constant *constant)
{
	return parse_ip(source->expr->text.data, &constant->value) ? 0
								   : fail(source, "an IP address");
}

static int parse_net(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	size_t digits, len = slash ? (size_t)(slash - text) : sizeof(address);
	unsigned long bits;

	if (len >= sizeof(address))
		return fail(source, "a network (an address, '/' and a number of bits)");
	memcpy(address, text, len);
	address[len] = '\0';
	if (!parse_ip(address, &constant->value))
		return fail(source, "a network: its address is wrong");
	digits = strspn(slash + 1, "0123456789");
	bits = strtoul(slash + 1, NULL, 10);
	if (!digits || slash[1 + digits] != '\0' || bits > 8UL * constant->value.ip.len ||
	    (bits == 0 && constant->value.ip.len == 16))
		return fail(source, "a network: its number of bits is wrong");
	constant->prefix = (uint8_t)bits;
	return 0;
}

static int parse_path(const struct source *source, struct filter_constant *constant)
{
	struct filter_text path = source->expr->text;
	int rc = check_length(source);

	if (rc == 0)
		rc = filter_path_normalise(&path, &source->binder->filter->arena,
					   &constant->globbed);
	constant->value.bytes.data = path.data;
	constant->value.bytes.len = path.len;
	return rc;
}

static int parse_regex(const struct source *source, struct filter_constant *constant)
{
	int rc = check_length(source);

	return rc ? rc : filter_regex_compile(source->binder, source->expr, &constant->regex);
}

static parse_value *parser_of_type(enum param_type type)
{
	switch (type) {
	case PT_CHARBUF:
	case PT_FSPATH:
	case PT_FSRELPATH:
	case PT_BYTEBUF:
		return parse_bytes;
	case PT_BOOL:
		return parse_bool;
	case PT_PORT:
		return parse_port;
	case PT_DOUBLE:
		return parse_double;
	case PT_IPADDR:
		return parse_address;
	case PT_IPNET:
		return parse_net;
	default:
		return parse_integer;
	}
}

int filter_bind_constant(struct filter_binder *binder, enum param_type type, enum filter_op op,
			 const struct filter_expr *expr, struct filter_constant *constant)
{
	const struct source source = {binder, expr, type};

	if (type != PT_BYTEBUF && memchr(expr->text.data, '\0', expr->text.len))
		return BINDER_FAIL(binder, expr->position, "the value has a NUL byte");
	switch (op) {
	case FILTER_BCONTAINS:
	case FILTER_BSTARTSWITH:
		return parse_hex(&source, constant);
	case FILTER_PMATCH:
		return parse_path(&source, constant);
	case FILTER_REGEX:
		return parse_regex(&source, constant);
	default:
		return parser_of_type(type)(&source, constant);
	}
}
