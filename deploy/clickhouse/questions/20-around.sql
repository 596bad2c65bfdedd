-- SPDX-License-Identifier: MIT
-- What happened within {ms} milliseconds of {time_ns} on {node}?
SELECT time_ns, `evt.num`, `evt.type`, `proc.name`, `thread.tid`, `evt.res`, `fd.name`
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND node = {node} AND time_ns >= {time_ns} - {ms} * 1000000 AND time_ns <= {time_ns} + {ms} * 1000000
ORDER BY time_ns, `evt.num` LIMIT 200
