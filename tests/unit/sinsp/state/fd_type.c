/* SPDX-License-Identifier: MIT */
/* The letters and names of descriptor kinds, as output-format.md lists them. */
#include "sinsp/state/fd.h"
#include "unit.h"

static void names_every_kind(void **state)
{
	static const struct {
		enum scap_fd_type type;
		char letter;
		const char *name;
	} kinds[] = {
		{SCAP_FD_FILE, 'f', "file"},	     {SCAP_FD_DIRECTORY, 'd', "directory"},
		{SCAP_FD_IPV4, '4', "ipv4"},	     {SCAP_FD_IPV6, '6', "ipv6"},
		{SCAP_FD_UNIX, 'u', "unix"},	     {SCAP_FD_PIPE, 'p', "pipe"},
		{SCAP_FD_EVENT, 'e', "event"},	     {SCAP_FD_SIGNAL, 's', "signalfd"},
		{SCAP_FD_EPOLL, 'l', "eventpoll"},   {SCAP_FD_INOTIFY, 'i', "inotify"},
		{SCAP_FD_TIMER, 't', "timerfd"},     {SCAP_FD_NETLINK, 'n', "netlink"},
		{SCAP_FD_BPF, 'b', "bpf"},	     {SCAP_FD_USERFAULT, 'u', "userfaultfd"},
		{SCAP_FD_IO_URING, 'r', "io_uring"}, {SCAP_FD_MEMFD, 'm', "memfd"},
		{SCAP_FD_PIDFD, 'P', "pidfd"},	     {SCAP_FD_UNSUPPORTED, 'X', "<NA>"},
		{SCAP_FD_UNKNOWN, 'o', "<NA>"},
	};

	assert_int_equal(sizeof(kinds) / sizeof(*kinds), SCAP_FD_TYPES_COUNT);
	for (size_t i = 0; i < SCAP_FD_TYPES_COUNT; i++) {
		assert_int_equal(state_fd_type_char(kinds[i].type), kinds[i].letter);
		assert_string_equal(state_fd_type_name(kinds[i].type), kinds[i].name);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_every_kind),
};

UNIT_GROUP(tests);
