package estimator

import (
	"math"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/rustport"
)

// ModelFn is the model.
type ModelFn interface {
	// Call is one step in a mode, and its loss.
	Call(mode Mode) (loss float64, err error)
}

// Predictor is a model that says itself what it predicts of an example's features. Of one that
// does not the prediction is its loss.
type Predictor interface {
	Predict(features []float32) ([]float32, error)
}

// Metrics are what a step, or several, came to.
type Metrics struct {
	Loss float64
	// GlobalStep is the step that it was.
	GlobalStep uint64
}

// Action is what a hook asks for.
type Action int

// The actions.
const (
	Continue Action = iota
	Stop
)

// Hook is called around the steps of a training.
type Hook interface {
	BeforeStep(step uint64) error
	AfterStep(step uint64, m Metrics) (Action, error)
	// End is called once at the end, with the metrics of the last step, nil without one.
	End(step uint64, last *Metrics) error
}

// TrainResult is how a training ended.
type TrainResult struct {
	GlobalStep uint64
	// Last are the metrics of the last step, nil where there was none.
	Last         *Metrics
	StoppedEarly bool
}

// EvalResult is what an evaluation came to: the mean loss of its steps.
type EvalResult struct {
	GlobalStep, Steps uint64
	Metrics           Metrics
}

// Estimator trains and evaluates a model.
type Estimator struct {
	config rustport.EstimatorConfig
	model  ModelFn
	hooks  []Hook
	step   uint64
	losses mean
}

// mean is that of numbers, 0 of none.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(v float64) {
	m.sum += v
	m.count++
}

func (m *mean) value() float64 {
	if m.count == 0 {
		return 0
	}
	return m.sum / float64(m.count)
}

// New makes an estimator at step 0.
func New(c rustport.EstimatorConfig, model ModelFn) *Estimator {
	return &Estimator{config: c, model: model}
}

// Config returns its configuration.
func (est *Estimator) Config() rustport.EstimatorConfig { return est.config }

// GlobalStep returns how many steps it has trained.
func (est *Estimator) GlobalStep() uint64 { return est.step }

// AddHook has a hook called behind those there are.
func (est *Estimator) AddHook(h Hook) { est.hooks = append(est.hooks, h) }

// Limits say how long a training goes on: Steps counts from where it is, MaxSteps from 0
// (row D12). In Python alone the first counts, with others the second (TRN-5.12).
type Limits struct{ Steps, MaxSteps pysem.Opt[uint64] }

// target returns the step at which a training ends.
func (est *Estimator) target(l Limits) uint64 {
	if !l.Steps.Set {
		return l.MaxSteps.Or(est.config.TrainSteps.Or(math.MaxUint64))
	}
	end := est.step + l.Steps.V
	if end < est.step {
		end = math.MaxUint64
	}
	return min(end, l.MaxSteps.Or(math.MaxUint64))
}

// Train trains as long as the configuration says.
func (est *Estimator) Train() (TrainResult, error) { return est.TrainWithLimits(Limits{}) }

// TrainWithLimits trains until a limit, or until a hook asks for the end: then that step does
// not count. What the model or a hook says of an error ends it, without the hooks' End.
func (est *Estimator) TrainWithLimits(l Limits) (TrainResult, error) {
	end, result := est.target(l), TrainResult{}
	for est.step < end && !result.StoppedEarly {
		m, action, err := est.trainStep()
		if err != nil {
			return TrainResult{}, err
		}
		result.Last = &m
		if result.StoppedEarly = action == Stop; !result.StoppedEarly {
			est.step++
		}
	}
	for _, h := range est.hooks {
		if err := h.End(est.step, result.Last); err != nil {
			return TrainResult{}, wrap(HookFailed, err)
		}
	}
	result.GlobalStep = est.step
	return result, nil
}

func (est *Estimator) trainStep() (Metrics, Action, error) {
	for _, h := range est.hooks {
		if err := h.BeforeStep(est.step); err != nil {
			return Metrics{}, Stop, wrap(HookFailed, err)
		}
	}
	loss, err := est.model.Call(Train)
	if err != nil {
		return Metrics{}, Stop, err
	}
	m := Metrics{Loss: loss, GlobalStep: est.step}
	est.losses.add(loss)
	for _, h := range est.hooks {
		action, err := h.AfterStep(est.step, m)
		if err != nil || action == Stop {
			return m, Stop, wrap(HookFailed, err)
		}
	}
	return m, Continue, nil
}

// Evaluate evaluates as many steps as the configuration says, 1 where it says none.
func (est *Estimator) Evaluate() (EvalResult, error) {
	return est.EvaluateWithSteps(pysem.None[uint64]())
}

// EvaluateWithSteps evaluates this many steps, or those of Evaluate. The global step stays.
func (est *Estimator) EvaluateWithSteps(steps pysem.Opt[uint64]) (EvalResult, error) {
	n := steps.Or(est.config.EvalSteps.Or(1))
	var losses mean
	for range n {
		loss, err := est.model.Call(Eval)
		if err != nil {
			return EvalResult{}, err
		}
		losses.add(loss)
	}
	return EvalResult{GlobalStep: est.step, Steps: n, Metrics: Metrics{Loss: losses.value(), GlobalStep: est.step}}, nil
}

// TrainAndEvaluate trains this many steps and evaluates, as many times, or until a hook asks
// for the end of a training. No time at all is an EvaluationFailed.
func (est *Estimator) TrainAndEvaluate(stepsPerEval uint64, evals int) (TrainResult, EvalResult, error) {
	if evals <= 0 {
		return TrainResult{}, EvalResult{}, &Error{Kind: EvaluationFailed, Text: "No evaluation was performed"}
	}
	for i := 1; ; i++ {
		trained, err := est.TrainWithLimits(Limits{Steps: pysem.Some(stepsPerEval)})
		if err != nil {
			return TrainResult{}, EvalResult{}, err
		}
		evaluated, err := est.Evaluate()
		if err != nil || i == evals || trained.StoppedEarly {
			return trained, evaluated, err
		}
	}
}

// Predict predicts this many examples without features.
func (est *Estimator) Predict(examples int) ([][]float32, error) {
	return est.PredictWithInputs(make([][]float32, examples))
}

// PredictWithInputs predicts an example for each list of features (row D5).
func (est *Estimator) PredictWithInputs(inputs [][]float32) ([][]float32, error) {
	predictions := make([][]float32, 0, len(inputs))
	for _, features := range inputs {
		p, err := est.predict(features)
		if err != nil {
			return nil, err
		}
		predictions = append(predictions, p)
	}
	return predictions, nil
}

func (est *Estimator) predict(features []float32) ([]float32, error) {
	if p, ok := est.model.(Predictor); ok {
		return p.Predict(features)
	}
	loss, err := est.model.Call(Predict)
	return []float32{float32(loss)}, err
}
