package loopback

import (
	"fmt"
	"slices"
	"strings"
)

// longestWords limits the part of a process's output in a message, in bytes.
const longestWords = 200

// Ended says of each pod whose agent has ended how it did, with the last line of its output, and of others
// whether their model servers have.
func (c *Cluster) Ended() (lines []string) {
	how := map[string]string{}
	for _, o := range c.journal.log() {
		switch {
		case o.Path != "agent_service":
		case o.Op == "process.start":
			delete(how, o.Pod)
		case o.Op == "process.exit":
			how[o.Pod] = o.Note
		}
	}
	for _, p := range c.pods {
		code, ended := how[p.Name]
		if !ended && p.bare == nil && p.lostServers() {
			lines = append(lines, p.Name+": its model server has ended")
		}
		if !ended {
			continue
		}
		line := fmt.Sprintf("%s: its agent has ended with %s", p.Name, code)
		if words := lastLine(p.lastWords()); words != "" {
			line += ", its output with: " + words
		}
		lines = append(lines, line)
	}
	return lines
}

// lostServers reports whether the pod has started model servers, of which none runs.
func (p *pod) lostServers() bool {
	all := p.allModelServers()
	return len(all) > 0 && !slices.ContainsFunc(all, func(s modelServer) bool { return s.runs() })
}

// lastLine returns the end of the last line of a text.
func lastLine(text string) string {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.ToValidUTF8(line[max(len(line)-longestWords, 0):], "")
}
