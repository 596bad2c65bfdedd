/* SPDX-License-Identifier: MIT */
/* Options about the pods of Kubernetes. */
#include <string.h>

#include "parsed.h"
#include "unit.h"

static void test_values(void **state)
{
	struct options options;
	const struct kube_options *kubernetes = &options.kubernetes;

	parse_right("", &options);
	assert_null(kubernetes->api);
	assert_null(kubernetes->node);
	options_finish(&options);
	parse_right("--k8s-api https://a --k8s-node n1 --k8s-token t --k8s-ca c", &options);
	assert_string_equal(kubernetes->api, "https://a");
	assert_string_equal(kubernetes->node, "n1");
	assert_string_equal(kubernetes->token_path, "t");
	assert_string_equal(kubernetes->ca_path, "c");
	assert_false(kubernetes->kubelet_insecure);
	options_finish(&options);
	parse_right("--kubelet https://b --kubelet-ca d --kubelet-insecure", &options);
	assert_string_equal(kubernetes->kubelet, "https://b");
	assert_string_equal(kubernetes->kubelet_ca_path, "d");
	assert_true(kubernetes->kubelet_insecure);
	options_finish(&options);
}

static void test_urls(void **state)
{
	struct options options;

	for (const char *const *line = (const char *const[]){"--k8s-api auto", "--k8s-api none",
							     "--k8s-api http://a", NULL};
	     *line; line++) {
		parse_right(*line, &options);
		assert_string_equal(options.kubernetes.api, strrchr(*line, ' ') + 1);
		options_finish(&options);
	}
	expect_rejected("--k8s-api host:6443", NULL);
	expect_rejected("--k8s-api autos", NULL);
	expect_rejected("--kubelet host:10250", NULL);
	expect_rejected("--kubelet none", NULL);
}

/* Also that of pods in capture files. */
static void test_cluster(void **state)
{
	struct options options;

	parse_right("-r file --k8s-cluster prod", &options);
	assert_string_equal(options.k8s_cluster, "prod");
	options_finish(&options);
	expect_rejected("--k8s-cluster=", NULL);
}

static void test_live_only(void **state)
{
	expect_rejected("-r file --k8s-api none",
			"--k8s-api means nothing with -r: it is about events that happen now");
	expect_rejected(
		"-r file --kubelet-insecure",
		"--kubelet-insecure means nothing with -r: it is about events that happen now");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_urls),
	cmocka_unit_test(test_cluster),
	cmocka_unit_test(test_live_only),
};

UNIT_GROUP(tests);
