#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1200
# The pod's namespace dies and nobody calls DEL: the VF that the kernel gives back is restored by whatever
# comes next, STATUS, GC of any network, rocectl gc or an ADD, and a late DEL does no harm.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

MORE='{"vlan": 7, "mac": "02:00:5e:00:53:01", "mtu": 9000}'
NOT_A='{"cni.dev/valid-attachments": []}'
WITH_A='{"cni.dev/valid-attachments": [{"containerID": "a", "ifname": "net1"}]}'
WITH_B='{"cni.dev/valid-attachments": [{"containerID": "b", "ifname": "net1"}]}'

by_status() { cni STATUS '' '' '' "$(config $VF0 "$MORE")"; }
by_own_gc() { cni GC '' '' '' "$(config $VF0 "$MORE" "$WITH_A")"; }
by_other_gc() { cni GC '' '' '' "$(config $VF1 '{"name": "other"}' "$NOT_A")"; }
by_rocectl() { GC_OUT=$("$BIN/rocectl" gc "$@" 2>/run/gc.err); CNI_RC=$? CNI_OUT=; }

journals() { find "$STATE/roce-cni/attachments" -name '*:net1' -printf '%f\n' | sort | xargs; }
leases() { find "$STATE/roce-ipam" -path '*by-id/*' -printf '%f\n' 2>/dev/null | sort | xargs; }
claims() { find "$STATE/roce-cni/devices" -type l -printf '%f\n' | sort | xargs; }
STATE=/run
vf_entry() { ip -j -d link show $PF0 | jq -c '.[0].vfinfo_list[0] | del(.stats)'; }
pod_link() { ip -n "$1" -j -d link show net1 | jq -c .; }

# die: pod a does what it likes with its interface, and is gone; another namespace takes its name, and mostly
# its number.
die() {
	ip -n a link set net1 down
	ip -n a link set net1 mtu 1400 name mine
	ip -n a link set mine address 02:00:5e:00:53:99 2>/dev/null # the driver may refuse
	ip -n a link set mine up
	ip netns del a
	wait_for 50 has_netdev $VF0 || diag "the VF did not come back"
	pods a
}

# no_addresses: a dump without what a DEL is still to give back. host_restored DESCRIPTION: the host is as it
# was before the first ADD, but for that.
no_addresses() { grep -vE '/(attachments|roce-ipam)/'; }
host_restored() {
	local now
	now=$(host_dump | no_addresses)
	[ "$now" = "$HOST" ] || now=$(settled_dump | no_addresses)
	same "$HOST" "$now" "$1"
}

profile
vfs 9000
pods a b
before=$(settled_dump)
HOST=$(no_addresses <<<"$before")

# ---- who repairs, and what is left for DEL ----

# repaired BY JSON: an ADD with JSON, and its pod dies; BY restores the VF, DEL frees the address.
repaired() {
	local by=$1
	added $VF0 a "$2"
	die
	$by
	is "$CNI_RC:$CNI_OUT" 0: "$by succeeds"
	like "$CNI_ERR" "device $VF0 of container a \(network rail\) is restored" "$by says what it did"
	is "$(journals) $(leases) $(claims)" 'a:net1 a:net1:0 ' "$by: journal and address stay, the claim is gone"
	host_restored "$by: the host is as before"
	$by
	is "$CNI_RC:$CNI_OUT$CNI_ERR" 0: "$by once more has nothing to say"
	deleted $VF0 a "$2"
	restored "$before" "$by twice, then DEL: the host is as before, without a lease"
}
repaired by_status "$MORE"
repaired by_status '{"mtu": 4200}'
repaired by_own_gc "$MORE"
repaired by_other_gc "$MORE"

added $VF0 a "$MORE"
die
died=$(settled_dump)
by_rocectl --dry-run
is "$CNI_RC:$(cat /run/gc.err)" 0: 'rocectl gc --dry-run succeeds'
like "$GC_OUT" "rail +a +net1 +$VF0 +(orphan|dirty) +restore,release,forget +planned" 'rocectl gc --dry-run lists the pod'
same "$died" "$(host_dump)" 'rocectl gc --dry-run changes nothing'
by_rocectl -o json
is "$CNI_RC" 0 'rocectl gc succeeds'
is "$(jq -c '.attachments[] | [.network, .containerID, .pci, .actions, .result]' <<<"$GC_OUT")" \
	'["rail","a","0000:01:10.0",["restore","release","forget"],"done"]' 'rocectl gc lists what it did'
deleted $VF0 a "$MORE"
restored "$before" 'rocectl gc, then DEL: the host is as before, without a lease'

added $VF0 a "$MORE"
die
added $VF0 b
is "$(pod_mtu b)" 9000 'the next ADD restores first'
deleted $VF0 b
restored "$before" 'the next ADD, and its DEL: the host is as before, without a lease'

# ---- the old pod's DEL or GC, while the new one has the VF ----

# late DESCRIPTION COMMAND...: the VF was repaired and is in pod b when COMMAND ends the attachment of a.
late() {
	local what=$1 link entry
	shift
	added $VF0 a "$MORE"
	die
	by_status
	added $VF0 b '{"vlan": 9, "mac": "02:00:5e:00:53:02", "mtu": 4200}'
	link=$(pod_link b) entry=$(vf_entry)
	like "$entry" '"vlan":9' "$what: pod b has the VF"
	"$@"
	is "$CNI_RC" 0 "$what succeeds"
	is "$(pod_link b)" "$link" "$what leaves the interface of pod b alone"
	is "$(vf_entry)" "$entry" "$what leaves what the PF has for it alone"
	is "$(journals) $(leases) $(claims)" "b:net1 b:net1:0 $VF0" "$what frees the address of pod a alone"
	deleted $VF0 b
}
late 'a late DEL' deleted $VF0 a "$MORE"
late 'a late DEL without CNI_NETNS' deleted $VF0 a "$MORE" ''
late 'GC' cni GC '' '' '' "$(config $VF0 "$WITH_B")"
late 'rocectl gc' by_rocectl
restored "$before" 'after the DELs of pod b the host is as before'

