package agent

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
)

// The goal is that configuration, paths, patterns and data definitions answer as
// the reference does. The method is to answer cases of the testee protocol that
// were recorded from it: testdata/examples.jsonl are those of the protocol's own
// description, testdata/recorded.jsonl were made by testdata/record.py. Those of
// the model manager, the control command, the clients and the probes are in
// tools.jsonl and tools_recorded.jsonl; runners/python/testee.py answers them again.

func TestAnswersEqualTheReferences(t *testing.T) {
	for _, name := range []string{"examples.jsonl", "recorded.jsonl", "tools.jsonl", "tools_recorded.jsonl"} {
		t.Run(name, func(t *testing.T) { runCases(t, "testdata/"+name) })
	}
}

func runCases(t *testing.T, path string) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, err := pysem.ParseJSON(lines.Text())
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		c := line.(*pysem.Dict)
		t.Run(strings.ReplaceAll(item(c, "id").(string), "/", "|"), func(t *testing.T) {
			r := newCaseRunner(t, c)
			got, err := r.answer(item(c, "op").(string))
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

func object(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

// caseRunner answers one case.
type caseRunner struct {
	t     *testing.T
	env   *env.Env
	host  *caseHost
	files *caseFiles
	in    *pysem.Dict
}

func newCaseRunner(t *testing.T, c *pysem.Dict) *caseRunner {
	r := &caseRunner{
		t:     t,
		host:  &caseHost{vars: map[string]string{}, ip: "192.0.2.10", memAvailable: 7000000000},
		files: &caseFiles{content: map[string][]byte{caseDir: nil}},
	}
	r.env = &env.Env{Files: r.files, Host: r.host}
	if vars, ok := item(c, "env").(*pysem.Dict); ok {
		for _, v := range vars.Items {
			r.host.vars[v.Key] = r.decode(v.Value).(string)
		}
	}
	if host, ok := item(c, "host").(*pysem.Dict); ok {
		if v, ok := host.Get("gethostbyname"); ok {
			r.host.ip, _ = v.(string)
		}
		r.host.routeIP, _ = item(host, "udp_ip").(string)
		if v, ok := item(host, "mem_available").(int); ok {
			r.host.memAvailable = v
		}
	}
	if files, ok := item(c, "files").(*pysem.Dict); ok {
		for _, f := range files.Items {
			switch v := r.decode(f.Value).(type) {
			case string:
				r.files.put(f.Key, append([]byte{}, v...))
			case []byte:
				r.files.put(f.Key, v)
			default:
				r.files.put(strings.TrimSuffix(f.Key, "/"), nil)
			}
		}
	}
	r.in = r.decode(item(c, "in")).(*pysem.Dict)
	return r
}

// decode turns a value of the protocol into a Python value.
func (r *caseRunner) decode(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "<TMP>", caseDir)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = r.decode(x)
		}
		return list
	case *pysem.Dict:
		if text, ok := item(v, "$hex").(string); ok {
			data, err := hex.DecodeString(text)
			if err != nil {
				r.t.Fatal(err)
			}
			return data
		}
		if text, ok := item(v, "$f64").(string); ok {
			f, _ := pysem.ParseFloat(text)
			return f
		}
		if text, ok := item(v, "$int").(string); ok {
			n, _ := pysem.ParseInt(text)
			return pysem.Int(n)
		}
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, r.decode(x.Value))
		}
		return d
	}
	return v
}

// encode turns a Python value into one of the protocol.
func (r *caseRunner) encode(v any) any {
	switch v := v.(type) {
	case string:
		v = strings.ReplaceAll(v, caseDir+"/tmpabcdefg1", "<TMP>/<RAND>")
		return strings.ReplaceAll(strings.ReplaceAll(v, caseDir, "<TMP>"), fmt.Sprint(freePort), "<PORT>")
	case int:
		if v == freePort {
			return "<PORT>"
		}
		if v > 1<<53 || v < -1<<53 {
			return object("$int", pysem.Str(v))
		}
	case OptInt:
		return r.encode(v.Any())
	case OptString:
		return r.encode(v.Any())
	case *big.Int:
		return object("$int", v.String())
	case float64:
		return object("$f64", pysem.FloatRepr(v))
	case []byte:
		return object("$hex", hex.EncodeToString(v))
	case PublishType:
		return object("$enum", "PublishType", "name", v.String(), "value", int(v))
	case EventType:
		return object("$enum", "EventType", "name", v.String(), "value", int(v))
	case []string:
		return r.encode(anyList(v))
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, r.encode(x))
		}
		return list
	case []Field:
		d := &pysem.Dict{}
		for _, f := range v {
			d.Set(f.Name, r.encode(f.Value))
		}
		return d
	case *pysem.Dict:
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, r.encode(x.Value))
		}
		return d
	case proto.Message:
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
		if err != nil {
			r.t.Fatal(err)
		}
		return object("$pb", string(v.ProtoReflect().Descriptor().FullName()), "hex", hex.EncodeToString(data))
	}
	return v
}

