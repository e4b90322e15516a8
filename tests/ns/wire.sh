#!/bin/bash
# The switch arithmetic on a wire. A Linux bridge between two namespaces plays the switch: it drops each
# frame that such a switch drops and says nothing. A packet of what rocectl permits arrives, one of a
# byte more vanishes; and the largest RoCE frame is as long as rocectl says.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh

# ---- sender, receiver ----

cat >/run/world/wire.py <<'PYTHON'
"""Send frames on e0 of namespace "src", say what arrives on e1 of namespace "dst".

A request a line on stdin, an answer a line on stdout. Lengths are in bytes; frames have no FCS here.
    frame TAGS LENGTH       an IPv4 packet of LENGTH with DF, behind TAGS VLAN tags
    roce VERSION TAGS MTU   the longest RoCE packet of a path MTU: XRC WRITE only, with immediate
    udp LENGTH              an IPv4 packet of LENGTH with DF, by a UDP socket from 192.0.2.1
Answers: "sent N, arrived N", or "sent N, lost"; then ", back: ..." for whatever came back.
Nothing here waits for a frame that does not come: a small one, sent afterwards, shows that the large
one is not on its way any more.
"""
import ctypes
import errno
import os
import socket
import struct
import sys

SOL_PACKET, PACKET_AUXDATA, TAG_VALID, TAG_TPID_VALID, OUTGOING = 263, 8, 0x10, 0x40, 4
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE, IP_RECVERR = 10, 3, 11
TO, FROM = bytes.fromhex("02005e005312"), bytes.fromhex("02005e005311")  # nobody's
TAGS = bytes.fromhex("88a80006"), bytes.fromhex("81000005")
FENCE = 0x88B6
ROCE_PORT = 4791


