#!/bin/bash
# The MTU chain over real netdevs: policies, what limits the pod, drift after ADD, routes with an MTU.
# For each configuration the dry run must answer what the ADD then does.
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
FILE=/run/world/net.json
ip netns add pod1
dump() {
	host_dump
	pod_dump pod1
}

# ---- helpers ----

# number NAME TEXT: the number behind a name, in what "ip -o link" prints or in JSON.
number() { [[ $2 =~ $1[\":\ ]+([0-9]+) ]] && echo "${BASH_REMATCH[1]}"; }
pod_mtu() { number mtu "$(ip -n pod1 -o link show dev net1)"; }
host_mtu() { number mtu "$(ip -o link show dev "$1")"; }
# set_mtu DEVICE MTU...: on the host
set_mtu() {
	BEFORE=
	while [ $# -gt 0 ]; do
		ip link set dev "$1" mtu "$2"
		shift 2
	done
}
profile() { world_profile "$(jq -nc "{version: 1} | ${1:-.}")"; }

# attempt CONFIG DESCRIPTION: the dry run, then the ADD: they must agree. Sets WARNINGS, and BEFORE if
# it is empty, which it is made by each change of the host.
BEFORE=
attempt() {
	local dry dry_rc
	printf '%s\n' "$1" >"$FILE"
	[ -n "$BEFORE" ] || BEFORE=$(dump)
	dry=$("$BIN/rocectl" validate --netns "$POD" -o json "$FILE" 2>&1)
	dry_rc=$?
	cni ADD c1 "$POD" net1 "$1"
	is "$dry_rc" "$CNI_RC" "$2: the dry run has the ADD's status"
	WARNINGS=$(sed -n 's/^roce: warning: //p' <<<"$CNI_ERR")
	if [ "$CNI_RC" -eq 0 ]; then
		is "$(jq -r '.reports[0] | .chain.podMTU, (.findings[] | select(.severity == "warning").text)' <<<"$dry")" \
			"$(pod_mtu)${WARNINGS:+
$WARNINGS}" "$2: the dry run has the pod's MTU and the ADD's warnings"
	else
		is "$(jq -r '[.reports[0].findings[] | select(.severity == "error")
			| .text + if .fix == "" then "" else "; fix: " + .fix end] | join("\n")' <<<"$dry")" \
			"$(jq -r '[(.msg | sub("^[A-Z_]*: "; "")), .details // empty] | join("\n")' <<<"$CNI_OUT")" \
			"$2: the dry run has the ADD's errors"
	fi
}
del() { # del DESCRIPTION: host and pod are as before the attempt
	cni DEL c1 "$POD" net1 "$(<"$FILE")"
	silent "$1: DEL"
	same "$BEFORE" "$(dump)" "$1: host and pod are as before after DEL"
}
# gets MTU DESCRIPTION CONFIG [ERE]: the ADD succeeds, the pod has this MTU; ERE: a warning.
gets() {
	attempt "$3" "$2"
	succeeded "$2: ADD"
	is "$(pod_mtu) $(number mtu "$CNI_OUT")" "$1 $1" "$2: MTU in the pod and in the result"
	if [ -n "${4:-}" ]; then
		like "$WARNINGS" "$4" "$2: the warning"
	else
		is "$WARNINGS" "" "$2: no warning"
	fi
	CHECKED=$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$3")
	cni CHECK c1 "$POD" net1 "$CHECKED"
	silent "$2: CHECK right after"
	del "$2"
}
# refuses CODE ERE DESCRIPTION CONFIG: the ADD is refused and nothing has changed.
refuses() {
	attempt "$4" "$3"
	refused "$1" "$2" "$3"
	same "$BEFORE" "$(dump)" "$3: host and pod are as before"
	[ "$CNI_RC" -ne 0 ] || cni DEL c1 "$POD" net1 "$4"
}

# ---- policies: the other end of a veth takes 4500, the network asks for 9000 ----

world_veth rdma0 port0 1500 4500
SMALL='lower port0: its MTU is 4500, the pod needs 9000'
LOWERED='pod: its MTU is lowered from 9000 to 4500, the bottleneck is lower port0 \(policy clamp\)'
for node in strict clamp warn; do
	for loosen in false true; do
		profile ".policy = {mtu: \"$node\", mayLoosen: $loosen}"
		for network in '' strict clamp warn; do
			case $loosen,$node,$network in
			true,strict,clamp | true,strict,warn | true,clamp,warn | false,*) ;;
			*) continue ;; # it may, but does not
			esac
			what="node $node, mayLoosen $loosen, network ${network:-silent}"
			conf=$(config ".mtu = 9000 ${network:+| .mtuPolicy = \"$network\"}")
			holds=${network:-$node}
			case $loosen,$node,$network in
			false,strict,clamp | false,strict,warn | false,clamp,warn)
				refuses 7 "mtuPolicy \"$network\" is looser than the node's policy \"$node\"" "$what" "$conf"
				like "$(msg)" 'leave mtuPolicy out, or .*"mayLoosen": true.*profile\.json' "$what: the message says what to do"
				continue
				;;
			esac
			case $holds in
			strict) refuses 100 "$SMALL; fix: ip link set dev port0 mtu 9000" "$what" "$conf" ;;
			clamp) gets 4500 "$what" "$conf" "$SMALL.*$LOWERED" ;;
			warn) gets 9000 "$what" "$conf" "$SMALL" ;;
			esac
		done
	done
