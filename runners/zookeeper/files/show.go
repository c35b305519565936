package files

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Write prints the state as text, one line for each znode and each session.
func (s *State) Write(w io.Writer) error {
	m, err := s.machine()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, from %s\n", counted(&s.image), s.from)
	for _, n := range m.Nodes() {
		b.WriteString(line(n) + "\n")
	}
	for _, one := range m.Sessions() {
		fmt.Fprintf(&b, "session %s timeout=%d", hex(one.ID), one.TimeoutMs)
		if len(one.Ephemerals) > 0 {
			fmt.Fprintf(&b, " ephemerals=[%s]", strings.Join(one.Ephemerals, " "))
		}
		b.WriteByte('\n')
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func (s *State) machine() (*zookeeper.Machine, error) {
	snapshot, err := zookeeper.NewSnapshot(s.image)
	if err != nil {
		return nil, err
	}
	return zookeeper.Restore(zookeeper.Config{}, 0, snapshot), nil
}

// line formats a znode on one line. It leaves out fields that are zero.
func line(n zookeeper.Node) string {
	words := []string{n.Path}
	add := func(there bool, format string, args ...any) {
		if there {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	s := n.Stat
	add(n.Data == nil, "null")
	add(len(n.Data) > 0, "%q", n.Data)
	add(s.EphemeralOwner != 0, "owner=%s", hex(s.EphemeralOwner))
	add(n.Container, "container")
	add(n.TTLMs != 0, "ttl=%d", n.TTLMs)
	add(s.Czxid != 0, "czxid=%s", hex(s.Czxid))
	add(s.Mzxid != 0, "mzxid=%s", hex(s.Mzxid))
	add(s.Pzxid != 0, "pzxid=%s", hex(s.Pzxid))
	add(s.CtimeMs != 0, "ctime=%s", clock(s.CtimeMs))
	add(s.MtimeMs != 0, "mtime=%s", clock(s.MtimeMs))
	add(s.Version != 0, "version=%d", s.Version)
	add(s.Cversion != 0, "cversion=%d", s.Cversion)
	add(s.Aversion != 0, "aversion=%d", s.Aversion)
	add(!acl.IsOpen(n.ACL), "acl=%s", strings.Join(lists.Map(n.ACL, acl.Entry.String), ","))
	return strings.Join(words, " ")
}

// clock formats a wall time, given in milliseconds since 1970, in UTC.
func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

type stateShown struct {
	Zxid     string         `json:"zxid"`
	From     string         `json:"from"`
	Notes    []string       `json:"notes,omitempty"`
	Znodes   []znodeShown   `json:"znodes"`
	Sessions []sessionShown `json:"sessions"`
}

type znodeShown struct {
	Path string `json:"path"`
	dataShown
	Kind           string     `json:"kind"`
	TTLMs          int64      `json:"ttl_ms,omitempty"`
	ACL            []aclShown `json:"acl"`
	Czxid          string     `json:"czxid"`
	Mzxid          string     `json:"mzxid"`
	Pzxid          string     `json:"pzxid"`
	CtimeMs        int64      `json:"ctime_ms"`
	MtimeMs        int64      `json:"mtime_ms"`
	Version        int32      `json:"version"`
	Cversion       int32      `json:"cversion"`
	Aversion       int32      `json:"aversion"`
	EphemeralOwner string     `json:"ephemeral_owner,omitempty"`
	DataLength     int32      `json:"data_length"`
	NumChildren    int32      `json:"num_children"`
}

type sessionShown struct {
	ID         string   `json:"id"`
	TimeoutMs  int64    `json:"timeout_ms"`
	Ephemerals []string `json:"ephemerals"`
}

type aclShown struct {
	Perms  int32  `json:"perms"`
	Scheme string `json:"scheme"`
	ID     string `json:"id"`
}

// dataShown is the JSON form of a znode's data: as text if the data are text, else in
// base64. Both fields are left out for null.
type dataShown struct {
	Data   *string `json:"data,omitempty"`
	Base64 []byte  `json:"data_base64,omitempty"`
}

func showData(data []byte) (d dataShown) {
	switch {
	case data == nil:
	case utf8.Valid(data):
		text := string(data)
		d.Data = &text
	default:
		d.Base64 = data
	}
	return d
}

func showACL(list []acl.Entry) []aclShown {
	return lists.Map(list, func(e acl.Entry) aclShown { return aclShown{int32(e.Perms), e.Scheme, e.ID} })
}

func hex(v int64) string { return fmt.Sprintf("%#x", uint64(v)) }

// WriteJSON writes the state as one JSON object.
func (s *State) WriteJSON(w io.Writer) error {
	m, err := s.machine()
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(stateShown{
		Zxid: hex(s.image.Zxid), From: s.from, Notes: s.Notes, Znodes: lists.Map(m.Nodes(), showZnode),
		Sessions: lists.Map(m.Sessions(), func(one zookeeper.SessionInfo) sessionShown {
			return sessionShown{hex(one.ID), one.TimeoutMs, append([]string{}, one.Ephemerals...)}
		}),
	})
}

func showZnode(n zookeeper.Node) znodeShown {
	stat := n.Stat
	z := znodeShown{
		Path: n.Path, dataShown: showData(n.Data), Kind: "persistent", TTLMs: n.TTLMs, ACL: showACL(n.ACL),
		Czxid: hex(stat.Czxid), Mzxid: hex(stat.Mzxid), Pzxid: hex(stat.Pzxid), CtimeMs: stat.CtimeMs, MtimeMs: stat.MtimeMs,
		Version: stat.Version, Cversion: stat.Cversion, Aversion: stat.Aversion, DataLength: stat.DataLengthBytes, NumChildren: stat.NumChildren,
	}
	switch {
	case stat.EphemeralOwner != 0:
		z.Kind, z.EphemeralOwner = "ephemeral", hex(stat.EphemeralOwner)
	case n.Container:
		z.Kind = "container"
	case n.TTLMs != 0:
		z.Kind = "ttl"
	}
	return z
}
