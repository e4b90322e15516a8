#!/bin/bash
# SIGTERM, SIGINT and SIGHUP: an ADD stops at the next step, or where it waits, and is undone; DEL and
# GC run to their end. And an ADD whose runtime is gone, or does not read what it is told.
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

if ! strace -o /dev/null true 2>/dev/null; then
	echo "1..0 # SKIP strace cannot be used here"
	exit 0
fi
POD=/run/netns/pod1
TRACE=/run/trace
ip netns add pod1
world_veth rdma0 port0 1500 9000
ip link set rdma0 up
MAC=$(cat /sys/class/net/rdma0/address)
BASE=$(config '.mtu = 9000 | .mac = "02:00:5e:00:53:aa" | .ipam = {type: "roce-ipam",
	range: "10.56.0.0/24", gateway: "10.56.0.1", routes: [{dst: "198.51.100.0/24"}]}')
CONF=$BASE

dump() {
	host_dump
	pod_dump pod1
}
add() { cni ADD c1 "$POD" net1 "$CONF"; }
del() { cni DEL c1 "$POD" net1 "$CONF"; }
add # creates the folders and what else stays
del
BEFORE=$(dump)

# as_before: compares; what is not as before is shown and put right, so that the next test can be judged.
as_before() {
	local now
	now=$(dump)
	[ "$BEFORE" != "$now" ] || return 0
	diag "$(diff <(printf '%s\n' "$BEFORE") <(printf '%s\n' "$now") | head -n 30)"
	CNI_RUN=
	CONF=$BASE
	del
	find /run/roce-cni /run/roce-ipam -name '.*.lock' -delete
	ip link set rdma0 down
	ip link set rdma0 mtu 1500 address "$MAC" up
	[ "$BEFORE" = "$(dump)" ] || diag "the host could not be put right"
	return 1
}
documents() { jq -s length <<<"$CNI_OUT" 2>/dev/null; }

# ---- a signal at every system call ----

# inject SIGNAL CALL N: the next plugin call gets the signal on entering its N-th CALL.
inject() { CNI_RUN="strace -qq -o $TRACE -e trace=$2 -e inject=$2:signal=$1:when=$3"; }
reached() { [ "$(grep -c "^$1(" "$TRACE")" -ge "$2" ]; }
FINISHED=0 STOPPED=0

# judge_add SIGNAL: the ADD has either succeeded, and a DEL restores, or was stopped and left nothing.
judge_add() {
	local answer text
	CNI_RUN=
	answer="$CNI_RC $(documents) $(code)"
	text=$(msg)
	if [ "$answer" = "0 1 " ]; then
		FINISHED=$((FINISHED + 1))
		del
		[ "$CNI_RC" -eq 0 ] || { as_before; return 1; }
	elif [ "$answer" = "1 1 11" ] && [[ $text == *"stopped by SIG$1; try again" ]]; then
		STOPPED=$((STOPPED + 1))
	else
		as_before
		return 1
	fi
	as_before
}

# judge_quiet: DEL and GC have done all that they do without a signal, and say nothing of it.
judge_quiet() {
	CNI_RUN=
	[ "$CNI_RC:$CNI_OUT" = "0:" ] && as_before
}
gc() { cni GC '' '' '' "$(jq -c '. + {"cni.dev/valid-attachments": []}' <<<"$CONF")"; }

# each VERB SIGNAL CALLS [STEP]: VERB gets SIGNAL at the first, second, ... (every STEP-th) of each call.
each() {
	local verb=$1 signal=$2 step=${4:-1} call n signals=0 good=0 judge=judge_add
	[ "$verb" = ADD ] || judge=judge_quiet
	FINISHED=0 STOPPED=0
	for call in $3; do
		for n in $(seq 1 "$step" 80); do
			[ "$verb" = ADD ] || add
			inject "$signal" "$call" "$n"
			"${verb,,}"
			if ! reached "$call" "$n"; then
				CNI_RUN=
				del
				break
			fi
			signals=$((signals + 1))
			if "$judge" "$signal"; then
				good=$((good + 1))
			else
				diag "SIG$signal in $verb at $call $n: status $CNI_RC: $CNI_OUT $CNI_ERR"
			fi
		done
	done
	is "$good of $signals" "$signals of $signals" "SIG$signal in $verb: $signals signals$(
		[ "$verb" != ADD ] || echo ", $STOPPED stopped it, $FINISHED came after its last step")"
	if [ "$verb" = ADD ]; then
		# With every call, some come after the last step.
		is "$((STOPPED > FINISHED && (FINISHED > 0 || step > 1)))" 1 "SIG$signal in ADD: both were met"
	fi
	[ $signals -gt 4 ] || not_ok "only $signals signals: this test tests too little"
}

