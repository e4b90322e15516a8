#!/bin/bash
# kernel: 7.2
# wire: hub
# limit: 240
# Two nodes in one: a VF of each PF into a pod, RDMA between the pods at path MTU 4096, and back.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

# both_ways JSON...: add, talk, delete, compare.
both_ways() {
	local more0=$1 more1=$2 before addr0 addr1 what=$3
	before=$(settled_dump)
	added $VF0 a "$more0"
	addr0=$(jq -r '.ips[0].address' <<<"$CNI_OUT")
	is "$(jq -c '.interfaces[0] | [.name, .mtu, .pciID, .sandbox]' <<<"$CNI_OUT")" \
		"[\"net1\",9000,\"$VF0\",\"/run/netns/a\"]" "$what: the result names the interface"
	is "$(jq -r '.interfaces[0].mtu' <<<"$CNI_OUT")" \
		"$(ip -n a -j link show net1 | jq -r '.[0].mtu')" "$what: its MTU is the kernel's"
	local result=$CNI_OUT
	added $VF1 b "$more1"
	addr1=$(jq -r '.ips[0].address' <<<"$CNI_OUT")
	if [ -n "$4" ]; then
		is "$(ip -n a -j link show net1 | jq -r '.[0].address')" "$4" "$what: the pod has the MAC"
		is "$(ip -j -d link show $PF0 | jq -r '.[0].vfinfo_list[0] | "\(.address) \(.vlan_list[0].vlan)"')" \
			"$4 7" "$what: the PF has MAC and VLAN"
	fi
	run_ok "$what: small ping" in_pod a ping -c 1 -W 5 "${addr1%/*}"
	run_ok "$what: ping of MTU 9000 that may not be fragmented" \
		in_pod a ping -c 2 -W 5 -M 'do' -s 8972 "${addr1%/*}"
	run_ok "$what: rxe in pod a" in_pod a rdma link add rxa type rxe netdev net1
	run_ok "$what: rxe in pod b" in_pod b rdma link add rxb type rxe netdev net1
	run_ok "$what: RC traffic at RoCE path MTU 4096" pingpong b a "${addr1%/*}" rxb rxa 4096
	cni CHECK a /run/netns/a net1 "$(config $VF0 "$more0" | jq -c --argjson p "$result" '.prevResult = $p')"
	is "$CNI_RC$CNI_OUT" 0 "$what: CHECK finds nothing"
	in_pod a rdma link del rxa
	in_pod b rdma link del rxb
	deleted $VF0 a "$more0"
	deleted $VF1 b "$more1"
	same "$before" "$(settled_dump)" "$what: the host is as before"
	diag "addresses were $addr0 and $addr1"
}

profile
vfs 9000
pods a b
both_ways '{"mtu": 9000}' '{"mtu": 9000}' plain ''
both_ways '{"vlan": 7, "mac": "02:00:5e:00:53:01"}' '{"vlan": 7, "mac": "02:00:5e:00:53:02"}' \
	'vlan and mac' 02:00:5e:00:53:01
# The VFs still work: what was restored is not only what the PF shows.
added $VF0 a
added $VF1 b
run_ok 'and once more without: ping of MTU 9000' in_pod a ping -c 2 -W 5 -M 'do' -s 8972 10.56.0.2
deleted $VF0 a
deleted $VF1 b
done_testing || exit 1
