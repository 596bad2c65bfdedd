/* SPDX-License-Identifier: MIT */
#include "sinsp/state/container_merge.h"

#include <errno.h>
#include <string.h>

#include "sinsp/state/container_json_members.h"

/* What a runtime can change while a container runs. */
static const size_t changing[] = {
	offsetof(struct sinsp_container_info, name),
	offsetof(struct sinsp_container_info, ip),
	offsetof(struct sinsp_container_info, cni_json),
	offsetof(struct sinsp_container_info, pod.ip),
};

/* Where lists of names with values are. */
static const size_t labels_at[] = {
	offsetof(struct sinsp_container_info, labels),
	offsetof(struct sinsp_container_info, env),
	offsetof(struct sinsp_container_info, pod.labels),
	offsetof(struct sinsp_container_info, pod.annotations),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct merge {
	struct sinsp_container_info *info;
	const struct sinsp_container_info *known;
	bool changed; /* `info` says more than `known`, or something else */
	bool failed; /* out of memory */
};

static const char *copy_text(struct merge *merge, const char *text)
{
	const char *copy = text ? arena_text(&merge->info->texts.arena, text, strlen(text)) : NULL;

	merge->failed |= text && !copy;
	return copy;
}

static bool can_change(size_t offset)
{
	for (size_t i = 0; i < COUNT(changing); i++)
		if (changing[i] == offset)
			return true;
	return false;
}

static void merge_text(struct merge *merge, const struct container_member *member)
{
	const char **text = container_text(merge->info, member);
	const char *known = *container_text((struct sinsp_container_info *)merge->known, member);

	if (*text && known && strcmp(*text, known) == 0)
		return;
	if (*text && (!known || can_change(member->offset)))
		merge->changed = true;
	else
		*text = copy_text(merge, known);
}

static void merge_answer(struct merge *merge, const struct container_member *member)
{
	enum sinsp_answer *answer = container_answer(merge->info, member);
	enum sinsp_answer known =
		*container_answer((struct sinsp_container_info *)merge->known, member);

	merge->changed |= *answer != SINSP_UNKNOWN && known == SINSP_UNKNOWN;
	if (known != SINSP_UNKNOWN)
		*answer = known;
}

static void merge_labels(struct merge *merge, size_t offset)
{
	struct sinsp_labels *labels = (struct sinsp_labels *)((char *)merge->info + offset);
	const struct sinsp_labels *known =
		(const struct sinsp_labels *)((const char *)merge->known + offset);
	struct sinsp_label *items;

	merge->changed |= labels->count && !known->count;
	if (!known->count)
		return;
	items = arena_alloc(&merge->info->texts.arena, known->count * sizeof(*items));
	merge->failed |= !items;
	for (size_t i = 0; items && i < known->count; i++)
		items[i] = (struct sinsp_label){copy_text(merge, known->items[i].name),
						copy_text(merge, known->items[i].value)};
	*labels = (struct sinsp_labels){items, items ? known->count : 0};
}

static void merge_mounts(struct merge *merge)
{
	const struct sinsp_mounts *known = &merge->known->mounts;
	struct sinsp_mounts *mounts = &merge->info->mounts;
	struct sinsp_mount *items;

	merge->changed |= mounts->count && !known->count;
	if (!known->count)
		return;
	items = arena_alloc(&merge->info->texts.arena, known->count * sizeof(*items));
	merge->failed |= !items;
	for (size_t i = 0; items && i < known->count; i++) {
		const struct sinsp_mount *from = &known->items[i];

		items[i] = (struct sinsp_mount){
			.source = copy_text(merge, from->source),
			.dest = copy_text(merge, from->dest),
			.mode = copy_text(merge, from->mode),
			.propagation = copy_text(merge, from->propagation),
			.writable = from->writable,
		};
	}
	*mounts = (struct sinsp_mounts){items, items ? known->count : 0};
}

static void merge_rest(struct merge *merge)
{
	const struct sinsp_container_info *known = merge->known;
	struct sinsp_container_info *info = merge->info;

	merge->changed |= info->created_ns && !known->created_ns;
	merge->changed |= info->type != SINSP_CONTAINER_NONE && known->type == SINSP_CONTAINER_NONE;
	merge->changed |= info->is_sandbox && !known->is_sandbox;
	if (known->created_ns)
		info->created_ns = known->created_ns;
	if (known->type != SINSP_CONTAINER_NONE)
		info->type = known->type;
	info->is_sandbox |= known->is_sandbox;
}

int container_merge(struct sinsp_container_info *info, const struct sinsp_container_info *known)
{
	static const struct container_members *const texts[] = {
		&container_texts, &container_extension_texts, &container_pod_labels};
	struct merge merge = {.info = info, .known = known};

	for (size_t i = 0; i < COUNT(texts); i++)
		for (size_t j = 0; j < texts[i]->count; j++)
			merge_text(&merge, &texts[i]->items[j]);
	for (size_t i = 0; i < container_answers.count; i++)
		merge_answer(&merge, &container_answers.items[i]);
	for (size_t i = 0; i < COUNT(labels_at); i++)
		merge_labels(&merge, labels_at[i]);
	merge_mounts(&merge);
	merge_rest(&merge);
	return merge.failed ? -ENOMEM : merge.changed;
}
