package absl

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// UsageError is a mistake in a command line, described in absl's words. Class names the Python
// exception.
type UsageError struct{ Class, Text string }

func (e *UsageError) Error() string { return e.Text }

// HelpAsked is the error for a command line that asks for help.
type HelpAsked struct {
	// Full means that the user asked for the flags of all modules, not only those of the main
	// module.
	Full bool
}

func (*HelpAsked) Error() string { return "help is asked for" }

// Parse parses the arguments of a program, without its name, and returns those that are not flags.
// As in absl, a value follows "=" or is the next argument, and one dash works like two. --noname
// sets a boolean to false, "--" ends the flags, and --flagfile and --undefok have their usual
// effect. Errors are *UsageError, *HelpAsked, or a ValueError for --noname with a value and for an
// unknown log level.
func (f *Flags) Parse(files env.Files, args []string) (rest []string, err error) {
	args, err = withFiles(files, args)
	if err != nil {
		return nil, err
	}
	p := parser{flags: f, left: args}
	for len(p.left) > 0 && !p.ended {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	for _, name := range p.unknown {
		if !slices.Contains(p.undefok, name) {
			return nil, &UsageError{Class: "UnrecognizedFlagError", Text: "Unknown command line flag '" + name + "'" + f.suggested(name)}
		}
	}
	f.parsed = true
	return append(p.rest, p.left...), nil
}

// parser holds the state while a command line is parsed.
type parser struct {
	flags   *Flags
	left    []string
	rest    []string
	unknown []string
	undefok []string
	ended   bool
}

// next parses the next flag with its value, or the next argument that is not a flag.
func (p *parser) next() error {
	argument := p.left[0]
	p.left = p.left[1:]
	if argument == "--" {
		p.ended = true
		return nil
	}
	name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(argument, "-"), "-"), "=")
	if !strings.HasPrefix(argument, "-") || name == "" {
		p.rest = append(p.rest, argument)
		return nil
	}
	if name == "undefok" {
		text, err := p.value(argument, value, given)
		for listed := range strings.SplitSeq(text, ",") {
			listed = pysem.Strip(listed)
			p.undefok = append(p.undefok, listed, "no"+listed)
		}
		return err
	}
	flag := p.flags.byName[name]
	if flag == nil {
		return p.negated(argument, name, given)
	}
	if flag.boolean() && !given {
		return p.flags.set(flag, "true")
	}
	text, err := p.value(argument, value, given)
	if err != nil {
		return err
	}
	return p.flags.set(flag, text)
}

func (flag *Flag) boolean() bool { return flag.Kind == Bool || flag.Kind == help }

// negated parses --noname. If there is no boolean flag called name, it records an unknown flag.
func (p *parser) negated(argument, name string, given bool) error {
	of, no := strings.CutPrefix(name, "no")
	flag := p.flags.byName[of]
	if !no || flag == nil || !flag.boolean() {
		p.unknown = append(p.unknown, name)
		return nil
	}
	if given {
		return pysem.Raise("ValueError", "%s does not take an argument", argument)
	}
	return p.flags.set(flag, "false")
}

// value returns the text after "=" if there is one, or else the next argument.
func (p *parser) value(argument, value string, given bool) (string, error) {
	if given {
		return value, nil
	}
	if len(p.left) == 0 {
		return "", &UsageError{Class: "Error", Text: "Missing value for flag " + argument}
	}
	value, p.left = p.left[0], p.left[1:]
	return value, nil
}

// set sets a flag to the value that the text stands for.
func (f *Flags) set(flag *Flag, text string) error {
	value, why := flag.parseValue(text)
	if why != "" {
		return &UsageError{Class: "IllegalFlagValueError", Text: "flag --" + flag.Name + "=" + text + ": " + why}
	}
	if flag.Kind == help && value == true {
		return &HelpAsked{Full: flag.Name == "helpfull"}
	}
	if flag.Kind == threshold && !slices.Contains(thresholds, strings.ToLower(text)) {
		return pysem.Raise("ValueError", "--stderrthreshold must be one of (case-insensitive) "+
			"'debug', 'info', 'warning', 'error', 'fatal', or '0', '1', '2', '3', not '%s'", text)
	}
	f.values[flag.Name], f.given[flag.Name] = value, true
	return nil
}

// withFiles replaces each --flagfile argument by the lines of the named file. It skips blank lines
// and comments. A file can name other flag files.
func withFiles(files env.Files, args []string) ([]string, error) {
	var all []string
	for i := 0; i < len(args); i++ {
		file, is := flagFile(args[i])
		switch {
		case args[i] == "--":
			return append(all, args[i:]...), nil
		case !is:
			all = append(all, args[i])
			continue
		case strings.TrimLeft(args[i], "-") == "flagfile":
			if i+1 == len(args) {
				return nil, &UsageError{Class: "IllegalFlagValueError", Text: "--flagfile with no argument"}
			}
			i++
			file = args[i]
		}
		lines, err := linesOf(files, file, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// flagFile returns the file name in an argument --flagfile=name. The second result is false for any
// other argument.
func flagFile(argument string) (file string, is bool) {
	trimmed := strings.TrimPrefix(strings.TrimPrefix(argument, "-"), "-")
	if !strings.HasPrefix(argument, "-") {
		return "", false
	}
	if trimmed == "flagfile" {
		return "", true
	}
	file, is = strings.CutPrefix(trimmed, "flagfile=")
	return pysem.Strip(file), is
}

// linesOf returns the flags in a file and in the flag files that it names. It skips the files in
// within, which are already being read.
func linesOf(files env.Files, file string, within []string) ([]string, error) {
	if file == "" || slices.Contains(within, file) {
		return nil, nil
	}
	data, err := pyos.ReadFile(files, file)
	if err != nil {
		return nil, &UsageError{Class: "CantOpenFlagFileError", Text: "ERROR:: Unable to open flagfile: " + err.Error()}
	}
	var flags []string
	for line := range strings.Lines(string(data)) {
		other, is := flagFile(strings.TrimRight(line, "\n"))
		text := pysem.Strip(line)
		switch {
		case text == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "//"):
		case is:
			more, err := linesOf(files, other, append(slices.Clone(within), file))
			if err != nil {
				return nil, err
			}
			flags = append(flags, more...)
		default:
			flags = append(flags, text)
		}
	}
	return flags, nil
}
