# shellcheck shell=bash
# A private world for a test: own network namespace (the "host"), own mounts, own /run, /etc and /sys.
# Whatever the test does is gone when it ends, also when it is killed.
#
# First lines of a test:
#	cd "$(dirname "$0")/../.." || exit 1
#	. tests/world.sh; world_enter "$@"

world_enter() {
	if [ -z "${IN_WORLD:-}" ]; then
		[ "$(id -u)" -eq 0 ] || { echo "Bail out! $0 must run as root"; exit 1; }
		exec env IN_WORLD=1 unshare --mount --net --propagation private -- bash "$0" "$@"
	fi
	mount -t tmpfs tmpfs /run
	mount -t sysfs sysfs /sys
	mkdir -p /run/netns /run/world/upper /run/world/work
	if ! mount -t overlay overlay \
		-o lowerdir=/etc,upperdir=/run/world/upper,workdir=/run/world/work /etc 2>/dev/null; then
		cp -a /etc /run/world/etc
		mount --bind /run/world/etc /etc
	fi
	ip link set lo up
	BIN=${BIN:-$PWD/build/bin}
	export BIN
}

PROFILE=/etc/cni/net.d/roce.d/profile.json

# world_profile JSON: the node profile of this world; no argument removes it.
world_profile() {
	rm -f "$PROFILE"
	[ $# -gt 0 ] || return 0
	mkdir -p "${PROFILE%/*}"
	printf '%s\n' "$1" >"$PROFILE"
}

# world_veth NAME PEER MTU [MTU_OF_PEER]: a veth; the peer stays on the "host" and is up.
world_veth() {
	ip link add "$1" mtu "$3" type veth peer name "$2" mtu "${4:-$3}"
	ip link set "$2" up
}
