/* SPDX-License-Identifier: MIT */
/*
 * MySQL and MariaDB, protocol 4.1 and later. A request is a command, with all statements in it; its
 * response has the results of all, up to the first error. It begins with a request STARTUP, whose
 * target is the database, unless the server refuses the client before it is asked; the greeting,
 * passwords, parameters sent ahead, the contents of local files and the end of a connection are no
 * requests. Behind a question for encryption, or a log-in that asks for compression, nothing is
 * understood; nor is replication: they leave.
 *
 * Whether the end of definitions has a packet of its own is agreed on at log-in. Of connections
 * that are older it is learned from the first rows; before that, that packet behind a statement
 * that was prepared is not counted to its response.
 */
#include "requests/protocols/mysql.h"

#include "event/event.h"

static struct protocol_step mysql_step(enum protocol_side side, void *state,
				       const struct protocol_input *input,
				       struct protocol_message *message,
				       const struct protocol_message *request)
{
	if (side == PROTOCOL_REQUESTS)
		return mysql_step_requests(state, input, message);
	return mysql_step_responses(state, input, message, request);
}

/* Only where a read begins: lengths can be anywhere. */
static size_t mysql_find(enum protocol_side side, const struct protocol_input *input)
{
	return mysql_recognise(side, input) == PROTOCOL_NO ? input->len : 0;
}

const struct protocol protocol_mysql = {
	.name = "mysql",
	.number = request_protocols__mysql,
	.class = PROTOCOL_OF_DATABASES,
	.has_statements = true,
	.recognise = mysql_recognise,
	.step = mysql_step,
	.find = mysql_find,
};
