/* SPDX-License-Identifier: MIT */
/* Notes of ELF files, and a table of files by their paths. */
#include "perf/data/build_ids.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "perf/elf_file.h"

enum { NOTES_BYTES_MAX = 1 << 16, CAPACITY_FIRST = 256, NOTE_ALIGN = 4 };

static size_t aligned(size_t bytes)
{
	return (bytes + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
}

bool perf_build_id_find(const void *notes, size_t bytes, struct perf_build_id *id)
{
	const uint8_t *at = notes;
	Elf64_Nhdr note;

	while (bytes >= sizeof(note)) {
		size_t name, value;

		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		bytes -= sizeof(note);
		name = aligned(note.n_namesz);
		value = aligned(note.n_descsz);
		if (name > bytes || value > bytes - name)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 && note.n_descsz &&
		    note.n_descsz <= sizeof(id->bytes)) {
			*id = (struct perf_build_id){.size = (uint8_t)note.n_descsz};
			memcpy(id->bytes, at + name, note.n_descsz);
			return true;
		}
		at += name + value;
		bytes -= name + value;
	}
	return false;
}

static bool find_in_elf(Elf *elf, struct perf_build_id *id)
{
	size_t count;

	/* Memory for all of them is taken before the first one is read. */
	if (elf_getphdrnum(elf, &count) || count > PERF_ELF_SEGMENTS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE ||
		    segment.p_filesz > NOTES_BYTES_MAX)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    ELF_T_BYTE);
		if (data && perf_build_id_find(data->d_buf, data->d_size, id))
			return true;
	}
	return false;
}

bool perf_build_id_read(const char *path, struct perf_build_id *id)
{
	char reason[PERF_REASON_BYTES];
	struct perf_elf file;
	bool found;

	if (perf_elf_open(&file, path, reason) != 0)
		return false;
	found = find_in_elf(file.elf, id);
	perf_elf_close(&file);
	return found;
}

bool perf_build_id_of_kernel(struct perf_build_id *id)
{
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	uint8_t notes[4096];
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	return n > 0 && perf_build_id_find(notes, (size_t)n, id);
}

/* The place of a path, or the free one where it would be; there is one. */
static struct perf_build_id_entry *place_of(const struct perf_build_ids *ids, const char *path)
{
	size_t i = hash_sip(&ids->key, path, strlen(path)) & (ids->capacity - 1);

	while (ids->places[i].path && strcmp(ids->places[i].path, path) != 0)
		i = (i + 1) & (ids->capacity - 1);
	return &ids->places[i];
}

bool perf_build_ids_have(const struct perf_build_ids *ids, const char *path)
{
	return ids->capacity && place_of(ids, path)->path;
}

bool perf_build_ids_get(const struct perf_build_ids *ids, const char *path,
			struct perf_build_id *id)
{
	if (!perf_build_ids_have(ids, path))
		return false;
	*id = place_of(ids, path)->id;
	return true;
}

static bool build_ids_grow(struct perf_build_ids *ids)
{
	struct perf_build_ids larger = {
		.key = ids->key,
		.capacity = ids->capacity ? 2 * ids->capacity : CAPACITY_FIRST,
	};

	if (ids->count + ids->count / 2 < ids->capacity)
		return true;
	if (!ids->capacity && getrandom(&larger.key, sizeof(larger.key), GRND_NONBLOCK) < 0)
		return false;
	larger.places = calloc(larger.capacity, sizeof(*larger.places));
	if (!larger.places)
		return false;
	for (size_t i = 0; i < ids->capacity; i++)
		if (ids->places[i].path)
			*place_of(&larger, ids->places[i].path) = ids->places[i];
	free(ids->places);
	ids->key = larger.key;
	ids->places = larger.places;
	ids->capacity = larger.capacity;
	return true;
}

void perf_build_ids_add(struct perf_build_ids *ids, const char *path,
			const struct perf_build_id *id, bool is_kernel)
{
	struct perf_build_id_entry *place;

	if (ids->count >= PERF_BUILD_IDS_MAX || !build_ids_grow(ids))
		return;
	place = place_of(ids, path);
	if (place->path)
		return;
	place->path = arena_text(&ids->arena, path, strlen(path));
	if (!place->path)
		return;
	place->id = *id;
	place->is_kernel = is_kernel;
	ids->count++;
}

void perf_build_ids_finish(struct perf_build_ids *ids)
{
	free(ids->places);
	arena_finish(&ids->arena);
	*ids = (struct perf_build_ids){0};
}
