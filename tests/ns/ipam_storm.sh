#!/bin/bash
# roce-ipam under load: 64 processes that lease and release the same addresses while some are killed,
# a reader of its own that compares the store with what the callers were told, and a stopped holder.
#
# STORM_ROUNDS rounds of ADD and DEL for each of the 64 (default 100).
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/world.sh
. tests/world.sh
world_enter "$@"
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck disable=SC2034 # for cni()
CNI_PLUGIN=roce-ipam
# shellcheck source=tests/cni.sh
. tests/cni.sh
POOL=/run/roce-ipam/n1
WORK=/run/storm
mkdir -p $WORK

# 40 addresses for 64 callers: now and then the range is full. One more of IPv6, so that every ADD is
# two leases or none. Every fourth caller is of another network with the same ranges.
STORM='{"cniVersion":"1.1.0","name":"n1","type":"x","ipam":{"type":"roce-ipam",
	"ipRanges":[{"range":"10.56.0.1-10.56.0.40/26"},{"range":"fd00::/64"}]}}'
printf '%s' "$STORM" >$WORK/config

# The reader knows the format from its description alone: records named by their address, the same
# file again in by-id and in the collision domain that the record names, a checksum in the last line.
cat >$WORK/store.py <<'END'
import ipaddress, os, re, zlib

KEYS = "network domain address range id ifname pod netns node boot time crc32".split()


def is_address(name):
    return re.fullmatch(r"[0-9a-f]*[.:][0-9a-f.:]*", name)


def inodes(folder, names):
    return {name: os.stat(f"{folder}/{name}").st_ino for name in names}


def read_record(path):
    """Its lines as a dictionary, its inode and number of names, and what is wrong with the text."""
    with open(path, "rb") as f:
        text, st = f.read(), os.fstat(f.fileno())
    fields = dict(line.partition(" ")[::2] for line in text.decode().splitlines())
    wrong = [f"no {key}" for key in KEYS if key not in fields]
    if not wrong and int(fields["crc32"], 16) != zlib.crc32(text[:text.rindex(b"crc32 ")]):
        wrong.append("checksum")
    return fields, st, wrong


def read_pool(pool, shared, held):
    """The leases of one network into HELD; their names in a domain go from SHARED."""
    by_id, wrong = inodes(pool + "/by-id", os.listdir(pool + "/by-id")), []
    for name in os.listdir(pool):
        if name in ("by-id", "lock", "map"):
            continue
        if not is_address(name):
            wrong.append(f"{pool}/{name}: no address")
            continue
        fields, st, faults = read_record(f"{pool}/{name}")
        if fields.get("address", "").split("/")[0] != name:
            faults.append("names another address")
        key = "{id}:{ifname}:{range}".format_map(fields)
        if by_id.pop(key, 0) != st.st_ino:
            faults.append(f"is not by-id/{key}")
        third = shared.pop(f"{fields['domain']}/{name}", 0)
        if third != (st.st_ino if fields["domain"] else 0):
            faults.append(f"is not the one in {fields['domain'] or 'no domain'}")
        if st.st_nlink != (3 if third else 2):
            faults.append(f"has {st.st_nlink} names")
        if name in held:
            faults.append(f"is in {held[name][0]}, too")
        held[name] = (os.path.basename(pool), fields["id"], fields["ifname"])
        wrong += [f"{pool}/{name}: {fault}" for fault in faults]
    return wrong + [f"{pool}/by-id/{key}: no address" for key in by_id]


def read(home):
    """{address: (network, id, ifname)} of all networks, and what is wrong."""
    held, wrong, shared = {}, [], {}
    folders = sorted(os.listdir(home))
    for domain in (f for f in folders if f.startswith(".")):
        names = filter(is_address, os.listdir(f"{home}/{domain}"))
        shared |= {f"{domain}/{n}": i for n, i in inodes(f"{home}/{domain}", names).items()}
    for network in (f for f in folders if not f.startswith(".")):
        wrong += read_pool(f"{home}/{network}", shared, held)
    return held, wrong + [f"{name}: no address" for name in shared]


