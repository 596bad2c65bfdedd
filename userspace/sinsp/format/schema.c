/* SPDX-License-Identifier: MIT */
/*
 * Schemas: the table of fields, names and numbers, what tells this machine from others, and what
 * the Elastic Common Schema calls an event.
 */
#include "sinsp/format/schema.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "event/event.h"
#include "util/count.h"
#include "util/version.h"

/*
 * What fields are called in OpenTelemetry (semantic conventions 1.44) and in the Elastic Common
 * Schema (9.0), and what else has a key in records.
 */

/* clang-format off */
#define BOTH(key, form) {{key, form}, {key, form}}
#define BY_RULE {NULL, SCHEMA_SAME}
/* clang-format on */

/* clang-format off */
const struct schema_row schema_rows[] = {
	/* field, OpenTelemetry, Elastic Common Schema; Falco, where values are not by their type */
	{"evt.num", {BY_RULE, {"event.sequence", SCHEMA_SAME}}},
	{"evt.time", {{"timestamp", SCHEMA_TIME}, {"@timestamp", SCHEMA_TIME}, {NULL, SCHEMA_NS}}},
	{"evt.type", {{"event_name", SCHEMA_EVENT_NAME}, {"event.action", SCHEMA_SAME}}},
	{"evt.cpu", {{"cpu.logical_number", SCHEMA_SAME}, BY_RULE}},
	{"evt.args", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}, {NULL, SCHEMA_TEXT}}},
	{"evt.info", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}, {NULL, SCHEMA_TEXT}}},
	{"evt.arg[]", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}, {NULL, SCHEMA_TEXT}}},
	{"evt.rawarg[]", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}, {NULL, SCHEMA_TEXT}}},
	{"evt.outputtime", {{NULL, SCHEMA_TEXT}, {NULL, SCHEMA_TEXT}, {NULL, SCHEMA_TEXT}}},
	{"evt.res", {{"error.type", SCHEMA_ERROR}, {"error.code", SCHEMA_ERROR}}},
	{"evt.latency", {BY_RULE, {"event.duration", SCHEMA_SAME}}},
	{"evt.hostname", BOTH("host.name", SCHEMA_SAME)},

	{"proc.pid", BOTH("process.pid", SCHEMA_SAME)},
	{"proc.vpid", BOTH("process.vpid", SCHEMA_SAME)},
	{"proc.ppid", {{"process.parent_pid", SCHEMA_SAME}, {"process.parent.pid", SCHEMA_SAME}}},
	{"proc.pvpid", {BY_RULE, {"process.parent.vpid", SCHEMA_SAME}}},
	{"proc.pgid", BOTH("process.group_leader.pid", SCHEMA_SAME)},
	{"proc.sid", BOTH("process.session_leader.pid", SCHEMA_SAME)},
	{"proc.name", {{"thread.name", SCHEMA_SAME}, {"process.name", SCHEMA_SAME}}},
	{"proc.exepath", {{"process.executable.path", SCHEMA_SAME}, {"process.executable", SCHEMA_SAME}}},
	{"proc.args", {{"process.command_args", SCHEMA_ARGV}, {"process.args", SCHEMA_ARGV}}},
	/* OpenTelemetry wants no command line that was put together from the arguments. */
	{"proc.cmdline", {{"process.command_args", SCHEMA_ARGV}, {"process.command_line", SCHEMA_SAME}}},
	{"proc.cwd", BOTH("process.working_directory", SCHEMA_SAME)},
	{"proc.env[]", {{"process.environment_variable.*", SCHEMA_SAME}, BY_RULE}},
	{"proc.pid.ts", {{"process.creation.time", SCHEMA_SAME}, {"process.start", SCHEMA_SAME}}},
	{"proc.exec_id", {BY_RULE, {"process.entity_id", SCHEMA_SAME}}},
	{"proc.pname", {BY_RULE, {"process.parent.name", SCHEMA_SAME}}},
	{"proc.pexepath", {BY_RULE, {"process.parent.executable", SCHEMA_SAME}}},
	{"proc.pcmdline", {BY_RULE, {"process.parent.command_line", SCHEMA_SAME}}},
	{"proc.ppid.ts", {BY_RULE, {"process.parent.start", SCHEMA_SAME}}},
	{"proc.sname", {BY_RULE, {"process.session_leader.name", SCHEMA_SAME}}},
	{"proc.sid.exepath", {BY_RULE, {"process.session_leader.executable", SCHEMA_SAME}}},
	{"proc.pgid.name", {BY_RULE, {"process.group_leader.name", SCHEMA_SAME}}},
	{"proc.pgid.exepath", {BY_RULE, {"process.group_leader.executable", SCHEMA_SAME}}},
	{"thread.tid", {{"thread.id", SCHEMA_SAME}, {"process.thread.id", SCHEMA_SAME}}},
	{"thread.cap_effective", {BY_RULE, {"process.thread.capabilities.effective", SCHEMA_SPLIT}}},
	{"thread.cap_permitted", {BY_RULE, {"process.thread.capabilities.permitted", SCHEMA_SPLIT}}},

	{"user.uid", {{"process.user.id", SCHEMA_SAME}, {"user.id", SCHEMA_STRING}}},
	{"user.name", {{"process.user.name", SCHEMA_KNOWN}, {"user.name", SCHEMA_KNOWN}}},
	{"user.homedir", BOTH(NULL, SCHEMA_KNOWN)},
	{"user.shell", BOTH(NULL, SCHEMA_KNOWN)},
	{"user.loginname", BOTH(NULL, SCHEMA_KNOWN)},
	{"group.gid", {BY_RULE, {"group.id", SCHEMA_STRING}}},
	{"group.name", {{NULL, SCHEMA_KNOWN}, {"group.name", SCHEMA_KNOWN}}},

	{"fd.name", BOTH("file.path", SCHEMA_FILE)},
	{"fd.filename", BOTH("file.name", SCHEMA_SAME)},
	{"fd.directory", BOTH("file.directory", SCHEMA_SAME)},
	{"fd.ino", BOTH("file.inode", SCHEMA_STRING)},
	{"fd.cip", {{"client.address", SCHEMA_SAME}, {"source.ip", SCHEMA_SAME}}},
	{"fd.cport", {{"client.port", SCHEMA_SAME}, {"source.port", SCHEMA_SAME}}},
	{"fd.sip", {{"server.address", SCHEMA_SAME}, {"destination.ip", SCHEMA_SAME}}},
	{"fd.sport", {{"server.port", SCHEMA_SAME}, {"destination.port", SCHEMA_SAME}}},
	{"fd.lip", {{"network.local.address", SCHEMA_SAME}, BY_RULE}},
	{"fd.lport", {{"network.local.port", SCHEMA_SAME}, BY_RULE}},
	{"fd.rip", {{"network.peer.address", SCHEMA_SAME}, BY_RULE}},
	{"fd.rport", {{"network.peer.port", SCHEMA_SAME}, BY_RULE}},
	{"fd.l4proto", BOTH("network.transport", SCHEMA_KNOWN)},
	{"fs.path.name", BOTH("file.path", SCHEMA_SAME)},
	{"fs.path.target", {BY_RULE, {"file.target_path", SCHEMA_SAME}}},

	{"container.id", BOTH("container.id", SCHEMA_CONTAINER)},
	{"container.full_id", BOTH("container.id", SCHEMA_CONTAINER)},
	{"container.name", BOTH("container.name", SCHEMA_CONTAINER)},
	{"container.type", {{"container.runtime.name", SCHEMA_CONTAINER}, {"container.runtime", SCHEMA_CONTAINER}}},
	{"container.image", BOTH("container.image.name", SCHEMA_IMAGE)},
	{"container.image.repository", BOTH("container.image.name", SCHEMA_SAME)},
	{"container.image.tag", {{"container.image.tags", SCHEMA_LIST}, {"container.image.tag", SCHEMA_LIST}}},
	{"container.image.id", {{"container.image.id", SCHEMA_SAME}, BY_RULE}},
	{"container.image.digest", {BY_RULE, {"container.image.hash.all", SCHEMA_LIST}}},
	{"container.privileged", {BY_RULE, {"container.security_context.privileged", SCHEMA_SAME}}},
	{"container.label[]", {{"container.label.*", SCHEMA_SAME}, {"container.labels.*", SCHEMA_SAME}}},

	{"k8s.pod.name", {{"k8s.pod.name", SCHEMA_SAME}, {"orchestrator.resource.name", SCHEMA_SAME}}},
	{"k8s.pod.uid", {{"k8s.pod.uid", SCHEMA_SAME}, {"orchestrator.resource.id", SCHEMA_SAME}}},
	{"k8s.pod.ip", {{"k8s.pod.ip", SCHEMA_SAME}, {"orchestrator.resource.ip", SCHEMA_LIST}}},
	{"k8s.pod.label[]", {{"k8s.pod.label.*", SCHEMA_SAME}, BY_RULE}},
	{"k8s.pod.annotation[]", {{"k8s.pod.annotation.*", SCHEMA_SAME}, BY_RULE}},
	{"k8s.ns.name", {{"k8s.namespace.name", SCHEMA_SAME}, {"orchestrator.namespace", SCHEMA_SAME}}},
	{"k8s.node.name", {{"k8s.node.name", SCHEMA_SAME}, BY_RULE}},
	{"k8s.cluster.name", {{"k8s.cluster.name", SCHEMA_SAME}, {"orchestrator.cluster.name", SCHEMA_SAME}}},
	{"k8s.rs.name", {{"k8s.replicaset.name", SCHEMA_SAME}, BY_RULE}},
	{"k8s.rc.name", {{"k8s.replicationcontroller.name", SCHEMA_SAME}, BY_RULE}},
	{"k8s.workload.kind", {BY_RULE, {"orchestrator.resource.parent.type", SCHEMA_SAME}}},

	{"syslog.facility", {BY_RULE, {"log.syslog.facility.code", SCHEMA_SAME}}},
	{"syslog.facility.str", {BY_RULE, {"log.syslog.facility.name", SCHEMA_SAME}}},
	{"syslog.severity", {BY_RULE, {"log.syslog.severity.code", SCHEMA_SAME}}},
	{"syslog.severity.str", {BY_RULE, {"log.syslog.severity.name", SCHEMA_SAME}}},

	/* Keys that are not fields. */
	{"rule", {{"security_rule.name", SCHEMA_SAME}, {"rule.name", SCHEMA_SAME}}},
	{"priority", {{"severity_text", SCHEMA_SAME}, {"log.level", SCHEMA_SAME}}},
	{"tags", {BY_RULE, {"tags", SCHEMA_SAME}}},
	{"output", {{"body", SCHEMA_SAME}, {"message", SCHEMA_SAME}}},
	{"evt.id", {{"log.record.uid", SCHEMA_SAME}, {"event.id", SCHEMA_SAME}}},
	{0},
};
/* clang-format on */

