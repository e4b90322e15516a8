#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1800
# 14 VFs of two PFs, 14 workers at once, each with a VF and two pods of its own and 50 rounds of ADD and DEL.
# Some calls are killed at a random moment; then the worker does what runtimes do: DEL, also without a
# namespace, or after the namespace died and came again, or never, and the VF goes to another pod. Some
# rounds are races: an ADD against a DEL of the same attachment, two ADDs for one VF.
#
# ROUNDS=N and SEED=N in the environment change the number of rounds and repeat the choices of a storm.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

ROUNDS=${ROUNDS:-50}
SEED=${SEED:-$SRANDOM}
WORK=/run/storm
WORKERS=14
ATTEMPTS=40 # of a call that may be refused for a while: 20 s

mkdir -p $WORK
profile
vfs 9000 7
for ((i = 0; i < WORKERS; i++)); do
	pods "p$i" "q$i"
	mkfifo "$WORK/never.$i"
	printf -v mac '02:00:5e:00:53:%02x' "$i"
	ipam='{"ipam": {"type": "roce-ipam", "range": "10.56.0.0/26"}}'
	config "${VFS[i]}" "$ipam" >"$WORK/conf.$i.0"
	config "${VFS[i]}" "$ipam" "{\"vlan\": $((i + 2)), \"mac\": \"$mac\", \"mtu\": 9000}" >"$WORK/conf.$i.1"
done
GC=$(jq -c '. + {"cni.dev/valid-attachments": []}' $WORK/conf.0.0)

# ---- one worker's calls, without any process but roce ----

odd() { printf 'odd worker %s round %s: %s\n' "$I" "$ROUND" "$*" >&"$LOG"; }
pause() { read -r -t "$1" -u "$NEVER"; }
dice() { [ $((RANDOM % 100)) -lt "$1" ]; }

# start VERB CONTAINER NETNS SLOT: a call in the background; its process is PID.
start() {
	CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_NETNS=$3 CNI_IFNAME=net1 CNI_PATH=$BIN \
		"$BIN/roce" <"$CONF" >"$WORK/out.$I.$4" 2>"$WORK/err.$I.$4" &
	PID=$!
}

# finish PID VERB SLOT: its status as RC, its answer as OUT, the code in it as CODE.
finish() {
	wait "$1"
	RC=$?
	OUT="" CODE=-
	read -r OUT <"$WORK/out.$I.$3"
	[[ ! $OUT =~ \"code\":\ *([0-9]+) ]] || CODE=${BASH_REMATCH[1]}
	printf 'call %s %s %s\n' "$2" "$RC" "$CODE" >&"$LOG"
}

# call VERB CONTAINER NETNS
call() {
	local begin=${EPOCHREALTIME/./}
	start "$1" "$2" "$3" 0
	finish $PID "$1" 0
	TOOK=$((${EPOCHREALTIME/./} - begin))
}

# kill_during VERB CONTAINER NETNS: a call that is killed somewhere between its begin and its end.
kill_during() {
	local after=$((TOOK * (RANDOM + 1) / 32768))
	printf -v after '%d.%06d' $((after / 1000000)) $((after % 1000000))
	start "$1" "$2" "$3" 0
	pause "$after"
	kill -KILL $PID
	finish $PID "$1" 0
}

# until_done VERB CONTAINER NETNS CODES: a call that may be refused with one of these codes for a while.
until_done() {
	local left=$ATTEMPTS
	while call "$1" "$2" "$3"; [ "$RC" -ne 0 ]; do
		left=$((left - 1))
		[[ $left -gt 0 && " $4 " = *" $CODE "* ]] || { odd "$1 of $2: $RC $OUT"; return 1; }
		pause 0.5
	done
	return 0 # not the last pause's status
}

# DEL is asked again while a dead namespace still holds the VF (110).
delete() { until_done DEL "$1" "$2" '11 110'; }

# holds CONTAINER POD: the answer of ADD says that it has the VF and an address. Is it so?
holds() {
	[[ $OUT =~ \"address\":\ *\"([0-9.]+)/26\" ]] || { odd "$1: no address: $OUT"; return; }
	ADDRESS=${BASH_REMATCH[1]}
	SINCE=${EPOCHREALTIME/./}
	has "$1" "$2"
}
has() { [[ $(ip -n "$2" -o addr show net1 2>&1) = *" inet $ADDRESS/26 "* ]] || odd "$1 has not what its ADD was told"; }
# releases CONTAINER: from now on it has them no more.
releases() {
	printf 'held %s %s %s %s\n' "$ADDRESS" "$SINCE" "${EPOCHREALTIME/./}" "$1" \
		"${VFS[I]}" "$SINCE" "${EPOCHREALTIME/./}" "$1" >&"$LOG"
}

new_namespace() {
	ip netns del "$1"
	ip netns add "$1"
}

# ---- the rounds ----

plain() {
	until_done ADD "c$I-$ROUND" "$P" 11 || return
	holds "c$I-$ROUND" "p$I"
	releases "c$I-$ROUND"
	delete "c$I-$ROUND" "$P"
}

# recover CONTAINER: a call of it in pod p was killed.
recover() {
	local n=$((RANDOM % 5))
	case $n in
	0 | 1) delete "$1" "$P" ;;
	2) delete "$1" '' ;;
	3)
		new_namespace "p$I"
		delete "$1" "$P"
		;;
	4) forget "$1" ;;
	esac
}

