package main

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/zkfiles"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/runners/zookeeper/adminserver"
	"github.com/monosim/monosim/runners/zookeeper/datadir"
	"github.com/monosim/monosim/runners/zookeeper/files"
	"github.com/monosim/monosim/runners/zookeeper/jaas"
	"github.com/monosim/monosim/runners/zookeeper/secure"
	"github.com/monosim/monosim/runners/zookeeper/zoocfg"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// zooKeeperOptions holds the flags of `monosim zookeeper`. Some flags set fields of options
// directly.
type zooKeeperOptions struct {
	options      wire.Options
	listen       string
	allowRemote  bool
	profile      string
	tick         time.Duration
	minTimeout   time.Duration
	maxTimeout   time.Duration
	speed        string
	sessionClock string
	snapshot     string
	imported     string
	importedLogs string
	logWrites    string
	events       string
	connsPerAddr int
	adminServer  string
	secureListen string
	stores       secure.Stores
	tls          *tls.Config // of --secure-listen
	jaas         string
	admin        adminFlags
	config       string
	properties   []string
	limits       zooKeeperLimits
	ensemble     ensembleOptions
}

// zooKeeperLimits holds flags that are durations.
type zooKeeperLimits struct {
	containerCheck     time.Duration
	containerNeverUsed time.Duration
	sessionless        time.Duration
}

