package monosim;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Has `monosim zookeeper` take the clients of a server that a Java program starts in its own process, as
 * Apache's ClientBase and Curator's TestingServer do: -Dzookeeper.serverCnxnFactory=monosim.CnxnFactory, and
 * -Dmonosim=PROGRAM. The server in the process is started as well, for its beans, and nobody asks it.
 */
public class CnxnFactory extends NIOServerCnxnFactory {
    private InetSocketAddress address;
    private int most = 60;
    private Process process;
    private final CountDownLatch over = new CountDownLatch(1);

    @Override
    public void configure(InetSocketAddress addr, int maxcc, int backlog, boolean secure) throws IOException {
        if (secure) {
            throw new IOException("a secure port is not served by this class");
        }
        address = addr;
        setMaxClientCnxnsPerHost(maxcc);
        initMaxCnxns();
    }

    @Override
    public void setMaxClientCnxnsPerHost(int max) {
        most = max;
    }

    @Override
    public int getMaxClientCnxnsPerHost() {
        return most;
    }

    @Override
    public void start() {}

    @Override
    public void startup(ZooKeeperServer server, boolean startServer) throws IOException, InterruptedException {
        setZooKeeperServer(server);
        List<String> args = new ArrayList<>(List.of(System.getProperty("monosim"), "zookeeper", "--listen", "127.0.0.1:" + address.getPort(),
            "--tick", server.getTickTime() + "ms", "--max-client-cnxns", "" + Math.max(most, 0),
            "--min-session-timeout", server.getMinSessionTimeout() + "ms", "--max-session-timeout", server.getMaxSessionTimeout() + "ms",
            "--data-dir", new File(server.getTxnLogFactory().getDataLogDir(), "monosim").getPath(),
            "--profile", "zookeeper-" + org.apache.zookeeper.Version.getVersion().replaceAll("^(\\d+\\.\\d+).*", "$1")));
        for (String name : System.getProperties().stringPropertyNames()) {
            // A provider that is a class of a test cannot be had; its scheme is then unknown.
            boolean foreign = name.contains("authProvider.") && !System.getProperty(name).startsWith("org.apache.zookeeper.server.auth.");
            if (name.matches("(zookeeper|znode|jute)\\..*|java\\.security\\.auth\\.login\\.config") && !name.contains("admin.") && !foreign) {
                args.add("-D" + name + "=" + System.getProperty(name));
            }
        }
        process = new ProcessBuilder(args).redirectError(new File(server.getTxnLogFactory().getDataLogDir(), "monosim.err")).start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            throw new IOException("monosim has ended with " + process.waitFor() + ": " + args);
        }
        address = new InetSocketAddress(address.getAddress(), Integer.parseInt(line.replaceAll(".*:", "")));
        Process started = process;
        Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        if (startServer) {
            server.startdata();
            server.startup();
        }
    }

    @Override
    public int getLocalPort() {
        return address.getPort();
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return address;
    }

    @Override
    public void join() throws InterruptedException {
        over.await();
    }

    @Override
    public void shutdown() {
        try {
            if (process != null) {
                process.destroy();
                process.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (zkServer != null) {
            zkServer.shutdown();
        }
        over.countDown();
    }
}
