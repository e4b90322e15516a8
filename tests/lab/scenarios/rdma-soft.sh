#!/bin/bash
# kernel: 7.2
# wire: hub
# limit: 180
# "rdma": "soft": a soft-RoCE device on the netdev in the pod. Where the kernel's rxe does not know network namespaces,
# and in mode exclusive, it is refused: rdma-ready.sh.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/inject.sh
. tests/lab/inject.sh

SOFT='{"rdma":"soft"}'
profile
vfs 9000
pods a b
before=$(settled_dump)

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

# The kernel numbers namespaces with numbers of before, which is hard to arrange; a journal that says so will do.
added $VF0 a "$SOFT"
added $VF1 b "$SOFT"
soft_b=$(soft b)
JOURNALS=/run/roce-cni/attachments/rail
stranger=$(jq -c --slurpfile b $JOURNALS/b:net1 --arg name "$soft_b" '.netns = $b[0].netns |
	(.steps[] | select(.type == "rdma-soft").name) = $name' $JOURNALS/a:net1) &&
	printf '%s' "$stranger" >$JOURNALS/a:net1
ip netns del a
deleted $VF0 a "$SOFT"
is "$(soft b)" "$soft_b" "a late DEL leaves the soft-RoCE device of another pod alone, that has the number of the namespace"
deleted $VF1 b "$SOFT"
pods a
restored "$before" 'number of the namespace used again: the host is as before'

CONF=$(config $VF0 "$SOFT")
NEWLINK=0x1403 DELLINK=0x1404 # RDMA_NLDEV_CMD_NEWLINK, RDMA_NLDEV_CMD_DELLINK
traced ADD a "$CONF"
mapfile -t of_add < <(around $NEWLINK)
traced DEL a "$CONF"
mapfile -t of_del < <(around $DELLINK)
killed ADD "$CONF" "${of_add[@]}"
killed DEL "$CONF" "${of_del[@]}"
is "$DOOMED kills, $SURVIVED" '6 kills, 6' "killed around making and removing it, then DEL: $DOOMED kills, $SURVIVED restored"
done_testing || exit 1
