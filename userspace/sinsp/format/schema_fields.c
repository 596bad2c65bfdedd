/* SPDX-License-Identifier: MIT */
/*
 * What fields are called in OpenTelemetry (semantic conventions 1.44) and in the Elastic Common
 * Schema (9.0), and what else has a key in records.
 */
#include "sinsp/format/schema_fields.h"

#define BOTH(key, form) {{key, form}, {key, form}}
#define BY_RULE {NULL, SCHEMA_SAME}

/* clang-format off */
const struct schema_row schema_rows[] = {
	/* field, OpenTelemetry, Elastic Common Schema */
	{"evt.num", {BY_RULE, {"event.sequence", SCHEMA_SAME}}},
	{"evt.time", {{"timestamp", SCHEMA_TIME}, {"@timestamp", SCHEMA_TIME}}},
	{"evt.type", {{"event_name", SCHEMA_EVENT_NAME}, {"event.action", SCHEMA_SAME}}},
	{"evt.cpu", {{"cpu.logical_number", SCHEMA_SAME}, BY_RULE}},
	{"evt.args", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}}},
	{"evt.info", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}}},
	{"evt.arg[]", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}}},
	{"evt.rawarg[]", {{NULL, SCHEMA_PARAMS}, {NULL, SCHEMA_TEXT}}},
	{"evt.outputtime", BOTH(NULL, SCHEMA_TEXT)},
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
