# shellcheck shell=bash
# cni VERB CONTAINER NETNS IFNAME CONFIG [NAME=VALUE...]: run the roce plugin as a runtime does.
# Sets CNI_OUT, CNI_ERR and CNI_RC. CNI_PLUGIN names another binary than roce; CNI_RUN is put in
# front of it (strace, a time limit).
: "${BIN:?set BIN to the folder of the binaries}"

cni() {
	local verb=$1 container=$2 netns=$3 ifname=$4 config=$5 errors
	shift 5
	errors=/run/cni-errors.$BASHPID # every test has a /run of its own
	# shellcheck disable=SC2086,SC2034
	CNI_OUT=$(printf '%s' "$config" | env -i PATH="$PATH" CNI_COMMAND="$verb" \
		CNI_CONTAINERID="$container" CNI_NETNS="$netns" CNI_IFNAME="$ifname" \
		CNI_PATH="${CNI_DIRS:-$BIN:/usr/lib/cni}" "$@" ${CNI_RUN:-} \
		"$BIN/${CNI_PLUGIN:-roce}" 2>"$errors")
	CNI_RC=$?
	# shellcheck disable=SC2034
	CNI_ERR=$(<"$errors")
}

# msg: the message of the last error; code: its code.
msg() { jq -r '.msg // empty' <<<"$CNI_OUT" 2>/dev/null; }
code() { jq -r '.code // empty' <<<"$CNI_OUT" 2>/dev/null; }

# refused CODE ERE DESCRIPTION: the last call failed in the way a plugin must: status 1, one JSON
# document with this code, and a message that matches.
refused() {
	local seen
	seen=$(jq -rs '"\(length) \(.[0].code)", (.[0].msg // empty)' <<<"$CNI_OUT" 2>/dev/null)
	[[ $seen = *$'\n'* ]] || seen+=$'\n'
	is "$CNI_RC ${seen%%$'\n'*}" "1 1 $1" "$3: refused with code $1"
	like "${seen#*$'\n'}" "$2" "$3: the message says why"
}

# config [JQ-FILTER]: the configuration that most tests start from, changed by a filter.
config() {
	jq -nc '{cniVersion: "1.1.0", name: "rail", type: "roce", device: "rdma0"} | '"${1:-.}"
}

# succeeded DESCRIPTION: the last call succeeded, with one JSON document or, for verbs that answer
# nothing, without a byte.
succeeded() {
	if [ "$CNI_RC" -eq 0 ] && [ "$(jq -s 'length < 2' <<<"$CNI_OUT" 2>/dev/null)" = true ]; then
		ok "$1"
	else
		not_ok "$1" "status $CNI_RC: $CNI_OUT
$CNI_ERR"
	fi
}

# silent DESCRIPTION: the last call succeeded and stdout has no byte.
silent() { is "$CNI_RC:$CNI_OUT" "0:" "$1"; }
