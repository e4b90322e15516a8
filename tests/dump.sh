# shellcheck shell=bash
# host_dump: everything of a host that a CNI plugin may change, as text that can be compared.
#
# Left out is what changes by itself: counters, lifetimes, carrier, the state of a link's other end,
# the qdisc of a link that is down, and IPv6 link-local addresses, which come and go with the carrier.

# vf_macs: {"PF/VF": MAC of that VF's netdev} as JSON, for the VFs that have one here.
vf_macs() {
	local file pf vf
	for file in /sys/class/net/*/device/virtfn*/net/*/address; do
		[ -e "$file" ] || continue
		pf=${file#/sys/class/net/}
		vf=${file#*/virtfn}
		printf '%s/%s %s\n' "${pf%%/*}" "${vf%%/*}" "$(<"$file")"
	done | jq -nR '[inputs | split(" ") | {(.[0]): .[1]}] | add // {}'
}

# Where no administrator has set a VF's MAC, drivers show none, or the one that the VF chose: "own".
dump_links() {
	ip -d -j link | jq -S --argjson macs "$(vf_macs)" '[.[] | .ifname as $pf
		| ((.flags // []) | index("UP") != null) as $up
		| {ifindex, ifname, mtu, address, link_type, master, txqlen,
		altnames, promiscuity, allmulti, min_mtu, max_mtu, parentdev,
		up: $up, qdisc: (if $up then .qdisc else null end),
		kind: .linkinfo.info_kind,
		vfs: [(.vfinfo_list // [])[] | del(.stats) | (.address // .mac) as $mac
			| if $mac == "00:00:00:00:00:00" or $mac == $macs["\($pf)/\(.vf)"]
			then .address = "own" | del(.mac) else . end]}]'
}

dump_addresses() {
	ip -j addr | jq -S '[.[] | {ifname, addresses: [.addr_info[]
		| select(.scope != "link") | {family, local, prefixlen, scope}]}]'
}

dump_routes() {
	{
		ip -4 -j route show table all
		ip -6 -j route show table all
	} 2>/dev/null |
		jq -S '.[] | select((.dst | startswith("fe80") or startswith("ff00")) | not)
			| select(.type != "local" and .type != "broadcast" and .type != "anycast"
			and .type != "multicast") | {dst, gateway, dev, table, metric, protocol}'
	ip -4 rule
	ip -6 rule
}

dump_rdma() {
	rdma system 2>/dev/null || true
	rdma dev 2>/dev/null | sed 's/ fw [^ ]*//' || true
}

dump_sysctls() {
	grep -s . /proc/sys/net/ipv4/conf/*/arp_notify /proc/sys/net/ipv6/conf/*/disable_ipv6 \
		/proc/sys/net/ipv6/conf/*/ndisc_notify /proc/sys/net/ipv6/conf/*/keep_addr_on_down || true
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
	ip netns list 2>/dev/null | sed 's/ (id.*//' | sort
	dump_state "$@"
}

# pod_dump NETNS: what a pod has, in the same manner.
pod_dump() {
	ip -n "$1" -j -d addr | jq -S '[.[] | {ifindex, ifname, mtu, address, altnames,
		up: (.flags | index("UP") != null),
		addresses: [.addr_info[] | select(.local and .scope != "link") | {local, prefixlen}]}]'
	ip -n "$1" -j route show table all | jq -S '[.[] | select(.type == null)]'
}
