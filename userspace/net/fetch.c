/* SPDX-License-Identifier: MIT */
/* Requests with libcurl's multi interface, whose wait another thread can end. */
#include "net/fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/buf.h"
#include "util/count.h"
#include "util/version.h"

enum {
	NS_PER_MS = 1000000,
	KEEPALIVE_S = 30, /* between probes of a silent connection */
	FAILED_POLL_US = 100000,
	UPLOAD_BYTES = 256 * 1024, /* that libcurl sends at a time */
};

struct fetch {
	CURLM *multi; /* owned */
	CURL *curl; /* owned */
	int stop_fd; /* borrowed; -1: none */
	atomic_bool stopped;
};

/* A request that is being answered. */
struct transfer {
	CURL *curl;
	const struct fetch_request *request;
	size_t part, part_at; /* where the rest of the body begins */
	bool unwanted; /* the rest of the answer */
	int socket; /* of its connection; -1: none yet */
	bool is_strangers; /* another user listens there than may */
	uint32_t listener; /* that user */
	char message[CURL_ERROR_SIZE];
};

int fetch_create(struct fetch **result, struct error *err)
{
	struct fetch *fetch;

	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return error_set(err, -ENOMEM, "libcurl cannot be initialised");
	fetch = calloc(1, sizeof(*fetch));
	if (fetch) {
		fetch->stop_fd = -1;
		fetch->multi = curl_multi_init();
		fetch->curl = curl_easy_init();
	} else {
		curl_global_cleanup();
	}
	if (fetch && fetch->multi && fetch->curl) {
		*result = fetch;
		return 0;
	}
	fetch_destroy(fetch);
	return error_set(err, -ENOMEM, "out of memory");
}

void fetch_destroy(struct fetch *fetch)
{
	if (!fetch)
		return;
	curl_easy_cleanup(fetch->curl);
	curl_multi_cleanup(fetch->multi);
	curl_global_cleanup();
	free(fetch);
}

static size_t fetch_take(char *bytes, size_t size, size_t count, void *data)
{
	struct transfer *transfer = data;
	const struct fetch_request *request = transfer->request;
	long status = 0;

	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
	transfer->unwanted = !request->take(request->data, status, bytes, size * count);
	return transfer->unwanted ? CURL_WRITEFUNC_ERROR : size * count;
}

static size_t fetch_take_header(char *bytes, size_t size, size_t count, void *data)
{
	struct transfer *transfer = data;
	const struct fetch_request *request = transfer->request;

	if (request->take_header)
		transfer->unwanted = !request->take_header(request->data, bytes, size * count);
	return transfer->unwanted ? CURL_WRITEFUNC_ERROR : size * count;
}

/* Copies the next bytes of the body. */
static size_t fetch_give(char *bytes, size_t size, size_t count, void *data)
{
	struct transfer *transfer = data;
	const struct fetch_request *request = transfer->request;
	size_t space = size * count, given = 0;

	while (given < space && transfer->part < request->body_parts) {
		const struct iovec *part = &request->body[transfer->part];
		size_t left = part->iov_len - transfer->part_at;
		size_t n = left < space - given ? left : space - given;

		memcpy(bytes + given, (const char *)part->iov_base + transfer->part_at, n);
		given += n;
		transfer->part_at += n;
		if (n < left)
			continue;
		transfer->part++;
		transfer->part_at = 0;
	}
	return given;
}

static curl_off_t body_bytes(const struct fetch_request *request)
{
	curl_off_t sum = 0;

	for (size_t i = 0; i < request->body_parts; i++)
		sum += (curl_off_t)request->body[i].iov_len;
	return sum;
}

/* Appends a header. Returns false if out of memory. */
static bool fetch_add_header(struct curl_slist **headers, const char *text)
{
	struct curl_slist *longer = curl_slist_append(*headers, text);

	if (longer)
		*headers = longer;
	return longer;
}