def enter(name):
    fd = os.open("/run/netns/" + name, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


def raw_socket(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    sock.bind((name, 0))
    sock.settimeout(10)
    return sock


def udp_socket(address):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    sock.bind((address, ROCE_PORT))
    sock.settimeout(10)
    return sock


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def ipv4(payload, protocol=17):
    def head(check):
        return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 7, 0x4000, 64, protocol, check,
                           socket.inet_aton("192.0.2.1"), socket.inet_aton("192.0.2.2"))
    return head(checksum(head(0))) + payload


def ipv6(payload):
    return struct.pack("!IHBB16s16s", 6 << 28, len(payload), 17, 64,
                       socket.inet_pton(socket.AF_INET6, "2001:db8::1"),
                       socket.inet_pton(socket.AF_INET6, "2001:db8::2")) + payload


def udp(payload):
    return struct.pack("!HHHH", 49152, ROCE_PORT, 8 + len(payload), 0) + payload


def roce(mtu):
    bth = struct.pack("!BBHII", 0xAB, 0x40, 0xFFFF, 17, 1)
    xrceth, reth, immdt, icrc = bytes(4), struct.pack("!QII", 0, 1, mtu), bytes(4), bytes(4)
    return udp(bth + xrceth + reth + immdt + bytes(mtu) + icrc)


def frame(tags, packet):
    kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    return TO + FROM + b"".join(TAGS[2 - tags:]) + struct.pack("!H", kind) + packet


def receive(sock):
    """One frame that came in, with the tag that the kernel has put aside."""
    while True:
        data, extra, _, address = sock.recvmsg(70000, 256)
        if address[2] == OUTGOING:
            continue
        for level, kind, value in extra:
            if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", value)
                if status & TAG_VALID:
                    tpid = tpid if status & TAG_TPID_VALID else 0x8100
                    data = data[:12] + struct.pack("!HH", tpid, tci) + data[12:]
        return data


def fence(sender, receiver, addresses, number):
    """Send a small frame; return all that arrived before it."""
    small = addresses + struct.pack("!HI", FENCE, number) + bytes(40)
    seen = []
    sender.send(small)
    while True:
        data = receive(receiver)
        if data == small:
            return seen
        if data[12:14] != small[12:14]:
            seen.append(data)


def drain(sock):
    sock.setblocking(False)
    seen = []
    try:
        while True:
            seen.append(receive(sock))
    except BlockingIOError:
        sock.settimeout(10)
        return seen


def send_frame(data, number):
    try:
        sent = src.send(data)
    except OSError as error:  # a veth, unlike a cable, may tell that its other end has dropped it
        if error.errno != errno.ENOBUFS:
            raise
        sent = len(data)
    arrived = fence(src, dst, TO + FROM, number)
    back = fence(dst, src, FROM + TO, number)
    answer = "sent %d, %s" % (sent, "arrived %d" % len(data) if arrived == [data] else "lost")
    if arrived not in ([], [data]):
        answer += ", changed"
    return answer + (", back: %d frames" % len(back) if back else "")


def errors(sock):
    """What the kernel has to say about packets sent before."""
    sock.setblocking(False)
    try:
        _, extra, _, _ = sock.recvmsg(100, 512, socket.MSG_ERRQUEUE)
    except BlockingIOError:
        return ""
    finally:
        sock.settimeout(10)
    number, origin, kind, code, _, info = struct.unpack("IBBBBI", extra[0][2][:12])
    return "%s, %s type %d code %d, MTU %d" % (os.strerror(number),
                                              {1: "local", 2: "ICMP"}[origin], kind, code, info)


def send_udp(length):
    sent = src_udp.sendto(bytes(length - 28), ("192.0.2.2", ROCE_PORT)) + 28
    src_udp.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    src_udp.sendto(b"fence", ("192.0.2.2", ROCE_PORT))
    seen = []
    while not seen or seen[-1] != b"fence":
        seen.append(dst_udp.recv(70000))
    dst_udp.sendto(b"back", ("192.0.2.1", ROCE_PORT))
    assert src_udp.recv(100) == b"back"
    icmp = sum(f[12:14] == b"\x08\x00" and f[23] == 1 for f in drain(src))
    drain(dst)
    answer = "sent %d, %s" % (sent, "arrived %d" % (len(seen[0]) + 28) if len(seen) == 2 else "lost")
    said = errors(src_udp)
    if icmp or said:
        answer += ", back: %d ICMP, %s" % (icmp, said)
    return answer


enter("dst")
dst, dst_udp = raw_socket("e1"), udp_socket("192.0.2.2")
enter("src")
src, src_udp = raw_socket("e0"), udp_socket("192.0.2.1")
print("ready", flush=True)
for serial, line in enumerate(sys.stdin):
    what, *numbers = line.split()
    numbers = [int(n) for n in numbers]
    if what == "frame":
        print(send_frame(frame(numbers[0], ipv4(bytes(numbers[1] - 20), 253)), serial), flush=True)
    elif what == "roce":
        data = (ipv6 if numbers[0] == 6 else ipv4)(roce(numbers[2]))
        print("IP %d, " % len(data) + send_frame(frame(numbers[1], data), serial), flush=True)
    else:
        print(send_udp(numbers[0]), flush=True)
PYTHON

start_wire() {
	coproc WIRE { exec python3 /run/world/wire.py; }
	WIRE_IN=${WIRE[1]} WIRE_OUT=${WIRE[0]} WIRE_ID=$WIRE_PID
	read -r -t 30 -u "$WIRE_OUT" word && [ "$word" = ready ] && return
	echo "Bail out! sender and receiver do not start"
	exit 1
}
stop_wire() {
	eval "exec $WIRE_IN>&-"
	wait "$WIRE_ID"
}
# wire REQUEST...: sets ANSWER.
wire() {
	echo "$*" >&"$WIRE_IN"
	read -r -t 30 -u "$WIRE_OUT" ANSWER || ANSWER="no answer"
}

# ---- the switch ----

BIG=20000 # an MTU that is in nobody's way
for ns in src dst; do
	ip netns add $ns
	ip netns exec $ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
done
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
# Where br_netfilter is loaded, a bridge may also act as a router, which a switch does not.
sysctl -qw net.bridge.bridge-nf-call-iptables=0 net.bridge.bridge-nf-call-ip6tables=0 2>/dev/null
ip link add br0 type bridge stp_state 0 mcast_snooping 0 forward_delay 0
ip link add p0 mtu $BIG type veth peer name e0 mtu $BIG netns src
ip link add p1 mtu $BIG type veth peer name e1 mtu $BIG netns dst
ip -n src link set e0 address 02:00:5e:00:53:01 up
ip -n dst link set e1 address 02:00:5e:00:53:02 up
for link in p0 p1; do ip link set $link master br0; done
for link in p0 p1 br0; do ip link set $link up; done
# The one's address is reached by the other without ARP.
ip -n src addr add 192.0.2.1/24 dev e0
ip -n dst addr add 192.0.2.2/24 dev e1
ip -n src neigh replace 192.0.2.2 lladdr 02:00:5e:00:53:02 dev e0 nud permanent
ip -n dst neigh replace 192.0.2.1 lladdr 02:00:5e:00:53:01 dev e1 nud permanent
start_wire

# limit SIDE TAGS FRAME: let the switch drop each frame of more than FRAME bytes (no FCS) with TAGS tags.
#
# Linux lets a port pass what is no longer than its MTU + 18 (net/core/dev.c, is_skb_forwardable()).
# The port that receives counts all of the frame. Behind it the kernel takes the outer tag out of the
# frame, so that the port that sends, where the bridge itself looks, counts four bytes less.
limit() {
	local mtu=$(($3 - 18))
	if [ "$1" = receives ]; then
		ip link set p0 mtu $mtu
		ip link set p1 mtu $BIG
	else
		[ "$2" -eq 0 ] || mtu=$((mtu - 4))
		ip link set p0 mtu $BIG
		ip link set p1 mtu $mtu
	fi
}
dropped() { cat /sys/class/net/p0/statistics/rx_dropped; }

for side in receives sends; do
	for tags in 0 1 2; do
		what="the switch itself, by the port that $side, $tags tags"
		limit $side $tags 1600
		wire frame $tags $((1600 - 14 - 4 * tags))
		is "$ANSWER" "sent 1600, arrived 1600" "$what: a frame of the limit passes"
		wire frame $tags $((1601 - 14 - 4 * tags))
		is "$ANSWER" "sent 1601, lost" "$what: one of a byte more does not"
	done
done

# ---- what rocectl permits ----

# permits MTU SEMANTICS TAGS
permits() {
	"$BIN/rocectl" mtu --switch-mtu "$1" --switch-semantics "$2" --vlan-tags "$3" -o json |
		jq .switchPermits
}
# frame_limit MTU SEMANTICS: longest frame without FCS that a switch of this kind passes. An l3 switch
# adds 22 in its hardware: header 14, one tag 4, FCS 4.
frame_limit() {
	case $2 in
	l3) echo $(($1 + 22 - 4)) ;;
	l2hdr) echo "$1" ;;
	l2frame) echo $(($1 - 4)) ;;
	esac
}

