package absl

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/monosim/monosim/engine/pysem"
)

// Usage returns the help text of a program: its flags, grouped by module. If full is set, it
// includes absl's own flags.
func (f *Flags) Usage(program string, full bool) string {
	var b strings.Builder
	b.WriteString("\nUSAGE: " + program + " [flags]\nflags:\n")
	for _, m := range f.modules {
		if !full && (m.Name == appModule.Name || m.Name == loggingModule.Name) {
			continue
		}
		b.WriteString("\n" + m.Name + ":\n")
		sorted := slices.Clone(m.Flags)
		slices.SortFunc(sorted, func(a, b Flag) int { return strings.Compare(a.Name, b.Name) })
		for _, flag := range sorted {
			b.WriteString(flag.usage())
		}
	}
	if !full {
		b.WriteString("\nTry --helpfull to get a list of all flags, absl's too.\n")
	}
	return b.String()
}

// usage formats a flag as absl lists it, with the default on a line of its own.
func (flag *Flag) usage() string {
	text := "  "
	if flag.Short != "" {
		text += "-" + flag.Short + ","
	}
	text += "--"
	if flag.boolean() {
		text += "[no]"
	}
	text += flag.Name + ": "
	if flag.Kind == Enum {
		text += "<" + strings.Join(flag.Words, "|") + ">: "
	}
	text += flag.Help + "\n"
	switch value := flag.Default.(type) {
	case nil:
	case bool:
		text += "    (default: '" + strings.ToLower(pysem.Repr(value)) + "')\n"
	default:
		text += "    (default: '" + pysem.Str(value) + "')\n"
	}
	switch flag.Kind {
	case Integer:
		text += "    (an integer)\n"
	case Float:
		text += "    (a number)\n"
	}
	return text
}

// suggested returns a hint such as ". Did you mean: model_dir ?" if flags of the program begin like
// the unknown name. Otherwise it returns "".
func (f *Flags) suggested(name string) string {
	const shortest, tolerated = 2, 0.50
	if len(name) <= shortest {
		return ""
	}
	var names []string
	least := len(name)
	for _, m := range f.modules {
		for _, flag := range m.Flags {
			errors := levenshtein.ComputeDistance(name, flag.Name[:min(len(name), len(flag.Name))])
			if errors < least {
				names, least = nil, errors
			}
			if errors == least {
				names = append(names, flag.Name)
			}
		}
	}
	if float64(least) >= tolerated*float64(len(name)) {
		return ""
	}
	slices.Sort(names)
	return ". Did you mean: " + strings.Join(names, ", ") + " ?"
}
