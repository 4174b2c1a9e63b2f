package remote

import "github.com/pulumi/pulumi-go-provider/infer"

// Logging says which streams go to the live log; both when unset.
type Logging string

const (
	logStdout Logging = "stdout"
	logStderr Logging = "stderr"
	logBoth   Logging = "stdoutAndStderr"
	logNone   Logging = "none"
)

// Values lists them for the schema.
func (Logging) Values() []infer.EnumValue[Logging] {
	return []infer.EnumValue[Logging]{{Value: logStdout}, {Value: logStderr}, {Value: logBoth}, {Value: logNone}}
}

func (l *Logging) stdout() bool { return l == nil || *l == logStdout || *l == logBoth }
func (l *Logging) stderr() bool { return l == nil || *l == logStderr || *l == logBoth }
