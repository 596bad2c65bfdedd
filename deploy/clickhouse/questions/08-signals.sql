-- SPDX-License-Identifier: MIT
-- Who killed which process? The signal that ended it is in the status of its end.
SELECT node, `evt.rawarg.spid` AS sender, `evt.rawarg.dpid` AS receiver, any(signal) AS ended_by, count() AS signals
FROM lanner.events ALL INNER JOIN (
    SELECT node, `proc.pid` AS `evt.rawarg.dpid`, toUInt64(bitAnd(max(`evt.rawarg.status`), 127)) AS signal
    FROM lanner.events
    WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.type` = 'procexit' AND `thread.tid` = `proc.pid`
    GROUP BY node, `proc.pid` HAVING signal > 0
) USING node, `evt.rawarg.dpid`
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `evt.type` = 'signaldeliver'
GROUP BY node, sender, receiver
ORDER BY node, sender, receiver LIMIT 100
