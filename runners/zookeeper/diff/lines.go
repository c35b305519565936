package diff

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// say records a line about what client c saw.
func (p *player) say(c int, what string) {
	p.lines = append(p.lines, fmt.Sprintf("  client %d: %s", c, what))
}

// sayEvents records a line for each of several events that client c received.
func (p *player) sayEvents(c int, events []string) {
	for _, e := range events {
		p.say(c, e)
	}
}

// session names a session by a number in the order of first appearance, because session ids
// differ between servers.
func (p *player) session(id int64) string {
	if id == 0 {
		return "none"
	}
	n, known := p.sessions[id]
	if !known {
		n = len(p.sessions) + 1
		p.sessions[id] = n
	}
	return fmt.Sprintf("session%d", n)
}

// zxid formats a zxid as its distance from the zxid that created the script's root. 0 and -1 have
// special meanings and are kept.
func (p *player) zxid(z int64) string {
	if z == 0 || z == -1 {
		return fmt.Sprint(z)
	}
	return fmt.Sprintf("%+d", z-p.base)
}

// relative returns a path relative to the script's root. It puts "=" before a path outside
// the root.
func (p *player) relative(path string) string {
	below, ok := strings.CutPrefix(path, p.root)
	if !ok {
		return "=" + path
	}
	return fmt.Sprintf("%q", below)
}

func (p *player) stat(s *zookeeper.Stat) string {
	return fmt.Sprintf("{c=%s m=%s p=%s v=%d/%d/%d owner=%s length=%d children=%d times=%v/%v}",
		p.zxid(s.Czxid), p.zxid(s.Mzxid), p.zxid(s.Pzxid), s.Version, s.Cversion, s.Aversion,
		p.session(s.EphemeralOwner), s.DataLengthBytes, s.NumChildren, s.CtimeMs > 0, s.MtimeMs >= s.CtimeMs)
}

func data(d []byte) string {
	if d == nil {
		return "null"
	}
	return fmt.Sprintf("%q", d)
}

func (p *player) acl(list []acl.Entry) string {
	parts := lists.MapOrNil(list, func(a acl.Entry) string { return fmt.Sprintf("%d:%s:%s", a.Perms, a.Scheme, a.ID) })
	return "[" + strings.Join(parts, " ") + "]"
}

// reply formats a reply as one line: operation, code and zxid, and the other fields if there was no
// error.
func (p *player) reply(r *zookeeper.Reply) string {
	head := fmt.Sprintf("%s %s zxid=%s", r.Op, zookeeper.CodeName(r.Err), p.zxid(r.Zxid))
	if r.Err != zookeeper.CodeOK {
		return head
	}
	return head + " " + p.body(r)
}

// body formats the fields of a reply.
func (p *player) body(r *zookeeper.Reply) string {
	var parts []string
	for _, f := range r.Op.ReplyFields() {
		if text := p.field(f, r); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

func (p *player) field(f field.Kind, r *zookeeper.Reply) string {
	switch f {
	case field.Path, field.EchoedPath:
		if r.NullPath {
			return "null"
		}
		return p.relative(r.Path)
	case field.Data:
		return data(r.Data)
	case field.ACL:
		return p.acl(r.ACL)
	case field.Stat:
		return p.stat(&r.Stat)
	case field.Children:
		return fmt.Sprintf("%q", r.Children)
	case field.Paths:
		return fmt.Sprint(lists.MapOrNil(r.Children, p.relative))
	case field.Count:
		return fmt.Sprint(r.Count)
	case field.Clients:
		return fmt.Sprint(r.Clients)
	case field.Results:
		return p.results(r.Results)
	}
	return ""
}

func (p *player) results(list []zookeeper.Result) string {
	var parts []string
	for i := range list {
		r := &list[i]
		text := fmt.Sprintf("%s %s", r.Op, zookeeper.CodeName(r.Err))
		if r.Err == zookeeper.CodeOK {
			text += " " + p.body(&zookeeper.Reply{Op: r.Op, Path: r.Path, Data: r.Data, Stat: r.Stat, Children: r.Children})
		}
		parts = append(parts, strings.TrimSuffix(text, " "))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// madeBy lists the paths of the znodes that a request created, according to its reply.
func (p *player) madeBy(r *zookeeper.Reply) []string {
	if r.Err != zookeeper.CodeOK {
		return nil
	}
	if r.Op.Effect() == zookeeper.EffectCreate {
		return []string{r.Path}
	}
	return lists.Select(r.Results, func(result zookeeper.Result) (string, bool) { return result.Path, result.Path != "" })
}
