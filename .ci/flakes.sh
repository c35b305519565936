#!/bin/sh
# Runs the tests of PACKAGES N times (default 50) beside BUSY busy loops (default 8): none
# may fail by chance. A package has LIMIT (default 2h) for all its runs. GO names the go
# command.
set -eu
N=${N:-50}
BUSY=${BUSY:-8}
LIMIT=${LIMIT:-2h}
GO=${GO:-go}

burners=
trap 'kill $burners 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "$BUSY"); do
	(while :; do :; done) &
	burners="$burners $!"
done

failed=
for package in $PACKAGES; do
	echo "== $package, $N times"
	$GO test -short -count="$N" -timeout "$LIMIT" "$package" || failed="$failed $package"
done
if [ -n "$failed" ]; then
	echo "failed by chance or always:$failed"
	exit 1
fi
