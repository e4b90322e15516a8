#!/bin/bash
# ADD, CHECK and DEL of a netdev: the answer in every version of the specification, the pod as the
# kernel shows it, and the host as before.
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
world_veth rdma0 port0 1500 9216
ip link set rdma0 address 02:00:5e:00:53:01
BEFORE=$(host_dump)
POD_BEFORE=$(pod_dump pod1)

# restored DESCRIPTION: host and pod as before; both are put right again for the next test.
restored() {
	same "$BEFORE" "$(host_dump)" "$1: the host is as before"
	same "$POD_BEFORE" "$(pod_dump pod1)" "$1: the pod is as before"
}

# link / addresses / routes FILTER: of net1 in the pod.
link() { ip -n pod1 -j link show dev "${2:-net1}" | jq -r ".[0] | $1"; }
addresses() {
	ip -n pod1 -j addr show dev net1 |
		jq -r '[.[0].addr_info[] | select(.scope == "global") | "\(.local)/\(.prefixlen)"] | sort | join(" ")'
}
routes() {
	{
		ip -n pod1 -4 -j route show dev net1
		ip -n pod1 -6 -j route show dev net1
	} | jq -rs 'add | [.[] | select(.protocol != "kernel") | "\(.dst) via \(.gateway // "-")"] | sort | join(", ")'
}
answer() { jq -rc "$1" <<<"$CNI_OUT"; }
del() { # del DESCRIPTION CONFIG
	cni DEL c1 "$POD" net1 "$2"
	silent "$1: DEL"
	restored "$1"
}

# ---- the answer in every version ----

IPAM='.ipam = {type: "roce-ipam", range: "10.56.0.0/24", gateway: "10.56.0.1",
	routes: [{dst: "198.51.100.0/24", mtu: 8000, priority: 7}], dns: {nameservers: ["10.56.0.53"]}}'
for version in 0.3.1 0.4.0 1.0.0 1.1.0; do
	conf=$(config ".cniVersion = \"$version\" | .mtu = 9000 | $IPAM")
	cni ADD c1 "$POD" net1 "$conf"
	succeeded "$version: ADD"
	result=$CNI_OUT
	is "$(answer .cniVersion)" "$version" "$version: the answer is in the version that was asked for"
	case $version in
	0.*) want_iface='["mac","name","sandbox"]' want_ip='["address","gateway","interface","version"]' ;;
	*) want_iface='["mac","mtu","name","sandbox"]' want_ip='["address","gateway","interface"]' ;;
	esac
	case $version in
	1.1.0) want_route='{"dst":"198.51.100.0/24","mtu":8000,"priority":7}' ;;
	*) want_route='{"dst":"198.51.100.0/24"}' ;;
	esac
	is "$(answer '.interfaces | map(keys)')" "[$want_iface]" "$version: keys of the interface"
	is "$(answer '.ips | map(keys)')" "[$want_ip]" "$version: keys of the address"
	is "$(jq -Sc .routes[0] <<<"$CNI_OUT")" "$want_route" "$version: keys of the route"
	is "$(answer .dns)" '{"nameservers":["10.56.0.53"]}' "$version: dns of the IPAM plugin"
	is "$(answer '.ips[0] | "\(.address) \(.gateway) \(.interface) \(.version)"')" \
		"10.56.0.2/24 10.56.0.1 0 $(case $version in 0.*) echo 4 ;; *) echo null ;; esac)" "$version: address"
	is "$(answer '.interfaces[0] | "\(.name) \(.mac) \(.sandbox)"')" \
		"net1 02:00:5e:00:53:01 $POD" "$version: interface"

	is "$(link '"\(.mtu) \(.address) \(.flags | index("UP") != null)"')" "9000 02:00:5e:00:53:01 true" \
		"$version: MTU, MAC and state in the pod"
	is "$(addresses)" "10.56.0.2/24" "$version: address in the pod"
	is "$(routes)" "198.51.100.0/24 via 10.56.0.1" "$version: a route without gateway gets the address's"
	is "$(ip -j link show dev rdma0 2>/dev/null | jq length)" "" "$version: the host has no rdma0"
	is "$(find /run/roce-ipam/rail -name '*10.56.0.2*' | wc -l)" 1 "$version: the address is leased"

	cni CHECK c1 "$POD" net1 "$(jq -c --argjson r "$result" '.prevResult = $r' <<<"$conf")"
	if [ "$version" = 0.3.1 ]; then
		refused 1 'CHECK needs cniVersion 0\.4\.0' "$version: CHECK"
	else
		silent "$version: CHECK"
	fi
	del "$version" "$conf"
