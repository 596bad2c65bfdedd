/* SPDX-License-Identifier: MIT */
/* A row for each label: its name, and what appends its value. */
#include "requests/metrics/labels.h"

#include <string.h>
#include <strings.h>

#include "event/address.h"
#include "requests/metrics/cluster.h"
#include "util/count.h"
#include "util/utf8.h"

/* Appends at most so many bytes that the NUL has room, too. */
static void label_put(struct buf *key, const char *text)
{
	buf_append(key, text, strnlen(text, LABEL_BYTES_MAX - 1));
}

static void label_put_known(struct buf *key, const char *text)
{
	if (text)
		label_put(key, text);
}

/* Methods that the conventions know; others would be anything. */
static void put_method(const struct view *view, struct buf *key)
{
	static const char *const methods[] = {"GET",	 "POST",  "PUT",     "DELETE", "HEAD",
					      "OPTIONS", "PATCH", "CONNECT", "TRACE"};

	for (size_t i = 0; i < COUNT(methods); i++)
		if (strcmp(view->method, methods[i]) == 0) {
			label_put(key, methods[i]);
			return;
		}
	label_put(key, "_OTHER");
}

static void put_status(const struct view *view, struct buf *key)
{
	if (view->has_status)
		buf_append_i64(key, view->status);
}

/* Why it failed, in the words of the conventions. */
static void put_error(const struct view *view, struct buf *key)
{
	static const struct {
		const char *error, *type;
	} words[] = {{"reset", "connection_reset"},	 {"closed", "connection_closed"},
		     {"refused", "connection_refused"},	 {"ECONNREFUSED", "connection_refused"},
		     {"ECONNRESET", "connection_reset"}, {"ETIMEDOUT", "timeout"}};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(view->error, words[i].error) == 0) {
			label_put(key, words[i].type);
			return;
		}
	label_put(key, view->error);
}

static void put_route(const struct view *view, struct buf *key)
{
	char route[CLUSTER_ROUTE_BYTES];

	buf_append(key, route, cluster_route(view->target, route));
}

/* Requests whose bytes can be read are not encrypted. */
static void put_scheme(const struct view *view, struct buf *key)
{
	if (view->is_tls)
		label_put(key, "https");
	else
		label_put(key, "http");
}

static void put_protocol(const struct view *view, struct buf *key)
{
	label_put(key, view->protocol.name);
}

static void put_operation(const struct view *view, struct buf *key)
{
	label_put(key, view->method);
}

static void put_collection(const struct view *view, struct buf *key)
{
	char table[CLUSTER_TABLE_BYTES];

	if (view->protocol.has_statements)
		buf_append(key, table, cluster_table(view->method, view->target, table));
}

/* Of DNS, or of a queue: clients choose it. */
static void put_target_name(const struct view *view, struct buf *key)
{
	char name[CLUSTER_ROUTE_BYTES];

	buf_append(key, name, cluster_name(view->target, name));
}

/* "package.Service/Method" */
static void put_rpc_method(const struct view *view, struct buf *key)
{
	label_put(key, view->target);
	if (*view->target && *view->method)
		buf_append_char(key, '/');
	label_put(key, view->method);
}

static void put_rpc_status(const struct view *view, struct buf *key)
{
	if (view->has_status && view->protocol.status_name)
		label_put(key, view->protocol.status_name(view->status));
	else
		put_status(view, key);
}

/*
 * Of clients: the host that they name, without a port, or found; else where the socket goes to. A
 * server is known by its process.
 */
static void put_server_address(const struct view *view, struct buf *key)
{
	const char *host = view->host;
	bool is_bracketed = *host == '[';

	host += is_bracketed;
	if (*host)
		buf_append(key, host, strcspn(host, is_bracketed ? "]" : ":"));
	else if (*view->domain)
		label_put(key, view->domain);
	else if (view->server.len && view->is_client)
		address_append_ip(key, view->server.address, view->server.len);
}

static void put_server_port(const struct view *view, struct buf *key)
{
	if (view->server.len)
		buf_append_u64(key, view->server.port);
}

static void put_direction(const struct view *view, struct buf *key)
{
	label_put(key, view->direction);
}

static void put_reason(const struct view *view, struct buf *key)
{
	label_put(key, view->reason);
}

static void put_role(const struct view *view, struct buf *key)
{
	if (view->is_server)
		BUF_LITERAL(key, "server");
	else if (view->is_client)
		BUF_LITERAL(key, "client");
}