func newZooKeeperCommand() *cobra.Command {
	var o zooKeeperOptions
	cmd := &cobra.Command{
		Use:   "zookeeper",
		Short: "Serve the simulated ZooKeeper to real clients",
		Long: `Serve the simulated ZooKeeper over TCP, for clients of the real one: sessions,
watches, transactions, ACLs and four-letter words. It prints the address that it
listens on, serves until it is interrupted or terminated, and says on standard
error what an operator may want to know.

With --speed the server's time passes faster, but session timeouts stay those of
the wall clock, by which clients ping; --session-clock server has sessions expire
faster too.

The state is in memory unless --data-dir names a directory, where nothing that
was answered is lost, however the server ends. With --import DIR it begins with what is in
the data directory of an Apache ZooKeeper; show and log look into one, and export writes one.

With --ensemble 3 it is three servers on three ports, a leader and followers, in memory:
one that ends or is cut off leaves a majority, and two leave none.

With --config zoo.cfg, and -D for Java's system properties, it is set up as a real server
would be; what has no effect here is told, and what changes answers and is not there is refused.

With --secure-listen ADDRESS clients that speak TLS have an address of their own, by the
certificates of PEM files; who is behind it is not known by a certificate.

With --jaas FILE, a real server's, clients can authenticate by SASL DIGEST-MD5.

With --admin ADDRESS a second line of output says where an HTTP interface for live
faults is: sessions that expire, connections that drop, requests that fail or wait, a
server that lags or may only be read. It takes and answers JSON, and GET / lists what
there is with a curl command for each. It wants the token that is printed with its
address: a file of mode 600 has it as a header, for curl -H @FILE.

With --admin-server ADDRESS the AdminServer of a real ZooKeeper is there, too, whose
/commands are JSON for health checks and monitors; an ensemble has one for each server.`,
		Example: `  monosim zookeeper
  monosim zookeeper --listen 127.0.0.1:0 --speed 60x --log-writes writes.jsonl
  monosim zookeeper --data-dir zk --tick 500ms
  monosim zookeeper --import /var/lib/zookeeper --data-dir zk
  monosim zookeeper --config zoo.cfg -D znode.container.checkIntervalMs=1000
  monosim zookeeper --jaas jaas.conf --sasl-acls --enforce-auth sasl
  monosim zookeeper --admin-server 127.0.0.1:8080
  curl 127.0.0.1:8080/commands/monitor
  monosim zookeeper --ensemble 3 --admin 127.0.0.1:8990 --admin-token-file admin.token
  curl -H @admin.token -X POST 127.0.0.1:8990/servers/3/stop
  monosim zookeeper --admin 127.0.0.1:8990 --admin-token-file admin.token
  curl -H @admin.token 127.0.0.1:8990/sessions
  curl -H @admin.token -d '{"session": "0x1000012ab340000"}' 127.0.0.1:8990/sessions/expire
  curl -H @admin.token -d '{"next": 2, "ops": ["create"], "lose": "answer"}' 127.0.0.1:8990/requests/fail`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	o.start(f)
	o.settings(f)
	o.admin.register(f, "of an HTTP interface that brings faults about")
	o.ensemble.flags(cmd)
	cmd.AddCommand(newZooKeeperCheckCommand())
	cmd.AddCommand(zkfiles.Commands()...)
	completeFlags(cmd, map[string]func() []string{"profile": func() []string { return []string{"zookeeper-3.8", "zookeeper-3.9"} }})
	return cmd
}

// start registers the flags about addresses, version and initial state of the server.
func (o *zooKeeperOptions) start(f *pflag.FlagSet) {
	f.StringVar(&o.listen, "listen", "127.0.0.1:2181", "address to listen on; port 0 takes any that is free")
	f.BoolVar(&o.allowRemote, "allow-remote", false, "let --listen, --secure-listen and --admin-server be addresses that other machines reach")
	f.StringVar(&o.profile, "profile", "zookeeper-3.8", "version to be: zookeeper-3.8 or zookeeper-3.9")
	f.StringVar(&o.speed, "speed", "1x", "how much faster than the wall clock time passes, as 60x")
	f.StringVar(&o.sessionClock, "session-clock", sessionClockWall, "clock of session timeouts and their limits: wall, by which clients ping, or server")
	f.StringVar(&o.snapshot, "snapshot", "", "file to start from when it exists, and to save the state to at the end")
	f.StringVar(&o.imported, "import", "", "data directory of an Apache ZooKeeper to start from, which stays as it is")
	f.StringVar(&o.importedLogs, "import-logs", "", "directory of its logs, where it is another (dataLogDir)")
	f.StringVar(&o.logWrites, "log-writes", "", "file for the log of all writes, one JSON object a line; it is replaced")
	f.StringVar(&o.events, "events", "", "file to append every write to, with its session and wall time, one JSON object a line")
}

// settings registers --config, -D, and the flags that correspond to settings of a zoo.cfg or to
// Java properties.
func (o *zooKeeperOptions) settings(f *pflag.FlagSet) {
	f.StringVar(&o.config, "config", "", "zoo.cfg of a real server, whose settings count where no flag is given")
	f.StringArrayVarP(&o.properties, "define", "D", nil, "Java system property, as znode.container.checkIntervalMs=1000; what the zoo.cfg sets counts more, as for a real server")
	f.StringVar(&o.adminServer, "admin-server", "", "address on this machine, as 127.0.0.1:8080, of ZooKeeper's AdminServer (admin.serverPort); servers of an ensemble have it and the ports behind it; none without")
	f.StringVar(&o.secureListen, "secure-listen", "", "address for clients that speak TLS (secureClientPort); none without")
	f.StringVar(&o.stores.Key, "tls-key-store", "", "PEM file with the private key and the certificates of that address (ssl.keyStore.location)")
	f.StringVar(&o.stores.Trust, "tls-trust-store", "", "PEM file with the certificates that sign those of clients (ssl.trustStore.location)")
	f.StringVar(&o.stores.ClientAuth, "tls-client-auth", "need", "whether clients have to show a certificate: need, want or none (ssl.clientAuth)")
	f.StringSliceVar(&o.options.Words, "4lw", []string{"*"}, "four-letter words to answer, as ruok,mntr; * for all")
	f.StringVar(&o.options.DataDir, "data-dir", "", "directory that keeps the state across restarts")
	f.DurationVar(&o.tick, "tick", 2*time.Second, "tickTime: the grid of session expiry")
	f.DurationVar(&o.minTimeout, "min-session-timeout", 0, "least session timeout (default 2 ticks)")
	f.DurationVar(&o.maxTimeout, "max-session-timeout", 0, "longest session timeout (default 20 ticks)")
	f.IntVar(&o.connsPerAddr, "max-client-cnxns", 60, "most connections of one address; 0 for no limit")
	f.BoolVar(&o.options.Config.ExtendedTypes, "extended-types", false, "allow TTL znodes (extendedTypesEnabled)")
	f.BoolVar(&o.options.Config.ReconfigEnabled, "reconfig-enabled", false, "refuse reconfig as a standalone server that has it enabled")
	f.BoolVar(&o.options.Config.EnforceQuota, "enforce-quota", false, "refuse what goes beyond the hard limits of quotas (enforceQuota)")
	f.DurationVar(&o.limits.containerCheck, "container-check-interval", 0, "time between two sweeps of containers and TTL znodes (default 1m)")
	f.Int64Var(&o.options.Config.ContainerMaxPerMinute, "container-max-per-minute", 0, "most znodes that a sweep deletes in a minute (default 10000)")
	f.DurationVar(&o.limits.containerNeverUsed, "container-max-never-used", 0, "how long a container lives that never had a child; 0 for ever")
	f.IntVar(&o.options.Limits.FrameBytes, "jute-maxbuffer", 0, "longest request in bytes (default 1048575)")
	f.DurationVar(&o.limits.sessionless, "sessionless-timeout", 0, "how long a connection may be without a session (default 10s)")
	f.StringVar(&o.options.Config.DigestAlg, "digest-alg", "SHA1", "algorithm of the scheme digest, as SHA-256")
	f.BoolVar(&o.options.Config.NoDigest, "no-digest", false, "leave the scheme digest out (DigestAuthenticationProvider.enabled=false)")
	f.BoolVar(&o.options.Config.SkipACL, "skip-acl", false, "permit everything to everybody (skipACL)")
	f.StringVar(&o.options.Config.SuperDigest, "super-digest", "", "identity of the super user, as user:base64(sha1(user:password))")
	f.StringVar(&o.jaas, "jaas", "", "JAAS file whose entry Server has who may authenticate by SASL DIGEST-MD5, as user_NAME=\"PASSWORD\"; none without")
	f.BoolVar(&o.options.Config.SASLScheme, "sasl-acls", false, "let ACLs have the scheme sasl (authProvider.1 with SASLAuthenticationProvider)")
	f.StringVar(&o.options.Config.AnyUser, "sasl-any-user", "", "name that stands for every user of --jaas in ACLs (letAnySaslUserDoX)")
	f.StringArrayVar(&o.options.Config.SuperUsers, "super-user", nil, "user of --jaas who may do everything (superUser); may be given again")
	f.StringSliceVar(&o.options.Config.EnforceAuth, "enforce-auth", nil, "schemes of which a client needs an identity for every request, as sasl,digest (enforce.auth.schemes)")
}

// smallHeap is how many bytes a small heap may grow between two garbage collections.
const smallHeap = 48 << 20

// run serves until a signal or a failure.
func (o *zooKeeperOptions) run(cmd *cobra.Command) (err error) {
	if err := notEmpty(cmd, "data-dir", "snapshot", "log-writes", "events", "admin", "admin-server", "listen", "config", "import", "import-logs", "secure-listen", "tls-key-store", "tls-trust-store", "jaas", "super-digest", "digest-alg"); err != nil {
		return command.BadInput(err)
	}
	if err := o.configure(cmd); err != nil {
		return command.BadInput(err)
	}
	if err := o.readStores(cmd); err != nil {
		return command.BadInput(err)
	}
	opt, err := o.complete(cmd.ErrOrStderr())
	if err != nil {
		return command.BadInput(err)
	}
	if o.logWrites != "" {
		log, createErr := os.Create(o.logWrites)
		if createErr != nil {
			return command.BadInput(fmt.Errorf("--log-writes: %w", createErr))
		}
		defer func() { err = errors.Join(err, log.Close()) }()
		opt.WriteLog = log
	}
	if o.events != "" {
		log, openErr := os.OpenFile(o.events, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if openErr != nil {
			return command.BadInput(fmt.Errorf("--events: %w", openErr))
		}
		defer func() { err = errors.Join(err, log.Close()) }()
		opt.EventLog = log
	}
	if os.Getenv("GOGC") == "" {
		// This server runs for long beside other programs, so garbage is collected at Go's default
		// rate to save memory. With a small tree that would mean collecting all the time. So an
		// untouched array, which occupies no real memory, counts as live and makes the collector
		// wait longer.
		defer debug.SetGCPercent(debug.SetGCPercent(100))
		weight := make([]byte, smallHeap)
		defer runtime.KeepAlive(&weight)
	}
	return serveUntilSignal(cmd, &o.admin, func() (*serving, error) {
		if o.ensemble.servers > 0 {
			return o.openEnsemble(opt)
		}
		return o.open(opt)
	})
}

// serveCommands starts an AdminServer for each server. The first takes the port of --admin-server,
// the others take the ports after it.
func (o *zooKeeperOptions) serveCommands(s *serving, servers ...func() *wire.Server) (*serving, error) {
	if o.adminServer == "" {
		return s, nil
	}
	addresses, err := portsFrom("--admin-server", o.adminServer, len(servers))
	if err != nil {
		return nil, command.BadInput(errors.Join(err, s.close()))
	}
	for i, server := range servers {
		a, err := adminserver.Listen(addresses[i], server)
		if err != nil {
			return nil, command.BadInput(fmt.Errorf("--admin-server: %w", errors.Join(err, s.close())))
		}
		s.more = append(s.more, "commands "+a.URL())
		before := s.close
		s.close = func() error { return errors.Join(a.Close(), before()) }
	}
	return s, nil
}

// open starts a single server.
func (o *zooKeeperOptions) open(opt wire.Options) (*serving, error) {
	server, err := wire.Listen(o.listen, opt)
	if err != nil {
		return nil, fmt.Errorf("zookeeper: %w", err)
	}
	s := &serving{
		title: "a ZooKeeper at " + server.Addr(), addr: server.Addr(), actions: admin.ZooKeeper(server), done: server.Done(),
		close: func() error {
			err := errors.Join(server.Err(), server.Close())
			if err == nil && o.snapshot != "" {
				snapshot, nowMs := server.Snapshot()
				err = wire.SaveSnapshot(o.snapshot, nowMs, snapshot)
			}
			if err != nil {
				return fmt.Errorf("zookeeper: %w", err)
			}
			return nil
		},
	}
	if s, err = o.serveSecure(s, opt.Log); err != nil {
		return nil, err
	}
	return o.serveCommands(s, func() *wire.Server { return server })
}

// readStores reads the key store and the trust store for --secure-listen.
func (o *zooKeeperOptions) readStores(cmd *cobra.Command) (err error) {
	f := cmd.Flags()
	if o.secureListen != "" && o.ensemble.servers == 0 {
		o.tls, err = secure.Config(o.stores)
	} else if o.secureListen == "" && (f.Changed("tls-key-store") || f.Changed("tls-trust-store") || f.Changed("tls-client-auth")) {
		err = errors.New("--tls-key-store, --tls-trust-store and --tls-client-auth: want --secure-listen too")
	}
	return err
}

// serveSecure also opens the TLS port of --secure-listen, if that flag is given.
func (o *zooKeeperOptions) serveSecure(s *serving, log func(line string)) (*serving, error) {
	if o.secureListen == "" {
		return s, nil
	}
	port, err := secure.Listen(o.secureListen, s.addr, o.tls, log)
	if err != nil {
		return nil, command.BadInput(fmt.Errorf("--secure-listen: %w", errors.Join(err, s.close())))
	}
	s.more = append(s.more, "secure "+port.Addr())
	before := s.close
	s.close = func() error { return errors.Join(port.Close(), before()) }
	return s, nil
}

// complete checks the flags and returns the server's options.
func (o *zooKeeperOptions) complete(stderr io.Writer) (opt wire.Options, err error) {
	opt = o.options
	opt.Log = func(line string) { fmt.Fprintln(stderr, "zookeeper: "+line) }
	if err := checkListen(stderr, "zookeeper", "--listen", o.listen, "127.0.0.1:2181", o.allowRemote); err != nil {
		return opt, err
	}
	for _, more := range []struct{ flag, addr, example string }{
		{"--admin-server", o.adminServer, "127.0.0.1:8080"}, {"--secure-listen", o.secureListen, "127.0.0.1:2281"},
	} {
		if more.addr == "" {
			continue
		}
		if err := checkListen(stderr, "zookeeper", more.flag, more.addr, more.example, o.allowRemote); err != nil {
			return opt, err
		}
	}
	cfg := &opt.Config
	if cfg.Profile, err = wire.ParseProfile(o.profile); err != nil {
		return opt, fmt.Errorf("--profile: %w", err)
	}
	if cfg.TickMs, err = milliseconds("--tick", o.tick, time.Millisecond); err != nil {
		return opt, err
	}
	if err := o.timeouts(&opt); err != nil {
		return opt, err
	}
	if err := wire.CheckDigests(cfg); err != nil {
		return opt, fmt.Errorf("--%w", err)
	}
	if err := jaas.Configure(cfg, o.jaas); err != nil {
		return opt, err
	}
	if opt.Speed, err = parseSpeed(o.speed); err != nil {
		return opt, err
	}
	if err := o.setSessionClock(&opt, stderr); err != nil {
		return opt, err
	}
	if opt.Limits.ConnsPerAddr = o.connsPerAddr; o.connsPerAddr < 0 {
		return opt, fmt.Errorf("--max-client-cnxns: %d, want 0 or more", o.connsPerAddr)
	} else if o.connsPerAddr == 0 {
		opt.Limits.ConnsPerAddr = -1
	}
	if opt.Words, err = o.words(); err != nil {
		return opt, err
	}
	if err := o.completeLimits(&opt); err != nil {
		return opt, err
	}
	if err := o.checkEnsemble(); err != nil {
		return opt, err
	}
	if err := o.loadSnapshot(&opt); err != nil {
		return opt, err
	}
	return opt, o.loadImport(&opt)
}

// timeouts sets the limits of session timeouts. 0 takes the defaults of a real server: 2 and 20
// ticks.
func (o *zooKeeperOptions) timeouts(opt *wire.Options) (err error) {
	cfg := &opt.Config
	if cfg.MinSessionTimeoutMs, err = milliseconds("--min-session-timeout", o.minTimeout, 0); err != nil {
		return err
	}
	if cfg.MaxSessionTimeoutMs, err = milliseconds("--max-session-timeout", o.maxTimeout, 0); err != nil {
		return err
	}
	if least, most := cmp.Or(o.minTimeout, 2*o.tick), cmp.Or(o.maxTimeout, 20*o.tick); least > most {
		return fmt.Errorf("--min-session-timeout: %v, want at most --max-session-timeout, %v", least, most)
	}
	return nil
}

// notEmpty returns an error for a flag that was given with an empty value, for example by an unset
// shell variable.
func notEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s: found \"\", want %s", name, f.Usage)
		}
	}
	return nil
}

