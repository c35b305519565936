package steps

import (
	"strings"
	"time"
)

// places reads a list of pods, "ZooKeeper" and "idc lf" as the runners name them.
func places(text string) []string {
	names := list(text)
	for i, name := range names {
		if idc, ok := strings.CutPrefix(name, "idc "); ok {
			names[i] = "idc:" + idc
		} else {
			names[i] = strings.ToLower(name)
		}
	}
	return names
}

// cannotReach cuts one direction.
func (w *World) cannotReach(from, to string) lasting {
	a, b := places(from), places(to)
	return lasting{
		begin: func() error { return w.cluster.Cut(a, b) },
		end:   func() error { return w.cluster.Heal(a, b) },
	}
}

// cutOff cuts both directions.
func (w *World) cutOff(from, to string) lasting {
	a, b := places(from), places(to)
	return lasting{
		begin: func() error {
			if err := w.cluster.Cut(a, b); err != nil {
				return err
			}
			return w.cluster.Cut(b, a)
		},
		end: func() error { return w.healed(from, to) },
	}
}

// healed ends what was cut, in both directions.
func (w *World) healed(from, to string) error {
	a, b := places(from), places(to)
	if err := w.cluster.Heal(a, b); err != nil {
		return err
	}
	return w.cluster.Heal(b, a)
}

func (w *World) slower(from, to, extra string) lasting {
	a, b := places(from), places(to)
	slow := func(text string) func() error {
		return func() error {
			d, err := time.ParseDuration(text)
			if err != nil {
				return err
			}
			return w.cluster.Slow(a, b, d)
		}
	}
	return lasting{begin: slow(extra), end: slow("0s")}
}