// attempt is one call inside an answer.
func (r *caseRunner) attempt(v any, err error) any {
	if err != nil {
		return object("e", object("type", pysem.TypeOf(err), "message", messageOf(err)))
	}
	return object("r", r.encode(v))
}

func messageOf(err error) string {
	if e, ok := err.(*pysem.Error); ok {
		return e.Message
	}
	return err.Error()
}

// check compares an answer with the recorded one.
func (r *caseRunner) check(c *pysem.Dict, got any, err error) {
	r.t.Helper()
	if failure, ok := c.Get("error"); ok {
		want := item(failure.(*pysem.Dict), "type").(string)
		if pysem.TypeOf(err) != want {
			r.t.Fatalf("got %s, error %v, want %s: %v", pysem.AppendJSON(nil, got), err, want, item(failure.(*pysem.Dict), "message"))
		}
		if message := item(failure.(*pysem.Dict), "message"); comparesMessage(want) && r.encode(messageOf(err)) != message {
			r.t.Errorf("got message %q, want %q", messageOf(err), message)
		}
		return
	}
	if err != nil {
		r.t.Fatalf("got error %v, want %s", err, pysem.AppendJSON(nil, item(c, "out")))
	}
	if diff := cmp.Diff(r.canonical(item(c, "out")), r.canonical(got)); diff != "" {
		r.t.Errorf("answer differs (-reference +got):\n%s", diff)
	}
}

// comparesMessage is rule 5 of the protocol's comparison.
func comparesMessage(errorType string) bool {
	return errorType == "AssertionError" || errorType == "RuntimeError" || errorType == "Exception"
}

// canonical makes plain maps and lists of a value, so that the order of keys does
// not count; messages are compared without their text and errors by the rules.
func (r *caseRunner) canonical(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, r.canonical(x))
		}
		return list
	case *pysem.Dict:
		m := map[string]any{}
		for _, x := range v.Items {
			m[x.Key] = r.canonical(x.Value)
		}
		if name, ok := m["$pb"].(string); ok {
			return name + " " + r.messageText(name, m["hex"].(string))
		}
		if errorType, ok := m["type"].(string); ok && len(m) == 2 && m["message"] != nil && !comparesMessage(errorType) {
			m["message"] = "any"
		}
		if d, ok := m["content"].(map[string]any); ok {
			data, err := hex.DecodeString(d["$hex"].(string))
			if err != nil {
				r.t.Fatal(err)
			}
			if text, ok := r.instanceText(string(data)); ok {
				m["content"] = text
			}
		}
		if text, ok := m["str"].(string); ok && m["instance"] != nil {
			m["str"], _ = r.instanceText(text)
		}
		if text, ok := m["model_config_text"].(string); ok {
			m["model_config_text"] = r.configText(text)
		}
		return m
	case string:
		return strings.ReplaceAll(v, fmt.Sprint(freePort), "<PORT>")
	case int:
		if v == freePort {
			return "<PORT>"
		}
	}
	return v
}

func (r *caseRunner) messageText(name, data string) string {
	kind, err := protoregistry.GlobalTypes.FindMessageByURL(name)
	if err != nil {
		r.t.Fatal(err)
	}
	m := kind.New().Interface()
	raw, err := hex.DecodeString(data)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := proto.Unmarshal(raw, m); err != nil {
		r.t.Fatal(err)
	}
	return r.text(m)
}

// instanceText is the normal form of an instance as a text proto.
func (r *caseRunner) instanceText(text string) (string, bool) {
	var m matrix.Instance
	if err := textpb.Unmarshal(text, &m); err != nil {
		return "", false
	}
	return r.text(&m), true
}

func (r *caseRunner) configText(text string) string {
	var m config.ModelServerConfig
	if err := textpb.Unmarshal(text, &m); err != nil {
		r.t.Fatal(err)
	}
	return r.text(&m)
}

func (r *caseRunner) text(m proto.Message) string {
	text, err := textpb.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}
