/* SPDX-License-Identifier: MIT */
/* A child that holds a namespace, and puts entries into its table before it says so. */
#include "netns.h"

#include <arpa/inet.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/namespace.h"
#include "net/netlink.h"
#include "unit.h"

struct conntrack_tuple netns_tuple(const char *from, uint16_t from_port, const char *to,
				   uint16_t to_port)
{
	bool is_ipv6 = strchr(from, ':');
	int family = is_ipv6 ? AF_INET6 : AF_INET;
	struct conntrack_tuple tuple = {.from.port = from_port,
					.to.port = to_port,
					.address_len = is_ipv6 ? 16 : 4,
					.l4 = SCAP_L4_TCP};

	assert_int_equal(inet_pton(family, from, tuple.from.address), 1);
	assert_int_equal(inet_pton(family, to, tuple.to.address), 1);
	return tuple;
}

static void put_direction(struct netlink_request *request, uint16_t type,
			  const struct conntrack_tuple *tuple)
{
	bool is_ipv6 = tuple->address_len == 16;
	uint16_t from = htons(tuple->from.port), to = htons(tuple->to.port);
	uint8_t protocol = IPPROTO_TCP;
	size_t whole = netlink_enter(request, type), part = netlink_enter(request, CTA_TUPLE_IP);

	netlink_put(request, is_ipv6 ? CTA_IP_V6_SRC : CTA_IP_V4_SRC, tuple->from.address,
		    tuple->address_len);
	netlink_put(request, is_ipv6 ? CTA_IP_V6_DST : CTA_IP_V4_DST, tuple->to.address,
		    tuple->address_len);
	netlink_leave(request, part);
	part = netlink_enter(request, CTA_TUPLE_PROTO);
	netlink_put(request, CTA_PROTO_NUM, &protocol, sizeof(protocol));
	netlink_put(request, CTA_PROTO_SRC_PORT, &from, sizeof(from));
	netlink_put(request, CTA_PROTO_DST_PORT, &to, sizeof(to));
	netlink_leave(request, part);
	netlink_leave(request, whole);
}

static int add_entry(int fd, const struct netns_entry *entry)
{
	const struct nfgenmsg header = {.nfgen_family = entry->original.address_len == 16 ? AF_INET6
											  : AF_INET,
					.version = NFNETLINK_V0};
	uint32_t timeout_s = htonl(600);
	uint8_t established = TCP_CONNTRACK_ESTABLISHED;
	struct netlink_request request;
	size_t part, inner;

	netlink_begin(&request, NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW,
		      NLM_F_CREATE | NLM_F_ACK, &header, sizeof(header));
	put_direction(&request, CTA_TUPLE_ORIG, &entry->original);
	put_direction(&request, CTA_TUPLE_REPLY, &entry->reply);
	netlink_put(&request, CTA_TIMEOUT, &timeout_s, sizeof(timeout_s));
	part = netlink_enter(&request, CTA_PROTOINFO);
	inner = netlink_enter(&request, CTA_PROTOINFO_TCP);
	netlink_put(&request, CTA_PROTOINFO_TCP_STATE, &established, sizeof(established));
	netlink_leave(&request, inner);
	netlink_leave(&request, part);
	return netlink_ask(fd, &request, NULL, NULL);
}

/* Of the child: 0 if all is there. */
static int hold_entries(const struct netns_entry *entries, size_t count)
{
	int fd, r = 0;

	if (unshare(CLONE_NEWNET) < 0)
		return 1;
	fd = conntrack_open();
	if (fd < 0)
		return 2;
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_entry(fd, &entries[i]);
	return r ? 3 : 0;
}

pid_t netns_begin(const struct netns_entry *entries, size_t count)
{
	int ready[2];
	uint8_t code = 255;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		code = (uint8_t)hold_entries(entries, count);
		if (write(ready[1], &code, sizeof(code)) != sizeof(code))
			_exit(1);
		/* Not for ever, whatever happens to the test. */
		alarm(600);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &code, sizeof(code)), sizeof(code));
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(code, 0);
	return pid;
}

void netns_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* As rtnetlink wants it: the other device, with the one attribute that says where it is. */
struct veth_peer {
	struct ifinfomsg header;
	struct nlattr attribute;
	uint32_t pid;
};

static int add_pair(pid_t pid)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC};
	const struct veth_peer peer = {
		.attribute = {sizeof(peer.attribute) + sizeof(peer.pid), IFLA_NET_NS_PID},
		.pid = (uint32_t)pid};
	int fd = netlink_open(NETLINK_ROUTE), r;
	struct netlink_request request;
	size_t info, data;

	if (fd < 0)
		return fd;
	netlink_begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, &header,
		      sizeof(header));
	info = netlink_enter(&request, IFLA_LINKINFO);
	netlink_put(&request, IFLA_INFO_KIND, "veth", sizeof("veth"));
	data = netlink_enter(&request, IFLA_INFO_DATA);
	netlink_put(&request, VETH_INFO_PEER, &peer, sizeof(peer));
	netlink_leave(&request, data);
	netlink_leave(&request, info);
	r = netlink_ask(fd, &request, NULL, NULL);
	close(fd);
	return r;
}

void netns_join(pid_t pid)
{
	assert_int_equal(add_pair(pid), 0);
}

int netns_enter_new(void)
{
	uint64_t ino;
	int before = namespace_open("/proc", (int32_t)getpid(), &ino);

	assert_true(before >= 0);
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	return before;
}

void netns_leave(int before)
{
	assert_int_equal(namespace_enter(before), 0);
	close(before);
}

bool netns_can_be_made(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(hold_entries(NULL, 0) || add_pair(getpid()) ||
		      access("/proc/sys/net/netfilter/nf_conntrack_max", F_OK));
	waitpid(pid, &status, 0);
	return status == 0;
}
