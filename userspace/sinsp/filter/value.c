/* SPDX-License-Identifier: MIT */
/*
 * Converts the text of a constant to a value of the type of the field; long lists of them are hash
 * tables.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "sinsp/filter/program.h"
#include "sinsp/filter/regex.h"
#include "sinsp/filter/operand.h"
#include "util/hash.h"

/* Constants in a hash table with open addressing, for `in` with long lists. */

struct value_table {
	bool numbers; /* else bytes */
	uint32_t mask;
	const struct field_value **buckets; /* NULL: free; never full */
};

static uint32_t hash_value(const struct value_table *table, const struct field_value *value)
{
	if (table->numbers)
		return (uint32_t)((value->u64 * 0x9e3779b97f4a7c15u) >> 32);
	return hash_bytes(value->bytes.data, value->bytes.len);
}

static bool values_equal(const struct value_table *table, const struct field_value *a,
			 const struct field_value *b)
{
	if (table->numbers)
		return a->u64 == b->u64;
	return a->bytes.len == b->bytes.len &&
	       memcmp(a->bytes.data, b->bytes.data, a->bytes.len) == 0;
}

/* The bucket of an equal value, or the free one where it belongs. */
static const struct field_value **find_bucket(const struct value_table *table,
					      const struct field_value *value)
{
	uint32_t at = hash_value(table, value) & table->mask;

	while (table->buckets[at] && !values_equal(table, table->buckets[at], value))
		at = (at + 1) & table->mask;
	return &table->buckets[at];
}

int value_table_create(struct arena *arena, enum param_type type,
		       const struct filter_constant *constants, uint32_t n,
		       struct value_table **table)
{
	bool bytes = type == PT_CHARBUF || type == PT_FSPATH || type == PT_FSRELPATH ||
		     type == PT_BYTEBUF;
	struct value_table *made;
	uint32_t size = 8;

	*table = NULL;
	if (!bytes && (type == PT_DOUBLE || !param_type_size(type)))
		return 0;
	while (size < 2 * n)
		size *= 2;
	made = arena_alloc(arena, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->numbers = !bytes;
	made->mask = size - 1;
	made->buckets = arena_alloc(arena, size * sizeof(made->buckets[0]));
	if (!made->buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		*find_bucket(made, &constants[i].value) = &constants[i].value;
	*table = made;
	return 0;
}

bool value_table_has(const struct value_table *table, const struct field_value *value)
{
	return *find_bucket(table, value) != NULL;
}

/* Converts the text of a constant to a value of the type of the field. */

enum { VALUE_BYTES_MAX = 255 };

/* A text to convert to a value, and its context. */
struct source {
	struct filter_binder *binder;
	const struct filter_expr *expr;
	const struct filter_operand *left;
	enum param_type type; /* of the left side */
	enum filter_op op;
};

typedef int parse_value(const struct source *source, struct filter_constant *constant);

static int value_fail(const struct source *source, const char *what)
{
	return BINDER_FAIL(source->binder, source->expr->position, "'%.60s' is not %s",
			   source->expr->text.data, what);
}

/* White space, a sign, digits, and nothing after. */
static bool is_integer(const char *text)
{
	size_t digits;

	text += strspn(text, " \t\n\v\f\r");
	text += *text == '+' || *text == '-';
	digits = strspn(text, "0123456789");
	return digits && text[digits] == '\0';
}

/* Truncates to the width of the type, as a store into a variable of that type would. */
static int64_t wrap(int64_t number, size_t bytes, bool is_signed)
{
	unsigned int unused_bits = 64 - 8 * (unsigned int)bytes;
	uint64_t raised = (uint64_t)number << unused_bits;

	return is_signed ? (int64_t)raised >> unused_bits : (int64_t)(raised >> unused_bits);
}

/* The parameters of one name can differ in width, and each is compared with all of its bits. */
static unsigned int width(const struct source *source)
{
	const struct field_ref *field = source->left->field;

	return field && field->desc->type == PT_DYN ? sizeof(uint64_t)
						    : (unsigned int)param_type_size(source->type);
}

static enum field_unit unit_of(const struct filter_operand *left)
{
	const struct filter_step *last = &left->steps[left->nsteps - 1];

	if (left->field)
		return field_unit(left->field);
	return last->run == filter_transformers[FILTER_LEN].run && !last->list ? FIELD_UNIT_BYTES
									       : FIELD_UNIT_NONE;
}

static int parse_quantity(const struct source *source, struct filter_constant *constant)
{
	const struct filter_measure measure = {unit_of(source->left), width(source),
					       param_type_is_signed(source->type)};
	struct error err;
	int r = filter_quantity_read(source->expr->text.data, &measure, source->op,
				     &constant->value, &err);

	return r ? BINDER_FAIL(source->binder, source->expr->position, "%.250s", err.text) : 0;
}

static bool is_hexadecimal(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && text[2] &&
	       text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] == '\0';
}

/* The bits of the number. Decimal numbers wrap; hexadecimal ones that do not fit are an error. */
static int parse_hexadecimal(const struct source *source, struct filter_constant *constant)
{
	unsigned int bits = 8 * width(source);
	uint64_t number;

	errno = 0;
	number = strtoull(source->expr->text.data, NULL, 16);
	if (errno || (bits < 64 && number >> bits))
		return BINDER_FAIL(source->binder, source->expr->position,
				   "'%.60s' does not fit: this is a number of %u bits",
				   source->expr->text.data, bits);
	constant->value.i64 = wrap((int64_t)number, bits / 8, param_type_is_signed(source->type));
	return 0;
}

static bool is_flags(enum param_type type)
{
	return type >= PT_FLAGS8 && type <= PT_ENUMFLAGS32;
}

static int parse_integer(const struct source *source, struct filter_constant *constant)
{
	bool is_signed = param_type_is_signed(source->type);
	const char *text = source->expr->text.data;
	int64_t number;

	if (is_hexadecimal(text))
		return parse_hexadecimal(source, constant);
	if (filter_quantity_is(text))
		return parse_quantity(source, constant);
	if (!is_integer(text))
		return value_fail(source,
				  is_flags(source->type)
					  ? "a whole number; evt.arg.NAME has names of flags"
					  : "a whole number");
	number = is_signed ? strtoll(text, NULL, 10) : (int64_t)strtoull(text, NULL, 10);
	constant->value.i64 = wrap(number, param_type_size(source->type), is_signed);
	return 0;
}

static int parse_double(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;

	if (!is_integer(text))
		return value_fail(source, "a whole number");
	constant->value.f64 = (double)wrap(strtoll(text, NULL, 10), sizeof(int32_t), true);
	return 0;
}

static int parse_bool(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;

	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return value_fail(source, "'true' or 'false'");
	constant->value.u64 = text[0] == 't';
	return 0;
}

static int parse_port(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;
	struct servent service, *found = NULL;
	char memory[2048];
	unsigned long long number;

	if (is_hexadecimal(text))
		return parse_hexadecimal(source, constant);
	if (text[strspn(text, "0123456789")] != '\0') {
		if (getservbyname_r(text, NULL, &service, memory, sizeof(memory), &found) || !found)
			return value_fail(source, "a port number or the name of a service");
		constant->value.u64 = ntohs((uint16_t)service.s_port);
		return 0;
	}
	number = strtoull(text, NULL, 10);
	if (number > INT_MAX)
		return value_fail(source, "a port number");
	constant->value.u64 = (uint16_t)number;
	return 0;
}

static int parse_bytes(const struct source *source, struct filter_constant *constant)
{
	constant->value.bytes.data = source->expr->text.data;
	constant->value.bytes.len = source->expr->text.len;
	return 0;
}

static int value_hex_digit(char c)
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
		int high = value_hex_digit(text->data[i]), low = value_hex_digit(text->data[i + 1]);

