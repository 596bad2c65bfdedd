/* SPDX-License-Identifier: MIT */
/*
 * keyctl: every operation with the arguments that it uses, numbers and strings. Made by a child on
 * keys that do not exist.
 */
#include <linux/keyctl.h>
#include <stdlib.h>

#include "harness/dyn.h"
#include "harness/fixture.h"
#include "harness/live.h"

enum { ARGS = 4, KIND_NUMBER = 0, KIND_STRING = 1, NO_KEY = 987654321, OPERATIONS = 33 };

/* The arguments that each operation uses: n for a number, s for a string. */
static const char *const uses[OPERATIONS] = {
	[KEYCTL_GET_KEYRING_ID] = "nn",
	[KEYCTL_JOIN_SESSION_KEYRING] = "snnn",
	[KEYCTL_UPDATE] = "nnn",
	[KEYCTL_REVOKE] = "n",
	[KEYCTL_CHOWN] = "nnn",
	[KEYCTL_SETPERM] = "nn",
	[KEYCTL_DESCRIBE] = "nnn",
	[KEYCTL_CLEAR] = "n",
	[KEYCTL_LINK] = "nn",
	[KEYCTL_UNLINK] = "nn",
	[KEYCTL_SEARCH] = "nssn",
	[KEYCTL_READ] = "nnn",
	[KEYCTL_INSTANTIATE] = "nnnn",
	[KEYCTL_NEGATE] = "nnn",
	[KEYCTL_SET_REQKEY_KEYRING] = "n",
	[KEYCTL_SET_TIMEOUT] = "nn",
	[KEYCTL_ASSUME_AUTHORITY] = "n",
	[KEYCTL_GET_SECURITY] = "nnn",
	[KEYCTL_SESSION_TO_PARENT] = "nnnn",
	[KEYCTL_REJECT] = "nnnn",
	[KEYCTL_INSTANTIATE_IOV] = "nnnn",
	[KEYCTL_INVALIDATE] = "n",
	[KEYCTL_GET_PERSISTENT] = "nn",
	[KEYCTL_DH_COMPUTE] = "nnnn",
	[KEYCTL_PKEY_QUERY] = "nns",
	[KEYCTL_PKEY_ENCRYPT] = "nsnn",
	[KEYCTL_PKEY_DECRYPT] = "nsnn",
	[KEYCTL_PKEY_SIGN] = "nsnn",
	[KEYCTL_PKEY_VERIFY] = "nsnn",
	[KEYCTL_RESTRICT_KEYRING] = "nss",
	[KEYCTL_MOVE] = "nnnn",
	[KEYCTL_CAPABILITIES] = "nn",
	[KEYCTL_WATCH_KEY] = "nnn",
};

struct call {
	long operation;
	const char *use;
	const char *strings[ARGS]; /* what an argument is a pointer to; NULL: see `numbers` */
	long numbers[ARGS];
	bool unreadable; /* nothing is shown of the strings */
	long ret;
};

enum { CALLS = OPERATIONS + 5 };

static long argument(const struct call *call, int i)
{
	return call->strings[i] ? (long)call->strings[i] : call->numbers[i];
}

/* What the kernel itself does not look at has to be in memory all the same. */
static void touch(const struct call *call)
{
	for (int i = 0; i < ARGS && !call->unreadable; i++)
		if (call->strings[i])
			(void)*(const volatile char *)call->strings[i];
}

static int make_all(void *arg)
{
	for (struct call *call = arg; call < (struct call *)arg + CALLS; call++) {
		touch(call);
		call->ret = CALL(SYS_keyctl, call->operation, argument(call, 0), argument(call, 1),
				 argument(call, 2), argument(call, 3));
	}
	return 0;
}

static void expect_argument(const struct event *ev, const struct call *call, int i)
{
	unsigned int param = keyctl__arg2 + (unsigned int)i;
	size_t used = strlen(call->use);

	if ((size_t)i < used && call->use[i] == 's' && (call->unreadable || !call->strings[i]))
		expect_dyn_bytes(ev, param, KIND_STRING, "", 0);
	else if ((size_t)i < used && call->use[i] == 's')
		expect_dyn_string(ev, param, KIND_STRING, call->strings[i]);
	else
		expect_dyn(ev, param, KIND_NUMBER, int64_t,
			   (size_t)i < used ? argument(call, i) : 0);
}

static void check(const struct call *call, pid_t pid)
{
	const struct event *ev = live_next_of(EVENT_keyctl, pid);

	expect_i64(ev, keyctl__res, call->ret);
	expect_i64(ev, keyctl__operation, (uint32_t)call->operation);
	for (int i = 0; i < ARGS; i++)
		expect_argument(ev, call, i);
}

/* One call of each operation, with a string wherever it takes one. */
static struct call ordinary(long operation)
{
	struct call call = {.operation = operation,
			    .use = uses[operation],
			    .numbers = {NO_KEY, 16, -5, 0x700000001L}};

	for (int i = 0; i < (int)strlen(call.use); i++)
		if (call.use[i] == 's')
			call.strings[i] = i == 1 ? "user" : "a name";
	return call;
}

LIVE_TEST(keyctl)
{
	struct call *calls = fixture_shared(CALLS * sizeof(*calls));
	char *longest = malloc(4096);
	size_t n = 0;
	pid_t pid;

	require(longest);
	memset(longest, 'k', 4095);
	longest[4095] = '\0';
	while (n < OPERATIONS) {
		calls[n] = ordinary((long)n);
		n++;
	}
	calls[n++] = (struct call){.operation = KEYCTL_SEARCH,
				   .use = "nssn",
				   .strings = {NULL, UNREADABLE, UNREADABLE},
				   .unreadable = true};
	calls[n++] = (struct call){.operation = KEYCTL_RESTRICT_KEYRING, .use = "nss"};
	calls[n++] = (struct call){.operation = KEYCTL_SEARCH,
				   .use = "nssn",
				   .strings = {NULL, longest, ""},
				   .numbers = {-1}};
	calls[n++] = (struct call){.operation = 77, .use = "", .numbers = {1, 2, 3, 4}};
	calls[n++] = (struct call){.operation = -1, .use = "", .numbers = {1, 2, 3, 4}};
	require(n == CALLS);
	pid = fixture_child(make_all, calls);
	require(fixture_wait(pid) == 0);
	expect_true(calls[KEYCTL_JOIN_SESSION_KEYRING].ret > 0);
	expect_true(calls[KEYCTL_REVOKE].ret == -ENOKEY);
	for (size_t i = 0; i < CALLS; i++)
		check(&calls[i], pid);
	free(longest);
}