each ADD TERM "mkdirat flock pwrite64 setns sendmsg write renameat symlinkat clone3 poll unlinkat exit_group"
CONF=$(jq -c 'del(.ipam)' <<<"$BASE") # whose run by itself would end an ADD
each ADD TERM "sendmsg"
CONF=$BASE
each ADD INT "symlinkat sendmsg clone3 renameat" 5
each ADD HUP "symlinkat sendmsg clone3 renameat" 5
each DEL TERM "mkdirat flock pwrite64 setns sendmsg clone3 poll write unlinkat exit_group"
each DEL INT "setns sendmsg unlinkat" 4
each DEL HUP "setns sendmsg unlinkat" 4
each GC TERM "sendmsg clone3 poll unlinkat" 3

inject TERM sendmsg 1
add
is "$(msg)" 'stopped by SIGTERM; try again' "SIGTERM before the first change: the message"
CNI_RUN=
n=$(grep -c '^sendmsg(' "$TRACE")
inject TERM sendmsg $((n + 1))
add
like "$(msg)" '^before "[^"]+": stopped by SIGTERM; try again$' \
	"SIGTERM after the first change: the message says which step it did not come to"
CNI_RUN=
run_ok "both: all is as before" as_before

# ---- every process of the group: the IPAM plugin dies of it, by the default action ----

killed=0 good=0
for call in linkat unlinkat pwrite64 flock write getdents64; do
	for n in $(seq 12); do
		CNI_RUN="strace -f -qq -o $TRACE -e trace=$call -e inject=$call:signal=TERM:when=$n"
		add
		CNI_RUN=
		if ! grep -q 'killed by SIGTERM' "$TRACE"; then
			del
			continue
		fi
		killed=$((killed + 1))
		answer="$CNI_RC $(documents) $CNI_OUT"
		# The plugin that gives the addresses back may have met the signal as well.
		[[ $CNI_OUT != *"not everything could be restored"* ]] || del
		if [[ $answer == "1 1 "* ]] && as_before; then
			good=$((good + 1))
		else
			diag "SIGTERM at $call $n of every process: $answer"
		fi
	done
done
is "$good of $killed" "$killed of $killed" "SIGTERM ends the IPAM plugin at one of its calls: $killed met, the ADD is undone"
[ $killed -gt 4 ] || not_ok "only $killed met: this test tests too little"

# ---- while it waits for the IPAM plugin ----

# fake NAME ADD [DEL]: a plugin that notes its calls. Bash, as dash starts with every signal unblocked.
FAKES=/run/fakes
NOTES=/run/notes
mkdir $FAKES
fake() {
	cat >"$FAKES/$1" <<-END
		#!/bin/bash
		echo \$CNI_COMMAND >>$NOTES
		sed -n 's/^Sig\(Blk\|Ign\):[[:space:]]*/0x/p' /proc/self/status >>/run/masks
		case \$CNI_COMMAND in
		ADD) echo \$\$ >/run/fake.pid; $2 ;;
		DEL) ${3:-:} ;;
		esac
		[ \$CNI_COMMAND = DEL ] || echo '{"cniVersion": "1.1.0", "ips": [{"address": "10.56.0.9/24"}]}'
		echo "\$CNI_COMMAND done" >>$NOTES
	END
	chmod +x "$FAKES/$1"
}
fake hang 'sleep 60'
fake deaf 'trap "" TERM; for i in $(seq 600); do sleep 0.1; done'
fake polite 'trap "exit 0" TERM; for i in $(seq 600); do sleep 0.1; done'
fake pipe-holder '(trap "" TERM; sleep 60) & exit 0'
WAIT='until [ -e /run/go ]; do sleep 0.1; done'
fake slow "$WAIT" "$WAIT"
fake slow-del 'sleep 60' "$WAIT"
printf '#!/bin/sh\n[ $CNI_COMMAND != ADD ] || %s\nexec %s/roce-ipam\n' "{ $WAIT; }" "$BIN" >$FAKES/slow-lease
# shellcheck disable=SC2016
printf '#!/bin/sh\necho $$ >/run/roce.pid\nexec "$@"\n' >/run/tell
chmod +x $FAKES/slow-lease /run/tell
CNI_DIRS=$FAKES:$BIN

# with FAKE: the configuration has this IPAM plugin.
with() { CONF=$(jq -c --arg type "$1" '.ipam.type = $type' <<<"$BASE"); }

