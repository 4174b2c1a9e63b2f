package remote

import "github.com/pulumi/pulumi-go-provider/infer"

// Logging selects the streams that go to the live log. Unset means both.
type Logging string

const (
	logStdout Logging = "stdout"
	logStderr Logging = "stderr"
	logBoth   Logging = "stdoutAndStderr"
	logNone   Logging = "none"
)

// Values lists the values for the schema.
func (Logging) Values() []infer.EnumValue[Logging] {
	return []infer.EnumValue[Logging]{{Value: logStdout}, {Value: logStderr}, {Value: logBoth}, {Value: logNone}}
}

func (l *Logging) stdout() bool { return l == nil || *l == logStdout || *l == logBoth }
func (l *Logging) stderr() bool { return l == nil || *l == logStderr || *l == logBoth }
