/* SPDX-License-Identifier: MIT */
/*
 * From terms to tests that the kernel can make: of the facts of a call, of the path of an opened
 * file, of all else.
 */
#include "sinsp/filter/project.h"

#include <string.h>
#include <sys/stat.h>

#include "event/names.h"
#include "util/count.h"

/*
 * The kernel compares the first and the last bytes of a path. A text that spans two facts is a
 * conjunction; of several constants, which are a disjunction, each has one test.
 */

enum { FACT_BYTES = 16 };

/* A comparison of a path with a text. */
struct path_text {
	const char *text;
	size_t len; /* the NUL of a whole path excluded */
	bool is_whole, is_end;
};

static bool is_path_op(enum filter_op op)
{
	return op == FILTER_EQ || op == FILTER_NE || op == FILTER_IN || op == FILTER_STARTSWITH ||
	       op == FILTER_ENDSWITH;
}

static bool project_take_text(enum filter_op op, const struct field_value *value,
			      struct path_text *path)
{
	*path = (struct path_text){
		.text = value->bytes.data,
		.len = value->bytes.len,
		.is_end = op == FILTER_ENDSWITH,
		.is_whole = op != FILTER_ENDSWITH && op != FILTER_STARTSWITH,
	};
	return path->len && !memchr(path->text, '\0', path->len);
}

/* Adds the test of a part of the text; it is placed at `at` of the fact. */
static void project_add_part(struct project_tests *tests, enum kernel_fact fact, const char *text,
			     size_t len, size_t compared, size_t at, bool negated)
{
	struct project_test *test = &tests->list[tests->count++];

	*test = (struct project_test){
		.check = {.fact = (uint8_t)fact, .op = KERNEL_EQUAL},
		.negated = negated,
	};
	memcpy((char *)test->check.value + at, text, len);
	memset((char *)test->check.mask + at, 0xff, compared);
}

static size_t at_most(size_t len)
{
	return len < FACT_BYTES ? len : FACT_BYTES;
}

static void add_end(struct project_tests *tests, const struct path_text *path, bool negated)
{
	size_t len = at_most(path->len);

	project_add_part(tests, KERNEL_PATH_END, path->text + path->len - len, len, len,
			 FACT_BYTES - len, negated);
}

/* The begin; the NUL of a whole path is compared if it is within the fact. */
static void add_begin(struct project_tests *tests, const struct path_text *path, bool negated)
{
	project_add_part(tests, KERNEL_PATH, path->text, at_most(path->len),
			 at_most(path->len + path->is_whole), 0, negated);
}

/* The bytes behind those of add_begin(). */
static void add_next(struct project_tests *tests, const struct path_text *path, bool negated)
{
	size_t left = path->len - FACT_BYTES;

	project_add_part(tests, KERNEL_PATH_2, path->text + FACT_BYTES, at_most(left),
			 at_most(left + path->is_whole), 0, negated);
}

/* Whether one test says all. */
static bool is_short(const struct path_text *path)
{
	return path->len + path->is_whole <= FACT_BYTES;
}

/* The conjunction is the opposite of a disjunction of opposites. Returns whether it is exact. */
static bool project_add_all(struct project_tests *tests, const struct path_text *path)
{
	tests->negated = !tests->negated;
	if (path->is_end) {
		add_end(tests, path, true);
		return path->len <= FACT_BYTES;
	}
	add_begin(tests, path, true);
	if (is_short(path))
		return true;
	add_next(tests, path, true);
	if (path->len + path->is_whole <= 2 * FACT_BYTES)
		return true;
	if (path->is_whole)
		add_end(tests, path, true);
	return false;
}

/* One test. The ends of long paths differ more than their begins. */
static bool add_one(struct project_tests *tests, const struct path_text *path)
{
	if (path->is_end || (path->is_whole && !is_short(path)))
		add_end(tests, path, false);
	else
		add_begin(tests, path, false);
	return path->is_end ? path->len <= FACT_BYTES : is_short(path);
}

bool project_tests_make_path(const struct filter_check *check, bool negated,
			     struct project_tests *tests)
{
	bool exact = true;

