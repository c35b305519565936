package trainingcases

import (
	"errors"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training/gflagsutils"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// flagOps holds the operations on gflags_utils.py.
var flagOps = caseworld.Table{
	"gflags_utils.extract_help_info":    extractHelpInfo,
	"gflags_utils.extract_flags":        extractFlags,
	"gflags_utils.update":               updateByFlags,
	"gflags_utils.LinkDataclassToFlags": linkToFlags,
}

// parsed parses the case's command line. If absl refuses a flag, the answer is absl's exception.
func parsed(c *caseworld.Call, flags *absl.Flags) error {
	_, err := flags.Parse(c.Env.Files, c.In.Strings("argv"))
	if usage, ok := errors.AsType[*absl.UsageError](err); ok {
		return pysem.Raise(usage.Class, "%s", usage.Text)
	}
	return err
}

// trainingFlags returns the flags of a training program, set by the case's command line.
func trainingFlags(c *caseworld.Call) (*absl.Flags, error) {
	flags := runnerutils.NewFlags()
	return flags, parsed(c, flags)
}

// color is the name of the enum that cases use. A member is a tuple, so that no other value equals
// it.
const color = "Color"

var colors = []gflagsutils.Member{{Name: "RED", Value: pysem.Tuple{color, "RED"}}, {Name: "DARK_BLUE", Value: pysem.Tuple{color, "DARK_BLUE"}}}

var fieldKinds = map[string]gflagsutils.Kind{
	"int": gflagsutils.Int, "bool": gflagsutils.Bool, "str": gflagsutils.String, "float": gflagsutils.Float, "enum": gflagsutils.Enum, "list": gflagsutils.Other,
}

// triple parses a list of the form [name, type, default].
func triple(in caseworld.Arguments, field string, v any) (name, kind string, value any) {
	parts, _ := v.([]any)
	if len(parts) == 3 {
		name, _ = parts[0].(string)
		kind, _ = parts[1].(string)
	}
	if _, known := fieldKinds[kind]; !known || name == "" {
		in.Wrong(field, "a list of [name, type, default]")
	}
	return name, kind, parts[2]
}

// caseFields returns the fields of the class that the case describes.
func caseFields(in caseworld.Arguments) []gflagsutils.Field {
	var fields []gflagsutils.Field
	for _, v := range in.List("fields") {
		name, kind, value := triple(in, "fields", v)
		f := gflagsutils.Field{Name: name, Kind: fieldKinds[kind], Default: fieldValue(kind, value), Class: color, Members: colors}
		switch value.(type) {
		case []any, *pysem.Dict:
			f.Factory = true
		}
		fields = append(fields, f)
	}
	return fields
}

// fieldValue converts a value in a case into the value of a field with this type.
func fieldValue(kind string, value any) any {
	if word, ok := value.(string); ok && kind == "enum" {
		return pysem.Tuple{color, word}
	}
	return value
}

// record is an object of the class that the case describes.
type record struct{ values *pysem.Dict }

func (r record) Get(name string) any {
	value, _ := r.values.Get(name)
	return value
}

func (r record) Set(name string, value any) error {
	r.values.Set(name, value)
	return nil
}

// newRecord makes an object of the class. Values that the case sets replace the defaults.
func newRecord(in caseworld.Arguments) (record, error) {
	r, kinds := record{&pysem.Dict{}}, map[string]string{}
	for _, v := range in.List("fields") {
		name, kind, value := triple(in, "fields", v)
		r.values.Set(name, fieldValue(kind, value))
		kinds[name] = kind
	}
	for _, item := range in.Object("code").Items {
		kind, ok := kinds[item.Key]
		if !ok {
			return r, pysem.Raise("TypeError", "__init__() got an unexpected keyword argument '%s'", item.Key)
		}
		r.values.Set(item.Key, fieldValue(kind, item.Value))
	}
	return r, nil
}

// shown encodes the object. Enum members are shown by their names.
func (r record) shown() *pysem.Dict {
	out := &pysem.Dict{}
	for _, item := range r.values.Items {
		if member, ok := item.Value.(pysem.Tuple); ok {
			out.Set(item.Key, member[1])
			continue
		}
		out.Set(item.Key, item.Value)
	}
	return out
}

// caseFlags returns the flags that the case declares, with the values in its command line.
func caseFlags(c *caseworld.Call) (*absl.Flags, error) {
	kinds := map[string]absl.Kind{"int": absl.Integer, "bool": absl.Bool, "str": absl.String, "float": absl.Float, "enum": absl.Enum}
	flags := absl.Registry()
	for _, v := range c.In.List("flags") {
		name, kind, value := triple(c.In, "flags", v)
		flag := absl.Flag{Name: name, Kind: kinds[kind], Default: value}
		if kind == "enum" {
			flag.Words = []string{"red", "dark_blue"}
		}
		if err := flags.Define("case", flag); err != nil {
			return nil, err
		}
	}
	return flags, parsed(c, flags)
}

func extractHelpInfo(c *caseworld.Call) (any, error) {
	help, err := gflagsutils.ExtractHelpInfo(c.In.Str("doc"))
	out := &pysem.Dict{}
	for _, h := range help {
		out.Set(h.Name, h.Text)
	}
	return out, err
}

func extractFlags(c *caseworld.Call) (any, error) {
	flags, fields := absl.Registry(), caseFields(c.In)
	for _, name := range c.In.Strings("defined") {
		if err := flags.Define("case", absl.Flag{Name: name, Default: "first", Help: "first"}); err != nil {
			return nil, err
		}
	}
	doc := c.In.Str("doc")
	if doc == "" {
		doc = "Config()" // the doc that Python gives to a dataclass without parameters
	}
	help, err := gflagsutils.ExtractHelpInfo(doc)
	if err != nil {
		return nil, err
	}
	if err := gflagsutils.ExtractFlags(flags, "case", fields, help, c.In.Strings("skip_flags")); err != nil {
		return nil, err
	}
	out := &pysem.Dict{}
	for _, f := range fields {
		if flag, ok := flags.Lookup(f.Name); ok {
			var words any
			if flag.Kind == absl.Enum {
				words = flag.Words
			}
			out.Set(f.Name, caseworld.Object("type", flag.TypeName(), "default", flag.Default, "help", flag.Help, "values", words))
		}
	}
	return out, nil
}

func updateByFlags(c *caseworld.Call) (any, error) {
	r, err := newRecord(c.In)
	if err != nil {
		return nil, err
	}
	flags, err := caseFlags(c)
	if err != nil {
		return nil, err
	}
	err = gflagsutils.Update(r, caseFields(c.In), flags)
	return r.shown(), err
}

func linkToFlags(c *caseworld.Call) (any, error) {
	flags, err := caseFlags(c)
	if err != nil {
		return nil, err
	}
	var pairs []gflagsutils.Link
	if c.In.Value("linked_map") != nil {
		for _, item := range c.In.Object("linked_map").Items {
			flag, ok := item.Value.(string)
			if !ok {
				c.In.Wrong("linked_map", "names of flags")
			}
			pairs = append(pairs, gflagsutils.Link{Field: item.Key, Flag: flag})
		}
	}
	fields := caseFields(c.In)
	links, err := gflagsutils.NewLinks(fields, flags, pairs, c.In.OptStrings("linked_list"))
	if err != nil {
		return nil, err
	}
	r, err := newRecord(c.In)
	if err == nil && c.In.Flag("update_by_flags") {
		err = links.Update(r, fields, flags)
	}
	return r.shown(), err
}
