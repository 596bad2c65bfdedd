-- SPDX-License-Identifier: MIT
-- The events of all nodes. Runs on ClickHouse 18.16 and later; create-tables sends it.
--
-- Columns have the names of fields: the output sends those that the file `fields` lists, and what has
-- no column is skipped. A value that an event does not have is 0 or ''.
CREATE DATABASE IF NOT EXISTS lanner;

-- A row for each event and each drop record, in the order of node and time: all questions name a time,
-- and many a node. A record that arrives twice has the same evt.id, and the merge that comes some time
-- later leaves one of it; OPTIMIZE TABLE lanner.events FINAL does so at once.
CREATE TABLE IF NOT EXISTS lanner.events (
    time DateTime,
    time_ns UInt64,
    node LowCardinality(String),
    `evt.id` String,
    `evt.num` UInt64,
    `evt.type` LowCardinality(String),
    `evt.category` LowCardinality(String),
    `evt.cpu` UInt16,
    `evt.res` LowCardinality(String),
    `evt.failed` UInt8,
    `evt.rawres` Int64,
    `evt.latency` UInt64,
    `evt.buflen.in` UInt64,
    `evt.buflen.out` UInt64,
    `evt.buffer` String,
    `evt.is_open_write` UInt8,
    `evt.rawarg.spid` Int64,
    `evt.rawarg.dpid` Int64,
    `evt.rawarg.status` Int64,
    `fs.path.name` String,
    `fs.path.source` String,
    `fs.path.target` String,
    `proc.name` LowCardinality(String),
    `proc.exepath` LowCardinality(String),
    `proc.cmdline` String,
    `proc.pid` Int64,
    `proc.ppid` Int64,
    `proc.pname` LowCardinality(String),
    `proc.vmrss` UInt64,
    `thread.tid` Int64,
    `thread.exectime` UInt64,
    `thread.pfmajor` UInt64,
    `thread.pfminor` UInt64,
    `user.uid` UInt32,
    `user.name` LowCardinality(String),
    `user.loginname` LowCardinality(String),
    `fd.num` Int64,
    `fd.type` LowCardinality(String),
    `fd.name` String,
    `fd.l4proto` LowCardinality(String),
    `fd.lip` String,
    `fd.lport` UInt16,
    `fd.rip` String,
    `fd.rport` UInt16,
    `fd.sport` UInt16,
    `container.id` LowCardinality(String),
    `container.name` LowCardinality(String),
    `container.image` LowCardinality(String),
    `k8s.ns.name` LowCardinality(String),
    `k8s.pod.name` LowCardinality(String),
    `drop.cause` LowCardinality(String),
    `drop.count` UInt64,
    `drop.from` UInt64,
    `drop.to` UInt64
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(time)
ORDER BY (node, time, time_ns, `evt.id`);
