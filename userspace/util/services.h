/* SPDX-License-Identifier: MIT */
/* Names of services by port, as the machine has them in /etc/services: read once, then looked up.
 */
#ifndef UTIL_SERVICES_H
#define UTIL_SERVICES_H

#include <stdint.h>

enum service_protocol { SERVICE_TCP, SERVICE_UDP, SERVICE_PROTOCOLS };

struct services;

/* Reads all services that the machine knows. Returns 0, -ENOENT if there are none, or -ENOMEM. */
int services_load(struct services **services);

/* Makes a table without any. Returns 0, or -ENOMEM. */
int services_create(struct services **services);
void services_destroy(struct services *services);

/*
 * Adds a service; of several with one port and protocol the first counts. The name is copied.
 * Returns 0, or -ENOMEM.
 */
int services_add(struct services *services, enum service_protocol protocol, uint16_t port,
		 const char *name);

/* The name, or NULL. */
const char *services_find(const struct services *services, enum service_protocol protocol,
			  uint16_t port);

/* The name with either protocol, TCP's before UDP's; or NULL. */
const char *services_find_any(const struct services *services, uint16_t port);

#endif
