/* SPDX-License-Identifier: MIT */
/* Statements of SQL as method and target of a message, without what can be a secret. */
#ifndef REQUESTS_PROTOCOLS_SQL_H
#define REQUESTS_PROTOCOLS_SQL_H

#include "requests/protocols/protocol.h"

enum sql_dialect { SQL_POSTGRES, SQL_MYSQL };

/*
 * The method becomes the first word, the target the statement: literals and lists of them are ?,
 * comments are left out, blanks are one each. The text may end anywhere, also in a literal.
 */
void protocol_sql_put(struct protocol_message *message, enum sql_dialect dialect,
		      const uint8_t *text, size_t len);

#endif
