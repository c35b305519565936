#!/bin/sh
# Runs the tests of PACKAGES N times (default 50): none may fail by chance. A package has
# LIMIT (default 2h) for all its runs. GO names the go command.
set -eu
N=${N:-50}
LIMIT=${LIMIT:-2h}
GO=${GO:-go}

failed=
for package in $PACKAGES; do
	echo "== $package, $N times"
	$GO test -short -count="$N" -timeout "$LIMIT" "$package" || failed="$failed $package"
done
if [ -n "$failed" ]; then
	echo "failed by chance or always:$failed"
	exit 1
fi