for mtu in 1500 4200 9100 9216; do
	for semantics in l3 l2hdr l2frame; do
		for tags in 0 1 2; do
			most=$(permits $mtu $semantics $tags)
			long=$((most + 14 + 4 * tags)) # the frame of a packet of what is permitted
			spare=0
			what="$semantics, MTU $mtu, $tags tags:"
			case $semantics$tags in
			l30) spare=4 && is "$most" $mtu "$what the IP packet counts" ;;
			l31) is "$most" $mtu "$what the IP packet counts, the tag is budgeted" ;;
			l32) is "$most" $((mtu - 4)) "$what the IP packet counts, and the second tag" ;;
			l2hdr*) is $long $mtu "$what the frame without FCS counts" ;;
			l2frame*) is $((long + 4)) $mtu "$what the frame with FCS counts" ;;
			esac
			for side in receives sends; do
				limit $side $tags "$(frame_limit $mtu $semantics)"
				before=$(dropped)
				wire frame $tags "$most"
				is "$ANSWER" "sent $long, arrived $long" \
					"$what a packet of $most arrives (port that $side)"
				[ $side = sends ] || is "$(dropped)" "$before" "$what the switch drops nothing"
				if [ $spare -gt 0 ]; then
					wire frame $tags $((most + spare))
					is "$ANSWER" "sent $((long + spare)), arrived $((long + spare))" \
						"$what the budget of the absent tag lets $spare bytes more through"
				fi
				wire frame $tags $((most + spare + 1))
				is "$ANSWER" "sent $((long + spare + 1)), lost" \
					"$what a packet of $((most + spare + 1)) vanishes, nothing comes back (port that $side)"
				[ $side = sends ] ||
					is "$(dropped)" $((before + 1)) "$what only a counter of the switch tells"
			done
			[ $tags -eq 0 ] || continue
			wire udp "$most"
			is "$ANSWER" "sent $most, arrived $most" "$what UDP with DF, $most bytes: arrives"
			wire udp $((most + spare + 1))
			is "$ANSWER" "sent $((most + spare + 1)), lost" \
				"$what UDP with DF, a byte too many: lost, no ICMP, no error at the sender"
		done
	done
