package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// errNoResident says that the run needs a process of its own.
var errNoResident = errors.New("no resident process is free")

// inResident runs the program or the providers in the lab's resident process (lab/stack/resident.ts), passes its output
// on, and returns the exit code.
func inResident(kind, directory string, variables, arguments []string) (int, error) {
	residents := os.Getenv("PILLAR_LAB_RESIDENT")
	if residents == "" {
		return 0, errNoResident
	}
	connection, err := net.Dial("unix", filepath.Join(residents, kind+".sock"))
	if err != nil {
		return 0, errNoResident
	}
	defer connection.Close()
	environment := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		environment[name] = value
	}
	err = json.NewEncoder(connection).Encode(map[string]any{
		"directory": directory, "env": environment, "args": arguments,
	})
	if err != nil {
		return 0, errNoResident
	}
	frames := json.NewDecoder(bufio.NewReader(connection))
	begun := false
	for {
		var frame struct {
			Begun          bool
			Stdout, Stderr string
			Exit           *int
		}
		err := frames.Decode(&frame)
		begun = begun || frame.Begun
		switch {
		case !begun:
			return 0, errNoResident
		case err != nil:
			return 1, nil
		case frame.Exit != nil:
			return *frame.Exit, nil
		}
		fmt.Fprint(os.Stdout, frame.Stdout)
		fmt.Fprint(os.Stderr, frame.Stderr)
	}
}

// startProvider stands for the product's script that starts the providers' process in this directory.
func startProvider(directory string, arguments []string) {
	code, err := inResident("provider", directory, os.Environ(), arguments)
	if err == nil {
		os.Exit(code)
	}
	node, err := exec.LookPath("node")
	if err == nil {
		err = syscall.Exec(node, append([]string{node, filepath.Join(directory, "dynamic-provider.cjs")}, arguments...), os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
