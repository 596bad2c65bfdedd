/* SPDX-License-Identifier: MIT */
/* Descriptions of Services: addresses and ports by which they are reached, and those behind them.
 */
#include "meta/service_json.h"

#include <arpa/inet.h>
#include <string.h>

#include "meta/describe.h"
#include "util/count.h"
#include "util/json_input.h"

/* Where places go. */
struct places {
	struct state_service_info *info;
	struct state_place *items;
	uint32_t count, room;
};

static struct places places_begin(struct state_service_info *info, size_t room)
{
	struct places places = {.info = info};

	if (room > SERVICE_PLACES_MAX) {
		info->texts.left_out += (uint32_t)(room - SERVICE_PLACES_MAX);
		room = SERVICE_PLACES_MAX;
	}
	places.items = room ? arena_alloc(&info->texts.arena, room * sizeof(*places.items)) : NULL;
	places.room = places.items ? (uint32_t)room : 0;
	return places;
}

static void places_end(const struct places *places)
{
	places->info->places = places->items;
	places->info->count = places->count;
}

static bool read_address(const char *text, struct state_place *place)
{
	if (text && inet_pton(AF_INET, text, place->end.address) == 1)
		place->address_len = sizeof(struct in_addr);
	else if (text && inet_pton(AF_INET6, text, place->end.address) == 1)
		place->address_len = sizeof(struct in6_addr);
	return place->address_len;
}

/* Without a protocol it is TCP. Others, such as SCTP, are of no interest. */
static bool read_port(const json_t *port, const char *member, struct state_place *place)
{
	json_int_t number = json_integer_value(JSON_INPUT_AT(port, member));
	const char *protocol = JSON_INPUT_TEXT(port, "protocol");

	if (number <= 0 || number > UINT16_MAX)
		return false;
	place->end.port = (uint16_t)number;
	if (!protocol || strcmp(protocol, "TCP") == 0)
		place->l4 = SCAP_L4_TCP;
	else if (strcmp(protocol, "UDP") == 0)
		place->l4 = SCAP_L4_UDP;
	return place->l4 != SCAP_L4_UNKNOWN;
}

static void places_add(struct places *places, const struct state_place *place)
{
	if (places->count < places->room)
		places->items[places->count++] = *place;
}

/* An address with each of the ports. */
static void add_address(struct places *places, const char *address, const json_t *ports,
			const char *member)
{
	struct state_place place = {0}, one;
	const json_t *port;
	size_t i;

	if (!read_address(address, &place))
		return;
	json_array_foreach((json_t *)ports, i, port)
	{
		one = place;
		if (read_port(port, member, &one))
			places_add(places, &one);
	}
}

/* Those of a list of texts, or of objects with a member `ip`. */
static void add_addresses(struct places *places, const json_t *list, const json_t *ports)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)list, i, item)
	{
		const char *text = json_string_value(item);

		add_address(places, text ? text : JSON_INPUT_TEXT(item, "ip"), ports, "port");
	}
}

static struct state_service_info *begin_info(const json_t *object, const char *uid,
					     const char *name)
{
	struct state_service_info *info = state_service_info_create();

	if (!info)
		return NULL;
	describe_text(&info->texts, &info->uid, uid);
	describe_text(&info->texts, &info->name, name);
	describe_text(&info->texts, &info->ns, JSON_INPUT_TEXT(object, "metadata", "namespace"));
	if (info->uid)
		return info;
	state_service_info_destroy(info);
	return NULL;
}

struct state_service_info *service_json_describe(const json_t *service, const char *uid)
{
	const json_t *ports = JSON_INPUT_AT(service, "spec", "ports");
	const json_t *lists[] = {
		JSON_INPUT_AT(service, "spec", "clusterIPs"),
		JSON_INPUT_AT(service, "spec", "externalIPs"),
		JSON_INPUT_AT(service, "status", "loadBalancer", "ingress"),
	};
	struct state_service_info *info =
		begin_info(service, uid, JSON_INPUT_TEXT(service, "metadata", "name"));
	size_t room = 1; /* older servers have one address of the cluster */
	struct places places;

