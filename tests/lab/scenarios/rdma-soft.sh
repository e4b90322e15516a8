#!/bin/bash
# kernel: 6.1 6.12 7.2
# wire: hub
# limit: 180
# "rdma": "soft": a soft-RoCE device on the netdev in the pod, where the kernel's rxe knows network namespaces.
# Where it does not, the ADD is refused and undone.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/inject.sh
. tests/lab/inject.sh

SOFT='{"rdma":"soft"}'
profile
vfs 9000

# In mode exclusive a new device is the host's, even if its netdev is not, and rxe cannot be moved.
run_ok 'mode exclusive' rdma system set netns exclusive
pods a
before=$(settled_dump)
add_refused 113 'in RDMA mode exclusive the kernel leaves a soft-RoCE device on the host, .* mode shared on this node: options ib_core netns_mode=1' \
	'mode exclusive' $VF0 a "$SOFT"
restored "$before" 'mode exclusive: nothing was changed'
ip netns del a
run_ok 'mode shared' rdma system set netns shared
pods a b
before=$(settled_dump)

if [[ $(uname -r) = 6.* ]]; then
	add_refused 108 "soft RoCE on net1: the kernel refused: .*; this kernel's rdma_rxe works in the host's network namespace only \(it knows others since Linux 7.1\): use \"rdma\": \"off\", or a newer kernel" \
		'this kernel' $VF0 a "$SOFT"
	restored "$before" 'this kernel: the host is as before'
	done_testing || exit 1
	exit 0
fi

# soft POD: the name of its device. The kernel's answer has those of all namespaces, and netdevs of this one alone.
soft() { [[ $(in_pod "$1" rdma link) =~ link\ (rxe_[0-9]+_net1)/1\ [^$'\n']*\ netdev\ net1 ]] && echo "${BASH_REMATCH[1]}"; }

# ---- two pods ----

added $VF0 a "$SOFT"
like "$CNI_ERR" 'RDMA device rxe_[0-9]+_net1: address 10.56.0.1/24 has the RoCE v2 GID index [0-9]' 'the log has the GID index'
added $VF1 b "$SOFT"
soft_a=$(soft a) soft_b=$(soft b)
like "$soft_a $soft_b" '^rxe_[0-9]+_net1 rxe_[0-9]+_net1$' 'each pod has its soft-RoCE device on net1'
[[ $CNI_ERR =~ GID\ index\ ([0-9]+) ]]
is "$(in_pod b cat "/sys/class/infiniband/$soft_b/ports/1/gids/${BASH_REMATCH[1]}")" \
	'0000:0000:0000:0000:0000:ffff:0a38:0002' 'and that GID is there'
check $VF0 a "$SOFT"
is "$CNI_RC$CNI_OUT" 0 'CHECK finds nothing'
run_ok 'RC traffic at RoCE path MTU 4096' pingpong b a 10.56.0.2 "$soft_b" "$soft_a" 4096
in_pod a rdma link del "$soft_a"
check $VF0 a "$SOFT"
refused 111 "RDMA device $soft_a should be in the pod, but is not" 'CHECK after the pod has removed it'
deleted $VF0 a "$SOFT"
deleted $VF1 b "$SOFT"
restored "$before" 'the host is as before'

# ---- without the pod; killed ----

added $VF0 a "$SOFT"
ip netns del a
deleted $VF0 a "$SOFT"
pods a
restored "$before" 'namespace gone: the host is as before'

CONF=$(config $VF0 "$SOFT")
add() { cni ADD "$1" "/run/netns/$1" net1 "$CONF"; }
del() { cni DEL "$1" "/run/netns/$1" net1 "$CONF"; }
NEWLINK=0x1403 DELLINK=0x1404 # RDMA_NLDEV_CMD_NEWLINK, RDMA_NLDEV_CMD_DELLINK
traced ADD a "$CONF"
mapfile -t of_add < <(around $NEWLINK)
traced DEL a "$CONF"
mapfile -t of_del < <(around $DELLINK)
killed ADD "$CONF" "${of_add[@]}"
killed DEL "$CONF" "${of_del[@]}"
is "$DOOMED kills, $SURVIVED" '6 kills, 6' "killed around making and removing it, then DEL: $DOOMED kills, $SURVIVED restored"
done_testing || exit 1
