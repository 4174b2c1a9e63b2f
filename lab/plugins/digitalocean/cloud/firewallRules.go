package cloud

import (
	"fmt"
	"slices"

	"github.com/digitalocean/godo"
)

const (
	allPorts = "all"
	// noPorts is how the API tells all ports, and that icmp has none.
	noPorts = "0"
)

// InboundRule lets in.
type InboundRule struct {
	Action                 *string  `pulumi:"action,optional"`
	PortRange              *string  `pulumi:"portRange,optional"`
	Protocol               string   `pulumi:"protocol"`
	SourceAddresses        []string `pulumi:"sourceAddresses,optional"`
	SourceDropletIDs       []int    `pulumi:"sourceDropletIds,optional"`
	SourceKubernetesIDs    []string `pulumi:"sourceKubernetesIds,optional"`
	SourceLoadBalancerUIDs []string `pulumi:"sourceLoadBalancerUids,optional"`
	SourceTags             []string `pulumi:"sourceTags,optional"`
}

// OutboundRule lets out.
type OutboundRule struct {
	Action                      *string  `pulumi:"action,optional"`
	DestinationAddresses        []string `pulumi:"destinationAddresses,optional"`
	DestinationDropletIDs       []int    `pulumi:"destinationDropletIds,optional"`
	DestinationKubernetesIDs    []string `pulumi:"destinationKubernetesIds,optional"`
	DestinationLoadBalancerUIDs []string `pulumi:"destinationLoadBalancerUids,optional"`
	DestinationTags             []string `pulumi:"destinationTags,optional"`
	PortRange                   *string  `pulumi:"portRange,optional"`
	Protocol                    string   `pulumi:"protocol"`
}

func (r InboundRule) request() godo.InboundRule {
	return godo.InboundRule{
		Protocol: r.Protocol, PortRange: valueOr(r.PortRange, ""), Action: action(r.Action),
		Sources: &godo.Sources{
			Addresses: r.SourceAddresses, Tags: r.SourceTags, DropletIDs: r.SourceDropletIDs,
			LoadBalancerUIDs: r.SourceLoadBalancerUIDs, KubernetesIDs: r.SourceKubernetesIDs,
		},
	}
}

func (r OutboundRule) request() godo.OutboundRule {
	return godo.OutboundRule{
		Protocol: r.Protocol, PortRange: valueOr(r.PortRange, ""), Action: action(r.Action),
		Destinations: &godo.Destinations{
			Addresses: r.DestinationAddresses, Tags: r.DestinationTags, DropletIDs: r.DestinationDropletIDs,
			LoadBalancerUIDs: r.DestinationLoadBalancerUIDs, KubernetesIDs: r.DestinationKubernetesIDs,
		},
	}
}

func action(given *string) godo.FirewallRuleAction {
	return godo.FirewallRuleAction(valueOr(given, ""))
}

func inboundRule(rule godo.InboundRule) InboundRule {
	told, from := InboundRule{Protocol: rule.Protocol}, rule.Sources
	told.PortRange, told.Action = portRange(rule.Protocol, rule.PortRange), actionOf(rule.Action)
	if from != nil {
		told.SourceAddresses, told.SourceTags, told.SourceDropletIDs = from.Addresses, from.Tags, from.DropletIDs
		told.SourceLoadBalancerUIDs, told.SourceKubernetesIDs = from.LoadBalancerUIDs, from.KubernetesIDs
	}
	return told
}

func outboundRule(rule godo.OutboundRule) OutboundRule {
	told, to := OutboundRule{Protocol: rule.Protocol}, rule.Destinations
	told.PortRange, told.Action = portRange(rule.Protocol, rule.PortRange), actionOf(rule.Action)
	if to != nil {
		told.DestinationAddresses, told.DestinationTags, told.DestinationDropletIDs = to.Addresses, to.Tags, to.DropletIDs
		told.DestinationLoadBalancerUIDs, told.DestinationKubernetesIDs = to.LoadBalancerUIDs, to.KubernetesIDs
	}
	return told
}

func portRange(protocol, ports string) *string {
	if ports == noPorts {
		if protocol == "icmp" {
			return nil
		}
		ports = allPorts
	}
	return &ports
}

func actionOf(told godo.FirewallRuleAction) *string {
	if told == "" {
		return nil
	}
	text := string(told)
	return &text
}

// canonical writes rules such that two which mean the same are the same text.
func canonical[R InboundRule | OutboundRule](rules []R) []string {
	texts := make([]string, len(rules))
	for i, rule := range rules {
		switch rule := any(rule).(type) {
		case InboundRule:
			texts[i] = text(rule.Action, rule.Protocol, rule.PortRange, rule.SourceDropletIDs,
				rule.SourceAddresses, lower(rule.SourceTags), rule.SourceLoadBalancerUIDs, rule.SourceKubernetesIDs)
		case OutboundRule:
			texts[i] = text(rule.Action, rule.Protocol, rule.PortRange, rule.DestinationDropletIDs,
				rule.DestinationAddresses, lower(rule.DestinationTags), rule.DestinationLoadBalancerUIDs,
				rule.DestinationKubernetesIDs)
		}
	}
	return texts
}

func text(action *string, protocol string, ports *string, droplets []int, lists ...[]string) string {
	droplets = slices.Sorted(slices.Values(droplets))
	sorted := make([][]string, len(lists))
	for i, list := range lists {
		sorted[i] = slices.Sorted(slices.Values(list))
	}
	return fmt.Sprint(valueOr(action, "allow"), protocol, valueOr(ports, ""), droplets, sorted)
}
