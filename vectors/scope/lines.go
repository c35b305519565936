package scope

import (
	_ "embed"
	"fmt"

	"github.com/monosim/monosim/engine/lists"
)

//go:embed lines.yaml
var linesYAML []byte

// MostLines limits the lines of Go for each line of the reference. A port with more needs a reason.
const MostLines = 2

// Port is Go code that ports files of the reference. It has the number of lines of code on both
// sides. A line that holds only a comment does not count.
type Port struct {
	// Python holds the files of the reference, as [Names] names them.
	Python []string `yaml:"python"`
	// Go holds files, file patterns or folders of the repository. A folder does not include the
	// files that another port lists by name or by pattern.
	Go []string `yaml:"go"`
	// Lines is the number of lines of Go code when they were last counted.
	Lines int `yaml:"lines"`
	// Why is the reason for more than MostLines lines of Go for each line of Python. For Go without
	// a counterpart in the reference it says what the code does.
	Why string `yaml:"why"`

	// PythonLines is the number of lines of code in the files that Python lists.
	PythonLines int `yaml:"-"`
}

// Ratio returns how many lines of Go there are for one of the reference.
func (p *Port) Ratio() float64 { return float64(p.Lines) / float64(p.PythonLines) }

// Ports lists the ports in engine/agent and engine/training. The ports of the reference's agent
// come first, and Go files without a counterpart in the reference come last.
func Ports() ([]Port, error) {
	modules, err := Names()
	if err != nil {
		return nil, err
	}
	code := lists.ToMap(modules, func(m ModuleNames) (string, int) { return m.File, m.Code })
	return parsePorts(linesYAML, code)
}

func parsePorts(text []byte, code map[string]int) ([]Port, error) {
	var list []Port
	if err := decode("lines.yaml", text, &list); err != nil {
		return nil, err
	}
	for i := range list {
		p := &list[i]
		for _, file := range p.Python {
			if code[file] == 0 {
				return nil, fmt.Errorf("lines.yaml: found %s in entry %d, want a file of %s with code", file, i+1, namesName)
			}
			p.PythonLines += code[file]
		}
		tooMany := p.Lines > MostLines*p.PythonLines
		if tooMany && p.Why == "" {
			return nil, fmt.Errorf("lines.yaml: %v: found %d lines of Go for %d of the reference, want at most %d for each, or why",
				p.Go, p.Lines, p.PythonLines, MostLines)
		}
		if !tooMany && p.Why != "" {
			return nil, fmt.Errorf("lines.yaml: %v: found a reason for %d lines of Go for %d of the reference, want none for so few",
				p.Go, p.Lines, p.PythonLines)
		}
	}
	return list, nil
}
