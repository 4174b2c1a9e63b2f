// Package main is the Node language host for the lab's programs. The real one cannot be built as a Go module. Its last
// version that could puts a proxy without hooks between engine and program. This one prints its port and runs programs
// with the SDK's own starter, which talks to the engine directly. It is written in Go because the engine starts it
// twice in each run, and that must cost nothing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Exit code of the SDK's starter if it has already reported the error.
const saidAlready = 32

// host answers every other call as not implemented, which the engine accepts.
type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	engine string
}

func (*host) Handshake(context.Context, *pulumirpc.LanguageHandshakeRequest) (*pulumirpc.LanguageHandshakeResponse, error) {
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

func (*host) GetRequiredPlugins(context.Context, *pulumirpc.GetRequiredPluginsRequest) (*pulumirpc.GetRequiredPluginsResponse, error) {
	return &pulumirpc.GetRequiredPluginsResponse{}, nil
}

func (*host) GetRequiredPackages(context.Context, *pulumirpc.GetRequiredPackagesRequest) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

func (*host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

func (*host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (h *host) Run(_ context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	environment, err := environmentOf(request)
	if err != nil {
		return nil, err
	}
	arguments := h.argumentsOf(request)
	code, err := inResident("program", request.GetPwd(), environment, arguments)
	if errors.Is(err, errNoResident) {
		program := exec.Command("node", append(starterOf(request), arguments...)...)
		program.Env, program.Stdout, program.Stderr = environment, os.Stdout, os.Stderr
		err = program.Run()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	switch {
	case err != nil:
		return &pulumirpc.RunResponse{Error: "the program could not be started: " + err.Error()}, nil
	case code == 0:
		return &pulumirpc.RunResponse{}, nil
	case code == saidAlready:
		return &pulumirpc.RunResponse{Bail: true}, nil
	default:
		return &pulumirpc.RunResponse{Error: "Program exited with non-zero exit code: " + strconv.Itoa(code)}, nil
	}
}

// starterOf returns Node's arguments up to the SDK's starter of programs. It splits them at blanks, while the real host
// splits them like a shell.
func starterOf(request *pulumirpc.RunRequest) []string {
	root := request.GetInfo().GetRootDirectory()
	if root == "" {
		root = request.GetPwd()
	}
	starter := strings.Fields(request.GetInfo().GetOptions().GetFields()["nodeargs"].GetStringValue())
	return append(starter, filepath.Join(root, "node_modules/@pulumi/pulumi/cmd/run/index.js"))
}

// argumentsOf returns the arguments of the SDK's starter.
func (h *host) argumentsOf(request *pulumirpc.RunRequest) []string {
	given := [][2]string{
		{"monitor", request.GetMonitorAddress()},
		{"engine", h.engine},
		{"organization", request.GetOrganization()},
		{"project", request.GetProject()},
		{"root-directory", request.GetInfo().GetRootDirectory()},
		{"stack", request.GetStack()},
		{"pwd", request.GetPwd()},
		{"query-mode", "false"},
		{"parallel", strconv.Itoa(int(request.GetParallel()))},
	}
	var arguments []string
	for _, flag := range given {
		if flag[1] != "" {
			arguments = append(arguments, "--"+flag[0], flag[1])
		}
	}
	if request.GetDryRun() {
		arguments = append(arguments, "--dry-run")
	}
	program := request.GetProgram()
	if program == "" {
		program = "."
	}
	return append(append(arguments, program), request.GetArgs()...)
}

// environmentOf writes the configuration's keys as namespace:config:name, as the SDK wants them, and leaves the list of
// secret keys unchanged.
func environmentOf(request *pulumirpc.RunRequest) ([]string, error) {
	config := map[string]string{}
	for key, value := range request.GetConfig() {
		config[strings.Replace(key, ":", ":config:", 1)] = value
	}
	values, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	secretKeys, err := json.Marshal(append([]string{}, request.GetConfigSecretKeys()...))
	if err != nil {
		return nil, err
	}
	environment := append(os.Environ(), "PULUMI_CONFIG="+string(values), "PULUMI_CONFIG_SECRET_KEYS="+string(secretKeys))
	if typescript := request.GetInfo().GetOptions().GetFields()["typescript"]; typescript == nil || typescript.GetBoolValue() {
		environment = append(environment, "PULUMI_NODEJS_TYPESCRIPT=true")
	}
	return environment, nil
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "provider" {
		startProvider(os.Args[2], os.Args[3:])
	}
	engine := ""
	for _, argument := range os.Args[1:] {
		if !strings.HasPrefix(argument, "-") {
			engine = argument
			break
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32))
	pulumirpc.RegisterLanguageRuntimeServer(server, &host{engine: engine})
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