done
world_profile
refuses 7 'looser than the node'\''s policy "strict"' "no profile, network clamp" "$(config '.mtu = 9000 | .mtuPolicy = "clamp"')"
refuses 100 "$SMALL" "no profile, network strict" "$(config '.mtu = 9000 | .mtuPolicy = "strict"')"

# clamp lowers no further than the RoCE path MTU allows
profile '.policy.mtu = "clamp"'
for most in 4191 4192; do
	set_mtu port0 $most
	conf=$(config '.mtu = 9000 | .roceMTU = 4096')
	if [ $most = 4192 ]; then
		gets 4192 "clamp, RoCE path MTU 4096, port of 4192" "$conf" "lowered from 9000 to 4192, the bottleneck is lower port0"
	else
		refuses 100 'lower port0: its MTU is 4191, the pod needs 9000' "clamp, RoCE path MTU 4096, port of 4191" "$conf"
	fi
done
set_mtu port0 4500
refuses 100 'netdev MTU 4096 does not carry RoCE path MTU 4096: .*4192.*4200.*2048' \
	"clamp, MTU 4096 for RoCE path MTU 4096" "$(config '.mtu = 4096 | .roceMTU = 4096')"
profile '.policy.mtu = "clamp" | .defaultFabric = "rail" | .fabrics.rail = {roceMTU: 4096, podMTU: 9000}'
gets 4500 "clamp, the profile's podMTU and roceMTU" "$(config)" "$LOWERED"
profile '.policy.mtu = "clamp" | .defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 4400, semantics: "l2frame"}'
set_mtu port0 4382
gets 4382 "clamp, the switch is the bottleneck" "$(config '.mtu = 9000')" \
	'switch of fabric rail: its MTU 4400 \(l2frame, 0 VLAN tags\) permits a netdev MTU of 4382, the pod needs 9000'
set_mtu port0 4383
refuses 100 'lower port0: its MTU 4383 is more than the 4382 .*fix: ip link set dev port0 mtu 4382' \
	"clamp, a port above the switch" "$(config '.mtu = 9000')"

# warn goes on, whatever is found
profile '.policy.mtu = "warn"'
set_mtu port0 1500
gets 4096 "warn, MTU 4096 for RoCE path MTU 4096" "$(config '.mtu = 4096 | .roceMTU = 4096')" \
	'netdev MTU 4096 does not carry RoCE path MTU 4096: .*lower port0: its MTU is 1500, the pod needs 4096'
gets 1500 "warn, no MTU, path MTU not carried: no more than the chain takes" "$(config '.roceMTU = 4096')" 'lower port0'
profile '.policy.mtu = "warn" | .defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 1400, semantics: "l3"}'
gets 1500 "warn, switch and port" "$(config '.mtu = 1500')" \
	'switch of fabric rail: its MTU 1400 .*permits a netdev MTU of 1400, the pod needs 1500.*lower port0: its MTU 1500 is more than the 1400'
world_profile

# ---- no MTU in the network ----

profile
for most in 9216 9000 8999 4500; do
	set_mtu port0 $most
	gets $((most < 9000 ? most : 9000)) "no mtu, port of $most" "$(config)"
done
set_mtu port0 9216
gets 9001 "mtu above 9000 when asked for" "$(config '.mtu = 9001')"
gets 9000 "no mtu, RoCE path MTU 4096" "$(config '.roceMTU = 4096')"
set_mtu port0 4191
refuses 100 'lower port0: its MTU is 4191, the pod needs 4192; fix: ip link set dev port0 mtu 4192' \
	"no mtu, RoCE path MTU 4096, port of 4191" "$(config '.roceMTU = 4096')"
