/* SPDX-License-Identifier: MIT */
/* The thread that asks for single pods, against a server. */
#include "meta/kube_owners.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fake_server.h"
#include "meta/kube_client.h"
#include "patience.h"
#include "unit.h"

#define METADATA(uid, owner)                                                                       \
	FAKE_STREAM("{\"kind\":\"PartialObjectMetadata\",\"metadata\":{\"name\":\"db-0\",\"uid\":" \
		    "\"" uid "\",\"labels\":{\"pod-template-hash\":\"5c4f\"},\"ownerReferences\":" \
		    "[{\"kind\":\"ReplicaSet\",\"name\":\"" owner                                  \
		    "-5c4f\",\"controller\":true}]}}")
#define REFUSAL(status) "HTTP/1.1 " status "\r\nContent-Length: 2\r\n\r\n{}"

struct asking {
	struct meta_follower *follower;
	struct meta_sink *sink;
	struct fake_server *server;
	pthread_t thread;
};

static void *owners_thread(void *context)
{
	struct asking *asking = context;

	asking->follower->ops->run(asking->follower, asking->sink);
	return NULL;
}

static void begin_asking(struct asking *asking, const struct fake_response *responses, size_t count)
{
	struct kube_config config = {0};

	asking->server = fake_server_start(responses, count);
	snprintf(config.url, sizeof(config.url), "%s", fake_server_url(asking->server));
	asking->sink = meta_sink_create();
	assert_non_null(asking->sink);
	assert_int_equal(kube_owners_create(&config, &asking->follower, NULL), 0);
	assert_int_equal(pthread_create(&asking->thread, NULL, owners_thread, asking), 0);
}

static void end_asking(struct asking *asking)
{
	asking->follower->ops->stop(asking->follower);
	pthread_join(asking->thread, NULL);
	asking->follower->ops->destroy(asking->follower);
	meta_sink_unref(asking->sink);
	fake_server_stop(asking->server);
}

static int ask_for(struct asking *asking, const char *uid, const char *ns, const char *name)
{
	const struct kube_pod_name pod = {uid, ns, name};

	return kube_owners_ask(asking->follower, &pod);
}

static void await_counter(struct asking *asking, enum meta_counter counter, uint64_t value)
{
	for (int i = 0; i < PATIENCE_MS && meta_sink_counter(asking->sink, counter) < value; i++)
		meta_sink_wait(asking->sink, 1000000);
	assert_int_equal(meta_sink_counter(asking->sink, counter), value);
}

static void test_owner(void **state)
{
	static const struct fake_response responses[] = {
		{METADATA("u-1", "web"), false, 0},
		{METADATA("u-other", "web"), false, 0},
		{REFUSAL("404 Not Found"), false, 0},
		{METADATA("u-2", "shop"), false, 0},
	};
	struct meta_update *update;
	struct asking asking;

	begin_asking(&asking, responses, 4);
	assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0"), 0);
	assert_true(meta_sink_wait(asking.sink, PATIENCE_NS));
	update = meta_sink_take(asking.sink);
	assert_int_equal(update->kind, META_POD_OWNER);
	assert_string_equal(update->id, "u-1");
	assert_string_equal(update->pod->pod.workload.kind, "Deployment");
	assert_string_equal(update->pod->pod.workload.name, "web");
	meta_update_destroy(update);
	assert_non_null(strstr(fake_server_request(asking.server, 0),
			       "GET /api/v1/namespaces/shop/pods/db-0 HTTP/1.1"));
	assert_non_null(strstr(fake_server_request(asking.server, 0),
			       "Accept: application/json;as=PartialObjectMetadata;"));
	/* Another pod has the name by now, or none. */
	assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0"), 0);
	assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0"), 0);
	await_counter(&asking, META_KUBE_OWNERS_MISSING, 2);
	assert_null(meta_sink_take(asking.sink));
	assert_int_equal(ask_for(&asking, "u-2", "shop", "db-0"), 0);
	assert_true(meta_sink_wait(asking.sink, PATIENCE_NS));
	update = meta_sink_take(asking.sink);
	assert_string_equal(update->pod->pod.workload.name, "shop");
	meta_update_destroy(update);
	assert_int_equal(meta_sink_counter(asking.sink, META_KUBE_OWNERS), 4);
	end_asking(&asking);
}

