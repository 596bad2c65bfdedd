/* SPDX-License-Identifier: MIT */
/* The thread, its tables of connections, and the queues of questions and answers. */
#include "meta/translator.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meta/requests.h"
#include "meta/stage.h"
#include "net/namespace.h"
#include "util/clock.h"

enum {
	NS_PER_MS = 1000000,
	END_MS = 200,
	SHARES = 256, /* places for counts by namespace or process: few have the same */
	HOMES = 2, /* the agent's own network namespace, and that of the host; bits: */
	OWN_HOME = 1 << 0,
	HOST_HOME = 1 << 1,
};

/* A table of connections that is open. */
struct translator_table {
	uint64_t ino; /* of its network namespace; 0: the place is free */
	int ns; /* owned: no other one has that number as long; -1: it is a home's */
	int socket; /* owned; or -errno */
	bool is_home;
	uint8_t joined; /* bits of homes: devices lead from here to them */
	uint64_t until_ns; /* it is closed then */
};

struct translator_home {
	int ns; /* owned; or -errno */
	uint64_t ino;
};

/* A question that waits. */
struct translator_asked {
	struct translator_question question;
	uint64_t asked_ns;
};

/* An answer that waits. */
struct translator_given {
	struct translator_answer answer;
	uint32_t share; /* of its question */
};

struct translator {
	atomic_uint refs; /* of the thread and of who created it */
	struct meta_thread *thread; /* owned */
	char proc[PATH_MAX];
	pthread_mutex_t lock; /* for all up to `closed` */
	pthread_cond_t asked, answered;
	struct translator_asked questions[TRANSLATOR_QUESTIONS_MAX];
	struct translator_given answers[TRANSLATOR_QUESTIONS_MAX];
	uint32_t first_question, questions_count, first_answer, answers_count;
	uint32_t pending; /* questions whose answer was not taken */
	uint32_t shares[SHARES]; /* of these, those with the same share_of() */
	bool closed;
	atomic_bool is_ready; /* there are answers */
	atomic_uint_fast64_t fates[TRANSLATOR_FATES], rejected;
	/* Used by the thread alone. */
	struct translator_home homes[HOMES];
	struct translator_table tables[TRANSLATOR_TABLES];
	uint64_t search_ns; /* when all processes may be looked at again */
	bool is_lost; /* the thread is in a namespace that is not its own, and cannot leave it */
};

static void translator_unref(struct translator *translator)
{
	if (atomic_fetch_sub(&translator->refs, 1) > 1)
		return;
	pthread_cond_destroy(&translator->asked);
	pthread_cond_destroy(&translator->answered);
	pthread_mutex_destroy(&translator->lock);
	free(translator);
}

static void close_table(struct translator_table *table)
{
	if (table->ino && table->socket >= 0)
		close(table->socket);
	if (table->ino && table->ns >= 0)
		close(table->ns);
	table->ino = 0;
}

static void open_homes(struct translator *translator)
{
	struct translator_home *own = &translator->homes[0], *host = &translator->homes[1];

	own->ns = namespace_open("/proc", (int32_t)getpid(), &own->ino);
	host->ns = namespace_open(translator->proc, 1, &host->ino);
	/* The same is one. */
	if (host->ns >= 0 && own->ns >= 0 && host->ino == own->ino) {
		close(host->ns);
		host->ns = -EEXIST;
	}
}

/* A kernel without tables is not asked: it would load the module for them. */
static int open_socket(void)
{
	return access("/proc/sys/net/netfilter/nf_conntrack_max", F_OK) == 0 ? conntrack_open()
									     : -ENOSYS;
}

/*
 * Opens the table of another namespace than the thread's. Which of them devices join to the own one
 * can be seen from here, and so is known also if the thread may not enter it.
 */
static void open_other_table(struct translator *translator, int ns, struct translator_table *table)
{
	const struct translator_home *own = &translator->homes[0], *host = &translator->homes[1];

	if (own->ns < 0) {
		table->socket = own->ns;
		return;
	}
	table->joined = namespace_is_joined(ns) == 1 ? OWN_HOME : 0;
	table->socket = namespace_enter(ns);
	if (table->socket)
		return;
	table->socket = open_socket();
	if (host->ns >= 0 && host->ino != table->ino && namespace_is_joined(host->ns) == 1)
		table->joined |= HOST_HOME;
	translator->is_lost = namespace_enter(own->ns) != 0;
}

static void open_table(struct translator *translator, int ns, struct translator_table *table)
{
	if (table->ino == translator->homes[0].ino)
		table->socket = open_socket();
	else
		open_other_table(translator, ns, table);
}

