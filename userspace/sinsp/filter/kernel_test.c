/* SPDX-License-Identifier: MIT */
/*
 * Each field with a fact has a function that makes a test of one constant of a comparison. What is
 * not comparable there, or never true, has none.
 */
#include "sinsp/filter/kernel_test.h"

#include <string.h>
#include <sys/stat.h>

#include "calls.h"
#include "event/names.h"
#include "sinsp/filter/path_test.h"

enum { ALL_BITS = -1, NAME_BYTES = 16, ERRNO_MAX = 4095 };

/* Makes the test of a constant; returns false if there is none. */
typedef bool make_test(enum filter_op op, const struct field_value *value,
		       struct kernel_test *test);

static bool is_equality(enum filter_op op)
{
	return op == FILTER_EQ || op == FILTER_NE || op == FILTER_IN;
}

static bool test_equal(int64_t number, struct kernel_test *test)
{
	test->check.op = KERNEL_EQUAL;
	test->check.value[0] = (uint64_t)number;
	test->check.mask[0] = (uint64_t)ALL_BITS;
	return true;
}

static bool test_less(int64_t number, bool negated, struct kernel_test *test)
{
	test->check.op = KERNEL_LESS;
	test->check.value[0] = (uint64_t)number;
	test->negated = negated;
	return true;
}

static bool make_number(enum filter_op op, const struct field_value *value,
			struct kernel_test *test)
{
	int64_t number = value->i64;

	if (is_equality(op))
		return test_equal(number, test);
	if (op == FILTER_LT || op == FILTER_GE)
		return test_less(number, op == FILTER_GE, test);
	if ((op != FILTER_LE && op != FILTER_GT) || number == INT64_MAX)
		return false;
	return test_less(number + 1, op == FILTER_GT, test);
}

/* Of the descriptor that a call uses: its number is the upper half of a word. */
static bool make_used(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	int64_t number;

	if (!make_number(op, value, test))
		return false;
	number = (int64_t)test->check.value[0];
	test->check.value[0] <<= 32;
	test->check.mask[0] <<= 32;
	return number >= INT32_MIN && number <= INT32_MAX;
}

/* Numbers of bytes have no sign, and an event may have none, which is unequal to all. */
static bool make_bytes(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	return op != FILTER_NE && value->u64 <= INT64_MAX && make_number(op, value, test);
}

static bool make_failed(enum filter_op op, const struct field_value *value,
			struct kernel_test *test)
{
	if (!is_equality(op) || value->u64 > 1)
		return false;
	return test_less(0, !value->u64, test);
}

static bool make_flag(enum filter_op op, const struct field_value *value, uint64_t flag,
		      struct kernel_test *test)
{
	if (!is_equality(op) || value->u64 > 1)
		return false;
	test->check.op = KERNEL_EQUAL;
	test->check.mask[0] = flag;
	test->check.value[0] = value->u64 ? flag : 0;
	return true;
}

static bool make_read(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	return make_flag(op, value, file_flags__O_RDONLY, test);
}

static bool make_write(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	return make_flag(op, value, file_flags__O_WRONLY, test);
}

/*
 * Only such opens make a file. The bit of O_TMPFILE is also that of O_DIRECTORY, and a call that
 * may make a file may find one.
 */
static bool make_create(enum filter_op op, const struct field_value *value,
			struct kernel_test *test)
{
	if ((op != FILTER_EQ && op != FILTER_IN) || value->u64 != 1)
		return false;
	test->check.op = KERNEL_EQUAL;
	test->check.mask[0] = file_flags__O_CREAT | file_flags__O_TMPFILE;
	test->negated = true;
	return true;
}

static bool make_error(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	if (!is_equality(op))
		return false;
	if (strcmp(value->bytes.data, "SUCCESS") == 0)
		return test_less(0, true, test);
	for (int64_t number = -1; number >= -ERRNO_MAX; number--) {
		const char *name = errno_name(number);

		if (name && strcmp(name, value->bytes.data) == 0)
			return test_equal(number, test);
	}
	return false;
}

static void test_kind(unsigned int kind, bool negated, struct kernel_test *test)
{
	test->check.op = KERNEL_EQUAL;
	test->check.mask[0] = S_IFMT;
	test->check.value[0] = kind;
	test->negated = negated;
}

/*
 * The state knows more kinds than the mode of a file says. A file that was opened by its path may
 * be a pipe; only sockets are sockets.
 */
static bool make_kind(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	static const char *const sockets[] = {"ipv4", "ipv6", "unix", "netlink"};

	if ((op != FILTER_EQ && op != FILTER_IN) || strcmp(value->bytes.data, "<NA>") == 0)
		return false;
	test_kind(S_IFSOCK, true, test);
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		if (strcmp(value->bytes.data, sockets[i]) == 0)
			test_kind(S_IFSOCK, false, test);
	if (strcmp(value->bytes.data, "pipe") == 0)
		test_kind(S_IFIFO, false, test);
	return true;
}

/* Whatever it is compared with, but an absent value is unequal to all. */
static bool make_socket(enum filter_op op, const struct field_value *value,
			struct kernel_test *test)
{
	test_kind(S_IFSOCK, false, test);
	return op != FILTER_NE;
}

/* An equal name has its NUL at the same place. */
static bool make_name(enum filter_op op, const struct field_value *value, struct kernel_test *test)
{
	size_t len = value->bytes.len;

	if ((!is_equality(op) && op != FILTER_STARTSWITH) || len == 0 || len >= NAME_BYTES ||
	    memchr(value->bytes.data, '\0', len))
		return false;
	test->check.op = KERNEL_EQUAL;
	memcpy(test->check.value, value->bytes.data, len);
	memset(test->check.mask, 0xff, len + is_equality(op));
	return true;
}

