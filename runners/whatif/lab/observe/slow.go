package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// slowLimit is how long a model server may take to accept its new speed.
const slowLimit = 10 * time.Second

// slow makes the model servers of pods slower, through their interface for faults. times is the
// factor.
func (f *fleet) slow(pods []string, times float64) error {
	body, err := json.Marshal(map[string]float64{"times": times})
	if err != nil {
		return err
	}
	for _, pod := range f.Endpoints().Pods {
		if !slices.Contains(pods, pod.Name) {
			continue
		}
		for _, server := range pod.ModelServers {
			if err := post(server.Admin+"/slow", body); err != nil {
				return fmt.Errorf("slow down the model server of pod %s: %w", pod.Name, err)
			}
		}
	}
	return nil
}

func post(url string, body []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), slowLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body) // the error is not looked at: the status says enough
		return fmt.Errorf("%s: found %s, want 200: %s", url, answer.Status, text)
	}
	return nil
}
