#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1800
# Every setting that a network may ask of a VF, on a real PF: what the driver takes, alone and together, what
# it refuses, what CHECK finds, and what the node's administrator has to say.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

MAC=02:00:5e:00:53:01

# vf: what the PF has for its VF 0: MAC, VLAN, priority, the two rates, spoofchk, link state, trust.
vf() {
	ip -d -j link show dev $PF0 | jq -r '.[0].vfinfo_list[0] | [.address, (.vlan_list[0].vlan // 0),
		(.vlan_list[0].qos // 0), .rate.min_tx, .rate.max_tx, .spoofchk, .link_state, .trust] | join(" ")'
}
# pod: what the pod has: MAC, promisc, allmulti, length of the queue.
pod() {
	ip -n a -d -j link show dev net1 | jq -r '.[0] | [.address, (.flags | index("PROMISC") != null),
		(.flags | index("ALLMULTI") != null), .txqlen] | join(" ")'
}
# hint: the command of the last answer.
hint() { msg | grep -o 'ip link set dev .*'; }
# as_before DESCRIPTION: the PF's side at once, the whole host at the end of a section.
as_before() { is "$(vf)" "$vf_before" "$1: the PF has what it had"; }

# drift COMMAND ERE COMMAND-PREFIX...: COMMAND is seen by CHECK, and undone by what CHECK says.
drift() {
	local command=$1 seen=$2 fix
	shift 2
	"$@" sh -c "$command"
	check $VF0 a "$ALL"
	refused 111 "$seen" "drift by $command"
	fix=$(hint)
	run_ok "drift: $fix" "$@" sh -ec "${fix:-false}"
	check $VF0 a "$ALL"
	silent 'drift: CHECK finds nothing after it'
}

profile
vfs 9000
pods a
NETDEV=$(vf_netdev $VF0)
OWN=$(cat "/sys/class/net/$NETDEV/address")
# Once up and down, so that the PF knows the VF's own MAC.
ip link set "$NETDEV" up
ip link set "$NETDEV" down
before=$(settled_dump)
vf_before=$(vf)
is "$vf_before" "$OWN 0 0 0 0 true auto false" 'the VF is as the driver made it'

# ---- alone ----

# alone JSON VF POD: one setting.
alone() {
	added $VF0 a "$1"
	is "$(vf)|$(pod)" "$2|$3" "$1: PF and pod have it"
	check $VF0 a "$1"
	silent "$1: CHECK finds nothing"
	deleted $VF0 a "$1"
	as_before "$1"
}
alone '{"vlan": 7}' "$OWN 7 0 0 0 true auto false" "$OWN false false 1000"
alone '{"vlan": 7, "vlanQoS": 3, "vlanProto": "802.1Q"}' "$OWN 7 3 0 0 true auto false" "$OWN false false 1000"
alone "{\"mac\": \"$MAC\"}" "$MAC 0 0 0 0 true auto false" "$MAC false false 1000"
alone '{"spoofchk": "off"}' "$OWN 0 0 0 0 false auto false" "$OWN false false 1000"
alone '{"trust": "on"}' "$OWN 0 0 0 0 true auto true" "$OWN false false 1000"
alone '{"max_tx_rate": 100}' "$OWN 0 0 0 100 true auto false" "$OWN false false 1000"
alone '{"link_state": "auto", "min_tx_rate": 0}' "$OWN 0 0 0 0 true auto false" "$OWN false false 1000"
alone '{"promisc": true}' "$OWN 0 0 0 0 true auto false" "$OWN true false 1000"
alone '{"allmulti": true}' "$OWN 0 0 0 0 true auto false" "$OWN false true 1000"
alone '{"txQLen": 77}' "$OWN 0 0 0 0 true auto false" "$OWN false false 77"
restored "$before" 'one by one: the host is as before'

# ---- all together ----

ALL="{\"vlan\": 7, \"vlanQoS\": 3, \"mac\": \"$MAC\", \"spoofchk\": \"off\", \"trust\": \"on\", \"link_state\": \"auto\",
	\"max_tx_rate\": 100, \"promisc\": true, \"allmulti\": true, \"txQLen\": 77,
	\"sysctl\": {\"net.ipv4.conf.IFNAME.arp_filter\": \"1\", \"net.ipv6.conf.IFNAME.accept_ra\": \"0\",
	\"net.core.somaxconn\": \"512\"}}"