# ---- without IPAM ----

PLAIN=$(config $VF0 "$MORE" | jq -c 'del(.ipam)')
for end in DEL GC; do
	cni ADD a /run/netns/a net1 "$PLAIN"
	die
	by_status
	is "$(journals) $(claims)" 'a:net1 ' 'no IPAM: the journal stays'
	if [ $end = DEL ]; then
		cni DEL a '' net1 "$PLAIN"
	else
		cni GC '' '' '' "$(jq -c --argjson list "$NOT_A" '. + $list' <<<"$PLAIN")"
	fi
	is "$CNI_RC:$CNI_OUT" 0: "no IPAM: $end succeeds"
	restored "$before" "no IPAM: after $end the host is as before"
done

# ---- the pod is alive ----

vf_settings() { # but not the ifindex
	vf_entry
	ip -j link show "$(vf_netdev $VF0)" | jq -c '.[0] | {ifname, mtu, address, up: (.flags | index("UP") != null)}'
}
bound=$(vf_settings)
added $VF0 a "$MORE"
alive=$(settled_dump; pod_dump a)
for by in by_status by_own_gc by_other_gc by_rocectl; do
	$by
	is "$CNI_RC:$CNI_OUT" 0: "$by, the pod is alive: succeeds"
	same "$alive" "$(host_dump; pod_dump a)" "$by, the pod is alive: nothing changes"
done
is "$(ls -A /sys/bus/pci/devices/$VF0/net)" '' 'the netdev of the VF is not here'
[ -d /sys/bus/pci/devices/$VF0/net ] && ok 'but there is one' || not_ok 'but there is one'

# Its driver is taken away, in the pod: there is nothing to restore, and nobody waits for it.
quick() { # quick DESCRIPTION: STATUS has nothing to say, and is back at once
	CNI_RUN="strace -o /run/calls" by_status
	is "$CNI_RC:$CNI_OUT$CNI_ERR" 0: "$1: STATUS has nothing to say"
	is "$(grep -cE '^(link|unlink|sendmsg.*NEWLINK)' /run/calls)" 0 "$1: and does nothing"
	[ "$(wc -l </run/calls)" -lt 200 ] && ok "$1: nor does it wait" || not_ok "$1: nor does it wait" "$(tail /run/calls)"
}
echo $VF0 >/sys/bus/pci/devices/$VF0/driver/unbind
quick 'unbound, the pod alive'
ip netns del a
sleep 0.5
quick 'unbound, the pod dead'
echo $VF0 >/sys/bus/pci/drivers/igbvf/bind
wait_for 50 has_netdev $VF0
by_status
like "$CNI_ERR" "device $VF0 .* is restored" 'bound again: STATUS restores it'
is "$(vf_settings)" "$bound" 'bound again: its settings are as before'
deleted $VF0 a "$MORE" ''
is "$(journals)$(leases)" '' 'bound again: DEL'

# ---- with an RDMA device, in mode exclusive ----

ip netns del b
run_ok 'the test module' rdmatest "pci=$VF0"
rdma_mode exclusive
pods a
before=$(settled_dump)
HOST=$(no_addresses <<<"$before")
added $VF0 a "$MORE"
is "$(rdma -j dev | jq length)" 0 'the RDMA device left the host'
die
by_status
host_restored 'the RDMA device, too, is as before'
deleted $VF0 a "$MORE"
restored "$before" 'then DEL: the host is as before'
ip netns del a
rdma_mode shared
rmmod rdmatest

# ---- what STATUS costs with many that are alive ----

calls() { # system calls of a STATUS by itself
	CNI_RUN="strace -o /run/calls" by_status
	grep -cE '^[a-z0-9_]+\(' /run/calls
}
none=$(calls)
for pf in $PF0 $PF1; do
	echo 0 >/sys/class/net/$pf/device/sriov_numvfs
	echo 7 >/sys/class/net/$pf/device/sriov_numvfs
done
n=0
for vf in /sys/class/net/$PF0/device/virtfn* /sys/class/net/$PF1/device/virtfn*; do
	vf=$(basename "$(readlink "$vf")")
	wait_for 100 has_netdev "$vf"
	n=$((n + 1))
	pods p$n
	added "$vf" p$n
done
is "$(claims | wc -w)" 14 '14 VFs are attached'
many=$(calls)
diag "system calls of a STATUS: $none without attachments, $many with 14"
[ "$many" -le $((none + 75)) ] && ok '14 attachments cost at most 75 system calls' ||
	not_ok '14 attachments cost at most 75 system calls' "$none, $many"
is "$(grep -cE 'attachments/rail|"/proc"|/run/netns' /run/calls)" 0 'no journal is read, no namespace looked for'
ip netns del p3
sleep 1
by_status
like "$CNI_ERR" 'of container p3 ' 'the one of 14 that is dead is restored'
is "$(claims | wc -w)" 13 'and no other'
done_testing || exit 1
