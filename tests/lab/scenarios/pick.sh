#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 480
# Networks with "pf": which VF an ADD takes, alone and among others, and what it says when there is none.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/pick.sh
. tests/lab/pick.sh

PF="{\"pf\": \"$PF0\"}"
ANY='{"pf": "*"}'
profile
pf_up $PF0 9000
vfs_of $PF0 7 VF
pods a b c d e f g h
before=$(settled_dump)

# ---- the PF ----

none 101 'pf: no interface eth77 on the host' 'a PF that does not exist' '{"pf": "eth77"}'
none_agreed 101 "PF $PF1 \(0000:02:00\.0\) has no VFs, it can have 7; make them: echo 7 > /sys/class/net/$PF1/device/sriov_numvfs" \
	'a PF without VFs' "{\"pf\": \"$PF1\"}"
none 101 "is a VF of PF 0000:01:00\.0; write .*\"deviceID\": \"$VF0\"" 'a VF as PF' "{\"pf\": \"$(vf_netdev "$VF0")\"}"
profile_edit '.fabrics.rail.pfs = [{pci: "0000:02:00.0"}]'
none_agreed 103 "port $PF0 \(PCI 0000:01:00\.0, driver igb\) is not on fabric rail" 'a PF outside of the fabric' "$PF"
none 101 "PF $PF1 .* has no VFs" 'any PF of a fabric, none of which has VFs' "$ANY"
profile

# ---- the lowest number, and the profile's own choice before ----

agreed a "${VF[0]}" 'the first' "$PF"
agreed b "${VF[1]}" 'the second' "{\"pf\": \"$PF0\", \"runtimeConfig\": {\"CNIDeviceInfoFile\":
	\"/var/run/k8s.cni.cncf.io/devinfo/cni/pick.json\"}}"
is "$(jq -r '.pci["pci-address"]' /var/run/k8s.cni.cncf.io/devinfo/cni/pick.json)" "${VF[1]}" 'the device info names it'
cni CHECK b /run/netns/b net1 "$(jq -c --argjson prev "$CNI_OUT" '.prevResult = $prev' $NET)"
is "$CNI_RC$CNI_OUT" 0 'CHECK finds nothing'
gone a
agreed a "${VF[0]}" 'the lowest again' "$PF"
cni ADD a /run/netns/a net1 "$(<$NET)"
refused 102 "container a has interface net1 in network rail already \(device ${VF[0]}\)" 'the same ADD twice'
gone a b
ip link property add dev $PF0 altname rail-zero-left-port
takes a "${VF[0]}" 'a PF by altname' '{"pf": "rail-zero-left-port"}'
takes b "${VF[1]}" 'a PF by PCI address' '{"pf": "0000:01:00.0"}'
ip link property del dev $PF0 altname rail-zero-left-port
gone a b
profile_edit '.fabrics.rail.vfs = [5, "2-3"]'
takes a "${VF[2]}" 'preferred: the first' "$PF"
takes b "${VF[3]}" 'preferred: the second' "$PF"
agreed c "${VF[5]}" 'preferred: the third' "$PF"
agreed d "${VF[0]}" 'when these are taken, the others' "$PF"
gone a b c d
profile
restored "$before" 'the host is as before'

# ---- VFs that are passed over ----

ip addr add 192.0.2.1/24 dev "$(vf_netdev "${VF[0]}")"
ip link add link "$(vf_netdev "${VF[1]}")" name on7 type vlan id 7
echo "${VF[2]}" >/sys/bus/pci/drivers/igbvf/unbind
added "${VF[3]}" a
agreed b "${VF[4]}" 'an address, a VLAN, no driver, a pod: all passed over' "$PF"
takes c "${VF[5]}" 'the next' "$PF"
takes d "${VF[6]}" 'the last' "$PF"
none_agreed 102 "no VF is free on PF $PF0: 7 VFs, 4 in pods of roce \(a, b, c, d\), 1 without a netdev on the host \(VF 2 of $PF0\), 2 not for pods \(VF 0 of $PF0: device [a-z0-9]+ has an IP address of the host.*, VF 1 of $PF0: device [a-z0-9]+ carries another netdev.*\); delete one of these pods.*, or bind VF 2 to its driver: echo ${VF[2]} > /sys/bus/pci/drivers_probe; more VFs" \
	'none is left' "$PF"
msg | grep -o 'echo 0000:[^;]*' >/run/fix
run_ok 'what the message says binds the VF' bash /run/fix
wait_for 100 has_netdev "${VF[2]}"
takes e "${VF[2]}" 'it is free then' "$PF"
none 102 "7 VFs, 5 in pods of roce \(e, a, b, c and 1 more\), 2 not for pods" 'none is left again' "$PF"
none 102 "\(${VF[3]}\) belongs to container a \(network rail, interface net1, namespace /run/netns/a\)" \
	'a VF of another pod, by its address' "{\"deviceID\": \"${VF[3]}\"}"
