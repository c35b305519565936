package recorded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// A script is a text file with a title and requests. A request is a line such as "1 create /a
// data=x flags=1", which begins with the number of its connection. The indented lines after it are
// the outputs. Zero fields are left out, values with blanks are quoted, and operations of a multi
// are in parentheses. "strict" selects the second server.

// String formats the step as in a script.
func (st step) String() string {
	switch c := st.connect; {
	case c != nil:
		w := fields{}
		w.number("timeout", int64(c.TimeoutMs))
		w.number("session", c.SessionID)
		w.number("seen", c.LastZxidSeen)
		w.number("attach", int64(st.attach))
		w.flag("wrongPassword", st.wrongPassword)
		w.flag("readOnlySent", c.HasReadOnly)
		return fmt.Sprintf("%d connect%s", st.conn, w.text)
	case st.drop:
		return fmt.Sprintf("%d drop", st.conn)
	}
	return fmt.Sprintf("%d %s", st.conn, requestText(&st.req))
}

// fields builds the text of a step's fields.
type fields struct{ text string }

func (w *fields) number(name string, v int64) {
	if v != 0 {
		w.text += fmt.Sprintf(" %s=%d", name, v)
	}
}

func (w *fields) flag(name string, v bool) {
	if v {
		w.text += " " + name
	}
}

func (w *fields) string(name, v string) {
	if v == "" || strings.ContainsAny(v, " ()\"=") || strconv.Quote(v) != `"`+v+`"` {
		v = strconv.Quote(v)
	}
	w.text += " " + name + "=" + v
}

func requestText(r *zookeeper.Request) string {
	w := fields{}
	w.number("xid", int64(r.Xid))
	if r.Path != "" {
		w.string("path", r.Path)
	}
	if r.Data != nil {
		w.string("data", string(r.Data))
	}
	w.number("flags", int64(r.Flags))
	w.number("version", int64(r.Version))
	w.number("mode", int64(r.Mode))
	w.number("ttl", r.TTLMs)
	w.number("timeout", int64(r.TimeoutMs))
	w.flag("null", r.NullPath)
	w.flag("nullACL", r.ACL == nil && takesACL(r.Op))
	w.flag("watch", r.Watch)
	if r.Scheme != "" {
		w.string("scheme", r.Scheme)
	}
	for _, a := range r.ACL {
		w.string("acl", a.String())
	}
	if l := r.Watches; l != nil {
		w.number("since", l.RelativeZxid)
		for _, list := range watchLists(l) {
			for _, path := range *list.paths {
				w.string(list.name, path)
			}
		}
	}
	text := opText(r.Op) + w.text
	for i := range r.Ops {
		text += " (" + requestText(&r.Ops[i]) + ")"
	}
	return text
}

func takesACL(op zookeeper.OpCode) bool { return slices.Contains(op.RequestFields(), field.ACL) }

// watchList is one list of a setWatches, with its name in scripts.
type watchList struct {
	name  string
	paths *[]string
}

func watchLists(l *zookeeper.WatchLists) []watchList {
	return []watchList{
		{"data-watch", &l.Data}, {"exist-watch", &l.Exist}, {"child-watch", &l.Child},
		{"persistent-watch", &l.Persistent}, {"recursive-watch", &l.PersistentRecursive},
	}
}

// parse parses a script. It skips the recorded outputs.
func parse(text string) script {
	var s script
	for line := range strings.SplitSeq(text, "\n") {
		switch title, titled := strings.CutPrefix(line, "# "); {
		case titled:
			s.title = title
		case line == "strict":
			s.strict = true
		case line != "" && line[0] != '\t':
			s.steps = append(s.steps, parseStep(line))
		}
	}
	return s
}

func parseStep(line string) step {
	number, rest, _ := strings.Cut(line, " ")
	st := step{conn: int(parseNumber(number))}
	p := parser{rest: rest}
	switch verb := p.word(); verb {
	case "connect":
		st.connect = &zookeeper.ConnectRequest{}
		for name, value := p.field(); name != ""; name, value = p.field() {
			switch name {
			case "timeout":
				st.connect.TimeoutMs = int32(parseNumber(value))
			case "session":
				st.connect.SessionID = parseNumber(value)
			case "seen":
				st.connect.LastZxidSeen = parseNumber(value)
			case "attach":
				st.attach = int(parseNumber(value))
			case "wrongPassword":
				st.wrongPassword = true
			case "readOnlySent":
				st.connect.HasReadOnly = true
			default:
				panic("connect: unknown field " + name)
			}
		}
	case "drop":
		st.drop = true
	default:
		st.req = p.request(verb)
	}
	return st
}

