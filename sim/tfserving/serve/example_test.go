package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/serve"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// The example serves one model from a directory on free ports and queries it over REST. In Go tests
// tfservingtest.Start is shorter.
func Example() {
	dir, err := os.MkdirTemp("", "ranker")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	model, err := savedmodel.Small{Input: "x", Output: "score", Type: framework.DataType_DT_FLOAT}.Marshal()
	if err == nil {
		err = export.Version(dir+"/ranker", 3, model)
	}
	if err != nil {
		fmt.Println(err)
		return
	}

	options := serve.Options{Machine: tfserving.DefaultOptions(tfserving.Profile24), AnyPort: true}
	options.Machine.ModelName, options.Machine.ModelBasePath = "ranker", dir+"/ranker"
	options.Machine.RESTAPIPort = 8501
	server := serve.Start(options)
	defer server.Close()
	select {
	case <-server.Serving():
	case <-server.Done():
		fmt.Println(server.Exit())
		return
	}
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/v1/models/ranker", server.Ports().REST))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	io.Copy(os.Stdout, answer.Body)

	// Output:
	// 200 OK
	// {
	//  "model_version_status": [
	//   {
	//    "version": "3",
	//    "state": "AVAILABLE",
	//    "status": {
	//     "error_code": "OK",
	//     "error_message": ""
	//    }
	//   }
	//  ]
	// }
}
