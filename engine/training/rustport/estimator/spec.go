package estimator

import "github.com/monosim/monosim/engine/pysem"

// Mode is what a model is called for.
type Mode int

// The modes.
const (
	Train Mode = iota
	Eval
	Predict
)

// String returns the mode's name in errors.
func (m Mode) String() string { return [...]string{"Train", "Eval", "Predict"}[m] }

// Spec is what a model's function answers (row D14).
type Spec struct {
	Mode           Mode
	Label          pysem.OptString
	Pred           []float32
	HeadName       pysem.OptString
	Loss           pysem.OptFloat
	Optimizer      pysem.OptString
	Classification bool
}

// NewSpec has no head, loss and optimizer, and is of a classification.
func NewSpec(mode Mode, label pysem.OptString, pred []float32) Spec {
	return Spec{Mode: mode, Label: label, Pred: pred, Classification: true}
}

// Update says which fields of a spec get which values; a field that is not set stays.
type Update struct {
	Mode           pysem.Opt[Mode]
	Label          pysem.Opt[pysem.OptString]
	Pred           pysem.Opt[[]float32]
	HeadName       pysem.Opt[pysem.OptString]
	Loss           pysem.Opt[pysem.OptFloat]
	Optimizer      pysem.Opt[pysem.OptString]
	Classification pysem.OptBool
}

// Replace returns a spec with other values. Another mode is a SpecModeChange; Python has no mode to
// change, and raises an AttributeError for each (TRN-5.13).
func (s Spec) Replace(u Update) (Spec, error) {
	if u.Mode.Set && u.Mode.V != s.Mode {
		return Spec{}, &Error{Kind: SpecModeChange, Text: s.Mode.String() + " to " + u.Mode.V.String()}
	}
	s.Label, s.Pred, s.HeadName = u.Label.Or(s.Label), u.Pred.Or(s.Pred), u.HeadName.Or(s.HeadName)
	s.Loss, s.Optimizer, s.Classification = u.Loss.Or(s.Loss), u.Optimizer.Or(s.Optimizer), u.Classification.Or(s.Classification)
	return s, nil
}
