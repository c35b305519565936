package steps

import (
	"context"
	"errors"
	"reflect"

	"github.com/cucumber/godog"

	"github.com/monosim/monosim/runners"
)

// Register adds the sentences of this suite to a godog suite, for a project that runs its
// features with godog, beside other sentences or under its own command.
//
//	suite := &steps.Suite{Runner: &simrun.Runner{}, Seed: 1}
//	godog.TestSuite{ScenarioInitializer: func(ctx *godog.ScenarioContext) { suite.Register(ctx, nil) }}.Run()
//
// Of the suite, Runner, Seed, Quirks and Sentences count; godog finds the files, selects,
// orders and reports. Each scenario has a cluster of its own, which is built at the first
// step that is not a shape. told, when set, gets the result of each scenario; traces equal
// those of Suite.Run. A step that the runner cannot do returns godog.ErrSkip.
//
// Suite.Run checks scenarios before it runs any, as that a Background has only shapes.
// godog does not.
func (s *Suite) Register(ctx *godog.ScenarioContext, told func(Result)) {
	known := newVocabulary(s.Runner.Faults(), s.Sentences...)
	var x *execution
	ctx.Before(func(c context.Context, sc *godog.Scenario) (context.Context, error) {
		x = &execution{
			world:  &World{runner: s.Runner, spec: runners.Spec{Seed: s.Seed, Quirks: s.Quirks}},
			result: Result{Name: sc.Name, Path: sc.Uri, Seed: s.Seed},
		}
		for _, tag := range sc.Tags {
			x.result.Tags = append(x.result.Tags, tag.Name)
		}
		for _, st := range sc.Steps {
			for _, said := range known.match(st.Text) {
				x.world.expect(said)
			}
		}
		return c, nil
	})
	var text string
	ctx.StepContext().Before(func(c context.Context, st *godog.Step) (context.Context, error) {
		text = st.Text
		return c, nil
	})
	for _, said := range known {
		ctx.Step(said.expr, said.handler(func() error {
			st := step{text: text, said: said}
			var err error
			if st.args, err = said.arguments(text); err != nil {
				return err
			}
			x.step(&st, true)
			done := x.result.Steps[len(x.result.Steps)-1]
			if done.Status == Skipped {
				return godog.ErrSkip
			}
			return done.Err
		}))
	}
	ctx.After(func(c context.Context, _ *godog.Scenario, err error) (context.Context, error) {
		if errors.Is(err, godog.ErrUndefined) {
			x.result.Err = err
		}
		x.result.finish(x.world)
		x.world.close()
		if told != nil {
			told(x.result)
		}
		return c, nil
	})
}

// handler makes a step handler for godog. The handler takes a string for each group of the
// sentence's expression. It ignores these strings, because do reads the step's text itself.
func (s *Sentence) handler(do func() error) any {
	in := make([]reflect.Type, s.expr.NumSubexp())
	for i := range in {
		in[i] = reflect.TypeFor[string]()
	}
	t := reflect.FuncOf(in, []reflect.Type{reflect.TypeFor[error]()}, false)
	return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
		result := reflect.New(t.Out(0)).Elem()
		if err := do(); err != nil {
			result.Set(reflect.ValueOf(err))
		}
		return []reflect.Value{result}
	}).Interface()
}