done

# ---- MAC ----

conf=$(config '.mac = "02:00:5E:00:53:aa"')
cni ADD c1 "$POD" net1 "$conf"
is "$(link .address) $(answer .interfaces[0].mac)" "02:00:5e:00:53:aa 02:00:5e:00:53:aa" "mac of the configuration"
del "mac" "$conf"
conf=$(config '.mac = "02:00:5e:00:53:aa" | .capabilities = {mac: true} | .runtimeConfig = {mac: "02:00:5e:00:53:bb"}')
cni ADD c1 "$POD" net1 "$conf" "CNI_ARGS=IgnoreUnknown=1;MAC=02:00:5e:00:53:cc"
is "$(link .address)" "02:00:5e:00:53:bb" "runtimeConfig.mac wins over mac and CNI_ARGS"
del "runtimeConfig.mac" "$conf"
cni ADD c1 "$POD" net1 "$(config)" "CNI_ARGS=IgnoreUnknown=1;;K8S_POD_NAME=a=b;K8S_POD_UID=;MAC=02:00:5e:00:53:cc;"
is "$(link .address)" "02:00:5e:00:53:cc" "MAC of CNI_ARGS, among pairs without value, with two '=' and empty ones"
del "CNI_ARGS" "$(config)"

# ---- addresses and routes ----

conf=$(config '.ipam = {type: "roce-ipam", range: "2001:db8:56::/64", gateway: "2001:db8:56::1", routes: [{dst: "::/0"}]}')
ip netns exec pod1 sysctl -qw net.ipv6.conf.default.disable_ipv6=1
cni ADD c1 "$POD" net1 "$conf"
succeeded "IPv6: ADD, in a pod where IPv6 is off"
like "$(addresses)" '^2001:db8:56::[0-9a-f]+/64$' "IPv6: address in the pod"
is "$(routes)" "default via 2001:db8:56::1" "IPv6: default route in the pod"
del "IPv6" "$conf"
ip netns exec pod1 sysctl -qw net.ipv6.conf.default.disable_ipv6=0

conf=$(config '.ipam = {type: "roce-ipam", ipRanges: [{range: "10.57.0.0/24"}, {range: "2001:db8:57::/64"}], gateway: "10.57.0.1",
	routes: [{dst: "203.0.113.0/24", gw: "10.57.0.9"}, {dst: "198.51.100.0/24"}, {dst: "2001:db8:99::/48"}]}')
cni ADD c1 "$POD" net1 "$conf"
succeeded "dual stack: ADD"
like "$(addresses)" '^10\.57\.0\.2/24 2001:db8:57::[0-9a-f]+/64$' "dual stack: both addresses in the pod"
is "$(routes)" "198.51.100.0/24 via 10.57.0.1, 2001:db8:99::/48 via -, 203.0.113.0/24 via 10.57.0.9" \
	"routes with a gateway, with the address's, and, without any, on the link"
is "$(answer '[.ips[].interface]')" "[0,0]" "dual stack: both addresses belong to interface 0"
cni CHECK c1 "$POD" net1 "$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$conf")"
silent "dual stack: CHECK"
del "dual stack" "$conf"

conf=$(config "$IPAM | .dns = {nameservers: [\"192.0.2.53\"], search: [\"example.org\"]}")
cni ADD c1 "$POD" net1 "$conf"
is "$(answer .dns)" '{"nameservers":["192.0.2.53"],"search":["example.org"]}' "dns of the configuration wins over IPAM's"
del "dns" "$conf"

conf=$(config '.ipam = {}')
cni ADD c1 "$POD" net1 "$conf" CNI_PATH=
succeeded "an empty ipam is none: ADD without CNI_PATH"
is "$(answer '[has("ips"), has("routes"), .dns]')" '[false,false,{}]' "no ipam: no addresses in the answer"
is "$(addresses)" "" "no ipam: no address in the pod"
is "$(link '.flags | index("UP") != null')" true "no ipam: the interface is up all the same"
del "no ipam" "$conf"

# ---- host-local as the IPAM plugin ----

conf=$(config '.cniVersion = "1.0.0" | .ipam = {type: "host-local", dataDir: "/run/host-local",
	ranges: [[{subnet: "10.58.0.0/24", gateway: "10.58.0.1"}]], routes: [{dst: "0.0.0.0/0"}]}')
