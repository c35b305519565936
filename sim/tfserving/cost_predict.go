package tfserving

import (
	"fmt"
	"math"
	"time"
)

// PredictLaw is the probability distribution of the time of a Predict, and of the other
// requests of PredictionService. Each time is drawn with one choice of the host, except
// by PredictConstant, which draws nothing.
type PredictLaw uint8

// The distributions.
const (
	// PredictConstant: always PredictTime.
	PredictConstant PredictLaw = iota
	// PredictUniform: from PredictTime to PredictTimeHigh.
	PredictUniform
	// PredictLogNormal: PredictTime is the median, PredictTimeHigh the 99th
	// percentile; a thousandth of all take longer than about
	// PredictTime * (PredictTimeHigh/PredictTime)^1.33.
	PredictLogNormal
)

var predictLawNames = [...]string{"constant", "uniform", "lognormal"}

func (l PredictLaw) String() string {
	if int(l) < len(predictLawNames) {
		return predictLawNames[l]
	}
	return fmt.Sprintf("PredictLaw(%d)", uint8(l))
}

// ParsePredictLaw returns the distribution of that name: constant, uniform or lognormal.
func ParsePredictLaw(name string) (PredictLaw, error) {
	for i, n := range predictLawNames {
		if n == name {
			return PredictLaw(i), nil
		}
	}
	return 0, fmt.Errorf("law of predict times: got %q, want one of %q", name, predictLawNames)
}

// PredictTime is how long a Predict that begins now takes (TFS-18.1).
func (s *Server) PredictTime() time.Duration {
	_, slow := s.reader.condition()
	return s.reader.latency(slow)
}

// predictGrains is how many times are drawn from.
const predictGrains = 1 << 12

// drawPredict is a multiple of a microsecond, so that floating point of whatever
// machine gives the same.
func (c CostModel) drawPredict(host Host) time.Duration {
	if c.PredictLaw == PredictConstant {
		return c.PredictTime
	}
	return c.predictQuantile(host.Choose("tfserving.predict", predictGrains)).Round(time.Microsecond)
}

// predictQuantile is the time for a choice; 0, which a host chooses by default, is
// the median.
func (c CostModel) predictQuantile(choice int) time.Duration {
	u := (float64((choice+predictGrains/2)%predictGrains) + 0.5) / predictGrains
	low, high := float64(c.PredictTime), float64(c.PredictTimeHigh)
	if c.PredictLaw == PredictUniform {
		return time.Duration(low + u*(high-low))
	}
	const z99 = 2.3263478740408408 // standard deviations to the 99th percentile
	sigma := math.Log(high/low) / z99
	return time.Duration(low * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*u-1)))
}
