package tfserving

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrHelp is what ParseFlags answers for --help as the first argument that is no
// flag.
var ErrHelp = errors.New("help is wanted")

// ParseFlags reads the arguments after the program's name as
// tensorflow::Flags::Parse does (TFS-9.4): only --name=value, and --name for booleans.
// What is no flag is no error (TFS-9.3): it comes back in order, from a "--" on
// with everything behind it, and is also in Options.UnknownArgs. The real server
// prints "unknown argument: ", the first of them and its usage, and goes on. So
// --port 8500 is two unknown arguments and leaves the port alone.
//
// An error is a value that cannot be read, one line for each, or ErrHelp; the
// real server prints its usage and exits with 255 before it does anything else.
func ParseFlags(profile Profile, args []string) (o Options, unknown []string, err error) {
	o = DefaultOptions(profile)
	var failed []error
	for i, arg := range args {
		if arg == "--" {
			unknown = append(unknown, args[i:]...)
			break
		}
		f, value, known := findFlag(profile, arg)
		if !known {
			unknown = append(unknown, arg)
		} else if !f.read(&o, profile, value) {
			failed = append(failed, fmt.Errorf("Couldn't interpret value %s for flag %s.", value, f.name))
		}
	}
	o.UnknownArgs = unknown
	if failed == nil && len(unknown) > 0 && unknown[0] == "--help" {
		return o, unknown, ErrHelp
	}
	return o, unknown, errors.Join(failed...)
}

// FlagsUsage is the usage that the profile's server prints when it was called as
// program: its flags with their types and defaults in upstream's order and format
// (tensorflow Flags::Usage). The help texts are ours.
func FlagsUsage(profile Profile, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\nFlags:\n", program)
	defaults := DefaultOptions(profile)
	for _, f := range flags {
		if profile.hasFlag(f) {
			fmt.Fprintf(&b, "\t%-33s\t%s\t%s\n", "--"+f.name+"="+f.value(&defaults), f.kind, f.help)
		}
	}
	return b.String()
}

func (p Profile) hasFlag(f commandFlag) bool { return p == ProfileHead || !f.headOnly }

// findFlag finds the first flag that takes the argument, and the value for it.
func findFlag(profile Profile, arg string) (f commandFlag, value string, known bool) {
	i := slices.IndexFunc(flags, func(f commandFlag) bool {
		if !profile.hasFlag(f) {
			return false
		}
		value, known = f.takes(profile, arg)
		return known
	})
	if i < 0 {
		return commandFlag{}, "", false
	}
	return flags[i], value, true
}

// takes reports whether the argument is meant for the flag. To tfs-2.4 whatever
// begins with the name of a boolean is, and its value then has the "="; tfs-head
// wants nothing or "=" after it.
func (f commandFlag) takes(profile Profile, arg string) (value string, ok bool) {
	rest, ok := strings.CutPrefix(arg, "--"+f.name)
	switch {
	case !ok:
		return "", false
	case f.kind == boolFlag && rest == "":
		return boolValue(profile, true), true
	case f.kind == boolFlag && profile != ProfileHead:
		return rest, true
	}
	return strings.CutPrefix(rest, "=")
}

// read sets the flag and reports whether the value can be read.
func (f commandFlag) read(o *Options, profile Profile, value string) bool {
	switch f.kind {
	case int32Flag, int64Flag:
		n, ok := profile.readInt(value, f.kind)
		if ok && f.setInt != nil {
			f.setInt(o, n)
		}
		return ok
	case boolFlag:
		on, ok := readBool(profile, value)
		if ok && f.setBool != nil {
			f.setBool(o, on)
		}
		return ok
	case floatFlag:
		return readsFloat(value)
	}
	if f.setText != nil {
		f.setText(o, value)
	}
	return true
}
