/* SPDX-License-Identifier: MIT */
/* Copies what runtimes and files say into a description, each member once and within its limit. */
#include "meta/describe.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util/count.h"
#include "util/utf8.h"

enum { NS_PER_S = 1000000000, FRACTION_DIGITS = 9 };

static const char digest_prefix[] = "sha256:";

/* Copies a text, or where `copied` is NULL only counts its bytes. */
static size_t make_valid(const char *text, size_t len, char *copied)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t out = 0;

	for (size_t i = 0; i < len;) {
		uint32_t code_point;
		size_t n = utf8_decode(text + i, len - i, &code_point);
		size_t more = n ? n : sizeof(replacement) - 1;

		if (copied)
			memcpy(copied + out, n ? text + i : replacement, more);
		out += more;
		i += n ? n : 1;
	}
	return out;
}

/* A copy of `len` bytes; NULL if that is too long, or memory runs out. */
static const char *describe_copy(struct state_texts *texts, const char *text, size_t len)
{
	char *copied = NULL;
	size_t bytes = 0;

	if (len <= DESCRIBE_TEXT_BYTES_MAX) {
		bytes = make_valid(text, len, NULL) + 1;
		if (texts->bytes + bytes <= DESCRIBE_BYTES_MAX)
			copied = arena_alloc(&texts->arena, bytes);
	}
	if (!copied) {
		texts->left_out++;
		return NULL;
	}
	texts->bytes += (uint32_t)bytes;
	make_valid(text, len, copied);
	return copied;
}

static void describe_set_text(struct state_texts *texts, const char **member, const char *text,
			      size_t len)
{
	if (!*member && len)
		*member = describe_copy(texts, text, len);
}

void describe_text(struct state_texts *texts, const char **member, const char *text)
{
	if (text)
		describe_set_text(texts, member, text, strlen(text));
}

static const char *without_prefix(const char *id)
{
	size_t len = sizeof(digest_prefix) - 1;

	return strncmp(id, digest_prefix, len) == 0 ? id + len : id;
}

void describe_image_id(struct state_texts *texts, struct state_image *image, const char *id)
{
	/* Where an id is expected, some have a name. */
	if (id && without_prefix(id)[strspn(without_prefix(id), "0123456789abcdef")] == '\0')
		describe_text(texts, &image->id, without_prefix(id));
}

/* Whether a reference is the image's id, or the beginning of it. */
static bool is_image_id(const struct state_image *image, const char *reference)
{
	const char *id = without_prefix(reference);

	return id != reference || (image->id && strncmp(image->id, id, strlen(id)) == 0);
}

void describe_image(struct state_texts *texts, struct state_image *image, const char *reference)
{
	const char *digest, *slash, *tag, *end;
	size_t len;

	if (!reference || !*reference || image->name)
		return;
	describe_text(texts, &image->name, reference);
	if (is_image_id(image, reference))
		return;
	digest = strchr(reference, '@');
	end = digest ? digest : reference + strlen(reference);
	slash = memrchr(reference, '/', (size_t)(end - reference));
	tag = slash ? slash : reference;
	tag = memrchr(tag, ':', (size_t)(end - tag));
	len = (size_t)((tag ? tag : end) - reference);
	describe_set_text(texts, &image->repository, reference, len);
	if (digest)
		describe_text(texts, &image->digest, digest + 1);
	if (tag)
		describe_set_text(texts, &image->tag, tag + 1, (size_t)(end - tag) - 1);
	else if (!digest)
		describe_text(texts, &image->tag, "latest");
}

void describe_image_by_name(struct state_texts *texts, struct state_image *image,
			    const char *reference)
{
	if (reference && without_prefix(reference) == reference)
		describe_image(texts, image, reference);
}

struct describe_labels describe_labels_begin(struct state_texts *texts,
					     const struct state_labels *labels, size_t room)
{
	struct describe_labels list = {.texts = texts};

	if (labels->count || !room)
		return list;
	if (room > DESCRIBE_ITEMS_MAX)
		room = DESCRIBE_ITEMS_MAX;
	list.items = arena_alloc(&texts->arena, room * sizeof(*list.items));
	list.room = list.items ? room : 0;
	return list;
}

