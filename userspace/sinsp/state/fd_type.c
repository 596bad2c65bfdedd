/* SPDX-License-Identifier: MIT */
/* The letters and names of descriptor kinds, as in the .scap world. */
#include "sinsp/state/fd.h"

static const struct {
	char letter;
	const char *name;
} types[SCAP_FD_TYPES_COUNT] = {
	[SCAP_FD_UNKNOWN] = {'o', "<NA>"},
	[SCAP_FD_FILE] = {'f', "file"},
	[SCAP_FD_DIRECTORY] = {'d', "directory"},
	[SCAP_FD_IPV4] = {'4', "ipv4"},
	[SCAP_FD_IPV6] = {'6', "ipv6"},
	[SCAP_FD_UNIX] = {'u', "unix"},
	[SCAP_FD_PIPE] = {'p', "pipe"},
	[SCAP_FD_EVENT] = {'e', "event"},
	[SCAP_FD_SIGNAL] = {'s', "signalfd"},
	[SCAP_FD_EPOLL] = {'l', "eventpoll"},
	[SCAP_FD_INOTIFY] = {'i', "inotify"},
	[SCAP_FD_TIMER] = {'t', "timerfd"},
	[SCAP_FD_NETLINK] = {'n', "netlink"},
	[SCAP_FD_BPF] = {'b', "bpf"},
	[SCAP_FD_USERFAULT] = {'u', "userfaultfd"},
	[SCAP_FD_IO_URING] = {'r', "io_uring"},
	[SCAP_FD_MEMFD] = {'m', "memfd"},
	[SCAP_FD_PIDFD] = {'P', "pidfd"},
	[SCAP_FD_UNSUPPORTED] = {'X', "<NA>"},
};

char scap_fd_type_char(enum scap_fd_type type)
{
	return types[type].letter;
}

const char *scap_fd_type_name(enum scap_fd_type type)
{
	return types[type].name;
}
