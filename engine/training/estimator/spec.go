package estimator

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// EstimatorSpec is the result of a model's function (estimator.py:56). Its fields are Python values
// or handles of tensors.
type EstimatorSpec struct {
	Label, Pred, HeadName, Loss, Optimizer, Classification any
}

// NewEstimatorSpec returns a spec without head, loss and optimizer, for a classification.
func NewEstimatorSpec(label, pred any) EstimatorSpec {
	return EstimatorSpec{Label: label, Pred: pred, Classification: true}
}

// Field returns a pointer to a field by the reference's name; nil for an unknown name.
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

// Replace returns a spec with other values. Unknown names are ignored. The name mode is an
// AttributeError, because the reference reads a field that does not exist; with Q259 repaired it is
// the ValueError that the reference means to raise (estimator.py:88).
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