static bool add_token(struct curl_slist **headers, const struct fetch_request *request)
{
	struct buf text = {0};
	bool added;

	if (!request->token || strncmp(request->url, "https:", 6) != 0)
		return true;
	buf_printf(&text, "Authorization: Bearer %s", request->token);
	buf_append_char(&text, '\0');
	added = !text.failed && fetch_add_header(headers, text.data);
	buf_finish(&text);
	return added;
}

/* Whether one of the headers has the name of this one. */
static bool has_header(const char *const *headers, const char *header)
{
	size_t len = (size_t)(strchr(header, ':') - header) + 1;

	for (; headers && *headers; headers++)
		if (strncasecmp(*headers, header, len) == 0)
			return true;
	return false;
}

static bool fetch_add_headers(struct curl_slist **headers, const struct fetch_request *request)
{
	/* Without "Expect:" libcurl asks the server first whether it wants a large body. */
	static const char *const defaults[] = {
		"Accept: application/json",
		("User-Agent: lanner/" LANNER_VERSION), /* clang warns of it without brackets */
		"Expect:",
	};
	bool added = add_token(headers, request);

	for (size_t i = 0; added && i < COUNT(defaults); i++)
		if (!has_header(request->headers, defaults[i]))
			added = fetch_add_header(headers, defaults[i]);
	for (const char *const *more = request->headers; added && more && *more; more++)
		added = fetch_add_header(headers, *more);
	return added;
}

#define SET(option, value) code = code ? code : curl_easy_setopt(curl, option, value)

static CURLcode set_body(CURL *curl, struct transfer *transfer)
{
	CURLcode code = CURLE_OK;

	if (!transfer->request->body)
		return code;
	SET(CURLOPT_POST, 1L);
	SET(CURLOPT_POSTFIELDSIZE_LARGE, body_bytes(transfer->request));
	/*
	 * Without a function to seek libcurl gives up when a connection that it uses again ends,
	 * where it would send the body a second time by another one.
	 */
	SET(CURLOPT_READFUNCTION, fetch_give);
	SET(CURLOPT_READDATA, transfer);
	SET(CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BYTES);
	return code;
}

static int note_socket(void *data, curl_socket_t socket, curlsocktype purpose)
{
	((struct transfer *)data)->socket = socket;
	return CURL_SOCKOPT_OK;
}

