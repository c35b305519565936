package estimator

import "github.com/monosim/monosim/engine/pysem"

// Mode is the purpose for which a model is called.
type Mode int

// These are the modes of a model.
const (
	Train Mode = iota
	Eval
	Predict
)

// String returns the mode's name as errors print it.
func (m Mode) String() string { return [...]string{"Train", "Eval", "Predict"}[m] }

// Spec is the result of a model's function (row D14).
type Spec struct {
	Mode           Mode
	Label          pysem.OptString
	Pred           []float32
	HeadName       pysem.OptString
	Loss           pysem.OptFloat
	Optimizer      pysem.OptString
	Classification bool
}

// NewSpec returns a spec without head, loss and optimizer, for a classification.
func NewSpec(mode Mode, label pysem.OptString, pred []float32) Spec {
	return Spec{Mode: mode, Label: label, Pred: pred, Classification: true}
}

// Update holds new values for fields of a spec; fields that are not set keep their values.
type Update struct {
	Mode           pysem.Opt[Mode]
	Label          pysem.Opt[pysem.OptString]
	Pred           pysem.Opt[[]float32]
	HeadName       pysem.Opt[pysem.OptString]
	Loss           pysem.Opt[pysem.OptFloat]
	Optimizer      pysem.Opt[pysem.OptString]
	Classification pysem.OptBool
}

// Replace returns a spec with new values. A change of the mode is a SpecModeChange. Python's spec
// has no mode, so setting one there is always an AttributeError (TRN-5.13).
func (s Spec) Replace(u Update) (Spec, error) {
	if u.Mode.Set && u.Mode.V != s.Mode {
		return Spec{}, &Error{Kind: SpecModeChange, Text: s.Mode.String() + " to " + u.Mode.V.String()}
	}
	s.Label, s.Pred, s.HeadName = u.Label.Or(s.Label), u.Pred.Or(s.Pred), u.HeadName.Or(s.HeadName)
	s.Loss, s.Optimizer, s.Classification = u.Loss.Or(s.Loss), u.Optimizer.Or(s.Optimizer), u.Classification.Or(s.Classification)
	return s, nil
}
