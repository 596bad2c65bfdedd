/* SPDX-License-Identifier: MIT */
/*
 * Descriptions and users of containers during a run: requested, stored, waited for; whether pods
 * are followed.
 */
#include "agent/run/containers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/cache.h"
#include "meta/runtimes/files.h"
#include "meta/meta.h"
#include "meta/runtimes/sockets.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/count.h"
#include "util/terminal.h"

enum {
	NS_PER_MS = 1000000,
	LOOK_NS = INPUT_LOOK_MS * NS_PER_MS,
	AGAIN_MAX = 4, /* behind an event */
	UPDATES_MAX = 256, /* at a time: followers can go on pushing meanwhile */
};

/* Waits for answers of a kind. */
struct waits {
	uint32_t (*pending)(const struct meta *meta);
	unsigned int timeouts; /* since the last answer */
	uint64_t late; /* see struct account_containers */
};

struct containers {
	const struct options *options; /* borrowed */
	struct meta *meta;
	struct meta_cache *cache; /* a reference; NULL: nothing is described */
	struct meta_follower *pods; /* owned by `meta`; NULL: they are not followed */
	struct meta_follower *owners; /* likewise, of pods of other nodes */
	bool asked_pods; /* containers_follow_pods() was called */
	bool asked_services; /* likewise */
	struct state *state; /* borrowed */
	struct input *input; /* borrowed */
	bool describes; /* descriptions are requested, too */
	uint64_t wait_ns;
	bool with_env; /* their environment is recorded */
	struct waits descriptions, users;
	bool failed; /* the first failure was printed */
	uint64_t unverified, full, again; /* see struct account_containers */
	uint64_t owners_rejected; /* META_KUBE_OWNERS_REJECTED */
};

/* Prints `text`, and releases it. Names, paths and answers in it are those of others. */
static void print_masked(struct buf *text)
{
	if (!text->failed) {
		terminal_mask(text->data, text->len);
		fprintf(stderr, "agent: %.*s\n", (int)text->len, text->data);
	}
	buf_finish(text);
}

/* The first failure is printed, all are counted. */
static void print_failure(struct containers *containers, const struct meta_update *update)
{
	struct buf text = {0};

	if (!update->err.text[0] || containers->failed)
		return;
	containers->failed = true;
	buf_printf(&text, "container %s: %s", update->id, update->err.text);
	print_masked(&text);
}

static enum state_meta state_of(const struct meta_update *update)
{
	if (update->info)
		return update->is_partial ? STATE_META_PARTIAL : STATE_META_OK;
	if (!update->is_answer)
		return STATE_META_OK;
	return update->is_forgeable ? STATE_META_UNVERIFIED : STATE_META_MISSING;
}

static void containers_take_container(struct containers *containers, struct meta_update *update)
{
	if (update->is_answer)
		containers->descriptions.timeouts = 0;
	print_failure(containers, update);
	state_describe_container(containers->state, update->id, update->owner, state_of(update),
				 update->info);
	update->info = NULL;
}

static void take_users(struct containers *containers, struct meta_update *update)
{
	containers->users.timeouts = 0;
	state_set_users(containers->state, update->id, update->owner, update->result,
			update->users);
	update->users = NULL;
}

static void containers_take_removed(struct containers *containers, struct meta_update *update)
{
	state_remove_container(containers->state, update->id);
}

static void containers_take_pod(struct containers *containers, struct meta_update *update)
{
	state_describe_pod(containers->state, update->pod);
	update->pod = NULL;
}

static void take_removed_pod(struct containers *containers, struct meta_update *update)
{
	state_forget_pod(containers->state, update->id);
}

static void take_service(struct containers *containers, struct meta_update *update)
{
	state_describe_service(containers->state, update->service);
	update->service = NULL;
}

static void take_removed_service(struct containers *containers, struct meta_update *update)
{
	state_forget_service(containers->state, update->id);
}

static void take_owner(struct containers *containers, struct meta_update *update)
{
	state_set_workload(containers->state, update->id, &update->pod->pod.workload);
}

static void containers_take_failure(struct containers *containers, struct meta_update *update)
{
	struct buf text = {0};

	if (update->id) {
		print_failure(containers, update);
		return;
	}
	buf_append_string(&text, update->err.text);
	print_masked(&text);
}

