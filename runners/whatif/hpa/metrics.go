package hpa

import "math"

// group divides the pods of a look into three lists for one metric. The lists hold indices into
// Look.Pods.
type group struct {
	counted  []int // indexes of the pods whose values count
	starting []int // indexes of the pods that are pending, or too new for their CPU use to mean anything
	missing  []int // indexes of the pods that report no value
}

func (c *Config) group(l *Look, metric int) (g group) {
	for i := range l.Pods {
		p := &l.Pods[i]
		switch {
		case p.Pending:
			g.starting = append(g.starting, i)
		case p.Values[metric] < 0:
			g.missing = append(g.missing, i)
		case c.Metrics[metric].CPU && c.unready(l, p):
			g.starting = append(g.starting, i)
		default:
			g.counted = append(g.counted, i)
		}
	}
	return g
}

// unready reports whether a pod's CPU does not count. Shortly after the pod's start, the CPU counts
// once the pod has been ready for the whole window of its values. Later it counts unless the pod
// was never ready.
func (c *Config) unready(l *Look, p *Pod) bool {
	if p.Started+int64(c.Starting) > l.At {
		return !p.Ready || l.Stamp < p.Since+p.Window
	}
	return !p.Ready && p.Started+int64(c.ReadyDelay) > p.Since
}

// within reports whether the ratio of usage to target is so close to 1 that no scaling is
// needed.
func (c *Config) within(ratio float64) bool {
	up, down := c.Tolerance, c.Tolerance
	if b := c.Behavior; b != nil {
		if b.Up.Tolerance != nil {
			up = *b.Up.Tolerance
		}
		if b.Down.Tolerance != nil {
			down = *b.Down.Tolerance
		}
	}
	return 1-down <= ratio && ratio <= 1+up
}

// ratio returns the ratio of usage to target for the given number of pods, and the usage. The usage
// of CPU is a percentage, and that of other metrics is the mean of the pods in thousandths. The
// usage is rounded down in both cases.
func (c *Config) ratio(m Metric, total int64, pods int) (ratio float64, usage int64) {
	if m.CPU {
		usage = total * 100 / (c.Request * int64(pods))
	} else {
		usage = total / int64(pods)
	}
	return float64(usage) / float64(m.Target), usage
}

// instead returns the value that is assumed for a pod without a reported value when scaling down.
// For CPU it is the pod's request, or more if the target is above 100 %. For other metrics it is
// the target.
func (c *Config) instead(m Metric) int64 {
	if m.CPU {
		return c.Request * max(100, m.Target) / 100
	}
	return m.Target
}

// byMetric returns the number of replicas that one metric asks for. ok is false if the
// metric cannot be read.
func (c *Config) byMetric(l *Look, metric int) (d Decision, ok bool) {
	d = Decision{Replicas: l.Replicas, Why: Tolerated, Percent: -1}
	if l.Failed != nil && l.Failed[metric] || len(l.Pods) == 0 {
		return d, false
	}
	m := c.Metrics[metric]
	g := c.group(l, metric)
	if len(g.counted) == 0 {
		return d, false
	}
	total := int64(0)
	for _, i := range g.counted {
		total += l.Pods[i].Values[metric]
	}
	ratio, usage := c.ratio(m, total, len(g.counted))
	if m.CPU {
		d.Percent = int(usage)
	}
	d.Full = ratio > 1 && !c.within(ratio)
	waits := len(g.starting) > 0 && ratio > 1
	if !waits && len(g.missing) == 0 {
		if !c.within(ratio) {
			d.Replicas, d.Why = ceil(ratio*float64(len(g.counted))), ByMetrics
		}
		return d, true
	}
	pods := len(g.counted) + len(g.missing)
	if ratio < 1 {
		total += int64(len(g.missing)) * c.instead(m)
	} else if ratio == 1 {
		pods = len(g.counted) // at the target, pods with missing values are left out of the mean
	}
	if waits {
		pods += len(g.starting)
	}
	d.Why = Missing
	if len(g.missing) == 0 {
		d.Why = Starting
	}
	again, _ := c.ratio(m, total, pods)
	if c.within(again) || ratio < 1 && again > 1 || ratio > 1 && again < 1 {
		return d, true
	}
	n := ceil(again * float64(pods))
	if again < 1 && n > l.Replicas || again > 1 && n < l.Replicas {
		return d, true
	}
	d.Replicas, d.Why = n, ByMetrics
	return d, true
}

// ceil rounds a floating-point number up, as Kubernetes does. In about one of five hundred
// cases that gives one more than exact arithmetic.
func ceil(x float64) int { return int(int32(math.Ceil(x))) }