gone a b c d e
ip link del on7
ip addr del 192.0.2.1/24 dev "$(vf_netdev "${VF[0]}")"
before=$(settled_dump) # the VF that was bound anew has another ifindex

# ---- all at once ----

net "$PF"
for pod in a b c d e f g h; do
	{
		cni ADD $pod /run/netns/$pod net1 "$(<$NET)"
		printf '%s\n' "$CNI_RC $(took) $CNI_OUT" >"/run/at-once.$pod"
	} &
done
wait
is "$(sed -n 's/^0 \([^ ]*\).*/\1/p' /run/at-once.* | sort)" "$(printf '%s\n' "${VF[@]}" | sort)" \
	'eight ADDs at once: each VF is taken once'
like "$(sed '/^0/d' /run/at-once.*)" "^1  .*\"code\":102,\"msg\":\"no VF is free on PF $PF0: 7 VFs, 7 in pods of roce \([a-h], " \
	'one is refused, with the counts'
is "$(find /run/roce-cni/devices -name '.*')" '' 'no lock is left'
late=$(grep -l '^1' /run/at-once.*)
late=${late##*.}
other=$([ "$late" = a ] && echo b || echo a)
freed=$(cut -d ' ' -f 2 "/run/at-once.$other")
gone "$other"
agreed "$late" "$freed" 'after a DEL: the VF that is free again' "$PF"

# A DEL at work: its VF is not free yet, but will be.
gone "$late"
mkdir /run/plugins
cat >/run/plugins/slow <<-'END'
	#!/bin/sh
	cat >/dev/null
	[ "$CNI_COMMAND" = ADD ] || { echo >/run/slow.begun; until [ -e /run/slow.go ]; do sleep 0.1; done; }
	echo '{"cniVersion": "1.1.0", "ips": [{"address": "192.0.2.7/24"}]}'
END
chmod +x /run/plugins/slow
CNI_DIRS=$BIN:/run/plugins
takes "$late" "$freed" 'the last VF, of a network whose IPAM plugin is slow' "{\"pf\": \"$PF0\", \"ipam\": {\"type\": \"slow\"}}"
gone "$late" &
wait_for 100 test -e /run/slow.begun
net "$PF"
like "$("$BIN/rocectl" validate -o json $NET | jq -r '.reports[0].findings[].text')" \
	"7 VFs, 6 in pods of roce .*, 1 at work in an ADD or DEL \(VF [0-6] of $PF0\); try again" 'a dry run while a DEL is at work'
{
	cni ADD "$other" "/run/netns/$other" net1 "$(<$NET)"
	printf '%s\n' "$CNI_RC $(took) $CNI_OUT" >/run/waited
} &
sleep 2
run_ok 'an ADD meanwhile waits' test ! -e /run/waited
echo >/run/slow.go
wait
like "$(cat /run/waited)" "^0 $freed " 'and takes the VF when the DEL has ended'
gone a b c d e f g h
restored "$before" 'all at once: the host is as before'

# ---- any PF of the fabric ----

ip link set $PF1 mtu 9000
vfs_of $PF1 2 OTHER
pf_up $PF1 9000
agreed a "${VF[0]}" 'any PF: the first VF' "$ANY"
agreed b "${OTHER[0]}" 'any PF: the first VF of the next' "$ANY"
takes c "${VF[1]}" 'any PF: the second VF' '{"pf": "*", "fabric": "rail"}'
gone a b c
profile_edit '.fabrics.other = {"pfs": [{"pci": "0000:02:00.0"}], "vfs": ["1-1"]}
	| .fabrics.rail.pfs = [{"pci": "0000:01:00.0"}]'
takes a "${OTHER[1]}" 'any PF of the fabric that is asked for' '{"pf": "*", "fabric": "other"}'
takes b "${OTHER[0]}" 'and its other VF' '{"pf": "*", "fabric": "other"}'
none 102 "no VF is free on PF $PF1: 2 VFs, 2 in pods of roce \([ab], [ab]\); delete .*, or make VFs: with none of them in a pod, echo 0 > .*/$PF1/.*; echo 7 > /sys/class/net/$PF1/device/sriov_numvfs" \
	'none of it is left' '{"pf": "*", "fabric": "other"}'
takes c "${VF[0]}" 'any PF of the default fabric' "$ANY"
gone a b c
profile
echo 0 >/sys/class/net/$PF1/device/sriov_numvfs
ip link set $PF1 down
ip link set $PF1 mtu 1500

# ---- a pod that died without a DEL ----

name=$(vf_netdev "${VF[0]}")
takes a "${VF[0]}" 'for a pod that will die' "$PF"
ip netns del a
wait_for 100 has_netdev "${VF[0]}"
agreed b "${VF[0]}" 'the VF of a dead pod' "$PF"
like "$CNI_ERR" "comes back from container a, which was never deleted" 'what the pod left is undone first'
gone b
is "$(vf_netdev "${VF[0]}")" "$name" 'the VF has its name again'
ip netns add a
restored "$before" 'a dead pod: the host is as before'
done_testing || exit 1