static void add_label(struct describe_labels *list, const char *name, size_t name_len,
		      const char *value)
{
	struct state_label label;

	if (list->count == list->room) {
		list->texts->left_out++;
		return;
	}
	label.name = describe_copy(list->texts, name, name_len);
	label.value = label.name ? describe_copy(list->texts, value, strlen(value)) : NULL;
	if (label.value)
		list->items[list->count++] = label;
}

void describe_label_add(struct describe_labels *list, const char *name, const char *value)
{
	add_label(list, name, strlen(name), value);
}

void describe_labels_end(const struct describe_labels *list, struct state_labels *labels)
{
	if (list->count)
		*labels = (struct state_labels){list->items, list->count};
}

/* Labels that Kubernetes defines: where what they say of the container's pod belongs. */
static const struct {
	const char *name;
	size_t member; /* of struct state_container_info */
} pod_labels[] = {
	{"io.kubernetes.pod.name", offsetof(struct state_container_info, pod.name)},
	{"io.kubernetes.pod.namespace", offsetof(struct state_container_info, pod.ns)},
	{"io.kubernetes.pod.uid", offsetof(struct state_container_info, pod.uid)},
	{"io.kubernetes.sandbox.id", offsetof(struct state_container_info, pod.sandbox_id)},
};
static const char kind_label[] = "io.kubernetes.docker.type";

enum { POD_LABELS_COUNT = COUNT(pod_labels) };

static bool is_of_pod(const char *name)
{
	for (size_t i = 0; i < POD_LABELS_COUNT; i++)
		if (strcmp(name, pod_labels[i].name) == 0)
			return true;
	return strcmp(name, kind_label) == 0;
}

/* Who made the image can give it more labels than there is room for: those of pods come first. */
static void describe_add_labels(struct describe_labels *list, const json_t *object, bool of_pod)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value)
	{
		if (json_is_string(value) && is_of_pod(name) == of_pod)
			describe_label_add(list, name, json_string_value(value));
	}
}

void describe_labels(struct state_texts *texts, struct state_labels *labels, const json_t *object)
{
	struct describe_labels list =
		describe_labels_begin(texts, labels, json_object_size(object));

	if (labels->count)
		return;
	describe_add_labels(&list, object, true);
	describe_add_labels(&list, object, false);
	describe_labels_end(&list, labels);
}

/* A variable without "=" has an empty value. */
static void add_variable(struct describe_labels *list, const char *text)
{
	size_t name_len = strcspn(text, "=");

	add_label(list, text, name_len, text[name_len] ? text + name_len + 1 : "");
}

void describe_env(struct state_container_info *info, const json_t *array)
{
	struct describe_labels list;
	json_t *item;
	size_t i;

	if (!info->wants_env || info->env.count)
		return;
	list = describe_labels_begin(&info->texts, &info->env, json_array_size(array));
	json_array_foreach(array, i, item)
	{
		const char *key = json_string_value(json_object_get(item, "key"));
		const char *value = json_string_value(json_object_get(item, "value"));

		if (json_is_string(item))
			add_variable(&list, json_string_value(item));
		else if (key)
			describe_label_add(&list, key, value ? value : "");
	}
	describe_labels_end(&list, &info->env);
}

const char *describe_label(const struct state_labels *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(labels->items[i].name, name) == 0)
			return labels->items[i].value;
	return NULL;
}

struct describe_mounts describe_mounts_begin(struct state_container_info *info, size_t room)
{
	struct describe_mounts mounts = {.info = info};

	if (info->mounts.count || !room)
		return mounts;
	if (room > DESCRIBE_ITEMS_MAX)
		room = DESCRIBE_ITEMS_MAX;
	mounts.items = arena_alloc(&info->texts.arena, room * sizeof(*mounts.items));
	mounts.room = mounts.items ? room : 0;
	return mounts;
}

