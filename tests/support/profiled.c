/* SPDX-License-Identifier: MIT */
/* Makes a set of stacks by its own functions, and names as the namer does. */
#include "profiled.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void add_process(struct stacks *stacks, const struct stack_process *process)
{
	uint32_t index;

	assert_int_equal(stacks_add_process(stacks, process, &index), 0);
}

static void add_file(struct stacks *stacks, const char *path, enum stack_file_kind kind,
		     uint32_t expected)
{
	const struct stack_file file = {.kind = kind,
					.path = path,
					.ino = expected,
					.fd = -1,
					.build_id = {0xab, 0x01},
					.build_id_bytes = kind == STACK_FILE ? 2 : 0};
	uint32_t index;

	assert_int_equal(stacks_add_file(stacks, &file, &index), 0);
	assert_int_equal(index, expected);
}

void profiled_create(struct stacks *stacks)
{
	assert_int_equal(stacks_init(stacks), 0);
	stacks->begin_ns = 1700000000000000000;
	stacks->duration_ns = 2000000000;
	stacks->period_ns = 10000000;
	stacks->frequency_hz = 100;
	stacks->event = "cpu-clock";
	add_file(stacks, "/bin/one", STACK_FILE, PROFILED_FILE);
	add_file(stacks, "/lib/<o>.so", STACK_FILE, PROFILED_OTHER);
	add_file(stacks, "", STACK_ANONYMOUS, PROFILED_ANONYMOUS);
	add_process(stacks, &(const struct stack_process){
				    .pid = 10, .ns_pid = 10, .comm = "one", .root_fd = -1});
	add_process(stacks, &(const struct stack_process){.pid = 11,
							  .ns_pid = 1,
							  .comm = "two;x",
							  .root_fd = -1,
							  .container_id = "0123456789ab",
							  .container_name = "box",
							  .container_image = "image:1",
							  .pod_name = "pod-1",
							  .pod_namespace = "space"});
}

static void make_part(struct stacks *stacks, uint32_t file, const uint64_t *places,
		      struct stack_part *part)
{
	struct stack_frame frames[STACK_FRAMES_MAX];
	size_t count = 0;

	for (; places && places[count]; count++)
		frames[count] = (struct stack_frame){.at = places[count], .file = file};
	assert_int_equal(stacks_add_part(stacks, frames, count, STACK_WHOLE, part), 0);
}

struct stack_row profiled_row(struct stacks *stacks, uint32_t process, const uint64_t *kernel,
			      const uint64_t *user, uint64_t value)
{
	struct stack_row row = {.process = process,
				.tid = stacks->processes[process].pid,
				.kind = STACK_ON_CPU,
				.value = value,
				.times = value};

	strcpy(row.comm, stacks->processes[process].comm);
	make_part(stacks, 0, kernel, &row.kernel);
	make_part(stacks, PROFILED_FILE, user, &row.user);
	return row;
}

void profiled_add(struct stacks *stacks, uint32_t process, const uint64_t *kernel,
		  const uint64_t *user, uint64_t value)
{
	const struct stack_row row = profiled_row(stacks, process, kernel, user, value);

	assert_int_equal(stacks_add_row(stacks, &row), 0);
}

void profiled_name(const struct stacks *stacks, struct profile_names *names)
{
	uint32_t unknown;

	*names = (struct profile_names){0};
	assert_int_equal(names_add_places(names, stacks), 0);
	assert_int_equal(
		names_add_function(names, NAMES_UNKNOWN, "[unknown]", "[unknown]", &unknown), 0);
	for (size_t i = 0; i < names->locations_count; i++) {
		struct names_location *location = &names->locations[i];
		bool is_kernel = stacks->files[location->file].kind == STACK_KERNEL;
		char name[32], raw[40];

		location->function = unknown;
		if (location->at >= 1000)
			continue;
		snprintf(name, sizeof(name), "%c%d", is_kernel ? 'k' : 'f', (int)location->at);
		snprintf(raw, sizeof(raw), "_Z%s", name);
		assert_int_equal(names_add_function(names, is_kernel ? NAMES_KERNEL : NAMES_NATIVE,
						    name, is_kernel ? name : raw,
						    &location->function),
				 0);
	}
}

void profiled_inline(struct profile_names *names, uint64_t at)
{
	uint32_t inner, outer;

	assert_int_equal(names_add_function(names, NAMES_INLINED, "inner", "inner", &inner), 0);
	assert_int_equal(names_add_function(names, NAMES_INLINED, "outer", "outer", &outer), 0);
	for (size_t i = 0; i < names->locations_count; i++) {
		struct names_location *location = &names->locations[i];

		if (location->file != PROFILED_FILE || location->at != at)
			continue;
		assert_int_equal(names_add_inlined(names, location, inner), 0);
		assert_int_equal(names_add_inlined(names, location, outer), 0);
		return;
	}
	fail_msg("there is no such place");
}
