#!/bin/bash
# Settings of the netdev: what a network may ask for is so in the pod, and all is as before after it,
# whatever the pod has changed meanwhile; sysctls of the host's netdev included.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/cni.sh
. tests/cni.sh
# shellcheck source=tests/dump.sh
. tests/dump.sh

POD=/run/netns/pod1
ip netns add pod1
world_veth rdma0 port0 1500 9000
ip link set rdma0 address 02:00:5e:00:53:01
ip link property add dev rdma0 altname rail-zero altname rdma-long-name

# ---- what can be compared ----

# conf_dump: every sysctl of rdma0 on the host. stable_secret can be read only when it is set.
conf_dump() {
	local folder
	for folder in /proc/sys/net/ipv4/conf/rdma0 /proc/sys/net/ipv6/conf/rdma0; do
		find $folder -type f ! -name stable_secret -printf '%f\n' | sort | while read -r file; do
			printf '%s %s\n' "$folder/$file" "$(<"$folder/$file")"
		done
	done
}
# pod_sysctls: what the pod's namespace itself has: nothing of an interface, no counter.
pod_sysctls() {
	ip netns exec pod1 sysctl -a --pattern '^net\.(core|ipv4|ipv6|unix)' 2>/dev/null |
		grep -vE '\.(conf|neigh)\.(lo|net1|mine|br9|mac9)\.|_count |random|fib_sync|inode-nr'
}
dump() {
	host_dump
	conf_dump
	pod_dump pod1
	pod_sysctls
}
BEFORE=$(dump)

# restored DESCRIPTION / undone DESCRIPTION: host and pod as before.
restored() { same "$BEFORE" "$(dump)" "$1: host and pod are as before"; }
del() { # del DESCRIPTION CONFIG
	cni DEL c1 "$POD" net1 "$2"
	silent "$1: DEL"
	restored "$1"
}
# link FILTER: of net1 in the pod; flag NAME: whether it has that flag; sysctl PATH: in the pod.
link() { ip -n pod1 -d -j link show dev net1 | jq -rc ".[0] | $1"; }
flag() { link ".flags | index(\"$1\") != null"; }
sysctl() { ip netns exec pod1 cat "/proc/sys/net/$1"; }
set_sysctl() { ip netns exec pod1 sh -c "echo $2 >/proc/sys/net/$1"; }

# ---- each setting, and all together ----

conf=$(config '.promisc = true')
cni ADD c1 "$POD" net1 "$conf"
is "$(flag PROMISC) $(flag ALLMULTI)" "true false" "promisc: on in the pod"
del "promisc" "$conf"

conf=$(config '.allmulti = true')
cni ADD c1 "$POD" net1 "$conf"
is "$(flag PROMISC) $(flag ALLMULTI)" "false true" "allmulti: on in the pod"
del "allmulti" "$conf"

for length in 0 1 500 70000; do
	conf=$(config ".txQLen = $length")
	cni ADD c1 "$POD" net1 "$conf"
	is "$(link '.txqlen // 0')" "$length" "txQLen $length: so long is the queue in the pod"
	del "txQLen $length" "$conf"
done

conf=$(config '.sysctl = {"net.ipv4.conf.IFNAME.arp_filter": "1", "net/ipv6/conf/IFNAME/accept_ra": "2",
	"net.ipv4.tcp_rmem": "4096 131072  8388608", "net/core/somaxconn": "0x400"}')
cni ADD c1 "$POD" net1 "$conf"
succeeded "sysctl: ADD"
is "$(sysctl ipv4/conf/net1/arp_filter) $(sysctl ipv6/conf/net1/accept_ra)" "1 2" "sysctl: the interface's own"
is "$(sysctl ipv4/tcp_rmem | tr '\t' ' ') $(sysctl core/somaxconn)" "4096 131072 8388608 1024" \
	"sysctl: those of the namespace, numbers and blanks in any form"
is "$(sysctl ipv4/conf/default/arp_filter)" 0 "sysctl: not those of other interfaces"
del "sysctl" "$conf"

ALL='.mtu = 4200 | .mac = "02:00:5e:00:53:aa" | .promisc = true | .allmulti = true | .txQLen = 77
	| .ipam = {type: "roce-ipam", range: "10.56.0.0/24"}
	| .sysctl = {"net.ipv4.conf.IFNAME.arp_ignore": "1", "net.ipv4.ip_forward": "1"}'
all=$(config "$ALL")
add_all() { # add_all DESCRIPTION
	cni ADD c1 "$POD" net1 "$all"
	succeeded "$1: ADD"
}
add_all "all settings"
is "$(link '"\(.mtu) \(.address) \(.txqlen) \(.altnames)"') $(flag PROMISC) $(flag ALLMULTI)" \
	'4200 02:00:5e:00:53:aa 77 ["rail-zero","rdma-long-name"] true true' "all settings: the netdev in the pod"
is "$(sysctl ipv4/conf/net1/arp_ignore) $(sysctl ipv4/ip_forward)" "1 1" "all settings: the sysctls in the pod"
del "all settings" "$all"

ip link set rdma0 promisc on allmulticast on txqueuelen 123
BEFORE_SET=$BEFORE BEFORE=$(dump)
conf=$(config '.promisc = false | .allmulti = false')
cni ADD c1 "$POD" net1 "$conf"
is "$(flag PROMISC) $(flag ALLMULTI) $(link .txqlen)" "false false 123" "off in the pod what was on; what is not asked for stays"
del "off in the pod what was on" "$conf"
ip link set rdma0 promisc off allmulticast off txqueuelen 1000
BEFORE=$BEFORE_SET
restored "the test's own changes"

done_testing || exit 1