set_mtu port0 9216
profile '.defaultFabric = "rail" | .fabrics.rail = {podMTU: 4200}'
gets 4200 "no mtu, podMTU of the profile" "$(config)"
gets 5000 "mtu wins over the profile's podMTU" "$(config '.mtu = 5000')"
profile '.defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 8000, semantics: "l2hdr"}'
set_mtu port0 7986
gets 7986 "no mtu, the switch limits" "$(config)"

# ---- what is in the way ----

profile
set_mtu port0 9216
ip link add br0 type bridge
ip link set port0 master br0
ip link set br0 up
BEFORE=
gets 9000 "veth in a bridge of 9216" "$(config)"
set_mtu br0 5000
gets 5000 "veth in a bridge of 5000" "$(config)"
refuses 100 'upper br0: its MTU is 5000, the pod needs 9000; fix: ip link set dev br0 mtu 9000' \
	"veth in a bridge of 5000, MTU 9000" "$(config '.mtu = 9000')"
profile '.policy.mtu = "clamp"'
gets 5000 "veth in a bridge of 5000, clamp" "$(config '.mtu = 9000')" 'lowered from 9000 to 5000, the bottleneck is upper br0'
profile
set_mtu br0 9216

world_veth parent0 far0 9216
ip link add mac0 link parent0 type macvlan mode bridge
BEFORE=
gets 9000 "macvlan on a parent of 9216" "$(config '.device = "mac0"')"
ip link add mac1 link parent0 type macvlan mode bridge
set_mtu mac1 1500 mac0 4200 parent0 4200
gets 4200 "macvlan on a parent of 4200" "$(config '.device = "mac0"')"
gets 4200 "macvlan of 1500 on a parent of 4200" "$(config '.device = "mac1"')"
refuses 100 'lower parent0: its MTU is 4200, the pod needs 4201; fix: ip link set dev parent0 mtu 4201' \
	"macvlan above its parent" "$(config '.device = "mac0" | .mtu = 4201')"
profile '.policy.mtu = "clamp"'
gets 4200 "macvlan above its parent, clamp" "$(config '.device = "mac0" | .mtu = 9000')" \
	'lowered from 9000 to 4200, the bottleneck is lower parent0'
is "$(host_mtu parent0)" 4200 "no ADD has changed the parent"
# The kernel takes no macvlan above its parent, whatever the policy.
profile '.policy.mtu = "warn"'
refuses 100 'lower parent0: its MTU is 4200, the pod needs 4201' "macvlan above its parent, warn" \
	"$(config '.device = "mac0" | .mtu = 4201')"
# The parent's other end is in a bridge, and so are the macvlan's frames.
profile
set_mtu parent0 9216
ip link set far0 master br0
set_mtu br0 4800
gets 4800 "macvlan on a veth in a bridge of 4800" "$(config '.device = "mac0"')"
ip link set far0 nomaster
profile '.defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 4000, semantics: "l3"}'
set_mtu br0 9216 parent0 4000 far0 4000 mac0 4000
gets 4000 "macvlan, another one is on its parent" "$(config '.device = "mac0"')"
profile '.defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 1600, semantics: "l3"}'
refuses 100 'lower parent0: its MTU 4000 is more than the 1600' "macvlan, its parent is above the switch" \
	"$(config '.device = "mac0" | .mtu = 1500')"
ip link del mac1
ip link del mac0
set_mtu parent0 9216 far0 9216

# A device that carries another netdev of the host stays there.
profile
ip link add rider link rdma0 type macvlan mode bridge
BEFORE=
refuses 103 'device rdma0 carries another netdev of the host' "device that carries a macvlan" "$(config)"
profile '.policy.mtu = "warn"'
refuses 103 'device rdma0 carries another netdev of the host' "device that carries a macvlan, warn" "$(config)"
is "$(ip -d -j link show dev rider | jq -r '.[0].link')" rdma0 "the macvlan is still there"
ip link del rider
BEFORE=
profile
gets 9000 "without the macvlan" "$(config)"

# ---- CHECK finds drift, and says what mends it ----

mend() { grep -oE 'ip link set dev [^ ;]+ mtu [0-9]+' <<<"$(msg)" | head -n 1; }
check() { cni CHECK c1 "$POD" net1 "$CHECKED"; }
# drifted ERE COMMAND DESCRIPTION [NAMESPACE]: CHECK fails with this command, which mends it.
drifted() {
	check
	refused 111 "$1" "$3: CHECK"
	is "$(mend)" "$2" "$3: the command in the message"
	# shellcheck disable=SC2046
	run_ok "$3: the command succeeds" ${4:+ip netns exec "$4"} $(mend)
	check
	silent "$3: CHECK after the command"
}
add_for_check() { # add_for_check DESCRIPTION CONFIG
	attempt "$2" "$1"
	succeeded "$1: ADD"
	CHECKED=$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' <<<"$2")
	check
	silent "$1: CHECK"
}