done

# ---- RoCE frames ----

# What a test of large packets must expect: headers of 68 bytes over IPv4 and 88 over IPv6.
for mtu in 4096 1024; do
	for version in 4 6; do
		for tags in 0 1 2; do
			option=
			[ $version = 4 ] || option=--ipv6
			what="RoCE path MTU $mtu, IPv$version, $tags tags"
			# shellcheck disable=SC2086
			whole=$("$BIN/rocectl" mtu --roce-mtu $mtu --vlan-tags $tags $option -o json | jq .wireFrame)
			packet=$((mtu + (version == 4 ? 68 : 88)))
			bare=$((whole - 4))
			limit receives $tags $bare
			wire roce $version $tags $mtu
			is "$ANSWER" "IP $packet, sent $bare, arrived $bare" "$what: the frame is of $whole bytes with FCS"
			limit receives $tags $((bare - 1))
			wire roce $version $tags $mtu
			is "$ANSWER" "IP $packet, sent $bare, lost" "$what: and needs a switch that passes $whole"
		done
	done
done

# The least switch MTU that the finding names is the least on the wire, too.
for semantics in l3 l2hdr l2frame; do
	for tags in 0 1 2; do
		least=$("$BIN/rocectl" mtu --switch-mtu 1500 --switch-semantics $semantics --vlan-tags $tags --ipv6 -o json |
			jq -r '.findings[] | select(.id == "roce-packet-above-switch").fix' |
			grep -oE 'MTU to [0-9]+' | cut -d' ' -f3)
		bare=$((4184 + 14 + 4 * tags))
		what="finding roce-packet-above-switch, $semantics, $tags tags"
		limit receives $tags "$(frame_limit "$least" $semantics)"
		wire roce 6 $tags 4096
		is "$ANSWER" "IP 4184, sent $bare, arrived $bare" "$what: the switch MTU $least of its fix is enough"
		[ $semantics$tags != l30 ] || continue # the tag's budget
		limit receives $tags "$(frame_limit $((least - 1)) $semantics)"
		wire roce 6 $tags 4096
		is "$ANSWER" "IP 4184, sent $bare, lost" "$what: $((least - 1)) is not"
	done
done
stop_wire

# ---- a routed hop: the l3 limit is exact without tags, and the router speaks ----

ip link del br0
ip -n src link del e0
ip -n dst link del e1
ip netns add router
ip netns exec router sysctl -qw net.ipv4.ip_forward=1
ip link add e0 netns src mtu $BIG address 02:00:5e:00:53:01 type veth peer name r0 netns router
ip link add e1 netns dst mtu $BIG address 02:00:5e:00:53:02 type veth peer name r1 netns router
ip -n src addr add 192.0.2.1/32 dev e0
ip -n dst addr add 192.0.2.2/32 dev e1
for link in "src e0" "router r0" "router r1" "dst e1"; do ip -n ${link% *} link set ${link#* } up; done
ip -n router addr add 203.0.113.1/32 dev r0
ip -n router route add 192.0.2.1/32 dev r0
ip -n router route add 192.0.2.2/32 dev r1
ip -n src route add 203.0.113.1/32 dev e0
ip -n src route add 192.0.2.2/32 via 203.0.113.1
ip -n dst route add 192.0.2.1/32 via 203.0.113.1 dev e1 onlink
ip -n dst neigh replace 203.0.113.1 lladdr "$(ip -n router -j link show dev r1 | jq -r .[0].address)" dev e1
start_wire
for mtu in 1500 9216; do
	most=$(permits $mtu l3 0)
	ip -n router link set r0 mtu $mtu
	ip -n router link set r1 mtu $mtu
	wire udp "$most"
	is "$ANSWER" "sent $most, arrived $most" "routed hop, MTU $mtu: UDP with DF, $most bytes: arrives"
	wire udp $((most + 1))
	is "$ANSWER" "sent $((most + 1)), lost, back: 1 ICMP, Message too long, ICMP type 3 code 4, MTU $mtu" \
		"routed hop, MTU $mtu: UDP with DF, $((most + 1)) bytes: ICMP says that it is too long"
done
stop_wire

done_testing || exit 1
