# shellcheck shell=bash
# host_dump: everything of a host that a CNI plugin may change, as text that can be compared.
#
# Left out is what changes by itself: counters, lifetimes, carrier, the state of a link's other end,
# the qdisc of a link that is down, and IPv6 link-local addresses, which come and go with the carrier.

dump_links() {
	ip -d -j link | jq -S '[.[] | ((.flags // []) | index("UP") != null) as $up
		| {ifindex, ifname, mtu, address, link_type, master, txqlen,
		altnames, promiscuity, allmulti, min_mtu, max_mtu, parentdev,
		up: $up, qdisc: (if $up then .qdisc else null end),
		kind: .linkinfo.info_kind,
		vfs: [(.vfinfo_list // [])[] | del(.stats)]}]'
}

dump_addresses() {
	ip -j addr | jq -S '[.[] | {ifname, addresses: [.addr_info[]
		| select(.scope != "link") | {family, local, prefixlen, scope}]}]'
}

dump_routes() {
	local family
	for family in -4 -6; do
		ip "$family" -j route show table all 2>/dev/null |
			jq -S '[.[] | select((.dst | startswith("fe80") or startswith("ff00")) | not)
				| select(.type != "local" and .type != "broadcast" and .type != "anycast"
				and .type != "multicast") | {dst, gateway, dev, table, metric, protocol}]'
		ip "$family" -j rule | jq -S .
	done
}

dump_rdma() {
	rdma -j system 2>/dev/null | jq -S '[.[] | {netns}]' || true
	rdma -j dev 2>/dev/null | jq -S '[.[] | {ifindex, ifname, node_guid}]' || true
}

dump_sysctls() {
	grep -H . /proc/sys/net/ipv4/conf/*/arp_notify /proc/sys/net/ipv6/conf/*/disable_ipv6 \
		/proc/sys/net/ipv6/conf/*/ndisc_notify /proc/sys/net/ipv6/conf/*/keep_addr_on_down \
		2>/dev/null
}

# The lease map is a cache that may be rebuilt at any time, and pool locks stay; both say nothing of
# an address.
dump_state() {
	local root=${1:-/run}
	find "$root/roce-cni" "$root/roce-ipam" ! -type d ! -name map ! -path '*/roce-ipam/*/lock' \
		-printf '%p %y %l\n' 2>/dev/null | sort
}

# host_dump [STATE_DIR]
# shellcheck disable=SC2120
host_dump() {
	dump_links
	dump_addresses
	dump_routes
	dump_rdma
	dump_sysctls
	ip -j netns 2>/dev/null | jq -S '[.[]?.name] | sort' || true
	dump_state "$@"
}

# pod_dump NETNS: what a pod has, in the same manner.
pod_dump() {
	ip -n "$1" -j -d addr | jq -S '[.[] | {ifindex, ifname, mtu, address, altnames,
		up: (.flags | index("UP") != null),
		addresses: [.addr_info[] | select(.local and .scope != "link") | {local, prefixlen}]}]'
	ip -n "$1" -j route show table all | jq -S '[.[] | select(.type == null)]'
}
