/* SPDX-License-Identifier: MIT */
/*
 * Ids are indexes plus one, texts numbers in a table at the end. A file has a range of addresses of
 * its own, in which an offset stands: no address of a process is needed to find a place again.
 */
#include "profile/formats/pprof.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "profile/formats/texts.h"
#include "util/proto.h"

/* Fields by message. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_TEXT,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
	MAPPING_ID = 1,
	MAPPING_BEGIN,
	MAPPING_END,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* A file is not larger: an offset beyond has lost its meaning. */
static const uint64_t file_range = UINT64_C(1) << 40;
static const uint64_t kernel_begin = UINT64_C(1) << 63;

struct pprof {
	const struct stacks *stacks;
	const struct profile_names *names;
	struct buf *out;
	struct texts texts;
	bool has_kind[STACK_KINDS];
	int error; /* 0 or -ENOMEM */
};

/* What has no room is the empty text. */
static uint64_t add_text(struct pprof *pprof, const char *text)
{
	uint32_t number;
	int r = texts_add(&pprof->texts, text, strlen(text), &number);

	if (r == -ENOMEM)
		pprof->error = r;
	return r ? 0 : number;
}

static void put_varint(struct buf *out, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	proto_tag(out, field, PROTO_VARINT);
	proto_varint(out, value);
}

static void put_table_text(struct pprof *pprof, uint32_t field, const char *text)
{
	put_varint(pprof->out, field, add_text(pprof, text));
}

