/* SPDX-License-Identifier: MIT */
/* A reflector without a network: tests answer its requests and read what it says of pods. */
#ifndef TESTS_REFLECTED_H
#define TESTS_REFLECTED_H

#include "meta/reflector.h"

#define SECOND UINT64_C(1000000000)

struct reflected {
	struct reflector reflector;
	struct reflector_output output;
	struct reflector_request request; /* the last one */
	uint64_t now_ns;
	uint64_t counts[META_COUNTERS];
	struct buf log; /* "+name@node=uid -uid ", of services "+ns/name:places " */
	char failure[600]; /* the last one */
};

/* node: NULL for a kubelet. */
void reflected_start(struct reflected *reflected, const char *node);
void reflected_start_kind(struct reflected *reflected, const struct reflector_kind *kind);
void reflected_finish(struct reflected *reflected);

/* Goes on to the time of the next request. Returns its path. */
const char *reflected_ask(struct reflected *reflected);

/* How long that would be, in ms. */
uint64_t reflected_wait_ms(const struct reflected *reflected);

/* Answers the request, and ends it `seconds` later. Returns whether all was wanted. */
bool reflected_answer(struct reflected *reflected, long status, const char *body,
		      unsigned int seconds);

/* A part of an answer of status 200; and its end, with or without a failure. */
bool reflected_send(struct reflected *reflected, const char *bytes);
void reflected_end(struct reflected *reflected, enum meta_counter failure, unsigned int seconds);

/* What was said since the last call. */
void reflected_expect(struct reflected *reflected, const char *log);

/* The JSON of pods, of events and of lists. */
#define POD(name, uid, version) POD_OF(name, uid, version, "n1")
#define POD_OF(name, uid, version, node)                                                           \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\",\"uid\":\"" uid            \
	"\",\"resourceVersion\":\"" version "\"},\"spec\":{\"nodeName\":\"" node "\"}}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version, annotations)                                                             \
	EVENT("BOOKMARK", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"                 \
			  "\"resourceVersion\":\"" version "\"" annotations "}}")
#define LIST_END(version)                                                                          \
	BOOKMARK(version, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}")
#define STATUS(code, more)                                                                         \
	"{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"why not\",\"code\":" code more  \
	"}"
#define LIST(metadata, items)                                                                      \
	"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{" metadata "},\"items\":" items \
	"}"
#define VERSION(version) "\"resourceVersion\":\"" version "\""

#endif
