package suites_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// apacheClasses lists classes of Apache's tests that start a server and talk to it only through
// clients. testdata/apache.txt lists the tests in them that fail, because they look into the
// server's process.
var apacheClasses = strings.Fields(`
	GetAllChildrenNumberTest GetEphemeralsTest RemoveWatchesTest SaslAuthTest
	test.ACLRootTest test.AsyncOpsTest test.AuthSHA2Test test.AuthTest test.CheckTest test.ChrootAsyncTest test.ChrootTest
	test.ClientSkipACLTest test.ClientTest test.CreateTest test.EnforceQuotaTest test.GetChildren2Test test.MultiAsyncTransactionTest
	test.MultiOperationTest test.NullDataTest test.PersistentRecursiveWatcherTest test.PersistentWatcherACLTest test.PersistentWatcherTest
	test.SaslAuthDesignatedClientTest test.SaslAuthFailDesignatedClientTest test.SaslAuthRequiredFailNoSASLTest test.SaslAuthRequiredFailWrongSASLTest
	test.SaslAuthRequiredMultiClientTest test.SaslAuthRequiredTest test.SaslSuperUserTest test.StatTest test.SyncCallTest
	test.WatcherFuncTest test.ZooKeeperQuotaTest`)

// Goal: the tests of Apache's own clients pass against the simulated ZooKeeper (ZK-22.12). Method:
// their class ClientBase starts a server in its own process. Two small classes replace that server
// by `monosim zookeeper`. ZOOKEEPER_TESTS names a folder of jars, which testdata/java/pom.xml
// fetches.
func TestApacheSuite(t *testing.T) {
	jars := os.Getenv("ZOOKEEPER_TESTS")
	if jars == "" {
		t.Skip("ZOOKEEPER_TESTS names no folder with the jars of Apache's tests")
	}
	start := time.Now()
	path, options := filepath.Join(jars, "*"), []string{"-Dzookeeper.forceSync=no"}
	if *serverKind == "simulated" {
		classes := t.TempDir()
		sources := []string{"testdata/java/monosim/CnxnFactory.java", "testdata/java/org/apache/zookeeper/test/JMXEnv.java"}
		if out, err := exec.Command("javac", append([]string{"-cp", path, "-d", classes}, sources...)...).CombinedOutput(); err != nil {
			t.Fatalf("javac: %v\n%s", err, out)
		}
		path = classes + string(filepath.ListSeparator) + path
		options = append(options, "-Dzookeeper.serverCnxnFactory=monosim.CnxnFactory", "-Dmonosim="+buildMonosim(t))
	}
	var results []result
	for _, class := range apacheClasses {
		results = append(results, runApache(t, path, options, class)...)
	}
	hold(t, results, readKnown(t, "apache.txt"), time.Since(start))
}

// runApache runs a test class in a process of its own, because the Java properties that a class
// sets would affect the next class.
func runApache(t *testing.T, path string, options []string, class string) (results []result) {
	t.Helper()
	dir := t.TempDir()
	args := append(slices.Clone(options), "-Dbuild.test.dir="+dir, "-Djava.io.tmpdir="+dir, "-cp", path,
		"org.junit.platform.console.ConsoleLauncher", "-c", "org.apache.zookeeper."+class, "--details=none", "--reports-dir", dir)
	cmd := command(t, os.Environ(), dir, "java", args...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return []result{{test: class, outcome: "fail", why: err.Error() + "\n" + string(tail(out))}}
	}
	text, err := os.ReadFile(filepath.Join(dir, "TEST-junit-jupiter.xml"))
	if err != nil {
		t.Fatalf("%s: %v\n%s", class, err, tail(out))
	}
	_, suite, _ := bytes.Cut(text, []byte("?>"))
	if results, err = readJUnit(slices.Concat([]byte("<testsuites>"), suite, []byte("</testsuites>"))); err != nil {
		t.Fatalf("%s: %v", class, err)
	}
	for i := range results {
		results[i].test, _, _ = strings.Cut(strings.TrimPrefix(results[i].test, "org.apache.zookeeper."), "(")
	}
	return results
}