void containers_apply(struct containers *containers)
{
	static void (*const take[META_KINDS_COUNT])(struct containers * containers,
						    struct meta_update * update) = {
		[META_CONTAINER] = containers_take_container,
		[META_USERS] = take_users,
		[META_CONTAINER_REMOVED] = containers_take_removed,
		[META_POD] = containers_take_pod,
		[META_POD_REMOVED] = take_removed_pod,
		[META_SERVICE] = take_service,
		[META_SERVICE_REMOVED] = take_removed_service,
		[META_POD_OWNER] = take_owner,
		[META_FAILURE] = containers_take_failure,
	};
	struct meta_update *update;

	if (!meta_is_ready(containers->meta))
		return;
	for (int i = 0; i < UPDATES_MAX && (update = meta_take(containers->meta)); i++) {
		take[update->kind](containers, update);
		meta_update_destroy(update);
	}
}

/* What runtimes said before is known also where nobody can be asked. */
static void describe_by_cache(struct containers *containers,
			      const struct state_container *container)
{
	struct state_container_info *info = state_container_info_create();
	enum meta_cache_state found = META_CACHE_NONE;

	if (info && container->owner == STATE_OWNER_ROOT && containers->cache)
		found = meta_cache_find(containers->cache, container->id, clock_ns(CLOCK_MONOTONIC),
					info);
	if (found >= META_CACHE_SOME)
		state_describe_container(
			containers->state, container->id, container->owner,
			found == META_CACHE_WHOLE ? STATE_META_OK : STATE_META_PARTIAL, info);
	else
		state_container_info_destroy(info);
}

static enum meta_rank rank_of(const struct meta_request *request)
{
	if (request->owner != STATE_OWNER_ROOT)
		return META_OF_USER;
	return request->bundle ? META_OF_RUNTIME : META_OF_ROOT;
}

/* Returns whether there will be an answer. */
static bool request(struct containers *containers, struct state_container *container)
{
	char bundle[PATH_MAX];
	struct meta_request request = {.id = container->id,
				       .type = container->type,
				       .owner = container->owner,
				       .with_env = containers->with_env};

	if (!state_container_can_be_described(container)) {
		containers->unverified++;
		return false;
	}
	if (state_container_bundle(containers->state, container, bundle, sizeof(bundle)))
		request.bundle = bundle;
	else if (state_container_is_unread(containers->state, container))
		state_ask_for_container_again(containers->state, container);
	request.rank = rank_of(&request);
	if (meta_request(containers->meta, &request)) {
		state_ask_for_container_again(containers->state, container);
		describe_by_cache(containers, container);
		return false;
	}
	state_container_set_pending(container);
	return true;
}

/* Waits until `end`, of CLOCK_MONOTONIC. */
static void wait_for_answers(struct containers *containers, struct waits *waits, uint64_t end)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (; waits->pending(containers->meta); now = clock_ns(CLOCK_MONOTONIC)) {
		if (now >= end) {
			waits->late++;
			waits->timeouts++;
			return;
		}
		if (!input_has_room(containers->input)) {
			containers->full++;
			return;
		}
		if (meta_wait(containers->meta, end - now < LOOK_NS ? end - now : LOOK_NS))
			containers_apply(containers);
	}
}

static bool request_descriptions(struct containers *containers)
{
	struct state_container *container;
	bool requested = false, in_pod = false;

	while ((container = state_take_new_container(containers->state))) {
		requested |= request(containers, container);
		in_pod |= container->pod_uid[0] != '\0';
	}
	if (in_pod && containers->pods)
		container_pods_hurry(containers->pods);
	return requested;
}

/* No event waits for these: they have been without a description for a while. */
static void request_again(struct containers *containers)
{
	struct state_container *container;

	for (int i = 0; i < AGAIN_MAX; i++) {
		container = state_take_container_again(containers->state);
		if (!container)
			return;
		containers->again++;
		request(containers, container);
	}
}

static bool request_users(struct containers *containers)
{
	struct state_users_wanted wanted;
	bool requested = false;

	while (state_take_users_wanted(containers->state, &wanted)) {
		int r = meta_request_users(containers->meta, &wanted);

		if (r) /* as if the process had exited: another one may be asked for later */
			state_set_users(containers->state, wanted.id, wanted.owner, -ESRCH, NULL);
		requested |= r == 0;
	}
	return requested;
}

void containers_follow(struct containers *containers)
{
	/* Of both kinds before the first wait, so that the waits together last as long as one. */
	bool users = request_users(containers);
	bool descriptions = containers->describes && request_descriptions(containers);
	uint64_t end;

	if (containers->describes)
		request_again(containers);
	if ((!users && !descriptions) || !containers->wait_ns)
		return;
	end = clock_ns(CLOCK_MONOTONIC) + containers->wait_ns;
	if (descriptions && containers->descriptions.timeouts < INPUT_TIMEOUTS_MAX)
		wait_for_answers(containers, &containers->descriptions, end);
	if (users && containers->users.timeouts < INPUT_TIMEOUTS_MAX)
		wait_for_answers(containers, &containers->users, end);
}

