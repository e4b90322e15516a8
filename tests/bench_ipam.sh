#!/bin/bash
# roce-ipam against host-local of the containernetworking-plugins: one run, one file system, the two
# taking turns, at several fills of a pool; and its durable mode, its system calls, large ranges.
#
# IPAM_ROUNDS rounds (default 40; fewer where host-local takes long), medians. The limits are the
# project's targets. docs/performance.md says how to read it. About two minutes.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
ROUNDS=${IPAM_ROUNDS:-40}
export HOST_LOCAL=${HOST_LOCAL:-/usr/lib/cni/host-local}
WORK=/run/bench
# A durable pool needs a disk: this one is of the folder that the project is built in.
DISK=$PWD/build/bench-ipam
[ -x "$HOST_LOCAL" ] || { echo "1..0 # SKIP no $HOST_LOCAL (Debian: containernetworking-plugins)"; exit 0; }
trap 'rm -rf "$DISK"' EXIT
rm -rf "$DISK"
mkdir -p $WORK "$DISK"

cat >$WORK/bench.py <<'END'
"""fill, time and count; every figure is printed as "NAME VALUE" """
import ipaddress, json, os, re, statistics, subprocess, sys, time, zlib

WORK = "/run/bench"
STORES = {"tmpfs": "/run", "disk": os.environ["DISK"]}
PLUGIN = {"ours": os.environ["BIN"] + "/roce-ipam", "theirs": os.environ["HOST_LOCAL"],
          "nothing": "/bin/true"}
PROFILE = "/etc/cni/net.d/roce.d/profile.json"
RANGE = {"16": "10.0.0.0/16", "8": "10.0.0.0/8", "64": "fd00::/64"}


def config(side, store, kind):
    """The file that a plugin reads from stdin; written once."""
    path = f"{WORK}/{side}.{store}.{kind}"
    if not os.path.exists(path):
        ipam = ({"type": "roce-ipam", "range": RANGE[kind]} if side == "ours" else
                {"type": "host-local", "ranges": [[{"subnet": RANGE[kind]}]],
                 "dataDir": f"{STORES[store]}/host-local"})
        with open(path, "w") as f:
            json.dump({"cniVersion": "1.0.0", "name": "rail", "type": "x", "ipam": ipam}, f)
    return path


def environment(verb, who):
    return {"CNI_COMMAND": verb, "CNI_CONTAINERID": who, "CNI_NETNS": "/run/netns/" + who,
            "CNI_IFNAME": "net1", "CNI_PATH": "/opt/cni/bin",
            "CNI_ARGS": f"IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME={who}"}


def start(side, verb, who, path, wrap=()):
    argv = [*wrap, PLUGIN[side]]
    return os.posix_spawn(argv[0], argv, environment(verb, who), file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, path, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, WORK + "/answer", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])


def finish(pids):
    for pid in pids:
        status = os.waitpid(pid, 0)[1]
        if status:
            with open(WORK + "/answer") as f:
                sys.exit(f"a call failed with status {status}: {f.read()}")


def timed(*args):
    begin = time.perf_counter_ns()
    finish([start(*args)])
    return (time.perf_counter_ns() - begin) / 1e3


# ---- stores: each fill in a folder of its own, put in place when it is its turn ----

def place(store, name):
    """The stores of this name become the ones that the plugins find."""
    root = STORES[store]
    for plugin in "roce-ipam", "host-local":
        link, target = f"{root}/{plugin}", f"{root}/{plugin}.{name}"
        os.makedirs(target, exist_ok=True)
        if os.path.lexists(link):
            os.unlink(link)
        os.symlink(target, link)


