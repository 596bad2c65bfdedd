# SPDX-License-Identifier: MIT
"""What the benchmarks share; tests/bench/README.md describes it."""