// configure applies the settings of --config and -D to the corresponding flags. A flag on the
// command line takes precedence.
func (o *zooKeeperOptions) configure(cmd *cobra.Command) error {
	settings := &zoocfg.Settings{}
	if o.config != "" {
		var err error
		if settings, err = zoocfg.Read(o.config); err != nil {
			return fmt.Errorf("--config: %w", err)
		}
	}
	for _, property := range o.properties {
		if err := settings.Define(property); err != nil {
			return err
		}
	}
	flags, notes, err := settings.Flags()
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "zookeeper: "+note)
	}
	given := map[string]bool{} // flags given on the command line, which win over other settings
	cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
	for _, f := range flags {
		if given[f.Flag] {
			continue
		}
		if err := cmd.Flags().Set(f.Flag, f.Value); err != nil {
			return fmt.Errorf("%s: %s: %w", f.At, f.Name, err)
		}
	}
	return nil
}

// completeLimits checks the flags of limits and sets them.
func (o *zooKeeperOptions) completeLimits(opt *wire.Options) (err error) {
	cfg := &opt.Config
	if cfg.ContainerCheckIntervalMs, err = milliseconds("--container-check-interval", o.limits.containerCheck, 0); err != nil {
		return err
	}
	if cfg.ContainerMaxNeverUsedMs, err = milliseconds("--container-max-never-used", o.limits.containerNeverUsed, 0); err != nil {
		return err
	}
	opt.Limits.FirstFrame = o.limits.sessionless
	switch {
	case o.limits.sessionless < 0:
		return fmt.Errorf("--sessionless-timeout: %v, want 0 or more", o.limits.sessionless)
	case cfg.ContainerMaxPerMinute < 0 || cfg.ContainerMaxPerMinute > 60_000:
		return fmt.Errorf("--container-max-per-minute: %d, want 1 to 60000", cfg.ContainerMaxPerMinute)
	case opt.Limits.FrameBytes < 0:
		return fmt.Errorf("--jute-maxbuffer: %d, want more than 0", opt.Limits.FrameBytes)
	}
	return nil
}