static struct translator_table *find_table(struct translator *translator, uint64_t ino)
{
	for (unsigned int i = 0; ino && i < TRANSLATOR_TABLES; i++)
		if (translator->tables[i].ino == ino)
			return &translator->tables[i];
	return NULL;
}

/* A free place, or that of the table that was not used for longest. */
static struct translator_table *place_of_table(struct translator *translator)
{
	struct translator_table *place = &translator->tables[0];

	for (unsigned int i = 0; i < TRANSLATOR_TABLES && place->ino; i++) {
		struct translator_table *table = &translator->tables[i];

		if (!table->ino || table->until_ns < place->until_ns)
			place = table;
	}
	close_table(place);
	return place;
}

static bool is_home(const struct translator *translator, uint64_t ino)
{
	return ino == translator->homes[0].ino || ino == translator->homes[1].ino;
}

static void keep_table(struct translator_table *table, unsigned int ms)
{
	table->until_ns = clock_ns(CLOCK_MONOTONIC) + ms * (uint64_t)NS_PER_MS;
}

/* Adds the table of a namespace that is open, and stays so. */
static struct translator_table *add_table(struct translator *translator, int ns, uint64_t ino)
{
	struct translator_table *table = place_of_table(translator);

	*table = (struct translator_table){
		.ino = ino, .ns = -1, .is_home = is_home(translator, ino)};
	open_table(translator, ns, table);
	keep_table(table, TRANSLATOR_AGAIN_MS);
	return table;
}

/* Looks for a namespace whose process has ended, as often as it may. Returns as namespace_open().
 */
static int search_namespace(struct translator *translator, uint64_t ino)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), end_ns, rest_ns;
	int ns;

	if (!ino || begin_ns < translator->search_ns)
		return -ESRCH;
	ns = namespace_search(translator->proc, ino);
	end_ns = clock_ns(CLOCK_MONOTONIC);
	rest_ns = (end_ns - begin_ns) * TRANSLATOR_SEARCH_SHARE;
	if (rest_ns < TRANSLATOR_SEARCH_MS * (uint64_t)NS_PER_MS)
		rest_ns = TRANSLATOR_SEARCH_MS * (uint64_t)NS_PER_MS;
	translator->search_ns = end_ns + rest_ns;
	return ns;
}

/* The namespace of the question, which is a home, or else that of its process. */
static int open_namespace(struct translator *translator, const struct translator_question *question,
			  uint64_t *ino)
{
	int ns = namespace_open(translator->proc, question->pid, ino);

	if (ns >= 0 && question->netns && *ino != question->netns) {
		close(ns);
		ns = -ESRCH;
	}
	if (ns != -ENOENT && ns != -ESRCH)
		return ns;
	*ino = question->netns;
	return search_namespace(translator, question->netns);
}

static int table_of_question(struct translator *translator,
			     const struct translator_question *question,
			     struct translator_table **table)
{
	uint64_t ino;
	int ns;

	*table = find_table(translator, question->netns);
	if (*table)
		return 0;
	ns = open_namespace(translator, question, &ino);
	if (ns < 0)
		return ns;
	*table = find_table(translator, ino);
	if (*table) {
		close(ns);
		return 0;
	}
	*table = add_table(translator, ns, ino);
	(*table)->ns = ns;
	return 0;
}

static struct translator_table *table_of_home(struct translator *translator,
					      const struct translator_home *home)
{
	struct translator_table *table = find_table(translator, home->ino);

	return table ? table : add_table(translator, home->ns, home->ino);
}

/* Follows the packets through a table. Returns as conntrack_follow(). */
static int follow_through(struct translator_table *table, struct conntrack_tuple *tuple)
{
	if (table->socket < 0)
		return table->socket;
	if (table->is_home || table->joined)
		keep_table(table, TRANSLATOR_IDLE_MS);
	return conntrack_follow(table->socket, tuple);
}

/* What the tables say of a question. */
struct translator_search {
	struct conntrack_tuple tuple; /* as the packets are by then */
	unsigned int found; /* tables that have it */
	bool is_inside; /* packets do not leave the socket's namespace towards a home */
	int error; /* the last one of a table, but -ENOENT */
};

static void note_result(struct translator_search *search, int result)
{
	search->found += result == 0;
	if (result && result != -ENOENT)
		search->error = result;
}

