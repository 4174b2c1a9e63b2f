//go:build tools

// Package engine pins the modules that the Pulumi engine is built from. Only its go.mod and go.sum matter.
package engine

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