/* As describe_copy(), but "" for nothing: the texts of mounts are never NULL. */
static const char *copy_or_empty(struct state_texts *texts, const char *text)
{
	return text && *text ? describe_copy(texts, text, strlen(text)) : "";
}

void describe_mount(struct describe_mounts *mounts, const struct state_mount *mount)
{
	struct state_container_info *info = mounts->info;
	struct state_mount copied = {.writable = mount->writable};

	if (!mounts->items || mounts->count == mounts->room) {
		info->texts.left_out += !info->mounts.count;
		return;
	}
	copied.source = copy_or_empty(&info->texts, mount->source);
	copied.dest = copy_or_empty(&info->texts, mount->dest);
	copied.mode = copy_or_empty(&info->texts, mount->mode);
	copied.propagation = copy_or_empty(&info->texts, mount->propagation);
	if (copied.source && copied.dest && copied.mode && copied.propagation)
		mounts->items[mounts->count++] = copied;
}

void describe_mounts_end(struct describe_mounts *mounts)
{
	if (mounts->count)
		mounts->info->mounts = (struct state_mounts){mounts->items, mounts->count};
}

struct describe_pod_containers describe_pod_containers_begin(struct state_pod_info *info,
							     size_t room)
{
	struct describe_pod_containers list = {.info = info};

	if (!room)
		return list;
	if (room > DESCRIBE_ITEMS_MAX)
		room = DESCRIBE_ITEMS_MAX;
	list.items = arena_alloc(&info->texts.arena, room * sizeof(*list.items));
	list.room = list.items ? room : 0;
	return list;
}

struct state_pod_container *describe_pod_container(struct describe_pod_containers *list,
						   const char *id)
{
	struct state_pod_container *container;

	if (list->count == list->room) {
		list->info->texts.left_out++;
		return NULL;
	}
	container = &list->items[list->count];
	describe_text(&list->info->texts, &container->id, id);
	if (!container->id)
		return NULL;
	list->count++;
	return container;
}

void describe_pod_containers_end(const struct describe_pod_containers *list)
{
	if (list->count)
		list->info->containers = (struct state_pod_containers){list->items, list->count};
}

void describe_answer(enum state_answer *member, bool yes)
{
	if (*member == STATE_UNKNOWN)
		*member = yes ? STATE_YES : STATE_NO;
}

/* The digits after a point as ns; `rest` becomes what follows them. */
static uint64_t describe_read_fraction(const char **rest)
{
	uint64_t ns = 0;
	int digits = 0;

	if (**rest != '.')
		return 0;
	for ((*rest)++; **rest >= '0' && **rest <= '9'; (*rest)++)
		if (digits++ < FRACTION_DIGITS)
			ns = ns * 10 + (uint64_t)(**rest - '0');
	for (; digits < FRACTION_DIGITS; digits++)
		ns *= 10;
	return ns;
}

uint64_t describe_time_ns(const char *text)
{
	struct tm parts = {0};
	const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
	int hours, minutes, used = 0;
	uint64_t fraction;
	time_t seconds;

	if (!rest)
		return 0;
	fraction = describe_read_fraction(&rest);
	seconds = timegm(&parts);
	if (strcmp(rest, "Z") != 0) {
		if ((*rest != '+' && *rest != '-') ||
		    sscanf(rest + 1, "%2d:%2d%n", &hours, &minutes, &used) != 2 || rest[1 + used])
			return 0;
		seconds -= (*rest == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
	}
	return seconds > 0 ? (uint64_t)seconds * NS_PER_S + fraction : 0;
}

/* The text of a label of the same description. */
static void share_text(const char **member, const char *text)
{
	if (!*member && text && *text)
		*member = text;
}

void describe_pod_by_labels(struct state_container_info *info, const struct state_labels *labels)
{
	const char *kind = describe_label(labels, kind_label);

	for (size_t i = 0; i < POD_LABELS_COUNT; i++)
		share_text((const char **)((char *)info + pod_labels[i].member),
			   describe_label(labels, pod_labels[i].name));
	info->is_sandbox |= kind && strcmp(kind, "podsandbox") == 0;
}
