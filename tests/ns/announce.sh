#!/bin/bash
# What an ADD tells the link: the exact frames, what a neighbour makes of them, with and without carrier;
# and IPv6 addresses, which the pod can use while the kernel still looks for a duplicate.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/cni.sh
. tests/cni.sh
# shellcheck source=tests/dump.sh
. tests/dump.sh

POD=/run/netns/pod1
MAC=02:00:5e:00:53:01
TRACE=/run/trace
ip netns add pod1
world_veth rdma0 port0 1500 9216
ip link set rdma0 address $MAC
ip addr add 10.56.0.1/24 dev port0
ip addr add 2001:db8:56::1/64 dev port0 nodad
sysctl -qw net.ipv6.conf.port0.keep_addr_on_down=1
# Between two pods port0 has no carrier, unlike a neighbour behind a switch: its entries are to stay.
sysctl -qw net.ipv4.conf.port0.arp_evict_nocarrier=0 net.ipv6.conf.port0.ndisc_evict_nocarrier=0 2>/dev/null
strace -o /dev/null true 2>/dev/null && STRACE=1 || STRACE=
BEFORE=$(host_dump)
POD_BEFORE=$(pod_dump pod1)

# ---- what is heard on the other end ----

cat >/run/world/hear.py <<'PYTHON'
"""Hear the frames that come in on port0; for each line on stdin print the ARP frames and neighbour
advertisements since the last one as hexadecimal digits, one a line, then an empty line. In the place
of an advertisement's checksum is "sums" if it is right.

A line "fence" waits for a frame that is sent from the pod's net1, so that nothing is on its way any more.
"""
import ctypes
import errno
import os
import socket
import struct
import sys

OUTGOING, FENCE = 4, 0x88B6


def hear():
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    sock.bind(("port0", 0))
    return sock


def send_fence(frame):
    setns = ctypes.CDLL(None, use_errno=True).setns
    with open("/proc/self/ns/net") as here, open("/run/netns/pod1") as pod:
        setns(pod.fileno(), 0)
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as sock:
            sock.bind(("net1", 0))
            sock.send(frame)
        setns(here.fileno(), 0)


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def text(frame):
    kind = frame[12:14]
    if kind == b"\x08\x06":
        return frame.hex()
    if kind != b"\x86\xdd" or frame[20] != 58 or frame[54] != 136:
        return None
    body = frame[54:56] + b"\0\0" + frame[58:]
    right = checksum(frame[22:54] + struct.pack("!II", len(body), 58) + body)
    if frame[56:58] == struct.pack("!H", right):
        return frame[:56].hex() + "sums" + frame[58:].hex()
    return frame.hex()


def frames(sock, until):
    sock.settimeout(10 if until else 0)
    while True:
        try:
            frame, address = sock.recvfrom(70000)
        except BlockingIOError:
            return
        except OSError as error:  # once, when the interface goes down
            if error.errno != errno.ENETDOWN:
                raise
            continue
        if frame == until:
            return
        if address[2] != OUTGOING:
            yield frame


ears = hear()
print("ready", flush=True)
for serial, line in enumerate(sys.stdin):
    fence = None
    if line == "fence\n":
        fence = bytes.fromhex("02005e0053ff02005e0053fe") + struct.pack("!HI", FENCE, serial) + bytes(40)
        send_fence(fence)
    print("".join(t + "\n" for t in map(text, frames(ears, fence)) if t), flush=True)
PYTHON
coproc HEAR { exec python3 -u /run/world/hear.py; }
read -r -t 20 READY <&"${HEAR[0]}"
is "$READY" ready "there is somebody to hear"

# heard [fence]: all ARP frames and neighbour advertisements since the last time, one a line.
heard() {
	local line
	echo "$*" >&"${HEAR[1]}"
	while read -r -t 20 line <&"${HEAR[0]}" && [ -n "$line" ]; do printf '%s\n' "$line"; done
}

