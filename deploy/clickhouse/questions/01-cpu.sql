-- SPDX-License-Identifier: MIT
-- Who uses the processors? Time on a CPU, from context switches (evt.type=switch).
SELECT node, `proc.name`, sum(`thread.exectime`) AS cpu_ns
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.type` = 'switch'
GROUP BY node, `proc.name`
ORDER BY cpu_ns DESC, node, `proc.name` LIMIT 20
