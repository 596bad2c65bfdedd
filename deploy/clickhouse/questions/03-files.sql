-- SPDX-License-Identifier: MIT
-- Which files are hot, which are slow?
SELECT `fd.name`, count() AS calls, sum(`evt.buflen.in` + `evt.buflen.out`) AS bytes, max(`evt.latency`) AS slowest_ns
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `fd.type` = 'file' AND `fd.name` != ''
GROUP BY `fd.name`
ORDER BY calls DESC, `fd.name` LIMIT 20
