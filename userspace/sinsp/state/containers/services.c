/* SPDX-License-Identifier: MIT */
/* The table of services: descriptions by uid, and each of their places by address and port. */
#include "sinsp/state/containers/services.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum { UID_BUCKETS = 4096, PLACE_BUCKETS = 1 << 15, ARENA_BYTES = 4096 /* at least */ };

/* A place of a description, in a chain of those with the same hash. */
struct state_service_place {
	struct state_service_place *next;
	const struct state_place *place;
	const struct state_service_info *info;
};

/* A description with its places in the table. */
struct state_service {
	struct state_service *next;
	struct state_service_info *info; /* owned */
	size_t bytes;
	struct state_service_place places[];
};

struct state_service_info *state_service_info_create(void)
{
	return calloc(1, sizeof(struct state_service_info));
}

void state_service_info_destroy(struct state_service_info *info)
{
	if (!info)
		return;
	arena_finish(&info->texts.arena);
	free(info);
}

static struct state_service **uid_bucket(const struct state_services *services, const char *uid)
{
	return &services->by_uid[hash_bytes(uid, strlen(uid)) % UID_BUCKETS];
}

static struct state_service_place **place_bucket(const struct state_services *services,
						 const struct state_place *place)
{
	uint8_t key[sizeof(place->end.address) + sizeof(place->end.port) + 1] = {0};

	memcpy(key, place->end.address, place->address_len);
	memcpy(key + sizeof(place->end.address), &place->end.port, sizeof(place->end.port));
	key[sizeof(key) - 1] = place->l4;
	return &services->by_place[hash_bytes(key, sizeof(key)) % PLACE_BUCKETS];
}

static bool services_begin(struct state_services *services)
{
	if (services->by_uid)
		return true;
	services->by_uid = calloc(UID_BUCKETS, sizeof(struct state_service *));
	services->by_place = calloc(PLACE_BUCKETS, sizeof(struct state_service_place *));
	if (services->by_uid && services->by_place)
		return true;
	free(services->by_uid);
	free(services->by_place);
	services->by_uid = NULL;
	services->by_place = NULL;
	return false;
}

static void unlink_places(struct state_services *services, struct state_service *service)
{
	for (uint32_t i = 0; i < service->info->count; i++) {
		struct state_service_place *place = &service->places[i];
		struct state_service_place **link = place_bucket(services, place->place);

		while (*link != place)
			link = &(*link)->next;
		*link = place->next;
	}
}

static void remove_service(struct state_services *services, struct state_service **link)
{
	struct state_service *service = *link;

	*link = service->next;
	unlink_places(services, service);
	services->count--;
	services->places -= service->info->count;
	services->bytes -= service->bytes;
	state_service_info_destroy(service->info);
	free(service);
}

static struct state_service **find_link(const struct state_services *services, const char *uid)
{
	struct state_service **link = uid_bucket(services, uid);

	while (*link && strcmp((*link)->info->uid, uid) != 0)
		link = &(*link)->next;
	return link;
}

void state_services_finish(struct state_services *services)
{
	for (uint32_t i = 0; services->by_uid && i < UID_BUCKETS; i++)
		while (services->by_uid[i])
			remove_service(services, &services->by_uid[i]);
	free(services->by_uid);
	free(services->by_place);
	*services = (struct state_services){0};
}

static size_t bytes_of(const struct state_service_info *info)
{
	return sizeof(struct state_service) + sizeof(*info) + ARENA_BYTES + info->texts.bytes +
	       info->count * (sizeof(struct state_service_place) + sizeof(struct state_place) +
			      sizeof(struct state_pod));
}

static void add_service(struct state_services *services, struct state_service_info *info)
{
	struct state_service **bucket = uid_bucket(services, info->uid);
	struct state_service *service =
		calloc(1, sizeof(*service) + info->count * sizeof(service->places[0]));

	if (!service) {
		services->dropped++;
		state_service_info_destroy(info);
		return;
	}
	service->info = info;
	service->bytes = bytes_of(info);
	service->next = *bucket;
	*bucket = service;
	for (uint32_t i = 0; i < info->count; i++) {
		struct state_service_place **chain = place_bucket(services, &info->places[i]);

		service->places[i] = (struct state_service_place){*chain, &info->places[i], info};
		*chain = &service->places[i];
	}
	services->count++;
	services->places += info->count;
	services->bytes += service->bytes;
}

void state_services_describe(struct state_services *services, struct state_service_info *info)
{
	struct state_service **before;

	if (!info->uid || !services_begin(services)) {
		services->dropped++;
		state_service_info_destroy(info);
		return;
	}
	before = find_link(services, info->uid);
	if (*before)
		remove_service(services, before);
	if (info->count > STATE_SERVICES_PLACES_MAX - services->places ||
	    services->bytes + bytes_of(info) > STATE_SERVICES_BYTES_MAX) {
		services->dropped++;
		state_service_info_destroy(info);
		return;
	}
	add_service(services, info);
}

void state_services_forget(struct state_services *services, const char *uid)
{
	struct state_service **link;

	if (!services->by_uid)
		return;
	link = find_link(services, uid);
	if (*link)
		remove_service(services, link);
}

static bool is_same_text(const char *text, const char *other)
{
	return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool is_same_service(const struct state_service_info *info,
			    const struct state_service_info *other)
{
	return is_same_text(info->name, other->name) && is_same_text(info->ns, other->ns);
}

static bool is_same_pod(const struct state_pod *pod, const struct state_pod *other)
{
	return is_same_text(pod->name, other->name) && is_same_text(pod->ns, other->ns);
}

static bool is_at(const struct state_place *place, const struct state_place *wanted)
{
	return place->address_len == wanted->address_len && place->l4 == wanted->l4 &&
	       place->end.port == wanted->end.port &&
	       memcmp(place->end.address, wanted->end.address, place->address_len) == 0;
}

/* What is found, and whether it is several things. */
struct search {
	const struct state_service_info *service;
	const struct state_pod *pod;
	bool has_services, has_pods;
};

static void note_place(struct search *search, const struct state_service_place *found)
{
	const struct state_pod *pod = found->place->pod;

	if (!found->info->name)
		;
	else if (!search->service)
		search->service = found->info;
	else
		search->has_services |= !is_same_service(search->service, found->info);
	if (pod && !search->pod)
		search->pod = pod;
	else if (pod)
		search->has_pods |= !is_same_pod(search->pod, pod);
}

static void search_place(const struct state_services *services, const struct state_place *wanted,
			 struct search *search)
{
	for (const struct state_service_place *found = *place_bucket(services, wanted); found;
	     found = found->next)
		if (is_at(found->place, wanted))
			note_place(search, found);
}

bool state_services_find(const struct state_services *services, const struct state_place *place,
			 struct state_service_match *match)
{
	struct search search = {0};

	*match = (struct state_service_match){0};
	if (!services->by_uid)
		return false;
	search_place(services, place, &search);
	if (!search.has_services)
		match->service = search.service;
	if (!search.has_pods)
		match->pod = search.pod;
	return match->service || match->pod;
}
