/* SPDX-License-Identifier: MIT */
/* Programs that are noted by the ids of their processes, each in the place of its remainder. */
#include "sinsp/state/notes.h"

#include "sinsp/state/program.h"

static struct note *notes_place(struct notes *notes, int64_t tid)
{
	return &notes->places[(uint64_t)tid % NOTES_COUNT];
}

static void notes_empty(struct notes *notes, struct pool *pool, struct note *note)
{
	state_program_unref(pool, note->program);
	*note = (struct note){0};
	notes->count--;
}

void notes_put(struct notes *notes, struct pool *pool, const struct note *note,
	       const struct state_program *program, uint64_t now_ns)
{
	struct note *place = notes_place(notes, note->tid);
	struct state_program *copy = state_program_create(pool, program);

	if (!copy)
		return;
	if (place->program) {
		notes->dropped += now_ns && place->tid != note->tid && place->until_ns >= now_ns;
		notes_empty(notes, pool, place);
	}
	*place = *note;
	place->program = copy;
	notes->count++;
	if (notes->until_ns < note->until_ns)
		notes->until_ns = note->until_ns;
}

struct state_program *notes_take(struct notes *notes, int64_t tid, uint64_t exec_id)
{
	struct note *place = notes_place(notes, tid);
	struct state_program *program = place->program;

	if (!program || place->tid != tid || place->exec_id != exec_id)
		return NULL;
	*place = (struct note){0};
	notes->count--;
	return program;
}

void notes_finish(struct notes *notes, struct pool *pool)
{
	for (size_t i = 0; i < NOTES_COUNT && notes->count; i++)
		if (notes->places[i].program)
			notes_empty(notes, pool, &notes->places[i]);
	notes->until_ns = 0;
}

void notes_expire(struct notes *notes, struct pool *pool, uint64_t now_ns)
{
	if (notes->count && notes->until_ns < now_ns)
		notes_finish(notes, pool);
}
