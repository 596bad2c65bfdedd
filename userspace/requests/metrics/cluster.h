/* SPDX-License-Identifier: MIT */
/*
 * Names of few values for what has many: the route of a path, the table of a statement. What
 * differs from request to request (numbers, ids, hashes, addresses of people) becomes a
 * placeholder.
 */
#ifndef REQUESTS_METRICS_CLUSTER_H
#define REQUESTS_METRICS_CLUSTER_H

#include <stddef.h>

enum {
	CLUSTER_ROUTE_BYTES = 128,
	CLUSTER_TABLE_BYTES = 64,
	CLUSTER_SEGMENTS_MAX = 10, /* of a path; those behind them become one asterisk */
};

/*
 * The route of a path, or of a URL with one: /user/7/a@b.org is /user/{number}/{email}. "" if there
 * is no path. That of a route is the route. Returns its length.
 */
size_t cluster_route(const char *target, char route[CLUSTER_ROUTE_BYTES]);

/* A name of a host with its numbers, hashes and ids replaced, as a segment of a path has them. */
size_t cluster_name(const char *host, char name[CLUSTER_ROUTE_BYTES]);

/*
 * The first table that a statement names, by the verb it begins with; "" if it names none where one
 * is expected. Returns its length.
 */
size_t cluster_table(const char *verb, const char *statement, char table[CLUSTER_TABLE_BYTES]);

#endif
