//go:build tools

// Package language pins the modules that Pulumi's Node language host is built from: sdk/v3 3.68.0 is the last tagged
// version that holds it, so it cannot share a go.mod with the engine.
package language

import _ "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs"
