/* SPDX-License-Identifier: MIT */
/* The last failure, behind a lock. */
#include "output/delivery/news.h"

#include <string.h>

#include "util/terminal.h"

#define BETWEEN_NS UINT64_C(60000000000)

int news_init(struct news *news)
{
	*news = (struct news){0};
	return -pthread_mutex_init(&news->lock, NULL);
}

void news_finish(struct news *news)
{
	pthread_mutex_destroy(&news->lock);
}

void news_forget(struct news *news)
{
	pthread_mutex_lock(&news->lock);
	news->is_failing = news->was_failing = news->failed = false;
	pthread_mutex_unlock(&news->lock);
}

void news_set(struct news *news, const struct error *err)
{
	pthread_mutex_lock(&news->lock);
	news->is_failing = err != NULL;
	if (err) {
		news->failed = true;
		news->err = *err;
		/* A part may be the text of a server, which must not forge lines of the log. */
		terminal_mask(news->err.text, strlen(err->text));
	}
	pthread_mutex_unlock(&news->lock);
}

/* A target that fails for a moment again and again must not fill the log. */
static bool is_worth_a_line(const struct news *news, uint64_t now_ns)
{
	return news->failed && !news->is_failing &&
	       (news->failed_ns == 0 || now_ns - news->failed_ns >= BETWEEN_NS);
}

enum news_kind news_take(struct news *news, uint64_t now_ns, struct error *err)
{
	enum news_kind kind = NEWS_NONE;

	pthread_mutex_lock(&news->lock);
	if (news->is_failing != news->was_failing) {
		kind = news->is_failing ? NEWS_FAILS : NEWS_WORKS;
	} else if (is_worth_a_line(news, now_ns)) {
		kind = NEWS_FAILED;
		news->failed_ns = now_ns;
	}
	news->was_failing = news->is_failing;
	news->failed = false;
	if (kind == NEWS_FAILS || kind == NEWS_FAILED)
		*err = news->err;
	pthread_mutex_unlock(&news->lock);
	return kind;
}

bool news_is_failing(struct news *news, struct error *err)
{
	bool failing;

	pthread_mutex_lock(&news->lock);
	failing = news->is_failing;
	if (failing)
		*err = news->err;
	pthread_mutex_unlock(&news->lock);
	return failing;
}