/* Schemas: names and numbers of fields, and what tells this machine from others. */

#define NUMBER(number, field) {number, field},

static const struct {
	uint32_t number;
	const char *field;
} numbers[] = {
#include "sinsp/format/numbers.def"
};

uint32_t schema_number(const char *field)
{
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (strcmp(numbers[i].field, field) == 0)
			return numbers[i].number;
	return 0;
}

/* x: a hexadecimal digit. */
static const char machine_id_form[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
static const char boot_id_form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

static bool schema_has_form(const char *text, const char *form)
{
	for (; *form; form++, text++)
		if (*form == 'x' ? !isxdigit((unsigned char)*text) : *text != *form)
			return false;
	return *text == '\0' || *text == '\n';
}

/* An image of a container may have an empty file, or the word "uninitialized". */
static void schema_read_id(const char *path, const char *form, char text[IDENTITY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, text, IDENTITY_BYTES - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[schema_has_form(text, form) ? strlen(form) : 0] = '\0';
}

static const char *architecture_of(const char *machine)
{
	static const struct {
		const char *machine, *architecture;
	} rows[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].machine, machine) == 0)
			return rows[i].architecture;
	return machine;
}

static void schema_set(struct schema_identity *identity, enum schema_identity_part part,
		       const char *text)
{
	snprintf(identity->parts[part], IDENTITY_BYTES, "%s", text);
}

