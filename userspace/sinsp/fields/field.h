/* SPDX-License-Identifier: MIT */
/*
 * Fields of filters and outputs. Each is one row of a table (in this folder); the filter and the
 * formatters know no field by name.
 */
#ifndef SINSP_FIELDS_FIELD_H
#define SINSP_FIELDS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "sinsp/fields/clock.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/state/event.h"
#include "util/error.h"
#include "util/buf.h"

enum field_flags {
	FIELD_ARG_REQUIRED = 1 << 0,
	FIELD_ARG_ALLOWED = 1 << 1,
	FIELD_LIST = 1 << 2, /* has several values */
	FIELD_FILTER_ONLY = 1 << 3, /* cannot be printed */
	FIELD_NO_RHS = 1 << 4, /* cannot be a side of val() */
	FIELD_NO_TRANSFORMER = 1 << 5,
	FIELD_DEPRECATED = 1 << 6,
	/*
	 * Without argument a check is true if any ancestor satisfies it: the filter sets has_arg
	 * and asks for index 1, 2, ... until there is no value.
	 */
	FIELD_ANCESTORS = 1 << 7,
	/*
	 * The values are both ends of a socket (one for a listening socket); either can satisfy a
	 * check (fd.ip, fd.port).
	 */
	FIELD_EITHER_END = 1 << 8,
	/* The value is a distance in ns; its only operator is `= MS`: no more than MS milliseconds.
	 */
	FIELD_WITHIN_MS = 1 << 9,
	FIELD_OF_TYPE = 1 << 10, /* depends only on the event's type (and system call) */
	FIELD_NAMES_TYPES = 1 << 11, /* values are types; an older call's selects newer ones */
	FIELD_STYLED_TIME = 1 << 12, /* the style of the output chooses the time */
	FIELD_OF_CONTAINER = 1 << 13, /* depends only on container_event_revision() */
	FIELD_OF_PAST = 1 << 14, /* depends on which events came before: a count, or a distance */
	FIELD_OF_THREAD = 1 << 15, /* depends only on what struct thread_key has */
	/*
	 * Has one value for all events of a thread, until it starts a program, names itself, gets
	 * other ids or namespaces, or the names of users change; new threads have it, too.
	 */
	FIELD_OF_PROCESS = 1 << 16,
	FIELD_OF_CLOCK = 1 << 17, /* the text of a time: nobody chooses it */
	FIELD_OF_STREAM = 1 << 18, /* has one value for all requests of a socket and protocol */
	FIELD_SELDOM = 1 << 19, /* has no value but of marked events and operations of io_uring */
};

/* What the kernel knows of a field: filters may be decided there, see filter/project.h. */
enum field_fact {
	FIELD_FACT_NONE,
	FIELD_FACT_RESULT,
	FIELD_FACT_BYTES, /* the result, or no value */
	FIELD_FACT_FAILED, /* whether the result is an error */
	FIELD_FACT_ERROR, /* name of the error, or SUCCESS */
	FIELD_FACT_PID,
	FIELD_FACT_TID,
	FIELD_FACT_PPID,
	FIELD_FACT_UID,
	FIELD_FACT_GID,
	FIELD_FACT_NAME, /* of the thread */
	FIELD_FACT_OPEN_READ, /* whether a file is opened for reading */
	FIELD_FACT_OPEN_WRITE, /* likewise for writing */
	FIELD_FACT_OPEN_CREATE, /* true only of opens that may make a file */
	FIELD_FACT_PATH, /* of the file that is opened, if it was */
	FIELD_FACT_FD, /* number of the descriptor that is used, or opened: the result */
	FIELD_FACT_KIND, /* of the descriptor that is used */
	FIELD_FACT_WAIT, /* how long the thread waited for a CPU that it gets */
	FIELD_FACT_SOCKET, /* has a value only if the descriptor that is used is a socket */
	FIELD_FACTS,
};

/* How the text in brackets or after the name is parsed: into field_ref.index, .name, or both. */
enum field_arg {
	FIELD_ARG_NONE,
	FIELD_ARG_INDEX, /* [N] */
	FIELD_ARG_KEY, /* [NAME] */
	FIELD_ARG_LABEL, /* [NAME] or .NAME */
	FIELD_ARG_KEY_OR_INDEX, /* [N], index set and name empty; or [NAME], index -1 */
	FIELD_ARG_NUMBER, /* [N] of 64 bits: number */
	FIELD_ARG_PARAM, /* .NAME of a parameter, name empty for [N]: param_of_event */
	FIELD_ARG_PARAM_NAME, /* .NAME of a parameter only */
	FIELD_ARG_EVENT, /* .NAME of an event: index is its id */
	FIELD_ARG_WORD, /* .NAME of letters and '_' */
};

