package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"pillar-host/lab/plugins/shared"
)

// run executes the command and stores its output. It does nothing without a command. If the command fails, the previous
// output stays.
func (c *CommandOutputs) run(ctx context.Context, command *string) error {
	if command == nil {
		return nil
	}
	if shared.Or(c.AddPreviousOutputInEnv, true) || shared.Or(c.Logging, "") != "none" {
		return errors.New("the lab's stand-in for this plugin needs addPreviousOutputInEnv: false and logging: none")
	}
	client, err := c.Connection.dial(ctx)
	if err != nil {
		return err
	}
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	defer session.Close()

	if c.Stdin != nil && *c.Stdin != "" {
		session.Stdin = strings.NewReader(*c.Stdin)
	}

	var stdout, stderr, combined bytes.Buffer
	both := &lockedWriter{writer: &combined}
	session.Stdout, session.Stderr = io.MultiWriter(&stdout, both), io.MultiWriter(&stderr, both)
	err = session.Run(*command)
	if err != nil {
		return fmt.Errorf("%w: running %q:\n%s", err, *command, combined.String())
	}

	c.Stdout = strings.TrimSuffix(stdout.String(), "\n")
	c.Stderr = strings.TrimSuffix(stderr.String(), "\n")
	return nil
}

// lockedWriter takes what both streams write.
type lockedWriter struct {
	mutex  sync.Mutex
	writer io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.writer.Write(p)
}