void schema_identity_read(struct schema_identity *identity, const char *root)
{
	struct utsname names;
	char path[PATH_MAX];

	memset(identity, 0, sizeof(*identity));
	if (uname(&names) == 0) {
		schema_set(identity, IDENTITY_MACHINE, names.machine);
		schema_set(identity, IDENTITY_ARCHITECTURE, architecture_of(names.machine));
		schema_set(identity, IDENTITY_KERNEL, names.release);
	}
	snprintf(path, sizeof(path), "%s/etc/machine-id", root ? root : "");
	schema_read_id(path, machine_id_form, identity->parts[IDENTITY_MACHINE_ID]);
	schema_read_id("/proc/sys/kernel/random/boot_id", boot_id_form,
		       identity->parts[IDENTITY_BOOT_ID]);
}

/* The schemas, and the keys of fields in them. */

static const struct schema_head no_heads[] = {{0}};

static const struct schema_head otel_heads[] = {
	{"timestamp", "evt.time", NULL, SCHEMA_TIME},
	{"event_name", "evt.type", NULL, SCHEMA_EVENT_NAME},
	{"host.name", "evt.hostname", NULL, SCHEMA_SAME},
	{"service.name", .constant = "lanner"},
	{"service.version", .constant = LANNER_VERSION},
	{"os.type", .constant = "linux"},
	{"host.arch", .machine = IDENTITY_ARCHITECTURE},
	{"os.version", .machine = IDENTITY_KERNEL},
	{"host.id", .machine = IDENTITY_MACHINE_ID},
	{0},
};

