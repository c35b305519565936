package files

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/zookeeper/datadir"
	"github.com/monosim/monosim/sim/zookeeper"
)

// WriteLog lists the transactions in a directory or in one log. It writes text, or one JSON
// object a line if asJSON is true. The notes are messages for the user.
func WriteLog(w io.Writer, name, logDir string, asJSON bool) (notes []string, err error) {
	each := printText(w)
	if asJSON {
		each = printJSON(w)
	}
	return datadir.Transactions(name, datadir.Options{LogDir: logDir}, each)
}

func printText(w io.Writer) func(*datadir.Transaction) error {
	return func(tx *datadir.Transaction) error {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s session %s %s\n", hex(tx.Zxid), clock(tx.TimeMs), hex(tx.Session), changeText(&tx.Change))
		for i := range tx.Ops {
			fmt.Fprintf(&b, "    %s\n", changeText(&tx.Ops[i]))
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// changeText describes on one line what a transaction does.
func changeText(c *datadir.Change) string {
	words := []string{c.Op.String()}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if c.Path != "" {
		add("%s", c.Path)
	}
	switch c.Op {
	case zookeeper.OpCreate, zookeeper.OpCreate2:
		if c.Ephemeral {
			add("ephemeral")
		}
	case zookeeper.OpCreateTTL:
		add("ttl=%d", c.TTLMs)
	case zookeeper.OpSetData, zookeeper.OpSetACL, zookeeper.OpCheck, zookeeper.OpReconfig:
		add("version=%d", c.Version)
	case zookeeper.OpCreateSession:
		add("timeout=%d", c.TimeoutMs)
	case zookeeper.OpCloseSession:
		if len(c.Gone) > 0 {
			add("ephemerals=[%s]", strings.Join(c.Gone, " "))
		}
	case zookeeper.OpError:
		add("%s", zookeeper.CodeName(c.Code))
	}
	return strings.Join(words, " ")
}

// transactionShown is the JSON form of a transaction.
type transactionShown struct {
	Zxid    string `json:"zxid"`
	TimeMs  int64  `json:"time_ms"`
	Session string `json:"session"`
	Cxid    int32  `json:"cxid"`
	changeShown
	File   string `json:"file"`
	Record int    `json:"record"`
	Offset int    `json:"offset"`
}

// changeShown is the JSON form of a change. It leaves out fields that the operation does not
// have.
type changeShown struct {
	Op   string `json:"op"`
	Path string `json:"path,omitempty"`
	dataShown
	ACL       []aclShown    `json:"acl,omitempty"`
	Ephemeral bool          `json:"ephemeral,omitempty"`
	TTLMs     int64         `json:"ttl_ms,omitempty"`
	Version   *int32        `json:"version,omitempty"`
	TimeoutMs int32         `json:"timeout_ms,omitempty"`
	Gone      []string      `json:"ephemerals,omitempty"`
	Code      *int32        `json:"code,omitempty"`
	Ops       []changeShown `json:"ops,omitempty"`
}

func showChange(c datadir.Change) changeShown {
	s := changeShown{
		Op: c.Op.String(), Path: c.Path, dataShown: showData(c.Data), ACL: showACL(c.ACL), Ephemeral: c.Ephemeral, TTLMs: c.TTLMs,
		TimeoutMs: c.TimeoutMs, Gone: c.Gone, Ops: lists.Map(c.Ops, showChange),
	}
	switch c.Op {
	case zookeeper.OpSetData, zookeeper.OpSetACL, zookeeper.OpCheck, zookeeper.OpReconfig:
		s.Version = &c.Version
	case zookeeper.OpError:
		code := int32(c.Code)
		s.Code = &code
	}
	return s
}

func printJSON(w io.Writer) func(*datadir.Transaction) error {
	e := json.NewEncoder(w)
	return func(tx *datadir.Transaction) error {
		return e.Encode(transactionShown{
			Zxid: hex(tx.Zxid), TimeMs: tx.TimeMs, Session: hex(tx.Session), Cxid: tx.Cxid, changeShown: showChange(tx.Change),
			File: tx.File, Record: tx.Record, Offset: tx.Offset,
		})
	}
}
