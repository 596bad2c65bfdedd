/* SPDX-License-Identifier: MIT */
/* Services by address and port. */
#include "sinsp/state/containers/services.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static int services_setup(void **state)
{
	static struct state_services services;

	services = (struct state_services){0};
	*state = &services;
	return 0;
}

static int services_teardown(void **state)
{
	struct state_services *services = *state;

	state_services_finish(services);
	assert_int_equal(services->places + services->count + services->bytes, 0);
	return 0;
}

static struct state_place place_at(uint32_t address, uint16_t port)
{
	struct state_place place = {.end.port = port, .address_len = 4, .l4 = SCAP_L4_TCP};

	memcpy(place.end.address, &address, sizeof(address));
	return place;
}

static const char *copy(struct state_service_info *info, const char *text)
{
	return text ? arena_text(&info->texts.arena, text, strlen(text)) : NULL;
}

/* With one place; pod NULL: of no endpoint. */
static struct state_service_info *service(const char *uid, const char *name,
					  struct state_place place, const char *pod)
{
	struct state_service_info *info = state_service_info_create();
	struct state_place *places = arena_alloc(&info->texts.arena, sizeof(*places));
	struct state_pod *of = arena_alloc(&info->texts.arena, sizeof(*of));

	*of = (struct state_pod){.name = copy(info, pod), .ns = copy(info, "shop")};
	*places = place;
	places->pod = pod ? of : NULL;
	info->uid = copy(info, uid);
	info->name = copy(info, name);
	info->ns = of->ns;
	info->places = places;
	info->count = 1;
	return info;
}

/* "service pod", "-" for what is not known. */
static const char *found_at(const struct state_services *services, struct state_place place)
{
	static char text[128];
	struct state_service_match match;

	if (!state_services_find(services, &place, &match))
		return "nothing";
	snprintf(text, sizeof(text), "%s %s", match.service ? match.service->name : "-",
		 match.pod ? match.pod->name : "-");
	return text;
}

static void test_finds(void **state)
{
	struct state_place udp = place_at(1, 80);

	udp.l4 = SCAP_L4_UDP;
	assert_string_equal(found_at(*state, place_at(1, 80)), "nothing");
	state_services_describe(*state, service("a", "web", place_at(1, 80), NULL));
	state_services_describe(*state, service("b", "web", place_at(2, 8080), "web-1"));
	assert_string_equal(found_at(*state, place_at(1, 80)), "web -");
	assert_string_equal(found_at(*state, place_at(2, 8080)), "web web-1");
	assert_string_equal(found_at(*state, place_at(1, 8080)), "nothing");
	assert_string_equal(found_at(*state, udp), "nothing");
}

static void test_changes(void **state)
{
	state_services_describe(*state, service("a", "web", place_at(1, 80), NULL));
	state_services_describe(*state, service("a", "shop", place_at(1, 81), NULL));
	assert_string_equal(found_at(*state, place_at(1, 80)), "nothing");
	assert_string_equal(found_at(*state, place_at(1, 81)), "shop -");
	state_services_forget(*state, "b");
	assert_string_equal(found_at(*state, place_at(1, 81)), "shop -");
	state_services_forget(*state, "a");
	assert_string_equal(found_at(*state, place_at(1, 81)), "nothing");
}

/* Two services have the same pods: of which one it is, nobody knows. */
static void test_guesses_nothing(void **state)
{
	state_services_describe(*state, service("a", "web", place_at(2, 80), "web-1"));
	state_services_describe(*state, service("b", "api", place_at(2, 80), "web-1"));
	assert_string_equal(found_at(*state, place_at(2, 80)), "- web-1");
	state_services_describe(*state, service("c", "api", place_at(2, 80), "web-2"));
	assert_string_equal(found_at(*state, place_at(2, 80)), "nothing");
	state_services_forget(*state, "a");
	state_services_forget(*state, "b");
	assert_string_equal(found_at(*state, place_at(2, 80)), "api web-2");
}

static void test_memory_is_bounded(void **state)
{
	enum { COUNT = UNIT_ROUNDS(1000000) };
	struct state_services *services = *state;
	char uid[16];

	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(uid, sizeof(uid), "%u", i);
		state_services_describe(services, service(uid, "web", place_at(i, 80), "pod"));
	}
	assert_in_range(services->places, 10000, STATE_SERVICES_PLACES_MAX);
	assert_int_equal(services->dropped, COUNT - services->places);
	assert_in_range(services->bytes, STATE_SERVICES_BYTES_MAX / 10 * 9,
			STATE_SERVICES_BYTES_MAX);
	assert_string_equal(found_at(services, place_at(7, 80)), "web pod");
	assert_string_equal(found_at(services, place_at(COUNT - 1, 80)), "nothing");
	/* One that goes makes room. */
	state_services_forget(services, "7");
	state_services_describe(services, service("x", "new", place_at(7, 80), NULL));
	assert_string_equal(found_at(services, place_at(7, 80)), "new -");
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, services_setup, services_teardown)
	TEST(test_finds),
	TEST(test_changes),
	TEST(test_guesses_nothing),
	TEST(test_memory_is_bounded),
};

UNIT_GROUP(tests);