static void test_failures(void **state)
{
	static const struct {
		const char *response;
		enum meta_counter counter;
		const char *message;
	} rows[] = {
		{REFUSAL("403 Forbidden"), META_KUBE_FORBIDDEN,
		 "the service account needs the verb get of pods"},
		{REFUSAL("429 Too Many"), META_KUBE_THROTTLED, NULL},
		{REFUSAL("500 No"), META_KUBE_STATUS, "status 500"},
		{FAKE_STREAM("what"), META_KUBE_NONSENSE, "pod"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct fake_response response = {rows[i].response, false, 0};
		struct meta_update *update;
		struct asking asking;

		begin_asking(&asking, &response, 1);
		assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0"), 0);
		await_counter(&asking, rows[i].counter, 1);
		update = rows[i].message && meta_sink_wait(asking.sink, PATIENCE_NS)
				 ? meta_sink_take(asking.sink)
				 : NULL;
		assert_true(!update == !rows[i].message);
		if (update)
			assert_non_null(strstr(update->err.text, rows[i].message));
		meta_update_destroy(update);
		/* The next one waits for a while. */
		assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0"), 0);
		assert_false(meta_sink_wait(asking.sink, 100000000));
		assert_int_equal(meta_sink_counter(asking.sink, META_KUBE_OWNERS), 1);
		end_asking(&asking);
	}
}

/* What is said of others becomes a path: only names that objects can have. */
static void test_names(void **state)
{
	static const char *const wrong[][3] = {
		{"u-1", "shop", "../secrets"}, {"u-1", "shop", "a/b"}, {"u-1", "shop", ""},
		{"u-1", "shop", ".."},	       {"u-1", "shop", NULL},  {"u-1", "..", "a"},
		{"u-1", "Shop", "a"},	       {"u-1", NULL, "a"},     {NULL, "shop", "a"},
		{"u-1", "shop", "a?b=c"},      {"u 1", "shop", "a"},
	};
	struct kube_config config = {.url = "http://127.0.0.1:1"};
	struct asking asking = {0};
	char name[300];

	assert_int_equal(kube_owners_create(&config, &asking.follower, NULL), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(ask_for(&asking, wrong[i][0], wrong[i][1], wrong[i][2]), -EINVAL);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(ask_for(&asking, "u-1", "shop", name), -EINVAL);
	assert_int_equal(ask_for(&asking, "u-1", name, "a"), -EINVAL);
	for (unsigned int i = 0; i < KUBE_OWNERS_QUEUE; i++)
		assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0.x"), 0);
	assert_int_equal(ask_for(&asking, "u-1", "shop", "db-0"), -EAGAIN);
	asking.follower->ops->destroy(asking.follower);
}

/* Without a token that is needed nothing is sent. */
static void test_client(void **state)
{
	struct kube_config config = {.url = "https://127.0.0.1:1", .token_path = "/no/such/token"};
	struct meta_sink *sink = meta_sink_create();
	struct fetch_request request = {.timeout_ms = 1000};
	struct kube_client client = {.sink = sink};
	struct meta_update *update;
	struct reflector_end end;
	struct error err = {0};

	assert_int_equal(kube_client_init(&client, &config, NULL), 0);
	assert_true(kube_client_get(&client, "/pods", &request, &end, &err));
	assert_int_equal(end.failure, META_KUBE_TOKEN);
	assert_non_null(strstr(end.message, "/no/such/token"));
	/* Each kind once; what passes by itself, never. */
	kube_client_report(&client, META_KUBE_TOKEN, end.message);
	kube_client_report(&client, META_KUBE_TOKEN, end.message);
	kube_client_report(&client, META_KUBE_THROTTLED, "too many");
	update = meta_sink_take(sink);
	assert_non_null(strstr(update->err.text, "Kubernetes: https://127.0.0.1:1: "));
	assert_non_null(strstr(update->err.text, "--k8s-token names another file"));
	meta_update_destroy(update);
	assert_null(meta_sink_take(sink));
	kube_client_finish(&client);
	meta_sink_unref(sink);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_owner),
	cmocka_unit_test(test_failures),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_client),
};

UNIT_GROUP(tests);
