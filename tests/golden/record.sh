#!/bin/sh
# SPDX-License-Identifier: MIT
# Records the scenario again, as root, and writes the fields of its events:
#   tests/golden/record.sh [BUILD]
# For when the events themselves have changed. When only fields have, this suffices:
#   GOLDEN_WRITE=1 meson test -C BUILD test_golden_fields
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build-test}
build=$(cd "$build" && pwd)
folder=$(mktemp -d /tmp/lanner-golden-XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
# There, so that the recording names no folder of whoever makes it.
cp "$build/tests/golden/scenario" "$build/tests/golden/record" "$folder"
mkdir "$folder/work"
chmod 777 "$folder/work"
"$folder/record" "$folder/scenario.events" "$folder/scenario" "$folder/work"
cp "$folder/scenario.events" "$here/scenario.events"
GOLDEN_WRITE=1 meson test -C "$build" test_golden_fields
