/* SPDX-License-Identifier: MIT */
/* Services in an array that is sorted by protocol and port. */
#include "util/services.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct service {
	uint32_t key; /* protocol << 16 | port */
	char *name; /* owned */
};

struct services {
	struct service *rows; /* owned */
	size_t count, capacity;
};

int services_create(struct services **services)
{
	struct services *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	*services = made;
	return 0;
}

void services_destroy(struct services *services)
{
	if (!services)
		return;
	for (size_t i = 0; i < services->count; i++)
		free(services->rows[i].name);
	free(services->rows);
	free(services);
}

static uint32_t services_key_of(enum service_protocol protocol, uint16_t port)
{
	return (uint32_t)protocol << 16 | port;
}

/* The first place whose key is not below. */
static size_t services_place_of(const struct services *services, uint32_t key)
{
	size_t low = 0, high = services->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (services->rows[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool services_is_at(const struct services *services, size_t place, uint32_t key)
{
	return place < services->count && services->rows[place].key == key;
}

static int services_grow(struct services *services)
{
	size_t capacity = services->capacity ? 2 * services->capacity : 256;
	struct service *rows = reallocarray(services->rows, capacity, sizeof(rows[0]));

	if (!rows)
		return -ENOMEM;
	services->rows = rows;
	services->capacity = capacity;
	return 0;
}

int services_add(struct services *services, enum service_protocol protocol, uint16_t port,
		 const char *name)
{
	uint32_t key = services_key_of(protocol, port);
	size_t place = services_place_of(services, key);
	struct service *row;
	char *copy;

	if (services_is_at(services, place, key))
		return 0;
	if (services->count == services->capacity && services_grow(services))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	row = &services->rows[place];
	memmove(row + 1, row, (services->count - place) * sizeof(*row));
	*row = (struct service){key, copy};
	services->count++;
	return 0;
}

static const char *util_services_find(const struct services *services, uint32_t key)
{
	size_t place = services_place_of(services, key);

	return services_is_at(services, place, key) ? services->rows[place].name : NULL;
}

const char *services_find(const struct services *services, enum service_protocol protocol,
			  uint16_t port)
{
	return util_services_find(services, services_key_of(protocol, port));
}

const char *services_find_any(const struct services *services, uint16_t port)
{
	const char *name = services_find(services, SERVICE_TCP, port);

	return name ? name : services_find(services, SERVICE_UDP, port);
}

/* Adds a row of the machine's; those of other protocols are left out. */
static int add_entry(struct services *services, const struct servent *entry)
{
	static const char *const protocols[SERVICE_PROTOCOLS] = {
		[SERVICE_TCP] = "tcp", [SERVICE_UDP] = "udp"};

	for (int i = 0; i < SERVICE_PROTOCOLS; i++)
		if (strcmp(entry->s_proto, protocols[i]) == 0)
			return services_add(services, i, ntohs((uint16_t)entry->s_port),
					    entry->s_name);
	return 0;
}

int services_load(struct services **services)
{
	struct services *made;
	const struct servent *entry;
	int r = services_create(&made);

	if (r)
		return r;
	setservent(1);
	while (r == 0 && (entry = getservent()))
		r = add_entry(made, entry);
	endservent();
	if (r == 0 && made->count == 0)
		r = -ENOENT;
	if (r)
		services_destroy(made);
	else
		*services = made;
	return r;
}
