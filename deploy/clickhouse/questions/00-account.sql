-- SPDX-License-Identifier: MIT
-- Is anything missing that no drop record accounts for? One row for each life of an output.
-- Drop records that came by Kafka have no node; other records of their stream have it.
SELECT max(node) AS name, substring(`evt.id`, 1, position(`evt.id`, '-') - 1) AS stream, uniqExactIf(`evt.num`, `evt.num` > 0) AS events,
       sumIf(`drop.to` - `drop.from` + 1, `drop.from` > 0) AS dropped,
       toInt64(max(greatest(`evt.num`, `drop.to`))) - toInt64(minIf(if(`drop.from` > 0, `drop.from`, `evt.num`), `drop.from` > 0 OR `evt.num` > 0)) + 1 - toInt64(events + dropped) AS missing
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until})
GROUP BY stream
ORDER BY name, stream