	if (!is_path_op(check->op))
		return false;
	tests->negated = check->negated;
	tests->count = 0;
	for (uint32_t i = 0; i < check->nconstants; i++) {
		struct path_text path;

		if (!project_take_text(check->op, &check->constants[i].value, &path))
			return false;
		exact &= check->nconstants == 1 ? project_add_all(tests, &path)
						: add_one(tests, &path);
	}
	return exact || negated == check->negated;
}

/*
 * Each field with a fact has a function that makes a test of one constant of a comparison. What is
 * not comparable there, or never true, has none.
 */

enum { ALL_BITS = -1, NAME_BYTES = 16, ERRNO_MAX = 4095 };

/* Makes the test of a constant; returns false if there is none. */
typedef bool make_test(enum filter_op op, const struct field_value *value,
		       struct project_test *test);

static bool project_is_equality(enum filter_op op)
{
	return op == FILTER_EQ || op == FILTER_NE || op == FILTER_IN;
}

static bool test_equal(int64_t number, struct project_test *test)
{
	test->check.op = KERNEL_EQUAL;
	test->check.value[0] = (uint64_t)number;
	test->check.mask[0] = (uint64_t)ALL_BITS;
	return true;
}

static bool test_less(int64_t number, bool negated, struct project_test *test)
{
	test->check.op = KERNEL_LESS;
	test->check.value[0] = (uint64_t)number;
	test->negated = negated;
	return true;
}

static bool make_number(enum filter_op op, const struct field_value *value,
			struct project_test *test)
{
	int64_t number = value->i64;

	if (project_is_equality(op))
		return test_equal(number, test);
	if (op == FILTER_LT || op == FILTER_GE)
		return test_less(number, op == FILTER_GE, test);
	if ((op != FILTER_LE && op != FILTER_GT) || number == INT64_MAX)
		return false;
	return test_less(number + 1, op == FILTER_GT, test);
}

/* Of the descriptor that a call uses: its number is the upper half of a word. */
static bool make_used(enum filter_op op, const struct field_value *value, struct project_test *test)
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
static bool make_bytes(enum filter_op op, const struct field_value *value,
		       struct project_test *test)
{
	return op != FILTER_NE && value->u64 <= INT64_MAX && make_number(op, value, test);
}

static bool make_failed(enum filter_op op, const struct field_value *value,
			struct project_test *test)
{
	if (!project_is_equality(op) || value->u64 > 1)
		return false;
	return test_less(0, !value->u64, test);
}

static bool make_flag(enum filter_op op, const struct field_value *value, uint64_t flag,
		      struct project_test *test)
{
	if (!project_is_equality(op) || value->u64 > 1)
		return false;
	test->check.op = KERNEL_EQUAL;
	test->check.mask[0] = flag;
	test->check.value[0] = value->u64 ? flag : 0;
	return true;
}

static bool make_read(enum filter_op op, const struct field_value *value, struct project_test *test)
{
	return make_flag(op, value, file_flags__O_RDONLY, test);
}

static bool make_write(enum filter_op op, const struct field_value *value,
		       struct project_test *test)
{
	return make_flag(op, value, file_flags__O_WRONLY, test);
}

/*
 * Only such opens make a file. The bit of O_TMPFILE is also that of O_DIRECTORY, and a call that
 * may make a file may find one.
 */
static bool make_create(enum filter_op op, const struct field_value *value,
			struct project_test *test)
{
	if ((op != FILTER_EQ && op != FILTER_IN) || value->u64 != 1)
		return false;
	test->check.op = KERNEL_EQUAL;
	test->check.mask[0] = file_flags__O_CREAT | file_flags__O_TMPFILE;
	test->negated = true;
	return true;
}

static bool make_error(enum filter_op op, const struct field_value *value,
		       struct project_test *test)
{
	if (!project_is_equality(op))
		return false;
	if (strcmp(value->bytes.data, "SUCCESS") == 0)
		return test_less(0, true, test);
	for (int64_t number = -1; number >= -ERRNO_MAX; number--) {
		const char *name = error_errno_name(number);

		if (name && strcmp(name, value->bytes.data) == 0)
			return test_equal(number, test);
	}
	return false;
}

