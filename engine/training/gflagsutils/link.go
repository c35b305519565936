package gflagsutils

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
)

// Link sets a field from a flag of another name.
type Link struct{ Field, Flag string }

// Links are the links of a class (gflags_utils.py:208).
type Links []Link

// NewLinks links fields to flags: those in links, and those in list to the flags of their own
// names. A field that the class lacks, or a flag that the program lacks, is a ValueError.
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

// with adds a link, or replaces the field's link.
func (all Links) with(link Link) Links {
	at := slices.IndexFunc(all, func(l Link) bool { return l.Field == link.Field })
	if at < 0 {
		return append(all, link)
	}
	all[at] = link
	return all
}

// Update sets each linked field that has its default to the value of its flag, if that differs from
// the flag's own default (gflags_utils.py:261). Before a command line was parsed it is an
// UnparsedFlagAccessError.
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
