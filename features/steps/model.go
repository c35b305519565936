package steps

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners"
)

// modelRoot is the folder of all exported models. A version is
// /models/<model>/<sub-graph>/<version>.
const modelRoot = "/models/"

// exportedModel adds a model that is exported before the cluster starts.
func (w *World) exportedModel(model, subGraphs, size string, version int64) error {
	bytes, err := sizeBytes(size)
	if err != nil {
		return err
	}
	m := runners.Model{Name: model, BasePath: modelRoot + model}
	for _, g := range list(subGraphs) {
		m.SubGraphs = append(m.SubGraphs, runners.SubGraph{Name: g, SizeBytes: bytes, Versions: []int64{version}})
	}
	w.models = append(w.models, m)
	return nil
}

// sizeBytes parses a size such as "30 MB" (decimal units) or "30 MiB" (binary units), in bytes.
func sizeBytes(text string) (int64, error) {
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("size: found %s, want a smaller one", text)
	}
	of := map[string]int64{"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]
	if n > math.MaxInt64/of {
		return 0, fmt.Errorf("size: found %s, want a smaller one", text)
	}
	return n * of, nil
}

// basePath returns the folder that contains the versions of "<model>:<sub-graph>".
func (w *World) basePath(servable string) string {
	model, subGraph := modelAndSubGraph(servable)
	for _, m := range w.models {
		if m.Name == model {
			return m.BasePath + "/" + subGraph
		}
	}
	return modelRoot + model + "/" + subGraph
}

func modelAndSubGraph(servable string) (model, subGraph string) {
	model, subGraph, _ = strings.Cut(servable, ":")
	return model, subGraph
}

// export adds a version of the same size as those exported before the start.
func (w *World) export(version int64, servable string) error {
	return w.exportTo(w.basePath(servable), version, servable)
}

// exportTo does what export does, but adds the version below the base path base.
func (w *World) exportTo(base string, version int64, servable string) error {
	model, subGraph := modelAndSubGraph(servable)
	for _, m := range w.models {
		for _, g := range m.SubGraphs {
			if m.Name == model && g.Name == subGraph {
				return w.cluster.ExportVersion(base, version, g.SizeBytes)
			}
		}
	}
	return fmt.Errorf("export of %s: found no model of that name in the shape of the cluster, want one, or a size", servable)
}

// receivedIn is the setting that names the folder of a transfer service.
const receivedIn = "rough_sort_model_p2p_path"

// receiveInPart puts a version where a transfer service does, without the mark that it is complete.
func (w *World) receiveInPart(version int64, servable string) error {
	model, subGraph := modelAndSubGraph(servable)
	return w.exportTo(w.received(version, servable)+"/"+model+"/"+subGraph, version, servable)
}

// receive puts a version into the folder of a transfer service, and marks the version as complete.
func (w *World) receive(version int64, servable string) error {
	s, ok := w.cluster.(runners.Storage)
	if !ok {
		return runners.ErrUnsupported
	}
	if err := w.receiveInPart(version, servable); err != nil {
		return err
	}
	return s.StoreFile(w.received(version, servable)+".write.done", nil)
}

// received returns the folder into which a transfer service puts a version of a servable.
func (w *World) received(version int64, servable string) string {
	model, _ := modelAndSubGraph(servable)
	return fmt.Sprintf("%s/%s@%d", w.conf.get(receivedIn), model, version)
}

func (w *World) exportSized(version int64, servable, size string) error {
	bytes, err := sizeBytes(size)
	if err != nil {
		return err
	}
	return w.cluster.ExportVersion(w.basePath(servable), version, bytes)
}

func (w *World) deleteVersion(version int64, servable string) error {
	return w.cluster.DeleteVersion(w.basePath(servable), version)
}

func (w *World) deleteBasePath(servable string) error {
	return w.cluster.DeleteVersion(w.basePath(servable), 0)
}
