package saveutils

import "github.com/monosim/monosim/engine/pysem"

// neverSteps is the interval, in steps, of a training for which nothing sets an interval. It is too
// large to be reached (cpu_training.py:1172).
const neverSteps = 100000000

// ChooseInterval returns how often a training saves. Seconds and steps each come from the
// configuration, or from the model if the configuration has None or 0 (cpu_training.py:1169-1177).
// If neither seconds nor steps are set, the training saves every 100000000 steps. If both are set,
// the error is a ValueError.
func ChooseInterval(configSecs, configSteps, modelSecs, modelSteps pysem.OptInt) (Interval, error) {
	secs, steps := orOf(configSecs, modelSecs), orOf(configSteps, modelSteps)
	switch {
	case secs.Set && steps.Set:
		return Interval{}, pysem.Raise("ValueError", "Can not provide both save_checkpoints_secs and save_checkpoints_steps.")
	case secs.Set:
		return Interval{Seconds: secs.V}, nil
	case !steps.Set:
		steps = pysem.Some(neverSteps)
	}
	return Interval{Steps: steps.V}, nil
}

// orOf returns Python's "a or b".
func orOf(a, b pysem.OptInt) pysem.OptInt {
	if a.Or(0) != 0 {
		return a
	}
	return b
}
