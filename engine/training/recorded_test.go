package training

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// The goal is that the training side's small modules answer as the reference does.
// The method is to answer cases of the testee protocol that were recorded from it;
// runners/python/testee.py records them again.

func TestAnswersEqualTheReferences(t *testing.T) {
	file, err := os.Open("testdata/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, err := pysem.ParseJSON(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		c := line.(*pysem.Dict)
		t.Run(strings.ReplaceAll(item(c, "id").(string), "/", "|"), func(t *testing.T) {
			r := newCaseRunner(t, c)
			op, known := ops[item(c, "op").(string)]
			if !known {
				t.Fatalf("unknown operation %s", item(c, "op"))
			}
			got, err := op(r)
			r.check(c, got, err)
		})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func item(d *pysem.Dict, name string) any {
	v, _ := d.Get(name)
	return v
}

// object makes a dict of keys and values; values that are false are left out.
func object(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != false {
			d.Set(pairs[i].(string), pairs[i+1])
		}
	}
	return d
}

// caseRunner answers one case.
type caseRunner struct {
	t    *testing.T
	env  *env.Env
	host *caseHost
	in   *pysem.Dict
}

func newCaseRunner(t *testing.T, c *pysem.Dict) *caseRunner {
	r := &caseRunner{t: t, host: &caseHost{vars: map[string]string{}, ipv4: "192.0.2.10", ipv6: "2001:db8::10"}}
	files := &caseFiles{names: []string{caseDir}}
	r.env = &env.Env{
		Host: r.host, Files: files, Network: deadNetwork{}, Tasks: inlineTasks{}, Clock: caseClock{}, Log: caseLog{},
	}
	for _, v := range item(c, "env").(*pysem.Dict).Items {
		r.host.Setenv(v.Key, decode(v.Value).(string))
	}
	if host, ok := item(c, "host").(*pysem.Dict); ok {
		if v, ok := host.Get("gethostbyname"); ok {
			r.host.ipv4, _ = v.(string)
		}
		if v, ok := host.Get("ipv6"); ok {
			r.host.ipv6, _ = v.(string)
		}
	}
	if list, ok := item(c, "files").(*pysem.Dict); ok {
		for _, f := range list.Items {
			name := caseDir + "/" + strings.TrimSuffix(f.Key, "/")
			files.names = append(files.names, name)
			if f.Value == nil {
				files.dirs = append(files.dirs, name)
			}
		}
	}
	r.in = decode(item(c, "in")).(*pysem.Dict)
	return r
}

func (r *caseRunner) str(name string) string {
	s, _ := item(r.in, name).(string)
	return s
}

// decode turns a value of the protocol into a Python value.
func decode(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "<TMP>", caseDir)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = decode(x)
		}
		return list
	case *pysem.Dict:
		if text, ok := item(v, "$f64").(string); ok {
			f, _ := pysem.ParseFloat(text)
			return f
		}
		if text, ok := item(v, "$hex").(string); ok {
			data, _ := hex.DecodeString(text)
			return data
		}
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, decode(x.Value))
		}
		return d
	}
	return v
}

// mainDir stands for the root of the reference's sources.
const mainDir = "/sources"

// encode turns an answer into a value of the protocol.
func encode(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(strings.ReplaceAll(v, caseDir, "<TMP>"), mainDir, "<SRC>")
	case OptString:
		return encode(v.Any())
	case OptInt:
		return v.Any()
	case []byte:
		return object("$hex", hex.EncodeToString(v))
	case []string:
		list := []any{}
		for _, s := range v {
			list = append(list, encode(s))
		}
		return list
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, encode(x))
		}
		return list
	case Addrs:
		if len(v) == 0 {
			return &pysem.Dict{}
		}
		pairs := []any{}
		for _, entry := range v {
			pairs = append(pairs, []any{entry.Index, entry.Addr})
		}
		return object("$dict", pairs)
	case []NamedAddrs:
		d := &pysem.Dict{}
		for _, named := range v {
			d.Set(named.Name, encode(named.Addrs))
		}
		return d
	case *pysem.Dict:
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, encode(x.Value))
		}
		return d
	}
	return v
}

// attempt is one call inside an answer.
func attempt(v any, err error) any {
	if err != nil {
		return object("e", failure(err))
	}
	return object("r", encode(v))
}

func failure(err error) *pysem.Dict {
	message := err.Error()
	if e, ok := err.(*pysem.Error); ok {
		message = e.Message
	}
	name := pysem.TypeOf(err)
	if zk, ok := err.(*env.ZooKeeperError); ok {
		name = zk.Code.String()
	}
	return object("type", name, "message", encode(message))
}

// check compares an answer with the recorded one.
func (r *caseRunner) check(c *pysem.Dict, got any, err error) {
	r.t.Helper()
	want, failed := c.Get("error")
	if !failed {
		want = item(c, "out")
	}
	if err != nil {
		got = failure(err)
	}
	if failed != (err != nil) {
		r.t.Fatalf("got %s, want %s", pysem.AppendJSON(nil, got), pysem.AppendJSON(nil, want))
	}
	if diff := cmp.Diff(canonical(want), canonical(got)); diff != "" {
		r.t.Errorf("answer differs (-reference +got):\n%s", diff)
	}
}

// canonical makes plain maps and lists, for which order does not count in dicts
// and messages not in errors whose words are not the reference's.
func canonical(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, canonical(x))
		}
		return list
	case *pysem.Dict:
		m := map[string]any{}
		for _, x := range v.Items {
			m[x.Key] = canonical(x.Value)
		}
		if pairs, ok := m["$dict"].([]any); ok {
			sort.Slice(pairs, func(i, j int) bool { return fmt.Sprint(pairs[i]) < fmt.Sprint(pairs[j]) })
		}
		if name, ok := m["type"].(string); ok && len(m) == 2 && !wordsCount(name, m["message"]) {
			m["message"] = "any"
		}
		return m
	}
	return v
}

// wordsCount is rule 5 of the protocol's comparison.
func wordsCount(errorType string, message any) bool {
	text, _ := message.(string)
	return errorType == "AssertionError" || text == "name must be ps/worker" ||
		strings.HasPrefix(text, "Invalid addr: ") || strings.HasPrefix(text, "Unable to find the monolith base directory.")
}