#ifdef WITH_RUNTIME_SOCKETS
static struct sockets_config sockets_config(const struct options *options, struct meta_cache *cache)
{
	return (struct sockets_config){
		.host_root = options->host_root,
		.paths = options->runtime_sockets,
		.paths_count = options->runtime_sockets_count,
		.with_env = options->container_env,
		.cache = cache,
	};
}

static int create_sockets(const struct options *options, struct meta_cache *cache,
			  struct meta_source **source, struct error *err)
{
	struct sockets_config config = sockets_config(options, cache);

	return sockets_source_create(&config, source, err);
}

static int lead_to_sockets(const struct options *options, struct meta_cache *cache,
			   struct meta_source **source, struct error *err)
{
	struct sockets_config config = sockets_config(options, cache);

	return sockets_ahead_create(&config, *source, source, err);
}

static int follow_sockets(const struct options *options, struct meta_cache *cache,
			  struct meta *meta, struct error *err)
{
	struct sockets_config config = sockets_config(options, cache);
	struct meta_follower *followers[SOCKETS_MAX];
	size_t count;
	int r = sockets_followers_create(&config, followers, &count, err);

	if (r)
		return r;
	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = meta_follow(meta, followers[i], err);
		else
			followers[i]->ops->destroy(followers[i]);
	}
	return r;
}
#else
static int create_sockets(const struct options *options, struct meta_cache *cache,
			  struct meta_source **source, struct error *err)
{
	if (options->runtime_sockets_count == 0)
		return 0;
	return error_set(err, -ENOSYS,
			 "--runtime-socket: this build cannot ask runtimes (libcurl, protobuf-c)");
}

static int lead_to_sockets(const struct options *options, struct meta_cache *cache,
			   struct meta_source **source, struct error *err)
{
	return 0;
}

static int follow_sockets(const struct options *options, struct meta_cache *cache,
			  struct meta *meta, struct error *err)
{
	return 0;
}
#endif

/*
 * What runtimes said before, then files, which are there when a container starts: both answer at
 * once. Then the sockets.
 */
static int create_stages(const struct options *options, struct meta_cache *cache, struct meta *meta,
			 struct error *err)
{
	struct meta_source *stages[2] = {0};
	int r = create_sockets(options, cache, &stages[1], err);

	if (r)
		return r;
	stages[0] = meta_files_create(options->host_root);
	if (stages[0])
		stages[0] = meta_cached_create(stages[0], cache);
	r = stages[0] ? lead_to_sockets(options, cache, &stages[0], err)
		      : error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		return meta_add_stages(meta, stages, stages[1] ? 2 : 1, err);
	meta_source_destroy(stages[1]);
	return r;
}

int containers_describe(struct containers *containers, struct error *err)
{
	struct meta_cache *cache;
	int r;

	if (containers->describes)
		return 0;
	cache = meta_cache_create();
	r = cache ? create_stages(containers->options, cache, containers->meta, err)
		  : error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = follow_sockets(containers->options, cache, containers->meta, err);
	if (r) {
		meta_cache_unref(cache);
		return r;
	}
	containers->cache = cache;
	containers->describes = true;
	containers_follow(containers);
	return 0;
}

static int read_users(struct containers *containers, struct error *err)
{
	struct scap_proc *proc;
	int r = state_copy_proc(containers->state, &proc);

	if (r)
		return error_set(err, r, "reading the users of containers: %s", strerror(-r));
	return proc ? meta_read_users(containers->meta, proc, err) : 0;
}

int containers_create(const struct options *options, struct state *state, struct input *input,
		      struct containers **containers, struct error *err)
{
	struct containers *made = calloc(1, sizeof(*made));
	int r = made ? meta_create(NULL, 0, 0, &made->meta, err)
		     : error_set(err, -ENOMEM, "out of memory");

	if (r == 0) {
		meta_set_waker(made->meta, input->waker);
		made->options = options;
		made->state = state;
		made->input = input;
		made->wait_ns = (uint64_t)options->meta_wait_ms * NS_PER_MS;
		made->with_env = options->container_env;
		made->descriptions.pending = meta_pending;
		made->users.pending = meta_pending_users;
		r = read_users(made, err);
	}
	if (r) {
		containers_destroy(made);
		return r;
	}
	containers_follow(made);
	*containers = made;
	return 0;
}

