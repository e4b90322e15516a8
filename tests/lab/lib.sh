# shellcheck shell=bash disable=SC2034
# What the scenarios share. They run inside the guest, as root, in the repository's folder.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/cni.sh
. tests/cni.sh
# shellcheck source=tests/dump.sh
. tests/dump.sh

# Two PFs on one wire, and the first VF of each.
PF0=eth0 PF1=eth1
VF0=0000:01:10.0 VF1=0000:02:10.0

# config VF [JSON...]: a network configuration for one VF, with more keys merged in. Instead of a VF's
# PCI address there may be the name of an auxiliary device, or of any netdev.
config() {
	jq -cn --arg device "$1" --jsonargs '{cniVersion: "1.1.0", name: "rail",
		type: "roce", roceMTU: 4096, ipam: {type: "roce-ipam", range: "10.56.0.0/24"}}
		+ (if $device | test("^....:..:|[.]sf[.]") then {deviceID: $device} else {device: $device} end)
		+ ($ARGS.positional | add)' "${@:2}"
}
# configure VF [JSON...]: the same into CONFIG. What was asked for before is remembered, as jq is slow here.
declare -A CONFIGS=()
configure() {
	[ -n "${CONFIGS[$*]:-}" ] || CONFIGS[$*]=$(config "$@")
	CONFIG=${CONFIGS[$*]}
}

# profile: the node profile of a fabric whose switches carry 9216 bytes of IP.
profile() {
	mkdir -p /etc/cni/net.d/roce.d
	cat >/etc/cni/net.d/roce.d/profile.json <<-'END'
		{"version": 1, "defaultFabric": "rail",
		 "fabrics": {"rail": {"switch": {"mtu": 9216, "semantics": "l3"}, "roceMTU": 4096,
		                      "podMTU": 9000, "pfs": [{"driver": "igb"}]}},
		 "policy": {"mtu": "strict"}, "stateDir": "/run"}
	END
}

# profile_edit JQ-FILTER: change the node profile.
profile_edit() {
	local new
	new=$(jq "$1" /etc/cni/net.d/roce.d/profile.json) || return
	printf '%s\n' "$new" >/etc/cni/net.d/roce.d/profile.json
}

# pf_up PF MTU: set a PF's MTU while it is down (a change bounces the link), and bring it up.
pf_up() {
	ip link set "$1" down
	ip link set "$1" mtu "$2"
	ip link set "$1" up
	wait_for 50 carrier "$1"
}
carrier() { [ "$(cat "/sys/class/net/$1/carrier" 2>/dev/null)" = 1 ]; }

# wait_for TENTHS COMMAND...: until it succeeds.
wait_for() {
	local left=$1
	shift
	until "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 0.1
	done
}

vf_netdev() { basename "$(echo "/sys/bus/pci/devices/$1/net/"*)"; }
has_netdev() { [ "$(vf_netdev "$1")" != '*' ]; }

# vfs MTU [N]: both PFs (only the first if PF1 is empty) up with this MTU, one VF each or N (at most 7), bound to their network driver.
# VFS: their PCI addresses, the first PF's, then the second's.
VFS=()
vfs() {
	local pf vf n bus=1
	for pf in $PF0 $PF1; do
		for ((n = 0; n < ${2:-1}; n++)); do
			printf -v vf '0000:%02x:%02x.%d' $bus $((16 + n / 4)) $((n % 4 * 2))
			VFS+=("$vf")
		done
		echo "${2:-1}" >"/sys/class/net/$pf/device/sriov_numvfs"
		pf_up "$pf" "$1"
		bus=$((bus + 1))
	done
	for vf in "${VFS[@]}"; do
		wait_for 50 has_netdev "$vf" || diag "VF $vf has no netdev"
	done
}

# of_kernel: the folder of what was made for the kernel that runs.
of_kernel() {
	local dir release
	read -r release </proc/sys/kernel/osrelease
	for dir in "$REPO"/build/lab/kernel-*; do
		[ "$(<"$dir/release")" != "$release" ] || echo "$dir"
	done
}
# rdmatest PARAMETER...: load the test module that was built for this kernel.
rdmatest() { insmod "$(of_kernel)/rdmatest.ko" "$@"; }

# rdma_mode exclusive|shared: no namespace may be left; the kernel ends one a moment after its name is gone.
rdma_mode() { run_ok "RDMA mode $1" wait_for 50 rdma system set netns "$1"; }

