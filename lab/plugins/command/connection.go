package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/retry"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"pillar-host/lab/plugins/shared"
)

const (
	defaultUser           = "root"
	defaultPort           = 22
	defaultDialErrorLimit = 10
	defaultPerDialTimeout = 15
)

// endpoint contains the fields that a connection and its proxy share.
type endpoint struct {
	User               *string  `pulumi:"user,optional"`
	Password           *string  `pulumi:"password,optional"`
	Host               *string  `pulumi:"host"`
	Port               *float64 `pulumi:"port,optional"`
	PrivateKey         *string  `pulumi:"privateKey,optional"`
	PrivateKeyPassword *string  `pulumi:"privateKeyPassword,optional"`
	HostKey            *string  `pulumi:"hostKey,optional"`
	AgentSocketPath    *string  `pulumi:"agentSocketPath,optional"`
	DialErrorLimit     *int     `pulumi:"dialErrorLimit,optional"`
	PerDialTimeout     *int     `pulumi:"perDialTimeout,optional"`
}

// Connection describes how to reach the remote host.
type Connection struct {
	endpoint
	Proxy *ProxyConnection `pulumi:"proxy,optional"`
}

// ProxyConnection describes how to reach the bastion in front of the remote host.
type ProxyConnection struct{ endpoint }

// Annotate sets the default values that Check adds, so that the state contains them.
func (c *Connection) Annotate(a infer.Annotator) { c.endpoint.defaults(a) }

// Annotate sets the same default values as for a direct connection.
func (c *ProxyConnection) Annotate(a infer.Annotator) { c.endpoint.defaults(a) }

func (e *endpoint) defaults(a infer.Annotator) {
	a.SetDefault(&e.User, defaultUser)
	a.SetDefault(&e.Port, defaultPort)
	a.SetDefault(&e.DialErrorLimit, defaultDialErrorLimit)
	a.SetDefault(&e.PerDialTimeout, defaultPerDialTimeout)
}

// dial connects to the host, through the proxy if there is one. Nobody closes the connection: like the original's, it
// lives as long as the plugin.
func (c *Connection) dial(ctx context.Context) (*ssh.Client, error) {
	config, err := c.clientConfig()
	if err != nil {
		return nil, err
	}
	if c.Proxy == nil {
		return retryDial(ctx, "Dial", c.limit(), func() (*ssh.Client, error) {
			return ssh.Dial("tcp", c.address(), config)
		})
	}

	proxyConfig, err := c.Proxy.clientConfig()
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	proxy, err := retryDial(ctx, "Dial proxy", c.Proxy.limit(), func() (*ssh.Client, error) {
		return ssh.Dial("tcp", c.Proxy.address(), proxyConfig)
	})
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	tunnel, err := retryDial(ctx, "Dial from proxy", c.limit(), func() (net.Conn, error) {
		return proxy.Dial("tcp", c.address())
	})
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	// Like the original's, a handshake that failed is repeated in the tunnel that it closed, and fails again.
	client, err := retryDial(ctx, "Dial", c.limit(), func() (*ssh.Client, error) {
		conn, channels, requests, err := ssh.NewClientConn(tunnel, c.address(), config)
		if err != nil {
			return nil, err
		}
		return ssh.NewClient(conn, channels, requests), nil
	})
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	return client, nil
}

func (e *endpoint) address() string {
	return net.JoinHostPort(*e.Host, strconv.Itoa(int(shared.Or(e.Port, defaultPort))))
}

func (e *endpoint) limit() int { return shared.Or(e.DialErrorLimit, defaultDialErrorLimit) }

func (e *endpoint) clientConfig() (*ssh.ClientConfig, error) {
	config := &ssh.ClientConfig{
		User:            shared.Or(e.User, defaultUser),
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
		Timeout:         time.Duration(shared.Or(e.PerDialTimeout, defaultPerDialTimeout)) * time.Second,
	}
	if e.HostKey != nil {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(*e.HostKey))
		if err != nil {
			return nil, fmt.Errorf("failed to parse host key: %w", err)
		}
		config.HostKeyCallback = ssh.FixedHostKey(key)
		// Otherwise a host with several keys may present a key other than the pinned one.
		config.HostKeyAlgorithms = []string{key.Type()}
	}

	if e.PrivateKey != nil {
		key := []byte(*e.PrivateKey)
		signer, err := ssh.ParsePrivateKey(key)
		if e.PrivateKeyPassword != nil {
			signer, err = ssh.ParsePrivateKeyWithPassphrase(key, []byte(*e.PrivateKeyPassword))
		}
		if err != nil {
			return nil, err
		}
		config.Auth = append(config.Auth, ssh.PublicKeys(signer))
	}
	if e.Password != nil {
		answer := func(_, _ string, questions []string, _ []bool) ([]string, error) {
			return slices.Repeat([]string{*e.Password}, len(questions)), nil
		}
		config.Auth = append(config.Auth, ssh.Password(*e.Password), ssh.KeyboardInteractive(answer))
	}
	if socket := shared.Or(e.AgentSocketPath, os.Getenv("SSH_AUTH_SOCK")); socket != "" {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return nil, err
		}
		config.Auth = append(config.Auth, ssh.PublicKeysCallback(agent.NewClient(conn).Signers))
	}
	return config, nil
}

// retryDial tries until it succeeds or has failed more than limit times. It treats all errors alike, so a key that the
// host refuses takes as long to report as a host that does not answer.
func retryDial[T any](ctx context.Context, what string, limit int, dial func() (T, error)) (T, error) {
	var client T
	done, _, err := retry.Until(ctx, retry.Acceptor{Accept: func(try int, _ time.Duration) (bool, any, error) {
		var err error
		if client, err = dial(); err == nil {
			return true, nil, nil
		}
		if try+1 > limit {
			return true, nil, fmt.Errorf("after %d failed attempts: %w", try, err)
		}
		provider.GetLogger(ctx).InfoStatusf("%s %d/%d failed: retrying", what, try+1, limit)
		return false, nil, nil
	}})
	if err == nil && !done {
		err = ctx.Err()
	}
	return client, err
}
