-- SPDX-License-Identifier: MIT
-- Where does the time of {name} go? In calls, by what they are about; on a CPU: switch events.
SELECT node, `evt.category`, sum(`evt.latency`) AS in_calls_ns, sum(`thread.exectime`) AS on_cpu_ns
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `proc.name` = {name}
GROUP BY node, `evt.category`
ORDER BY in_calls_ns DESC, node, `evt.category`
