// Command show prints what the sample answers.
package main

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent/sample"
)

func main() { fmt.Printf("%q\n", strings.Join(sample.Words(), " | ")) }
