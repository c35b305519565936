// Package oracle holds runners/whatif/hpa to the real HorizontalPodAutoscaler: the whole controller
// of k8s.io/kubernetes v1.37.2, with clients of its own making, in the virtual time of
// testing/synctest. It is a module of its own, as nothing else here needs Kubernetes.
//
// Two things to use first:
//
//   - "go test -vet=off ." plays 200 random plans and 300 random lives of pods look by look, and a
//     crowd beside a queue of fluid.
//   - "go test -vet=off . -record" writes ../testdata/vectors.jsonl anew.
//
// To change:
//
//   - how the controller is driven: drive_test.go
//   - which plans and lives are tried: random_test.go
//   - the queue of fluid: crowd_test.go
//
// Unstable: any commit may change it.
package oracle