if [ -x /usr/lib/cni/host-local ]; then
	cni ADD c1 "$POD" net1 "$conf"
	succeeded "host-local: ADD"
	is "$(addresses) $(routes)" "10.58.0.2/24 default via 10.58.0.1" "host-local: address and route in the pod"
	is "$(answer '.ips[0].interface')" 0 "host-local: its address belongs to interface 0"
	cni CHECK c1 "$POD" net1 "$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$conf")"
	silent "host-local: CHECK"
	del "host-local" "$conf"
	is "$(find /run/host-local -name '10.58.*' | wc -l)" 0 "host-local: the address is given back"
else
	ok "host-local # SKIP containernetworking-plugins is not installed"
fi

# ---- a chain ----

PREV='{"cniVersion":"1.1.0","interfaces":[{"name":"br0","mac":"02:00:5e:00:53:f0"},{"name":"eth0","mac":"02:00:5e:00:53:f1","sandbox":"/run/netns/pod1"}],"ips":[{"interface":1,"address":"192.0.2.5/24"}],"routes":[{"dst":"0.0.0.0/0","gw":"192.0.2.1"}],"x.example/kept":1}'
conf=$(config "$IPAM | .prevResult = $PREV")
cni ADD c1 "$POD" net1 "$conf"
succeeded "chain: ADD"
is "$(answer '[.interfaces[].name]')" '["br0","eth0","net1"]' "chain: our interface comes last"
is "$(answer '[.ips[] | [.interface, .address]]')" '[[1,"192.0.2.5/24"],[2,"10.56.0.2/24"]]' "chain: our address has our index"
is "$(answer '[.routes[].dst]')" '["0.0.0.0/0","198.51.100.0/24"]' "chain: routes of both"
is "$(answer '."x.example/kept"')" 1 "chain: unknown keys of prevResult stay"
is "$(addresses)" "10.56.0.2/24" "chain: the other interface's address is not put on ours"
cni CHECK c1 "$POD" net1 "$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$conf")"
silent "chain: CHECK"
del "chain" "$conf"

# ---- CHECK finds drift ----

conf=$(config "$IPAM | .mtu = 9000")
cni ADD c1 "$POD" net1 "$conf"
check=$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$conf")
drift() { # drift ERE DESCRIPTION
	cni CHECK c1 "$POD" net1 "$check"
	refused 111 "$1" "CHECK: $2"
}
cni CHECK c1 "$POD" net1 "$conf"
refused 7 'prevResult' "CHECK without prevResult"
ip -n pod1 link set net1 mtu 4000
drift 'should have MTU 9000, but has 4000' "lower MTU"
ip -n pod1 link set net1 mtu 9000
ip -n pod1 route del 198.51.100.0/24
drift '198\.51\.100\.0/24' "route removed"
ip -n pod1 route add 198.51.100.0/24 via 10.56.0.1 mtu 8000 metric 7
cni CHECK c1 "$POD" net1 "$check"
silent "CHECK: the route is back"
ip -n pod1 addr del 10.56.0.2/24 dev net1
drift '10\.56\.0\.2/24' "address removed"
ip -n pod1 addr add 10.56.0.2/24 dev net1
ip -n pod1 link set net1 address 02:00:5e:00:53:77
drift 'should have MAC 02:00:5e:00:53:01, but has 02:00:5e:00:53:77' "other MAC"
ip -n pod1 link set net1 down
drift 'should be up' "down"
cni CHECK c9 "$POD" net1 "$check"
refused 111 'knows no attachment net1 of container c9' "CHECK of a container that was never added"
del "after drift" "$conf"
cni CHECK c1 "$POD" net1 "$check"
refused 111 'knows no attachment' "CHECK after DEL"

# ---- the pod meddles ----

cni ADD c1 "$POD" net1 "$conf"
ip -n pod1 link set net1 down
ip -n pod1 link set net1 name mine mtu 1280 address 02:00:5e:00:53:66
ip -n pod1 link set mine up
ip -n pod1 addr add 10.99.0.1/24 dev mine
del "a pod that changed name, MTU, MAC and addresses" "$conf"

ip -n pod1 link add clash index "$(cat /sys/class/net/rdma0/ifindex)" type bridge
POD_CLEAN=$POD_BEFORE POD_BEFORE=$(pod_dump pod1)
cni ADD c1 "$POD" net1 "$conf"
succeeded "ADD where the pod has an interface with the device's index"
del "index clash" "$conf"
ip -n pod1 link del clash
POD_BEFORE=$POD_CLEAN

