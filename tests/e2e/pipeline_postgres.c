/* SPDX-License-Identifier: MIT */
/*
 * Sends statements before it has the results of those in front of them: PIPELINES of EACH
 * statements. With a Sync behind each statement, of which every tenth fails; or, with "one", with
 * one Sync behind all of a pipeline, whose middle one fails.
 */
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILS_EACH = 10 };

struct pipeline {
	int each;
	bool has_one_sync;
};

static PGconn *connection;

static void fail(void)
{
	fprintf(stderr, "%s\n", PQerrorMessage(connection));
	exit(1);
}

static bool fails(const struct pipeline *pipeline, int number)
{
	return pipeline->has_one_sync ? number == pipeline->each / 2 : number % FAILS_EACH == 0;
}

static bool syncs(const struct pipeline *pipeline, int number)
{
	return !pipeline->has_one_sync || number == pipeline->each - 1;
}

static void send_one(const struct pipeline *pipeline, int number)
{
	const char *values[] = {fails(pipeline, number) ? "0" : "1"};

	if (!PQsendQueryParams(connection, "SELECT 1 / $1::int", 1, NULL, values, NULL, NULL, 0) ||
	    (syncs(pipeline, number) && !PQpipelineSync(connection)))
		fail();
}

static ExecStatusType status_of(const struct pipeline *pipeline, int number)
{
	if (fails(pipeline, number))
		return PGRES_FATAL_ERROR;
	return pipeline->has_one_sync && number > pipeline->each / 2 ? PGRES_PIPELINE_ABORTED
								     : PGRES_TUPLES_OK;
}

static void expect(ExecStatusType wanted)
{
	PGresult *result = PQgetResult(connection);

	if (PQresultStatus(result) != wanted)
		fail();
	PQclear(result);
}

/* The result of a statement, the end of its results, and that of its Sync. */
static void receive_one(const struct pipeline *pipeline, int number)
{
	expect(status_of(pipeline, number));
	if (PQgetResult(connection))
		fail();
	if (syncs(pipeline, number))
		expect(PGRES_PIPELINE_SYNC);
}

int main(int argc, char **argv)
{
	bool is_usage = argc != 4 && argc != 5;
	struct pipeline pipeline = {.has_one_sync = argc == 5 && strcmp(argv[4], "one") == 0};
	int pipelines = is_usage ? 0 : atoi(argv[2]);

	pipeline.each = is_usage ? 0 : atoi(argv[3]);
	connection = PQconnectdb(is_usage ? "" : argv[1]);
	if (PQstatus(connection) != CONNECTION_OK || !PQenterPipelineMode(connection))
		fail();
	for (int i = 0; i < pipelines; i++) {
		for (int n = 0; n < pipeline.each; n++)
			send_one(&pipeline, n);
		for (int n = 0; n < pipeline.each; n++)
			receive_one(&pipeline, n);
	}
	PQfinish(connection);
	return 0;
}
