package remote

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	provider "github.com/pulumi/pulumi-go-provider"
	"golang.org/x/crypto/ssh"
)

// run executes the command (none: nothing to do) and keeps its output. On failure the previous output stays.
func (c *CommandOutputs) run(ctx context.Context, command *string) error {
	if command == nil {
		return nil
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

	if err := c.setEnvironment(ctx, session); err != nil {
		return err
	}
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

// setEnvironment fails when the host refuses a variable of the program's, and only warns about those of our own.
func (c *CommandOutputs) setEnvironment(ctx context.Context, session *ssh.Session) error {
	const advice = "Unable to set '%s'. This only works if your SSH server is configured to accept these variables " +
		"via AcceptEnv. Alternatively, prefix the command itself with the variables in the form 'VAR=value command'"
	log := provider.GetLogger(ctx)
	for name, value := range c.Environment {
		if err := session.Setenv(name, value); err != nil {
			log.Errorf(advice, name)
			return fmt.Errorf("could not set environment variable %q: %w", name, err)
		}
	}
	if !valueOr(c.AddPreviousOutputInEnv, true) {
		return nil
	}
	previous := map[string]string{"PULUMI_COMMAND_STDOUT": c.Stdout, "PULUMI_COMMAND_STDERR": c.Stderr}
	for name, value := range previous {
		if value == "" {
			continue
		}
		if err := session.Setenv(name, value); err != nil {
			log.Warningf(advice, name)
		}
	}
	return nil
}

// logLines returns a writer whose lines become status messages of the resource, and a function that waits for the last
// one. Like the original it stops reading at a line over 64 KiB, which blocks the writer for good.
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