/* Before the request is sent: who may write the path of a socket need not be who listens there. */
static int fetch_check_owner(void *data, char *to, char *from, int to_port, int from_port)
{
	struct transfer *transfer = data;
	struct ucred listener = {.uid = (uid_t)-1};
	socklen_t len = sizeof(listener);

	getsockopt(transfer->socket, SOL_SOCKET, SO_PEERCRED, &listener, &len);
	transfer->listener = listener.uid;
	transfer->is_strangers = listener.uid != 0 && listener.uid != geteuid() &&
				 listener.uid != transfer->request->owner;
	return transfer->is_strangers ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static CURLcode set_owner(CURL *curl, struct transfer *transfer)
{
	CURLcode code = CURLE_OK;

	if (!transfer->request->socket || !transfer->request->checks_owner)
		return code;
	SET(CURLOPT_SOCKOPTFUNCTION, note_socket);
	SET(CURLOPT_SOCKOPTDATA, transfer);
	SET(CURLOPT_PREREQFUNCTION, fetch_check_owner);
	SET(CURLOPT_PREREQDATA, transfer);
	return code;
}

static CURLcode fetch_set_tls(CURL *curl, const struct fetch_request *request)
{
	CURLcode code = CURLE_OK;

	if (request->ca_path) {
		SET(CURLOPT_CAINFO, request->ca_path);
		SET(CURLOPT_CAPATH, NULL); /* the system's are not for clusters */
	}
	/* The file is read for each connection: its certificates may be replaced. */
	SET(CURLOPT_CA_CACHE_TIMEOUT, 0L);
	SET(CURLOPT_SSL_VERIFYPEER, (long)!request->trusts_any);
	SET(CURLOPT_SSL_VERIFYHOST, request->trusts_any ? 0L : 2L);
	SET(CURLOPT_SSLCERT, request->cert_path);
	SET(CURLOPT_SSLKEY, request->key_path);
	return code;
}

static CURLcode fetch_set_options(struct transfer *transfer, const struct curl_slist *headers)
{
	const struct fetch_request *request = transfer->request;
	uint32_t connect_ms = request->connect_ms ? request->connect_ms : FETCH_CONNECT_MS;
	bool is_fresh = request->http2 || request->checks_owner;
	CURL *curl = transfer->curl;
	CURLcode code;

	curl_easy_reset(curl);
	code = set_body(curl, transfer);
	if (code == CURLE_OK)
		code = set_owner(curl, transfer);
	if (code == CURLE_OK)
		code = fetch_set_tls(curl, request);
	SET(CURLOPT_URL, request->url);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	/* The environment's is not for the machine's own cluster. */
	SET(CURLOPT_PROXY, request->proxy ? request->proxy : "");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_UNIX_SOCKET_PATH, request->socket);
	SET(CURLOPT_HTTP_VERSION, request->http2 ? (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
						 : (long)CURL_HTTP_VERSION_1_1);
	/* libcurl before 8.0 fails when it uses a connection of HTTP/2 again (curl's issue 10634).
	 */
	SET(CURLOPT_FRESH_CONNECT, (long)is_fresh);
	SET(CURLOPT_FORBID_REUSE, (long)is_fresh);
	SET(CURLOPT_HTTPHEADER, headers);
	SET(CURLOPT_ACCEPT_ENCODING, request->compressed ? "gzip" : NULL);
	/* A signal for a time-out would hit the threads of others. */
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_QUICK_EXIT, 1L); /* the end does not wait for the resolver of names */
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	SET(CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_S);
	SET(CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_S);
	SET(CURLOPT_WRITEFUNCTION, fetch_take);
	SET(CURLOPT_WRITEDATA, transfer);
	SET(CURLOPT_HEADERFUNCTION, fetch_take_header);
	SET(CURLOPT_HEADERDATA, transfer);
	SET(CURLOPT_ERRORBUFFER, transfer->message);
	return code;
}

#undef SET

/* Waits for the server or another thread; a failure must not become a loop without waits. */
static void poll_for(struct fetch *fetch, int ms)
{
	struct curl_waitfd stop = {.fd = fetch->stop_fd, .events = CURL_WAIT_POLLIN};

	if (curl_multi_poll(fetch->multi, &stop, fetch->stop_fd >= 0, ms, NULL))
		usleep(FAILED_POLL_US);
	if (stop.revents)
		atomic_store(&fetch->stopped, true);
}

/* Runs the transfer to its end. Returns whether it ended by itself. */
static bool fetch_run(struct fetch *fetch, struct transfer *transfer, CURLcode *code)
{
	const struct fetch_request *request = transfer->request;
	int running, queued;
	CURLMsg *message;

	for (;;) {
		if (fetch_is_stopped(fetch))
			return false;
		if (curl_multi_perform(fetch->multi, &running)) {
			*code = CURLE_OUT_OF_MEMORY;
			return true;
		}
		while ((message = curl_multi_info_read(fetch->multi, &queued))) {
			if (message->msg != CURLMSG_DONE)
				continue;
			*code = message->data.result;
			return true;
		}
		if (request->waits && !request->waits(request->data))
			transfer->unwanted = true;
		if (transfer->unwanted)
			return true;
		poll_for(fetch, request->look_ms ? (int)request->look_ms : FETCH_LOOK_MS);
	}
}

