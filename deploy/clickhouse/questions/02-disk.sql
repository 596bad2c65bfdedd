-- SPDX-License-Identifier: MIT
-- Which processes do the I/O of files?
SELECT node, `proc.name`, sum(`evt.buflen.in`) AS bytes_read, sum(`evt.buflen.out`) AS bytes_written
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `fd.type` = 'file'
GROUP BY node, `proc.name`
HAVING bytes_read + bytes_written > 0
ORDER BY bytes_read + bytes_written DESC, node, `proc.name` LIMIT 20