/* State that a field needs and that requires additional hooks in the kernel. */
enum field_needs {
	NEEDS_NOTHING = 0,
	NEEDS_THREADS = 1 << 0, /* clone, exec, exit */
	NEEDS_FDS = 1 << 1, /* all that opens, copies or closes descriptors */
	NEEDS_CWD = 1 << 2, /* chdir, fchdir */
	/* Only of what the event itself names, so that other events need no hooks: */
	NEEDS_EVENT_FDS = 1 << 3, /* its descriptors, and the names they were opened by */
	NEEDS_EVENT_PATHS = 1 << 4, /* the directories that its paths start from */
	NEEDS_SWITCHES = 1 << 5, /* how long threads run; a filter that needs it names `switch` */
	NEEDS_ENTER_TIME = 1 << 6, /* the time of its system call's entry */
	NEEDS_CONTAINERS = 1 << 7, /* NEEDS_THREADS, and their moves to other control groups */
	NEEDS_DESCRIPTIONS = 1 << 8, /* of containers, from their runtimes */
	NEEDS_PODS = 1 << 9, /* the same, and the pods of Kubernetes */
	NEEDS_ARGUMENTS = 1 << 10, /* arguments as they were before the kernel overwrote them */
	NEEDS_CHANGED = 1 << 11, /* and those that were changed while the call went on */
	/* Of what the event names, too; an event that carries them itself needs no others: */
	NEEDS_EVENT_FD = 1 << 12, /* its own descriptor, the one that it creates or uses */
	NEEDS_EVENT_REAL_PATHS = 1 << 13, /* its paths, only if its call succeeded */
	NEEDS_ENVIRONMENT = 1 << 14, /* that of the process, which its exec reports */
	NEEDS_EVENT_ENVIRONMENT = 1 << 15, /* that of an exec event itself */
	NEEDS_PEERS = 1 << 16, /* both ends of connections: the calls of all processes */
	NEEDS_SERVICES = 1 << 17, /* those of Kubernetes, and what is behind them */
	NEEDS_SYMBOLS = 1 << 18, /* of samples: of the kernel and of files that processes execute */
	NEEDS_TRANSLATIONS = 1 << 19, /* of the addresses that clients connect to */
	NEEDS_URING = 1 << 20, /* a kernel that shows operations of io_uring */
	NEEDS_CREATED = 1 << 21, /* when files were made: opens that make one, and renames */
	/* What concerns no state: */
	NEEDS_VALUES = NEEDS_ARGUMENTS | NEEDS_CHANGED | NEEDS_EVENT_ENVIRONMENT | NEEDS_SYMBOLS,
};

/* The unit of a field's numbers, so that constants can be given in other units. */
enum field_unit {
	FIELD_UNIT_NONE, /* in a row: implied by its type */
	FIELD_UNIT_NS,
	FIELD_UNIT_MS,
	FIELD_UNIT_S,
	FIELD_UNIT_BYTES,
	FIELD_UNIT_KIB,
};

/* The category of a value: lines for terminals have a colour for each. */
enum field_colour {
	FIELD_COLOUR_NONE,
	FIELD_COLOUR_ID, /* numbers and times that are only identifiers */
	FIELD_COLOUR_PROCESS,
	FIELD_COLOUR_USER,
	FIELD_COLOUR_CONTAINER,
	FIELD_COLOUR_TYPE, /* of the event; another colour if the call failed */
	FIELD_COLOUR_RESULT, /* only if the call failed */
	FIELD_COLOUR_STATUS, /* of a request: by its class, or whether it failed */
	FIELD_COLOUR_ERROR, /* the same, if there is one */
	FIELD_COLOUR_RESULT_FIRST, /* the same, only the first of several words */
};

/* The texts that a field can have as its value, if they are a closed set: none needs escapes. */
struct field_words {
	/* Passes each word to `see`, which copies what it needs. */
	void (*each)(void (*see)(void *context, const char *word), void *context);
	bool numbers; /* a decimal number is a value too */
	/*
	 * Filters of the .scap world compare the field with any text: only a text similar to a word
	 * is an error, other unknown texts are a warning.
	 */
	bool lenient;
};

/*
 * A value returned by a getter. Bytes are borrowed from the event, the state or the scratch memory:
 * valid until the next event is processed or the consumer resets `used` of the scratch memory.
 */
struct field_value {
	union {
		int64_t i64; /* signed types */
		uint64_t u64; /* unsigned types; BOOL 0 or 1 */
		double f64;
		struct {
			const char *data; /* of strings: a NUL follows, not in `len` */
			size_t len;
		} bytes;
		struct {
			uint8_t address[16];
			uint8_t len; /* 4 or 16 */
		} ip;
	};
};

struct field_desc;

/* A field in an expression, with its argument resolved. */
struct field_ref {
	const struct field_desc *desc;
	enum param_type type; /* that of the field, or of the parameter (evt.rawarg) */
	bool has_arg;
	int32_t index; /* see enum field_arg */
	uint64_t number;
	char name[64];
	/* Parameter index by event id, -1 if the event has none; owned; NULL for most fields. */
	int8_t *param_of_event;
};

/* Maximum number of values of a list, and of both ends of a socket. Other fields have one. */
enum { FIELD_VALUES_MAX = 64, FIELD_ENDS_MAX = 2, FIELD_SCRATCH_BYTES = 1 << 18 };

struct param_values;