def wrong_bits(folder):
    """The addresses that a folder's map does not show, or shows without need."""
    try:
        with open(folder + "/map", "rb") as f:
            data = f.read()
    except FileNotFoundError:
        return set()
    taken, header, block = set(), -(-(8 + 40 + 6 * 8) // 16) * 16, 16 + 4 + 12 + 512
    for at in range(header, len(data), block):
        first = int.from_bytes(data[at:at + 16], "little") << 12
        kind = (ipaddress.IPv4Address if int.from_bytes(data[at + 16:at + 20], "little") == 2
                else ipaddress.IPv6Address)
        bits = int.from_bytes(data[at + 32:at + block], "little")
        taken |= {str(kind(first + i)) for i in range(4096) if bits >> i & 1}
    return taken ^ set(filter(is_address, os.listdir(folder)))
END

cat >$WORK/storm.py <<'END'
"""The storm; prints "WHAT VALUE" lines. Every caller is a process and starts one plugin at a time."""
import json, os, random, subprocess, sys, time
import store

ROUNDS, CALLERS, HOME = int(sys.argv[1]), 64, "/run/roce-ipam"
with open("/run/storm/config", "rb") as config:
    CONFIG = {"n1": config.read()}
CONFIG["n2"] = CONFIG["n1"].replace(b'"n1"', b'"n2"')
PLUGIN = os.environ["BIN"] + "/roce-ipam"


def network_of(who):
    """Every fourth caller."""
    return "n2" if int(who.split("-")[1]) % 4 == 3 else "n1"


# Where strace kills: the calls that change the store, and how often one ADD or DEL makes them.
POINTS = [(name, nth) for name, most in (("linkat", 6), ("unlinkat", 6), ("pwrite64", 4), ("write", 2),
                                         ("openat", 9), ("flock", 2)) for nth in range(1, most + 1)]


def call(log, verb, who, kill=None):
    """One call; what the caller sees goes to its log. Return: the addresses, None when killed.

    KILL is a time in seconds or one of POINTS.
    """
    env = {"CNI_COMMAND": verb, "CNI_CONTAINERID": who, "CNI_NETNS": "/run/netns/" + who,
           "CNI_IFNAME": "net1", "CNI_PATH": "/opt/cni/bin", "PATH": os.environ["PATH"]}
    begin = time.monotonic()
    wrap = []
    if isinstance(kill, tuple):
        wrap = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + kill[0], "-e",
                f"inject={kill[0]}:signal=KILL:when={kill[1]}"]
    process = subprocess.Popen([*wrap, PLUGIN], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdin.write(CONFIG[network_of(who)])
    process.stdin.close()
    if isinstance(kill, float):
        time.sleep(kill)
        process.kill()
    out = process.stdout.read()
    status = process.wait()
    answer = json.loads(out) if out and status >= 0 else {}
    addresses = [ip["address"].split("/")[0] for ip in answer.get("ips", [])]
    log.append({"verb": verb, "who": who, "begin": begin, "end": time.monotonic(), "status": status,
                "code": answer.get("code"), "msg": answer.get("msg"), "addresses": addresses})
    return None if status < 0 else addresses


def caller(i):
    dice, log = random.Random(i), []

    def when():
        """A quarter is killed: at some time of its short life, or as it changes the store."""
        if dice.random() > 0.25:
            return None
        return dice.choice(POINTS) if dice.random() < 0.5 else dice.random() * 0.02

    for n in range(ROUNDS):
        who = f"caller-{i}-{n}"
        call(log, "ADD", who, when())
        if dice.random() < 0.2:
            call(log, "ADD", who)  # asks again, as a runtime does after a kill
        time.sleep(dice.random() * 0.01)
        if n == ROUNDS - 1 and i % 2:
            call(log, "ADD", who)  # these stay, for the reader
        elif call(log, "DEL", who, when()) is None:
            call(log, "DEL", who)
    with open(f"/run/storm/log.{i}", "w") as f:
        json.dump(log, f)


def periods(log):
    """(address, from, to, holder): from the answer of ADD until DEL is sent."""
    open_ones = {}
    for entry in log:
        who = entry["who"]
        if entry["verb"] == "ADD":
            for address in entry["addresses"]:
                open_ones.setdefault((address, who), entry["end"])
        else:
            for key in [k for k in open_ones if k[1] == who]:
                yield key[0], open_ones.pop(key), entry["begin"], who
    for (address, who), since in open_ones.items():
        yield address, since, float("inf"), who


begin = time.monotonic()
callers = []
for i in range(CALLERS):
    pid = os.fork()
    if pid == 0:
        try:
            caller(i)
            os._exit(0)
        finally:
            os._exit(1)
    callers.append(pid)
failed = sum(os.waitpid(pid, 0)[1] != 0 for pid in callers)
seconds = time.monotonic() - begin
logs = []
for i in range(CALLERS):
    with open(f"/run/storm/log.{i}") as f:
        logs.append(json.load(f))
entries = [entry for log in logs for entry in log]

by_address, doubled = {}, []
for period in (p for log in logs for p in periods(log)):
    by_address.setdefault(period[0], []).append(period)
for one in by_address.values():
    one.sort(key=lambda p: p[1])
    doubled += [f"{a[0]} of {a[3]} and {b[3]}" for a, b in zip(one, one[1:]) if b[1] < a[2]]
told = {p[0]: (network_of(p[3]), p[3], "net1") for one in by_address.values() for p in one if p[2] == float("inf")}
answers = {}
for entry in entries:
    if entry["addresses"]:
        answers.setdefault(entry["who"], set()).add(tuple(entry["addresses"]))
odd = [e for e in entries if e["status"] > 0 and e["code"] != 107]

# One call more of each network takes away what the last killed one left.
last = []
for who in "last-0", "last-3":
    call(last, "ADD", who)
    call(last, "DEL", who)
found, wrong = store.read(HOME)
print("wrong", "; ".join(wrong))
print("lost", *sorted(told.keys() - found.keys()))
print("unknown", *sorted(found.keys() - told.keys()))
print("mistaken", *sorted(a for a in told.keys() & found.keys() if told[a] != found[a]))
print("map", *(f"{folder}: {bits}" for folder in os.listdir(HOME)
               if (bits := store.wrong_bits(f"{HOME}/{folder}"))))
print("left", len(found))
for who in {who for _, who, _ in told.values()}:
    call(last, "DEL", who)
print("after", *store.read(HOME))
print("callers", failed)
print("calls", len(entries))
print("killed", sum(e["status"] < 0 for e in entries))
print("full", sum(e["code"] == 107 for e in entries))
print("doubled", "; ".join(doubled))
print("changed", *(who for who, sets in answers.items() if len(sets) > 1))
print("odd", "; ".join(f"{e['verb']} {e['status']} {e['code']} {e['msg']}" for e in odd[:5]))
print("longest", f"{max(e['end'] - e['begin'] for e in entries):.2f}")
print("seconds", f"{seconds:.1f}")
END

# ---- the storm ----

PYTHONPATH=$WORK PYTHONDONTWRITEBYTECODE=1 python3 $WORK/storm.py "${STORM_ROUNDS:-100}" >$WORK/report 2>&1
is "$?" 0 'the storm ran to its end'
declare -A R=()
while read -r what value; do R[$what]=$value; done <$WORK/report
diag "$(tail -n 12 $WORK/report)"
got() { echo "${R[$1]-not reported}"; }
at_least() { # WHAT LIMIT DESCRIPTION
	if [ "${R[$1]:-0}" -ge "$2" ]; then ok "$3"; else not_ok "$3" "got: $(got "$1")"; fi
}
is "$(got callers)" 0 'so did every caller'
at_least killed 200 "$(got killed) of $(got calls) calls were killed"
at_least full 1 "$(got full) found the range full"
is "$(got odd)" '' 'no other refusal'
is "$(got doubled)" '' 'no address had two holders at a time'
is "$(got changed)" '' 'who asked again got the same addresses'
is "$(got wrong)" '' 'every record is whole, and the same file under each of its names'
is "$(got lost)" '' 'no lease was lost'
is "$(got unknown)" '' 'no lease without a holder stayed'
is "$(got mistaken)" '' 'every record names the holder that was told'
is "$(got map)" '' 'every map shows the same'
at_least left 20 "the reader saw the $(got left) leases that were kept"
is "$(got after)" '{} []' 'after the last DEL the store is empty'
if awk -v a="$(got longest)" 'BEGIN {exit !(a > 0 && a < 10)}'; then
	ok "no caller waited past its deadline (longest call: $(got longest) s)"
else
	not_ok 'no caller waited past its deadline' "longest call: $(got longest) s"
fi

leased() {
	local i
	for i in $(seq 40); do
		cni ADD "again$i" /run/netns/x net1 "$STORM"
		jq -r '.ips[0].address' <<<"$CNI_OUT"
	done
}
is "$(leased | sort -u | wc -l)" 40 'all 40 addresses can be leased anew'
cni ADD again41 /run/netns/x net1 "$STORM"
refused 107 '^no address is free in range 10\.56\.0\.0/26 .*: 40 of 40 taken' 'one more'
rm -rf /run/roce-ipam

# ---- a holder that is stopped with the lock in its hands ----

# stopped VERB ID CALL: start a verb that stops itself at its first CALL; HOLDER is its process.
stopped() {
	local i
	rm -f $WORK/trace
	(
		export CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_NETNS=/run/netns/x CNI_IFNAME=net1 CNI_PATH=/opt/cni/bin
		strace -f -o $WORK/trace -e trace="$3" -e inject="$3":signal=STOP:when=1 \
			"$BIN/roce-ipam" <$WORK/config >$WORK/holder
		exit 0
	) 2>/dev/null &
	TRACER=$!
	for i in $(seq 500); do
		HOLDER=$(awk '/stopped by SIGSTOP/ {print $1; exit}' $WORK/trace 2>/dev/null)
		[ -z "$HOLDER" ] || return 0
		sleep 0.02
	done
	return 1
}
resume() { [ -z "${HOLDER:-}" ] || kill -"$1" "$HOLDER"; }
trap 'resume KILL 2>/dev/null' EXIT

# late VERB ID: a call, its duration in ms and its answer in $WORK/late.VERB.
late() {
	local begin=$EPOCHREALTIME end
	cni "$1" "$2" /run/netns/x net1 "$3"
	end=$EPOCHREALTIME
	{
		echo $(((${end/./} - ${begin/./}) / 1000))
		code
		msg
	} >$WORK/late."$1"
}

# seen: what the reader sees, ADDRESS=HOLDER each, and what is wrong.
seen() {
	(cd $WORK && PYTHONDONTWRITEBYTECODE=1 python3 -c 'import store
held, wrong = store.read("/run/roce-ipam")
print(*(f"{a}={held[a][1]}" for a in sorted(held)), wrong)')
}

cni ADD c1 /run/netns/x net1 "$STORM"
if stopped ADD c2 linkat; then
	is "$(cat $POOL/lock)" "$HOLDER" 'the lock names the stopped holder'
	GC=$(jq -c '. + {"cni.dev/valid-attachments": []}' <<<"$STORM")
	late ADD c3 "$STORM" &
	A=$!
	late DEL c1 "$STORM" &
	B=$!
	late CHECK c1 "$STORM" &
	C=$!
	late GC '' "$GC" &
	D=$!
	wait $A $B $C $D
	for verb in ADD DEL CHECK GC; do
		{ read -r ms; read -r number; read -r text; } <$WORK/late.$verb
		is "$number $text" "11 address pool $POOL: lock lock is still held by process $HOLDER; try again, or see what that process waits for" \
			"$verb behind a stopped holder: code 11 and who it is"
		if [ "$ms" -ge 9500 ] && [ "$ms" -lt 14000 ]; then
			ok "$verb gave up when its 10 s had passed"
		else
			not_ok "$verb gave up when its 10 s had passed" "$ms ms"
		fi
	done
	late ADD c4 "$STORM" &
	A=$!
	sleep 0.5
	resume CONT
	wait $A $TRACER
	is "$(jq -r '.ips[0].address' <$WORK/holder)" 10.56.0.2/26 'the holder goes on and answers, 10 s late'
	{ read -r ms; read -r number; } <$WORK/late.ADD
	is "$number" '' 'who waited then gets an address'
	if [ "$ms" -lt 9000 ]; then ok 'as soon as the lock is free'; else not_ok 'as soon as the lock is free' "$ms ms"; fi
	is "$(seen)" '10.56.0.1=c1 10.56.0.2=c2 10.56.0.3=c4 fd00::1=c1 fd00::2=c2 fd00::3=c4 []' \
		'nothing else was changed'
else
	not_ok 'a holder could be stopped' "$(cat $WORK/trace)"
fi
if stopped DEL c2 unlinkat; then
	late ADD c5 "$STORM" &
	A=$!
	sleep 0.3
	resume KILL
	wait $A $TRACER
	{ read -r ms; read -r number; } <$WORK/late.ADD
	is "$number" '' 'a stopped holder that is killed leaves no lock'
	if [ "$ms" -lt 9000 ]; then ok 'who waited goes on at once'; else not_ok 'who waited goes on at once' "$ms ms"; fi
	cni DEL c2 /run/netns/x net1 "$STORM"
	silent 'its DEL is done again'
	cni ADD c6 /run/netns/x net1 "$STORM"
	like "$(seen | tr ' ' '\n' | grep -v : | sort -t= -k2 | tr '\n' ' ')" \
		'^\[\] 10.56.0.1=c1 10.56.0.3=c4 10.56.0.[24]=c5 10.56.0.[24]=c6 $' 'and its address can be had'
else
	not_ok 'a holder could be stopped in DEL' "$(cat $WORK/trace)"
fi
HOLDER=
done_testing || exit 1
