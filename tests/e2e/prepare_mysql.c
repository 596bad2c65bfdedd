/* SPDX-License-Identifier: MIT */
/* Executes statements that it prepared: so many selects that succeed, and inserts that fail. */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static MYSQL_STMT *prepare(MYSQL *mysql, const char *text)
{
	MYSQL_STMT *statement = mysql_stmt_init(mysql);

	if (!statement || mysql_stmt_prepare(statement, text, strlen(text)))
		fail(mysql_error(mysql));
	return statement;
}

int main(int argc, char **argv)
{
	MYSQL *mysql = mysql_init(NULL);
	MYSQL_STMT *select, *insert;
	int number = 1, loops;
	MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_LONG, .buffer = &number};

	if (argc != 3 || !mysql ||
	    !mysql_real_connect(mysql, "127.0.0.1", "root", NULL, "d", (unsigned int)atoi(argv[1]),
				NULL, 0))
		fail("cannot connect");
	loops = atoi(argv[2]);
	select = prepare(mysql, "SELECT b FROM t WHERE a = ?");
	insert = prepare(mysql, "INSERT INTO t VALUES (?, 'secret')");
	for (int i = 0; i < loops; i++) {
		if (mysql_stmt_bind_param(select, &bind) || mysql_stmt_execute(select) ||
		    mysql_stmt_store_result(select) || mysql_stmt_num_rows(select) != 1)
			fail(mysql_stmt_error(select));
		mysql_stmt_free_result(select);
		if (mysql_stmt_bind_param(insert, &bind) || !mysql_stmt_execute(insert))
			fail("a duplicate is inserted");
	}
	mysql_stmt_close(select);
	mysql_stmt_close(insert);
	if (mysql_ping(mysql))
		fail(mysql_error(mysql));
	mysql_close(mysql);
	return 0;
}
