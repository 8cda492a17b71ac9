package step

import (
	"context"
	"time"
)

// Timer is told how long a step of the single function has taken.
type Timer func(step string, took time.Duration)

type timerKey struct{}

// WithTimer has the steps of a call of the single function timed.
func WithTimer(ctx context.Context, timer Timer) context.Context {
	return context.WithValue(ctx, timerKey{}, timer)
}

// TimerOf a call. Calls that nobody times have one that does nothing.
func TimerOf(ctx context.Context) Timer {
	if timer, ok := ctx.Value(timerKey{}).(Timer); ok {
		return timer
	}
	return func(string, time.Duration) {}
}
