#!/bin/bash
# kernel: 6.12
# wire: hub
# limit: 1800
# The kernel fails a request of ADD or of DEL, each one alone, with four errors; on a real VF with a movable
# RDMA device. An ADD that fails leaves the host as it was, at once, or says that it could not and
# leaves that to DEL; one that succeeds all the same has done everything. A DEL that fails is done by the next.
#
# A request that only asks is failed, too: who cannot look must not let pass.
set -u
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh
# shellcheck source=tests/lab/inject.sh
. tests/lab/inject.sh

profile
vfs 9000
run_ok 'an RDMA device on the VF' rdmatest pci=$VF0
run_ok 'that moves with it' rdma system set netns exclusive
pods a
CONF=$(config $VF0 '{"vlan": 7, "mac": "02:00:5e:00:53:01", "mtu": 9000}')

add a
del a
before=$(settled_dump)

# whole: pod a has all that was asked for.
whole() {
	local seen
	seen=$(ip -n a addr show net1; in_pod a rdma dev; ip -o link show $PF0)
	[[ $seen = *,UP,*' mtu 9000 '*' 02:00:5e:00:53:01 '*' inet 10.56.0.'*mlx5_0:*' 02:00:5e:00:53:01 '*' vlan 7,'* ]]
}

# judge_add: after an ADD with a fault.
judge_add() {
	if [ "$CNI_RC" -eq 0 ]; then
		whole || return
	elif [[ ! $CNI_OUT =~ ^\{\"cniVersion\":.*\"code\":\ *[0-9]+,.*\"msg\":.*\}$ ]]; then
		return 1
	elif [[ $CNI_OUT != *'not everything could be restored'* ]]; then
		back
		return
	fi
	del a
	[ "$CNI_RC:$CNI_OUT" = 0: ] && back
}

# judge_del: after a DEL with a fault. Success means that nothing is left.
judge_del() {
	[ "$CNI_RC" -ne 0 ] || { back; return; }
	[[ $CNI_OUT =~ ^\{\"cniVersion\":.*\"code\":\ *[0-9]+,.*\"msg\":.*\}$ ]] || return
	del a
	[ "$CNI_RC:$CNI_OUT" = 0: ] && back
}

# each VERB ERROR LEAST NUMBER...: of its requests these fail, each alone, as far as there are so many.
each() {
	local verb=$1 error=$2 least=$3 n=0 restored=0 judge=judge_${1,,} number
	shift 3
	for number; do
		[ "$verb" = ADD ] || add a
		faulty sendmsg "$error" "$number" "$verb" a "$CONF" || break
		n=$((n + 1))
		if "$judge"; then
			restored=$((restored + 1))
		else
			mend "$verb, $error from request $number"
		fi
	done
	del a
	is "$restored of $n" "$n of $n" "$verb, $error from a request: $n faults, $restored restored"
	[ $n -ge "$least" ] || not_ok "$verb, $error: every request was hit" "only $n"
}

# Of the requests that only ask, EOPNOTSUPP can mean "there is none"; the other errors are all one.
for verb in ADD DEL; do
	[ $verb = ADD ] || add a
	traced $verb a "$CONF"
	[ $verb = DEL ] || del a
	mapfile -t changing < <(changes | awk '$1 == "roce" && $2 == "sendmsg" { print $3 }')
	for error in EBUSY EOPNOTSUPP; do
		each $verb $error 26 {1..999}
	done
	for error in EPERM ENOMEM; do
		each $verb $error "${#changing[@]}" "${changing[@]}"
	done
	is "$((${#changing[@]} > 6))" 1 "$verb changes something by ${#changing[@]} requests"
done
rmmod rdmatest
done_testing || exit 1
