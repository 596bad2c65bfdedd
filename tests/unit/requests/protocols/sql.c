/* SPDX-License-Identifier: MIT */
/* Statements without their literals, wherever the text ends. */
#include "unit.h"
#include "requests/protocols/sql.h"

#include <stdlib.h>
#include <string.h>

static void put(struct protocol_message *message, enum sql_dialect dialect, const char *text,
		size_t len)
{
	/* A block of its own, so that a read past its end is detected. */
	uint8_t *copy = malloc(len + !len);

	assert_non_null(copy);
	memcpy(copy, text, len);
	memset(message, 'x', sizeof(*message));
	protocol_sql_put(message, dialect, copy, len);
	free(copy);
}

static const struct {
	const char *text, *method, *target;
	enum sql_dialect dialect;
} rows[] = {
	{"select 1", "SELECT", "select ?"},
	{"  SELECT  a ,\n\tb FROM t1 ; ", "SELECT", "SELECT a , b FROM t1"},
	{"SELECT * FROM t WHERE a='se''cret' AND b = -1.5e-3 OR c=.5", "SELECT",
	 "SELECT * FROM t WHERE a=? AND b = -? OR c=?"},
	{"SELECT 'a\\' , b", "SELECT", "SELECT ? , b"},
	{"SELECT E'a\\'secret' , e'x' , b", "SELECT", "SELECT ? , ? , b"},
	{"SELECT x'1F', B'01', n'secret', 0x1f", "SELECT", "SELECT ?"},
	{"SELECT $$secret$$, $t$a$$b$t$, $1, $12", "SELECT", "SELECT ?, $1, $12"},
	{"SELECT a$b, \"Col'umn\"\"x\" FROM \"T\"", "SELECT",
	 "SELECT a$b, \"Col'umn\"\"x\" FROM \"T\""},
	{"INSERT INTO t VALUES (1, 'x', NULL), (2,3,now())", "INSERT",
	 "INSERT INTO t VALUES (?, NULL), (?,now())"},
	{"SELECT 1 FROM t WHERE id IN (1,2,3)", "SELECT", "SELECT ? FROM t WHERE id IN (?)"},
	{"/* a /* b */ 'x */ DELETE -- 'secret\nFROM t", "DELETE", "DELETE FROM t"},
	{"ALTER USER u PASSWORD 'secret'", "ALTER", "ALTER USER u PASSWORD ?"},
	{"(SELECT a)", "SELECT", "(SELECT a)"},
	{"", "", ""},
	{";", "", ""},
	{"a - b / c * d", "A", "a - b / c * d"},
	{"SELECT \xc3\xa4, '\xc3\xa4'", "SELECT", "SELECT \xc3\xa4, ?"},
#define MYSQL(text, method, target)                                                                \
	{                                                                                          \
		text, method, target, SQL_MYSQL                                                    \
	}
	MYSQL("SELECT 'a\\'secret', \"s\\\"ecret\", `a``'b`", "SELECT", "SELECT ?, `a``'b`"),
	MYSQL("SELECT _utf8'secret', N'sec\\'ret', x'1f', b.$c FROM t$1", "SELECT",
	      "SELECT _utf8?, b.$c FROM t$1"),
	MYSQL("SELECT 5--1 # 'secret\n, a -- b'secret\n, c --", "SELECT", "SELECT ?--? , a , c"),
	MYSQL("SELECT * FROM t WHERE id IN (?, ?,?) AND a = ?", "SELECT",
	      "SELECT * FROM t WHERE id IN (?) AND a = ?"),
	MYSQL("/* a /* b */ DELETE FROM t", "DELETE", "DELETE FROM t"),
	MYSQL("/*!40101 SET NAMES utf8 */;", "SET", "SET NAMES utf8"),
	MYSQL("/*M!100100 SET a='secret'*/", "SET", "SET a=?"),
	MYSQL("SELECT a*/*! b */*c", "SELECT", "SELECT a* b *c"),
};

static void test_statements(void **state)
{
	struct protocol_message message;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(&message, rows[i].dialect, rows[i].text, strlen(rows[i].text));
		assert_string_equal(message.target, rows[i].target);
		assert_string_equal(message.method, rows[i].method);
	}
}

/* No part of a secret is shown, wherever the text ends. */
static void test_cut_statements(void **state)
{
	struct protocol_message message;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t len = 0; len < strlen(rows[i].text); len++) {
			put(&message, rows[i].dialect, rows[i].text, len);
			assert_null(strstr(message.target, "sec"));
			assert_in_range(strlen(message.target), 0, len);
		}
}

static void test_long_statements(void **state)
{
	struct protocol_message message;
	char text[4 * MESSAGE_TARGET_BYTES];

	memset(text, 'a', sizeof(text));
	put(&message, SQL_POSTGRES, text, sizeof(text));
	assert_int_equal(strlen(message.target), MESSAGE_TARGET_BYTES - 1);
	assert_int_equal(strlen(message.method), MESSAGE_METHOD_BYTES - 1);
	/* A literal that is longer than the room takes one place of it. */
	memcpy(text, "SET '", 5);
	memcpy(text + sizeof(text) - 3, "' b", 3);
	put(&message, SQL_POSTGRES, text, sizeof(text));
	assert_string_equal(message.target, "SET ? b");
	memset(text, ' ', sizeof(text));
	put(&message, SQL_POSTGRES, text, sizeof(text));
	assert_string_equal(message.target, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_statements),
	cmocka_unit_test(test_cut_statements),
	cmocka_unit_test(test_long_statements),
};

UNIT_GROUP(tests);