# rdma_unload: all of the RDMA subsystem, as on a host that has none. rdma_load: again, as after the boot.
rdma_unload() {
	local module
	for module in rdmatest rdma_rxe rdma_ucm ib_uverbs rdma_cm iw_cm ib_cm ib_uverbs_support ib_core; do
		[ ! -e /sys/module/$module ] || rmmod $module || return
	done
}
rdma_load() {
	local dir module name
	dir=$(of_kernel)
	while read -r module; do
		name=${module%.ko}
		[ -e "/sys/module/${name//-/_}" ] || insmod "$dir/initramfs/modules/$module" || return
	done <"$dir/order"
}

# pods NAME...: network namespaces, removed when the script ends.
PODS=()
pods() {
	local pod
	for pod in "$@"; do
		ip netns add "$pod"
		ip -n "$pod" link set lo up
		PODS+=("$pod")
	done
}
lab_end() {
	local pod
	for pod in "${PODS[@]}"; do
		ip netns del "$pod" 2>/dev/null
	done
	for pod in $PF0 $PF1; do
		echo 0 >"/sys/class/net/$pod/device/sriov_numvfs"
	done
}
trap lab_end EXIT

# added VF POD [JSON]: ADD a VF to a pod as net1; the container is named like the pod.
declare -A RESULTS=()
added() {
	configure "$1" "${3:-"{}"}"
	cni ADD "$2" "/run/netns/$2" net1 "$CONFIG"
	RESULTS[$2]=$CNI_OUT
	is "$CNI_RC" 0 "ADD of $1 to $2"
	[ "$CNI_RC" = 0 ] || diag "$CNI_OUT"
}
deleted() {
	configure "$1" "${3:-"{}"}"
	cni DEL "$2" "${4-/run/netns/$2}" net1 "$CONFIG"
	is "$CNI_RC" 0 "DEL of $1 from $2"
	[ "$CNI_RC" = 0 ] || diag "$CNI_OUT"
}
# check VF POD [JSON]: CHECK with what the last ADD to this pod answered.
check() {
	cni CHECK "$2" "/run/netns/$2" net1 "$(config "$1" "${3:-"{}"}" "{\"prevResult\": ${RESULTS[$2]}}")"
}
# add_refused CODE ERE DESCRIPTION VF POD [JSON]: an ADD is refused, and nothing is in the pod.
add_refused() {
	configure "$4" "${6:-"{}"}"
	cni ADD "$5" "/run/netns/$5" net1 "$CONFIG"
	refused "$1" "$2" "$3"
	is "$(ip -n "$5" -o link | wc -l)" 1 "$3: nothing is in the pod"
}
# fixes: the commands that the last answer recommends, each once, one a line.
fixes() {
	jq -r '.msg, .details // empty' <<<"$CNI_OUT" | grep -o 'ip link set dev [^ ]* mtu [0-9]*' |
		awk '!seen[$0]++'
}
pod_mtu() { [[ $(ip -n "$1" -o link show net1) =~ \ mtu\ ([0-9]+) ]] && echo "${BASH_REMATCH[1]}"; }
# chain VF [JSON]: the hops of the MTU chain, one a line: kind, name, MTU now, least MTU, most, verdict.
chain() {
	config "$1" "${2:-"{}"}" >/run/network.json
	"$BIN/rocectl" validate /run/network.json | sed -n '/^  HOP/,/^[^ ]/s/^  //p' | tr -s ' '
}
in_pod() { ip netns exec "$@"; }

# settled_dump: the dump of a host at rest. Carrier and VF resets are over when two dumps agree.
settled_dump() {
	local one two left=50
	one=$(host_dump)
	while [ $left -gt 0 ]; do
		sleep 0.2
		two=$(host_dump)
		[ "$one" != "$two" ] || break
		one=$two
		left=$((left - 1))
	done
	printf '%s\n' "$two"
}
# restored BEFORE DESCRIPTION: the host is again as in a dump. Mostly it is at rest by now.
restored() {
	local now
	now=$(host_dump)
	[ "$now" = "$1" ] || now=$(settled_dump)
	same "$1" "$now" "$2"
}

# pingpong SERVER CLIENT ADDRESS RXE_SERVER RXE_CLIENT MTU: RC traffic of RDMA between two pods, with
# messages larger than one packet. GID index 1 is the IPv4-mapped one on rxe.
pingpong() {
	local server status
	timeout 40 ip netns exec "$1" ibv_rc_pingpong -d "$4" -g 1 -m "$6" -s 65536 -n 50 >/dev/null 2>&1 &
	server=$!
	wait_for 50 listening "$1" 18515
	timeout 30 ip netns exec "$2" ibv_rc_pingpong -d "$5" -g 1 -m "$6" -s 65536 -n 50 "$3"
	status=$?
	[ $status -eq 0 ] || kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	return $status
}
listening() { ip netns exec "$1" ss -Hltn "sport = :$2" | grep -q LISTEN; }
