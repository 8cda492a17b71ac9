package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
)

const mebibyte = 1 << 20

// patience with a server that is about to notice that a call has ended.
const patience = 10 * time.Second

// onProcessors admits so many requests of a size at a time, of which two are large ones, above 256 KiB.
func onProcessors(processors int) *admission {
	a := newAdmission(mebibyte, 3*mebibyte*footprint, processors, metrics.New("fake", "test"))
	a.largestSmall = mebibyte / 4
	return a
}

func TestNewAdmission(t *testing.T) {
	type room struct {
		large, largestSmall int64
		calls               uint32
	}
	cases := map[string]struct {
		reason     string
		maxRequest int
		memory     int64
		want       room
	}{
		"Shipped":   {reason: "Nine tenths of a GiB have room for two large requests, and for 28 that wait.", maxRequest: 16 * mebibyte, memory: 966367642, want: room{large: 2, largestSmall: 377487, calls: 28}},
		"Unlimited": {reason: "Without a limit there is room for large requests on all processors.", maxRequest: 16 * mebibyte, want: room{large: 8, largestSmall: 16 * mebibyte, calls: 32}},
		"Off":       {reason: "Go's word for no limit is none.", maxRequest: 16 * mebibyte, memory: math.MaxInt64, want: room{large: 8, largestSmall: 16 * mebibyte, calls: 32}},
		"Half":      {reason: "With half the memory fewer calls are received, and one large request is decoded.", maxRequest: 16 * mebibyte, memory: 483183820, want: room{large: 1, largestSmall: 188743, calls: 14}},
		"Small":     {reason: "However little memory there is, some calls are received.", maxRequest: 16 * mebibyte, memory: 32 * mebibyte, want: room{large: 1, largestSmall: 13107, calls: 4}},
		"Large":     {reason: "However much memory there is, Crossplane has only so many calls under way, and there are only so many processors.", maxRequest: 16 * mebibyte, memory: 64 << 30, want: room{large: 8, largestSmall: 26843545, calls: 32}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := newAdmission(tc.maxRequest, tc.memory, 8, metrics.New("fake", "test"))
			if a.small.size != 8 {
				t.Errorf("%s\nwant as many places for small requests as processors, got %d", tc.reason, a.small.size)
			}
			if diff := cmp.Diff(tc.want, room{a.large.size, a.largestSmall, a.calls}, cmp.AllowUnexported(room{})); diff != "" {
				t.Errorf("%s\nnewAdmission(%d, %d, ...): -want, +got:\n%s", tc.reason, tc.maxRequest, tc.memory, diff)
			}
		})
	}
}

// queue of calls that ask for admission, by name.
type queue struct {
	admission *admission
	mutex     sync.Mutex
	calls     map[string]*queued
}

type queued struct {
	cancel context.CancelFunc
	leave  func()
	err    error
}

func (q *queue) arrive(ctx context.Context, name string, bytes int) {
	ctx, cancel := context.WithCancel(ctx)
	call := &queued{cancel: cancel}
	q.calls[name] = call
	go func() {
		leave, err := q.admission.admit(ctx, bytes)
		q.mutex.Lock()
		defer q.mutex.Unlock()
		call.leave, call.err = leave, err
	}()
}

func (q *queue) leave(t *testing.T, name string) {
	t.Helper()
	q.mutex.Lock()
	defer q.mutex.Unlock()
	call := q.calls[name]
	if call.leave == nil {
		t.Fatalf("call %s cannot leave: it was not admitted", name)
	}
	call.leave()
	call.leave = nil
}

