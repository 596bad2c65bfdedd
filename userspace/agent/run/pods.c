/* SPDX-License-Identifier: MIT */
#include "agent/run/pods.h"

#include <errno.h>
#include <stdio.h>

#ifdef WITH_KUBERNETES

#include "meta/kube/kube.h"

int pods_follow(const struct options *options, struct meta *meta, struct meta_follower **result,
		struct error *err)
{
	struct meta_follower *follower;
	struct error missing = {0};
	struct kube_config config;
	int code = kube_config_find(&options->kubernetes, &config, &missing);

	*result = NULL;
	if (code == -ENOENT) {
		/* It can do without. */
		if (missing.text[0])
			fprintf(stderr, "agent: %s\n", missing.text);
		return 0;
	}
	if (code)
		return error_set(err, code, "%s", missing.text);
	code = kube_follower_create(&config, &follower, err);
	if (code == 0)
		code = meta_follow(meta, follower, err);
	if (code == 0)
		*result = follower;
	return code;
}

void pods_hurry(struct meta_follower *follower)
{
	kube_follower_hurry(follower);
}

#else

int pods_follow(const struct options *options, struct meta *meta, struct meta_follower **result,
		struct error *err)
{
	*result = NULL;
	if (!kube_options_name_server(&options->kubernetes))
		return 0;
	return error_set(err, -ENOSYS,
			 "--k8s-api, --kubelet: this build cannot ask Kubernetes "
			 "(libcurl)");
}

void pods_hurry(struct meta_follower *follower)
{
}

#endif