int containers_follow_pods(struct containers *containers, struct error *err)
{
	if (containers->asked_pods)
		return 0;
	containers->asked_pods = true;
	return container_pods_follow(containers->options, containers->meta, &containers->pods, err);
}

int containers_follow_services(struct containers *containers, struct error *err)
{
	if (containers->asked_services)
		return 0;
	containers->asked_services = true;
	return container_services_follow(containers->options, containers->meta, &containers->owners,
					 err);
}

void containers_meet_peer(struct containers *containers, const struct state_event *event)
{
	struct state_peer peer;

	if (!containers->owners || !state_peer_of(event, &peer) || peer.process || !peer.pod ||
	    peer.workload || !peer.pod->uid)
		return;
	if (state_want_workload(containers->state, peer.pod->uid) &&
	    !container_owners_ask(containers->owners, peer.pod))
		containers->owners_rejected++;
}

void containers_destroy(struct containers *containers)
{
	if (!containers)
		return;
	meta_destroy(containers->meta);
	meta_cache_unref(containers->cache);
	free(containers);
}

void containers_account(const struct containers *containers, struct account_containers *account)
{
	meta_stats(containers->meta, &account->meta);
	account->meta.counts[META_KUBE_OWNERS_REJECTED] = containers->owners_rejected;
	account->late = containers->descriptions.late;
	account->users_late = containers->users.late;
	account->full = containers->full;
	account->unverified = containers->unverified;
	account->again = containers->again;
}

#ifdef WITH_KUBERNETES

#include "meta/kube.h"
#include "meta/kube_owners.h"

int container_pods_follow(const struct options *options, struct meta *meta,
			  struct meta_follower **result, struct error *err)
{
	struct meta_follower *follower;
	struct error missing = {0};
	struct kube_config config;
	int r = kube_config_find(&options->kubernetes, &config, &missing);

	*result = NULL;
	if (r == -ENOENT) {
		/* It can do without. */
		if (missing.text[0])
			fprintf(stderr, "agent: %s\n", missing.text);
		return 0;
	}
	if (r)
		return error_set(err, r, "%s", missing.text);
	r = kube_follower_create(&config, KUBE_PODS, &follower, err);
	if (r == 0)
		r = meta_follow(meta, follower, err);
	if (r == 0)
		*result = follower;
	return r;
}

/* What is missing is reported with the pods, which are followed, too. */
int container_services_follow(const struct options *options, struct meta *meta,
			      struct meta_follower **owners, struct error *err)
{
	static const enum kube_subject subjects[] = {KUBE_SERVICES, KUBE_SLICES};
	struct meta_follower *follower;
	struct error missing = {0};
	struct kube_config config;
	int r = kube_config_find(&options->kubernetes, &config, &missing);

	*owners = NULL;
	/* A kubelet has none. */
	if (r || options->kubernetes.kubelet)
		return 0;
	for (size_t i = 0; r == 0 && i < COUNT(subjects); i++) {
		r = kube_follower_create(&config, subjects[i], &follower, err);
		if (r == 0)
			r = meta_follow(meta, follower, err);
	}
	if (r == 0)
		r = kube_owners_create(&config, &follower, err);
	if (r == 0)
		r = meta_follow(meta, follower, err);
	if (r == 0)
		*owners = follower;
	return r;
}

bool container_owners_ask(struct meta_follower *owners, const struct state_pod *pod)
{
	const struct kube_pod_name name = {pod->uid, pod->ns, pod->name};

	return kube_owners_ask(owners, &name) != -EAGAIN;
}

void container_pods_hurry(struct meta_follower *follower)
{
	kube_follower_hurry(follower);
}

#else

int container_pods_follow(const struct options *options, struct meta *meta,
			  struct meta_follower **result, struct error *err)
{
	*result = NULL;
	if (!kube_options_name_server(&options->kubernetes))
		return 0;
	return error_set(err, -ENOSYS,
			 "--k8s-api, --kubelet: this build cannot ask Kubernetes "
			 "(libcurl)");
}

int container_services_follow(const struct options *options, struct meta *meta,
			      struct meta_follower **owners, struct error *err)
{
	*owners = NULL;
	return 0;
}

bool container_owners_ask(struct meta_follower *owners, const struct state_pod *pod)
{
	return false;
}

void container_pods_hurry(struct meta_follower *follower)
{
}

#endif