hex() { printf '%s' "${1//:/}"; }
# arp ADDRESS: the announcement of RFC 5227; na ADDRESS: the one of RFC 4861. Bytes by hand.
arp() {
	local ip
	# shellcheck disable=SC2046,SC2086
	ip=$(printf '%02x' $(tr . ' ' <<<$1))
	echo "ffffffffffff$(hex $MAC)0806" 0001 0800 06 04 0001 "$(hex $MAC)$ip" 000000000000 "$ip" | tr -d ' '
}
na() {
	local ip
	ip=$(python3 -c 'import ipaddress, sys; print(ipaddress.ip_address(sys.argv[1]).packed.hex())' "$1")
	echo "333300000001$(hex $MAC)86dd" 60000000 0020 3a ff "$ip" ff020000000000000000000000000001 \
		88 00 sums 20000000 "$ip" 0201 "$(hex $MAC)" | tr -d ' '
}

# ---- helpers ----

IPV4='{range: "10.56.0.5-10.56.0.9/24"}'
IPV6='{range: "2001:db8:56::5-2001:db8:56::9/64"}'
ipam() { config "${2:-.} | .ipam = {type: \"roce-ipam\", ipRanges: [$1]}"; }
# add CONFIG DESCRIPTION; took: how many ms it took.
add() {
	local begin=$EPOCHREALTIME
	cni ADD c1 "$POD" net1 "$1"
	local end=$EPOCHREALTIME
	TOOK=$(((${end/./} - ${begin/./}) / 1000))
	CHECKED=$(jq -c --argjson r "${CNI_OUT:-{\}}" '.prevResult = $r' <<<"$1")
	succeeded "$2: ADD"
}
check() { cni CHECK c1 "$POD" net1 "$CHECKED"; }
del() { # del DESCRIPTION
	CNI_RUN=
	cni DEL c1 "$POD" net1 "$CHECKED"
	silent "$1: DEL"
	ip neigh flush dev port0
	heard >/dev/null
}
restored() { # restored DESCRIPTION: DEL, and host and pod as before
	del "$1"
	same "$BEFORE" "$(host_dump)" "$1: the host is as before"
	same "$POD_BEFORE" "$(pod_dump pod1)" "$1: the pod is as before"
}
flags() { # flags ADDRESS: what the kernel says of an IPv6 address in the pod
	ip -n pod1 -6 -j addr show dev net1 | jq -r --arg a "$1" '.[].addr_info[] | select(.local == $a)
		| [("optimistic", "tentative", "nodad", "dadfailed") as $f | select(.[$f]) | $f] | join(" ")'
}
# wait_for COMMAND...: until it succeeds, at most 10 s.
wait_for() {
	local left=100
	until "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.1
	done
}
in_pod() { ip netns exec pod1 "$@"; }
settled() { [[ $(flags "$1") != *tentative* ]]; }
failed() { [[ $(flags "$1") == *dadfailed* ]]; }
warnings() { grep -E 'carrier|announce' <<<"$CNI_ERR"; }
lines() { printf '%s\n' "$@"; }

# ---- the frames ----

conf=$(ipam "$IPV4, $IPV6" | jq -c '.ipam.addresses = [{address: "192.0.2.7/25"}, {address: "fd00:56::7/48"}]')
add "$conf" "two addresses of each family"
same "$(heard fence)" "$(lines "$(arp 10.56.0.5)" "$(na 2001:db8:56::5)" "$(arp 192.0.2.7)" "$(na fd00:56::7)")" \
	"two addresses of each family: exactly these frames, one for each address"
is "$(warnings)" "" "two addresses of each family: nothing to complain about"
check
silent "two addresses of each family: CHECK right after ADD"
restored "two addresses of each family"

add "$(ipam "$IPV4")" "IPv4 alone"
same "$(heard fence)" "$(arp 10.56.0.5)" "IPv4 alone: one frame"
del "IPv4 alone"
add "$(ipam "$IPV6" '.mac = "02:00:5e:00:53:aa"')" "IPv6 alone, with a MAC of the network"
same "$(heard fence)" "$(MAC=02:00:5e:00:53:aa; na 2001:db8:56::5)" "IPv6 alone: one frame, with the MAC that the pod has"
del "IPv6 alone"
add "$(config)" "no addresses"
same "$(heard fence)" "" "no addresses: no frame"
del "no addresses"

