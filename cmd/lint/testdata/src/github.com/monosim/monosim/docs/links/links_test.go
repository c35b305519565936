package links_test

import "github.com/monosim/monosim/docs/links"

// something is of [Thing], which is [links.Thing] and has [Thing.Do].
var something links.Thing
