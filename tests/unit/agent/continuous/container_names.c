/* SPDX-License-Identifier: MIT */
/* Names of containers from files that root wrote, and of no others. */
#include "agent/continuous/container_names.h"

#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "unit.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void names_what_runtimes_wrote(void **state)
{
	struct container_names *names;
	struct stack_container found;
	struct tree tree;

	tree_create(&tree);
	names = container_names_create(tree.path);
	assert_non_null(names);
	found = container_names_find(names, ID);
	assert_string_equal(found.id, ID);
	assert_null(found.name);
	/* It is looked for again. */
	tree_write(&tree, "var/lib/docker/containers/" ID "/config.v2.json",
		   "{\"ID\": \"" ID
		   "\", \"Name\": \"/web\", \"Config\": {\"Image\": \"nginx:1\"}}");
	found = container_names_find(names, ID);
	assert_string_equal(found.name, "web");
	assert_string_equal(found.image, "nginx:1");
	assert_null(found.pod);
	/* A user made this one's group. */
	found = container_names_find(names, ID "@1000");
	assert_null(found.name);
	container_names_destroy(names);
	container_names_destroy(NULL);
	tree_destroy(&tree);
}

static void names_processes_of_a_set(void **state)
{
	const char *const ids[] = {NULL, ID, ID, "other"};
	struct container_names *names;
	struct stacks stacks;
	struct tree tree;
	uint32_t index;

	tree_create(&tree);
	tree_write(&tree, "var/lib/docker/containers/" ID "/config.v2.json",
		   "{\"ID\": \"" ID "\", \"Name\": \"/web\"}");
	names = container_names_create(tree.path);
	assert_int_equal(stacks_init(&stacks), 0);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		assert_int_equal(stacks_add_process(&stacks,
						    &(const struct stack_process){
							    .root_fd = -1, .container_id = ids[i]},
						    &index),
				 0);
	assert_int_equal(container_names_set(names, &stacks), 0);
	assert_null(stacks.processes[0].container_name);
	assert_string_equal(stacks.processes[1].container_name, "web");
	assert_string_equal(stacks.processes[2].container_name, "web");
	assert_string_equal(stacks.processes[2].container_id, ID);
	assert_null(stacks.processes[3].container_name);
	stacks_finish(&stacks);
	container_names_destroy(names);
	tree_destroy(&tree);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_what_runtimes_wrote),
	cmocka_unit_test(names_processes_of_a_set),
};

UNIT_GROUP(tests);