struct known_fact {
	make_test *make;
	enum kernel_fact fact;
	bool is_necessary; /* the check implies its tests, not the reverse */
};

static const struct known_fact facts_of_fields[FIELD_FACTS] = {
	[FIELD_FACT_RESULT] = {make_number, KERNEL_RESULT},
	[FIELD_FACT_BYTES] = {make_bytes, KERNEL_RESULT, .is_necessary = true},
	[FIELD_FACT_FAILED] = {make_failed, KERNEL_RESULT},
	[FIELD_FACT_ERROR] = {make_error, KERNEL_RESULT},
	[FIELD_FACT_PID] = {make_number, KERNEL_PID},
	[FIELD_FACT_TID] = {make_number, KERNEL_TID},
	[FIELD_FACT_PPID] = {make_number, KERNEL_PPID},
	[FIELD_FACT_UID] = {make_number, KERNEL_UID},
	[FIELD_FACT_GID] = {make_number, KERNEL_GID},
	[FIELD_FACT_OPEN_READ] = {make_read, KERNEL_OPEN_FLAGS},
	[FIELD_FACT_OPEN_WRITE] = {make_write, KERNEL_OPEN_FLAGS},
	[FIELD_FACT_OPEN_CREATE] = {make_create, KERNEL_OPEN_FLAGS, .is_necessary = true},
	[FIELD_FACT_NAME] = {make_name, KERNEL_NAME},
	[FIELD_FACT_FD] = {make_number, KERNEL_RESULT},
	[FIELD_FACT_PATH] = {.fact = KERNEL_PATH},
	[FIELD_FACT_KIND] = {make_kind, KERNEL_DESCRIPTOR, .is_necessary = true},
	[FIELD_FACT_SOCKET] = {make_socket, KERNEL_DESCRIPTOR, .is_necessary = true},
};

/* What the kernel compares for a field of events of an id. */
static const struct known_fact *fact_of(unsigned int of_field, unsigned int id)
{
	static const struct known_fact used = {make_used, KERNEL_DESCRIPTOR};

	return of_field == FIELD_FACT_FD && TRANSFERS(id) ? &used : &facts_of_fields[of_field];
}

/* Whether the first parameter is the result as the kernel returns it, with all its bits. */
static bool has_result(const struct event_desc *desc)
{
	return desc->nparams && desc->params[0].is_result &&
	       param_type_size(desc->params[0].type) == sizeof(int64_t);
}

/* Whether the descriptor of the event is its result. */
static bool opens_result(const struct event_desc *desc)
{
	return desc->params[0].type == PT_FD && (desc->flags & EF_CREATES_FD) &&
	       !(desc->flags & EF_USES_FD);
}

/* Whether the kernel knows the value of a field of events of an id. */
static bool is_known(unsigned int of_field, unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	switch (fact_of(of_field, id)->fact) {
	case KERNEL_OPEN_FLAGS:
		/* Those of openat2 are in memory; events of creat are not "opened for writing". */
		return OPEN_FLAGS_ARGUMENT(id);
	case KERNEL_PATH:
		return OPENS_BY_PATH(id);
	case KERNEL_DESCRIPTOR:
		return TRANSFERS(id);
	case KERNEL_RESULT:
		return has_result(desc) && (of_field != FIELD_FACT_FD || opens_result(desc));
	default:
		return true;
	}
}

/*
 * Calls that are written at their exit, once each. Those of exit() are written elsewhere, and what
 * generic events are of is another question.
 */
bool kernel_tests_suit(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	return desc && (desc->category & EC_SYSCALL) && !(desc->flags & EF_RECORDED) &&
	       id != EVENT_syscall && id != EVENT_exit && id != EVENT_exit_group &&
	       id != EVENT_sendmmsg && id != EVENT_recvmmsg;
}

/* Compares one field with constants, of which any may satisfy it. */
static bool is_simple(const struct filter_check *check)
{
	if (!check->left->operand.field || check->right.operand.nsteps)
		return false;
	if (check->test == filter_test_value)
		return check->nconstants == 1;
	return check->test == filter_test_values && check->quantifier == FILTER_ANY_OF &&
	       check->nconstants <= KERNEL_CHECKS_MAX &&
	       (!check->negated || check->nconstants == 1);
}

bool kernel_tests_exist(const struct filter_check *check)
{
	return is_simple(check) && check->left->operand.field->desc->fact != FIELD_FACT_NONE;
}

bool kernel_tests_make(const struct filter_check *check, bool negated, unsigned int id,
		       uint32_t facts, struct kernel_tests *tests)
{
	const struct known_fact *known;
	unsigned int of_field;

	if (!kernel_tests_exist(check))
		return false;
	of_field = check->left->operand.field->desc->fact;
	known = fact_of(of_field, id);
	if (!(facts & 1u << known->fact) || !is_known(of_field, id))
		return false;
	if (of_field == FIELD_FACT_PATH)
		return path_tests_make(check, negated, tests);
	if (known->is_necessary && negated)
		return false;
	tests->negated = check->negated;
	tests->count = 0;
	for (uint32_t i = 0; i < check->nconstants; i++) {
		struct kernel_test *test = &tests->list[tests->count++];

		*test = (struct kernel_test){.check.fact = (uint8_t)known->fact};
		if (!known->make(check->op, &check->constants[i].value, test))
			return false;
	}
	return true;
}
