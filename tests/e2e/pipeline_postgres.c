/* SPDX-License-Identifier: MIT */
/*
 * Sends statements before it has the results of those in front of them: in pipelines of so many,
 * each with a Sync behind it, of which every tenth fails.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAILS_EACH = 10 };

static PGconn *connection;

static void fail(void)
{
	fprintf(stderr, "%s\n", PQerrorMessage(connection));
	exit(1);
}

static void send_one(int number)
{
	char text[16];
	const char *values[] = {text};

	snprintf(text, sizeof(text), "%d", number % FAILS_EACH);
	if (!PQsendQueryParams(connection, "SELECT 1 / $1::int", 1, NULL, values, NULL, NULL, 0) ||
	    !PQpipelineSync(connection))
		fail();
}

/* The result of a statement, the end of its results, and that of its Sync. */
static void receive_one(int number)
{
	ExecStatusType wanted = number % FAILS_EACH ? PGRES_TUPLES_OK : PGRES_FATAL_ERROR;
	PGresult *result = PQgetResult(connection);

	if (PQresultStatus(result) != wanted)
		fail();
	PQclear(result);
	if (PQgetResult(connection))
		fail();
	result = PQgetResult(connection);
	if (PQresultStatus(result) != PGRES_PIPELINE_SYNC)
		fail();
	PQclear(result);
}

int main(int argc, char **argv)
{
	int pipelines = argc == 4 ? atoi(argv[2]) : 0, each = argc == 4 ? atoi(argv[3]) : 0;

	connection = PQconnectdb(argc == 4 ? argv[1] : "");
	if (PQstatus(connection) != CONNECTION_OK || !PQenterPipelineMode(connection))
		fail();
	for (int i = 0; i < pipelines; i++) {
		for (int n = 0; n < each; n++)
			send_one(n);
		for (int n = 0; n < each; n++)
			receive_one(n);
	}
	PQfinish(connection);
	return 0;
}
