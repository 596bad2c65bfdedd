/* SPDX-License-Identifier: MIT */
/* Protocols by their numbers. */
#include <string.h>

#include "event/event.h"
#include "requests/protocols/protocol.h"
#include "unit.h"

/* Each number that events have is that of a protocol with the same name, but that of none. */
static void finds_each_number(void **state)
{
	const struct param_flag *name =
		event_desc_get(EVENT_request)->params[request__protocol].set;

	for (; name->name; name++) {
		const struct protocol *protocol = protocol_of((uint8_t)name->value);

		if (name->value == request_protocols__unknown) {
			assert_null(protocol);
			continue;
		}
		assert_non_null(protocol);
		assert_string_equal(protocol->name, name->name);
		assert_true(protocol->class < PROTOCOL_CLASSES);
	}
	assert_null(protocol_of(UINT8_MAX));
}

/* Events do not say which of the two it was. */
static void is_the_same_over_datagrams(void **state)
{
	for (size_t i = 0; protocols_of_datagrams[i]; i++) {
		const struct protocol *other = protocols_of_datagrams[i],
				      *protocol = protocol_of(other->number);

		assert_non_null(protocol);
		assert_string_equal(protocol->name, other->name);
		assert_int_equal(protocol->class, other->class);
		assert_int_equal(protocol->has_statements, other->has_statements);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(finds_each_number),
	cmocka_unit_test(is_the_same_over_datagrams),
};

UNIT_GROUP(tests);
