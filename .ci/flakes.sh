#!/bin/sh
# Runs the tests that touch the wall clock, sockets or processes N times (default 50)
# beside other load, a busy loop for each core: none may fail by chance.
# PACKAGES names others, GO the go command.
set -eu
N=${N:-50}
GO=${GO:-go}
PACKAGES=${PACKAGES:-"
./engine/walltime/...
./sim/zookeeper/wire/...
./sim/tfserving/serve/...
./runners/process
./runners/diff/testee
./runners/zookeeper/diff
./runners/zookeeper/server
./runners/tfserving/server
./runners/tfserving/clients
./runners/test/realrun
./cmd/monosim
"}

burners=
trap 'kill $burners 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
	(while :; do :; done) &
	burners="$burners $!"
done

failed=
for package in $PACKAGES; do
	echo "== $package, $N times"
	$GO test -short -count="$N" -timeout 0 "$package" || failed="$failed $package"
done
if [ -n "$failed" ]; then
	echo "failed by chance or always:$failed"
	exit 1
fi