def fill(store, kind, count):
    """Both plugins' files for COUNT addresses: ours are a real record with other names in it."""
    ours, theirs = (f"{STORES[store]}/{p}/rail" for p in ("roce-ipam", "host-local"))
    both = kind == "16"
    finish([start(side, "ADD", "first", config(side, store, kind))
            for side in ("ours", "theirs")[:1 + both]])
    first = next(n for n in os.listdir(ours) if re.fullmatch(r"[0-9a-f]*[.:].*", n))
    with open(f"{ours}/{first}") as f:
        record = f.read()
    shared = re.search(r"(?m)^domain (.+)", record)  # the folder of the collision domain
    base = int(ipaddress.ip_address(first))
    length = RANGE[kind].split("/")[1]
    family = type(ipaddress.ip_address(first))
    for i in range(1, count):
        addr, who = str(family(base + i)), f"pod{i:060d}"
        text = re.sub(r"(?m)^address .*", f"address {addr}/{length}", record.replace("first", who))
        text = text[:text.rindex("crc32 ")]
        text += f"crc32 {zlib.crc32(text.encode()):08x}\n"
        fd = os.open(f"{ours}/{addr}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(fd, text.encode())
        os.close(fd)
        os.link(f"{ours}/{addr}", f"{ours}/by-id/{who}:net1:0")
        if shared:
            os.link(f"{ours}/{addr}", f"{ours}/../{shared[1]}/{addr}")
        if both:
            addr = str(family(base + i + 1))  # .1 is the gateway of host-local
            fd = os.open(f"{theirs}/{addr}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(fd, f"{who}\r\nnet1".encode())
            os.close(fd)
    if both:  # the next address of host-local is free at once: its best case
        with open(f"{theirs}/last_reserved_ip.0", "w") as f:
            f.write(addr if count > 1 else str(family(base + 1)))


def empty(store, kind):
    """A pool that exists, with no address taken."""
    for side in "ours", "theirs":
        for verb in "ADD", "DEL":
            finish([start(side, verb, "first", config(side, store, kind))])


def prepare(store, name, kind, count):
    place(store, name)
    if count:
        fill(store, kind, count)
    else:
        empty(store, kind)


# ---- measures ----

def turns(prefix, rounds, stores, sides):
    """One ADD and DEL of each store and side a round. STORES: (name, store, kind)."""
    took = {}
    for turn in range(-1, rounds):
        for name, store, kind in stores:
            place(store, name)
            for side in sides(name, turn):
                for verb in "ADD", "DEL":
                    us = timed(side, verb, f"r{turn}x", config(side, store, kind))
                    if turn >= 0:
                        took.setdefault((name, side, verb), []).append(us)
    for (name, side, verb), times in took.items():
        print(f"{prefix}{name}.{side}.{verb} {statistics.median(times):.0f}")
        times.sort()
        print(f"{prefix}{name}.{side}.{verb}.p99 {times[min(len(times) - 1, len(times) * 99 // 100)]:.0f}")


def at_once(n, side, verb):
    """N small shells wait until all are there, then become the plugin; until the last has ended."""
    gate, opener = os.pipe()
    shell = ["/bin/sh", "-c", 'read -r _ <&3; exec "$0"', PLUGIN[side]]
    pids = [os.posix_spawn(shell[0], shell, environment(verb, f"t{i}"), file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, config(side, "tmpfs", "16"), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, gate, 3)]) for i in range(n)]
    os.close(gate)
    time.sleep(0.05)
    begin = time.perf_counter_ns()
    os.close(opener)
    finish(pids)
    return (time.perf_counter_ns() - begin) / 1e3


def together(name, n, rounds):
    """N ADDs at once; what they took is given back after it. And N times nothing at all."""
    place("tmpfs", name)
    theirs = "/run/host-local/rail"
    took = {"ours": [], "theirs": [], "nothing": []}
    for _ in range(rounds):
        for side in took:
            before = set(os.listdir(theirs))
            took[side].append(at_once(n, side, "ADD"))
            if side == "ours":
                finish([start(side, "DEL", f"t{i}", config(side, "tmpfs", "16")) for i in range(n)])
            elif side == "theirs":  # its own DEL would read all files again, N times
                for file in set(os.listdir(theirs)) - before:
                    os.unlink(f"{theirs}/{file}")
    for side, times in took.items():
        print(f"{name}.{side}.at-once-{n} {statistics.median(times):.0f}")


def count(name, store, kind, only=None):
    """System calls of an ADD, the same ADD again, and a DEL."""
    place(store, name)
    for verb, what in ("ADD", "ADD"), ("ADD", "again"), ("DEL", "DEL"):
        trace = f"{WORK}/trace"
        finish([start("ours", verb, "counted", config("ours", store, kind),
                      ["/usr/bin/strace", "-f", "-qq", "-o", trace, "-e", "signal=none",
                       "-e", "trace=" + (only or "all")])])
        with open(trace) as f:
            print(f"{name}.{'syncs' if only else 'calls'}.{what} {sum(1 for _ in f)}")


SIZES = 0, 1000, 10000, 60000


