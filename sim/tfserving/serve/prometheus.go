package serve

import (
	"fmt"
	"strconv"
	"strings"
)

// page returns the Prometheus page, as upstream's PrometheusExporter::GeneratePage does. It lists
// every metric by name, even one without a value. Only metrics marked late are left out until they
// have a value.
func (m *meter) page() string {
	var lines []string
	for _, metric := range m.metrics {
		name, cells := prometheusName(metric.name), metric.sorted()
		if metric.late && len(cells) == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("# TYPE %s %s", name, metric.kind))
		for _, cell := range cells {
			labels := prometheusLabels(metric, cell)
			if metric.kind == histogram {
				lines = append(lines, histogramLines(name, labels, metric.limits, cell)...)
			} else {
				lines = append(lines, fmt.Sprintf("%s{%s} %d", name, labels, cell.count.Load()))
			}
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// histogramLines returns the lines of a histogram: the cumulative counts up to "+Inf", the sum and
// the count.
func histogramLines(name, labels string, limits []float64, c *cell) (lines []string) {
	prefix := name + "_bucket{" + labels
	if labels != "" {
		prefix += ","
	}
	buckets, sum := c.read()
	total := int64(0)
	for i, n := range buckets {
		total += n
		limit := "+Inf"
		if i < len(limits) {
			limit = sixDigits(limits[i])
		}
		lines = append(lines, fmt.Sprintf("%sle=\"%s\"} %d", prefix, limit, total))
	}
	return append(lines,
		fmt.Sprintf("%s_sum{%s} %s", name, labels, sixDigits(sum)),
		fmt.Sprintf("%s_count{%s} %d", name, labels, total))
}

// prometheusName replaces characters other than [a-zA-Z0-9_] by ":".
func prometheusName(name string) string {
	return notFirstDigit(replaceOthers(name, "_", ':'))
}

func prometheusLabels(m *metric, c *cell) string {
	var parts []string
	for i, name := range m.labelNames {
		value := strings.ReplaceAll(strings.ReplaceAll(c.at[i], `\`, `\\`), `"`, `\"`)
		parts = append(parts, fmt.Sprintf("%s=\"%s\"", notFirstDigit(replaceOthers(name, "", '_')), value))
	}
	return strings.Join(parts, ",")
}

// replaceOthers replaces each byte of text, except letters, digits and the bytes in more. The
// argument by is the byte to put in its place.
func replaceOthers(text, more string, by byte) string {
	b := []byte(text)
	for i, c := range b {
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alphanumeric && strings.IndexByte(more, c) < 0 {
			b[i] = by
		}
	}
	return string(b)
}

func notFirstDigit(name string) string {
	if name != "" && '0' <= name[0] && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// sixDigits formats a number with six significant digits, as absl::StrCat does.
func sixDigits(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