# ---- neighbours ----

neighbour() { ip -j neigh show dev port0 to "$1" | jq -r '.[0].lladdr'; }
for nud in stale reachable; do
	for ip in 10.56.0.5 2001:db8:56::5 10.56.0.6 2001:db8:56::6; do
		ip neigh replace $ip lladdr 02:00:5e:00:53:99 dev port0 nud $nud
	done
	add "$(ipam "$IPV4, $IPV6")" "neighbour with $nud entries"
	heard fence >/dev/null
	is "$(neighbour 10.56.0.5) $(neighbour 2001:db8:56::5)" "$MAC $MAC" \
		"neighbour with $nud entries of the addresses' last pod: it has the new MAC"
	is "$(neighbour 10.56.0.6) $(neighbour 2001:db8:56::6)" "02:00:5e:00:53:99 02:00:5e:00:53:99" \
		"neighbour with $nud entries: others stay"
	del "neighbour with $nud entries"
done

# ---- settings ----

notify() {
	in_pod sh -c "cd /proc/sys/net; grep -H . ipv4/conf/$1/arp_notify ipv6/conf/$1/ndisc_notify" | tr '\n' ' '
}
for value in 0 1; do
	in_pod sysctl -qw net.ipv4.conf.default.arp_notify=$value net.ipv6.conf.default.ndisc_notify=$value
	HAD="$(notify all)$(notify default)"
	add "$(ipam "$IPV4, $IPV6")" "arp_notify and ndisc_notify $value"
	is "$(notify all)$(notify default)" "$HAD" "arp_notify and ndisc_notify of the pod stay as they were"
	is "$(notify net1)" "ipv4/conf/net1/arp_notify:$value ipv6/conf/net1/ndisc_notify:$value " \
		"arp_notify and ndisc_notify of net1: $value, as the pod's default says"
	restored "arp_notify and ndisc_notify $value"
done
in_pod sysctl -qw net.ipv4.conf.default.arp_notify=0 net.ipv6.conf.default.ndisc_notify=0

# ---- IPv6 at once ----

# Another address that would do as source, and which the kernel would prefer to an optimistic one.
ip -n pod1 link add eth0 type veth peer name eth1
ip -n pod1 link set eth0 up
ip -n pod1 link set eth1 up
ip -n pod1 addr add 2001:db8:1::1/64 dev eth0 nodad
for round in 1 2 3; do
	add "$(ipam "$IPV6")" "IPv6, round $round"
	run_ok "IPv6, round $round: a ping to an unknown neighbour is answered at once" \
		in_pod ping -q -c 1 -W 0.9 2001:db8:56::1
	like "$(flags 2001:db8:56::5)" '^(optimistic tentative)?$' "IPv6, round $round: DAD is at work, or through"
	del "IPv6, round $round"
done
add "$(ipam "$IPV6")" "IPv6"
like "$(ip -n pod1 -6 route get 2001:db8:56::1)" ' src 2001:db8:56::5 ' "IPv6: it is the source address to its subnet"
run_ok "IPv6: bind()" in_pod python3 -c 'import socket
socket.socket(socket.AF_INET6, socket.SOCK_STREAM).bind(("2001:db8:56::5", 4791))'
run_ok "IPv6: the neighbour reaches it at once" ping -q -c 1 -W 0.9 2001:db8:56::5
check
silent "IPv6: CHECK at once"
run_ok "IPv6: DAD comes to an end" wait_for settled 2001:db8:56::5
is "$(flags 2001:db8:56::5)" "" "IPv6: and found no duplicate"
check
silent "IPv6: CHECK after DAD"
ip -n pod1 link del eth0
restored "IPv6"

