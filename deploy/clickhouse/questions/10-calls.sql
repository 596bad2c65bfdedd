-- SPDX-License-Identifier: MIT
-- Which calls, how often, how long?
SELECT `evt.type`, count() AS calls, sum(`evt.failed`) AS failed, sum(`evt.latency`) AS total_ns, max(`evt.latency`) AS slowest_ns
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.num` > 0
GROUP BY `evt.type`
ORDER BY calls DESC, `evt.type`
