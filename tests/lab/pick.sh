# shellcheck shell=bash
# For scenarios that ask which device an ADD takes. Source it after lib.sh.
NET=/run/net.json

# net JSON: writes a network of these keys, and those that every network has, to NET.
net() {
	jq -cn --argjson keys "$1" '{cniVersion: "1.1.0", name: "rail", type: "roce",
		ipam: {type: "roce-ipam", range: "10.56.0.0/24"}} + $keys' >$NET
}
# vfs_of PF NUMBER ARRAY: makes VFs, and waits for their netdevs; ARRAY gets their PCI addresses.
vfs_of() {
	local -n list=$3
	local vf
	echo "$2" >"/sys/class/net/$1/device/sriov_numvfs"
	list=()
	for vf in "/sys/class/net/$1/device/virtfn"*; do
		vf=$(readlink "$vf")
		list+=("${vf##*/}")
		wait_for 100 has_netdev "${vf##*/}" || diag "VF ${vf##*/} of $1 has no netdev"
	done
}
# took: the PCI address in the last result.
took() { [[ $CNI_OUT =~ \"pciID\":\"([^\"]*) ]] && echo "${BASH_REMATCH[1]}"; }
# takes POD PCI DESCRIPTION JSON: an ADD takes this device.
takes() {
	net "$4"
	cni ADD "$1" "/run/netns/$1" net1 "$(<$NET)"
	is "$CNI_RC $(took)" "0 $2" "$3: ADD takes it"
	[ "$CNI_RC" = 0 ] || diag "$CNI_OUT"
}
# agreed POD PCI DESCRIPTION JSON: the same, and rocectl validate names it before.
agreed() {
	net "$4"
	is "$("$BIN/rocectl" validate -o json $NET | jq -r '.reports[0].pci')" "$2" "$3: rocectl validate names it"
	takes "$@"
}
# gone POD...: DEL; it needs no more of the configuration than the network's name.
gone() {
	local pod
	for pod in "$@"; do
		cni DEL "$pod" "/run/netns/$pod" net1 '{"cniVersion": "1.1.0", "name": "rail", "type": "roce"}'
		[ "$CNI_RC$CNI_OUT" = 0 ] || not_ok "DEL from $pod" "$CNI_OUT"
	done
}
# none CODE ERE DESCRIPTION JSON: an ADD to pod h is refused.
none() {
	net "$4"
	cni ADD h /run/netns/h net1 "$(<$NET)"
	refused "$1" "$2" "$3"
	is "$(ip -n h -o link | wc -l)" 1 "$3: nothing is in the pod"
}
# none_agreed CODE ERE DESCRIPTION JSON: the same, and rocectl validate says so, too.
none_agreed() {
	none "$@"
	like "$("$BIN/rocectl" validate -o json $NET | jq -r '.reports[0].findings[] | select(.severity == "error") | .text + "; fix: " + .fix')" \
		"$2" "$3: rocectl validate says the same"
}
