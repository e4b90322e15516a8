# shellcheck shell=bash
# Calls of roce-ipam in a mount namespace of their own: /run is a new tmpfs, the machine sees nothing.
#
# Source this first: it starts the calling script again in there.
if [ -z "${IPAM_NS:-}" ]; then
	exec env IPAM_NS=1 unshare -m --propagation private bash "$0" "$@"
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tap.sh
. "$here/tap.sh"

bin=${ROCE_IPAM:-$here/../build/bin/roce-ipam}
pool=/run/roce-ipam/n1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
err=$scratch/stderr
mount -t tmpfs tmpfs /run || exit 1

# document IPAM [MORE]: the configuration on stdin; MORE are further keys of it.
document() {
	echo "{\"cniVersion\":\"${VERSION:-1.1.0}\",\"name\":\"${NET:-n1}\",\"type\":\"x\",\"ipam\":$1${2:+,$2}}"
}

# call VERB ID IPAM [MORE]: out, rc and msg of one call.
call() {
	local args="K8S_POD_NAMESPACE=default;K8S_POD_NAME=$2${ARGS:+;$ARGS}"

	out=$(CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_NETNS=/run/netns/$2 CNI_IFNAME=${IFNAME:-net1} \
		CNI_ARGS=$args CNI_PATH=/opt/cni/bin \
		"$bin" 2>"$err" <<<"$(document "$3" "$4")")
	rc=$?
	msg=$(jq -r '"\(.code) \(.msg)"' <<<"$out" 2>/dev/null)
}

# add ID IPAM [MORE]: the addresses of an ADD in one line, or its error.
add() {
	call ADD "$1" "$2" "$3"
	# shellcheck disable=SC2154
	if [ "$rc" = 0 ]; then jq -r '[.ips[].address] | join(" ")' <<<"$out"; else echo "$msg"; fi
}

# silent WHAT: the last call succeeded and printed nothing.
silent() { is "$rc:$out" "0:" "$1"; }
leases() { (cd "$pool" 2>/dev/null && find . -maxdepth 1 -name "*[.:]*" -type f -printf "%f\n" | sort -V | tr "\n" " "); }
holders() { (cd "$pool/by-id" 2>/dev/null && ls | tr '\n' ' '); }
# shared: the addresses of the collision domain that has no name.
shared() { (cd /run/roce-ipam/.domain 2>/dev/null && find . -maxdepth 1 -name "*[.:]*" -type f -printf "%f\n" | sort -V | tr "\n" " "); }
fresh() { rm -rf /run/roce-ipam; }
