package cloud

import (
	"fmt"
	"net"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

// FirewallApplyTo is one server, or those that a label selector finds.
type FirewallApplyTo struct {
	LabelSelector *string `pulumi:"labelSelector,optional"`
	Server        *int    `pulumi:"server,optional"`
}

// FirewallRule lets something in or out.
type FirewallRule struct {
	Description    *string  `pulumi:"description,optional"`
	DestinationIPs []string `pulumi:"destinationIps,optional"`
	Direction      string   `pulumi:"direction"`
	Port           *string  `pulumi:"port,optional"`
	Protocol       string   `pulumi:"protocol"`
	SourceIPs      []string `pulumi:"sourceIps,optional"`
}

func words[T fmt.Stringer](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.String()
	}
	return texts
}

// String is the same for the same rule, however its networks are ordered.
func (r FirewallRule) String() string {
	return strings.Join([]string{
		r.Direction, r.Protocol, valueOr(r.Port, ""), valueOr(r.Description, ""),
		fmt.Sprint(sorted(r.SourceIPs)), fmt.Sprint(sorted(r.DestinationIPs)),
	}, " ")
}

// String is the same for the same target.
func (t FirewallApplyTo) String() string {
	return fmt.Sprintf("%d %s", valueOr(t.Server, 0), valueOr(t.LabelSelector, ""))
}

func rulesOf(rules []FirewallRule) []hcloud.FirewallRule {
	made := make([]hcloud.FirewallRule, len(rules))
	for i, rule := range rules {
		made[i] = hcloud.FirewallRule{
			Direction: hcloud.FirewallRuleDirection(rule.Direction), Protocol: hcloud.FirewallRuleProtocol(rule.Protocol),
			SourceIPs: networks(rule.SourceIPs), DestinationIPs: networks(rule.DestinationIPs),
			Port: rule.Port, Description: rule.Description,
		}
	}
	return made
}

func networks(texts []string) []net.IPNet {
	var parsed []net.IPNet
	for _, text := range texts {
		if _, network, err := net.ParseCIDR(text); err == nil {
			parsed = append(parsed, *network)
		}
	}
	return parsed
}

func (t FirewallApplyTo) resource() hcloud.FirewallResource {
	if t.Server != nil {
		return serverResource(int64(*t.Server))
	}
	return selectorResource(valueOr(t.LabelSelector, ""))
}

func texts(networks []net.IPNet) []string {
	var made []string
	for _, network := range networks {
		made = append(made, network.String())
	}
	return made
}

func serverResource(id int64) hcloud.FirewallResource {
	return hcloud.FirewallResource{
		Type: hcloud.FirewallResourceTypeServer, Server: &hcloud.FirewallResourceServer{ID: id},
	}
}

func selectorResource(selector string) hcloud.FirewallResource {
	return hcloud.FirewallResource{
		Type:          hcloud.FirewallResourceTypeLabelSelector,
		LabelSelector: &hcloud.FirewallResourceLabelSelector{Selector: selector},
	}
}
