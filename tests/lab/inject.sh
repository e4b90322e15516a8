# shellcheck shell=bash disable=SC2034,SC2154
# Kills and failures at chosen system calls of roce and of its IPAM plugin, by strace. After lib.sh.
TRACE=/run/trace

# add POD, del POD: with the configuration CONF, which the scenario sets.
add() { cni ADD "$1" "/run/netns/$1" net1 "$CONF"; }
del() { cni DEL "$1" "/run/netns/$1" net1 "$CONF"; }

# changes: from the trace of a call that was left alone ("strace -f"), the system calls that change
# something, one a line: "roce" or "ipam", its name, and which one of that name in that process. A call
# that failed has changed nothing, nor has a netlink request that only asks: its type is 2 modulo 4 with
# rtnetlink, and a GET with RDMA's. strace knows no names for them in the guest. Left out is what nobody
# reads: log lines, the newline behind an answer, the length of a lock file.
changes() {
	awk '
	function asks(line,    type) {
		if (!match(line, /nlmsg_type=[^ ,]*/))
			return 0
		type = tolower(substr(line, RSTART + 11, RLENGTH - 11))
		if (type ~ /^0x14../)
			return type !~ /^0x140[2347]$/
		return type ~ /^0x[0-9a-f]*[26ae]$/ || type ~ /_get/
	}
	function is_change(call, line) {
		if (line ~ / = -1 / || line ~ /^write\((2,|1, "\\n")/)
			return 0
		if (call == "openat")
			return line ~ /O_CREAT|O_TRUNC/
		if (call == "sendmsg")
			return !asks(line)
		return call ~ /^(rename(at2?)?|(sym)?link(at)?|unlink(at)?|mkdir(at)?|rmdir|p?writev?(64)?|fchmod(at)?|flock|clone3?|v?fork|sendto|exit_group)$/
	}
	{
		pid = $1
		first = first ? first : pid
		sub(/^[0-9]+ +/, "")
		if (!match($0, /^[a-z][a-z0-9_]*\(/))
			next
		call = substr($0, 1, RLENGTH - 1)
		n = ++count[pid, call]
		if (is_change(call, $0))
			print (pid == first ? "roce" : "ipam"), call, n
	}' $TRACE
}

# traced VERB CONTAINER CONFIG: a call that is left alone, with a trace of what changes asks for.
CHANGES=openat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir
CHANGES+=,write,writev,pwrite64,pwritev,fchmod,fchmodat,flock,clone,clone3,fork,vfork,sendto,sendmsg,exit_group
traced() {
	CNI_RUN="strace -f --seccomp-bpf -qq -o $TRACE -e trace=$CHANGES" cni "$1" "$2" "/run/netns/$2" net1 "$3"
}

# request TYPE: which of roce's sendmsg calls in the trace is the first of this netlink type, in hexadecimal.
request() {
	awk -v type="nlmsg_type=$1 " '
	!first { first = $1 }
	$1 == first && $2 ~ /^sendmsg\(/ { n++; if (index($0, type)) { print n; exit } }' $TRACE
}
# around TYPE: that change, with the one before it and the one after it, as lines of changes.
around() { changes | grep -x -B 1 -A 1 "roce sendmsg $(request "$1")"; }

# The IPAM plugin for doomed: it dies at its DOOM_N-th DOOM_CALL, and roce with it.
mkdir -p /run/doom
cat >/run/doom/roce-ipam <<END
#!/bin/sh
strace -qq -o $TRACE -e trace="\$DOOM_CALL" -e inject="\$DOOM_CALL":signal=KILL:when="\$DOOM_N" "$BIN/roce-ipam" && exit
kill -KILL \$PPID
END
chmod +x /run/doom/roce-ipam

# doomed roce|ipam CALL N VERB CONTAINER CONFIG: a call that is killed on entering that system call, before
# it is made: after all that came before it. Fails if it is not.
doomed() {
	local who=$1 call=$2 n=$3
	shift 3
	if [ "$who" = ipam ]; then
		CNI_DIRS=/run/doom cni "$1" "$2" "/run/netns/$2" net1 "$3" DOOM_CALL="$call" DOOM_N="$n"
	else
		CNI_RUN="strace -qq -o $TRACE -e trace=$call -e inject=$call:signal=KILL:when=$n" \
			cni "$1" "$2" "/run/netns/$2" net1 "$3"
	fi 2>/dev/null
	[ "$CNI_RC" -eq 137 ]
}

# faulty CALL ERROR N VERB CONTAINER CONFIG: a call whose Nth CALL fails. Fails if there is none.
faulty() {
	CNI_RUN="strace -f --seccomp-bpf -qq -o $TRACE -e trace=$1 -e inject=$1:error=$2:when=$3" \
		cni "$4" "$5" "/run/netns/$5" net1 "$6"
	[[ $(<$TRACE) = *INJECTED* ]]
}

# back: the host is as it was in $before. Mostly it is at rest already.
back() {
	[ "$before" = "$(host_dump)" ] || [ "$before" = "$(settled_dump)" ]
}

# mend WHAT: says what was not survived, and makes the host anew, so that the next kill or fault meets a
# host at rest; after ten of them it gives up.
MENDED=0
mend() {
	local pod
	MENDED=$((MENDED + 1))
	diag "$1: status $CNI_RC: $CNI_OUT"
	diag "$(grep -hE -B 1 'INJECTED|killed by' $TRACE | cut -c -300)"
	diag "$(diff <(printf '%s\n' "$before") <(host_dump) | head -n 20)"
	for pod in "${PODS[@]}"; do
		del "$pod"
		ip netns del "$pod"
		wait_for 50 has_netdev $VF0
		del "$pod"
		ip netns add "$pod"
	done
	rm -rf /run/roce-cni /run/roce-ipam
	add a
	del a
	[ "$before" = "$(settled_dump)" ] || diag 'the host could not be put right: the next ones meet another one'
	before=$(settled_dump)
	[ $MENDED -lt 10 ] || { not_ok 'given up after ten failures'; done_testing; exit 1; }
}

# killed VERB CONFIG POINT...: pod a's VERB is killed at each of these points, lines of changes, and then deleted.
# Counts in DOOMED and SURVIVED. Needs $before, the dump of the host at rest.
DOOMED=0 SURVIVED=0
killed() {
	local verb=$1 config=$2 point
	shift 2
	for point; do
		[ "$verb" = ADD ] || add a
		# shellcheck disable=SC2086
		doomed $point "$verb" a "$config" || not_ok "$verb is killed at $point" "status $CNI_RC: $CNI_OUT"
		DOOMED=$((DOOMED + 1))
		del a
		if [ "$CNI_RC:$CNI_OUT" = 0: ] && back; then
			SURVIVED=$((SURVIVED + 1))
		else
			mend "$verb killed at $point"
		fi
	done
}
