-- SPDX-License-Identifier: MIT
-- Which container or pod uses it?
SELECT node, `container.name`, `container.image`, `k8s.ns.name`, `k8s.pod.name`, count() AS events,
       sum(`thread.exectime`) AS cpu_ns, sum(`evt.buflen.in` + `evt.buflen.out`) AS bytes
FROM lanner.events
WHERE time >= toDateTime({since}) AND time <= toDateTime({until}) AND `container.name` != ''
GROUP BY node, `container.name`, `container.image`, `k8s.ns.name`, `k8s.pod.name`
ORDER BY events DESC, node, `container.name` LIMIT 50
