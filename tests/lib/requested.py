# SPDX-License-Identifier: MIT
"""For tests of requests: what the agent says of what clients ask servers."""
import collections
import re

import lanner

ACCOUNT = re.compile(r"^agent: requests of (\S+): seen (\d+) = reported (\d+) \+ unknown (\d+) \+ lost (\d+)",
                     re.MULTILINE)


def account(text):
    """Of each protocol that the agent reported at its end, of all of the machine: seen, reported, unknown, lost."""
    return {protocol: tuple(map(int, numbers)) for protocol, *numbers in ACCOUNT.findall(text)}


def watch(expression, act, wanted, options=()):
    """The requests that pass by role, after `act`, which makes so many of them. Nothing may be lost."""
    with lanner.Agent("-o", "json", "--buffer-size", "16M", *options, "requests", expression) as agent:
        act()
        lanner.wait_until(lambda: len(agent.events) >= 2 * wanted, lambda: f"{len(agent.events)} of {2 * wanted}")
        report = agent.stop()
    lanner.equal(report["lost by chance"], 0, f"lost: {report['causes']}")
    by_role = collections.defaultdict(list)
    for event in agent.events:
        by_role[event["evt.args"]["role"]].append(event)
    return by_role