static void put_executable(const struct view *view, struct buf *key)
{
	const struct state_thread *thread = view->event->thread;
	const char *path = thread ? thread->program->exepath : "", *slash = strrchr(path, '/');

	label_put(key, slash ? slash + 1 : path);
}

/* Its name, or the short id as long as that is not known. */
static void label_put_container(const struct state_container *container, struct buf *key)
{
	if (!container)
		return;
	if (container->info.name)
		label_put(key, container->info.name);
	else
		buf_append(key, container->id, state_container_short_len(container));
}

static void put_container(const struct view *view, struct buf *key)
{
	label_put_container(view->container, key);
}

/* As what runs in the pod is called, or that by which it was asked, or the container. */
static void put_peer(const struct view *view, struct buf *key)
{
	if (view->peer_workload && view->peer_workload->name)
		label_put(key, view->peer_workload->name);
	else if (view->service && view->service->name)
		label_put(key, view->service->name);
	else
		label_put_container(view->peer, key);
}

static void put_peer_namespace(const struct view *view, struct buf *key)
{
	if (view->peer_pod && view->peer_pod->ns)
		label_put(key, view->peer_pod->ns);
	else if (view->service)
		label_put_known(key, view->service->ns);
}

static void put_peer_service(const struct view *view, struct buf *key)
{
	if (view->service)
		label_put_known(key, view->service->name);
}

/* Kindling's own. */

static void label_put_container_id(const struct state_container *container, struct buf *key)
{
	if (container)
		buf_append(key, container->id, state_container_short_len(container));
}

static void put_container_id(const struct view *view, struct buf *key)
{
	label_put_container_id(view->container, key);
}

static void put_peer_container(const struct view *view, struct buf *key)
{
	label_put_container(view->peer, key);
}

static void put_peer_container_id(const struct view *view, struct buf *key)
{
	label_put_container_id(view->peer, key);
}

static void label_put_address(const struct view_end *end, struct buf *key)
{
	if (end->len)
		address_append_ip(key, end->address, end->len);
}

static void put_client_ip(const struct view *view, struct buf *key)
{
	label_put_address(&view->client, key);
}

static void put_server_ip(const struct view *view, struct buf *key)
{
	label_put_address(&view->server, key);
}

static void put_local_ip(const struct view *view, struct buf *key)
{
	label_put_address(&view->local, key);
}

/* A port that somebody chose: of those that kernels give there is one for each connection. */
static void put_local_port(const struct view *view, struct buf *key)
{
	if (view->is_server)
		put_server_port(view, key);
}

/* There may be any number of clients of a server, and of those who send to nobody. */
static void put_remote_ip(const struct view *view, struct buf *key)
{
	if (view->is_client)
		label_put_address(&view->remote, key);
}

static void put_remote_port(const struct view *view, struct buf *key)
{
	if (view->is_client)
		put_server_port(view, key);
}

static void put_errno(const struct view *view, struct buf *key)
{
	buf_append_i64(key, view->status);
}

static void put_success(const struct view *view, struct buf *key)
{
	if (view->status)
		BUF_LITERAL(key, "false");
	else
		BUF_LITERAL(key, "true");
}

/* "SELECT accounts" */
static void put_statement(const struct view *view, struct buf *key)
{
	char table[CLUSTER_TABLE_BYTES];
	size_t len = cluster_table(view->method, view->target, table);

	label_put(key, view->method);
	if (len)
		buf_append_char(key, ' ');
	buf_append(key, table, len);
}

static void put_request(const struct view *view, struct buf *key)
{
	static void (*const puts[VIEW_CLASSES])(const struct view *view, struct buf *key) = {
		[VIEW_HTTP] = put_route,	[VIEW_DATABASE] = put_operation,
		[VIEW_DNS] = put_target_name,	[VIEW_RPC] = put_rpc_method,
		[VIEW_QUEUE] = put_target_name, [VIEW_OTHER] = put_operation,
	};

	if (view->protocol.has_statements)
		put_statement(view, key);
	else
		puts[view->protocol.class](view, key);
}

/* A status if there is one; whether a command failed, but which error a statement got. */
static void label_put_outcome(const struct view *view, const char *failed, const char *worked,
			      struct buf *key)
{
	bool is_command = view->protocol.class == VIEW_DATABASE && !view->protocol.has_statements;

	if (is_command)
		label_put(key, *view->error ? failed : worked);
	else if (view->has_status)
		put_status(view, key);
	else
		label_put(key, view->error);
}

static void put_response(const struct view *view, struct buf *key)
{
	label_put_outcome(view, "error", "noerror", key);
}

