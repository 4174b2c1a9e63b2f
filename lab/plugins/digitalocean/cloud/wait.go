package cloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	beforeFirstLook = 10 * time.Second
	betweenLooks    = 3 * time.Second
	mostBetween     = 10 * time.Second
	emptyLooks      = 60
)

// wait polls until the state is the target, with the official plugin's pauses. A poll without a state ("") is repeated
// up to a limit. An unexpected state ends the wait, and so does an error.
type wait struct {
	pending []string
	target  string
	most    time.Duration
	look    func() (string, error)
}

func (w wait) run(ctx context.Context) error {
	deadline := time.Now().Add(w.most)
	last, empty := "", 0
	for pause := beforeFirstLook; ; {
		err := sleep(ctx, pause, deadline)
		if errors.Is(err, context.DeadlineExceeded) || time.Now().After(deadline) {
			return fmt.Errorf("timeout while waiting for state to become '%s' (last state: '%s', timeout: %s)",
				w.target, last, w.most.Round(time.Second))
		}
		if err != nil {
			return err
		}
		state, err := w.look()
		switch {
		case err != nil:
			return err
		case state == w.target:
			return nil
		case state == "":
			if empty++; empty > emptyLooks {
				return fmt.Errorf("couldn't find resource (%d retries)", empty)
			}
		case !slices.Contains(w.pending, state):
			return fmt.Errorf("unexpected state '%s', wanted target '%s'. last error: %%!s(<nil>)", state, w.target)
		default:
			last, empty = state, 0
		}
		if pause == beforeFirstLook {
			pause = betweenLooks
		} else {
			pause = min(2*pause, mostBetween)
		}
	}
}

func sleep(ctx context.Context, pause time.Duration, deadline time.Time) error {
	timer := time.NewTimer(min(time.Duration(float64(pause)*pace), time.Until(deadline)+time.Millisecond))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// waitForAction waits until an action of a Droplet has completed. It fails if the action does.
func waitForAction(ctx context.Context, droplet, action int) error {
	look := func() (string, error) {
		found, _, err := api(ctx).DropletActions.Get(context.Background(), droplet, action)
		if err != nil {
			return "", err
		}
		return strings.ToLower(found.Status), nil
	}
	return wait{[]string{"in-progress"}, "completed", timeout(ctx, time.Hour), look}.run(ctx)
}