/* Behind the socket's own namespace. Returns whether at most one home has the connection. */
static bool follow_homes(struct translator *translator, uint8_t joined,
			 struct translator_search *search)
{
	const struct conntrack_tuple begin = search->tuple;
	unsigned int before = search->found;

	for (unsigned int i = 0; i < HOMES; i++) {
		struct conntrack_tuple tuple = begin;
		int r;

		if (!(joined & 1U << i))
			continue;
		r = follow_through(table_of_home(translator, &translator->homes[i]), &tuple);
		note_result(search, r);
		if (r == 0)
			search->tuple = tuple;
	}
	return search->found <= before + 1;
}

static enum translator_fate fate_of_error(int code)
{
	if (code == -EPERM || code == -EACCES)
		return TRANSLATOR_FORBIDDEN;
	if (code == -ENOSYS)
		return TRANSLATOR_ABSENT;
	return code == -ESRCH || code == -ENOENT ? TRANSLATOR_GONE : TRANSLATOR_FAILED;
}

static enum translator_fate judge_search(const struct translator_search *search,
					 const struct conntrack_tuple *asked)
{
	if (!search->found)
		return search->error ? fate_of_error(search->error) : TRANSLATOR_MISSING;
	if (scap_endpoint_is_same(&search->tuple.to, &asked->to))
		return TRANSLATOR_SAME;
	return search->is_inside ? TRANSLATOR_UNSURE : TRANSLATOR_FOUND;
}

static enum translator_fate translate(struct translator *translator,
				      const struct translator_question *question,
				      struct translator_answer *answer)
{
	struct translator_search search = {.tuple = question->tuple};
	struct conntrack_tuple asked;
	struct translator_table *table;
	uint8_t joined;
	int r;

	conntrack_unmap(&search.tuple);
	asked = search.tuple;
	r = table_of_question(translator, question, &table);
	if (r)
		return fate_of_error(r);
	/* Another table may take its place. */
	joined = table->joined;
	search.is_inside = !joined && !table->is_home;
	note_result(&search, follow_through(table, &search.tuple));
	if (!follow_homes(translator, joined, &search))
		return TRANSLATOR_UNSURE;
	answer->real = search.tuple.to;
	answer->address_len = search.tuple.address_len;
	return judge_search(&search, &asked);
}

static void answer_question(struct translator *translator, const struct translator_asked *asked,
			    struct translator_answer *answer)
{
	uint64_t late_ns = asked->asked_ns + TRANSLATOR_LATE_MS * (uint64_t)NS_PER_MS;

	*answer = (struct translator_answer){.id = asked->question.id};
	if (translator->is_lost)
		answer->fate = TRANSLATOR_FAILED;
	else if (clock_ns(CLOCK_MONOTONIC) > late_ns)
		answer->fate = TRANSLATOR_LATE;
	else
		answer->fate = translate(translator, &asked->question, answer);
}

static void close_idle_tables(struct translator *translator)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	for (unsigned int i = 0; i < TRANSLATOR_TABLES; i++)
		if (now_ns > translator->tables[i].until_ns)
			close_table(&translator->tables[i]);
}

/* The next question, after a wait; false: it is the end, or there is none for a while. */
static bool take_question(struct translator *translator, struct translator_asked *asked)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + TRANSLATOR_IDLE_MS * (uint64_t)NS_PER_MS;
	bool found;

	pthread_mutex_lock(&translator->lock);
	while (!translator->closed && !translator->questions_count &&
	       meta_cond_wait(&translator->asked, &translator->lock, until_ns) == 0)
		;
	found = !translator->closed && translator->questions_count;
	if (found) {
		*asked = translator->questions[translator->first_question];
		translator->first_question =
			(translator->first_question + 1) % TRANSLATOR_QUESTIONS_MAX;
		translator->questions_count--;
	}
	pthread_mutex_unlock(&translator->lock);
	return found;
}

/* One client with many connections does not take all room from others. Numbers of namespaces and
 * processes follow each other. */
static uint32_t share_of(const struct translator_question *question)
{
	return (uint32_t)(question->netns ? question->netns : (uint64_t)question->pid) % SHARES;
}

static void give_answer(struct translator *translator, const struct translator_question *question,
			const struct translator_answer *answer)
{
	uint32_t last;

	atomic_fetch_add(&translator->fates[answer->fate], 1);
	pthread_mutex_lock(&translator->lock);
	last = (translator->first_answer + translator->answers_count++) % TRANSLATOR_QUESTIONS_MAX;
	translator->answers[last] = (struct translator_given){*answer, share_of(question)};
	atomic_store(&translator->is_ready, true);
	pthread_cond_signal(&translator->answered);
	pthread_mutex_unlock(&translator->lock);
}