// words returns the four-letter words that the server answers, nil for all of them.
func (o *zooKeeperOptions) words() (words []string, err error) {
	for _, word := range o.options.Words {
		if word = strings.TrimSpace(word); word == "*" {
			return nil, nil
		}
		words = append(words, word)
	}
	if err := wire.CheckWords(words); err != nil {
		return nil, fmt.Errorf("--4lw: %w", err)
	}
	return words, nil
}

// Clocks of sessions.
const (
	sessionClockWall   = "wall"
	sessionClockServer = "server"
)

// setSessionClock chooses the clock by which sessions expire: the wall clock of the clients, or the
// server's clock. It warns if the two run at different speeds.
func (o *zooKeeperOptions) setSessionClock(opt *wire.Options, stderr io.Writer) error {
	warning := "session timeouts stay those of the wall clock, by which clients ping"
	switch o.sessionClock {
	case sessionClockWall:
		opt.Config.ClientSpeed = opt.Speed
	case sessionClockServer:
		warning = "sessions expire by it too, also those of clients that ping by the wall clock"
	default:
		return fmt.Errorf("--session-clock: found %q, want %s or %s", o.sessionClock, sessionClockWall, sessionClockServer)
	}
	if opt.Speed != 1 {
		fmt.Fprintf(stderr, "zookeeper: warning: time passes %gx as fast as the wall clock; %s\n", opt.Speed, warning)
	}
	return nil
}