def main(rounds):
    os.nice(-10)  # what else runs on the machine shall not be what is measured
    begin = time.time()
    for n in SIZES:
        prepare("tmpfs", str(n), "16", n)
    for kind in "8", "64":
        place("tmpfs", "in" + kind)
        fill("tmpfs", kind, 10000)
    print(f"# filled after {time.time() - begin:.0f} s", file=sys.stderr)

    few = {"10000": rounds // 3, "60000": rounds // 8}
    sixteen = [(str(n), "tmpfs", "16") for n in SIZES]
    turns("", rounds, sixteen,
          lambda name, turn: ("ours", "theirs") if turn < few.get(name, rounds) else ())
    turns("alone.", rounds * 4, sixteen + [("in8", "tmpfs", "8"), ("in64", "tmpfs", "64")],
          lambda name, turn: ("ours",))
    print(f"# one after the other: after {time.time() - begin:.0f} s", file=sys.stderr)

    for name, n in (("0", 32), ("0", 64), ("1000", 32), ("1000", 64), ("10000", 32), ("10000", 64)):
        together(name, n, 3 if name == "10000" else 7)
    print(f"# at once: after {time.time() - begin:.0f} s", file=sys.stderr)

    for n in SIZES:
        count(str(n), "tmpfs", "16")
    count("in8", "tmpfs", "8")
    count("in64", "tmpfs", "64")

    os.makedirs(os.path.dirname(PROFILE), exist_ok=True)
    with open(PROFILE, "w") as f:
        f.write('{"version":1,"stateDir":"%s"}' % STORES["disk"])
    for n in 0, 10000:
        prepare("disk", f"disk{n}", "16", n)
    os.sync()
    turns("", rounds // 2, [("disk0", "disk", "16"), ("disk10000", "disk", "16")],
          lambda name, turn: ("ours", "theirs") if turn < rounds // 4 else ("ours",))
    count("disk10000", "disk", "16")
    count("disk10000", "disk", "16", "fsync,fdatasync,sync,syncfs,sync_file_range,msync")
    print(f"# all: after {time.time() - begin:.0f} s", file=sys.stderr)


main(int(sys.argv[1]))
END

declare -A V=()
figures() {
	export DISK
	python3 $WORK/bench.py "$ROUNDS"
}
if ! figures >$WORK/figures; then
	not_ok 'measuring'
	done_testing
	exit 1
fi
while read -r name value; do V[$name]=$value; done <$WORK/figures

# ---- the table ----

ms() { awk -v us="$1" 'BEGIN {printf "%.2f", us / 1000}'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.2f", a / b}'; }
# row WHAT OURS_US THEIRS_US [US_OF_BIN_TRUE]
row() {
	printf '# %-34s %9s %11s %7s %10s\n' "$1" "$(ms "$2")" "$(ms "$3")" "$(ratio "$3" "$2")" "${4:+$(ms "$4")}"
}
printf '# %-34s %9s %11s %7s %10s\n' 'medians in ms' roce-ipam host-local times /bin/true
for n in 0 1000 10000 60000; do
	for verb in ADD DEL; do row "$verb, $n taken" "${V[$n.ours.$verb]}" "${V[$n.theirs.$verb]}"; done
done
for n in 0 1000 10000; do
	for k in 32 64; do
		row "$k ADDs at once, $n taken" "${V[$n.ours.at-once-$k]}" "${V[$n.theirs.at-once-$k]}" \
			"${V[$n.nothing.at-once-$k]}"
	done
done
for n in 0 10000; do
	for verb in ADD DEL; do
		row "$verb on disk, $n taken" "${V[disk$n.ours.$verb]}" "${V[disk$n.theirs.$verb]}"
	done
done
printf '# %-34s %9s %11s %7s\n' 'roce-ipam alone' p50 p99 calls
alone() { # WHAT NAME [PREFIX]
	printf '# %-34s %9s %11s %7s\n' "ADD, $1" "$(ms "${V[${3:-}$2.ours.ADD]}")" \
		"$(ms "${V[${3:-}$2.ours.ADD.p99]}")" "${V[$2.calls.ADD]}"
}
for n in 0 1000 10000 60000; do alone "/16, $n taken" $n alone.; done
alone '/8, 10000 taken' in8 alone.
alone '/64, 10000 taken' in64 alone.
alone 'durable, 10000 taken' disk10000

# ---- the targets ----

# faster TIMES OURS_US THEIRS_US WHAT / within TIMES US US_OF_REFERENCE WHAT
faster() {
	local got
	got=$(ratio "$3" "$2")
	if awk -v a="$got" -v b="$1" 'BEGIN {exit !(a >= b)}'; then
		ok "$4: $got times as fast as host-local (at least $1)"
	else
		not_ok "$4: $got times as fast as host-local (at least $1)"
	fi
}
within() {
	local got
	got=$(ratio "$2" "$3")
	if awk -v a="$got" -v b="$1" 'BEGIN {exit !(a <= b)}'; then
		ok "$4: $got (at most $1)"
	else
		not_ok "$4: $got (at most $1)"
	fi
}
faster 50 "${V[10000.ours.ADD]}" "${V[10000.theirs.ADD]}" 'ADD, 10,000 taken'
within 1.5 "${V[alone.60000.ours.ADD]}" "${V[alone.0.ours.ADD]}" 'ADD, 60,000 taken against none'
for n in 1000 10000; do
	faster 20 "${V[$n.ours.at-once-32]}" "${V[$n.theirs.at-once-32]}" "32 ADDs at once, $n taken"
done
within 1.2 "${V[alone.in8.ours.ADD]}" "${V[alone.10000.ours.ADD]}" 'ADD of a /8 against a /16, 10,000 taken'
within 1.2 "${V[alone.in64.ours.ADD]}" "${V[alone.10000.ours.ADD]}" 'ADD of a /64 against a /16, 10,000 taken'
for verb in ADD again DEL; do
	is "${V[1000.calls.$verb]} ${V[10000.calls.$verb]} ${V[60000.calls.$verb]}" \
		"${V[0.calls.$verb]} ${V[0.calls.$verb]} ${V[0.calls.$verb]}" \
		"$verb: ${V[0.calls.$verb]} system calls at every fill"
done
is "${V[in8.calls.ADD]} ${V[in64.calls.ADD]}" "${V[10000.calls.ADD]} ${V[10000.calls.ADD]}" \
	'a /8 and a /64 need the system calls of a /16'
within 3 "${V[disk10000.syncs.ADD]}" 1 'fsyncs of a durable ADD'
is "${V[disk10000.syncs.DEL]}" 0 'a durable DEL syncs nothing'
done_testing || exit 1
