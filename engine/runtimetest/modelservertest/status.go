package modelservertest

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// These are the cases of GetModelStatus (TFS-7).
var statusCases = []testCase{
	{"models and versions that nobody knows", func(r *trial) {
		r.served(func(c *client) {
			c.status(env.ModelSpec{Name: "nobody"})
			c.status(env.ModelSpec{})
			c.status(env.ModelSpec{Name: "nobody", HasVersion: true, Version: 7})
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m"}))
			c.status(env.ModelSpec{Name: "m", HasVersion: true, Version: -7})
			c.status(env.ModelSpec{Name: "M"})
		})
		r.want(
			"NOT_FOUND: Could not find any versions of model nobody",
			"NOT_FOUND: Could not find any versions of model ",
			"NOT_FOUND: Could not find version 7 of model nobody",
			"OK",
			"NOT_FOUND: Could not find version -7 of model m",
			"NOT_FOUND: Could not find any versions of model M",
		)
	}},

	{"versions come in descending order", func(r *trial) {
		r.served(func(c *client) {
			for _, version := range []int64{2, 10, 1} {
				r.AddVersion("m", version)
			}
			c.reload(list(model{name: "m", versions: all}))
			c.awaitStates("m", "10 AVAILABLE, 2 AVAILABLE, 1 AVAILABLE")
			c.status(env.ModelSpec{Name: "m", HasVersion: true, Version: 2})
		})
		r.want("OK", "2 AVAILABLE")
	}},

	{"a label is ignored", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m"}))
			c.status(env.ModelSpec{Name: "m", Label: "nobody"})
			c.status(env.ModelSpec{Name: "m", Signature: "nobody"})
		})
		r.want("OK", "1 AVAILABLE", "1 AVAILABLE")
	}},

	{"names are what they are", func(r *trial) {
		r.served(func(c *client) {
			for _, name := range []string{"model:ps_0", "模型 1%"} {
				r.AddVersion("m", 3)
				c.reload(list(model{name: name, base: r.BasePath("m")}))
				c.status(env.ModelSpec{Name: name})
			}
		})
		r.want("OK", "3 AVAILABLE", "OK", "3 AVAILABLE")
	}},

	{"a newer version takes the place of the older one", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m"}))
			r.AddVersion("m", 2)
			c.awaitStates("m", "2 AVAILABLE, 1 END")
		})
		r.want("OK")
	}},

	{"a version without a model ends in its error", func(r *trial) {
		r.served(func(c *client) {
			r.AddVersion("m", 1)
			c.reload(list(model{name: "m"}))
			r.AddEmpty("m", 2)
			c.await(func() bool { return strings.HasPrefix(c.states("m"), "2 END") })
			c.status(env.ModelSpec{Name: "m"})
		})
		r.want("OK", "2 END (NOT_FOUND: "+noModel+"/MODELS/m/2), 1 AVAILABLE")
	}},
}

// noModel is the text before the path in the error for a version without a model (TFS-5.7). The
// text that newer versions of TensorFlow append to the path is removed (TFS-21.4).
const noModel = "Could not find SavedModel .pb or .pbtxt at supplied export directory path: "

// status asks for a status and adds the result to the log.
func (c *client) status(spec env.ModelSpec) {
	versions, err := c.Status(spec, patience)
	if err != nil {
		c.r.note("%v", err)
		return
	}
	c.r.note("%s", written(versions))
}

// states returns the states of a model's versions as text.
func (c *client) states(name string) string {
	versions, err := c.Status(env.ModelSpec{Name: name}, patience)
	if err != nil {
		return err.Error()
	}
	return written(versions)
}

// awaitStates waits until a model's versions have these states.
func (c *client) awaitStates(name, want string) {
	deadline, got := c.Elapsed()+patience/3, ""
	c.await(func() bool {
		got = c.states(name)
		return got == want || c.Elapsed() > deadline
	})
	if got != want {
		c.r.Errorf("states of %s after %v: got %q, want %q", name, patience/3, got, want)
	}
}

func written(versions []env.ModelVersionStatus) string {
	var list []string
	for _, v := range versions {
		text := fmt.Sprintf("%d %v", v.Version, v.State)
		if v.Status != (env.StatusProto{}) {
			text += fmt.Sprintf(" (%v: %s)", v.Status.Code, untailed(v.Status.Message))
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// untailed removes the text that newer versions of TensorFlow append to the error for a version
// without a model.
func untailed(message string) string {
	return strings.Replace(message, ". Check that the directory exists and that you have the right permissions for accessing it.", "", 1)
}

// settle waits until the server has noticed a reload, for callers that do not wait for the reload
// itself. The server looks every 100 ms (TFS-2.1).
func (c *client) settle() { c.Sleep(500 * ms) }
