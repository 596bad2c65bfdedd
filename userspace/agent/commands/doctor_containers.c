/* SPDX-License-Identifier: MIT */
/* Checks of what tells containers and pods: control groups, sockets of runtimes, Kubernetes. */
#include "agent/commands/doctor.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "meta/runtimes/bundle.h"
#include "meta/runtimes/runtime.h"
#include "meta/runtimes/sockets.h"
#include "scap/live/cgroup_roots.h"
#include "util/count.h"

#define CGROUPS "/proc/self/cgroup"

/* Each line is "number:controllers:/path"; the one of version 2 begins with "0::". */
static const char *cgroup_versions(const char *text)
{
	bool has_v1 = false, has_v2 = false;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "0::", 3) == 0)
			has_v2 = true;
		else if (*line)
			has_v1 = true;
	}
	if (has_v1)
		return has_v2 ? "versions 1 and 2 (hybrid)" : "version 1";
	return has_v2 ? "version 2" : NULL;
}

enum doctor_status doctor_cgroups(const struct doctor *doctor, struct buf *found)
{
	char text[DOCTOR_TEXT_BYTES];
	int r = doctor_read(doctor, CGROUPS, text);
	const char *versions = cgroup_versions(text);

	if (r) {
		doctor_append_failure(CGROUPS, r, found);
		return DOCTOR_LIMITED;
	}
	if (!versions) {
		BUF_LITERAL(found, "this process is in none");
		return DOCTOR_LIMITED;
	}
	buf_append_string(found, versions);
	buf_append_string(found, live_cgroup_roots_differ() ? ", in a namespace of its own"
							    : ", in the namespace of the host");
	return DOCTOR_OK;
}

enum doctor_status doctor_namespaces(const struct doctor *doctor, struct buf *found)
{
	const char *root = doctor->options->host_root ? doctor->options->host_root : "";
	struct bundle_namespaces hosts;
	int r = bundle_namespaces_read(root, &hosts);

	if (r == 0)
		BUF_LITERAL(found, "they are");
	else if (r == -EXDEV)
		buf_printf(found, "%s/proc is of another pid namespace", root);
	else
		buf_printf(found, "%s/proc/2/ns: %s", root, strerror(-r));
	return r ? DOCTOR_LIMITED : DOCTOR_OK;
}

#ifdef WITH_RUNTIME_SOCKETS

struct seen {
	struct buf *found;
	bool failed;
};

static void append_apis(unsigned int apis, struct buf *found)
{
	static const struct {
		unsigned int api;
		const char *name;
	} names[] = {
		{RUNTIME_DOCKER, "Docker"},
		{RUNTIME_PODMAN, "Podman"},
		{RUNTIME_CRI, "CRI"},
		{RUNTIME_CONTAINERD, "containerd"},
	};
	const char *separator = "";

	for (size_t i = 0; i < COUNT(names); i++) {
		if (!(apis & names[i].api))
			continue;
		buf_printf(found, "%s%s", separator, names[i].name);
		separator = " or ";
	}
}

/* A place may have several interfaces; one that it lacks is no failure. */
static void append_socket(void *data, const char *path, unsigned int apis, int result,
			  const struct error *err)
{
	struct seen *seen = data;

	if (result == -EOPNOTSUPP || result == -EPROTO)
		return;
	if (seen->found->len)
		BUF_LITERAL(seen->found, "; ");
	buf_printf(seen->found, "%s (", path);
	append_apis(apis, seen->found);
	BUF_LITERAL(seen->found, ")");
	if (result == 0)
		BUF_LITERAL(seen->found, " answers");
	else if (result == -EAGAIN)
		BUF_LITERAL(seen->found, " does not run");
	else if (result == -ECONNREFUSED)
		BUF_LITERAL(seen->found, ": nobody listens");
	else
		buf_printf(seen->found, ": %s", err->text);
	seen->failed |= result != 0 && result != -EAGAIN && result != -ECONNREFUSED;
}

enum doctor_status doctor_runtimes(const struct doctor *doctor, struct buf *found)
{
	const struct sockets_config config = {
		.host_root = doctor->options->host_root,
		.paths = doctor->options->runtime_sockets,
		.paths_count = doctor->options->runtime_sockets_count,
	};
	struct seen seen = {.found = found};
	struct error err = {""};

	if (sockets_survey(&config, append_socket, &seen, &err)) {
		buf_append_string(found, err.text);
		return DOCTOR_LIMITED;
	}
	if (!found->len)
		BUF_LITERAL(found, "no socket is there");
	return seen.failed ? DOCTOR_LIMITED : DOCTOR_OK;
}

#else

enum doctor_status doctor_runtimes(const struct doctor *doctor, struct buf *found)
{
	BUF_LITERAL(found, "this build cannot ask runtimes (libcurl, protobuf-c)");
	return DOCTOR_LIMITED;
}

#endif

#ifdef WITH_KUBERNETES

/* A file that the requests need; NULL: none. */
static bool doctor_containers_is_readable(const char *path, struct buf *found)
{
	if (!path || eaccess(path, R_OK) == 0)
		return true;
	buf_printf(found, "; %s: %s", path, strerror(errno));
	return false;
}

enum doctor_status doctor_kubernetes(const struct doctor *doctor, struct buf *found)
{
	struct kube_config config;
	struct error err = {""};
	int r = kube_config_find(&doctor->options->kubernetes, &config, &err);
	bool has_token, has_ca;

	if (r) {
		buf_append_string(found, err.text[0] ? err.text : "this is not a pod of a cluster");
		return err.text[0] ? DOCTOR_LIMITED : DOCTOR_OK;
	}
	buf_printf(found, "%s is asked for the pods of %s", config.url,
		   config.node[0] ? config.node : "its node");
	/* Both are reported. */
	has_token = doctor_containers_is_readable(config.token_path, found);
	has_ca = doctor_containers_is_readable(config.ca_path, found);
	return has_token && has_ca ? DOCTOR_OK : DOCTOR_LIMITED;
}

#else

enum doctor_status doctor_kubernetes(const struct doctor *doctor, struct buf *found)
{
	BUF_LITERAL(found, "this build cannot ask Kubernetes (libcurl)");
	return DOCTOR_LIMITED;
}

#endif