in_pod sysctl -qw net.ipv6.conf.default.disable_ipv6=1
add "$(ipam "$IPV6")" "IPv6, in a pod where it is off"
run_ok "IPv6, in a pod where it is off: ping" in_pod ping -q -c 1 -W 0.9 2001:db8:56::1
del "IPv6, in a pod where it is off"
in_pod sysctl -qw net.ipv6.conf.default.disable_ipv6=0
in_pod sysctl -qw net.ipv6.conf.default.accept_dad=0
add "$(ipam "$IPV6")" "IPv6, in a pod without DAD"
run_ok "IPv6, in a pod without DAD: ping" in_pod ping -q -c 1 -W 0.9 2001:db8:56::1
del "IPv6, in a pod without DAD"
in_pod sysctl -qw net.ipv6.conf.default.accept_dad=1

# A kernel without CONFIG_IPV6_OPTIMISTIC_DAD has no such settings, and drops the flag.
if [ "$STRACE" ]; then
	CNI_RUN="strace -qq -o $TRACE -P /proc/sys/net/ipv6/conf/net1/optimistic_dad -P /proc/sys/net/ipv6/conf/net1/use_optimistic
		-e trace=open,openat -e inject=open,openat:error=ENOENT"
	add "$(ipam "$IPV6")" "no optimistic DAD"
	is "$(grep -c INJECTED $TRACE)" 2 "no optimistic DAD: so it was"
	is "$(flags 2001:db8:56::5)" "nodad" "no optimistic DAD: none at all"
	like "$CNI_ERR" 'no optimistic DAD' "no optimistic DAD: the log says so"
	run_ok "no optimistic DAD: ping at once" in_pod ping -q -c 1 -W 0.9 2001:db8:56::1
	check
	silent "no optimistic DAD: CHECK"
	restored "no optimistic DAD"
else
	ok "no optimistic DAD # SKIP strace cannot be used here"
fi

# ---- a duplicate ----

ip addr add 2001:db8:56::5/64 dev port0 nodad
BEFORE=$(host_dump)
add "$(ipam "$IPV4, $IPV6")" "duplicate on the link"
run_ok "duplicate on the link: DAD finds it" wait_for failed 2001:db8:56::5
check
refused 111 'another node has address 2001:db8:56::5 of net1, too \(duplicate address detection failed\)' "duplicate on the link: CHECK"
like "$(msg)" 'ping -c 1 2001:db8:56::5; ip neigh show 2001:db8:56::5;' "duplicate on the link: how to find the other one"
restored "duplicate on the link"
ip addr del 2001:db8:56::5/64 dev port0
BEFORE=$(host_dump)

# ---- carrier ----

# waits: how long an ADD, traced, was ready to wait for a change of the link, in ms, one a line.
waits() { sed -nE 's/^poll\(\[\{fd=[0-9]+, events=POLLIN\}\], 1, ([0-9]+)\).*/\1/p' $TRACE; }
waited() { waits | wc -l; }
traced() { CNI_RUN=${STRACE:+"strace -qq -o $TRACE -e trace=poll"}; }
within() { # within LEAST MOST DESCRIPTION
	if [ "$TOOK" -ge "$1" ] && [ "$TOOK" -lt "$2" ]; then ok "$3"; else not_ok "$3" "it took $TOOK ms"; fi
}
wait_of() { world_profile "{\"version\": 1, \"carrierWait\": $1}"; }
both=$(ipam "$IPV4, $IPV6")

traced
add "$both" "carrier is there"
[ -z "$STRACE" ] || is "$(($(waited) < 3))" 1 "carrier is there: no wait but for the kernel's own hand-over"
del "carrier is there"

ip link set port0 down
BEFORE=$(host_dump)
world_profile
traced
add "$both" "no carrier"
within 200 4000 "no carrier: ADD waits 200 ms"
[ -z "$STRACE" ] || is "$(waits | awk '$1 > 200' | wc -l)" 0 "no carrier: and no longer"
like "$CNI_ERR" 'net1 has no carrier' "no carrier: the log says so"
[ -z "$STRACE" ] || is "$(($(waited) < 4))" 1 "no carrier: one wait, no polling"
is "$(flags 2001:db8:56::5)" "optimistic tentative" "no carrier: DAD waits, too"
run_ok "no carrier: bind()" in_pod python3 -c 'import socket
socket.socket(socket.AF_INET6, socket.SOCK_STREAM).bind(("2001:db8:56::5", 4791))'
check
silent "no carrier: CHECK"
ip link set port0 up
run_ok "carrier comes after ADD: DAD comes to an end" wait_for settled 2001:db8:56::5
run_ok "carrier comes after ADD: ping" in_pod ping -q -c 1 -W 5 2001:db8:56::1
ip link set port0 down
restored "no carrier"