func parseNumber(text string) int64 {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// parser parses one line of a script. It panics on an error, because scripts are part of the test.
type parser struct{ rest string }

// word consumes and returns the text up to the next blank or parenthesis.
func (p *parser) word() string {
	p.rest = strings.TrimLeft(p.rest, " ")
	end := strings.IndexAny(p.rest, " ()")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

// field consumes name=value, or a name alone. An empty name means the end of the line.
func (p *parser) field() (name, value string) {
	p.rest = strings.TrimLeft(p.rest, " ")
	end := strings.IndexAny(p.rest, "= ()")
	if end < 0 || p.rest[end] != '=' {
		return p.word(), ""
	}
	name, p.rest = p.rest[:end], p.rest[end+1:]
	quoted, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return name, p.word()
	}
	p.rest = p.rest[len(quoted):]
	value, err = strconv.Unquote(quoted)
	if err != nil {
		panic(err)
	}
	return name, value
}

func (p *parser) request(verb string) zookeeper.Request {
	r := zookeeper.Request{Op: parseOp(verb), Ops: []zookeeper.Request{}}
	r.Malformed = r.Op == zookeeper.OpCreateSession // without a timeout, the request has no body
	if takesACL(r.Op) {
		r.ACL = []acl.Entry{} // an empty list, as it was sent; nil would be a null
	}
	if r.Op == zookeeper.OpSetWatches || r.Op == zookeeper.OpSetWatches2 {
		r.Watches = &zookeeper.WatchLists{}
	}
	for name, value := p.field(); name != ""; name, value = p.field() {
		setField(&r, name, value)
	}
	for strings.HasPrefix(p.rest, "(") {
		p.rest = p.rest[1:]
		r.Ops = append(r.Ops, p.request(p.word()))
		p.rest = strings.TrimLeft(strings.TrimPrefix(p.rest, ")"), " ")
	}
	return r
}

func setField(r *zookeeper.Request, name, value string) {
	switch name {
	case "xid":
		r.Xid = int32(parseNumber(value))
	case "path":
		r.Path = value
	case "data":
		r.Data = []byte(value)
	case "flags":
		r.Flags = int32(parseNumber(value))
	case "version":
		r.Version = int32(parseNumber(value))
	case "mode":
		r.Mode = int32(parseNumber(value))
	case "ttl":
		r.TTLMs = parseNumber(value)
	case "timeout":
		r.TimeoutMs, r.Malformed = int32(parseNumber(value)), false
	case "null":
		r.NullPath = true
	case "nullACL":
		r.ACL = nil
	case "watch":
		r.Watch = true
	case "scheme":
		r.Scheme = value
	case "acl":
		r.ACL = append(r.ACL, parseACL(value))
	case "since":
		r.Watches.RelativeZxid = parseNumber(value)
	default:
		for _, list := range watchLists(r.Watches) {
			if list.name == name {
				*list.paths = append(*list.paths, value)
				return
			}
		}
		panic("unknown field " + name)
	}
}

// parseACL parses an ACL entry scheme:id:permissions. The id may contain colons.
func parseACL(text string) acl.Entry {
	first, last := strings.Index(text, ":"), strings.LastIndex(text, ":")
	a := acl.Entry{Scheme: text[:first], ID: text[first+1 : last]}
	for _, letter := range text[last+1:] {
		a.Perms |= 1 << strings.IndexRune("rwcda", letter)
	}
	return a
}

func parseOp(verb string) zookeeper.OpCode {
	for op := zookeeper.OpCloseSession; op <= zookeeper.OpWhoAmI; op++ {
		if op.String() == verb {
			return op
		}
	}
	// An opcode without a name is written as a number, such as op-77.
	return zookeeper.OpCode(parseNumber(strings.TrimPrefix(verb, "op-")))
}

func opText(op zookeeper.OpCode) string {
	if text := op.String(); !strings.HasPrefix(text, "OpCode(") {
		return text
	}
	return fmt.Sprint("op-", int32(op))
}
