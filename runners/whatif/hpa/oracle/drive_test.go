package oracle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	v2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/scale"
	"k8s.io/klog/v2"
	defaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"

	"github.com/monosim/monosim/runners/whatif/hpa"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	utilruntime.ErrorHandlers = nil // error handlers are removed, because they wait by the real clock
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// cluster is the part of Kubernetes that the controller reads and changes: a deployment, its
// pods and their metrics.
type cluster struct {
	ctx    context.Context
	client *fake.Clientset
	pods   cache
	begin  time.Time
	config *hpa.Config
	next   shown
	look   *hpa.Look
	looks  int
	read   int // number of metrics that this look has read
	asked  int
	series []int // number of replicas that each look decided on
	told   int
}

// shown returns what the autoscaler sees at a look. Its arguments are the look's number and
// the number of replicas asked for last. It returns nil after the last look.
type shown func(look, asked int) *hpa.Look

// cache is the store of pods that the controller reads, which normally its informer fills.
type cache interface {
	Add(any) error
	Delete(any) error
}

const podOf = "p%04d"

// show puts the pods of the current look into the controller's cache.
func (c *cluster) show() {
	for i := range max(c.told, len(c.look.Pods)) {
		name := fmt.Sprintf(podOf, i)
		if i >= len(c.look.Pods) {
			c.pods.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d"}})
			continue
		}
		p := &c.look.Pods[i]
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", Labels: map[string]string{"app": "x"}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": *resource.NewMilliQuantity(c.config.Request, resource.DecimalSI)}}}}}}
		pod.Status.Phase = corev1.PodPending
		if !p.Pending {
			started := metav1.NewTime(c.begin.Add(time.Duration(p.Started)))
			ready := corev1.ConditionFalse
			if p.Ready {
				ready = corev1.ConditionTrue
			}
			pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &started,
				Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, LastTransitionTime: metav1.NewTime(c.begin.Add(time.Duration(p.Since)))}}}
		}
		c.pods.Add(pod)
	}
	c.told = len(c.look.Pods)
}

func (c *cluster) Scales(string) scale.ScaleInterface { return scaler{c} }

type scaler struct{ c *cluster }

// Get begins a look.
func (s scaler) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	c := s.c
	if c.looks > 0 && c.look == nil {
		return nil, errors.New("no more looks")
	}
	if c.looks > 0 {
		c.series = append(c.series, c.asked)
	}
	c.look = c.next(c.looks, c.asked)
	if c.looks++; c.look == nil {
		return nil, errors.New("no more looks")
	}
	if c.looks == 1 {
		c.begin = time.Now().Add(-time.Duration(c.look.At))
	}
	if at := c.begin.Add(time.Duration(c.look.At)); !time.Now().Equal(at) {
		panic(fmt.Sprintf("the controller looks at %v, want %v", time.Since(c.begin), time.Duration(c.look.At)))
	}
	c.asked, c.read = c.look.Replicas, 0
	c.show()
	return &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "d"}, Spec: autoscalingv1.ScaleSpec{Replicas: int32(c.asked)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(len(c.look.Pods)), Selector: "app=x"}}, nil
}

func (s scaler) Update(_ context.Context, _ schema.GroupResource, x *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	s.c.asked = int(x.Spec.Replicas)
	return x, nil
}

func (s scaler) Patch(context.Context, schema.GroupVersionResource, string, types.PatchType, []byte, metav1.PatchOptions) (*autoscalingv1.Scale, error) {
	return nil, errors.New("no patch")
}

// metric returns the values of the next metric. The controller reads the metrics of a look
// in order.
func (c *cluster) metric() (metrics.PodMetricsInfo, time.Time, error) {
	k := c.read
	c.read++
	if c.look.Failed != nil && c.look.Failed[k] {
		return nil, time.Time{}, errors.New("the metric cannot be read")
	}
	stamp := c.begin.Add(time.Duration(c.look.Stamp))
	m := metrics.PodMetricsInfo{}
	for i := range c.look.Pods {
		if p := &c.look.Pods[i]; !p.Pending && p.Values[k] >= 0 {
			m[fmt.Sprintf(podOf, i)] = metrics.PodMetric{Timestamp: stamp, Window: time.Duration(p.Window), Value: p.Values[k]}
		}
	}
	if len(m) == 0 {
		return nil, time.Time{}, errors.New("no metrics")
	}
	return m, stamp, nil
}

