package steps

import (
	"fmt"
	"strings"
)

// conf is an agent.conf in the making: settings in the order of the file.
type conf []setting

type setting struct{ key, value string }

func parseConf(text string) conf {
	var c conf
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			c = append(c, setting{key, value})
		}
	}
	return c
}

func (c conf) text() string {
	var b strings.Builder
	for _, s := range c {
		fmt.Fprintf(&b, "%s %s\n", s.key, s.value)
	}
	return b.String()
}

func (c conf) get(key string) string {
	for _, s := range c {
		if s.key == key {
			return s.value
		}
	}
	return ""
}

func (c *conf) set(key, value string) {
	for i := range *c {
		if (*c)[i].key == key {
			(*c)[i].value = value
			return
		}
	}
	*c = append(*c, setting{key, value})
}

func (c *conf) remove(key string) {
	var kept conf
	for _, s := range *c {
		if s.key != key {
			kept = append(kept, s)
		}
	}
	*c = kept
}

func (w *World) setSetting(key, value string) error {
	w.conf.set(key, value)
	return nil
}

// addSetting gives a key one more line.
func (w *World) addSetting(key, value string) error {
	w.conf = append(w.conf, setting{key, value})
	return nil
}

func (w *World) removeSetting(key string) error {
	w.conf.remove(key)
	return nil
}

func (w *World) bzid() string { return w.conf.get("bzid") }