# begin VERB [ENV-OPTION]: start a call; ROCE is its process, the IPAM plugin may have been started.
begin() {
	rm -f $NOTES /run/fake.pid /run/roce.pid /run/masks /run/go
	CNI_RUN="env --default-signal=INT ${2:-} /run/tell"
	{
		cni "$1" c1 "$POD" net1 "$CONF"
		printf '%s\n' "$CNI_RC" "$EPOCHREALTIME" "$CNI_OUT" >/run/ended
	} &
	CALL=$!
	CNI_RUN=
	until [ -s /run/roce.pid ]; do sleep 0.01; done
	ROCE=$(cat /run/roce.pid)
}
noted() { grep -qx "$1" $NOTES 2>/dev/null; }
# until_noted TEXT: wait for a line in the plugin's notes, at most 10 s.
until_noted() {
	local left=1000
	until noted "$1" || [ $left -eq 0 ]; do
		sleep 0.01
		left=$((left - 1))
	done
	noted "$1" || diag "the IPAM plugin has not noted: $1"
}
send() {
	SENT=$EPOCHREALTIME
	kill -"$1" "$ROCE"
}
# go: what waits has waited long enough to be hit by a signal.
go() {
	sleep 0.4
	touch /run/go
}
# end: wait for the call; sets what cni() sets, and MS from the signal on.
end() {
	wait $CALL
	local at
	{ read -r CNI_RC; read -r at; read -r CNI_OUT; } </run/ended
	MS=$(((${at/./} - ${SENT/./}) / 1000))
}
within() { # MS DESCRIPTION
	if [ "$MS" -le "$1" ]; then ok "$2 ($MS ms)"; else not_ok "$2" "$MS ms"; fi
}

# masks: of SIGHUP, SIGINT, SIGPIPE and SIGTERM, which of them the plugins had blocked, and ignored.
masks() {
	local blocked=0 ignored=0 a b
	[ -s /run/masks ] || echo "nothing noted"
	while read -r a && read -r b; do
		blocked=$((blocked | a & 0x5003)) ignored=$((ignored | b & 0x5003))
	done </run/masks
	echo $blocked $ignored
}
# hanging FAKE SIGNAL: an ADD whose IPAM plugin does not end gets a signal.
hanging() {
	local what="SIG$2 while IPAM plugin $1 runs"
	with "$1"
	begin ADD
	until_noted ADD
	sleep 0.2
	send "$2"
	end
	refused 11 "^take addresses from the IPAM plugin: IPAM plugin $1 was ended: stopped by SIG$2; try again\$" "$what"
	within 3000 "$what: it ends soon"
	is "$(xargs <$NOTES)" "ADD DEL DEL done" "$what: the plugin is ended and gets its DEL"
	run_ok "$what: no process of the plugin is left" is_gone "$(cat /run/fake.pid)"
	run_ok "$what: all is as before" as_before
}
# is_gone PGID: no process of this group lives; the group is the plugin's own.
is_gone() {
	local left
	left=$(ps -o pid=,stat=,args= -e -o pgid= | awk -v pgid="$1" '$NF == pgid && $2 !~ /Z/')
	[ -z "$left" ] || { echo "$left"; return 1; }
}
hanging hang TERM
hanging hang INT
hanging hang HUP
hanging deaf TERM
hanging polite TERM
hanging pipe-holder TERM

with hang
begin ADD
until_noted ADD
kill -TERM "$(cat /run/fake.pid)"
send TERM
end
is "$CNI_RC $(documents)" "1 1" "SIGTERM for both, as of a service manager: the ADD fails"
is "$(code) $(msg | grep -o 'stopped by SIGTERM; try again$')" '11 stopped by SIGTERM; try again' \
	"SIGTERM for both: code 11, not the plugin's fault"
run_ok "SIGTERM for both: all is as before" as_before

with slow-del
begin ADD
until_noted ADD
send TERM
until_noted DEL
for signal in TERM INT HUP; do send $signal; done
go
end
refused 11 'stopped by SIGTERM' "more signals during the undo"
is "$(xargs <$NOTES)" 'ADD DEL DEL done' "more signals during the undo: it runs to its end"
run_ok "more signals during the undo: all is as before" as_before
is "$(masks)" '0 0' "the IPAM plugin has none of them blocked or ignored, nor SIGPIPE, in ADD and in DEL"

with slow
begin ADD --ignore-signal=HUP
until_noted ADD
send HUP
go
end
is "$CNI_RC $(jq -r '.ips[0].address' <<<"$CNI_OUT")" '0 10.56.0.9/24' \
	"a signal that the runtime has set to be ignored stays ignored"
is "$(masks)" '0 0' "but the IPAM plugin has it as usual"
begin DEL
until_noted DEL
for signal in TERM INT HUP; do send $signal; done
go
end
is "$CNI_RC:$CNI_OUT $(xargs <$NOTES)" '0: DEL DEL done' "signals while DEL waits for the IPAM plugin: it waits on"
run_ok "signals while DEL waits: all is restored" as_before

# ---- while it waits for a lock ----