func (c *cluster) GetResourceMetric(context.Context, corev1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return c.metric()
}

func (c *cluster) GetRawMetric(string, string, labels.Selector, labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	return c.metric()
}

func (c *cluster) GetObjectMetric(string, string, *v2.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	return 0, time.Time{}, errors.New("no metric of an object")
}

func (c *cluster) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	return nil, time.Time{}, errors.New("no external metric")
}

// object returns the Kubernetes object for an autoscaler configuration.
func object(c *hpa.Config) *v2.HorizontalPodAutoscaler {
	least := int32(c.Min)
	h := &v2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "d", Generation: 1},
		Spec: v2.HorizontalPodAutoscalerSpec{ScaleTargetRef: v2.CrossVersionObjectReference{Kind: "Deployment", Name: "x", APIVersion: "apps/v1"}, MinReplicas: &least, MaxReplicas: int32(c.Max)}}
	for k, m := range c.Metrics {
		one := v2.MetricSpec{Type: v2.PodsMetricSourceType, Pods: &v2.PodsMetricSource{Metric: v2.MetricIdentifier{Name: fmt.Sprintf("m%d", k)},
			Target: v2.MetricTarget{Type: v2.AverageValueMetricType, AverageValue: resource.NewMilliQuantity(m.Target, resource.DecimalSI)}}}
		if m.CPU {
			target := int32(m.Target)
			one = v2.MetricSpec{Type: v2.ResourceMetricSourceType, Resource: &v2.ResourceMetricSource{Name: "cpu", Target: v2.MetricTarget{Type: v2.UtilizationMetricType, AverageUtilization: &target}}}
		}
		h.Spec.Metrics = append(h.Spec.Metrics, one)
	}
	rules := func(r *hpa.Rules) *v2.HPAScalingRules {
		window, choice := int32(r.Window/time.Second), v2.ScalingPolicySelect(r.Select)
		out := &v2.HPAScalingRules{StabilizationWindowSeconds: &window, SelectPolicy: &choice}
		if r.Tolerance != nil {
			q := resource.MustParse(fmt.Sprint(*r.Tolerance))
			out.Tolerance = &q
		}
		for _, p := range r.Policies {
			kind := v2.PodsScalingPolicy
			if p.Percent {
				kind = v2.PercentScalingPolicy
			}
			out.Policies = append(out.Policies, v2.HPAScalingPolicy{Type: kind, Value: int32(p.Value), PeriodSeconds: int32(p.Period / time.Second)})
		}
		return out
	}
	if b := c.Behavior; b != nil {
		h.Spec.Behavior = &v2.HorizontalPodAutoscalerBehavior{ScaleUp: rules(&b.Up), ScaleDown: rules(&b.Down)}
	}
	defaults.SetDefaults_HorizontalPodAutoscaler(h)
	return h
}

// real runs the Kubernetes controller over the given number of looks, one each interval, and
// returns its decision at each.
func real(t *testing.T, c *hpa.Config, interval time.Duration, looks int, next shown) []int {
	var series []int
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		w := &cluster{ctx: ctx, client: fake.NewClientset(), config: c, next: next}
		if _, err := w.client.AutoscalingV2().HorizontalPodAutoscalers("d").Create(ctx, object(c), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Group: "apps", Version: "v1"}})
		mapper.Add(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, meta.RESTScopeNamespace)
		f := informers.NewSharedInformerFactory(w.client, 0)
		pods := f.Core().V1().Pods()
		w.pods = pods.Informer().GetStore()
		controller := podautoscaler.NewHorizontalController(ctx, w.client.CoreV1(), w, w.client.AutoscalingV2(), mapper, w,
			f.Autoscaling().V2().HorizontalPodAutoscalers(), pods, interval, c.DownWindow, c.Tolerance, c.Starting, c.ReadyDelay)
		f.Start(ctx.Done())
		f.WaitForCacheSync(ctx.Done())
		go controller.Run(ctx, 1)
		time.Sleep(time.Duration(looks+3) * interval)
		synctest.Wait()
		series = w.series
		cancel()
		f.Shutdown()
		time.Sleep(2 * time.Second)
		synctest.Wait()
	})
	return series
}
