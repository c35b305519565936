#!/bin/sh
# Runs the ZooKeeper of Debian's package libzookeeper-java, to compare with:
# `zkServer.sh start-foreground CONFIG`, as ZooKeeper's own, but killed by its process id.
set -eu
jars=/usr/share/java
# SERVER_JVMFLAGS is a list of flags.
# shellcheck disable=SC2086
exec java -Xmx512m -Dfile.encoding=UTF-8 -Dreadonlymode.enabled=true ${SERVER_JVMFLAGS-} \
	-cp "$(dirname "$2"):$jars/zookeeper.jar:$jars/slf4j-nop.jar" \
	org.apache.zookeeper.server.quorum.QuorumPeerMain "$2"
