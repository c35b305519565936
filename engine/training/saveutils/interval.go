package saveutils

import "github.com/monosim/monosim/engine/pysem"

// neverSteps is the interval of a training that says none (cpu_training.py:1172).
const neverSteps = 100000000

// ChooseInterval returns how often a training saves: of seconds and steps each what the configuration
// says, else what the model does, where 0 says nothing in the configuration
// (cpu_training.py:1169-1177). Without any it is every 100000000 steps; both are a ValueError.
func ChooseInterval(configSecs, configSteps, modelSecs, modelSteps pysem.OptInt) (Interval, error) {
	secs, steps := orOf(configSecs, modelSecs), orOf(configSteps, modelSteps)
	switch {
	case secs.Set && steps.Set:
		return Interval{}, pysem.Raise("ValueError", "Can not provide both save_checkpoints_secs and save_checkpoints_steps.")
	case secs.Set:
		return Interval{Seconds: pysem.Some(float64(secs.V))}, nil
	case !steps.Set:
		steps = pysem.Some(neverSteps)
	}
	return Interval{Steps: steps}, nil
}

// orOf returns a or b, as Python has it.
func orOf(a, b pysem.OptInt) pysem.OptInt {
	if a.Or(0) != 0 {
		return a
	}
	return b
}
