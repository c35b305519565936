package estimator

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// EstimatorSpec is the result of a model function (estimator.py:56). Its fields are Python values
// or tensor handles.
type EstimatorSpec struct {
	Label, Pred, HeadName, Loss, Optimizer, Classification any
}

// NewEstimatorSpec returns a classification spec without head, loss and optimizer.
func NewEstimatorSpec(label, pred any) EstimatorSpec {
	return EstimatorSpec{Label: label, Pred: pred, Classification: true}
}

// Field returns a pointer to a field by its name in the reference, or nil for an unknown name.
func (s *EstimatorSpec) Field(name string) *any {
	switch name {
	case "label":
		return &s.Label
	case "pred":
		return &s.Pred
	case "head_name":
		return &s.HeadName
	case "loss":
		return &s.Loss
	case "optimizer":
		return &s.Optimizer
	case "classification":
		return &s.Classification
	}
	return nil
}

// Replace returns a copy with some fields replaced. It ignores unknown names. The name mode raises
// an AttributeError, because the reference reads a missing field. With Q259 repaired it raises the
// ValueError that the reference intends (estimator.py:88).
func (s EstimatorSpec) Replace(kept jobquirks.Set, fields ...dataclass.Field) (EstimatorSpec, error) {
	for _, f := range fields {
		if f.Name == "mode" && !kept.Keeps(jobquirks.Q259) {
			return s, pysem.Raise("ValueError", "mode of EstimatorSpec cannot be changed.")
		}
		if f.Name == "mode" {
			return s, pysem.Raise("AttributeError", "'EstimatorSpec' object has no attribute 'mode'")
		}
	}
	for _, f := range fields {
		if to := s.Field(f.Name); to != nil {
			*to = f.Value
		}
	}
	return s, nil
}