static void put_status_code(const struct view *view, struct buf *key)
{
	label_put_outcome(view, "1", "0", key);
}

/* Texts of a pod: of the process, and of its peer. */
#define POD_TEXT(function, known, pod, member)                                                     \
	static void function(const struct view *view, struct buf *key)                             \
	{                                                                                          \
		if (view->known)                                                                   \
			label_put_known(key, view->pod member);                                    \
	}
POD_TEXT(put_namespace, container, container->info.pod, .ns)
POD_TEXT(put_pod, container, container->info.pod, .name)
POD_TEXT(put_workload_kind, container, container->info.pod, .workload.kind)
POD_TEXT(put_workload, container, container->info.pod, .workload.name)
POD_TEXT(put_node, container, container->info.pod, .node)
POD_TEXT(put_peer_pod, peer_pod, peer_pod, ->name)
POD_TEXT(put_peer_workload_kind, peer_workload, peer_workload, ->kind)
POD_TEXT(put_peer_workload, peer_workload, peer_workload, ->name)
POD_TEXT(put_peer_node, peer_pod, peer_pod, ->node)

#define SAME(name, put)                                                                            \
	{                                                                                          \
		name, name, put                                                                    \
	}

static const struct {
	const char *name, *attribute;
	void (*put)(const struct view *view, struct buf *key);
	bool is_number;
} rows[LABELS_COUNT] = {
	[LABEL_HTTP_METHOD] = {"http_request_method", "http.request.method", put_method},
	[LABEL_HTTP_STATUS] = {"http_response_status_code", "http.response.status_code", put_status,
			       .is_number = true},
	[LABEL_HTTP_ROUTE] = {"http_route", "http.route", put_route},
	[LABEL_HTTP_TEMPLATE] = {"url_template", "url.template", put_route},
	[LABEL_HTTP_SCHEME] = {"url_scheme", "url.scheme", put_scheme},
	[LABEL_ERROR] = {"error_type", "error.type", put_error},
	[LABEL_DB_SYSTEM] = {"db_system_name", "db.system.name", put_protocol},
	[LABEL_DB_OPERATION] = {"db_operation_name", "db.operation.name", put_operation},
	[LABEL_DB_COLLECTION] = {"db_collection_name", "db.collection.name", put_collection},
	[LABEL_DNS_NAME] = {"dns_question_name", "dns.question.name", put_target_name},
	[LABEL_RPC_SYSTEM] = {"rpc_system_name", "rpc.system.name", put_protocol},
	[LABEL_RPC_METHOD] = {"rpc_method", "rpc.method", put_rpc_method},
	[LABEL_RPC_STATUS] = {"rpc_response_status_code", "rpc.response.status_code",
			      put_rpc_status},
	[LABEL_QUEUE_SYSTEM] = {"messaging_system", "messaging.system", put_protocol},
	[LABEL_QUEUE_OPERATION] = {"messaging_operation_name", "messaging.operation.name",
				   put_operation},
	[LABEL_QUEUE_DESTINATION] = {"messaging_destination_name", "messaging.destination.name",
				     put_target_name},
	[LABEL_PROTOCOL] = {"network_protocol_name", "network.protocol.name", put_protocol},
	[LABEL_TRANSPORT] = {"network_transport", "network.transport", put_protocol},
	[LABEL_DIRECTION] = {"network_io_direction", "network.io.direction", put_direction},
	[LABEL_ROLE] = {"tcp_role", "tcp.role", put_role},
	[LABEL_REASON] = {"tcp_reason", "tcp.reason", put_reason},
	[LABEL_SERVER_ADDRESS] = {"server_address", "server.address", put_server_address},
	[LABEL_SERVER_PORT] = {"server_port", "server.port", put_server_port, .is_number = true},
	[LABEL_EXECUTABLE] = {"process_executable_name", "process.executable.name", put_executable},
	[LABEL_CONTAINER] = {"container_name", "container.name", put_container},
	[LABEL_NAMESPACE] = {"k8s_namespace_name", "k8s.namespace.name", put_namespace},
	[LABEL_POD] = {"k8s_pod_name", "k8s.pod.name", put_pod},
	[LABEL_WORKLOAD_KIND] = {"k8s_workload_kind", "k8s.workload.kind", put_workload_kind},
	[LABEL_WORKLOAD] = {"k8s_workload_name", "k8s.workload.name", put_workload},
	[LABEL_PEER_NAMESPACE] = {"service_peer_namespace", "service.peer.namespace",
				  put_peer_namespace},
	[LABEL_PEER] = {"service_peer_name", "service.peer.name", put_peer},
	[LABEL_KD_NAMESPACE] = SAME("namespace", put_namespace),
	[LABEL_KD_WORKLOAD_KIND] = SAME("workload_kind", put_workload_kind),
	[LABEL_KD_WORKLOAD] = SAME("workload_name", put_workload),
	[LABEL_KD_NODE] = SAME("node", put_node),
	[LABEL_KD_POD] = SAME("pod", put_pod),
	[LABEL_KD_CONTAINER] = SAME("container", put_container),
	[LABEL_KD_CONTAINER_ID] = SAME("container_id", put_container_id),
	[LABEL_KD_IP] = SAME("ip", put_server_ip),
	[LABEL_KD_PORT] = SAME("port", put_server_port),
	[LABEL_KD_SRC_NAMESPACE] = SAME("src_namespace", put_namespace),
	[LABEL_KD_SRC_WORKLOAD_KIND] = SAME("src_workload_kind", put_workload_kind),
	[LABEL_KD_SRC_WORKLOAD] = SAME("src_workload_name", put_workload),
	[LABEL_KD_SRC_NODE] = SAME("src_node", put_node),
	[LABEL_KD_SRC_POD] = SAME("src_pod", put_pod),
	[LABEL_KD_SRC_CONTAINER] = SAME("src_container", put_container),
	[LABEL_KD_SRC_CONTAINER_ID] = SAME("src_container_id", put_container_id),
	[LABEL_KD_SRC_IP] = SAME("src_ip", put_client_ip),
	[LABEL_KD_DST_NAMESPACE] = SAME("dst_namespace", put_peer_namespace),
	[LABEL_KD_DST_WORKLOAD_KIND] = SAME("dst_workload_kind", put_peer_workload_kind),
	[LABEL_KD_DST_WORKLOAD] = SAME("dst_workload_name", put_peer_workload),
	[LABEL_KD_DST_SERVICE] = SAME("dst_service", put_peer_service),
	[LABEL_KD_DST_NODE] = SAME("dst_node", put_peer_node),
	[LABEL_KD_DST_POD] = SAME("dst_pod", put_peer_pod),
	[LABEL_KD_DST_CONTAINER] = SAME("dst_container", put_peer_container),
	[LABEL_KD_DST_CONTAINER_ID] = SAME("dst_container_id", put_peer_container_id),
	[LABEL_KD_DST_IP] = SAME("dst_ip", put_server_ip),
	[LABEL_KD_DST_PORT] = SAME("dst_port", put_server_port),
	[LABEL_KD_LOCAL_IP] = SAME("src_ip", put_local_ip),
	[LABEL_KD_LOCAL_PORT] = SAME("src_port", put_local_port),
	[LABEL_KD_REMOTE_IP] = SAME("dst_ip", put_remote_ip),
	[LABEL_KD_REMOTE_PORT] = SAME("dst_port", put_remote_port),
	[LABEL_KD_ERRNO] = SAME("errno", put_errno),
	[LABEL_KD_SUCCESS] = SAME("success", put_success),
	[LABEL_KD_PROTOCOL] = SAME("protocol", put_protocol),
	[LABEL_KD_REQUEST] = SAME("request_content", put_request),
	[LABEL_KD_RESPONSE] = SAME("response_content", put_response),
	[LABEL_KD_STATUS] = SAME("status_code", put_status_code),
};

const char *label_name(enum label label)
{
	return rows[label].name;
}

const char *label_attribute(enum label label)
{
	return rows[label].attribute;
}

bool label_is_number(enum label label)
{
	return rows[label].is_number;
}

/* Bytes that are no characters become question marks. Most values are ASCII. */
void label_make_valid(char *text, size_t len)
{
	uint32_t code_point;

	for (size_t i = 0; i < len;) {
		size_t n = (unsigned char)text[i] < 0x80
				   ? 1
				   : utf8_decode(text + i, len - i, &code_point);

		if (n == 0) {
			text[i] = '?';
			n = 1;
		}
		i += n;
	}
}

void labels_append(const enum label *labels, const struct view *view, struct buf *key)
{
	for (; *labels != LABEL_NONE; labels++) {
		size_t from = key->len;

		rows[*labels].put(view, key);
		if (key->len - from >= LABEL_BYTES_MAX)
			key->len = from + LABEL_BYTES_MAX - 1;
		label_make_valid(key->data + from, key->len - from);
		buf_append_char(key, '\0');
	}
}
