-- SPDX-License-Identifier: MIT
-- Page faults, and memory that grows.
SELECT node, `proc.name`, `proc.pid`, max(`thread.pfmajor`) AS faults_of_disk, max(`thread.pfminor`) AS faults,
       max(`proc.vmrss`) - min(`proc.vmrss`) AS grown_kib
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `proc.vmrss` > 0
GROUP BY node, `proc.name`, `proc.pid`
ORDER BY grown_kib DESC, node, `proc.name`, `proc.pid` LIMIT 20