static void test_kind(unsigned int kind, bool negated, struct project_test *test)
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
static bool make_kind(enum filter_op op, const struct field_value *value, struct project_test *test)
{
	static const char *const sockets[] = {"ipv4", "ipv6", "unix", "netlink"};

	if ((op != FILTER_EQ && op != FILTER_IN) || strcmp(value->bytes.data, "<NA>") == 0)
		return false;
	test_kind(S_IFSOCK, true, test);
	for (size_t i = 0; i < COUNT(sockets); i++)
		if (strcmp(value->bytes.data, sockets[i]) == 0)
			test_kind(S_IFSOCK, false, test);
	if (strcmp(value->bytes.data, "pipe") == 0)
		test_kind(S_IFIFO, false, test);
	return true;
}

/* Whatever it is compared with, but an absent value is unequal to all. */
static bool make_socket(enum filter_op op, const struct field_value *value,
			struct project_test *test)
{
	test_kind(S_IFSOCK, false, test);
	return op != FILTER_NE;
}

/* An equal name has its NUL at the same place. */
static bool make_name(enum filter_op op, const struct field_value *value, struct project_test *test)
{
	size_t len = value->bytes.len;

	if ((!project_is_equality(op) && op != FILTER_STARTSWITH) || len == 0 ||
	    len >= NAME_BYTES || memchr(value->bytes.data, '\0', len))
		return false;
	test->check.op = KERNEL_EQUAL;
	memcpy(test->check.value, value->bytes.data, len);
	memset(test->check.mask, 0xff, len + project_is_equality(op));
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
	[FIELD_FACT_WAIT] = {make_bytes, KERNEL_RESULT, .is_necessary = true},
	[FIELD_FACT_FD] = {make_number, KERNEL_RESULT},
	[FIELD_FACT_PATH] = {.fact = KERNEL_PATH},
	[FIELD_FACT_KIND] = {make_kind, KERNEL_DESCRIPTOR, .is_necessary = true},
	[FIELD_FACT_SOCKET] = {make_socket, KERNEL_DESCRIPTOR, .is_necessary = true},
};

