-- SPDX-License-Identifier: MIT
-- What just started and died?
SELECT node, `proc.pid`, anyLastIf(`proc.cmdline`, `evt.type` IN ('execve', 'execveat')) AS command,
       maxIf(time_ns, `evt.type` = 'procexit') - minIf(time_ns, `evt.type` IN ('execve', 'execveat')) AS lived_ns
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND (`evt.type` = 'procexit' AND `thread.tid` = `proc.pid` OR `evt.type` IN ('execve', 'execveat') AND `evt.failed` = 0)
GROUP BY node, `proc.pid`
HAVING countIf(`evt.type` = 'procexit') = 1 AND countIf(`evt.type` != 'procexit') = 1
ORDER BY lived_ns, node, `proc.pid` LIMIT 20
