/* SPDX-License-Identifier: MIT */
/*
 * Services of Kubernetes and their endpoints, by address and port: which name stands behind what a
 * client connects to. Descriptions are made outside of the engine, by one thread at a time, and
 * never change once the engine has them: new data is a new description.
 */
#ifndef SINSP_STATE_CONTAINERS_SERVICES_H
#define SINSP_STATE_CONTAINERS_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scap/proc/fd.h"
#include "sinsp/state/containers/pods.h"

/* Where something listens. */
struct state_place {
	struct scap_endpoint end;
	uint8_t address_len; /* 4 or 16 */
	uint8_t l4; /* SCAP_L4_TCP, SCAP_L4_UDP */
	const struct state_pod *pod; /* of an endpoint, in the memory of the description; or NULL */
};

/* A Service, or one of its EndpointSlices. */
struct state_service_info {
	struct state_texts texts;
	const char *uid; /* of the object */
	const char *name, *ns; /* of the Service; NULL: the slice is of none */
	const struct state_place *places; /* in the memory of the description */
	uint32_t count;
};

/* An empty description; NULL if out of memory. */
struct state_service_info *state_service_info_create(void);

/* Accepts NULL. */
void state_service_info_destroy(struct state_service_info *info);

enum {
	STATE_SERVICES_PLACES_MAX = 1 << 16, /* of all descriptions */
	STATE_SERVICES_BYTES_MAX = 64 << 20,
};

struct state_service;
struct state_service_place;

/* A zeroed struct is an empty table. */
struct state_services {
	struct state_service **by_uid; /* owned; NULL: the table was never used */
	struct state_service_place **by_place; /* owned */
	uint32_t count; /* of descriptions */
	uint32_t places;
	size_t bytes;
	uint64_t dropped; /* descriptions for which there was no room, or no memory */
};

void state_services_finish(struct state_services *services);

/* Replaces what the API says of an object. Owns `info`. */
void state_services_describe(struct state_services *services, struct state_service_info *info);

/* The API removed it. */
void state_services_forget(struct state_services *services, const char *uid);

/* What is at an address and port. */
struct state_service_match {
	const struct state_service_info *service; /* NULL: none, or several */
	const struct state_pod *pod; /* likewise; of an endpoint */
};

/* Finds it. Returns false if there is nothing. */
bool state_services_find(const struct state_services *services, const struct state_place *place,
			 struct state_service_match *match);

#endif