/* What the kernel compares for a field of events of an id. */
static const struct known_fact *fact_of(unsigned int of_field, unsigned int id)
{
	static const struct known_fact used = {make_used, KERNEL_DESCRIPTOR};

	return of_field == FIELD_FACT_FD && (event_descs[id].flags & EF_TRANSFERS)
		       ? &used
		       : &facts_of_fields[of_field];
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
static bool project_is_known(unsigned int of_field, unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	/* Its thread is not the current one, of which the other facts are. */
	if (id == EVENT_runqueue || of_field == FIELD_FACT_WAIT)
		return id == EVENT_runqueue && of_field == FIELD_FACT_WAIT;
	switch (fact_of(of_field, id)->fact) {
	case KERNEL_OPEN_FLAGS:
		/* Those of openat2 are in memory; events of creat are not "opened for writing". */
		return desc->opens.flags_argument;
	case KERNEL_PATH:
		return desc->opens.name;
	case KERNEL_DESCRIPTOR:
		return desc->flags & EF_TRANSFERS;
	case KERNEL_RESULT:
		return has_result(desc) && (of_field != FIELD_FACT_FD || opens_result(desc));
	default:
		return true;
	}
}

/*
 * Calls that are written at their exit, once each, and waits for a CPU. Those of exit() are written
 * elsewhere, and what generic events are of is another question.
 */
bool project_tests_suit(unsigned int id)
{
	const struct event_desc *desc = event_desc_get(id);

	if (id == EVENT_runqueue)
		return true;
	return desc && (desc->category & EC_SYSCALL) && !(desc->flags & EF_RECORDED) &&
	       !(desc->flags & EF_HAS_MESSAGES) && id != EVENT_syscall && id != EVENT_exit &&
	       id != EVENT_exit_group;
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

bool project_tests_exist(const struct filter_check *check)
{
	return is_simple(check) && check->left->operand.field->desc->fact != FIELD_FACT_NONE;
}

bool project_tests_make(const struct filter_check *check, bool negated, unsigned int id,
			uint32_t facts, struct project_tests *tests)
{
	const struct known_fact *known;
	unsigned int of_field;

	if (!project_tests_exist(check))
		return false;
	of_field = check->left->operand.field->desc->fact;
	known = fact_of(of_field, id);
	if (!(facts & 1u << known->fact) || !project_is_known(of_field, id))
		return false;
	if (of_field == FIELD_FACT_PATH)
		return project_tests_make_path(check, negated, tests);
	if (known->is_necessary && negated)
		return false;
	tests->negated = check->negated;
	tests->count = 0;
	for (uint32_t i = 0; i < check->nconstants; i++) {
		struct project_test *test = &tests->list[tests->count++];

		*test = (struct project_test){.check.fact = (uint8_t)known->fact};
		if (!known->make(check->op, &check->constants[i].value, test))
			return false;
	}
	return true;
}

/*
 * Terms are conjunctions and their negations, so the polarity of each check is known: where the
 * kernel does not know a check, the code continues as if it were satisfied.
 */

enum {
	/* Larger expressions count as true. */
	VISITS_MAX = 20000,
	FACTS_AT_PATH = (1 << KERNEL_FACTS) - 1,
	FACTS_AT_EXIT = FACTS_AT_PATH & ~KERNEL_FACTS_OF_PATHS,
	FACTS_AT_ENTRY = FACTS_AT_EXIT &
			 ~(1 << KERNEL_RESULT | 1 << KERNEL_OPEN_FLAGS | 1 << KERNEL_DESCRIPTOR),
};

struct projector {
	const struct filter_terms *terms;
	unsigned int id;
	bool any_id; /* what the kernel knows for any event counts as known */
	uint32_t facts;
	unsigned int visits;
	/* Made from the last one on, as targets must be known. */
	uint8_t first;
	struct kernel_check checks[KERNEL_CHECKS_MAX];
};

/* Whether the kernel's part of an expression is just true. */
static bool project_is_open(struct projector *projector, uint32_t ref)
{
	const struct filter_term *term = filter_term_of(projector->terms, ref);
	bool negated = filter_term_is_negated(ref);
	struct project_tests tests;

	if (ref == FILTER_TRUE || ref == FILTER_FALSE)
		return ref == FILTER_TRUE;
	if (++projector->visits > VISITS_MAX)
		return true;
	if (term->check && projector->any_id)
		return !project_tests_exist(term->check);
	if (term->check)
		return !project_tests_make(term->check, negated, projector->id, projector->facts,
					   &tests);
	for (uint32_t i = 0; i < term->nparts; i++)
		if (project_is_open(projector, term->parts[i] ^ negated) == negated)
			return negated;
	return !negated;
}

/* Returns where to continue. If there is no room left, the check counts as true. */
static uint8_t project_add_check(struct projector *projector, const struct filter_check *check,
				 bool negated, uint8_t on_true, uint8_t on_false)
{
	struct project_tests tests;
	uint8_t at = on_false, hit = on_true;

	if (!project_tests_make(check, negated, projector->id, projector->facts, &tests) ||
	    tests.count > projector->first)
		return on_true;
	if (tests.negated != negated) {
		at = on_true;
		hit = on_false;
	}
	for (uint8_t i = tests.count; i-- > 0;) {
		const struct project_test *test = &tests.list[i];
		struct kernel_check *made = &projector->checks[--projector->first];

		*made = test->check;
		made->on_true = test->negated ? at : hit;
		made->on_false = test->negated ? hit : at;
		at = projector->first;
	}
	return at;
}

static uint8_t project_add(struct projector *projector, uint32_t ref, uint8_t on_true,
			   uint8_t on_false)
{
	const struct filter_term *term = filter_term_of(projector->terms, ref);
	bool negated = filter_term_is_negated(ref);

	if (project_is_open(projector, ref))
		return on_true;
	if (ref == FILTER_FALSE)
		return on_false;
	if (term->check)
		return project_add_check(projector, term->check, negated, on_true, on_false);
	for (uint32_t i = term->nparts; i-- > 0;) {
		uint8_t at = project_add(projector, term->parts[i] ^ negated, on_true, on_false);

		if (negated)
			on_false = at;
		else
			on_true = at;
	}
	return negated ? on_false : on_true;
}

/* Copies the checks that can be reached from `entry`; they are in order. */
static void project_finish(const struct projector *projector, uint8_t entry,
			   struct kernel_filter *filter)
{
	bool reached[KERNEL_REJECT + 1] = {false};
	uint8_t moved[KERNEL_REJECT + 1];
	uint8_t count = 0;

	*filter = (struct kernel_filter){0};
	moved[KERNEL_PASS] = KERNEL_PASS;
	moved[KERNEL_REJECT] = KERNEL_REJECT;
	reached[entry] = true;
	for (uint8_t i = projector->first; i < KERNEL_CHECKS_MAX; i++) {
		if (!reached[i])
			continue;
		reached[projector->checks[i].on_true] = true;
		reached[projector->checks[i].on_false] = true;
		moved[i] = count++;
	}
	for (uint8_t i = projector->first; i < KERNEL_CHECKS_MAX; i++) {
		struct kernel_check *check;

		if (!reached[i])
			continue;
		check = &filter->checks[moved[i]];
		*check = projector->checks[i];
		check->on_true = moved[check->on_true];
		check->on_false = moved[check->on_false];
		filter->facts |= 1u << check->fact;
	}
}

bool filter_project(const struct filter_terms *terms, const struct filter_list *list,
		    unsigned int id, uint32_t facts, struct kernel_filter *filter)
{
	struct projector projector = {
		.terms = terms, .id = id, .facts = facts, .first = KERNEL_CHECKS_MAX};
	uint8_t entry = KERNEL_REJECT;

	for (uint32_t i = 0; i < list->count; i++)
		if (project_is_open(&projector, list->choices[i].entry))
			return false;
	for (uint32_t i = list->count; i-- > 0;)
		entry = project_add(&projector, list->choices[i].entry, KERNEL_PASS, entry);
	if (entry >= KERNEL_CHECKS_MAX)
		return false;
	project_finish(&projector, entry, filter);
	return true;
}

/* Whether a list has nothing for the kernel, whatever the event: most have not. */
static bool is_always_open(const struct filter_terms *terms, const struct filter_list *list)
{
	struct projector projector = {.terms = terms, .any_id = true};

	for (uint32_t i = 0; i < list->count; i++)
		if (project_is_open(&projector, list->choices[i].entry))
			return true;
	return false;
}

uint8_t filter_kernel_add(struct kernel_filters *filters, const struct kernel_filter *filter)
{
	for (uint8_t i = 0; i < KERNEL_FILTERS_MAX; i++) {
		if (!filters->filters[i].facts)
			filters->filters[i] = *filter;
		if (memcmp(&filters->filters[i], filter, sizeof(*filter)) == 0)
			return (uint8_t)(i + 1);
	}
	return 0;
}

void filter_project_all(const struct filter *filter, const struct filter_terms *terms,
			struct kernel_filters *filters)
{
	bool is_of_containers = filter_flags(filter) & FIELD_OF_CONTAINER;
	const struct filter_list *last = NULL; /* neighbours often share one */
	struct kernel_filter made;
	bool open = false;

	memset(filters, 0, sizeof(*filters));
	for (unsigned int id = 0; id < EVENT_ID_MAX; id++) {
		const struct filter_list *list = filter->list_of_type[id];

		if (!project_tests_suit(id))
			continue;
		if (is_of_containers && id != EVENT_runqueue)
			filters->groups[id] = KERNEL_GROUPS_OF_ALL;
		if (list != last)
			open = is_always_open(terms, list);
		last = list;
		if (open)
			continue;
		if (filter_project(terms, list, id, FACTS_AT_EXIT, &made))
			filters->at_exit[id] = filter_kernel_add(filters, &made);
		if (filter_project(terms, list, id, FACTS_AT_ENTRY, &made))
			filters->at_entry[id] = filter_kernel_add(filters, &made);
		if (filter_project(terms, list, id, FACTS_AT_PATH, &made) &&
		    (made.facts & KERNEL_FACTS_OF_PATHS))
			filters->at_path[id] = filter_kernel_add(filters, &made);
	}
}
