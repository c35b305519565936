package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
)

type agentConf struct {
	path   string
	values map[string]string
	lines  map[string]int
}

// readConf reads the file that model.agent_conf names. Problems inside that file are
// reported with their line there.
func (d *decoder) readConf(p *Plan) *agentConf {
	conf := p.Model.AgentConf
	if conf == "" {
		return nil
	}
	content, err := d.opener(p)(resolved(p.Dir, conf))
	if err != nil {
		d.report("model.agent_conf", fileError, "%s", reason(err))
		return nil
	}
	at := d.nearest("model.agent_conf")
	text, missing := agentconfig.ExpandIncludes(string(content), func(path string) (string, error) {
		text, err := d.opener(p)(path)
		return string(text), err
	})
	for _, file := range missing {
		d.problems = append(d.problems, Problem{Code: fileError, File: conf, Line: lineWith(string(content), file), Column: 1,
			Message: fmt.Sprintf("no such include %q (from %s:%d:%d)", file, d.file, at.line, at.column)})
	}
	for _, bad := range agentconfig.CheckConf(conf, content) {
		message := fmt.Sprintf("found %s, want %s (from %s:%d:%d)", bad.Found, bad.Want, d.file, at.line, at.column)
		if !bad.Fatal {
			message = warned + message
		}
		d.problems = append(d.problems, Problem{Code: fileError, File: conf, Line: max(bad.Line, 1), Column: 1, Message: message})
	}
	sum := sha256.Sum256([]byte(text))
	p.ConfHash = hex.EncodeToString(sum[:])
	return &agentConf{path: conf, values: agentconfig.ConfValues(text), lines: linesOf(string(content))}
}

func lineWith(text, word string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, word) {
			return i + 1
		}
	}
	return 1
}

// linesOf returns the number of the first line of each key.
func linesOf(text string) map[string]int {
	lines := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '=' || r == '\r' })
		if len(words) > 0 && lines[words[0]] == 0 {
			lines[words[0]] = i + 1
		}
	}
	return lines
}

// useConf copies values of the agent.conf into the fields with a conf tag. Where the plan
// gives a value, too, both have to be equal.
func (d *decoder) useConf(p *Plan, c *agentConf) {
	if c == nil {
		return
	}
	d.confFields(reflect.ValueOf(&p.Override).Elem(), "override", c)
	d.confFields(reflect.ValueOf(&p.Model).Elem(), "model", c)
	// Agents of version 3 support no deploy type but unified.
	if kind := c.values["deploy_type"]; kind == "mixed" || kind == "unified" && p.Model.AgentVersion != 3 {
		d.report("model.agent_conf", conflict, "%s:%d says deploy_type %s, in which one container runs PS and entry: plans have a tier for each", c.path, c.lines["deploy_type"], kind)
	}
	dense := p.Fleet.Dense != nil
	if _, has := c.values["dense_alone"]; has && c.truth("dense_alone") != dense {
		path, with := "fleet", "no fleet.dense"
		if dense {
			path, with = "fleet.dense", "a fleet.dense"
		}
		d.reportKey(path, conflict, "%s:%d says dense_alone %s, but there is %s: containers of dense servers are what it means", c.path, c.lines["dense_alone"], c.values["dense_alone"], with)
	}
	b := &p.Override.Batching
	if !d.given("override.batching.enabled") {
		b.Enabled = dense && c.truth("enable_batching") // a fleet.dense means the same as dense_alone (CAP-12.2)
	}
}

func (c *agentConf) truth(key string) bool {
	return slices.Contains([]string{"true", "yes", "t", "y", "1"}, strings.ToLower(c.values[key]))
}

func (d *decoder) confFields(v reflect.Value, path string, c *agentConf) {
	for _, f := range fieldsOf(v) {
		key := f.tag.Get("conf")
		word, has := c.values[key]
		if key == "" || !has {
			continue
		}
		at := join(path, f.name)
		if f.value.Kind() == reflect.Bool {
			d.agree(f, at, key, c, boolInt(c.truth(key)), boolInt(f.value.Bool()), func() { f.value.SetBool(c.truth(key)) })
			continue
		}
		n, ok := product(word)
		if !ok {
			continue // CheckConf has reported it; the reference takes the default
		}
		n *= map[string]int64{"us": 1e3, "ms": 1e6, "s": 1e9, "": 1}[f.tag.Get("confUnit")]
		d.agree(f, at, key, c, n, f.value.Int(), func() { f.value.SetInt(n) })
	}
}

func (d *decoder) agree(f field, path, key string, c *agentConf, conf, plan int64, take func()) {
	if !d.given(path) {
		take()
		return
	}
	if conf != plan {
		d.report(path, conflict, "%s differs from %s:%d, which says %s %s; remove it from one of them", path, c.path, c.lines[key], key, c.values[key])
	}
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// product reads a number or a product of numbers, such as 60 * 1000.
func product(text string) (int64, bool) {
	result := int64(1)
	for _, part := range strings.Split(text, "*") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 48)
		if err != nil {
			return 0, false
		}
		result *= n
	}
	return result, true
}
