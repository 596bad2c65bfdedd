/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <errno.h>
#include <stdlib.h>

#include "frame.h"
#include "util/buf.h"

enum { FIRST_TID = 1000 };

/* Of each container. */
enum { LABELS = 20, POD_LABELS = 8, ANNOTATIONS = 8, MOUNTS = 4 };

struct maker {
	struct load *load;
	struct frame *frame;
	uint64_t ts_ns;
	int error;
};

static void append(struct maker *maker)
{
	struct scap_event event = frame_end(maker->frame);
	uint16_t cpu = maker->load->events++ % 2;

	if (maker->error == 0)
		maker->error = scap_inject_append(maker->load->inject, event.frame, event.len, cpu);
}

static void begin(struct maker *maker, uint16_t id, int64_t tid)
{
	maker->ts_ns += 700;
	frame_begin(maker->frame, id, maker->ts_ns, tid);
}

static void append_container_id(struct buf *text, unsigned int container)
{
	buf_printf(text, "%04x456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		   container);
}

static void append_pod_uid(struct buf *text, unsigned int container)
{
	buf_printf(text, "3f2a51c0-7b1e-4c9d-8a55-01234567%04x", container);
}

static void append_labels(struct buf *json, const char *key, unsigned int count)
{
	buf_printf(json, ",\"%s\":{\"app\":\"worker\"", key);
	for (unsigned int i = 1; i < count; i++)
		buf_printf(json, ",\"app.kubernetes.io/part-%u\":\"value-%u\"", i, i);
	BUF_LITERAL(json, "}");
}

static void append_mounts(struct buf *json, unsigned int container)
{
	BUF_LITERAL(json, ",\"Mounts\":[");
	for (unsigned int i = 0; i < MOUNTS; i++) {
		buf_printf(json, "%s{\"Source\":\"/var/lib/kubelet/pods/", i ? "," : "");
		append_pod_uid(json, container);
		buf_printf(json,
			   "/volumes/data-%u\",\"Destination\":\"/var/lib/worker/"
			   "data-%u\",\"Mode\":\"rw\","
			   "\"RW\":true,\"Propagation\":\"rprivate\"}",
			   i, i);
	}
	BUF_LITERAL(json, "]");
}

/* As a runtime describes a container of a pod. */
static void append_description(struct maker *maker, struct buf *json, unsigned int container)
{
	buf_clear(json);
	BUF_LITERAL(json, "{\"container\":{\"type\":7,\"full_id\":\"");
	append_container_id(json, container);
	buf_printf(json, "\",\"name\":\"worker-%u\"", container);
	BUF_LITERAL(
		json,
		",\"image\":\"registry.example.com/team/worker:1.27.3\","
		"\"imagerepo\":\"registry.example.com/team/worker\",\"imagetag\":\"1.27.3\","
		"\"imageid\":\"8f3c9d4e5b6a79881726354433221100ffeeddccbbaa99887766554433221100\","
		"\"imagedigest\":"
		"\"sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\","
		"\"pod_sandbox_id\":"
		"\"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210\","
		"\"privileged\":false,\"host_pid\":false,\"host_network\":false,"
		"\"host_ipc\":false,\"ip\":\"10.0.0.7\",\"created_time\":1700000000");
	append_labels(json, "labels", LABELS - 3);
	json->len--; /* the bracket */
	BUF_LITERAL(json, ",\"io.kubernetes.pod.name\":\"worker-5c4f9d7b8-x2x7k\","
			  "\"io.kubernetes.pod.namespace\":\"team-production\","
			  "\"io.kubernetes.pod.uid\":\"");
	append_pod_uid(json, container);
	BUF_LITERAL(json, "\"}");
	append_labels(json, "pod_sandbox_labels", POD_LABELS);
	append_mounts(json, container);
	BUF_LITERAL(json, ",\"lanner\":{\"pod_ip\":\"10.0.0.7\"");
	append_labels(json, "annotations", ANNOTATIONS);
	BUF_LITERAL(json, "}}}");
	buf_append_char(json, '\0');
	begin(maker, EVENT_container, 0);
	frame_put_bytes(maker->frame, container__json, json->data, json->len);
	append(maker);
}

static void append_descriptions(struct maker *maker, unsigned int count)
{
	struct buf json = {0};

	for (unsigned int i = 0; i < count && !json.failed; i++)
		append_description(maker, &json, i);
	if (json.failed)
		maker->error = -ENOMEM;
	buf_finish(&json);
}

static void append_exec(struct maker *maker, int64_t tid, const struct buf *cgroups)
{
	begin(maker, EVENT_execve, tid);
	frame_put_i64(maker->frame, execve__res, 0);
	frame_put_string(maker->frame, execve__exe, "/usr/bin/worker");
	frame_put_bytes(maker->frame, execve__args, "--config\0/etc/worker.conf", 26);
	frame_put_i64(maker->frame, execve__tid, tid);
	frame_put_i64(maker->frame, execve__pid, tid);
	frame_put_i64(maker->frame, execve__ptid, 1);
	frame_put_i64(maker->frame, execve__fdlimit, 1024);
	frame_put_string(maker->frame, execve__comm, "worker");
	frame_put_string(maker->frame, execve__trusted_exepath, "/usr/bin/worker");
	if (cgroups->len)
		frame_put_bytes(maker->frame, execve__cgroups, cgroups->data, cgroups->len);
	append(maker);
}

/* Open, read twice, write, close, and two other calls: the mix of a server. */
static void append_round(struct maker *maker, int64_t tid, int64_t fd)
{
	static const char data[80] =
		"a line of a log file, as it would be written by a server program";
	struct frame *frame = maker->frame;

	begin(maker, EVENT_openat, tid);
	frame_put_i64(frame, openat__fd, fd);
	frame_put_i64(frame, openat__dirfd, -100);
	frame_put_string(frame, openat__name, "/var/lib/worker/data/file-17.db");
	frame_put_i64(frame, openat__flags, 0x1001);
	frame_put_i64(frame, openat__mode, 0);
	frame_put_i64(frame, openat__dev, 0x801);
	frame_put_i64(frame, openat__ino, 123456);
	append(maker);
	for (int i = 0; i < 2; i++) {
		begin(maker, EVENT_read, tid);
		frame_put_i64(frame, read__res, 80);
		frame_put_bytes(frame, read__data, data, sizeof(data));
		frame_put_i64(frame, read__fd, fd);
		frame_put_i64(frame, read__size, 4096);
		append(maker);
	}
	begin(maker, EVENT_write, tid);
	frame_put_i64(frame, write__res, 80);
	frame_put_bytes(frame, write__data, data, sizeof(data));
	frame_put_i64(frame, write__fd, 2);
	frame_put_i64(frame, write__size, 80);
	append(maker);
	begin(maker, EVENT_close, tid);
	frame_put_i64(frame, close__res, 0);
	frame_put_i64(frame, close__fd, fd);
	append(maker);
	for (int i = 0; i < 2; i++) {
		begin(maker, EVENT_syscall, tid);
		frame_put_i64(frame, syscall__ID, i ? SC_getppid : SC_epoll_pwait);
		frame_put_i64(frame, syscall__nativeID, i ? 110 : 281);
		append(maker);
	}
}

static void append_group(struct buf *cgroups, unsigned int container)
{
	BUF_LITERAL(cgroups, "cpu=/kubepods/burstable/pod");
	append_pod_uid(cgroups, container);
	buf_append_char(cgroups, '/');
	append_container_id(cgroups, container);
	buf_append_char(cgroups, '\0');
}

static void append_threads(struct maker *maker, const struct load_config *config)
{
	struct buf cgroups = {0};

	for (unsigned int i = 0; i < config->threads; i++) {
		buf_clear(&cgroups);
		if (config->containers)
			append_group(&cgroups, i % config->containers);
		append_exec(maker, FIRST_TID + i, &cgroups);
	}
	if (cgroups.failed)
		maker->error = -ENOMEM;
	buf_finish(&cgroups);
}

int load_create(struct load *load, const struct load_config *config)
{
	struct maker maker = {.load = load, .ts_ns = 1700000000000000000};

	*load = (struct load){0};
	if (scap_inject_create(&load->inject))
		return -ENOMEM;
	maker.frame = malloc(sizeof(*maker.frame));
	if (!maker.frame) {
		load_finish(load);
		return -ENOMEM;
	}
	append_threads(&maker, config);
	append_descriptions(&maker, config->containers);
	for (uint64_t i = 0; load->events < config->wanted; i++)
		append_round(&maker, FIRST_TID + (int64_t)(i % config->threads),
			     3 + (int64_t)(i % 7));
	free(maker.frame);
	if (maker.error)
		load_finish(load);
	return maker.error;
}

void load_finish(struct load *load)
{
	if (load->inject)
		scap_source_destroy(scap_inject_source(load->inject));
	load->inject = NULL;
}
