# SPDX-License-Identifier: MIT
"""Rounds: what is compared takes turns, so that a noisy moment affects all of it, and medians say what it was."""
import statistics


def interleaved(items, first, end):
    """Pairs of a round, from `first` to before `end`, and an item: each round goes through all, every second one
    in the opposite order. Items that are removed from the list meanwhile are skipped."""
    for number in range(first, end):
        for item in list(items)[::1 if number % 2 == 0 else -1]:
            if item in items:
                yield number, item


def median(samples):
    return statistics.median(samples)


def ratios(samples, others):
    """The samples divided by those of the same rounds of the others."""
    return [sample / other for sample, other in zip(samples, others)]


def ratio(samples, others):
    """The median of the ratios of each round; a noisy round changes it less than the ratio of medians."""
    return median(ratios(samples, others))


def quartiles(samples):
    return statistics.quantiles(samples, n=4) if len(samples) > 1 else [samples[0]] * 3
