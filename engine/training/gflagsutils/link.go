package gflagsutils

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
)

// Link sets a field from a flag with another name.
type Link struct{ Field, Flag string }

// Links holds the links of a class (gflags_utils.py:208).
type Links []Link

// NewLinks links fields to flags as links says, and the fields in list to the flags with the same
// names. A field that the class lacks or a flag that the program lacks raises a ValueError.
func NewLinks(fields []Field, flags *absl.Flags, links []Link, list []string) (Links, error) {
	var all Links
	for _, l := range links {
		all = all.with(l)
	}
	for _, name := range list {
		all = all.with(Link{name, name})
	}
	for _, l := range all {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == l.Field }) {
			return nil, pysem.Raise("ValueError", "%s is not a valid attribute of <class 'type'>", l.Field)
		}
		if !flags.Has(l.Flag) {
			return nil, pysem.Raise("ValueError", "%s is not defined in gflags", l.Flag)
		}
	}
	return all, nil
}

// with adds a link or replaces the existing link of the same field.
func (all Links) with(link Link) Links {
	at := slices.IndexFunc(all, func(l Link) bool { return l.Field == link.Field })
	if at < 0 {
		return append(all, link)
	}
	all[at] = link
	return all
}

// Update sets each linked field that still has its default to the value of its flag, if that value
// differs from the flag's own default (gflags_utils.py:261). It raises an UnparsedFlagAccessError
// before a command line is parsed.
func (all Links) Update(c Config, fields []Field, flags *absl.Flags) error {
	for _, l := range all {
		f := fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == l.Field })]
		if f.Factory || !pysem.Equal(c.Get(l.Field), f.Default) {
			continue
		}
		if !flags.Parsed() {
			return pysem.Raise("UnparsedFlagAccessError", "Trying to access flag --%s before flags were parsed.", l.Flag)
		}
		value, err := flags.Value(l.Flag)
		if err != nil {
			return err
		}
		flag, _ := flags.Lookup(l.Flag)
		if pysem.Equal(value, flag.Default) {
			continue
		}
		if err := c.Set(l.Field, value); err != nil {
			return err
		}
	}
	return nil
}