static const struct schema_head ecs_heads[] = {
	{"@timestamp", "evt.time", NULL, SCHEMA_TIME},
	{"event.kind", "evt.type", "event", SCHEMA_EVENT_KIND},
	{"event.category", "evt.type", NULL, SCHEMA_CATEGORY},
	{"event.type", "evt.type", NULL, SCHEMA_KIND},
	{"event.action", "evt.type", NULL, SCHEMA_SAME},
	{"event.outcome", "evt.res", NULL, SCHEMA_OUTCOME},
	{"host.name", "evt.hostname", NULL, SCHEMA_SAME},
	{"host.hostname", "evt.hostname", NULL, SCHEMA_SAME},
	{"ecs.version", .constant = "9.0.0"},
	{"event.module", .constant = "lanner"},
	{"event.dataset", .constant = "lanner.events"},
	{"agent.type", .constant = "lanner"},
	{"agent.version", .constant = LANNER_VERSION},
	{"host.os.type", .constant = "linux"},
	{"host.os.kernel", .machine = IDENTITY_KERNEL},
	{"host.architecture", .machine = IDENTITY_MACHINE},
	{"host.id", .machine = IDENTITY_MACHINE_ID},
	{"host.boot.id", .machine = IDENTITY_BOOT_ID},
	{0},
};

/* Its other keys are those of rules: see json_append_match(). */
static const struct schema_head falco_heads[] = {
	{"hostname", "evt.hostname", NULL, SCHEMA_SAME},
	{"time", "evt.time", NULL, SCHEMA_TIME},
	{"source", .constant = "syscall"},
	{0},
};

static const struct schema_companion ecs_companions[] = {
	{"k8s.pod.name", "orchestrator.type", "kubernetes"},
	{"k8s.pod.name", "orchestrator.resource.type", "pod"},
	{0},
};

const struct schema schema_native = {
	.name = "native",
	.title = "the fields of Lanner",
	.heads = no_heads,
};

const struct schema schema_otel = {
	.name = "otel",
	.title = "OpenTelemetry's semantic conventions",
	.renames = true,
	.heads = otel_heads,
	.column = SCHEMA_OTEL,
};

const struct schema schema_ecs = {
	.name = "ecs",
	.title = "the Elastic Common Schema",
	.renames = true,
	.plain_arguments = true,
	.heads = ecs_heads,
	.companions = ecs_companions,
	.column = SCHEMA_ECS,
};

static const struct schema falco_fields = {
	.name = "falco",
	.renames = true,
	.keeps_names = true,
	.heads = no_heads,
	.column = SCHEMA_FALCO,
};

const struct schema schema_falco = {
	.name = "falco",
	.title = "alerts as Falco has them",
	.renames = true,
	.keeps_names = true,
	.heads = falco_heads,
	.column = SCHEMA_FALCO,
	.fields = &falco_fields,
};

#define ADDRESS(name) &schema_##name,

static const struct schema *const schemas[] = {OUTPUT_SCHEMAS(ADDRESS) NULL};

const struct schema *schema_get(unsigned int i)
{
	return i < COUNT(schemas) ? schemas[i] : NULL;
}

const struct schema *schema_find(const char *name)
{
	for (const struct schema *const *schema = schemas; *schema; schema++)
		if (strcmp((*schema)->name, name) == 0)
			return *schema;
	return NULL;
}

