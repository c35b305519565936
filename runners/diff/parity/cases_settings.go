package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// A setting counts as compared if the same input gets different answers under two values of it. So
// an environment variable that nothing reads does not count.

// settingKind is where a setting comes from, such as the environment or a flag.
type settingKind uint8

const (
	environment settingKind = iota
	confFile
	configuration // flags and the configuration
	settingKinds
)

func (k settingKind) String() string {
	return [...]string{"environments", "configuration files", "flags and configurations"}[k]
}

// settingFields lists the fields of a case's input that are settings. The other fields are what the
// operation works on.
var settingFields = []string{"config", "conf", "flags", "options", "tfs_log", "argv"}

// configured lists operations whose field kwargs holds the fields of a configuration of the reference,
// as those of DistributedCpuTrainingConfig.
var configured = []string{
	"cpu_training.distributed_train", "cpu_training.do_worker_feature_engineering", "cpu_training.do_worker_train", "cpu_training.local_train_internal",
}

// contentFields lists the fields of a case's input that hold structured texts, such as JSON or
// messages in text form. The operation reads such a text as it would read the content of a file.
var contentFields = []string{"contents", "script"}

// contentArgument is the argument in the field "kwargs" that holds such a text.
const contentArgument = "params_override"

// question is the input of a case, split into its settings and the rest.
type question struct {
	settings [settingKinds]string
	rest     string
	// contents holds the contents of the case's data files. shape holds everything else but the
	// settings, including the names of these files.
	contents, shape string
}

// questionOf splits the input of a case. Files named *.conf are settings, and other files are data.
func questionOf(c caseJSON) (q question, err error) {
	var env map[string]json.RawMessage
	if len(c.Env) > 0 {
		if err := json.Unmarshal(c.Env, &env); err != nil {
			return q, fmt.Errorf("env: %w", err)
		}
	}
	confs, data := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, text := range c.Files {
		if path.Ext(name) == ".conf" {
			confs[name] = text
		} else {
			data[name] = text
		}
	}
	options, texts, subject := splitInput(c.Op, c.In)
	maps.Copy(data, texts)
	q.settings = [settingKinds]string{fieldsText(env), fieldsText(confs), fieldsText(options)}
	q.contents = fieldsText(data)
	q.shape = strings.Join([]string{c.Op, string(c.Host), strings.Join(slices.Sorted(maps.Keys(data)), "\n"), subject}, "\n\n")
	q.rest = strings.Join([]string{c.Op, string(c.Host), fieldsText(data), subject}, "\n")
	return q, nil
}

// splitInput splits an input into its settings, its structured texts (see contentFields) and its
// subject. If the input is not an object, all of it is the subject.
func splitInput(op string, in json.RawMessage) (options, texts map[string]json.RawMessage, subject string) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(in, &fields); err != nil {
		return nil, nil, string(in)
	}
	options, texts = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	settings := settingFields
	if slices.Contains(configured, op) {
		settings = append([]string{"kwargs"}, settingFields...)
	}
	for _, name := range settings {
		if v, ok := fields[name]; ok {
			options[name] = v
			delete(fields, name)
		}
	}
	for _, name := range contentFields {
		if v, ok := fields[name]; ok {
			texts["in."+name] = v
			delete(fields, name)
		}
	}
	var arguments map[string]json.RawMessage
	if text, ok := fields["kwargs"]; ok && json.Unmarshal(text, &arguments) == nil && arguments[contentArgument] != nil {
		texts["in."+contentArgument] = arguments[contentArgument]
		delete(arguments, contentArgument)
		fields["kwargs"] = json.RawMessage(fieldsText(arguments))
	}
	return options, texts, fieldsText(fields)
}

// fieldsText returns fields as a text, in the order of their names.
func fieldsText(fields map[string]json.RawMessage) string {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&b, "%q:%s\n", name, fields[name])
	}
	return b.String()
}

// without returns the question as a text, with one kind of settings left out.
func (q question) without(k settingKind) string {
	q.settings[k] = ""
	return strings.Join(append(q.settings[:], q.rest), "\n\n")
}

// settingPairs holds, for each kind of settings, pairs of cases whose inputs differ only in
// these settings, and whose answers differ.
type settingPairs [settingKinds][][2]string

func pairsOf(cases []recordedCase) (pairs settingPairs) {
	for k := range settingKinds {
		first, told := map[string]recordedCase{}, map[string]bool{}
		for _, c := range cases {
			key := c.asked.without(k)
			f, ok := first[key]
			switch {
			case !ok:
				first[key] = c
			case !told[key] && f.asked.settings[k] != c.asked.settings[k] && f.answer != c.answer:
				told[key] = true
				pairs[k] = append(pairs[k], [2]string{f.id, c.id})
			}
		}
	}
	return pairs
}

func (s settingPairs) count() (n int) {
	for _, pairs := range s {
		n += len(pairs)
	}
	return n
}

// String counts the inputs that each kind of settings changes, and names the first two cases.
func (s settingPairs) String() string {
	var parts []string
	for k, pairs := range s {
		if len(pairs) > 0 {
			parts = append(parts, fmt.Sprintf("%s under different %s (`%s`, `%s`)",
				lists.Counted(len(pairs), "input"), settingKind(k), pairs[0][0], pairs[0][1]))
		}
	}
	return "answered differently: " + strings.Join(parts, ", ")
}

// contentPairsOf returns the ids of pairs of cases that differ only in the content of a file, and
// have different answers. Answers that are errors do not count.
func contentPairsOf(cases []recordedCase) (pairs [][2]string) {
	first, told := map[string]recordedCase{}, map[string]bool{}
	for _, c := range cases {
		if c.fails {
			continue
		}
		key := strings.Join(append(c.asked.settings[:], c.asked.shape), "\n\n")
		f, ok := first[key]
		switch {
		case !ok:
			first[key] = c
		case !told[key] && f.asked.contents != c.asked.contents && f.answer != c.answer:
			told[key] = true
			pairs = append(pairs, [2]string{f.id, c.id})
		}
	}
	return pairs
}