func (o *zooKeeperOptions) loadSnapshot(opt *wire.Options) (err error) {
	if o.snapshot == "" {
		return nil
	}
	if opt.DataDir != "" {
		return errors.New("--snapshot: cannot go with --data-dir, which has snapshots of its own")
	}
	opt.Snapshot, opt.SnapshotMs, err = wire.LoadSnapshot(o.snapshot)
	if errors.Is(err, fs.ErrNotExist) {
		return writable(o.snapshot)
	}
	if err != nil {
		return fmt.Errorf("--snapshot: %w", err)
	}
	return nil
}

// loadImport reads the data directory of an Apache ZooKeeper. It refuses such a directory as
// --data-dir, because this server would not read it.
func (o *zooKeeperOptions) loadImport(opt *wire.Options) (err error) {
	switch {
	case o.imported == "" && o.importedLogs != "":
		return fmt.Errorf("--import-logs: found logs of an Apache ZooKeeper in %s, want --import DIR too, where its snapshots are", o.importedLogs)
	case o.imported == "" && opt.DataDir != "" && datadir.Holds(opt.DataDir):
		return fmt.Errorf("--data-dir: found the files of an Apache ZooKeeper in %s, want --import %s to start from them, and --data-dir DIR to keep the state in another directory", opt.DataDir, opt.DataDir)
	case o.imported == "":
		return nil
	case opt.Snapshot != nil:
		return fmt.Errorf("--import: found a state in --snapshot %s already, want one of them to start from", o.snapshot)
	}
	var notes []string
	if opt.Snapshot, opt.SnapshotMs, notes, err = files.Import(o.imported, o.importedLogs); err != nil {
		return fmt.Errorf("--import: %w", err)
	}
	for _, note := range notes {
		opt.Log(note)
	}
	return nil
}

// writable returns an error if a file of this name could not be written at the end of the run.
func writable(name string) error {
	_, err := os.Stat(filepath.Dir(name))
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("--snapshot: the state could not be saved at the end: %w", err)
	}
	return nil
}
