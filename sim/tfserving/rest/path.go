package rest

import (
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// paths holds the path patterns of one release (TFS-13.1,
// model_servers/http_rest_api_util.cc:31-34).
type paths struct {
	predict, status *regexp.Regexp
	decode          bool // decode resolves %-escapes in names and labels
}

func pathsOf(old bool) *paths {
	if old {
		return &oldPaths
	}
	return &newPaths
}

var (
	oldPaths = pathsWithLabels(`\w+`)
	newPaths = pathsWithLabels(`[^/:]+`)
)

func pathsWithLabels(label string) paths {
	version := `(?:(?:/versions/(\d+))|(?:/labels/(` + label + `)))?`
	return paths{
		predict: regexp.MustCompile(`^(?i:/v1/models/([^/:]+)` + version + `:(classify|regress|predict))$`),
		status:  regexp.MustCompile(`^(?i:/v1/models(?:/([^/:]+))?` + version + `(?:/(metadata))?)$`),
		decode:  label != `\w+`,
	}
}

type route struct {
	matched     bool
	model       string
	version     *int64
	label       *string
	method      string // method is classify, regress or predict, in the path's letter case
	subResource string // subResource is metadata, in the path's letter case
}

// parse matches a method and path against the patterns, as upstream's ParseModelInfo does. If it
// returns an error, the response must have no body.
func (p *paths) parse(method, path string) (r route, err error) {
	var groups []string
	switch method {
	case "POST":
		if groups = p.predict.FindStringSubmatch(path); groups != nil {
			r.method = groups[4]
		}
	case "GET":
		if groups = p.status.FindStringSubmatch(path); groups != nil {
			r.subResource = groups[4]
		}
	}
	if groups == nil {
		return r, nil
	}
	r.matched, r.model = true, p.unescape(groups[1])
	if groups[2] != "" {
		version, err := strconv.ParseInt(groups[2], 10, 64)
		if err != nil {
			return r, invalid("Failed to convert version: %s to numeric.", groups[2])
		}
		r.version = &version
	}
	if label := p.unescape(groups[3]); groups[3] != "" {
		r.label = &label
	}
	return r, nil
}

// unescape resolves %-escapes as curl_easy_unescape does. It keeps a % without two hexadecimal
// digits.
func (p *paths) unescape(text string) string {
	if !p.decode || !strings.Contains(text, "%") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if isEscape(text[i:]) {
			out.WriteByte(byte(hexDigit(text[i+1])<<4 | hexDigit(text[i+2])))
			i += 2
		} else {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// spec returns the route's model_spec, as upstream's FillModelSpecWithNameVersionAndLabel does. A
// path never has both a version and a label.
func (r *route) spec() *apis.ModelSpec {
	spec := &apis.ModelSpec{Name: r.model}
	if r.version != nil {
		spec.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(*r.version)}
	}
	if r.label != nil {
		spec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: *r.label}
	}
	return spec
}
