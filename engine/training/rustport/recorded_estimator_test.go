package rustport_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/prefetch"
	"github.com/monosim/monosim/engine/training/rustport"
	"github.com/monosim/monosim/engine/training/rustport/estimator"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These functions run the cases of testdata/rust.json about estimators and their hooks.

func hookOf(c *worldtest.Case, in input) any {
	h := estimator.NewCheckpointHook(c.Env.Files, "m", in.optNumber("every").V)
	h.Variant = rustport.AsPort
	if n := in.optNumber("max"); n.Set {
		h.MaxToKeep = int(n.V)
	}
	steps := []any{}
	for _, s := range in.list("steps") {
		step := s.([]any)
		n := number(step[1]).V
		var err error
		switch step[0] {
		case "after_step":
			_, err = h.AfterStep(n, estimator.Metrics{GlobalStep: n})
		case "remove":
			err = c.Env.Files.Remove(fmt.Sprintf("m/checkpoint-%d.json", n))
		default:
			err = h.End(n, nil)
		}
		steps = append(steps, map[string]any{"error": shownError(err), "files": files(c)})
	}
	return map[string]any{"steps": steps}
}

// model returns as its loss half the number of the call, counted from 1.
type model struct {
	log     *[]any
	calls   uint64
	failsAt pysem.Opt[uint64]
}

func (m *model) Call(mode estimator.Mode) (float64, error) {
	m.calls++
	*m.log = append(*m.log, []any{"call", mode.String()})
	if m.failsAt.Set && m.calls == m.failsAt.V {
		return 0, errors.New("Training error: boom")
	}
	return float64(m.calls) * 0.5, nil
}

// predictor predicts two values for an example: the sum of its features, and their number.
type predictor struct{ model }

func (predictor) Predict(features []float32) ([]float32, error) {
	sum := float32(0)
	for _, f := range features {
		sum += f
	}
	return []float32{sum, float32(len(features))}, nil
}

// hook logs each of its calls. It stops the training at step stopAt and fails at step failsAt.
type hook struct {
	name            string
	log             *[]any
	stopAt, failsAt pysem.Opt[uint64]
}

func (h *hook) note(about ...any) { *h.log = append(*h.log, about) }

func (h *hook) BeforeStep(step uint64) error {
	h.note("before_step", h.name, step)
	return nil
}

func (h *hook) AfterStep(step uint64, m estimator.Metrics) (estimator.Action, error) {
	h.note("after_step", h.name, step, m.Loss)
	switch {
	case h.failsAt.Set && h.failsAt.V == step:
		return estimator.Continue, errors.New("Hook error: boom")
	case h.stopAt.Set && h.stopAt.V == step:
		return estimator.Stop, nil
	}
	return estimator.Continue, nil
}

func (h *hook) End(step uint64, last *estimator.Metrics) error {
	h.note("end", h.name, step, lossOf(last))
	return nil
}

func lossOf(m *estimator.Metrics) any {
	if m == nil {
		return nil
	}
	return m.Loss
}

func shownTraining(r estimator.TrainResult) any {
	return map[string]any{"global_step": r.GlobalStep, "loss": lossOf(r.Last), "stopped_early": r.StoppedEarly}
}

func shownEvaluation(r estimator.EvalResult) any {
	return map[string]any{"global_step": r.GlobalStep, "loss": r.Metrics.Loss, "steps": r.Steps}
}

func estimatorOf(_ *worldtest.Case, in input) any {
	log := []any{}
	conf := rustport.NewEstimatorConfig("m")
	conf.TrainSteps, conf.EvalSteps = in.optNumber("train_steps"), in.optNumber("eval_steps")
	m := &model{log: &log, failsAt: in.optNumber("model_fails_at")}
	est := estimator.New(conf, m)
	if in.of["own_predict"] == true {
		est = estimator.New(conf, &predictor{*m})
	}
	for i, h := range in.list("hooks") {
		of := h.(map[string]any)
		est.AddHook(&hook{name: fmt.Sprintf("h%d", i), log: &log, stopAt: number(of["stop_at"]), failsAt: number(of["fail_at"])})
	}
	calls := []any{}
	for _, call := range in.list("calls") {
		result, err := estimatorCall(est, call.([]any))
		if err != nil {
			result = map[string]any{"error": err.Error()}
		}
		calls = append(calls, map[string]any{"result": result, "log": append([]any{}, log...), "global_step": est.GlobalStep()})
		log = log[:0]
	}
	return map[string]any{"calls": calls}
}

