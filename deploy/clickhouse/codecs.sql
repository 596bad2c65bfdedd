-- SPDX-License-Identifier: MIT
-- What ClickHouse has from 20.3 on: a codec for each column, and retention by itself. create-tables sends
-- it to such a server. Older ones compress all columns alike (compression.xml), and drop-old ends what is
-- too old.
ALTER TABLE lanner.events MODIFY COLUMN `time` DateTime CODEC(DoubleDelta, ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `time_ns` UInt64 CODEC(Delta, ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.id` String CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.num` UInt64 CODEC(Delta, ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.rawres` Int64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.latency` UInt64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.buffer` String CODEC(ZSTD(3));
ALTER TABLE lanner.events MODIFY COLUMN `fs.path.name` String CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `proc.cmdline` String CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `fd.name` String CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `thread.exectime` UInt64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.buflen.in` UInt64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `evt.buflen.out` UInt64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `proc.pid` Int64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY COLUMN `thread.tid` Int64 CODEC(ZSTD);
ALTER TABLE lanner.events MODIFY TTL time + INTERVAL 30 DAY;