		if (high < 0 || low < 0)
			return value_fail(source, "a row of hexadecimal digits");
		bytes[i / 2] = (char)(high << 4 | low);
	}
	if (text->len % 2)
		return value_fail(source, "an even number of hexadecimal digits");
	constant->value.bytes.data = bytes;
	constant->value.bytes.len = text->len / 2;
	return 0;
}

static bool parse_ip(const char *text, struct field_value *value)
{
	bool v4 = strchr(text, '.') != NULL;

	value->ip.len = v4 ? 4 : 16;
	return inet_pton(v4 ? AF_INET : AF_INET6, text, value->ip.address) == 1;
}

static int parse_address(const struct source *source, struct filter_constant *constant)
{
	return parse_ip(source->expr->text.data, &constant->value)
		       ? 0
		       : value_fail(source, "an IP address");
}

static int parse_net(const struct source *source, struct filter_constant *constant)
{
	const char *text = source->expr->text.data;
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	size_t digits, len = slash ? (size_t)(slash - text) : sizeof(address);
	unsigned long bits;

	if (len >= sizeof(address))
		return value_fail(source, "a network (an address, '/' and a number of bits)");
	memcpy(address, text, len);
	address[len] = '\0';
	if (!parse_ip(address, &constant->value))
		return value_fail(source, "a network: its address is wrong");
	digits = strspn(slash + 1, "0123456789");
	bits = strtoul(slash + 1, NULL, 10);
	if (!digits || slash[1 + digits] != '\0' || bits > 8UL * constant->value.ip.len ||
	    (bits == 0 && constant->value.ip.len == 16))
		return value_fail(source, "a network: its number of bits is wrong");
	constant->prefix = (uint8_t)bits;
	return 0;
}

static int parse_path(const struct source *source, struct filter_constant *constant)
{
	struct filter_text path = source->expr->text;
	int r = filter_path_normalise(&path, &source->binder->filter->arena, &constant->globbed);

	constant->value.bytes.data = path.data;
	constant->value.bytes.len = path.len;
	return r;
}

static int parse_regex(const struct source *source, struct filter_constant *constant)
{
	return filter_regex_compile(source->binder, source->expr, &constant->regex);
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

int filter_bind_constant(struct filter_binder *binder, const struct filter_operand *left,
			 enum filter_op op, const struct filter_expr *expr,
			 struct filter_constant *constant)
{
	const struct source source = {binder, expr, left, left->type, op};

	if (expr->text.len > VALUE_BYTES_MAX)
		return BINDER_FAIL(binder, expr->position,
				   "filter parameter too long: %zu bytes, at most %d are allowed",
				   expr->text.len, VALUE_BYTES_MAX);
	if (left->type != PT_BYTEBUF && memchr(expr->text.data, '\0', expr->text.len))
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
		return parser_of_type(left->type)(&source, constant);
	}
}
