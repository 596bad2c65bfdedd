/* SPDX-License-Identifier: MIT */
/* The threads and descriptors of a small machine. */
#include "event/event.h"
#include "fake_proc.h"

static const struct scap_fd client_fds[] = {
	{.num = 3, .type = SCAP_FD_FILE, .name = "/etc/hosts", .flags = file_flags__O_CLOEXEC},
	{
		.num = 4,
		.type = SCAP_FD_IPV4,
		.l4 = SCAP_L4_TCP,
		.local = {.address = {10, 0, 0, 1}, .port = 4000},
		.remote = {.address = {10, 0, 0, 2}, .port = 443},
		.name = "",
	},
	{
		/* Accepted through the port on which the server below listens. */
		.num = 5,
		.type = SCAP_FD_IPV4,
		.l4 = SCAP_L4_TCP,
		.local = {.address = {10, 0, 0, 1}, .port = 80},
		.remote = {.address = {10, 0, 0, 2}, .port = 5000},
		.name = "",
	},
	{.num = 6, .type = SCAP_FD_UNIX, .name = "/run/u"},
	{.num = 7, .type = SCAP_FD_UNIX, .name = ""},
};

static const struct scap_fd server_fds[] = {
	{.num = 3, .type = SCAP_FD_IPV4, .l4 = SCAP_L4_TCP, .local = {.port = 80}, .name = ""},
	{
		.num = 4,
		.type = SCAP_FD_IPV6,
		.local = {.address = {[15] = 1}, .port = 1},
		.remote = {.address = {[15] = 1}, .port = 2},
		.name = "",
	},
	{
		.num = 5,
		.type = SCAP_FD_IPV6,
		.l4 = SCAP_L4_TCP,
		.local = {.address = {[10] = 255, 255, 10, 0, 0, 1}, .port = 7},
		.remote = {.address = {[10] = 255, 255, 10, 0, 0, 2}, .port = 8},
		.name = "",
	},
};

const struct fake_thread fake_machine[FAKE_MACHINE_THREADS] = {
	{.tid = 1, .pid = 1, .comm = "init", .cwd = "/"},
	{
		.tid = 50,
		.pid = 50,
		.ptid = 1,
		.comm = "client",
		.vm_size_kib = 4096,
		.cwd = "/home/c",
		.fds = client_fds,
		.nfds = sizeof(client_fds) / sizeof(*client_fds),
	},
	{.tid = 51, .pid = 50, .ptid = 1, .comm = "worker", .cwd = "/elsewhere"},
	{
		.tid = 60,
		.pid = 60,
		.ptid = 1,
		.comm = "server",
		.cwd = "/srv",
		.fds = server_fds,
		.nfds = sizeof(server_fds) / sizeof(*server_fds),
	},
};