# held NAME: somebody has this lock; until release.
held() {
	flock "/run/roce-cni/$1" sleep 60 &
	HOLDER=$!
	until ! flock -n "/run/roce-cni/$1" true; do sleep 0.01; done
}
release() {
	pkill -P $HOLDER
	wait $HOLDER 2>/dev/null
}
CONF=$BASE
for lock in attachments/rail/.c1:net1.lock "devices/.netdev-$(cat /sys/class/net/rdma0/ifindex).lock"; do
	held "$lock"
	begin ADD
	sleep 0.4
	send TERM
	end
	refused 11 "^waiting for lock $lock, held by process [0-9?]+: stopped by SIGTERM; try again\$" \
		"SIGTERM while waiting for ${lock%%/*}"
	within 3000 "SIGTERM while waiting for ${lock%%/*}: it ends soon"
	release
	rm -f "/run/roce-cni/$lock"
	run_ok "SIGTERM while waiting for ${lock%%/*}: all is as before" as_before
done
add
held attachments/rail/.c1:net1.lock
begin DEL
sleep 0.3
send TERM
sleep 0.3
run_ok "SIGTERM while DEL waits for a lock: it waits on" kill -0 "$ROCE"
release
end
is "$CNI_RC:$CNI_OUT" "0:" "SIGTERM while DEL waits for a lock: it succeeds"
run_ok "SIGTERM while DEL waits for a lock: all is restored" as_before

# ---- nobody takes the answer, or the log ----

# untaken STATUS DESCRIPTION COMMAND: an ADD run by COMMAND, in which "$@" is the plugin.
untaken() {
	local status=$1 what=$2
	printf '%s' "$CONF" | env -i PATH="$PATH" CNI_COMMAND=ADD CNI_CONTAINERID=c1 CNI_NETNS=$POD \
		CNI_IFNAME=net1 CNI_PATH="$CNI_DIRS" timeout 20 bash -c "$3" bash "$BIN/roce" >/run/answer 2>/run/log
	is "$?" "$status" "$what: status $status"
	if [ "$status" = 0 ]; then
		is "$(jq -s -r '.[0].ips[0].address, length' /run/answer | xargs)" '10.56.0.2/24 1' "$what: the answer"
		del
		is "$CNI_RC:$CNI_OUT" "0:" "$what: DEL"
	fi
	run_ok "$what: all is as before" as_before
}
# shellcheck disable=SC2016
{
	untaken 1 'stdout is closed' '"$@" >&-'
	untaken 1 'stdout is full' '"$@" >/dev/full'
	untaken 1 'stdout is a pipe whose reader is gone' '"$@" | :; exit "${PIPESTATUS[0]}"'
	untaken 1 'nobody is there at all' '{ "$@" 2>&1 | :; exit "${PIPESTATUS[0]}"; }'
	untaken 1 'all three are closed' '"$@" <&- >&- 2>&-'
	untaken 1 'a signal after the last step, and stdout is full' \
		'strace -qq -o /dev/null -e trace=renameat -e inject=renameat:signal=TERM:when=2 "$@" >/dev/full'
	untaken 0 'stderr is closed' '"$@" 2>&-'
	untaken 0 'stderr is full' '"$@" 2>/dev/full'
	untaken 0 'stderr is a pipe whose reader is gone' '{ "$@" 2>&1 >&3 | :; exit "${PIPESTATUS[0]}"; } 3>&1'
	untaken 0 'stderr is a full pipe that nobody reads' \
		'mkfifo /run/full; exec 4<>/run/full; timeout 0.5 cat /dev/zero >&4; rm /run/full; "$@" 2>&4'
	CONF=$(jq -c '.mtu = 9001' <<<"$BASE")
	untaken 1 'the error cannot be written' '"$@" | :; exit "${PIPESTATUS[0]}"'
}
CONF=$BASE

# A runtime that is killed while its ADD runs: nobody reads, nobody waits.
with slow-lease
rm -f /run/roce.pid /run/go
# shellcheck disable=SC2016
env -i PATH="$PATH" CONF="$CONF" CNI_COMMAND=ADD CNI_CONTAINERID=c1 CNI_NETNS=$POD CNI_IFNAME=net1 \
	CNI_PATH="$CNI_DIRS" bash -c 'answer=$(printf %s "$CONF" | /run/tell "$1" 2>/run/log); echo "$answer"' \
	bash "$BIN/roce" >/dev/null &
RUNTIME=$!
until [ -s /run/roce.pid ] && [ ! -e /sys/class/net/rdma0 ]; do sleep 0.01; done
kill -KILL $RUNTIME
wait $RUNTIME 2>/dev/null
go
while kill -0 "$(cat /run/roce.pid)" 2>/dev/null; do sleep 0.05; done
like "$(cat /run/log)" 'could not be written to stdout: undoing the ADD' "a killed runtime: the log says why it is undone"
run_ok "a killed runtime: all is as before" as_before

done_testing || exit 1
