/* SPDX-License-Identifier: MIT */
/* The table of prepared statements. */
#include "requests/statements.h"

#include <string.h>

void statements_finish(struct statements *statements)
{
	pool_finish(&statements->pool);
}

static struct statement **slot_of(struct statements *statements, const struct hash_key *secret,
				  const struct statement_owner *owner, uint64_t key)
{
	const uint64_t named[] = {(uintptr_t)owner, key};

	return &statements->slots[hash_sip(secret, named, sizeof(named)) & (STATEMENT_SLOTS - 1)];
}

static struct statement *find(struct statements *statements, const struct hash_key *secret,
			      const struct statement_owner *owner, uint64_t key)
{
	struct statement *statement = *slot_of(statements, secret, owner, key);

	while (statement && (statement->owner != owner || statement->key != key))
		statement = statement->chain;
	return statement;
}

static void link_newest(struct statements *statements, struct statement *statement)
{
	statement->newer = NULL;
	statement->older = statements->newest;
	*(statement->older ? &statement->older->newer : &statements->oldest) = statement;
	statements->newest = statement;
}

static void unlink_used(struct statements *statements, struct statement *statement)
{
	*(statement->older ? &statement->older->newer : &statements->oldest) = statement->newer;
	*(statement->newer ? &statement->newer->older : &statements->newest) = statement->older;
}

static void remove_statement(struct statements *statements, struct statement *statement)
{
	*statement->link = statement->chain;
	if (statement->chain)
		statement->chain->link = statement->link;
	*statement->own = statement->next;
	if (statement->next)
		statement->next->own = statement->own;
	unlink_used(statements, statement);
	statement->owner->count--;
	statements->count--;
	pool_free(&statements->pool, statement, statement->bytes);
}

static void link_statement(struct statements *statements, struct statement **slot,
			   struct statement *statement)
{
	struct statement_owner *owner = statement->owner;

	statement->chain = *slot;
	statement->link = slot;
	if (statement->chain)
		statement->chain->link = &statement->chain;
	*slot = statement;
	statement->next = owner->first;
	statement->own = &owner->first;
	if (statement->next)
		statement->next->own = &statement->next;
	owner->first = statement;
	link_newest(statements, statement);
	owner->count++;
	statements->count++;
}

void statements_keep(struct statements *statements, const struct hash_key *secret,
		     struct statement_owner *owner, uint64_t key, const char *method,
		     const char *text)
{
	size_t len = strlen(text) + 1, method_len = strlen(method) + 1;
	struct statement *statement;

	statements_drop(statements, secret, owner, key);
	if (owner->count >= STATEMENTS_OF_ONE_MAX)
		return;
	if (statements->count >= STATEMENTS_MAX)
		remove_statement(statements, statements->oldest);
	statement = pool_alloc(&statements->pool, sizeof(*statement) + len);
	if (!statement)
		return;
	statement->owner = owner;
	statement->key = key;
	statement->bytes = (uint32_t)(sizeof(*statement) + len);
	memcpy(statement->method, method, method_len);
	memcpy(statement->text, text, len);
	link_statement(statements, slot_of(statements, secret, owner, key), statement);
}

const struct statement *statements_find(struct statements *statements,
					const struct hash_key *secret,
					struct statement_owner *owner, uint64_t key)
{
	struct statement *statement = find(statements, secret, owner, key);

	if (!statement)
		return NULL;
	unlink_used(statements, statement);
	link_newest(statements, statement);
	return statement;
}

void statements_drop(struct statements *statements, const struct hash_key *secret,
		     struct statement_owner *owner, uint64_t key)
{
	struct statement *statement = find(statements, secret, owner, key);

	if (statement)
		remove_statement(statements, statement);
}

void statements_drop_all(struct statements *statements, struct statement_owner *owner)
{
	while (owner->first)
		remove_statement(statements, owner->first);
}
