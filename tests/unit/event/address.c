/* SPDX-License-Identifier: MIT */
/* Socket addresses and tuples as text, with ports as numbers and as names of services. */
#include "event/address.h"
#include "unit.h"
#include "util/services.h"

typedef void append(struct buf *out, const struct event_param *param,
		    const struct services *services);

struct row {
	append *append;
	const char *data;
	uint16_t len;
	const char *text, *named; /* without services, and with them; NULL: the same */
};

#define SOCKADDR(data, ...)                                                                        \
	{                                                                                          \
		address_append_sockaddr, data, sizeof(data) - 1, __VA_ARGS__                       \
	}
#define TUPLE(data, ...)                                                                           \
	{                                                                                          \
		address_append_socktuple, data, sizeof(data) - 1, __VA_ARGS__                      \
	}
#define LOOPBACK6 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
#define MAPPED(end) "\0\0\0\0\0\0\0\0\0\0\377\377\12\0\0" end

/* Families 1, 2 and 10; ports in host order, which is little endian: 80 is "P\0". */
static const struct row rows[] = {
	SOCKADDR("\2\12\0\0\1P\0", "10.0.0.1:80", "10.0.0.1:http"),
	SOCKADDR("\2\12\0\0\1Q\0", "10.0.0.1:81", NULL),
	SOCKADDR("\2\377\0\144\1\5\0", "255.0.100.1:5", NULL),
	SOCKADDR("\12" LOOPBACK6 "5\0", "::1:53", "::1:domain"),
	SOCKADDR("\1/run/x\0", "/run/x", NULL),
	SOCKADDR("\1/run", "INVALID PATH", NULL),
	SOCKADDR("\2\12\0", "INVALID IPv4", NULL),
	SOCKADDR("\12\12\0", "INVALID IPv6", NULL),
	SOCKADDR("\20", "family 16", NULL),
	TUPLE("\2\12\0\0\1P\0\12\0\0\2\5\0", "10.0.0.1:80->10.0.0.2:5",
	      "10.0.0.1:http->10.0.0.2:5"),
	TUPLE("\12" LOOPBACK6 "\5\0" LOOPBACK6 "P\0", "::1:5->::1:80", "::1:5->::1:http"),
	TUPLE("\12" MAPPED("\1") "5\0" MAPPED("\2") "P\0", "10.0.0.1:53->10.0.0.2:80",
	      "10.0.0.1:domain->10.0.0.2:http"),
	TUPLE("\1\1\0\0\0\0\0\0\0\377\0\0\0\0\0\0\0/run/x\0", "1->ff /run/x", NULL),
	TUPLE("\2\12\0\0", "INVALID IPv4", NULL),
	TUPLE("\12\12\0\0", "INVALID IPv6", NULL),
	TUPLE("\1\12\0\0", "INVALID PATH", NULL),
	TUPLE("\20", "family 16", NULL),
};

static void expect(const struct row *row, const struct services *services, const char *expected)
{
	const struct event_param param = {.data = (const uint8_t *)row->data, .len = row->len};
	struct buf out = {0};

	row->append(&out, &param, services);
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buf_finish(&out);
}

static void test_rows(void **state)
{
	struct services *services;

	assert_int_equal(services_create(&services), 0);
	services_add(services, SERVICE_TCP, 80, "http");
	services_add(services, SERVICE_UDP, 53, "domain");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect(&rows[i], NULL, rows[i].text);
		expect(&rows[i], services, rows[i].named ? rows[i].named : rows[i].text);
	}
	services_destroy(services);
}

static void test_unmapped(void **state)
{
	static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1};
	static const uint8_t other[16] = {[10] = 0xff, 0xfe, 10, 0, 0, 1};
	uint8_t len = 16;

	assert_ptr_equal(address_unmapped(mapped, &len), mapped + 12);
	assert_int_equal(len, 4);
	assert_ptr_equal(address_unmapped(mapped, &len), mapped);
	len = 16;
	assert_ptr_equal(address_unmapped(other, &len), other);
	assert_int_equal(len, 16);
	len = 0;
	assert_ptr_equal(address_unmapped(NULL, &len), NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rows),
	cmocka_unit_test(test_unmapped),
};

UNIT_GROUP(tests);