// running calls, which were admitted and have not left.
func (q *queue) running() []string {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	var names []string
	for name, call := range q.calls {
		if call.leave != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestAdmit(t *testing.T) {
	// An event is that a call arrives with so many KiB, leaves or is cancelled. Then these calls run.
	type event struct {
		arrives, leaves, cancelled string
		kib                        int
		running                    []string
	}
	const mib = 1024
	cases := map[string]struct {
		reason string
		events []event
	}{
		"LargeWaitForLarge": {
			reason: "A large request waits until one of those that are decoded is answered.",
			events: []event{
				{arrives: "a", kib: mib, running: []string{"a"}},
				{arrives: "b", kib: 257, running: []string{"a", "b"}},
				{arrives: "c", kib: mib, running: []string{"a", "b"}},
				{leaves: "a", running: []string{"b", "c"}},
			},
		},
		"SmallPass": {
			reason: "Small requests pass large ones that run and that wait.",
			events: []event{
				{arrives: "a", kib: mib, running: []string{"a"}},
				{arrives: "b", kib: mib, running: []string{"a", "b"}},
				{arrives: "c", kib: mib, running: []string{"a", "b"}},
				{arrives: "s", kib: 120, running: []string{"a", "b", "s"}},
				{arrives: "t", kib: 256, running: []string{"a", "b", "s", "t"}},
				{leaves: "a", running: []string{"b", "c", "s", "t"}},
			},
		},
		"SmallWaitForSmall": {
			reason: "As many small requests are decoded at a time as there are processors, which do not keep large ones waiting.",
			events: []event{
				{arrives: "a", kib: 1, running: []string{"a"}},
				{arrives: "b", kib: 1, running: []string{"a", "b"}},
				{arrives: "c", kib: 1, running: []string{"a", "b", "c"}},
				{arrives: "d", kib: 1, running: []string{"a", "b", "c"}},
				{arrives: "l", kib: mib, running: []string{"a", "b", "c", "l"}},
				{leaves: "b", running: []string{"a", "c", "d", "l"}},
			},
		},
		"NotOvertaken": {
			reason: "Requests are admitted in the order of their arrival, or one might wait forever.",
			events: []event{
				{arrives: "a", kib: mib, running: []string{"a"}},
				{arrives: "b", kib: mib, running: []string{"a", "b"}},
				{arrives: "c", kib: mib, running: []string{"a", "b"}},
				{arrives: "d", kib: 257, running: []string{"a", "b"}},
				{leaves: "a", running: []string{"b", "c"}},
				{leaves: "c", running: []string{"b", "d"}},
			},
		},
		"CancelledWhileWaiting": {
			reason: "A caller that gives up leaves the queue to those after it.",
			events: []event{
				{arrives: "a", kib: mib, running: []string{"a"}},
				{arrives: "b", kib: mib, running: []string{"a", "b"}},
				{arrives: "c", kib: mib, running: []string{"a", "b"}},
				{arrives: "d", kib: mib, running: []string{"a", "b"}},
				{cancelled: "c", running: []string{"a", "b"}},
				{leaves: "a", running: []string{"b", "d"}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &queue{admission: onProcessors(3), calls: map[string]*queued{}}
				for i, e := range tc.events {
					switch {
					case e.arrives != "":
						q.arrive(t.Context(), e.arrives, e.kib<<10)
					case e.leaves != "":
						q.leave(t, e.leaves)
					case e.cancelled != "":
						q.calls[e.cancelled].cancel()
					}
					synctest.Wait()
					if diff := cmp.Diff(e.running, q.running()); diff != "" {
						t.Errorf("%s\nafter event %d, running: -want, +got:\n%s", tc.reason, i, diff)
					}
				}
				for name, call := range q.calls {
					call.cancel()
					synctest.Wait()
					if call.leave != nil {
						call.leave()
					} else if call.err != nil && status.Code(call.err) != codes.Canceled {
						t.Errorf("%s\ncall %s: want code Canceled, got %v", tc.reason, name, call.err)
					}
				}
				wantAllRoom(t, q.admission)
			})
		})
	}
}

// wantAllRoom fails the test where calls that ended still take room after a while.
func wantAllRoom(t *testing.T, a *admission) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for name, c := range map[string]class{"small": a.small, "large": a.large} {
		if err := c.places.Acquire(ctx, c.size); err != nil {
			t.Errorf("calls that have ended take the places of %s requests", name)
		}
	}
}

func TestAdmitDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := onProcessors(1)
		leave, err := a.admit(t.Context(), mebibyte)
		if err != nil {
			t.Fatalf("admit(...): unexpected error: %v", err)
		}
		defer leave()
		ctx, cancel := context.WithTimeout(t.Context(), 1)
		defer cancel()
		_, err = a.admit(ctx, 7*mebibyte)
		want := status.Error(codes.DeadlineExceeded, "the caller gave up while a request of 7.00 MiB was waiting for memory; "+
			"raise the memory limit of the function, or let Crossplane reconcile fewer graphs at a time (context deadline exceeded)")
		if err == nil || err.Error() != want.Error() {
			t.Errorf("admit(...) with a deadline: want error %v, got %v", want, err)
		}
	})
}

// encodedAlready sends bytes as they are.
type encodedAlready struct{}

func (encodedAlready) Marshal(message any) ([]byte, error) {
	encoded, ok := message.([]byte)
	if !ok {
		return nil, fmt.Errorf("want bytes, got %T", message)
	}
	return encoded, nil
}
func (encodedAlready) Unmarshal([]byte, any) error { return nil }
func (encodedAlready) Name() string                { return "proto" }

var _ encoding.Codec = encodedAlready{}

// TestAdmittedCallsLeave calls a function over gRPC. However a call ends, it gives its room back.
func TestAdmittedCallsLeave(t *testing.T) {
	a := onProcessors(1)
	running := make(chan struct{})
	conn, _, _ := startAdmitting(t, a, fake(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		switch {
		case strings.HasPrefix(req.GetMeta().GetTag(), "wait"):
			select {
			case running <- struct{}{}:
			case <-ctx.Done():
			}
			<-ctx.Done()
			return nil, ctx.Err()
		case req.GetMeta().GetTag() == "error":
			return nil, errors.New("told to")
		default:
			return echo(ctx, req)
		}
	}))
	client := fnv1.NewFunctionRunnerServiceClient(conn)
	tagged := func(tag string) *fnv1.RunFunctionRequest {
		return &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: tag}}
	}

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, tag := range []string{"fine", "error", "panic", strings.Repeat("x", 2*mebibyte)} {
		if _, err := client.RunFunction(ctx, tagged(tag)); (err != nil) != (tag == "error") {
			t.Errorf("RunFunction(%.10q): got error %v", tag, err)
		}
	}
	err := conn.Invoke(ctx, fnv1.FunctionRunnerService_RunFunction_FullMethodName, []byte{0xff}, new([]byte), grpc.ForceCodec(encodedAlready{}))
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "cannot decode the request") {
		t.Errorf("a request that is no message: got error %v", err)
	}

	ended := make(chan error, 2)
	for range cap(ended) {
		go func() {
			// There is a place for one of them, so the other waits.
			_, err := client.RunFunction(ctx, tagged("wait"+strings.Repeat("x", 3*mebibyte)))
			ended <- err
		}()
	}
	select {
	case <-running:
	case <-ctx.Done():
		t.Fatal("no large call was admitted")
	}
	if _, err := client.RunFunction(ctx, tagged("small")); err != nil {
		t.Errorf("a small call beside large ones: unexpected error: %v", err)
	}
	cancel()
	for range cap(ended) {
		if err := <-ended; status.Code(err) != codes.Canceled {
			t.Errorf("a call that was cancelled: want code Canceled, got %v", err)
		}
	}
	wantAllRoom(t, a)
}
