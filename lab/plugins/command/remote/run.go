package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	provider "github.com/pulumi/pulumi-go-provider"

	"pillar-host/lab/plugins/shared"
)

// run executes the command and stores its output. It does nothing without a command. If the command fails, the previous
// output stays.
func (c *CommandOutputs) run(ctx context.Context, command *string) error {
	if command == nil {
		return nil
	}
	if shared.Or(c.AddPreviousOutputInEnv, true) {
		return errors.New("addPreviousOutputInEnv is not in the lab's stand-in for this plugin: set it to false")
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
	log, waitForLog := logLines(ctx)
	var mutex sync.Mutex // both streams write to combined
	session.Stdout = tee(&mutex, c.Logging.stdout(), log, &stdout, &combined)
	session.Stderr = tee(&mutex, c.Logging.stderr(), log, &stderr, &combined)
	err = session.Run(*command)
	waitForLog()
	if err != nil {
		return fmt.Errorf("%w: running %q:\n%s", err, *command, combined.String())
	}

	c.Stdout = strings.TrimSuffix(stdout.String(), "\n")
	c.Stderr = strings.TrimSuffix(stderr.String(), "\n")
	return nil
}

// logLines returns a writer whose lines become status messages of the resource, and a function that waits for the last
// line. Like the original, it stops reading at a line over 64 KiB, which blocks the writer forever.
func logLines(ctx context.Context) (io.Writer, func()) {
	reader, writer := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for scanner := bufio.NewScanner(reader); scanner.Scan(); {
			provider.GetLogger(ctx).InfoStatus(scanner.Text())
		}
	}()
	return writer, func() {
		writer.Close()
		<-done
	}
}

type lockedWriter struct {
	mutex  *sync.Mutex
	writer io.Writer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.writer.Write(p)
}

func tee(mutex *sync.Mutex, logged bool, log io.Writer, buffers ...io.Writer) io.Writer {
	locked := lockedWriter{mutex, io.MultiWriter(buffers...)}
	if !logged {
		return locked
	}
	return io.MultiWriter(locked, log)
}