	if (!info)
		return NULL;
	for (size_t i = 0; i < COUNT(lists); i++)
		room += json_array_size(lists[i]);
	places = places_begin(info, room * json_array_size(ports));
	if (!lists[0])
		add_address(&places, JSON_INPUT_TEXT(service, "spec", "clusterIP"), ports, "port");
	for (size_t i = 0; i < COUNT(lists); i++)
		add_addresses(&places, lists[i], ports);
	places_end(&places);
	return info;
}

/* The pod of an endpoint; NULL: it is of none, or there is no memory. */
static const struct state_pod *describe_pod_of(struct state_service_info *info,
					       const json_t *endpoint)
{
	const char *kind = JSON_INPUT_TEXT(endpoint, "targetRef", "kind");
	struct state_pod *pod;

	if (!kind || strcmp(kind, "Pod") != 0)
		return NULL;
	pod = arena_alloc(&info->texts.arena, sizeof(*pod));
	if (!pod)
		return NULL;
	describe_text(&info->texts, &pod->name, JSON_INPUT_TEXT(endpoint, "targetRef", "name"));
	describe_text(&info->texts, &pod->uid, JSON_INPUT_TEXT(endpoint, "targetRef", "uid"));
	describe_text(&info->texts, &pod->node, JSON_INPUT_TEXT(endpoint, "nodeName"));
	/* It is that of its slice. */
	pod->ns = info->ns;
	return pod->name ? pod : NULL;
}

/* Each address with its ports; and with none, as the address of the pod, which may call others. */
static void add_endpoint(struct places *places, const json_t *endpoint, const json_t *ports)
{
	const json_t *addresses = JSON_INPUT_AT(endpoint, "addresses"), *address;
	const struct state_pod *pod = describe_pod_of(places->info, endpoint);
	uint32_t first = places->count;
	size_t i;

	json_array_foreach((json_t *)addresses, i, address)
	{
		struct state_place place = {0};

		add_address(places, json_string_value(address), ports, "port");
		if (pod && read_address(json_string_value(address), &place))
			places_add(places, &place);
	}
	for (; first < places->count; first++)
		places->items[first].pod = pod;
}

struct state_service_info *service_json_describe_slice(const json_t *slice, const char *uid)
{
	const json_t *endpoints = JSON_INPUT_AT(slice, "endpoints"), *endpoint;
	const json_t *ports = JSON_INPUT_AT(slice, "ports");
	struct state_service_info *info = begin_info(
		slice, uid,
		JSON_INPUT_TEXT(slice, "metadata", "labels", "kubernetes.io/service-name"));
	struct places places;
	size_t room = 0, i;

	if (!info)
		return NULL;
	json_array_foreach((json_t *)endpoints, i, endpoint)
	{
		room += json_array_size(JSON_INPUT_AT(endpoint, "addresses"));
	}
	places = places_begin(info, room * (json_array_size(ports) + 1));
	json_array_foreach((json_t *)endpoints, i, endpoint)
	{
		add_endpoint(&places, endpoint, ports);
	}
	places_end(&places);
	return info;
}

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t service_add_text(uint64_t hash, const char *text)
{
	/* A text that is missing differs from an empty one. */
	return add_bytes(hash, text ? text : "\1", text ? strlen(text) + 1 : 1);
}

uint64_t service_json_digest(const struct state_service_info *info)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	hash = service_add_text(service_add_text(hash, info->uid), info->name);
	hash = service_add_text(hash, info->ns);
	for (uint32_t i = 0; i < info->count; i++) {
		const struct state_place *place = &info->places[i];

		hash = add_bytes(hash, place->end.address, place->address_len);
		hash = add_bytes(hash, &place->end.port, sizeof(place->end.port));
		hash = add_bytes(hash, &place->l4, sizeof(place->l4));
		hash = service_add_text(hash, place->pod ? place->pod->name : NULL);
		hash = service_add_text(hash, place->pod ? place->pod->uid : NULL);
		hash = service_add_text(hash, place->pod ? place->pod->node : NULL);
	}
	return hash;
}