added $VF0 a "$ALL"
is "$(vf)|$(pod)" "$MAC 7 3 0 100 false auto true|$MAC true true 77" 'all: PF and pod have them'
is "$(in_pod a grep -hs . /proc/sys/net/ipv4/conf/net1/arp_filter /proc/sys/net/ipv6/conf/net1/accept_ra \
	/proc/sys/net/core/somaxconn | tr '\n' ' ')" '1 0 512 ' 'all: the sysctls are the pod'\''s'
check $VF0 a "$ALL"
silent 'all: CHECK finds nothing'
to_vf="ip link set dev $PF0 vf 0"
drift "$to_vf vlan 9" 'should have VLAN 7 .*, but has 9' env
drift "$to_vf vlan 7 qos 5" 'should have VLAN 7 .*priority 3.*, but has 7 .*priority 5' env
drift "$to_vf mac 02:00:5e:00:53:99" "should have MAC $MAC, but has 02:00:5e:00:53:99" env
drift "$to_vf max_tx_rate 50" 'should have rate 0 to 100 Mbit/s, but has 0 to 50 Mbit/s' env
drift "$to_vf spoofchk on" 'should have spoofchk off, but has on' env
drift "$to_vf trust off" 'should have trust on, but has off' env
drift 'ip link set net1 promisc off' 'net1 should have promisc on, but has off' in_pod a
drift 'ip link set net1 allmulticast off' 'net1 should have allmulti on, but has off' in_pod a
drift 'ip link set net1 txqueuelen 78' 'net1 should have transmit queue 77, but has 78' in_pod a
in_pod a sh -c 'echo 0 >/proc/sys/net/ipv4/conf/net1/arp_filter'
check $VF0 a "$ALL"
refused 111 'sysctl net/ipv4/conf/net1/arp_filter should be "1" in the pod, but is "0"' 'drift of a sysctl'
deleted $VF0 a "$ALL"
as_before all
restored "$before" 'all: the host is as before'
is "$(in_pod a cat /proc/sys/net/core/somaxconn)" 4096 'all: what was the pod'\''s own is as before, too'

# ---- what the driver refuses, after it has taken the others ----