for policy in strict clamp; do
	profile ".policy.mtu = \"$policy\""
	add_for_check "drift, $policy" "$(config '.mtu = 9000 | .roceMTU = 4096')"
	HOST=$BEFORE
	ip -n pod1 link set net1 mtu 4000
	drifted 'net1 should have MTU 9000, but has 4000' 'ip link set dev net1 mtu 9000' "$policy, the pod's own MTU" pod1
	set_mtu br0 8000 # set by hand, so that it does not follow its ports from now on
	drifted 'upper br0: its MTU is 8000, the pod needs 9000' 'ip link set dev br0 mtu 9000' "$policy, the bridge"
	set_mtu port0 8999
	drifted 'lower port0: its MTU is 8999, the pod needs 9000' 'ip link set dev port0 mtu 9000' "$policy, the veth's other end"
	set_mtu port0 8000 br0 8000
	check
	refused 111 'lower port0: .*fix: ip link set dev port0 mtu 9000' "$policy, two hops: CHECK"
	like "$(jq -r .details <<<"$CNI_OUT")" 'upper br0: .*fix: ip link set dev br0 mtu 9000' "$policy, two hops: both are named"
	set_mtu port0 9216 br0 9216
	check
	silent "$policy, two hops: CHECK when both are back"
	BEFORE=$HOST
	del "drift, $policy"
done

# The switch of the profile is a hop like the others.
profile '.defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 9216, semantics: "l3"}'
add_for_check "drift of the switch" "$(config '.mtu = 9000')"
profile '.defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 1500, semantics: "l3"}'
check
refused 111 'switch of fabric rail: its MTU 1500 .*permits a netdev MTU of 1500, the pod needs 9000' "drift of the switch: CHECK"
profile '.defaultFabric = "rail" | .fabrics.rail.switch = {mtu: 9216, semantics: "l3"}'
check
silent "drift of the switch: CHECK when it is back"
del "drift of the switch"

# A macvlan follows its parent down, but not up: the parent is mended first, then the pod.
profile
ip link add mac0 link parent0 type macvlan mode bridge
BEFORE=
add_for_check "drift of a macvlan" "$(config '.device = "mac0" | .mtu = 9000')"
HOST=$BEFORE
set_mtu parent0 9100
check
silent "macvlan, its parent is still large enough: CHECK"
set_mtu parent0 8000
is "$(pod_mtu)" 8000 "macvlan, its parent is lowered: the pod's MTU follows"
check
refused 111 'lower parent0: its MTU is 8000, the pod needs 9000; fix: ip link set dev parent0 mtu 9000' \
	"macvlan, its parent is lowered: CHECK"
set_mtu parent0 9000
drifted 'net1 should have MTU 9000, but has 8000' 'ip link set dev net1 mtu 9000' "macvlan, its parent is back" pod1
set_mtu parent0 9216
BEFORE=$HOST
del "drift of a macvlan"
ip link del mac0

# What warn let pass is no drift; the pod's own MTU is.
profile '.policy.mtu = "warn"'
set_mtu br0 4000 port0 4500
add_for_check "warn, not consistent from the start" "$(config '.mtu = 9000 | .roceMTU = 4096')"
HOST=$BEFORE
set_mtu br0 3000
check
silent "warn, still less: CHECK is quiet"
ip -n pod1 link set net1 mtu 8000
drifted 'net1 should have MTU 9000, but has 8000' 'ip link set dev net1 mtu 9000' "warn, the pod's own MTU" pod1
set_mtu br0 4000
BEFORE=$HOST
del "warn, not consistent from the start"
profile '.policy = {mtu: "strict", mayLoosen: true}'
add_for_check "warn by the network" "$(config '.mtu = 9000 | .mtuPolicy = "warn"')"
del "warn by the network"
set_mtu port0 9216 br0 9216

# ---- routes with an MTU of their own ----

ROUTES='{type: "roce-ipam", range: "10.56.0.0/24", gateway: "10.56.0.1", routes: [
	{dst: "198.51.100.0/24", mtu: 4000}, {dst: "203.0.113.0/24", gw: "10.56.0.9", mtu: 5000}, {dst: "192.0.2.0/24"}]}'
