package stream

import (
	"context"
	"time"
)

// clock ends an answer that takes too long: as a whole, or between two items of
// the engine.
type clock struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	total  *time.Timer
	idle   *time.Timer
	limit  time.Duration
}

func newClock(ctx context.Context, t Timeouts) *clock {
	c := &clock{limit: t.Idle}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	if t.Total > 0 {
		c.total = time.AfterFunc(t.Total, func() { c.cancel(errTotal) })
	}
	return c
}

// observeEngine says that the engine gave an item. The time to the first is not the
// clock's to limit.
func (c *clock) observeEngine() {
	switch {
	case c.limit <= 0:
	case c.idle == nil:
		c.idle = time.AfterFunc(c.limit, func() { c.cancel(errIdle) })
	default:
		c.idle.Reset(c.limit)
	}
}

// causeOf is why an answer broke off: the clock's or the client's reason, if there
// is one, else err.
func (c *clock) causeOf(err error) error {
	if why := context.Cause(c.ctx); why != nil {
		return why
	}
	return err
}

func (c *clock) stop() {
	for _, t := range []*time.Timer{c.total, c.idle} {
		if t != nil {
			t.Stop()
		}
	}
	c.cancel(context.Canceled)
}
