package server

import (
	"net/http"

	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
)

// addProbes of kubelets beside the metrics, because kubelets cannot use gRPC's health service over TLS with client certificates:
// https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-a-grpc-liveness-probe
// /livez succeeds as long as the process answers, and /readyz until the server is stopped. Calls that are running then are still answered.
func addProbes(mux *http.ServeMux, probe *health.Server) {
	mux.HandleFunc("/livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		rsp, err := probe.Check(r.Context(), &healthv1.HealthCheckRequest{})
		if err != nil || rsp.GetStatus() != healthv1.HealthCheckResponse_SERVING {
			http.Error(w, "the function is being stopped", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
}