/*
 * What a consumer of fields keeps between calls; one per consumer, not per event, initially zeroed.
 * Getters allocate from `bytes` at `used`, and the consumer resets `used` when it has finished with
 * the values.
 */
struct field_scratch {
	struct text_style style;
	struct clock local, utc;
	struct param_values *params; /* borrowed; only for JSON: how it writes parameters */
	bool base64; /* JSON: also writes texts that are not UTF-8 in base64 */
	bool replaced; /* set by writers of JSON: the text is not UTF-8, bytes were replaced */
	uint64_t evaluations; /* of util.cnt */
	uint64_t last_num; /* evt.num of the last event that evt.deltatime was read of, */
	uint64_t last_ns, delta_ns; /* its time, and the time since the one before */
	unsigned int cut; /* getters set bits: of what they read a part is missing, see cut.h */
	size_t used; /* of bytes: memory for values that must be composed */
	char bytes[FIELD_SCRATCH_BYTES];
};

/*
 * Writes the values of a field (one, or up to FIELD_VALUES_MAX for lists) to `values` and returns
 * how many, or -1 if the field has no value for this event.
 */
typedef int field_getter(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values);

/* Appends the value of a field; returns false, with nothing appended, if there is none. */
typedef bool field_writer(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct buf *out);

/* The JSON form of a field for which JSON does not use the values of the getter. */
struct field_json {
	const char *form; /* the name of a definition in proto/event.schema.json */
	field_writer *write; /* needs no state */
	field_writer *write_base64; /* after a value with `replaced`; NULL: never needed */
};

struct field_desc {
	const char *name;
	enum param_type type;
	enum param_format format;
	uint32_t flags; /* enum field_flags */
	uint8_t arg; /* enum field_arg */
	uint32_t needs; /* enum field_needs */
	field_getter *get;
	const char *help; /* one line */
	const char *param; /* its parameter, see ref->param_of_event; usually NULL */
	bool moment; /* ns since 1970: not exact as a JSON number */
	const char *example; /* what follows its name in a filter; NULL: implied by its type */
	uint8_t unit; /* enum field_unit */
	uint8_t colour; /* enum field_colour */
	uint8_t fact; /* enum field_fact */
	const struct field_words *words; /* NULL: its values are not a closed set */
	field_writer *text; /* in lines of text; NULL: the values of the getter, by type */
	const struct field_json *json; /* in JSON; NULL: the values of the getter, by type */
	/*
	 * Whether the value of the getter is one: outputs for programs have none otherwise, where
	 * filters and lines of text have what the .scap world has, such as -1. NULL: it always is,
	 * or, of a field with the name proc.*, if the process is known.
	 */
	bool (*is_known)(const struct state_event *event);
	/* Whether events of a type can have a value; others need no hooks. NULL: all can. */
	bool (*can_have)(const struct event_desc *event);
};

/* The tables of all classes, ended by NULL; each table ends with a row without name. */
extern const struct field_desc *const field_tables[];

/*
 * What it needs: enum field_needs bits. A parameter that tells what another one was on entry has
 * to be named: evt.arg[N] does not need it.
 */
unsigned int field_ref_needs(const struct field_ref *ref);

/*
 * Resolves "proc.aname[2]", "evt.arg.fd": `text` of `len` bytes must be a whole field with its
 * argument. Returns 0, -ENOENT for an unknown field, or -EINVAL for a missing or invalid argument,
 * with a message. Release with field_ref_finish().
 */
int field_ref_init(struct field_ref *ref, const char *text, size_t len, struct error *err);
void field_ref_finish(struct field_ref *ref);

/* Appends a filter that shows how the field is used: "proc.aname[1]=sshd". */
void field_append_example(const struct field_desc *desc, struct buf *out);

enum field_unit field_unit(const struct field_ref *ref);

/*
 * What says whether programs are given a value of the field for an event; NULL: they always are.
 * See is_known in struct field_desc.
 */
bool (*field_known(const struct field_desc *desc))(const struct state_event *event);

/* The known field name nearest to a text, for messages; NULL if none is near. */
const char *field_nearest(const char *text, size_t len);

/* Whether a text is one of the words. */
bool field_words_have(const struct field_words *words, const char *text);

/* Copies the word nearest to a text to `word`, for messages; returns false if none is near. */
bool field_words_nearest(const struct field_words *words, const char *text, char word[64]);

static inline int field_get(const struct field_ref *ref, const struct state_event *event,
			    struct field_scratch *scratch, struct field_value *values)
{
	return ref->desc->get(event, ref, scratch, values);
}

/*
 * The parameter that the argument of evt.arg and the like selects in this event, or -1. A parameter
 * that is an extension to the .scap format is selected only if it is present.
 */
static inline int field_param_index(const struct field_ref *ref, const struct state_event *event)
{
	const struct event_desc *desc = event->ev.desc;
	int index = ref->param_of_event ? ref->param_of_event[desc->id] : ref->index;

	if (index < 0 || index >= desc->nparams ||
	    (desc->params[index].extension &&
	     !event_param_present(&event->ev, (unsigned int)index)))
		return -1;
	return index;
}

#endif
