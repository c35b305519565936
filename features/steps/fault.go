package steps

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// faults is a placeholder in words.go for the sentences about the runner's faults of one topic.
func faults(topic string) *Sentence { return &Sentence{kind: someFaults, text: topic} }

// faultSentences returns the sentences about a kind of fault: the condition, its begin, its begin
// for a time, and its end. That is their order in lists.
func faultSentences(k runners.FaultKind) []*Sentence {
	var list []*Sentence
	if k.Lasts != "" {
		list = append(list, condition(k.Lasts, faultFunc(k, k.Lasts, func(w *World, f func() (runners.Fault, error)) lasting {
			return lasting{begin: w.begins(f), end: w.ends(f), sets: func(duration string) error { return w.sets(f, duration) }}
		})))
	}
	if k.Begins != "" {
		list = append(list, Action(k.Begins, faultFunc(k, k.Begins, func(w *World, f func() (runners.Fault, error)) error {
			return w.begins(f)()
		})))
	}
	if k.Onset != "" {
		s := newSentence(anOnset, k.Onset, faultFunc(k, k.Onset, func(w *World, f func() (runners.Fault, error)) onset {
			return func(duration string) error { return w.sets(f, duration) }
		}))
		list = append(list, s)
	}
	if k.Ends != "" {
		list = append(list, Action(k.Ends, faultFunc(k, k.Ends, func(w *World, f func() (runners.Fault, error)) error {
			return w.ends(f)()
		})))
	}
	for _, s := range list {
		if s.does = k.Help; s.text == k.Ends {
			s.does = "Ends this: " + k.Help
		}
		s.fault, s.only = k.Name, k.Only
		s.exports = strings.Contains(s.text, "is exported with") || strings.HasPrefix(s.text, "the export of version")
	}
	return list
}

func (w *World) begins(f func() (runners.Fault, error)) func() error {
	return func() error { return w.fault(f, w.cluster.BeginFault) }
}

func (w *World) ends(f func() (runners.Fault, error)) func() error {
	return func() error { return w.fault(f, w.cluster.EndFault) }
}

// sets begins a fault. If duration is not "", the fault ends by itself after that duration.
func (w *World) sets(f func() (runners.Fault, error), duration string) error {
	if err := w.begins(f)(); err != nil || duration == "" {
		return err
	}
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	c, ok := w.cluster.(runners.Scheduler)
	if !ok {
		return runners.ErrUnsupported
	}
	return w.fault(f, func(fault runners.Fault) error { return c.EndFaultAfter(fault, d) })
}

func (w *World) fault(f func() (runners.Fault, error), do func(runners.Fault) error) error {
	fault, err := f()
	if err != nil {
		return err
	}
	return do(fault)
}

// faultFunc makes the Go function of a sentence about a fault, by reflection. It takes a text for
// each placeholder, makes the fault from these, and passes it to do.
func faultFunc[Result any](k runners.FaultKind, text string, do func(*World, func() (runners.Fault, error)) Result) any {
	words := wordsOf(text)
	in := []reflect.Type{reflect.TypeFor[*World]()}
	for _, word := range words {
		if faultWords[word] == nil {
			panic(fmt.Sprintf("fault %s: sentence %q: word %q fills no field of a fault", k.Name, text, word))
		}
		in = append(in, reflect.TypeFor[string]())
	}
	t := reflect.FuncOf(in, []reflect.Type{reflect.TypeFor[Result]()}, false)
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		w := args[0].Interface().(*World)
		result := do(w, func() (runners.Fault, error) { return w.readFault(k.Name, words, args[1:]) })
		return []reflect.Value{reflect.ValueOf(&result).Elem()}
	}).Interface()
}

// wordsOf lists the placeholders of a sentence, without braces.
func wordsOf(text string) []string {
	return lists.Select(token.FindAllStringSubmatch(text, -1), func(m []string) (string, bool) { return m[1], m[1] != "" })
}

// readFault makes a fault from the texts that a step has for a sentence's placeholders.
func (w *World) readFault(kind string, words []string, args []reflect.Value) (runners.Fault, error) {
	f := runners.Fault{Kind: kind}
	for i, word := range words {
		if err := faultWords[word](w, &f, args[i].String()); err != nil {
			return f, err
		}
	}
	return f, nil
}

// faultWords says, for each placeholder, which field of a fault its text sets.
var faultWords = map[string]func(w *World, f *runners.Fault, text string) error{
	"pod": func(_ *World, f *runners.Fault, text string) error {
		f.Pod = text
		return nil
	},
	"trainer": func(_ *World, f *runners.Fault, text string) error {
		f.Pod = text
		return nil
	},
	"server": func(_ *World, f *runners.Fault, text string) error {
		s, err := oneServer(text)
		f.Pod, f.Server = s.pod, s.kind
		return err
	},
	"path": func(_ *World, f *runners.Fault, text string) error {
		f.BasePath = text
		return nil
	},
	"model": func(w *World, f *runners.Fault, text string) error {
		f.BasePath = w.basePath(text)
		return nil
	},
	"n": func(_ *World, f *runners.Fault, text string) (err error) {
		f.N, err = strconv.ParseInt(text, 10, 64)
		return err
	},
	"status": func(_ *World, f *runners.Fault, text string) (err error) {
		f.N, err = strconv.ParseInt(text, 10, 64)
		return err
	},
	"size": func(_ *World, f *runners.Fault, text string) (err error) {
		f.SizeBytes, err = sizeBytes(text)
		return err
	},
	"duration": func(_ *World, f *runners.Fault, text string) (err error) {
		f.Duration, err = time.ParseDuration(text)
		return err
	},
	"places": func(_ *World, f *runners.Fault, text string) error {
		if f.From == nil {
			f.From = places(text)
		} else {
			f.To = places(text)
		}
		return nil
	},
}

// places converts a list of pods, "ZooKeeper" and "idc lf" into the names that runners use.
func places(text string) []string {
	names := list(text)
	for i, name := range names {
		if idc, ok := strings.CutPrefix(name, "idc "); ok {
			names[i] = "idc:" + idc
		} else {
			names[i] = strings.ToLower(name)
		}
	}
	return names
}
