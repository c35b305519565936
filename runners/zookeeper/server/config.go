package server

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// Config has the settings of a server; the zero value means the server's defaults.
type Config struct {
	// Tick is the server's tickTime; 0 means 2 s. Session timeouts are 2 to 20 ticks, and
	// expirations are rounded to whole ticks (ZK-2.6, ZK-3.1).
	Tick time.Duration
	// MaxSession is the longest session timeout that the server grants; 0 means 20 ticks. Sessions must
	// outlast a restart, which takes many seconds on a busy machine.
	MaxSession time.Duration
	// SuperDigest is the digest identity that passes all ACL checks; "" means none (ZK-9.3).
	SuperDigest string
	// ContainerCheck is the time between two sweeps of containers and TTL nodes; 0 means 1 minute.
	ContainerCheck time.Duration
	// HeapMB is the JVM's heap size in MB, for servers whose speed is measured (zkEnv.sh gives
	// 1000). The JVM then chooses its compilers and garbage collector itself. 0 means a small
	// server that starts fast.
	HeapMB int
	// ForceSync makes the server sync each write to disk before it answers, as ZooKeeper does by
	// default. Acknowledged writes then survive a crash of the machine.
	ForceSync bool
	// AdminPort is the port of the AdminServer on 127.0.0.1; 0 disables the AdminServer.
	AdminPort int
	// Properties holds more Java system properties, such as zookeeper.snapCount=10.
	Properties []string
	// Interrupt aborts the wait for a starting server when the channel is closed; nil means never.
	Interrupt <-chan struct{}

	// ensemble holds the lines of zoo.cfg that list an ensemble's servers; "" for a standalone
	// server.
	ensemble string
}

// ErrNotInstalled is the error on a machine without a server; it says how to install one
// (ZK-17.1).
var ErrNotInstalled = errors.New("no ZooKeeper server is installed: apt-get install default-jre-headless libzookeeper-java")

// jars lists the jars of Debian's packages. The manifest of zookeeper.jar names the rest of the
// class path, except for a binding of slf4j (ZK-17.2).
var jars = []string{"/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-nop.jar"}

// servletJar is one more jar that the AdminServer needs. A ZooKeeper without the jar starts no
// AdminServer and reports no error.
const servletJar = "/usr/share/java/servlet-api.jar"

func classPath(parts []string) string { return strings.Join(parts, string(filepath.ListSeparator)) }

// Installed returns nil where a ZooKeeper server is installed. Otherwise it returns
// ErrNotInstalled and names what is missing.
func Installed() error {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("%w (found no java)", ErrNotInstalled)
	}
	for _, jar := range jars {
		if _, err := os.Stat(jar); err != nil {
			return fmt.Errorf("%w (found no %s)", ErrNotInstalled, jar)
		}
	}
	return nil
}

// release matches the jar's file name with a version. Debian installs the same jar also as
// zookeeper.jar.
var release = regexp.MustCompile(`^zookeeper-(\d+\.\d+)\.\d+\.jar$`)

// Profile returns the simulator's profile for the installed ZooKeeper version, such as
// zookeeper-3.8; "" if the version is not known.
func Profile() string {
	installed, err := os.Stat(jars[0])
	if err != nil {
		return ""
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(jars[0]), "zookeeper-*.jar")) // cannot fail: the pattern is valid
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !os.SameFile(installed, info) {
			continue
		}
		if m := release.FindStringSubmatch(filepath.Base(name)); m != nil {
			return "zookeeper-" + m[1]
		}
	}
	return ""
}

// command returns the command that runs a server from the given zoo.cfg.
func (c Config) command(configFile string) (*exec.Cmd, error) {
	if err := Installed(); err != nil {
		return nil, err
	}
	var properties []string
	if c.SuperDigest != "" {
		properties = append(properties, "-Dzookeeper.DigestAuthenticationProvider.superDigest="+c.SuperDigest)
	}
	if c.ContainerCheck != 0 {
		properties = append(properties, fmt.Sprintf("-Dznode.container.checkIntervalMs=%d", c.ContainerCheck.Milliseconds()))
	}
	if c.HeapMB != 0 {
		properties = append(properties, fmt.Sprintf("-Xmx%dm", c.HeapMB))
	} else {
		properties = append(properties,
			// Test servers live for seconds, so a fast start matters more than a fast compiler and
			// collector.
			"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Dzookeeper.preAllocSize=1024") // the log is enlarged by 64 KB at a time, not by 64 MB
	}
	properties = append(properties, lists.Map(c.Properties, func(p string) string { return "-D" + p })...)
	if !c.ForceSync {
		properties = append(properties, "-Dzookeeper.forceSync=no")
	}
	return exec.Command("java", append(properties,
		"-Dfile.encoding=UTF-8",
		"-Dzookeeper.extendedTypesEnabled=true", // needed at every start if the data directory contains TTL znodes (ZK-17.6)
		"-cp", classPath(append([]string{filepath.Dir(configFile), servletJar}, jars...)),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", configFile)...), nil
}

// text returns the content of the server's zoo.cfg.
func (c Config) text(dataDir string, port int) string {
	tick, admin := cmp.Or(c.Tick, 2*time.Second), "admin.enableServer=false"
	if c.AdminPort != 0 {
		admin = fmt.Sprintf("admin.serverPort=%d\nadmin.serverAddress=127.0.0.1", c.AdminPort)
	}
	return fmt.Sprintf(`tickTime=%d
maxSessionTimeout=%d
dataDir=%s
clientPortAddress=127.0.0.1
clientPort=%d
maxClientCnxns=0
%s
4lw.commands.whitelist=*
%s`, tick.Milliseconds(), cmp.Or(c.MaxSession, 20*tick).Milliseconds(), dataDir, port, admin, c.ensemble)
}
