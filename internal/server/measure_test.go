package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
)

func TestMeasureLogs(t *testing.T) {
	graph := func(conditions string) *fnv1.RunFunctionRequest {
		return &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(
			`{"metadata":{"name":"llama","namespace":"inference","generation":2},"status":{"conditions":[` + conditions + `]}}`)}}}
	}
	refuses := func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		rsp := &fnv1.RunFunctionResponse{}
		condition.False(rsp, "Accepted", "Invalid", "wrong")
		return rsp, nil
	}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		run    runnerFunc
		want   []string
	}{
		"New": {
			reason: "A verdict is one line that names the graph.",
			req:    graph(""), run: refuses,
			want: []string{`"level"=0 "msg"="Verdict" "graph"="llama" "namespace"="inference" "generation"=2 ` +
				`"condition"="Accepted" "status"="False" "reason"="Invalid"`},
		},
		"Codes": {
			reason: "A refusal has the codes of the rules that the graph breaks.",
			req:    graph(""),
			run: func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				transition.Refuse(ctx, transition.Codes{rule.Labels, rule.GuardRails})
				return refuses(ctx, req)
			},
			want: []string{`"level"=0 "msg"="Verdict" "graph"="llama" "namespace"="inference" "generation"=2 ` +
				`"condition"="Accepted" "status"="False" "reason"="Invalid" "codes"="DGD205,DGD313"`},
		},
		"Known": {
			reason: "A graph that stays as it is adds no line.",
			req:    graph(`{"type":"Accepted","status":"False","reason":"Invalid","message":"wrong","observedGeneration":2}`), run: refuses,
		},
		"Error": {
			reason: "A call without a response contains no verdict.",
			req:    graph(""),
			run: func(context.Context, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return nil, errors.New("told to")
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var lines []string
			log := logging.NewLogrLogger(funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}))
			_, _ = measure(fake(tc.run), metrics.New("fake", "test"), log).Runner.RunFunction(t.Context(), tc.req)
			if diff := cmp.Diff(tc.want, lines); diff != "" {
				t.Errorf("%s\nlog: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMeasureServed calls a served function, and reads its metrics.
func TestMeasureServed(t *testing.T) {
	address, exposed := fmt.Sprintf("127.0.0.1:%d", freePort(t)), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, fake(echo), Options{
			Network: "tcp", Address: address, Insecure: true, MaxRecvMessageSize: 1 << 20, MetricsAddress: exposed,
		}, logging.NewNopLogger())
	}()
	get(t, "http://"+exposed+"/readyz")
	client := fnv1.NewFunctionRunnerServiceClient(dial(t, address))
	for _, tag := range []string{"fine", "panic"} {
		if _, err := client.RunFunction(t.Context(), &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: tag}}); err != nil {
			t.Fatal(err)
		}
	}
	body := get(t, "http://"+exposed+"/metrics")
	for _, want := range []string{
		`configuration_dynamo_calls_total{function="fake",outcome="answered"} 1`,
		`configuration_dynamo_calls_total{function="fake",outcome="failed"} 1`,
		`configuration_dynamo_call_duration_seconds_count{function="fake"} 2`,
		`configuration_dynamo_request_bytes_count{function="fake"} 2`,
		`configuration_dynamo_response_bytes_count{function="fake"} 2`,
		`configuration_dynamo_wait_duration_seconds_count{class="small",function="fake"} 2`,
		`configuration_dynamo_calls_waiting{class="small",function="fake"} 0`,
		`configuration_dynamo_build_info{function="fake",release="development"} 1`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("metrics have no %s", want)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve(...): unexpected error: %v", err)
	}
}
