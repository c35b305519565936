import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.apache.curator.framework.*;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.atomic.*;
import org.apache.curator.framework.recipes.barriers.*;
import org.apache.curator.framework.recipes.cache.*;
import org.apache.curator.framework.recipes.leader.*;
import org.apache.curator.framework.recipes.locks.*;
import org.apache.curator.framework.recipes.nodes.*;
import org.apache.curator.framework.recipes.queue.*;
import org.apache.curator.framework.recipes.shared.*;
import org.apache.curator.framework.recipes.watch.*;
import org.apache.curator.retry.*;
import org.apache.zookeeper.*;
import org.apache.zookeeper.data.*;

/**
 * Has two clients of Curator play its recipes, and prints what they saw but for what hangs on time: Recipes ADDRESS.
 * The server has extended types, and sweeps containers often.
 */
public class Recipes {
    static String addr;
    static void say(String s) { System.out.println(s); }
    static CuratorFramework client(int session) {
        CuratorFramework c = CuratorFrameworkFactory.builder().connectString(addr).sessionTimeoutMs(session).connectionTimeoutMs(10000)
            .retryPolicy(new RetryOneTime(100)).build();
        c.start();
        return c;
    }
    static String stat(Stat s) { return s == null ? "none" : "v" + s.getVersion() + " cv" + s.getCversion() + " av" + s.getAversion() + " len" + s.getDataLength() + " kids" + s.getNumChildren() + " eph" + (s.getEphemeralOwner() == 0 ? 0 : s.getEphemeralOwner() < 0 ? Long.toHexString(s.getEphemeralOwner()) : "session"); }
    interface Work { void run(CuratorFramework a, CuratorFramework b) throws Exception; }
    static void play(String name, Work w) throws Exception {
        say("== " + name);
        try (CuratorFramework a = client(6000); CuratorFramework b = client(6000)) { w.run(a, b); }
        catch (Throwable t) { say("threw " + t); }
    }
    public static void main(String[] args) throws Exception {
        addr = args[0];
        play("leader latch", (a, b) -> {
            LeaderLatch x = new LeaderLatch(a, "/latch", "a"), y = new LeaderLatch(b, "/latch", "b");
            x.start();
            x.await();
            y.start();
            while (x.getParticipants().size() < 2) Thread.yield();
            say(x.hasLeadership() + " " + y.hasLeadership() + " " + x.getParticipants() + " " + y.getLeader());
            x.close();
            y.await();
            say(y.hasLeadership() + " " + y.getParticipants() + " " + y.getLeader());
            y.close();
        });
        play("leader latch of a client that goes", (a, b) -> {
            LeaderLatch x = new LeaderLatch(a, "/latch2", "a"), y = new LeaderLatch(b, "/latch2", "b");
            x.start();
            x.await();
            y.start();
            while (y.getParticipants().size() < 2) Thread.yield();
            a.close();
            y.await();
            say(y.hasLeadership() + " " + y.getParticipants());
            y.close();
        });
        play("leader selector", (a, b) -> {
            Set<String> order = new ConcurrentSkipListSet<>();
            LeaderSelector[] all = new LeaderSelector[2];
            int i = 0;
            for (CuratorFramework c : List.of(a, b)) {
                LeaderSelector s = new LeaderSelector(c, "/selector", new LeaderSelectorListenerAdapter() {
                    public void takeLeadership(CuratorFramework f) { order.add(f == a ? "a" : "b"); }
                });
                s.autoRequeue();
                all[i++] = s;
                s.start();
            }
            while (order.size() < 2) Thread.yield();
            for (LeaderSelector s : all) s.close();
            say("leaders " + order);
        });
        play("mutex", (a, b) -> {
            InterProcessMutex m = new InterProcessMutex(a, "/mutex"), n = new InterProcessMutex(b, "/mutex");
            m.acquire();
            m.acquire();
            say("b " + n.acquire(300, TimeUnit.MILLISECONDS) + " nodes " + m.getParticipantNodes().size());
            m.release();
            say("b " + n.acquire(300, TimeUnit.MILLISECONDS));
            m.release();
            say("b " + n.acquire(20, TimeUnit.SECONDS));
            n.release();
        });
        play("read write lock, semaphore, multi lock", (a, b) -> {
            InterProcessReadWriteLock m = new InterProcessReadWriteLock(a, "/rw"), n = new InterProcessReadWriteLock(b, "/rw");
            m.readLock().acquire();
            say("read " + n.readLock().acquire(20, TimeUnit.SECONDS) + " write " + n.writeLock().acquire(300, TimeUnit.MILLISECONDS));
            n.readLock().release();
            m.readLock().release();
            say("write " + n.writeLock().acquire(20, TimeUnit.SECONDS) + " read " + m.readLock().acquire(300, TimeUnit.MILLISECONDS));
            n.writeLock().release();
            InterProcessSemaphoreV2 s = new InterProcessSemaphoreV2(a, "/sem", 2), t = new InterProcessSemaphoreV2(b, "/sem", 2);
            Lease one = s.acquire(), two = t.acquire();
            say("third " + s.acquire(300, TimeUnit.MILLISECONDS));
            t.returnLease(two);
            Lease three = s.acquire(20, TimeUnit.SECONDS);
            say("third " + (three != null));
            s.returnLease(three);
            s.returnLease(one);
            InterProcessMultiLock ml = new InterProcessMultiLock(a, List.of("/ml1", "/ml2"));
            ml.acquire();
            say("multi " + ml.isAcquiredInThisProcess());
            ml.release();
        });
        play("cache", (a, b) -> {
            List<String> seen = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch ready = new CountDownLatch(1);
            a.create().creatingParentsIfNeeded().forPath("/cache/x/y", "1".getBytes());
            CuratorCache cache = CuratorCache.build(b, "/cache");
            cache.listenable().addListener(CuratorCacheListener.builder().forAll((type, old, now) ->
                seen.add(type + " " + (now != null ? now.getPath() + "=" + new String(now.getData()).replaceAll("127.*", "") + " " + stat(now.getStat()) : old.getPath()))).forInitialized(ready::countDown).build());
            cache.start();
            ready.await();
            List<String> first = new ArrayList<>(seen);
            Collections.sort(first);
            say("initial " + first);
            seen.clear();
            String[] steps = {"set", "create", "delete", "recreate", "deep"};
            for (String step : steps) {
                int before = seen.size();
                switch (step) {
                case "set": a.setData().forPath("/cache/x", "2".getBytes());
                break;
                case "create": a.create().withMode(CreateMode.EPHEMERAL).forPath("/cache/e", "3".getBytes());
                break;
                case "delete": a.delete().forPath("/cache/e");
                break;
                case "recreate": a.create().forPath("/cache/e", "4".getBytes());
                break;
                case "deep": a.create().forPath("/cache/p", "5".getBytes());
                break;
                }
                int more = 1;
                while (seen.size() < before + more) Thread.yield();
            }
            for (String s : seen) say(s);
            say("size " + cache.size());
            cache.close();
        });
        play("tree, path and node cache", (a, b) -> {
            BlockingQueue<String> seen = new LinkedBlockingQueue<>();
            a.create().forPath("/tree", "r".getBytes());
            TreeCache tree = new TreeCache(b, "/tree");
            tree.getListenable().addListener((c, e) -> seen.add("tree " + e.getType() + (e.getData() == null ? "" : " " + e.getData().getPath())));
            tree.start();
            say(seen.take());
            say(seen.take());
            a.create().forPath("/tree/k", "v".getBytes());
            say(seen.take());
            a.setData().forPath("/tree/k", "w".getBytes());
            say(seen.take());
            a.delete().forPath("/tree/k");
            say(seen.take());
            tree.close();
            PathChildrenCache path = new PathChildrenCache(b, "/tree", true);
            path.getListenable().addListener((c, e) -> seen.add("path " + e.getType() + (e.getData() == null ? "" : " " + e.getData().getPath())));
            path.start(PathChildrenCache.StartMode.BUILD_INITIAL_CACHE);
            seen.clear();
            a.create().forPath("/tree/m", "v".getBytes());
            String s = seen.take();
            while (s.contains("CONNECTION")) s = seen.take();
            say(s);
            path.close();
            NodeCache node = new NodeCache(b, "/tree");
            node.getListenable().addListener(() -> seen.add("node " + new String(node.getCurrentData().getData())));
            node.start(true);
            a.setData().forPath("/tree", "s".getBytes());
            say(seen.take());
            node.close();
        });
        play("ttl, containers, types", (a, b) -> {
            say(a.create().withTtl(500).withMode(CreateMode.PERSISTENT_WITH_TTL).forPath("/ttl", "t".getBytes()));
            say(a.create().withTtl(500).withMode(CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL).forPath("/ttl-", "t".getBytes()));
            say(stat(a.checkExists().forPath("/ttl")));
            a.create().creatingParentContainersIfNeeded().forPath("/c/d/e");
            say(stat(a.checkExists().forPath("/c")) + " " + stat(a.checkExists().forPath("/c/d")));
            a.delete().forPath("/c/d/e");
            for (String p : List.of("/ttl", "/ttl-0000000000", "/c/d", "/c"))
                for (int i = 0; a.checkExists().forPath(p) != null; i++) { if (i > 600) { say(p + " is still there"); break; } Thread.sleep(50); }
            say("gone");
            PersistentTtlNode n = new PersistentTtlNode(a, "/ptn", 4000, "x".getBytes());
            n.start();
            say("ttl node " + n.waitForInitialCreate(20, TimeUnit.SECONDS) + " " + stat(b.checkExists().forPath("/ptn")));
            n.close();
        });
        play("persistent node, group member", (a, b) -> {
            PersistentNode n = new PersistentNode(a, CreateMode.EPHEMERAL, false, "/pn", "x".getBytes());
            n.start();
            say("" + n.waitForInitialCreate(20, TimeUnit.SECONDS));
            b.delete().forPath("/pn");
            while (b.checkExists().forPath("/pn") == null) Thread.yield();
            n.setData("y".getBytes());
            while (!new String(b.getData().forPath("/pn")).equals("y")) Thread.yield();
            say(stat(b.checkExists().forPath("/pn")));
            n.close();
            GroupMember g = new GroupMember(a, "/group", "a", "A".getBytes()), h = new GroupMember(b, "/group", "b", "B".getBytes());
            g.start();
            h.start();
            while (g.getCurrentMembers().size() < 2) Thread.yield();
            say("" + new TreeSet<>(g.getCurrentMembers().keySet()));
            h.close();
            while (g.getCurrentMembers().size() > 1) Thread.yield();
            say("" + g.getCurrentMembers().keySet());
            g.close();
        });
        play("counters", (a, b) -> {
            DistributedAtomicLong l = new DistributedAtomicLong(a, "/n", new RetryNTimes(50, 10)), m = new DistributedAtomicLong(b, "/n", new RetryNTimes(50, 10));
            say(l.initialize(5L) + " " + m.initialize(6L));
            Thread t = new Thread(() -> { try { for (int i = 0; i < 50; i++) while (!m.increment().succeeded()); } catch (Exception e) { say("" + e); } });
            t.start(); for (int i = 0; i < 50; i++) while (!l.add(2L).succeeded()); t.join();
            say("" + l.get().postValue() + " " + stat(a.checkExists().forPath("/n")).replaceAll("v\\d+ cv", "cv"));
            SharedCount s = new SharedCount(a, "/shared", 7), u = new SharedCount(b, "/shared", 7);
            s.start();
            u.start();
            BlockingQueue<Integer> got = new LinkedBlockingQueue<>();
            u.addListener(new SharedCountListener() { public void countHasChanged(SharedCountReader r, int n) { got.add(n); }
                public void stateChanged(CuratorFramework c, org.apache.curator.framework.state.ConnectionState st) {} });
            say("try " + s.trySetCount(s.getVersionedValue(), 8) + " heard " + got.take());
            s.close();
            u.close();
        });
        play("barriers and queues", (a, b) -> {
            DistributedBarrier d = new DistributedBarrier(a, "/barrier");
            d.setBarrier();
            Future<?> f = Executors.newSingleThreadExecutor().submit(() -> { new DistributedBarrier(b, "/barrier").waitOnBarrier(); return null; });
            d.removeBarrier();
            f.get(20, TimeUnit.SECONDS);
            say("barrier");
            DistributedDoubleBarrier x = new DistributedDoubleBarrier(a, "/double", 2), y = new DistributedDoubleBarrier(b, "/double", 2);
            f = Executors.newSingleThreadExecutor().submit(() -> { y.enter(); y.leave(); return null; });
            x.enter();
            x.leave();
            f.get(20, TimeUnit.SECONDS);
            say("double " + a.checkExists().forPath("/double/ready"));
            SimpleDistributedQueue q = new SimpleDistributedQueue(a, "/queue"), r = new SimpleDistributedQueue(b, "/queue");
            for (String s : List.of("1", "2", "3")) q.offer(s.getBytes());
            say(new String(r.poll()) + new String(r.take()) + new String(r.peek()) + new String(r.remove()) + r.poll(100, TimeUnit.MILLISECONDS));
        });
        play("transactions", (a, b) -> {
            List<CuratorTransactionResult> rs = a.transaction().forOperations(a.transactionOp().create().forPath("/tx", "1".getBytes()),
                a.transactionOp().setData().withVersion(0).forPath("/tx", "2".getBytes()), a.transactionOp().check().withVersion(1).forPath("/tx"),
                a.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/tx/s-"), a.transactionOp().create().forPath("/tx/t"), a.transactionOp().delete().forPath("/tx/t"));
            for (CuratorTransactionResult t : rs) say(t.getType() + " " + t.getForPath() + " " + t.getResultPath() + " " + t.getError() + " " + stat(t.getResultStat()));
            try { a.transaction().forOperations(a.transactionOp().delete().forPath("/tx/s-0000000000"), a.transactionOp().create().forPath("/tx"), a.transactionOp().delete().forPath("/tx")); }
            catch (KeeperException e) { say(e.code() + " " + e.getPath()); for (OpResult o : e.getResults()) say(o.getClass().getSimpleName() + " " + (o instanceof OpResult.ErrorResult ? ((OpResult.ErrorResult) o).getErr() : 0)); }
            a.delete().guaranteed().deletingChildrenIfNeeded().forPath("/tx");
            say("" + a.checkExists().forPath("/tx"));
        });
        play("watches, acl, background", (a, b) -> {
            BlockingQueue<String> seen = new LinkedBlockingQueue<>();
            PersistentWatcher w = new PersistentWatcher(b, "/w", true);
            w.getListenable().addListener(e -> seen.add(e.getType() + " " + e.getPath()));
            CountDownLatch set = new CountDownLatch(1);
            w.getResetListenable().addListener(set::countDown);
            w.start();
            set.await();
            a.create().forPath("/w");
            say(seen.take());
            a.create().forPath("/w/c");
            say(seen.take());
            a.setData().forPath("/w/c", "z".getBytes());
            say(seen.take());
            a.delete().forPath("/w/c");
            say(seen.take());
            w.close();
            a.create().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/ro");
            try { b.setData().forPath("/ro", "x".getBytes()); say("set"); } catch (KeeperException e) { say("" + e.code()); }
            say("" + b.getACL().forPath("/ro"));
            CountDownLatch done = new CountDownLatch(1);
            a.create().inBackground((c, e) -> { say(e.getType() + " " + e.getResultCode() + " " + e.getPath()); done.countDown(); }).forPath("/ro/x"); done.await();
            say(a.create().withProtection().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath("/prot-").replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "UUID").replaceAll("[0-9]{10}$", "N"));
        });
        System.exit(0);
    }
}
