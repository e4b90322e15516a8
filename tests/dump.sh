# shellcheck shell=bash
# host_dump: everything of a host that a CNI plugin or a pod may change, as text that can be compared.
#
# Nothing is chosen: the tools are asked for all they know, and what they print is kept. Left out
# is what changes by itself (dump.pl): counters, lifetimes, carrier, the state of a link's other end,
# the qdisc of a link that is down, and IPv6 link-local addresses, which come and go with the carrier.

DUMP_PL=${BASH_SOURCE[0]%.sh}.pl
[[ $DUMP_PL = /* ]] || DUMP_PL=$PWD/$DUMP_PL

# dump_state [STATE_DIR]: the files of journals, claims and leases, as host_dump has them.
dump_state() {
	local root=${1:-/run}
	find "$root/roce-cni" "$root/roce-ipam" ! -type d ! -name map ! -path '*/roce-ipam/*/lock' \
		-printf '%p %y %l\n' 2>/dev/null | sort
}

# host_dump [STATE_DIR]. The lab emulates its processor: few processes, no jq.
# shellcheck disable=SC2120
host_dump() {
	{
		# In one process: links with all of their VFs' settings, addresses, routes, rules.
		printf '%s\n' 'addr show' 'link show' 'route show table all' 'rule show' |
			ip -d -o -force -batch - 2>/dev/null
		ip -6 rule 2>/dev/null
		printf '%s\n' 'system' 'dev' | rdma -f -b - 2>/dev/null
	} | perl "$DUMP_PL" "$@"
}

# pod_dump NETNS: what a pod has, in the same manner.
pod_dump() {
	ip -n "$1" -j -d addr | jq -S '[.[] | {ifindex, ifname, mtu, address, altnames,
		up: (.flags | index("UP") != null),
		addresses: [.addr_info[] | select(.local and .scope != "link") | {local, prefixlen}]}]'
	ip -n "$1" -j route show table all | jq -S '[.[] | select(.type == null)]'
}
