/* SPDX-License-Identifier: MIT */
/* Opening and closing a perf ring. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "scap/rings/ring.h"
#include "unit.h"

static void test_open_rejects_sizes(void **state)
{
	struct scap_ring ring;
	struct error err = {""};

	scap_ring_init_empty(0, &ring);
	assert_int_equal(scap_ring_open(0, 1000, &ring, &err), -EINVAL);
	assert_int_equal(scap_ring_open(0, 12288, &ring, &err), -EINVAL);
	assert_non_null(strstr(err.text, "12288"));
	assert_null(ring.map);
	scap_ring_close(&ring);
}

/* On the running kernel, where it allows: whichever way it is mapped, the ring can be read. */
static void test_open(void **state)
{
	struct scap_ring ring;
	struct scap_frame frame;
	struct error err;
	int r = scap_ring_open(0, 65536, &ring, &err);

	if (r == -EACCES || r == -EPERM || r == -ENOSYS)
		skip();
	assert_int_equal(r, 0);
	scap_ring_load(&ring);
	assert_int_equal(scap_ring_peek(&ring, &frame), 0);
	assert_int_equal(ring.corrupt, 0);
	assert_int_equal(ring.meta->data_size, 65536);
	assert_int_equal(scap_ring_watermark(65536), 65536 / 4);
	/* The kernel ends it as if its CPU had gone offline. */
	usleep(250000);
	assert_false(scap_enabled_has_ended(&ring.enabled, ring.fd));
	assert_int_equal(ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	usleep(300000);
	assert_true(scap_enabled_has_ended(&ring.enabled, ring.fd));
	assert_ptr_equal(ring.data, (uint8_t *)ring.map + ring.meta->data_offset);
	scap_ring_close(&ring);
	assert_null(ring.map);
	scap_ring_close(&ring);
}

/* Its descriptor may be any, also that of the input when that was closed. */
static void test_close_descriptor_0(void **state)
{
	int input = dup(0);
	struct scap_ring ring;

	scap_ring_init_empty(0, &ring);
	assert_int_equal(dup2(input < 0 ? 1 : input, 0), 0);
	ring.fd = 0;
	scap_ring_close(&ring);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	assert_int_equal(ring.fd, -1);
	if (input >= 0)
		dup2(input, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_open_rejects_sizes),
	cmocka_unit_test(test_open),
	cmocka_unit_test(test_close_descriptor_0),
};

UNIT_GROUP(tests);