routes() { # of the pod: destination, gateway and MTU
	ip -n pod1 -4 -j route show dev net1 | jq -r '[.[] | select(.protocol != "kernel")
		| "\(.dst) \(.gateway) \(.metrics[0].mtu // "-")"] | sort | join(", ")'
}
result_routes() { jq -c '[.routes[] | [.dst, .mtu]]' <<<"$CNI_OUT"; }
# routed MTU DESCRIPTION: ADD with these routes on an interface of MTU; sets ROUTED, then deletes.
routed() {
	attempt "$(config ".mtu = $1 | .ipam = $ROUTES")" "$2"
	succeeded "$2: ADD"
	ROUTED="$(pod_mtu) | $(routes) | $(result_routes)"
	cni CHECK c1 "$POD" net1 "$(jq -c --argjson r "$CNI_OUT" '.prevResult = $r' "$FILE")"
	silent "$2: CHECK"
	del "$2"
}
ALL='192.0.2.0/24 10.56.0.1 -, 198.51.100.0/24 10.56.0.1 4000, 203.0.113.0/24 10.56.0.9'
for policy in strict clamp warn; do
	profile ".policy.mtu = \"$policy\""
	for mtu in 9000 5000; do
		routed $mtu "$policy, routes of 4000 and 5000, interface of $mtu"
		is "$ROUTED" "$mtu | $ALL 5000 | [[\"198.51.100.0/24\",4000],[\"203.0.113.0/24\",5000],[\"192.0.2.0/24\",null]]" \
			"$policy, interface of $mtu: routes in the pod and in the result"
		is "$WARNINGS" "" "$policy, interface of $mtu: no warning"
	done
done
profile
refuses 100 'route 203\.0\.113\.0/24 has MTU 5000, its interface has 4999; fix: write "mtu": 4999 or less in that route' \
	"strict, route of 5000, interface of 4999" "$(config ".mtu = 4999 | .ipam = $ROUTES")"
is "$(find /run/roce-ipam -name '10.56.*' | wc -l)" 0 "strict, route of 5000, interface of 4999: the lease is given back"
profile '.policy.mtu = "clamp"'
routed 4999 "clamp, route of 5000, interface of 4999"
is "$ROUTED" "4999 | $ALL 4999 | [[\"198.51.100.0/24\",4000],[\"203.0.113.0/24\",4999],[\"192.0.2.0/24\",null]]" \
	"clamp, route of 5000, interface of 4999: it is lowered, in the pod and in the result"
like "$WARNINGS" 'route 203\.0\.113\.0/24 has MTU 5000, its interface has 4999: lowered' \
	"clamp, route of 5000, interface of 4999: the warning"
set_mtu port0 4500
routed 9000 "clamp, the interface itself is lowered"
is "$ROUTED" "4500 | $ALL 4500 | [[\"198.51.100.0/24\",4000],[\"203.0.113.0/24\",4500],[\"192.0.2.0/24\",null]]" \
	"clamp, the interface itself is lowered: so is the route"
set_mtu port0 9216
profile '.policy.mtu = "warn"'
routed 4999 "warn, route of 5000, interface of 4999"
is "$ROUTED" "4999 | $ALL 5000 | [[\"198.51.100.0/24\",4000],[\"203.0.113.0/24\",5000],[\"192.0.2.0/24\",null]]" \
	"warn, route of 5000, interface of 4999: as asked for"
like "$WARNINGS" 'route 203\.0\.113\.0/24 has MTU 5000, its interface has 4999$' "warn, route of 5000, interface of 4999: the warning"

# DEL when the device cannot have its MTU back: the most there is, and no pod that never goes.
set_mtu parent0 9216
ip link add mac0 link parent0 type macvlan mode bridge
CONF=$(config '.device = "mac0" | .mtu = 9000')
cni ADD c1 "$POD" net1 "$CONF"
succeeded "macvlan whose parent is lowered before DEL: ADD"
set_mtu parent0 8000
cni DEL c1 "$POD" net1 "$CONF"
silent "macvlan whose parent is lowered before DEL: DEL"
like "$CNI_ERR" 'mac0 had MTU 9216, but parent0, which it rides on, has 8000 by now' \
	"macvlan whose parent is lowered before DEL: the warning"
is "$(ip -j link show mac0 | jq '.[0].mtu') $(find /run/roce-cni -name 'c1*' | wc -l)" "8000 0" \
	"macvlan whose parent is lowered before DEL: as much as fits, and no journal"
set_mtu parent0 9216

done_testing || exit 1
