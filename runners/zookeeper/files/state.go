// Package files shows and converts the files of a ZooKeeper, an Apache one's or the simulated one's: it
// is what `monosim zookeeper show`, `log`, `export` and `--import` do.
//
// Two things to use first:
//
//   - [Source.Read] reads a state, and [State.Write] and [State.Export] write it.
//   - [WriteLog] lists the transactions of an Apache ZooKeeper's logs.
//
// To change
//
//   - what can be read: state.go
//   - what is printed: show.go for a tree, log.go for transactions
//   - the format of Apache's files: package datadir
//
// Unstable: any commit may change it.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/zookeeper/datadir"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Source holds options for reading a state.
type Source struct {
	// LogDir is the directory with the logs of an Apache ZooKeeper. It is "" if they are in the
	// directory of the snapshots.
	LogDir string
	// At is the zxid of the last transaction to apply, such as 0x1f. "" means all transactions.
	At string
}

// State is the state of a server, read from its files.
type State struct {
	image zookeeper.Image
	// from names the files that the state was read from.
	from string
	// Notes lists messages for the user, such as files that were skipped.
	Notes []string
}

// Read reads the state from a data directory or a single snapshot.
func (s *Source) Read(name string) (*State, error) {
	opt := datadir.Options{LogDir: s.LogDir}
	if s.At != "" {
		zxid, err := strconv.ParseInt(s.At, 0, 64)
		if err != nil || zxid < 1 {
			return nil, fmt.Errorf("--at: found %q, want a zxid, as 0x1f", s.At)
		}
		opt.At = zxid
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case !datadir.HoldsOwn(name) && !datadir.IsOwn(name):
		d, err := datadir.Load(name, opt)
		if err != nil {
			return nil, err
		}
		return &State{d.Image, from(d), d.Notes}, nil
	case s.At != "" || s.LogDir != "":
		return nil, fmt.Errorf("--at and --log-dir: found the files of a simulated ZooKeeper in %s, want those of an Apache one", name)
	case info.IsDir():
		return ownDirectory(name)
	}
	snapshot, _, err := wire.LoadSnapshot(name)
	if err != nil {
		return nil, err
	}
	return &State{image: snapshot.Image(), from: name}, nil
}

// from names the snapshot and the logs that were read.
func from(d *datadir.Data) string {
	if len(d.Logs) == 0 {
		return d.Snapshot
	}
	names := lists.Map(d.Logs, filepath.Base)
	return fmt.Sprintf("%s and %d transactions of %s", d.Snapshot, d.Transactions, strings.Join(names, ", "))
}

// ownDirectory reads the --data-dir of a simulated server by starting a server on it and
// stopping this server again.
func ownDirectory(name string) (s *State, err error) {
	s = &State{from: name}
	server, err := wire.Listen("127.0.0.1:0", wire.Options{
		DataDir: name, Clock: wire.ManualClock(func() int64 { return 0 }), Log: func(line string) { s.Notes = append(s.Notes, line) },
	})
	if err != nil {
		return nil, err
	}
	snapshot, _ := server.Snapshot()
	s.image = snapshot.Image()
	return s, errors.Join(server.Err(), server.Close())
}

// Import reads the data directory of an Apache ZooKeeper as the initial state of a simulated
// server. nowMs is the time of the last change. The notes are messages for the user.
func Import(dir, logDir string) (snapshot *zookeeper.Snapshot, nowMs int64, notes []string, err error) {
	d, err := datadir.Load(dir, datadir.Options{LogDir: logDir})
	if err != nil {
		return nil, 0, nil, err
	}
	if snapshot, err = zookeeper.NewSnapshot(d.Image); err != nil {
		return nil, 0, nil, err
	}
	return snapshot, d.TimeMs, append(d.Notes, fmt.Sprintf("imported %s, from %s", counted(&d.Image), from(d))), nil
}

// Export writes the state as the data directory of an Apache ZooKeeper. done describes what
// was written.
func (s *State) Export(dir string) (done string, err error) {
	name, err := datadir.Export(dir, &s.image)
	return fmt.Sprintf("%s: %s, from %s", name, counted(&s.image), s.from), err
}

// counted describes the size of a state: its zxid and the numbers of znodes and sessions.
func counted(image *zookeeper.Image) string {
	return fmt.Sprintf("zxid %#x, %s, %s", uint64(image.Zxid), lists.Counted(len(image.Nodes), "znode"), lists.Counted(len(image.Sessions), "session"))
}