static bool translator_is_closed(struct translator *translator)
{
	bool closed;

	pthread_mutex_lock(&translator->lock);
	closed = translator->closed;
	pthread_mutex_unlock(&translator->lock);
	return closed;
}

static void translator_run(void *context)
{
	struct translator *translator = context;
	struct translator_answer answer;
	struct translator_asked asked;

	open_homes(translator);
	while (!translator_is_closed(translator)) {
		if (take_question(translator, &asked)) {
			answer_question(translator, &asked, &answer);
			give_answer(translator, &asked.question, &answer);
		}
		close_idle_tables(translator);
	}
	for (unsigned int i = 0; i < TRANSLATOR_TABLES; i++)
		close_table(&translator->tables[i]);
	for (unsigned int i = 0; i < HOMES; i++)
		if (translator->homes[i].ns >= 0)
			close(translator->homes[i].ns);
}

static void translator_stop(void *context)
{
	struct translator *translator = context;

	pthread_mutex_lock(&translator->lock);
	translator->closed = true;
	pthread_cond_broadcast(&translator->asked);
	pthread_mutex_unlock(&translator->lock);
}

static void translator_free(void *context)
{
	translator_unref(context);
}

int translator_create(const char *host_root, struct translator **result, struct error *err)
{
	static const struct meta_thread_ops ops = {ROLE_NAMESPACES, translator_run, translator_stop,
						   translator_free};
	struct translator *made = calloc(1, sizeof(*made));
	int r;

	if (!made)
		return error_set(err, -ENOMEM, "out of memory");
	atomic_init(&made->refs, 2);
	pthread_mutex_init(&made->lock, NULL);
	meta_cond_init(&made->asked);
	meta_cond_init(&made->answered);
	snprintf(made->proc, sizeof(made->proc), "%s/proc", host_root ? host_root : "");
	r = meta_thread_start(&ops, made, &made->thread);
	if (r) {
		translator_unref(made);
		return error_set(err, r, "starting the thread for translated addresses: %s",
				 strerror(-r));
	}
	*result = made;
	return 0;
}

void translator_destroy(struct translator *translator)
{
	if (!translator)
		return;
	meta_thread_end(translator->thread,
			clock_ns(CLOCK_MONOTONIC) + END_MS * (uint64_t)NS_PER_MS);
	translator_unref(translator);
}

bool translator_ask(struct translator *translator, const struct translator_question *question)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint32_t last, *share = &translator->shares[share_of(question)];
	bool has_room;

	pthread_mutex_lock(&translator->lock);
	has_room = translator->pending < TRANSLATOR_QUESTIONS_MAX && *share < TRANSLATOR_SHARE_MAX;
	if (has_room) {
		last = (translator->first_question + translator->questions_count++) %
		       TRANSLATOR_QUESTIONS_MAX;
		translator->questions[last] = (struct translator_asked){*question, now_ns};
		translator->pending++;
		++*share;
		pthread_cond_signal(&translator->asked);
	}
	pthread_mutex_unlock(&translator->lock);
	if (!has_room)
		atomic_fetch_add(&translator->rejected, 1);
	return has_room;
}

bool translator_take(struct translator *translator, struct translator_answer *answer)
{
	const struct translator_given *given;
	bool found;

	if (!atomic_load_explicit(&translator->is_ready, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&translator->lock);
	found = translator->answers_count > 0;
	if (found) {
		given = &translator->answers[translator->first_answer];
		*answer = given->answer;
		translator->shares[given->share]--;
		translator->first_answer =
			(translator->first_answer + 1) % TRANSLATOR_QUESTIONS_MAX;
		translator->answers_count--;
		translator->pending--;
	}
	atomic_store(&translator->is_ready, translator->answers_count > 0);
	pthread_mutex_unlock(&translator->lock);
	return found;
}

bool translator_wait(struct translator *translator, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + timeout_ns;
	bool found;

	pthread_mutex_lock(&translator->lock);
	while (!translator->answers_count &&
	       meta_cond_wait(&translator->answered, &translator->lock, until_ns) == 0)
		;
	found = translator->answers_count > 0;
	pthread_mutex_unlock(&translator->lock);
	return found;
}

void translator_stats(struct translator *translator, struct translator_stats *stats)
{
	for (unsigned int i = 0; i < TRANSLATOR_FATES; i++)
		stats->fates[i] = atomic_load(&translator->fates[i]);
	stats->rejected = atomic_load(&translator->rejected);
}