static const char *const meanings[SCHEMA_FORMS_COUNT] = {
	[SCHEMA_SAME] = "",
	[SCHEMA_STRING] = "string",
	[SCHEMA_TEXT] = "string, as in lines of text",
	[SCHEMA_TIME] = "RFC 3339",
	[SCHEMA_NS] = "ns since 1970",
	[SCHEMA_MOMENT] = "ns since 1970",
	[SCHEMA_LIST] = "list of one",
	[SCHEMA_SPLIT] = "list of words",
	[SCHEMA_ARGV] = "list with the first word of the command line",
	[SCHEMA_PARAMS] = "",
	[SCHEMA_KNOWN] = "left out if <NA>",
	[SCHEMA_ERROR] = "left out if SUCCESS",
	[SCHEMA_CONTAINER] = "left out if host",
	[SCHEMA_IMAGE] = "without tag and digest",
	[SCHEMA_FILE] = "of files; else lanner.fd_name",
	[SCHEMA_EVENT_NAME] = "lanner.TYPE",
	[SCHEMA_OUTCOME] = "success, failure or unknown",
	[SCHEMA_CATEGORY] = "list of one",
	[SCHEMA_KIND] = "list of one",
	[SCHEMA_EVENT_KIND] = "alert or event",
	[SCHEMA_BESIDE] = "",
};

const char *schema_form_meaning(enum schema_form form)
{
	return meanings[form];
}

static const struct schema_row *schema_find_row(const char *field, size_t len, bool with_argument)
{
	const char *end = with_argument ? "[]" : "";

	for (const struct schema_row *row = schema_rows; row->field; row++)
		if (strncmp(row->field, field, len) == 0 && strcmp(row->field + len, end) == 0)
			return row;
	return NULL;
}

static void append_plain(struct buf *key, const char *text, size_t len)
{
	while (len && !isalnum((unsigned char)text[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++)
		buf_append_char(key, isalnum((unsigned char)text[i]) ? text[i] : '_');
}

/* The text after a field, without the brackets or the dot that separate it: [app], .app. */
static void append_argument(const struct schema *schema, const char *text, size_t len,
			    struct buf *key)
{
	bool bracketed = *text == '[';

	text++;
	len -= bracketed ? 2 : 1;
	if (bracketed && len > 1 && (*text == '"' || *text == '\'')) {
		text++;
		len -= 2;
	}
	if (schema->plain_arguments)
		append_plain(key, text, len);
	else
		buf_append(key, text, len);
}

enum schema_form schema_append_key(const struct schema *schema, const char *text, size_t len,
				   size_t field_len, struct buf *key)
{
	const struct schema_row *row;
	const struct schema_key *known;

	if (!schema || !schema->renames) {
		buf_append(key, text, len);
		return SCHEMA_SAME;
	}
	row = field_len ? schema_find_row(text, field_len, field_len < len) : NULL;
	known = row ? &row->keys[schema->column] : NULL;
	if (schema->keeps_names) {
		buf_append(key, text, len);
	} else if (!known || !known->key) {
		BUF_LITERAL(key, "lanner.");
		append_plain(key, text, len);
	} else if (field_len < len) {
		buf_append(key, known->key, strlen(known->key) - 1);
		append_argument(schema, text + field_len, len - field_len, key);
	} else {
		buf_append_string(key, known->key);
	}
	return known ? known->form : SCHEMA_SAME;
}

void schema_append_word(const struct schema *schema, const char *word, struct buf *key)
{
	schema_append_key(schema, word, strlen(word), strlen(word), key);
}

/*
 * event.category by the family of an event, event.type by its flags. The schema allows each
 * category only some types: the test of this has them.
 */

static const char *const ecs_categories[EVENT_FAMILIES_COUNT] = {
	[FAMILY_file] = "file",	      [FAMILY_mount] = "configuration", [FAMILY_net] = "network",
	[FAMILY_process] = "process", [FAMILY_signal] = "process",	[FAMILY_user] = "process",
	[FAMILY_module] = "driver",   [FAMILY_system] = "host",
};

const char *schema_ecs_category(unsigned int event_id)
{
	const char *category = ecs_categories[event_family_of(event_id)];

	return category ? category : "api";
}

const char *schema_ecs_type(unsigned int event_id)
{
	static const char *const types[] = {
		"info",
		[EF_ECS_ACCESS >> EF_ECS_SHIFT] = "access",
		[EF_ECS_CHANGE >> EF_ECS_SHIFT] = "change",
		[EF_ECS_CREATION >> EF_ECS_SHIFT] = "creation",
		[EF_ECS_DELETION >> EF_ECS_SHIFT] = "deletion",
		[EF_ECS_END >> EF_ECS_SHIFT] = "end",
		[EF_ECS_START >> EF_ECS_SHIFT] = "start",
	};

	return types[event_id < EVENT_ID_MAX ? event_descs[event_id].flags >> EF_ECS_SHIFT : 0];
}
