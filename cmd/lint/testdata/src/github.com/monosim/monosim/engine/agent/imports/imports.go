package imports

import (
	_ "crypto/rand"  // want `import of crypto/rand .*: draw from env.Random`
	_ "hash/maphash" // want `import of hash/maphash`
	_ "io/fs"
	_ "log"      // want `import of log .*: use env.Log`
	_ "log/slog" // want `import of log/slog`
	_ "net"      // want `import of net .*: call through env.Network`
	_ "net/http" // want `import of net/http`
	_ "net/url"
	_ "os"      // want `import of os .*: use env.Files, env.Host or env.Processes`
	_ "os/exec" // want `import of os/exec`
	_ "path"
	_ "path/filepath" // want `import of path/filepath .*: use path`
	_ "runtime"       // want `import of runtime `
	_ "runtime/debug" // want `import of runtime/debug`
	_ "strings"
	_ "sync"        // want `import of sync .*: use engine/pysem/threading`
	_ "sync/atomic" // want `import of sync/atomic`
	_ "syscall"     // want `import of syscall`
)
