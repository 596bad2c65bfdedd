/* SPDX-License-Identifier: MIT */
/*
 * Names of IP addresses from a file in the form of /etc/hosts, read once. No name server is
 * queried: the answer would come long after the event, and the query would be visible on the
 * network.
 */
#ifndef SINSP_STATE_HOSTS_H
#define SINSP_STATE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

struct host_name;

struct hosts {
	const char *path; /* of the file; borrowed */
	bool read;
	struct host_name *list; /* sorted by address, then in the order of the file */
	size_t count;
	struct buf text; /* the file; names point into it */
};

void hosts_init(struct hosts *hosts, const char *path);
void hosts_finish(struct hosts *hosts);

/*
 * The name of an address of `len` bytes (4 or 16, network order), the first of several; NULL if
 * it has none. It lives as long as `hosts`. The file is read at the first call.
 */
const char *hosts_name(struct hosts *hosts, const uint8_t *address, size_t len);

#endif