wait_of 700
add "$both" "no carrier, carrierWait 700"
within 700 4000 "no carrier, carrierWait 700: ADD waits 700 ms"
del "no carrier, carrierWait 700"

wait_of 10000
traced
add "$(config)" "no carrier, no addresses"
within 0 5000 "no carrier, no addresses: nothing to wait for"
[ -z "$STRACE" ] || is "$(waited)" 0 "no carrier, no addresses: no wait"
del "no carrier, no addresses"

wait_of 0
traced
add "$both" "no carrier, carrierWait 0"
within 0 5000 "no carrier, carrierWait 0: at once"
[ -z "$STRACE" ] || is "$(waited)" 0 "no carrier, carrierWait 0: no wait"
like "$CNI_ERR" 'net1 has no carrier' "no carrier, carrierWait 0: the log says so"
del "no carrier, carrierWait 0"

# The cable is plugged in once ADD is waiting for it.
is_up() { ip -n pod1 -o link show dev net1 2>/dev/null | grep -q '[<,]UP[,>]'; }
plug() {
	wait_for is_up
	sleep 0.3
	ip link set port0 up
}
wait_of 10000
plug &
add "$both" "carrier comes during the wait"
wait $!
within 300 5000 "carrier comes during the wait: ADD waits for it, and no longer"
same "$(heard fence)" "$(lines "$(arp 10.56.0.5)" "$(na 2001:db8:56::5)")" "carrier comes during the wait: the frames"
run_ok "carrier comes during the wait: ping at once" in_pod ping -q -c 1 -W 0.9 2001:db8:56::1
unlike "$CNI_ERR" 'no carrier' "carrier comes during the wait: no warning"
ip link set port0 down
restored "carrier comes during the wait"
ip link set port0 up
BEFORE=$(host_dump)
world_profile

# ---- when it cannot be done ----

if [ "$STRACE" ]; then
	CNI_RUN="strace -qq -o $TRACE -e trace=sendto -e inject=sendto:error=ENOBUFS"
	add "$both" "no frame can be sent"
	is "$(warnings)" "roce: warning: cannot announce 10.56.0.5 on net1: No buffer space available
roce: warning: cannot announce 2001:db8:56::5 on net1: No buffer space available" "no frame can be sent: the log says so"
	same "$(heard fence)" "" "no frame can be sent: none is"
	restored "no frame can be sent"

	wait_of 0 # which takes a socket, too, if it comes to that
	CNI_RUN="strace -qq -o $TRACE -e trace=socket"
	add "$both" "sockets"
	nth=$(grep '^socket' $TRACE | grep -n AF_PACKET | cut -d: -f1)
	del "sockets"
	CNI_RUN="strace -qq -o $TRACE -e trace=socket -e inject=socket:error=EPERM:when=$nth"
	add "$both" "no packet socket"
	is "$(warnings)" "roce: warning: cannot announce the addresses of net1: Operation not permitted" \
		"no packet socket: the log says so"
	del "no packet socket"
	world_profile

	CNI_RUN="strace -qq -o $TRACE -e trace=io_uring_setup -e inject=io_uring_setup:error=EPERM"
	add "$both" "no io_uring"
	same "$(heard fence)" "$(lines "$(arp 10.56.0.5)" "$(na 2001:db8:56::5)")" "no io_uring: the frames all the same"
	is "$(warnings)" "" "no io_uring: nothing to complain about"
	del "no io_uring"
else
	ok "faults # SKIP strace cannot be used here"
fi

done_testing || exit 1
