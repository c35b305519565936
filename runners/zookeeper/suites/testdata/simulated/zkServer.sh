#!/bin/sh
# Stands in for ZooKeeper's zkServer.sh: `zkServer.sh start-foreground CONFIG` becomes
# the program named by MONOSIM. Who started it may kill it by its process id.
#
# The servers of one ensemble, which have the same lines server.N, are in one process,
# which the first of them starts; it notes its id in the folder ENSEMBLES. Each of the
# others, and the first, becomes a request to it that holds one server.
set -eu
config=$2
setting() { sed -n "s/^$1=//p" "$config"; }
super=$(printf '%s\n' "${SERVER_JVMFLAGS-}" | sed -n 's/.*superDigest=\([^ ]*\).*/\1/p')
serve() {
	exec "$MONOSIM" zookeeper --tick "$(setting tickTime)ms" --max-client-cnxns 0 \
		--super-digest "$super" --extended-types --reconfig-enabled "$@"
}
count=$(grep -c '^server\.' "$config" || true)
if [ "$count" -lt 2 ]; then
	serve --listen "127.0.0.1:$(setting clientPort)" --data-dir "$(setting dataDir)/version-2"
fi
folder=$ENSEMBLES/$(grep '^server\.' "$config" | sort | cksum | tr ' ' -)
mkdir -p "$folder"
if mkdir "$folder/first" 2>/dev/null; then
	local=
	if [ "$(setting localSessionsEnabled)" = true ]; then local=--local-sessions; fi
	# shellcheck disable=SC2086
	(serve --listen 127.0.0.1:0 --ensemble "$count" --stopped --read-only-mode $local \
		--admin 127.0.0.1:0 --admin-token-file "$folder/token" >"$folder/out" 2>"$folder/err" </dev/null) &
	echo $! >"$folder/pid"
fi
until url=$(sed -n 's/^admin //p' "$folder/out" 2>/dev/null) && [ -n "$url" ]; do
	sleep 0.05
done
id=$(cat "$(setting dataDir)/myid")
# Who kills this and waits for the end of its output finds the server's connections closed, as a killed
# process's are: its standard error stays open until then.
(
	while kill -0 $$ 2>/dev/null; do sleep 0.05; done
	for _ in $(seq 100); do
		mode=$(curl --silent --fail -H "@$folder/token" "$url/servers" | tr -d ' \n' | grep -o "\"id\":$id,[^}]*\"mode\":\"stopped\"") || sleep 0.02
		if [ -n "$mode" ] || ! kill -0 "$(cat "$folder/pid")" 2>/dev/null; then break; fi
	done
) >/dev/null </dev/null &
exec curl --silent --show-error --fail --no-buffer -H "@$folder/token" \
	-d "{\"addr\": \"127.0.0.1:$(setting clientPort)\"}" "$url/servers/$id/hold"
