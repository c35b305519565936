#!/bin/sh
# Guess:     a persistent watch (addWatch) hears of every change until it is removed, whatever else the same client
#            watches.
# Version:   Apache ZooKeeper 3.8.6, server and Java client
# Behaviour: a getData with a one-shot watch on the same node takes its place in the server: both hear of the next
#            change, and none of those after it. A one-shot watch on children makes a recursive watch hear of children,
#            which it never does else. In 3.9 each kind is kept for itself (ZOOKEEPER-4466).
# Seen:      three changes: [one-shot NodeDataChanged, persistent NodeDataChanged, persistent NodeDataChanged]
#            two creates: [one-shot NodeChildrenChanged /r, recursive NodeChildrenChanged /r, recursive NodeCreated /r/a, recursive NodeCreated /r/b]
# Shaped:    our server of profile 3.8 has one mode for a connection and a path (sim/zookeeper/SPEC.md, ZK-7.8).
set -eu
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cat >"$dir/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.zookeeper</groupId><artifactId>zookeeper</artifactId><version>3.8.6</version></dependency>
    <dependency><groupId>org.xerial.snappy</groupId><artifactId>snappy-java</artifactId><version>1.1.10.5</version></dependency>
    <dependency><groupId>io.dropwizard.metrics</groupId><artifactId>metrics-core</artifactId><version>4.1.12.1</version></dependency>
  </dependencies>
</project>
POM
(cd "$dir" && MAVEN_OPTS=-Djansi.mode=strip mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars >&2)
rm -f "$dir"/jars/logback-*.jar # which would log between the lines
mkdir "$dir/data"
cat >"$dir/zoo.cfg" <<CFG
tickTime=2000
dataDir=$dir/data
clientPort=23381
clientPortAddress=127.0.0.1
admin.enableServer=false
CFG
java -cp "$dir/jars/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$dir/zoo.cfg" >"$dir/log" 2>&1 &
server=$!
cat >"$dir/Watches.java" <<'END'
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

public class Watches {
    public static void main(String[] args) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper zk = new ZooKeeper("127.0.0.1:23381", 30000, event -> {
            if (event.getState() == KeeperState.SyncConnected) connected.countDown();
        });
        connected.await();
        List<String> seen = Collections.synchronizedList(new ArrayList<>());

        create(zk, "/w");
        zk.addWatch("/w", event -> seen.add("persistent " + event.getType()), AddWatchMode.PERSISTENT);
        zk.setData("/w", new byte[] {1}, -1);
        zk.getData("/w", event -> seen.add("one-shot " + event.getType()), null);
        zk.setData("/w", new byte[] {2}, -1);
        zk.setData("/w", new byte[] {3}, -1);
        tell(zk, "three changes", seen);

        create(zk, "/r");
        zk.addWatch("/r", event -> seen.add("recursive " + event.getType() + " " + event.getPath()), AddWatchMode.PERSISTENT_RECURSIVE);
        zk.getChildren("/r", event -> seen.add("one-shot " + event.getType() + " " + event.getPath()));
        create(zk, "/r/a");
        create(zk, "/r/b");
        tell(zk, "two creates", seen);
        zk.close();
    }

    static void create(ZooKeeper zk, String path) throws Exception {
        zk.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    // tell waits for the callback of a later call, which the thread of the events runs after those before it. The
    // client calls the watchers of one event in the order of a hash set, which changes from run to run.
    static void tell(ZooKeeper zk, String what, List<String> seen) throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        zk.sync("/", (code, path, context) -> told.countDown(), null);
        told.await();
        Collections.sort(seen);
        System.out.println(what + ": " + seen);
        seen.clear();
    }
}
END
(cd "$dir" && java -cp "jars/*" Watches.java 2>>log | tee seen)
cat >"$dir/want" <<'END'
three changes: [one-shot NodeDataChanged, persistent NodeDataChanged, persistent NodeDataChanged]
two creates: [one-shot NodeChildrenChanged /r, recursive NodeChildrenChanged /r, recursive NodeCreated /r/a, recursive NodeCreated /r/b]
END
diff "$dir/want" "$dir/seen"
