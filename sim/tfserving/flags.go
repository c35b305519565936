package tfserving

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem/dict"
)

// ErrHelp is returned by ParseFlags if the first unknown argument is --help.
var ErrHelp = errors.New("help is wanted")

// ParseFlags parses the arguments after the program's name as tensorflow::Flags::Parse does
// (TFS-9.4): it knows --name=value, and --name for booleans.
//
// Unknown arguments are no error (TFS-9.3). They are returned in order, and are in
// Options.UnknownArgs too. "--" and everything behind it are unknown. So "--port 8500" is
// two unknown arguments and leaves the port alone. The real server prints "unknown
// argument: ", the first one and its usage, and continues.
//
// The error has one line for each value that cannot be read, or is ErrHelp. The real server
// then prints its usage and exits with 255 before it does anything else.
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

// FlagsUsage returns the usage text of a profile's server; program is the name in its first line.
// The flags, types and defaults have upstream's order and format (tensorflow Flags::Usage). The
// help texts are our own.
func FlagsUsage(profile Profile, program string) string {
	text, _ := usages.Read(append([]byte{byte(profile)}, program...))
	return text
}

// usages caches the usage texts by profile and program. Every start of a server with an unknown
// flag prints one.
var usages = dict.Readings[string]{Decode: func(of []byte) (string, error) { return usageOf(Profile(of[0]), string(of[1:])), nil }, Most: 4 << 10}

func usageOf(profile Profile, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\nFlags:\n", program)
	defaults := DefaultOptions(profile)
	for i := range flags {
		if f := &flags[i]; profile.hasFlag(f) {
			fmt.Fprintf(&b, "\t%-33s\t%s\t%s\n", "--"+f.name+"="+f.value(&defaults), f.kind, f.help)
		}
	}
	return b.String()
}

func (p Profile) hasFlag(f *commandFlag) bool { return p == ProfileHead || !f.headOnly }

// findFlag returns the first flag that accepts the argument, and the value in the argument. known
// is false if no flag accepts it.
func findFlag(profile Profile, arg string) (f commandFlag, value string, known bool) {
	for i := range flags {
		if !profile.hasFlag(&flags[i]) {
			continue
		}
		if value, known = flags[i].takes(profile, arg); known {
			return flags[i], value, true
		}
	}
	return commandFlag{}, "", false
}

// takes reports whether the argument sets the flag, and returns its value. For a boolean, tfs-2.4
// accepts every argument that begins with the flag's name, and the value then includes the "=".
// tfs-head requires that the argument ends after the name or continues with "=".
func (f *commandFlag) takes(profile Profile, arg string) (value string, ok bool) {
	rest, ok := strings.CutPrefix(arg, "--")
	if ok {
		rest, ok = strings.CutPrefix(rest, f.name)
	}
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

// read parses the value and stores it in o. It returns false for a value that cannot be parsed.
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

// blanks are the characters for which C's isspace is true.
const blanks = " \t\n\v\f\r"

// readInt parses a number as the profile's parser does (TFS-9.4). tfs-2.4 uses sscanf("%d%c").
// Blanks may come before the number but not after it. A large number saturates at 64 bits and is
// then truncated to 32. tfs-head uses absl::SimpleAtoi. Blanks may be on both sides, and a number
// that does not fit is refused.
func (p Profile) readInt(text string, kind flagKind) (int64, bool) {
	text = strings.TrimLeft(text, blanks)
	if p == ProfileHead {
		n, err := strconv.ParseInt(strings.TrimRight(text, blanks), 10, kind.bits())
		return n, err == nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && err.(*strconv.NumError).Err != strconv.ErrRange {
		return 0, false
	}
	if kind == int32Flag {
		n = int64(int32(n))
	}
	return n, true
}

func (k flagKind) bits() int {
	if k == int32Flag {
		return 32
	}
	return 64
}

func boolValue(profile Profile, on bool) string {
	if profile == ProfileHead {
		return strconv.FormatBool(on)
	}
	return "=" + strconv.FormatBool(on)
}

// readBool parses a boolean: true or false. tfs-head also accepts 1 and 0, and any case.
func readBool(profile Profile, text string) (on, ok bool) {
	if profile == ProfileHead {
		text = strings.ToLower(text)
		on = text == "true" || text == "1"
		return on, on || text == "false" || text == "0"
	}
	return text == "=true", text == "=true" || text == "=false"
}

// readsFloat reports whether text parses as a float. The value itself is not needed, because no
// float flag has an effect here.
func readsFloat(text string) bool {
	n, err := strconv.ParseFloat(strings.TrimLeft(text, blanks), 32)
	return err == nil || math.IsInf(n, 0)
}