# denied JSON ERE: an ADD fails half-way.
denied() {
	dmesg --clear
	add_refused 108 "PF $PF0 with driver igb: .*$2" "$1" $VF0 a "{\"vlan\": 7, \"mac\": \"$MAC\", \"spoofchk\": \"off\",
		\"trust\": \"on\", ${1#"{"}"
	as_before "$1"
}
denied '{"link_state": "enable"}' "the VF's link_state: Operation not supported"
like "$(dmesg)" 'Setting VLAN 7.*setting MAC .*VF 0 is trusted' 'the settings before it had been made'
denied '{"link_state": "disable"}' "the VF's link_state: Operation not supported"
denied '{"min_tx_rate": 10}' "the VF's min_tx_rate and max_tx_rate: Invalid argument"
denied '{"max_tx_rate": 1001}' "the VF's min_tx_rate and max_tx_rate: Invalid argument"
denied '{"vlanProto": "802.1ad"}' "the VF's VLAN: Protocol not supported"
restored "$before" 'what the driver refuses: the host is as before'

# This one needs a link to divide the rate of, to restore it, too.
added $VF0 a '{"max_tx_rate": 100}'
ip link set $PF0 down
cni DEL a /run/netns/a net1 "$(config $VF0)"
# The adapter loses its link a moment after the PF went down, and until then takes the rate.
if [ "$CNI_RC" -ne 0 ]; then
	refused 110 "PF $PF0 with driver igb: .*min_tx_rate and max_tx_rate: Invalid argument" 'DEL, the PF is down'
fi
is "$(vf_netdev $VF0)" "$NETDEV" 'DEL, the PF is down: the VF is back all the same'
pf_up $PF0 9000
deleted $VF0 a
as_before 'DEL, the PF is up again'
restored "$before" 'DEL, the PF is up again: the host is as before'

# ---- what the administrator has set ----

ip link set $PF0 vf 0 vlan 9 qos 2
ip link set $PF0 vf 0 max_tx_rate 200
administered=$(vf)
is "$administered" "$OWN 9 2 0 200 true auto false" 'the administrator sets a VLAN and a rate'
kept() { # JSON VF DESCRIPTION
	added $VF0 a "$1"
	is "$(vf)" "$2" "$3"
	check $VF0 a "$1"
	silent "$3: CHECK finds nothing"
	deleted $VF0 a "$1"
	is "$(vf)" "$administered" "$3: DEL brings back what the administrator set"
}
kept '{"min_tx_rate": 0}' "$administered" 'VLAN and the other rate stay'
kept '{"vlan": 0, "max_tx_rate": 100}' "$OWN 0 0 0 100 true auto false" 'vlan 0 takes the VLAN off'
kept '{"vlan": 9}' "$OWN 9 0 0 200 true auto false" 'the same VLAN with its own priority'
ip link set $PF0 vf 0 vlan 0
ip link set $PF0 vf 0 max_tx_rate 0
restored "$before" 'what the administrator had set: the host is as before'

# ---- whose MAC it is ----

# macs EXPECTED JSON [NAME=VALUE]
macs() {
	cni ADD a /run/netns/a net1 "$(config $VF0 "$2")" "${@:3}"
	is "$CNI_RC $(jq -r '.interfaces[0].mac' <<<"$CNI_OUT") $(vf | cut -d ' ' -f 1) $(pod | cut -d ' ' -f 1)" \
		"0 $1 $1 $1" "MAC from ${3:+CNI_ARGS and }$2: result, PF and pod have it"
	deleted $VF0 a "$2"
}
macs 02:00:5e:00:53:0a '{"mac": "02:00:5e:00:53:0a"}'
macs 02:00:5e:00:53:0b '{"mac": "02:00:5e:00:53:0a"}' CNI_ARGS='IgnoreUnknown=1;MAC=02:00:5e:00:53:0b'
macs 02:00:5e:00:53:0c '{"mac": "02:00:5e:00:53:0a", "runtimeConfig": {"mac": "02:00:5e:00:53:0c"}}' \
	CNI_ARGS='IgnoreUnknown=1;MAC=02:00:5e:00:53:0b'
restored "$before" 'MACs: the host is as before'

# ---- what the node's administrator forbids, and what a VF has between two pods ----

profile_edit '.forbid = ["trust", "mac"]'
add_refused 103 'trust: the node profile forbids .*; fix: leave it out' 'forbidden' $VF0 a '{"vlan": 7, "trust": "on"}'
add_refused 103 'mac: the node profile forbids' 'forbidden, by the runtime' $VF0 a "{\"runtimeConfig\": {\"mac\": \"$MAC\"}}"
added $VF0 a '{"vlan": 7}'
deleted $VF0 a
profile_edit 'del(.forbid) | .fabrics.rail.vfBaseline = {vlan: 0, spoofchk: "on", trust: "off", max_tx_rate: 0,
	link_state: "auto", mtu: 1500, promisc: false, allmulti: false, txQLen: 1000}'
ip link set $PF0 vf 0 vlan 9 qos 2
ip link set $PF0 vf 0 spoofchk off
ip link set $PF0 vf 0 trust on
ip link set $PF0 vf 0 max_tx_rate 200
ip link set "$NETDEV" mtu 4000 promisc on allmulticast on txqueuelen 77
added $VF0 a
is "$(vf)" "$OWN 9 2 0 200 false auto true" 'a dirty VF: a network that asks for nothing gets what is there'
deleted $VF0 a
restored "$before" 'a dirty VF: after a pod it has what the profile says'
profile_edit '.fabrics.rail.vfBaseline = {link_state: "enable"}'
added $VF0 a
cni DEL a /run/netns/a net1 "$(config $VF0)"
diag "$CNI_RC $CNI_OUT"
done_testing || exit 1
