/* SPDX-License-Identifier: MIT */
/* Routes of paths and tables of statements: rows; random paths have short routes that are their
 * own. */
#include "unit.h"
#include "requests/metrics/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "util/count.h"

static const struct {
	const char *path, *route;
} routes[] = {
	{"/", "/"},
	{"", ""},
	{"*", ""},
	{"host:443", ""},
	{"/api/v1/users", "/api/v1/users"},
	{"/v1.41/containers/json", "/v1.41/containers/json"},
	{"/v123456789", "/v{number}"},
	{"/user/7", "/user/{number}"},
	{"/user/7/", "/user/{number}/"},
	{"/user/123/order/9981", "/user/{number}/order/{number}"},
	{"/user/0f8fad5b-d9cb-469f-a165-70867728950e", "/user/{uuid}"},
	{"/x-0F8FAD5B-D9CB-469F-A165-70867728950E.json", "/x-{uuid}.json"},
	{"/0f8fad5b-d9cb-469f-a165-70867728950eff", "/{hash}-d9cb-469f-a{number}-{hash}"},
	{"/blob/9e107d9d372bb6826bd81d3542a419d6", "/blob/{hash}"},
	{"/app.3f2a9bc1.js", "/app.{hash}.js"},
	{"/deadbeef", "/deadbeef"},
	{"/deadbeefdeadbeef", "/{hash}"},
	{"/static/logo.png", "/static/logo.png"},
	{"/2024-01-31/index.html", "/{number}-{number}-{number}/index.html"},
	{"/page-2", "/page-{number}"},
	{"/user12345", "/user{number}"},
	{"/oauth2/mp3/utf8/base64", "/oauth2/mp3/utf8/base64"},
	{"/mail/someone@example.org", "/mail/{email}"},
	{"/mail/some.one%40example.org/inbox", "/mail/{email}/inbox"},
	{"/@me", "/@me"},
	{"/t/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "/t/{base64}"},
	{"/t/c29tZSBieXRlcyBvZiBhIHRva2Vu==", "/t/{base64}"},
	{"/watch/dQw4w9WgXcQ", "/watch/{id}"},
	{"/k/a1b2c3", "/k/{id}"},
	{"/AVeryLongNameOfAPageWithWords2", "/AVeryLongNameOfAPageWithWords2"},
	{"/rpc/GetMyPageV2", "/rpc/GetMyPageV2"},
	{"/a%20b%2Fc", "/a%20b%2Fc"},
	{"/{number}/x{id}", "/{number}/x{id}"},
	{"/p?token=1", "/p"},
	{"/p#1", "/p"},
	{"http://example.org:80/user/1?x=/2", "/user/{number}"},
	{"http://example.org", ""},
	{"/a/b/c/d/e/f/g/h/i/j", "/a/b/c/d/e/f/g/h/i/j"},
	{"/a/b/c/d/e/f/g/h/i/j/k/l", "/a/b/c/d/e/f/g/h/i/j/*"},
	{"//", "//"},
};

static void gives_the_route_of_a_path(void **state)
{
	char route[CLUSTER_ROUTE_BYTES];

	for (size_t i = 0; i < COUNT(routes); i++) {
		size_t len = cluster_route(routes[i].path, route);

		assert_string_equal(route, routes[i].route);
		assert_int_equal(len, strlen(route));
	}
}

static void cuts_long_paths_between_segments(void **state)
{
	char path[400] = "/one/", route[CLUSTER_ROUTE_BYTES];

	memset(path + 5, 'x', sizeof(path) - 6);
	cluster_route(path, route);
	assert_string_equal(route, "/one/*");
}

/* A path of what paths have, and of what they should not. */
static void make_path(unsigned int *seed, char *path, size_t size)
{
	static const char *const parts[] = {"/",	 "/",
					    "/",	 "-",
					    "_",	 ".",
					    "{",	 "}",
					    "%40",	 "%2",
					    "@",	 "=",
					    "+",	 "*",
					    "/*",	 "user",
					    "v1",	 "123",
					    "0",	 "7f",
					    "abc",	 "Z9",
					    "e4E",	 "{id}",
					    "/{number}", "0f8fad5b-d9cb-469f-a165-70867728950e",
					    "a.b",	 "dQw4w9WgXcQ"};
	size_t len = 0;

	path[len++] = '/';
	for (unsigned int n = (unsigned int)rand_r(seed) % 40; n; n--) {
		const char *part = parts[(unsigned int)rand_r(seed) % COUNT(parts)];

		if (len + strlen(part) + 1 > size)
			break;
		memcpy(path + len, part, strlen(part));
		len += strlen(part);
	}
	path[len] = '\0';
}

static void gives_routes_that_are_their_own(void **state)
{
	char path[512], route[CLUSTER_ROUTE_BYTES], again[CLUSTER_ROUTE_BYTES];
	unsigned int seed = 7;

	for (unsigned int n = 0; n < UNIT_ROUNDS(200000); n++) {
		size_t len;

		make_path(&seed, path, sizeof(path));
		memset(route, 'x', sizeof(route));
		len = cluster_route(path, route);
		assert_true(len < sizeof(route) && strlen(route) == len);
		cluster_route(route, again);
		assert_string_equal(again, route);
	}
}

static const struct {
	const char *verb, *statement, *table;
} statements[] = {
	{"SELECT", "select a, b from users where id = ?", "users"},
	{"SELECT", "SELECT * FROM \"public\".\"Users\" u JOIN x", "public.Users"},
	{"SELECT", "SELECT a FROM (SELECT b FROM inner_t) q", "inner_t"},
	{"SELECT", "SELECT ?", ""},
	{"SELECT", "SELECT fromage FROM cheese", "cheese"},
	{"INSERT", "INSERT INTO `orders` (a) VALUES (?)", "orders"},
	{"INSERT", "INSERT INTO orders(a) VALUES (?)", "orders"},
	{"UPDATE", "UPDATE ONLY t SET a = ?", "t"},
	{"UPDATE", "UPDATE LOW_PRIORITY t SET a = ?", "t"},
	{"DELETE", "DELETE FROM t", "t"},
	{"CREATE", "CREATE TABLE IF NOT EXISTS t1 (a int)", "t1"},
	{"CREATE", "CREATE INDEX i ON t (a)", ""},
	{"DROP", "DROP TABLE t", "t"},
	{"TRUNCATE", "TRUNCATE TABLE tmp_48151623", "tmp_{number}"},
	{"COPY", "COPY pgbench_accounts FROM stdin", "pgbench_accounts"},
	{"WITH", "WITH x AS (SELECT a FROM t) SELECT * FROM x", "t"},
	{"BEGIN", "BEGIN", ""},
	{"SELECT", "SELECT a FROM \"open", ""},
	{"", "", ""},
};

static void gives_the_table_of_a_statement(void **state)
{
	char table[CLUSTER_TABLE_BYTES];

	for (size_t i = 0; i < COUNT(statements); i++) {
		size_t len = cluster_table(statements[i].verb, statements[i].statement, table);

		assert_string_equal(table, statements[i].table);
		assert_int_equal(len, strlen(table));
	}
}

static void cuts_long_tables(void **state)
{
	char statement[200] = "COPY ", table[CLUSTER_TABLE_BYTES];

	memset(statement + 5, 'y', sizeof(statement) - 6);
	assert_int_equal(cluster_table("COPY", statement, table), CLUSTER_TABLE_BYTES - 1);
}

static void gives_few_names_of_hosts(void **state)
{
	char name[CLUSTER_ROUTE_BYTES], host[300];

	cluster_name("ip-10-0-0-17.web01.internal", name);
	assert_string_equal(name, "ip-{number}-{number}-{number}-{number}.web01.internal");
	cluster_name("3f2a9bc1d0.example.org", name);
	assert_string_equal(name, "{hash}.example.org");
	/* A label that does not fit is left out, with what is behind it. */
	memset(host, 'x', sizeof(host));
	host[sizeof(host) - 1] = '\0';
	memcpy(host, "a.b.", 4);
	assert_int_equal(cluster_name(host, name), 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(gives_few_names_of_hosts),
	cmocka_unit_test(gives_the_route_of_a_path),
	cmocka_unit_test(cuts_long_paths_between_segments),
	cmocka_unit_test(gives_routes_that_are_their_own),
	cmocka_unit_test(gives_the_table_of_a_statement),
	cmocka_unit_test(cuts_long_tables),
};

UNIT_GROUP(tests);
