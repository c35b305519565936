package gflagsutils_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/training/gflagsutils"
)

type config struct {
	NumPS int    `py:"num_ps"`
	Mode  string `py:"mode" default:"'train'"`

	odd *dataclass.OddValues
}

func Example() {
	class := dataclass.Of(func(c *config) **dataclass.OddValues { return &c.odd })
	flags := absl.New(absl.Module{Name: "main", Flags: []absl.Flag{
		{Name: "num_ps", Kind: absl.Integer, Default: 0}, {Name: "mode", Default: "train"},
	}})
	if _, err := flags.Parse(envtest.New(nil, nil).Files, []string{"--num_ps=7", "--mode=eval"}); err != nil {
		fmt.Println(err)
	}
	c := class.New()
	c.NumPS = 3 // a value set in code wins over the command line
	err := gflagsutils.Update(gflagsutils.Object[config]{Class: class, To: &c}, gflagsutils.FieldsOf(class), flags)
	fmt.Println(c.NumPS, c.Mode, err)
	// Output: 3 eval <nil>
}
