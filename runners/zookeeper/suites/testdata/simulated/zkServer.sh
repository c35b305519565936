#!/bin/sh
# Stands in for ZooKeeper's zkServer.sh: `zkServer.sh start-foreground CONFIG` becomes
# the program named by MONOSIM. Who started it may kill it by its process id.
set -eu
config=$2
setting() { sed -n "s/^$1=//p" "$config"; }
if grep -q '^server\.' "$config"; then
	echo "zkServer.sh: $config has several servers, want one" >&2
	exit 2
fi
super=$(printf '%s\n' "${SERVER_JVMFLAGS-}" | sed -n 's/.*superDigest=\([^ ]*\).*/\1/p')
exec "$MONOSIM" zookeeper --listen "127.0.0.1:$(setting clientPort)" --tick "$(setting tickTime)ms" \
	--data-dir "$(setting dataDir)/version-2" --max-client-cnxns 0 \
	--super-digest "$super" --extended-types --reconfig-enabled
