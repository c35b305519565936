package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners"
)

// policies are those that gen_model_config takes, in any case (utils.py:938-952).
var policies = []string{"latest", "latest_once", "all", "specific"}

// checkPolicy wants a policy with which a model can be declared.
func checkPolicy(policy string) error {
	if !slices.Contains(policies, strings.ToLower(policy)) {
		return fmt.Errorf("version policy: found %q, want %s", policy, strings.Join(policies, ", "))
	}
	return nil
}

// declared wants a sentence with a policy at its end to have one that there is.
func declared(s *Sentence) *Sentence {
	s.check = func(args []string) error { return checkPolicy(args[len(args)-1]) }
	return s
}

// possible tells what of a step cannot be, before anything is run: w is a world that
// takes the shapes and is never built.
func (s *Sentence) possible(w *World, st *step) error {
	if s.check != nil {
		return s.check(s.expr.FindStringSubmatch(st.text)[1:])
	}
	if s.kind != aShape {
		return nil
	}
	if err := s.say(w, st.args); err != nil {
		return err
	}
	c, ok := w.runner.(runners.Checker)
	if !ok {
		return nil
	}
	spec := w.spec
	spec.Conf = w.conf.text()
	return c.Check(spec)
}