/* What libcurl's result means for the caller; others: -EHOSTUNREACH. */
static int fetch_to_errno(CURL *curl, CURLcode code)
{
	long number = 0;
	static const struct {
		CURLcode code;
		int result;
	} rows[] = {
		{CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT},
		{CURLE_OUT_OF_MEMORY, -ENOMEM},
		{CURLE_PARTIAL_FILE, -EMSGSIZE},
		{CURLE_GOT_NOTHING, -EMSGSIZE},
		{CURLE_RECV_ERROR, -EMSGSIZE},
		{CURLE_SEND_ERROR, -EMSGSIZE},
		{CURLE_SEND_FAIL_REWIND, -EMSGSIZE},
		{CURLE_BAD_CONTENT_ENCODING, -EMSGSIZE},
		{CURLE_PEER_FAILED_VERIFICATION, -EKEYREJECTED},
		{CURLE_SSL_CONNECT_ERROR, -EKEYREJECTED},
		{CURLE_SSL_CACERT_BADFILE, -EKEYREJECTED},
		{CURLE_SSL_ISSUER_ERROR, -EKEYREJECTED},
		{CURLE_SSL_CIPHER, -EKEYREJECTED},
		{CURLE_SSL_CERTPROBLEM, -EKEYREJECTED},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].code == code)
			return rows[i].result;
	if (code == CURLE_COULDNT_CONNECT)
		curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number);
	return number > 0 ? -(int)number : -EHOSTUNREACH;
}

static int fetch_fail(const struct transfer *transfer, CURLcode code, struct error *err)
{
	int result = fetch_to_errno(transfer->curl, code);
	const char *why = transfer->message, *proxy = transfer->request->proxy;

	if (transfer->is_strangers)
		return error_set(err, -EPERM,
				 "user %" PRIu32 " listens there, and may not: not believed",
				 transfer->listener);
	/* libcurl names "localhost port 80" then. */
	if (transfer->request->socket && code == CURLE_COULDNT_CONNECT)
		why = strerror(-result);
	/* It can have a password. */
	if (proxy && *proxy && strstr(why, proxy))
		why = "the proxy cannot be used: is it a URL such as http://host:3128?";
	return error_set(err, result, "%s", *why ? why : curl_easy_strerror(code));
}

static void describe_end(CURL *curl, struct fetch_end *end)
{
	curl_off_t retry_after = 0;
	long sent = 0;

	curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &sent);
	end->sent = sent > 0;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &end->status);
	curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
	end->retry_after_s = retry_after < UINT32_MAX ? (uint32_t)retry_after : UINT32_MAX;
}

int fetch_get(struct fetch *fetch, const struct fetch_request *request, struct fetch_end *end,
	      struct error *err)
{
	struct transfer transfer = {.curl = fetch->curl, .request = request, .socket = -1};
	struct curl_slist *headers = NULL;
	CURLcode code = fetch_add_headers(&headers, request) ? fetch_set_options(&transfer, headers)
							     : CURLE_OUT_OF_MEMORY;
	bool ended = true;

	*end = (struct fetch_end){0};
	if (code == CURLE_OK && curl_multi_add_handle(fetch->multi, fetch->curl))
		code = CURLE_OUT_OF_MEMORY;
	if (code == CURLE_OK) {
		ended = fetch_run(fetch, &transfer, &code);
		describe_end(fetch->curl, end);
		curl_multi_remove_handle(fetch->multi, fetch->curl);
	}
	curl_easy_setopt(fetch->curl, CURLOPT_ERRORBUFFER, NULL);
	curl_slist_free_all(headers);
	if (!ended)
		return error_set(err, -ECANCELED, "canceled");
	if (code == CURLE_OK || transfer.unwanted)
		return 0;
	return fetch_fail(&transfer, code, err);
}

void fetch_wait(struct fetch *fetch, uint64_t ns)
{
	uint64_t ms = ns / NS_PER_MS + 1;

	if (!fetch_is_stopped(fetch))
		poll_for(fetch, ms < INT_MAX ? (int)ms : INT_MAX);
}

void fetch_wake(struct fetch *fetch)
{
	curl_multi_wakeup(fetch->multi);
}

void fetch_stop(struct fetch *fetch)
{
	atomic_store(&fetch->stopped, true);
	curl_multi_wakeup(fetch->multi);
}

bool fetch_is_stopped(const struct fetch *fetch)
{
	return atomic_load(&fetch->stopped);
}

void fetch_stop_by(struct fetch *fetch, int fd)
{
	fetch->stop_fd = fd;
}
