#!/bin/bash
# logLevel and logFile: what is written at which level, whose files are written to, and that the log stops
# nothing but an ADD whose network names a file that it may not.
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
LOG=/var/log/roce.log
HEADER='# Log of roce-cni; roce writes to no file that begins otherwise.'
# One line of the file; what stands behind the program is the test's.
LINE='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z (error|warning|info|debug) roce(-ipam)?\[[0-9]+\] '
mount -t tmpfs tmpfs /var/log
ip netns add pod1
world_veth rdma0 port0 1500 9000
world_veth rdma1 port1 1500 9000
BEFORE=$(host_dump)
NONE='roce: warning: no node profile'

conf() { config ".ipam = {type: \"roce-ipam\", range: \"10.56.0.0/24\"} | ${1:-.}"; }
logged() { conf ".logFile = \"$LOG\" | ${1:-.}"; }
add() { cni ADD c1 "$POD" net1 "$@"; }
del() { cni DEL c1 "$POD" net1 "$@"; }
# round CONFIG: an ADD and its DEL; stderr of the ADD stays in CNI_ERR.
round() {
	local errors
	add "$1"
	errors=$CNI_ERR
	del "$1"
	CNI_ERR=$errors
}
# lines ERE: how many lines of the file match; entries: the file without headers.
lines() { grep -cE -e "$1" "$LOG"; }
entries() { grep -vxF "$HEADER" "$LOG"; }
as_before() { same "$BEFORE" "$(host_dump)" "$1: the host is as before"; }
fresh() { rm -rf /var/log/*; }

# ---- levels ----

round "$(conf)"
is "$(find /var/log -type f)" '' 'without logFile: no file'
like "$CNI_ERR" "^$NONE" 'without logLevel: warnings on stderr'
unlike "$CNI_ERR" 'debug' 'without logLevel: nothing of level debug'

# level LEVEL WORDS: an ADD that succeeds and one that is refused; the levels of their lines, by name.
level() {
	fresh
	add "$(logged ".logLevel = \"$1\"")"
	succeeded "logLevel $1: ADD"
	del "$(logged ".logLevel = \"$1\"")"
	silent "logLevel $1: DEL"
	add "$(logged ".logLevel = \"$1\" | .mtu = 9001")"
	refused 100 'MTU_MISMATCH' "logLevel $1: an ADD beyond the chain"
	is "$(entries | cut -d ' ' -f 2 | sort -u | xargs)" "$2" "logLevel $1: the levels in the file"
	if [[ $2 == *error* ]]; then
		like "$CNI_ERR" "roce: error: $(msg | sed 's/[][().*+?^$|]/\\&/g')" "logLevel $1: the error on stderr"
		is "$(grep -cF " error roce[" "$LOG") $(grep -cF " ADD rail c1:net1: $(msg)" "$LOG")" '1 1' \
			"logLevel $1: the error in the file, once"
	else
		is "$CNI_ERR" '' "logLevel $1: nothing on stderr"
	fi
}
level panic ''
level error error
level warning 'error warning'
level info 'error info warning'
level debug 'debug error info warning'
level verbose 'debug error info warning'
level Debug 'debug error info warning'
as_before 'levels'

add "$(logged '.logLevel = "debgu"')"
refused 7 'logLevel: "debgu" is not known; it must be .*; did you mean "debug"' 'a misspelled level'
add "$(conf '.logLevel = 5')"
refused 6 'logLevel: must be a string, is an integer' 'a level that is a number'
add "$(conf '.logLevel = "" | .logFile = ""')"
succeeded 'empty keys ask for nothing'
del "$(conf)"

# ---- what is in the file ----

fresh
add "$(logged '.logLevel = "debug" | .mtu = 9000')"
is "$(stat -c '%a %U %h' $LOG)" '600 root 1' 'the file: for root alone'
is "$(head -n 1 $LOG)" "$HEADER" 'the file begins with its header'
is "$(lines "^#")" 1 'the header is there once'
is "$(entries | grep -vE "^${LINE}ADD rail c1:net1: ")" '' 'every line has time, level, program, attachment'
is "$(entries | sed -E "s/^$LINE//" | sed 's/^ADD rail c1:net1: //')" \
	"$(sed -E 's/^roce(-ipam)?: ((error|warning|debug): )?//' <<<"$CNI_ERR")" 'the file has what stderr has'
like "$(cat $LOG)" 'step: rdma0: MTU 1500 -> 9000' 'debug: a step, before it runs'
is "$(lines 'roce\[.*: step: ')" "$(lines 'roce\[.*: done in [0-9]+\.[0-9] ms')" 'debug: a duration for each step'
like "$(cat $LOG)" 'ADD done in [0-9]+\.[0-9] ms' 'debug: a duration for all'
like "$(cat $LOG)" 'roce-ipam\[[0-9]+\] ADD rail c1:net1: leased 10\.56\.0\.1/24' 'roce-ipam writes there, too'
like "$(cat $LOG)" '/roce-ipam ran for [0-9.]+ ms and ended with status 0' 'debug: how long the IPAM plugin ran'
like "$(cat $LOG)" 'lower port0 has MTU 9000, needs 9000' 'debug: the hops of the chain'
size=$(stat -c %s $LOG)
del "$(logged '.logLevel = "debug"')"
silent 'DEL'
is "$(tail -c +$((size + 1)) $LOG | grep -vE "^${LINE}DEL rail c1:net1: ")" '' 'DEL appends, and says that it is one'
like "$(cat $LOG)" 'DEL rail c1:net1: undo: rdma0: MTU 9000 -> 1500' 'debug: an undo, before it runs'
add "$(logged '.ipam.range = "10.56.0.0/31" | .ipam.exclude = ["10.56.0.0/31"]')"
is "$(lines ' error roce-ipam\[.*ADD rail c1:net1: ') $(lines ' error roce\[.*: IPAM plugin roce-ipam: ')" '1 1' \
	'an error of roce-ipam is in the file, and that of roce about it'
fresh
add "$(logged '.logLevel = "debug"')"
cni GC '' '' '' "$(logged '.logLevel = "debug" | ."cni.dev/valid-attachments" = []')"
like "$(cat $LOG)" ' info roce\[[0-9]+\] GC rail: GC: detaching net1 of container c1' 'GC has no container: the network alone'
as_before 'what is in the file'

# A line that a tenant writes into a message.
fresh
forged='2026-01-01T00:00:00.000Z error roce[1] ADD rail c9:net1: forged'
cni ADD c1 "/run/netns/none
$forged" net1 "$(logged '.logLevel = "debug"')" "CNI_ARGS=K8S_POD_NAME=a
$forged;B=$(printf '\033[2J\r')"
refused 104 'cannot open the network namespace' 'a namespace with a new line in its name'
is "$(grep -c '^2026-01-01' $LOG)" 0 'no line in the file is forged'
is "$(entries | grep -vcE "^${LINE}ADD rail c1:net1: ")" 0 'every line is one of ours'
is "$(tr -d '\n' <$LOG | LC_ALL=C tr -dc '\000-\037\177' | wc -c)" 0 'no control character in the file'
like "$(cat $LOG)" "/run/netns/none\\\\x0a$(cut -d ' ' -f 1 <<<"$forged")" 'the new line is written as \x0a'
like "$(cat $LOG)" '\\x1b\[2J\\x0d' 'so is an escape sequence'
is "$(grep -vc '^roce: ' <<<"$CNI_ERR")" 0 'nor is a line on stderr'

# ---- several at a time ----

fresh
CNI_RUN="strace -f -P $LOG -e trace=write -o /run/writes" add "$(logged '.logLevel = "debug"')"
is "$(grep -c 'write(' /run/writes)" "$(wc -l <$LOG)" 'one write a line'
del "$(logged)"
fresh
ip netns add pod2
printf '%s' "$(logged '.logLevel = "debug"')" >/run/a.json
printf '%s' "$(logged '.logLevel = "debug" | .device = "rdma1"')" >/run/b.json
for _ in 1 2 3 4 5; do
	for verb in ADD DEL; do
		for side in a:1 b:2; do
			CNI_COMMAND=$verb CNI_CONTAINERID=c${side#*:} CNI_NETNS=/run/netns/pod${side#*:} CNI_IFNAME=net1 \
				CNI_PATH=$BIN "$BIN/roce" </run/${side%:*}.json >/dev/null 2>>/run/${side%:*}.err &
		done
		wait
	done
done
is "$(entries | grep -vcE "^$LINE(ADD|DEL) rail c[12]:net1: [^:]")" 0 'ten pairs at a time: no line is torn or mixed'
for side in a:1 b:2; do
	is "$(entries | grep -c " c${side#*:}:net1: ")" "$(wc -l </run/${side%:*}.err)" \
		"ten pairs at a time: every line of container c${side#*:} is there"
done
ip netns del pod2
as_before 'ten pairs at a time'

# ---- files that a network may not name ----

# forbidden ERE DESCRIPTION FILE: ADD is refused, DEL warns and goes on, and no file changes.
forbidden() {
	local before what="$2: $3" conf="${PLAIN%\}},\"logFile\":\"${3//$'\n'/\\n}\"}"
	before=$(look)
	CNI_RUN='timeout 60' add "$conf"
	refused 7 "^logFile: .*$1" "$what"
	CNI_RUN='timeout 60' del "$conf"
	silent "$what: DEL"
	like "$CNI_ERR" 'roce: warning: logFile: .*; going on without it' "$what: DEL warns"
	same "$before" "$(look)" "$what: nothing is written"
}
PLAIN=$(conf)
look() { find /var/log /run/elsewhere ! -type d -printf '%p %y %s %T@ %n\n' 2>/dev/null | sort; }

fresh
mkdir -p /run/elsewhere /var/log/sub /var/log/pods/x /var/log/dir.log
printf 'precious\n' >/run/elsewhere/file.log
for file in /run/elsewhere/new.log /etc/roce.log /var/logs/x.log /x.log; do
	forbidden 'is not below one of the node.s log roots \(/var/log\).* administrator add a root to logRoots in /etc/cni/net.d/roce.d/profile.json' outside "$file"
done
for file in /var/log/../../run/elsewhere/new.log /var/log/./x.log /var/log//x.log /var/log/.x.log log/x.log \
	"/var/log/a
b.log"; do
	forbidden 'must be an absolute path' 'no plain path' "$file"
done
forbidden 'must end in "\.log"' 'no log by its name' /var/log/wtmp
forbidden 'lies among files that are the kubelet' 'of containers' /var/log/pods/x/0.log
forbidden 'there is no folder "none", and a network makes none' 'no such folder' /var/log/none/x.log
ln -s /run/elsewhere /var/log/sub2
ln -s /run/elsewhere/file.log /var/log/link.log
ln -s /run/elsewhere/new.log /var/log/dangling.log
printf '%s\n' "$HEADER" >/run/elsewhere/own.log
ln -s /run/elsewhere/own.log /var/log/own.log
forbidden 'folder "sub2" on the way is a symbolic link' 'a link on the way' /var/log/sub2/x.log
forbidden 'it is a symbolic link' 'a link to a file' /var/log/link.log
forbidden 'it is a symbolic link' 'a link to nothing' /var/log/dangling.log
forbidden 'it is a symbolic link' 'a link to a file of ours' /var/log/own.log
mkfifo /var/log/pipe.log
mknod /var/log/null.log c 1 3
touch /var/log/file
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/var/log/socket.log")'
forbidden 'it is a folder' 'a folder' /var/log/dir.log
forbidden 'it is not a regular file' 'a pipe' /var/log/pipe.log
forbidden 'it is not a regular file' 'a device' /var/log/null.log
forbidden 'it cannot be opened: No such device or address' 'a socket' /var/log/socket.log
forbidden 'file cannot be opened: Not a directory' 'a file on the way' /var/log/file/x.log
forbidden 'of at most 255 bytes' 'a long path' "/var/log/$(head -c 243 /dev/zero | tr '\0' x).log"
printf 'Nov 30 12:00:00 host sshd[1]: x\n' >/var/log/auth.log
forbidden "it is somebody else's: roce has not begun it; write another name, or have the node's administrator move it away" \
	'a log of others' /var/log/auth.log
printf '%s' "${HEADER:0:40}" >/var/log/short.log
forbidden "somebody else's" 'a part of the header' /var/log/short.log
printf '%s\n' "$HEADER" >/var/log/one.log
ln /var/log/one.log /var/log/two.log
forbidden 'it has another name as well \(a hard link\)' 'two names' /var/log/two.log
rm /var/log/one.log /var/log/two.log
: >/var/log/user.log
chown 1000 /var/log/user.log
forbidden 'it does not belong to root' 'an empty file of a user' /var/log/user.log
printf '%s\nNov 30 12:00:00 host sshd[1]: x\n' "$HEADER" >/var/log/late.log
forbidden "somebody else writes to it: its last line is not roce's" 'a file that others took to' /var/log/late.log
is "$(cat /run/elsewhere/file.log)" precious 'the target of a link is untouched'
as_before 'files that a network may not name'

# ---- files of ours, and rotation ----

# usable DESCRIPTION FILE: an ADD goes on and writes there.
usable() {
	local size
	size=$(stat -c %s "$2" 2>/dev/null)
	add "$(conf ".logFile = \"$2\"")"
	succeeded "$1: ADD"
	like "$(head -n 1 "$2")" "^$HEADER\$" "$1: the header comes first"
	is "$(grep -cxF "$HEADER" "$2")" 1 "$1: the header is there once"
	is "$(($(stat -c %s "$2") > ${size:-0}))" 1 "$1: lines are appended"
	del "$(conf ".logFile = \"$2\"")"
}
fresh
mkdir /var/log/sub
usable 'a new file' /var/log/sub/rail.log
usable 'the same file' /var/log/sub/rail.log
mv /var/log/sub/rail.log /var/log/sub/rail.log.1
usable 'moved away' /var/log/sub/rail.log
mv /var/log/sub/rail.log /var/log/sub/rail.log.2
install -m 0640 /dev/null /var/log/sub/rail.log
usable 'moved away and made anew' /var/log/sub/rail.log
is "$(stat -c %a /var/log/sub/rail.log)" 640 'moved away and made anew: the mode stays'
cp /var/log/sub/rail.log /var/log/sub/rail.log.3
: >/var/log/sub/rail.log
usable 'copied and cut' /var/log/sub/rail.log
truncate -s -$(($(tail -n 1 /var/log/sub/rail.log | wc -c) - 5)) /var/log/sub/rail.log
usable 'torn by a full disk' /var/log/sub/rail.log
usable 'torn before' /var/log/sub/rail.log
as_before 'files of ours'

# ---- verbs that go on ----

fresh
add "$(logged)"
result=$CNI_OUT
printf 'somebody else\n' >$LOG
for key in '.logFile = "/tmp/x.log"' '.logFile = 5' '.logLevel = "loud"' '.logLevel = 5' ".logFile = \"$LOG\""; do
	cni CHECK c1 "$POD" net1 "$(conf "$key | .prevResult = $result")"
	silent "CHECK with $key"
	like "$CNI_ERR" 'roce: warning: log(File|Level): .*; going on without it' "CHECK with $key warns"
	cni STATUS '' '' '' "$(conf "$key")"
	silent "STATUS with $key"
	cni GC '' '' '' "$(conf "$key | .\"cni.dev/valid-attachments\" = [{containerID: \"c1\", ifname: \"net1\"}]")"
	silent "GC with $key"
done
is "$(cat $LOG)" 'somebody else' 'nothing is written'
del "$(logged)"
silent 'DEL with a file that became invalid'
like "$CNI_ERR" "roce: warning: logFile: \"$LOG\": it is somebody else's: .*; going on without it" 'which it says'
like "$CNI_ERR" "roce-ipam: warning: logFile: .*; going on without it" 'and roce-ipam does'
as_before 'verbs that go on'

# ---- a disk that takes nothing ----

fresh
mount -t tmpfs -o size=4k tmpfs /var/log
head -c 4096 /dev/zero >/var/log/full
add "$(logged)"
succeeded 'a full disk: ADD'
like "$CNI_ERR" 'roce: warning: logFile: .*No space left on device; going on without it' 'a full disk: a warning'
rm /var/log/full $LOG
del "$(logged)"
mount -o remount,ro /var/log
add "$(logged)"
succeeded 'a read-only disk: ADD'
like "$CNI_ERR" 'roce: warning: logFile: .*Read-only file system; going on without it' 'a read-only disk: a warning'
del "$(logged)"
umount /var/log
as_before 'a disk that takes nothing'

# ---- the node profile ----

fresh
mkdir -p /run/roce-log
BEFORE=$(host_dump)
world_profile '{"version": 1, "logRoots": []}'
forbidden 'log roots \(there are none\)' 'no roots' $LOG
world_profile '{"version": 1, "logRoots": ["/run/roce-log"]}'
forbidden 'log roots \(/run/roce-log\)' 'another root' $LOG
usable 'another root' /run/roce-log/rail.log
ln -s /run/roce-log /run/linked
world_profile '{"version": 1, "logRoots": ["/run/linked"]}'
usable 'a link that the administrator wrote is followed' /run/linked/linked.log
world_profile '{"version": 1, "logRoots": "none"}'
add "$(logged)"
refused 112 'logRoots: must be an array' 'a broken profile'
del "$(logged)"
like "$CNI_ERR" 'logRoots: must be an array.*; going on without it' 'a broken profile: DEL goes on without a log'
is "$(find /var/log -type f)" '' 'a broken profile: no file'
world_profile
as_before 'the node profile'

# ---- roce-ipam of others ----

CNI_PLUGIN=roce-ipam cni ADD c1 "$POD" net1 "$(logged '.type = "sriov" | .logLevel = "loud"')"
succeeded "roce-ipam: log keys of another plugin are that one's"
unlike "$CNI_ERR" 'log(File|Level)' 'roce-ipam: it says nothing of them'
is "$(find /var/log -type f)" '' 'roce-ipam: it writes no file for them'
CNI_PLUGIN=roce-ipam cni DEL c1 "$POD" net1 "$(logged '.type = "sriov"')"
CNI_PLUGIN=roce-ipam cni ADD c1 "$POD" net1 "$(logged '.logFile = "/tmp/x.log"')"
succeeded 'roce-ipam refuses nothing'
CNI_PLUGIN=roce-ipam cni DEL c1 "$POD" net1 "$(logged)"
as_before 'roce-ipam of others'

# ---- the dry run ----

# dry STATUS ERE DESCRIPTION CONFIG [OPTION]...
dry() {
	local status=$1 ere=$2 what=$3 before out
	before=$(look)
	printf '%s\n' "$4" >/run/net.json
	shift 4
	out=$("$BIN/rocectl" validate "$@" /run/net.json 2>&1)
	is "$?" "$status" "validate, $what: exit status"
	like "$(tr -s ' \n' ' ' <<<"$out")" "$ere" "validate, $what: what it prints"
	same "$before" "$(look)" "validate, $what: nothing is made"
}
fresh
dry 0 'errors: 0' 'a new file' "$(logged)"
dry 1 'error: wrong-value: logFile: "/tmp/x.log" is not below one of the node.s log roots' outside "$(conf '.logFile = "/tmp/x.log"')"
dry 1 'is not below one of the node.s log roots' 'outside, offline' "$(conf '.logFile = "/tmp/x.log"')" --offline
dry 1 'must be an absolute path' 'no plain path' "$(conf '.logFile = "x.log"')" --offline
dry 1 'logLevel: "loud" is not known' 'a level' "$(conf '.logLevel = "loud"')" --offline
dry 1 'there is no folder "none"' 'no folder' "$(conf '.logFile = "/var/log/none/x.log"')"
dry 0 'errors: 0' 'no folder, offline' "$(conf '.logFile = "/var/log/none/x.log"')" --offline
printf 'precious\n' >$LOG
dry 1 "it is somebody else's" 'a file of others' "$(logged)"
rm $LOG
mkfifo $LOG
dry 1 'it is not a regular file' 'a pipe' "$(logged)"
rm $LOG
round "$(logged)"
dry 0 'errors: 0' 'a file of ours' "$(logged)"
chmod 755 /var/log
like "$(setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/rocectl" validate /run/net.json 2>&1 | tr -s ' \n' ' ')" \
	'warning: unknown: the log: unknown: logFile: .*Permission denied fix: run as root' 'validate by anybody: not known'

# ---- what it costs ----

# calls FILTER: the system calls of an ADD that a log may add to.
calls() {
	CNI_RUN='strace -f -e trace=%file,write,getpid,fcntl,clock_gettime -o /run/calls' add "$(conf "$1")"
	del "$(conf)"
	grep -v 'resumed' /run/calls
}
rm -rf /var/log/*
calls . >/run/plain
is "$(grep -c '/var/log' /run/plain) $(grep -c profile.json /run/plain)" '0 2' \
	'without logFile: no call for it, and the profile is read once by each plugin'
calls '.logLevel = "info"' >/run/level
is "$(wc -l </run/level)" "$(wc -l </run/plain)" 'logLevel alone costs no call'
done_testing || exit 1
