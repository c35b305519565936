package estimator

import (
	"math"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/rustport"
)

// ModelFn is a model that can be trained and evaluated.
type ModelFn interface {
	// Call runs one step in a mode and returns its loss.
	Call(mode Mode) (loss float64, err error)
}

// Predictor is a model that predicts from an example's features. For other models the prediction
// is their loss.
type Predictor interface {
	Predict(features []float32) ([]float32, error)
}

// Metrics is the result of one step, or the mean of several.
type Metrics struct {
	Loss float64
	// GlobalStep is the number of the step.
	GlobalStep uint64
}

// Action is a hook's decision, after a step, whether training goes on.
type Action int

// These are the actions that a hook can return.
const (
	Continue Action = iota
	Stop
)

// Hook is called around the steps of a training.
type Hook interface {
	BeforeStep(step uint64) error
	AfterStep(step uint64, m Metrics) (Action, error)
	// End is called once at the end. last holds the metrics of the last step; nil if there was
	// none.
	End(step uint64, last *Metrics) error
}

// TrainResult is the result of a training.
type TrainResult struct {
	GlobalStep uint64
	// Last holds the metrics of the last step; nil if there was none.
	Last         *Metrics
	StoppedEarly bool
}

// EvalResult is the result of an evaluation; Metrics has the mean loss of its steps.
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

// mean computes the mean of numbers; 0 if there are none.
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

// New makes an estimator whose global step is 0.
func New(c rustport.EstimatorConfig, model ModelFn) *Estimator {
	return &Estimator{config: c, model: model}
}

// Config returns the estimator's configuration.
func (est *Estimator) Config() rustport.EstimatorConfig { return est.config }

// GlobalStep returns the number of steps trained so far.
func (est *Estimator) GlobalStep() uint64 { return est.step }

// AddHook adds a hook, which is called after the earlier ones.
func (est *Estimator) AddHook(h Hook) { est.hooks = append(est.hooks, h) }

// Limits says when a training ends: after Steps more steps or at the global step MaxSteps,
// whichever comes first (row D12). In Python, a local run counts Steps and ignores MaxSteps, and a
// distributed run does the opposite. TensorFlow refuses both at once (TRN-5.12).
type Limits struct{ Steps, MaxSteps pysem.Opt[uint64] }

// target returns the global step at which a training ends.
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

// Train trains up to the configuration's limits.
func (est *Estimator) Train() (TrainResult, error) { return est.TrainWithLimits(Limits{}) }

// TrainWithLimits trains up to a limit, or until a hook returns Stop. The step at which a hook
// stops does not count. An error of the model or of a hook ends the training, and then no hook's
// End is called.
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

// Evaluate runs the configured number of evaluation steps, 1 by default.
func (est *Estimator) Evaluate() (EvalResult, error) {
	return est.EvaluateWithSteps(pysem.None[uint64]())
}

// EvaluateWithSteps runs the given number of evaluation steps, or the configured number if steps is
// None. The global step does not change.
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

// TrainAndEvaluate trains stepsPerEval steps and then evaluates, and repeats that evals times or
// until a hook returns Stop. If evals is 0 or less, the error is an EvaluationFailed.
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

// Predict returns one prediction for each of several examples without features. examples is their
// number.
func (est *Estimator) Predict(examples int) ([][]float32, error) {
	return est.PredictWithInputs(make([][]float32, examples))
}

// PredictWithInputs returns a prediction for each list of features (row D5).
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