static void put_type(struct pprof *pprof, uint32_t field, const char *name, const char *unit)
{
	size_t begin;

	proto_tag(pprof->out, field, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_table_text(pprof, TYPE_NAME, name);
	put_table_text(pprof, TYPE_UNIT, unit);
	proto_end(pprof->out, begin);
}

static const char *event_name(const struct pprof *pprof)
{
	return pprof->stacks->event ? pprof->stacks->event : "events";
}

static void put_types(struct pprof *pprof)
{
	if (pprof->has_kind[STACK_ON_CPU]) {
		put_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count");
		if (pprof->stacks->period_ns)
			put_type(pprof, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
		else
			put_type(pprof, PROFILE_SAMPLE_TYPE, event_name(pprof), "count");
	}
	if (pprof->has_kind[STACK_OFF_CPU]) {
		put_type(pprof, PROFILE_SAMPLE_TYPE, "switches", "count");
		put_type(pprof, PROFILE_SAMPLE_TYPE, "off_cpu", "nanoseconds");
	}
}

/* Samples. */

static void put_location(struct pprof *pprof, uint32_t process, const struct stack_frame *frame)
{
	const struct names_location *location =
		names_find(pprof->names, pprof->stacks, process, frame);

	/* The one behind all stands for what has none. */
	proto_varint(pprof->out, location ? (uint64_t)(location - pprof->names->locations) + 1
					  : pprof->names->locations_count + 1);
}

static void put_locations(struct pprof *pprof, const struct stack_row *row)
{
	const struct stack_part *parts[] = {&row->kernel, &row->user};
	size_t begin;

	proto_tag(pprof->out, SAMPLE_LOCATIONS, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	for (size_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < parts[i]->count; k++)
			put_location(pprof, row->process,
				     &pprof->stacks->frames[parts[i]->first + k]);
	proto_end(pprof->out, begin);
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) || product > INT64_MAX ? INT64_MAX : product;
}

static void put_values(struct pprof *pprof, const struct stack_row *row)
{
	const uint64_t period = pprof->stacks->period_ns;
	const bool is_on = row->kind == STACK_ON_CPU;
	size_t begin;

	proto_tag(pprof->out, SAMPLE_VALUES, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	if (pprof->has_kind[STACK_ON_CPU]) {
		proto_varint(pprof->out, !is_on ? 0 : period ? row->value : row->times);
		proto_varint(pprof->out, !is_on	  ? 0
					 : period ? times(row->value, period)
						  : row->value);
	}
	if (pprof->has_kind[STACK_OFF_CPU]) {
		proto_varint(pprof->out, is_on ? 0 : row->times);
		proto_varint(pprof->out, is_on ? 0 : row->value);
	}
	proto_end(pprof->out, begin);
}

static void put_label(struct pprof *pprof, const char *key, const char *text, uint64_t number)
{
	size_t begin;

	if (!text && !number)
		return;
	proto_tag(pprof->out, SAMPLE_LABEL, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_table_text(pprof, LABEL_KEY, key);
	if (text)
		put_table_text(pprof, LABEL_TEXT, text);
	put_varint(pprof->out, LABEL_NUMBER, number);
	proto_end(pprof->out, begin);
}

static void put_labels(struct pprof *pprof, const struct stack_row *row)
{
	const struct stack_process *process = &pprof->stacks->processes[row->process];
	uint8_t lack = row->user.lack ? row->user.lack : row->kernel.lack;

	put_label(pprof, "process", process->comm, 0);
	put_label(pprof, "pid", NULL, (uint64_t)process->pid);
	put_label(pprof, "thread", row->comm, 0);
	put_label(pprof, "tid", NULL, (uint64_t)row->tid);
	put_label(pprof, "container",
		  process->container_name ? process->container_name : process->container_id, 0);
	put_label(pprof, "container_id", process->container_id, 0);
	put_label(pprof, "image", process->container_image, 0);
	put_label(pprof, "pod", process->pod_name, 0);
	put_label(pprof, "namespace", process->pod_namespace, 0);
	if (row->reason != STACK_NO_REASON)
		put_label(pprof, "reason", stack_reason_name((enum stack_reason)row->reason), 0);
	if (lack != STACK_WHOLE)
		put_label(pprof, "incomplete", stack_lack_text((enum stack_lack)lack), 0);
}

static void put_samples(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->stacks->rows_count && !pprof->error; i++) {
		size_t begin;

		proto_tag(pprof->out, PROFILE_SAMPLE, PROTO_BYTES);
		begin = proto_begin(pprof->out);
		put_locations(pprof, &pprof->stacks->rows[i]);
		put_values(pprof, &pprof->stacks->rows[i]);
		put_labels(pprof, &pprof->stacks->rows[i]);
		proto_end(pprof->out, begin);
	}
}

/* Places. */

static bool has_range(const struct stack_file *file)
{
	return file->kind == STACK_FILE || file->kind == STACK_VDSO;
}

static uint64_t range_begin(size_t file)
{
	return (file + 1) * file_range;
}

static void put_build_id(struct pprof *pprof, const struct stack_file *file)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * STACK_BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < file->build_id_bytes && i < STACK_BUILD_ID_MAX; i++) {
		text[2 * i] = digits[file->build_id[i] >> 4];
		text[2 * i + 1] = digits[file->build_id[i] & 15];
		text[2 * i + 2] = '\0';
	}
	if (text[0])
		put_table_text(pprof, MAPPING_BUILD_ID, text);
}

static void put_mapping(struct pprof *pprof, size_t i)
{
	const struct stack_file *file = &pprof->stacks->files[i];
	const bool is_kernel = file->kind == STACK_KERNEL;
	size_t begin;

	if (!is_kernel && !has_range(file))
		return;
	proto_tag(pprof->out, PROFILE_MAPPING, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_varint(pprof->out, MAPPING_ID, i + 1);
	put_varint(pprof->out, MAPPING_BEGIN, is_kernel ? kernel_begin : range_begin(i));
	put_varint(pprof->out, MAPPING_END, is_kernel ? UINT64_MAX : range_begin(i + 1));
	put_table_text(pprof, MAPPING_FILE, is_kernel ? "[kernel.kallsyms]" : file->path);
	put_build_id(pprof, file);
	put_varint(pprof->out, MAPPING_HAS_FUNCTIONS, 1);
	proto_end(pprof->out, begin);
}

static void put_line(struct pprof *pprof, uint64_t function)
{
	size_t begin;

	proto_tag(pprof->out, LOCATION_LINE, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_varint(pprof->out, LINE_FUNCTION, function + 1);
	proto_end(pprof->out, begin);
}

/* A function comes behind those that are inlined in it. */
static void put_place(struct pprof *pprof, uint64_t id, const struct names_location *location)
{
	const struct stack_file *file = &pprof->stacks->files[location->file];
	const bool is_kernel = file->kind == STACK_KERNEL;
	size_t begin;

	proto_tag(pprof->out, PROFILE_LOCATION, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_varint(pprof->out, LOCATION_ID, id);
	if (is_kernel || has_range(file))
		put_varint(pprof->out, LOCATION_MAPPING, location->file + 1);
	put_varint(pprof->out, LOCATION_ADDRESS,
		   has_range(file) ? range_begin(location->file) + location->at % file_range
				   : location->at);
	for (uint32_t i = 0; i < location->inlined_count; i++)
		put_line(pprof, pprof->names->inlined[location->inlined + i]);
	put_line(pprof, location->function);
	proto_end(pprof->out, begin);
}

/* The function of a location without a name is the first one, "[unknown]". */
static void put_nowhere(struct pprof *pprof)
{
	size_t begin;

	proto_tag(pprof->out, PROFILE_LOCATION, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_varint(pprof->out, LOCATION_ID, pprof->names->locations_count + 1);
	if (pprof->names->functions_count)
		put_line(pprof, 0);
	proto_end(pprof->out, begin);
}

static void put_function(struct pprof *pprof, size_t i)
{
	const struct names_function *function = &pprof->names->functions[i];
	size_t begin;

	proto_tag(pprof->out, PROFILE_FUNCTION, PROTO_BYTES);
	begin = proto_begin(pprof->out);
	put_varint(pprof->out, FUNCTION_ID, i + 1);
	put_table_text(pprof, FUNCTION_NAME, names_text(pprof->names, function->name));
	put_table_text(pprof, FUNCTION_SYSTEM_NAME, names_text(pprof->names, function->raw));
	proto_end(pprof->out, begin);
}

static void put_places(struct pprof *pprof)
{
	const struct profile_names *names = pprof->names;

	/* The first one is taken for the program: the kernel, files[0], comes last. */
	for (size_t i = 1; i <= pprof->stacks->files_count; i++)
		put_mapping(pprof, i % pprof->stacks->files_count);
	for (size_t i = 0; i < names->locations_count; i++)
		put_place(pprof, i + 1, &names->locations[i]);
	put_nowhere(pprof);
	for (size_t i = 0; i < names->functions_count && !pprof->error; i++)
		put_function(pprof, i);
}

/* What was lost is said, as whoever reads the file sees no messages. */
static void put_comments(struct pprof *pprof)
{
	struct buf text = {0};

	for (int loss = 0; loss < STACKS_LOSSES; loss++) {
		if (!pprof->stacks->lost[loss])
			continue;
		buf_clear(&text);
		buf_printf(&text, "lost: %llu, as %s",
			   (unsigned long long)pprof->stacks->lost[loss],
			   stacks_loss_text((enum stacks_loss)loss));
		buf_append_char(&text, '\0');
		if (!text.failed)
			put_table_text(pprof, PROFILE_COMMENT, text.data);
	}
	buf_finish(&text);
}

static void put_times(struct pprof *pprof)
{
	const struct stacks *stacks = pprof->stacks;

	put_varint(pprof->out, PROFILE_TIME, stacks->begin_ns);
	put_varint(pprof->out, PROFILE_DURATION, stacks->duration_ns);
	if (stacks->period_ns) {
		put_type(pprof, PROFILE_PERIOD_TYPE, "cpu", "nanoseconds");
		put_varint(pprof->out, PROFILE_PERIOD, stacks->period_ns);
	}
	put_table_text(pprof, PROFILE_DEFAULT_TYPE,
		       !pprof->has_kind[STACK_ON_CPU] ? "off_cpu"
		       : stacks->period_ns	      ? "cpu"
						      : event_name(pprof));
}

int pprof_write_plain(const struct stacks *stacks, const struct profile_names *names,
		      struct buf *out)
{
	struct pprof pprof = {.stacks = stacks, .names = names, .out = out};

	if (texts_init(&pprof.texts) != 0)
		return -ENOMEM;
	add_text(&pprof, "");
	for (size_t i = 0; i < stacks->rows_count; i++)
		pprof.has_kind[stacks->rows[i].kind] = true;
	/* One without samples has a type all the same. */
	pprof.has_kind[STACK_ON_CPU] |= !pprof.has_kind[STACK_OFF_CPU];
	put_types(&pprof);
	put_samples(&pprof);
	put_places(&pprof);
	put_times(&pprof);
	put_comments(&pprof);
	for (size_t i = 0; i < pprof.texts.count; i++) {
		const char *text = texts_at(&pprof.texts, (uint32_t)i);

		proto_tag(out, PROFILE_TEXT, PROTO_BYTES);
		proto_text(out, text, strlen(text));
	}
	texts_finish(&pprof.texts);
	return pprof.error || out->failed ? -ENOMEM : 0;
}

static int compress_all(const struct buf *plain, struct buf *out)
{
	enum { GZIP = 16, CHUNK_BYTES = 1 << 16, INPUT_BYTES = 1 << 30 };
	z_stream stream = {.next_in = (Bytef *)plain->data};
	size_t left = plain->len;
	int r;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		if (!buf_reserve(out, CHUNK_BYTES))
			break;
		/* Its sizes have 32 bits. */
		if (!stream.avail_in) {
			stream.avail_in = (uInt)(left < INPUT_BYTES ? left : INPUT_BYTES);
			left -= stream.avail_in;
		}
		stream.next_out = (Bytef *)out->data + out->len;
		stream.avail_out = CHUNK_BYTES;
		r = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
		out->len += CHUNK_BYTES - stream.avail_out;
	} while (r == Z_OK);
	deflateEnd(&stream);
	return out->failed ? -ENOMEM : 0;
}

int pprof_write(const struct stacks *stacks, const struct profile_names *names, struct buf *out)
{
	struct buf plain = {0};
	int r = pprof_write_plain(stacks, names, &plain);

	if (r == 0)
		r = compress_all(&plain, out);
	buf_finish(&plain);
	return r;
}
