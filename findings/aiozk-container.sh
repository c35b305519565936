#!/bin/sh
# Guess:     create(path, container=True) of aiozk makes a container, a znode that the server deletes once its
#            last child is gone, as Java's client does.
# Version:   aiozk 0.32.0, Apache ZooKeeper 3.9.5
# Behaviour: it makes an ordinary znode, in silence: aiozk sends the flag of containers in a create2 request, and the
#            server looks for the operation of containers, not for the flag. ensure_path asks for containers, too.
# Seen:      Java's container: deleted
#            aiozk's: still there, ten sweeps later
# Shaped:    our ZooKeeper does so, too (sim/zookeeper/SPEC.md, ZK-5.9).
set -eu
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cat >"$dir/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.zookeeper</groupId><artifactId>zookeeper</artifactId><version>3.9.5</version></dependency>
    <dependency><groupId>org.xerial.snappy</groupId><artifactId>snappy-java</artifactId><version>1.1.10.5</version></dependency>
    <dependency><groupId>io.dropwizard.metrics</groupId><artifactId>metrics-core</artifactId><version>4.1.12.1</version></dependency>
  </dependencies>
</project>
POM
(cd "$dir" && MAVEN_OPTS=-Djansi.mode=strip mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars >&2)
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --disable-pip-version-check aiozk==0.32.0
mkdir "$dir/data"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23386
clientPortAddress=127.0.0.1
admin.enableServer=false
CFG
java -cp "$dir/jars/*" -Dznode.container.checkIntervalMs=500 org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
cat >"$dir/Containers.java" <<'END'
import org.apache.zookeeper.*;

public class Containers {
    public static void main(String[] args) throws Exception {
        try (ZooKeeper zk = new ZooKeeper("127.0.0.1:23386", 30000, null)) {
            if (args[0].equals("make")) {
                zk.create("/java", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
                return;
            }
            for (String parent : new String[] {"/java", "/aiozk"}) {
                zk.create(parent + "/child", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                zk.delete(parent + "/child", -1);
            }
            while (zk.exists("/java", false) != null) {
                Thread.sleep(500); // a sweep
            }
            System.out.println("Java's container: deleted");
            Thread.sleep(5000);
            System.out.println("aiozk's: " + (zk.exists("/aiozk", false) == null ? "deleted" : "still there, ten sweeps later"));
        }
    }
}
END
cat >"$dir/container.py" <<'END'
import asyncio
import logging

import aiozk

logging.disable(logging.CRITICAL)


async def ask():
    client = aiozk.ZKClient("127.0.0.1:23386")
    await client.start()
    await client.create("/aiozk", container=True)
    await client.close()


asyncio.run(ask())
END
containers() {
  java -cp "$dir/jars/*" "$dir/Containers.java" "$1" 2>>"$dir/log"
}
containers make
"$dir/venv/bin/python" "$dir/container.py"
containers look | grep -E '^(Java|aiozk)' | tee "$dir/seen"
cat >"$dir/want" <<'END'
Java's container: deleted
aiozk's: still there, ten sweeps later
END
diff "$dir/want" "$dir/seen"
