package timeline

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Phrase describes an observation on one line, without its time and its actor. An example is
// "creates znode /a (ephemeral)".
func Phrase(o *runners.Observation) string {
	return strings.ReplaceAll(strings.TrimSpace(phrase(o)), "\n", "; ")
}

// Shorten cuts a text to at most length characters. A cut text ends with three dots.
func Shorten(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length-3]) + "..."
	}
	return text
}

func phrase(o *runners.Observation) string {
	topic, what, _ := strings.Cut(o.Op, ".")
	switch topic {
	case "remark":
		return o.Note
	case "fault":
		return strings.TrimSuffix(fmt.Sprintf("fault %s %ss: %s", o.Path, what, o.Note), ": ")
	case "process":
		return processPhrase(o, what)
	case "pod":
		return "stays " + what + ": " + o.Note
	case "modelserver":
		switch what {
		case "state":
			return "has " + o.Path + " " + o.Note
		case "reason":
			return o.Path + " " + o.Note
		}
		return strings.TrimSpace(o.Path+" model server") + " serves on " + o.Note
	case "zookeeper":
		return znodePhrase(o, what)
	case "rpc":
		return fmt.Sprintf("calls %s of %s: %s%s", o.Path, o.Peer, o.Note, took(o.Took))
	case "log":
		return fmt.Sprintf("%s logs %s: %s", path.Base(o.Path), strings.ToUpper(what), o.Note)
	}
	return strings.TrimSpace(o.Op + " " + o.Path + " " + o.Note)
}

func processPhrase(o *runners.Observation, what string) string {
	name := fmt.Sprintf("%s[%d]", path.Base(o.Path), o.ID)
	switch what {
	case "start":
		return "starts " + name + " " + o.Note
	case "exit":
		return name + " ends with " + o.Note
	}
	return name + " cannot start: " + o.Note
}

// znodeVerbs maps each write operation to the verb that describes it.
var znodeVerbs = map[string]string{"create": "creates", "setData": "writes", "delete": "deletes"}

func znodePhrase(o *runners.Observation, what string) string {
	switch what {
	case "createSession":
		return fmt.Sprintf("opens ZooKeeper session 0x%x", o.ID)
	case "closeSession":
		return fmt.Sprintf("its ZooKeeper session 0x%x ends", o.ID)
	}
	verb := cmp.Or(znodeVerbs[what], what+" of")
	text := verb + " znode " + o.Path
	if o.Note != "" {
		text += " (" + o.Note + ")"
	}
	return text
}

func took(d time.Duration) string {
	if d < time.Millisecond {
		return ""
	}
	return fmt.Sprintf(" after %v", d.Round(time.Millisecond))
}
