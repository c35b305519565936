package server

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Transaction is one entry of the server's transaction log.
type Transaction struct {
	// Session is the id of the session that requested the transaction.
	Session int64
	Zxid    int64
	// Op is the kind of transaction in ZooKeeper's words: createSession, create, setData, delete,
	// closeSession, multi, error and others.
	Op string
	// Path, Data and Ephemeral are set for a create. A setData has Path and Data, a delete only
	// Path.
	Path      string
	Data      string
	Ephemeral bool
	// Code is ZooKeeper's error code when Op is error. The log does not name the failed operation.
	Code int
}

// Transactions decodes the transaction log of a stopped server with ZooKeeper's own tool.
func (s *Server) Transactions() ([]Transaction, error) {
	logs, err := filepath.Glob(filepath.Join(s.DataDir(), "version-2", "log.*"))
	if err != nil {
		return nil, err
	}
	var all []Transaction
	for _, log := range logs {
		text, err := exec.Command("java", "-cp", classPath(jars), "org.apache.zookeeper.server.persistence.TxnLogToolkit", "-d", log).Output()
		if err != nil {
			return nil, fmt.Errorf("read transaction log %s: %w", log, err)
		}
		list, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("read transaction log %s: %w", log, err)
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b Transaction) int { return cmp.Compare(a.Zxid, b.Zxid) })
	return all, nil
}

var entry = regexp.MustCompile(` session 0x([0-9a-f]+) cxid 0x[0-9a-f]+ zxid 0x([0-9a-f]+) ([A-Za-z0-9]+) ?(.*)$`)

// parse reads the output of ZooKeeper's log tool. Each log entry begins with a line that matches
// the regular expression in the variable entry. A log entry with an ACL continues on a second line.
func parse(text []byte) ([]Transaction, error) {
	var list []Transaction
	var rest []string // for each entry, its text after the operation
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		m := entry.FindStringSubmatch(lines.Text())
		if m == nil {
			if len(rest) > 0 && !strings.HasPrefix(lines.Text(), "EOF reached") {
				rest[len(rest)-1] += "\n" + lines.Text()
			}
			continue
		}
		session, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return nil, err
		}
		zxid, err := strconv.ParseInt(m[2], 16, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, Transaction{Session: int64(session), Zxid: zxid, Op: m[3]})
		rest = append(rest, m[4])
	}
	for i := range list {
		if err := list[i].read(rest[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// read parses the fields that follow the operation in the tool's output:
//
//	create   PATH,DATA,[ACL],EPHEMERAL,CVERSION
//	setData  PATH,DATA,VERSION
//	delete   'PATH
//	error    CODE
//
// A path must not contain a comma.
func (t *Transaction) read(text string) error {
	path, data, _ := strings.Cut(text, ",")
	switch t.Op {
	case "create":
		acl, tail := strings.LastIndex(data, ",["), strings.LastIndex(data, "],")
		if acl < 0 || tail < acl {
			return fmt.Errorf("cannot read %q of zxid %#x", text, t.Zxid)
		}
		t.Path, t.Data, t.Ephemeral = path, data[:acl], strings.HasPrefix(data[tail:], "],true,")
	case "setData":
		version := strings.LastIndexByte(data, ',')
		if version < 0 {
			return fmt.Errorf("cannot read %q of zxid %#x", text, t.Zxid)
		}
		t.Path, t.Data = path, data[:version]
	case "delete":
		t.Path = strings.TrimPrefix(text, "'")
	case "error":
		code, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("cannot read %q of zxid %#x: %w", text, t.Zxid, err)
		}
		t.Code = code
	}
	return nil
}
