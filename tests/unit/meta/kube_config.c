/* SPDX-License-Identifier: MIT */
/* Which server is asked, by options and by the environment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/kube_config.h"
#include "tree.h"
#include "unit.h"

static struct tree tree;
static char token[TREE_PATH_BYTES], ca[TREE_PATH_BYTES];

static int setup(void **state)
{
	tree_create(&tree);
	tree_write(&tree, "token", "t");
	tree_write(&tree, "ca.crt", "c");
	tree_path(&tree, "token", token);
	tree_path(&tree, "ca.crt", ca);
	return 0;
}

static int teardown(void **state)
{
	tree_destroy(&tree);
	return 0;
}

static int clear(void **state)
{
	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("KUBERNETES_SERVICE_PORT");
	unsetenv("NODE_NAME");
	return 0;
}

static void expect(const struct kube_options *options, int code, const char *text)
{
	struct kube_config config;
	struct error err = {0};

	assert_int_equal(kube_config_find(options, &config, &err), code);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
	if (!*text)
		assert_string_equal(err.text, "");
}

static void test_off(void **state)
{
	struct kube_options options = {0};

	/* Outside of a cluster, and where it is not wanted. */
	expect(&options, -ENOENT, "");
	options.api = "auto";
	expect(&options, -ENOENT, "");
	setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
	options.api = "none";
	expect(&options, -ENOENT, "");
}

static void test_cluster(void **state)
{
	static const struct {
		const char *host, *port, *url;
	} rows[] = {
		{"10.0.0.1", "6443", "https://10.0.0.1:6443"},
		{"10.0.0.1", NULL, "https://10.0.0.1:443"},
		{"fd00::1", "443", "https://[fd00::1]:443"},
		{"[fd00::1]", "443", "https://[fd00::1]:443"},
		{"kubernetes.default.svc", "443", "https://kubernetes.default.svc:443"},
	};
	struct kube_options options = {.token_path = token, .ca_path = ca};
	struct kube_config config;

	setenv("NODE_NAME", "ip-10-0-0-1.eu", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsetenv("KUBERNETES_SERVICE_PORT");
		setenv("KUBERNETES_SERVICE_HOST", rows[i].host, 1);
		if (rows[i].port)
			setenv("KUBERNETES_SERVICE_PORT", rows[i].port, 1);
		assert_int_equal(kube_config_find(&options, &config, NULL), 0);
		assert_string_equal(config.url, rows[i].url);
		assert_string_equal(config.node, "ip-10-0-0-1.eu");
		assert_string_equal(config.token_path, token);
		assert_string_equal(config.ca_path, ca);
		assert_false(config.insecure);
	}
	options.node = "n2";
	assert_int_equal(kube_config_find(&options, &config, NULL), 0);
	assert_string_equal(config.node, "n2");
}

static void test_cluster_lacks_something(void **state)
{
	struct kube_options options = {0};

	setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
	setenv("NODE_NAME", "n1", 1);
	/* The test runs in no cluster: there is no token. */
	if (access(KUBE_ACCOUNT_FOLDER "/token", F_OK) != 0)
		expect(&options, -ENOENT, KUBE_ACCOUNT_FOLDER "/token");
	options.token_path = token;
	unsetenv("NODE_NAME");
	expect(&options, -ENOENT, "--k8s-node");
	setenv("NODE_NAME", "", 1);
	expect(&options, -ENOENT, "--k8s-node");
	setenv("NODE_NAME", "a/b", 1);
	expect(&options, -EINVAL, "NODE_NAME a/b: not the name of a node");
}

static void test_url(void **state)
{
	struct kube_options options = {
		.api = "https://host:1/prefix//", .node = "n1", .token_path = token, .ca_path = ca};
	struct kube_config config;
	struct error err;

	assert_int_equal(kube_config_find(&options, &config, NULL), 0);
	assert_string_equal(config.url, "https://host:1/prefix");
	/* The token is not sent without encryption. */
	options.api = "http://127.0.0.1:8001";
	expect(&options, -EINVAL, "a token is sent to https:// alone");
	options.token_path = NULL;
	assert_int_equal(kube_config_find(&options, &config, NULL), 0);
	assert_null(config.token_path);
	options.token_path = token;
	options.api = "host:1";
	expect(&options, -EINVAL, "--k8s-api host:1: a URL begins with");
	options.api = "https://a b";
	expect(&options, -EINVAL, "not the URL of a server");
	options.api = "https://user:secret@a";
	assert_int_equal(kube_config_find(&options, &config, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--k8s-api: a URL with a user or a password"));
	assert_null(strstr(err.text, "secret"));
	options.api = "https://a";
	options.node = NULL;
	expect(&options, -EINVAL, "--k8s-node");
	options.node = "N 1";
	expect(&options, -EINVAL, "--k8s-node N 1: not the name of a node");
	options.node = "n1";
	options.token_path = "/no/such/file";
	expect(&options, -EINVAL, "--k8s-token: /no/such/file: No such file");
	options.token_path = token;
	options.ca_path = "/no/such/file";
	expect(&options, -EINVAL, "--k8s-ca: /no/such/file: No such file");
}

static void test_kubelet(void **state)
{
	struct kube_options options = {
		.kubelet = "https://10.0.0.2:10250", .token_path = token, .kubelet_ca_path = ca};
	struct kube_config config;

	/* It has the pods of its node alone. */
	assert_int_equal(kube_config_find(&options, &config, NULL), 0);
	assert_string_equal(config.url, "https://10.0.0.2:10250");
	assert_string_equal(config.node, "");
	assert_string_equal(config.ca_path, ca);
	assert_false(config.insecure);
	options.kubelet_insecure = true;
	assert_int_equal(kube_config_find(&options, &config, NULL), 0);
	assert_true(config.insecure);
	options.api = "https://host";
	expect(&options, -EINVAL, "one of them");
	options = (struct kube_options){.kubelet_insecure = true};
	expect(&options, -EINVAL, "--kubelet-insecure goes with --kubelet");
	options = (struct kube_options){.kubelet_ca_path = ca};
	expect(&options, -EINVAL, "--kubelet-ca goes with --kubelet");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_off, clear),
	cmocka_unit_test_setup(test_cluster, clear),
	cmocka_unit_test_setup(test_cluster_lacks_something, clear),
	cmocka_unit_test_setup(test_url, clear),
	cmocka_unit_test_setup(test_kubelet, clear),
};

UNIT_GROUP(tests, .setup = setup, .teardown = teardown);
