/* SPDX-License-Identifier: MIT */
/* A heap of copies; those of the same time stay in the order of the file. */
#include "scap/recorded/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct recorded_waiting {
	uint64_t time_ns, sequence;
	uint8_t *record; /* owned */
	size_t bytes;
};

enum { CAPACITY_FIRST = 1024, RECORD_COSTS_BYTES = sizeof(struct recorded_waiting) + 16 };

static bool is_before(const struct recorded_waiting *a, const struct recorded_waiting *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->sequence < b->sequence;
}

static void swap(struct recorded_waiting *a, struct recorded_waiting *b)
{
	struct recorded_waiting other = *a;

	*a = *b;
	*b = other;
}

static void rise(struct recorded_order *order, size_t i)
{
	while (i && is_before(&order->heap[i], &order->heap[(i - 1) / 2])) {
		swap(&order->heap[i], &order->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

static void sink(struct recorded_order *order)
{
	size_t i = 0;

	for (;;) {
		size_t least = i, left = 2 * i + 1;

		for (size_t k = left; k <= left + 1 && k < order->count; k++)
			if (is_before(&order->heap[k], &order->heap[least]))
				least = k;
		if (least == i)
			return;
		swap(&order->heap[i], &order->heap[least]);
		i = least;
	}
}

int recorded_order_put(struct recorded_order *order, const void *record, size_t bytes,
		       uint64_t time_ns)
{
	uint8_t *copy;

	if (order->count == order->capacity) {
		size_t capacity = order->capacity ? 2 * order->capacity : CAPACITY_FIRST;
		struct recorded_waiting *grown =
			reallocarray(order->heap, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		order->heap = grown;
		order->capacity = capacity;
	}
	copy = malloc(bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, record, bytes);
	order->heap[order->count] =
		(struct recorded_waiting){time_ns, order->sequence++, copy, bytes};
	rise(order, order->count++);
	order->bytes += bytes + RECORD_COSTS_BYTES;
	if (time_ns > order->newest_ns)
		order->newest_ns = time_ns;
	return 0;
}

void recorded_order_round(struct recorded_order *order)
{
	order->settled_ns = order->round_ns;
	order->round_ns = order->newest_ns;
}

void recorded_order_end(struct recorded_order *order)
{
	order->settled_ns = UINT64_MAX;
}

const void *recorded_order_next(struct recorded_order *order, size_t *bytes, uint64_t *time_ns)
{
	uint64_t max = order->bytes_max ? order->bytes_max : RECORDED_ORDER_BYTES_MAX;
	struct recorded_waiting *first = order->heap;

	if (!order->count)
		return NULL;
	if (first->time_ns > order->settled_ns) {
		if (order->bytes <= max)
			return NULL;
		order->forced++;
	}
	free(order->given);
	order->given = first->record;
	*bytes = first->bytes;
	*time_ns = first->time_ns;
	order->bytes -= first->bytes + RECORD_COSTS_BYTES;
	*first = order->heap[--order->count];
	sink(order);
	return order->given;
}

void recorded_order_finish(struct recorded_order *order)
{
	for (size_t i = 0; i < order->count; i++)
		free(order->heap[i].record);
	free(order->heap);
	free(order->given);
	*order = (struct recorded_order){0};
}