ip link set rdma0 up
BEFORE_UP=$(host_dump)
cni ADD c1 "$POD" net1 "$conf"
cni DEL c1 "$POD" net1 "$conf"
like "$(ip -o link show dev rdma0)" '[<,]UP[,>]' "a device that was up is up after DEL"
same "$BEFORE_UP" "$(host_dump)" "a device that was up: the host is as before"
ip link set rdma0 down

ip link property add dev rdma0 altname rdma-long-name
BEFORE_ALT=$(host_dump)
cni ADD c1 "$POD" net1 "$(config '.device = "rdma0"')"
succeeded "a device with an altname: ADD"
cni DEL c1 "$POD" net1 "$conf"
same "$BEFORE_ALT" "$(host_dump)" "a device with an altname: it has it again after DEL"
ip link property del dev rdma0 altname rdma-long-name

# An altname that would clash is left out in the pod, and there again after DEL.
altname_clashes() { # altname_clashes ALTNAME DESCRIPTION
	ip link property add dev rdma0 altname rdma-long-name altname "$1"
	local before
	before=$(host_dump)
	cni ADD c1 "$POD" net1 "$conf"
	succeeded "$2: ADD"
	is "$(ip -n pod1 -j link show dev net1 | jq -c '.[0].altnames')" '["rdma-long-name"]' "$2: the other altname is there"
	cni DEL c1 "$POD" net1 "$conf"
	same "$before" "$(host_dump)" "$2: the host is as before"
	ip link property del dev rdma0 altname rdma-long-name altname "$1"
}
altname_clashes net1 "the device has the pod's name as an altname"
ip -n pod1 link add rail-zero type bridge
altname_clashes rail-zero "an altname of the device is taken in the pod"
ip -n pod1 link del rail-zero

ip link add mac0 link port0 type macvlan mode bridge
BEFORE_MACVLAN=$(host_dump)
cni ADD c1 "$POD" net1 "$(config '.device = "mac0" | .mtu = 1400')"
succeeded "macvlan: ADD"
is "$(link .mtu)" 1400 "macvlan: MTU in the pod"
cni DEL c1 "$POD" net1 "$conf"
silent "macvlan: DEL"
same "$BEFORE_MACVLAN" "$(host_dump)" "macvlan: the host is as before"
ip link del mac0

# ---- DEL whatever happened ----

add() {
	cni ADD c1 "$POD" net1 "$conf"
	[ "$CNI_RC" -eq 0 ] || not_ok "ADD before: $1" "$CNI_OUT"
}

add "DEL twice"
del "DEL" "$conf"
del "DEL again" "$conf"
cni DEL c7 "$POD" net1 "$conf"
silent "DEL of a container that was never added"
restored "never added"
printf x >/run/plainfile
for netns in '' /run/netns/none /run/plainfile; do
	add "DEL with CNI_NETNS '$netns'"
	cni DEL c1 "$netns" net1 "$conf"
	silent "DEL with CNI_NETNS '$netns'"
	restored "DEL with CNI_NETNS '$netns'"
done
add "without CNI_NETNS"
CNI_RUN="env -u CNI_NETNS" cni DEL c1 x net1 "$conf"
silent "DEL without CNI_NETNS"
restored "DEL without CNI_NETNS"
add "stripped"
del "a configuration of cniVersion, name and type" "$(jq -c '{cniVersion, name, type}' <<<"$conf")"
add "another version"
del "a configuration of another cniVersion, with prevResult" \
	"$(jq -c --argjson p "$CNI_OUT" '.cniVersion = "0.4.0" | .prevResult = ($p | .cniVersion = "0.4.0")' <<<"$conf")"
add "no profile"
world_profile '{"version": '
del "a node profile that is broken by now" "$conf"
world_profile
cni DEL c1 "$POD" net1 "$conf"

# ---- the pod is gone, and a veth with it ----

add "pod gone"
ip netns del pod1
for _ in $(seq 100); do
	[ -e /sys/class/net/port0 ] || break
	sleep 0.05
done
is "$(ip -o link | grep -c port0)" 0 "the veth died with the pod"
cni DEL c1 "$POD" net1 "$conf"
silent "DEL after the pod"
is "$(dump_state)" "" "DEL after the pod: no journal, no claim, no lease is left"

done_testing || exit 1