# Nobody deletes the container, or much too late. Its pod may live on, and then it keeps the VF.
forget() {
	call ADD "d$I-$ROUND" "$Q"
	if [ "$RC" -ne 0 ]; then
		[[ $CODE = 102 && $OUT = *" container $1 "* || $CODE = 11 ]] || odd "ADD beside $1: $RC $OUT"
		new_namespace "p$I"
		until_done ADD "d$I-$ROUND" "$Q" '11 101 102 110' || return
	fi
	holds "d$I-$ROUND" "q$I"
	if dice 50; then
		delete "$1" "$P"
		has "d$I-$ROUND" "q$I"
	fi
	releases "d$I-$ROUND"
	delete "d$I-$ROUND" "$Q"
}

add_killed() {
	kill_during ADD "c$I-$ROUND" "$P"
	recover "c$I-$ROUND"
}

del_killed() {
	until_done ADD "c$I-$ROUND" "$P" 11 || return
	holds "c$I-$ROUND" "p$I"
	releases "c$I-$ROUND"
	kill_during DEL "c$I-$ROUND" "$P"
	recover "c$I-$ROUND"
}

# An ADD and a DEL of the same attachment at once, which may have been there before.
add_against_del() {
	local add del
	if dice 50; then
		until_done ADD "c$I-$ROUND" "$P" 11 || return
	fi
	start ADD "c$I-$ROUND" "$P" 1
	add=$PID
	start DEL "c$I-$ROUND" "$P" 2
	del=$PID
	finish "$add" ADD 1
	[[ $RC = 0 || " 11 102 " = *" $CODE "* ]] || odd "ADD against DEL: $RC $OUT"
	finish "$del" DEL 2
	[[ $RC = 0 || $CODE = 11 ]] || odd "DEL against ADD: $RC $OUT"
	delete "c$I-$ROUND" "$P"
}

# Two ADDs for one VF: one of them has it.
add_against_add() {
	local one two won=0
	start ADD "c$I-$ROUND" "$P" 1
	one=$PID
	start ADD "d$I-$ROUND" "$Q" 2
	two=$PID
	for slot in 1 2; do
		if [ $slot = 1 ]; then finish "$one" ADD 1; else finish "$two" ADD 2; fi
		if [ "$RC" -eq 0 ]; then
			won=$((won + 1))
		elif [[ " 11 102 " != *" $CODE "* ]]; then
			odd "ADD against ADD: $RC $OUT"
		fi
	done
	[ $won -eq 1 ] || odd "ADD against ADD: $won have won"
	printf 'race\n' >&"$LOG"
	delete "c$I-$ROUND" "$P"
	delete "d$I-$ROUND" "$Q"
}

worker() {
	I=$1 TOOK=1000000 P=/run/netns/p$1 Q=/run/netns/q$1
	RANDOM=$((SEED + I))
	exec {NEVER}<>"$WORK/never.$I" {LOG}>"$WORK/log.$I"
	for ((ROUND = 0; ROUND < ROUNDS; ROUND++)); do
		CONF=$WORK/conf.$I.$((RANDOM % 2))
		case $((RANDOM % 10)) in
		[0-3]) plain ;;
		[45]) add_killed ;;
		[67]) del_killed ;;
		8) add_against_del ;;
		9) add_against_add ;;
		esac
	done
	printf 'end\n' >&"$LOG"
}

# ---- the storm ----

before=$(settled_dump)
diag "SEED=$SEED ROUNDS=$ROUNDS"
started=$SECONDS
for ((i = 0; i < WORKERS; i++)); do worker $i 2>"$WORK/stderr.$i" & done
wait
seconds=$((SECONDS - started))

# count ERE: of the lines in all logs.
count() { cat $WORK/log.* | grep -cE "$1"; }
is "$(count '^end')" $WORKERS "$WORKERS workers came to their end: $(count '^call ADD') ADDs, $(count '^call DEL') DELs, $(count '^call .* 137 ') killed, $(count '^call .* 1 ') refused, $seconds s"
is "$(cat $WORK/log.* | grep '^odd')" '' 'nothing odd happened'
is "$(sort -k2,2 -k3,3n $WORK/log.* | awk '$1 == "held" {
	if ($2 == key && $3 < end)
		print $2, "of", holder, "and", $5
	key = $2
	end = $4
	holder = $5
}')" '' "no VF and no address had two holders at a time, of $(count '^held')"
is "$(($(count '^call ADD 137 ') > WORKERS && $(count '^call DEL 137 ') > WORKERS))" 1 \
	"$(count '^call ADD 137 ') ADDs and $(count '^call DEL 137 ') DELs were killed"
is "$(($(count '^race') > WORKERS))" 1 "$(count '^race') pairs of ADDs raced for a VF, one of each won"

# Containers that nobody deletes are for GC.
cni GC '' '' '' "$GC"
silent 'GC of all'
is "$(find /run/roce-cni ! -type d)" '' 'no journal, claim or lock file is left'
is "$(find /run/roce-ipam ! -type d ! -name lock ! -name map)" '' 'no lease is left'
restored "$before" 'the host is as before'
done_testing || exit 1