func estimatorCall(est *estimator.Estimator, call []any) (any, error) {
	switch call[0] {
	case "train":
		train := est.Train
		if len(call) > 1 {
			train = func() (estimator.TrainResult, error) {
				return est.TrainWithLimits(estimator.Limits{Steps: number(call[1]), MaxSteps: number(call[2])})
			}
		}
		r, err := train()
		return shownTraining(r), err
	case "evaluate":
		evaluate := est.Evaluate
		if len(call) > 1 {
			evaluate = func() (estimator.EvalResult, error) { return est.EvaluateWithSteps(number(call[1])) }
		}
		r, err := evaluate()
		return shownEvaluation(r), err
	case "train_and_evaluate":
		t, e, err := est.TrainAndEvaluate(number(call[1]).V, int(number(call[2]).V))
		return []any{shownTraining(t), shownEvaluation(e)}, err
	case "predict":
		return nonNil(est.Predict(int(number(call[1]).V)))
	}
	inputs := [][]float32{}
	for _, features := range call[1].([]any) {
		inputs = append(inputs, floats(features))
	}
	return nonNil(est.PredictWithInputs(inputs))
}

func nonNil(rows [][]float32, err error) (any, error) { return append([][]float32{}, rows...), err }

func floats(v any) []float32 {
	list := []float32{}
	for _, x := range v.([]any) {
		f, err := strconv.ParseFloat(x.(json.Number).String(), 32)
		if err != nil {
			panic(err)
		}
		list = append(list, float32(f))
	}
	return list
}

func modeOf(name string) estimator.Mode {
	return map[string]estimator.Mode{"Train": estimator.Train, "Eval": estimator.Eval, "Predict": estimator.Predict}[name]
}

func specOf(_ *worldtest.Case, in input) any {
	spec := estimator.NewSpec(modeOf(in.text("mode", "")), in.optText("label"), []float32{0.5})
	out := map[string]any{"made": shownSpec(spec)}
	replaced, err := spec.Replace(updateOf(in.of["replace"].(map[string]any)))
	if out["replaced"] = shownSpec(replaced); err != nil {
		out["replaced"] = map[string]any{"error": err.Error()}
	}
	return out
}

// updateOf returns the update that a case's JSON describes. There a field that is set is a list
// with one value, which may be null.
func updateOf(m map[string]any) (u estimator.Update) {
	text := func(key string) (opt pysem.Opt[pysem.OptString]) {
		if list, ok := m[key].([]any); ok {
			opt.V.V, opt.V.Set = list[0].(string)
			opt.Set = true
		}
		return opt
	}
	if name, ok := m["mode"].(string); ok {
		u.Mode = pysem.Some(modeOf(name))
	}
	if m["pred"] != nil {
		u.Pred = pysem.Some(floats(m["pred"]))
	}
	u.Label, u.HeadName, u.Optimizer = text("label"), text("head_name"), text("optimizer")
	if list, ok := m["loss"].([]any); ok {
		u.Loss.Set = true
		if n, ok := list[0].(json.Number); ok {
			f, _ := n.Float64()
			u.Loss.V = pysem.Some(f)
		}
	}
	u.Classification.V, u.Classification.Set = m["classification"].(bool)
	return u
}

func shownSpec(s estimator.Spec) any {
	return map[string]any{"mode": s.Mode.String(), "label": s.Label.Any(), "pred": s.Pred, "head_name": s.HeadName.Any(), "loss": s.Loss.Any(),
		"optimizer": s.Optimizer.Any(), "classification": s.Classification}
}

// asyncOf runs a case about functions that run later. It queues calls, and counts how often each
// function has run.
func asyncOf(c *worldtest.Case, in input) any {
	mgr, ran := prefetch.NewPortFunctionMgr(c.Env.Tasks, in.of["default_is_async"] != false), []any{}
	async := pysem.OptBool{}
	async.V, async.Set = in.of["is_async"].(bool)
	calls := []func() error{}
	for k := range max(1, int(in.optNumber("functions").V)) {
		n := 0
		calls = append(calls, mgr.Add(func() {
			n++
			ran = append(ran, []any{k, n})
		}, async))
	}
	steps := []any{}
	for _, s := range in.list("steps") {
		step, at, times := s.([]any), 0, 1
		if len(step) > 1 {
			at = int(number(step[1]).V)
		}
		if len(step) > 2 {
			times = int(number(step[2]).V)
		}
		for range times {
			switch step[0] {
			case "call":
				c.Must(calls[at]())
			case "step":
				for _, h := range mgr.Hooks() {
					c.Must(h.BeforeStep())
				}
			default:
				for _, h := range mgr.Hooks() {
					c.Must(h.End())
				}
			}
		}
		steps = append(steps, append([]any{}, ran...))
		ran = ran[:0]
	}
	return map[string]any{"hooks": len(mgr.Hooks()), "ran": steps}
}
