# shellcheck shell=bash
# bash completion for rocectl. It has no list of its own: commands, options and their values are what
# "rocectl help" and "rocectl help COMMAND" print.

# _rocectl_commands ROCECTL: the commands.
_rocectl_commands() {
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
	echo help
}

# _rocectl_options ROCECTL COMMAND: one line an option: "--output text|json", "--offline".
_rocectl_options() {
	"$1" help "$2" 2>/dev/null | sed -nE 's/^ +(-., )?(--[a-z0-9-]+)( ([^ ]+))? .*/\2 \4/p'
}

# _rocectl_long ROCECTL COMMAND OPTION: -o as --output; a long option as it is.
_rocectl_long() {
	case $3 in
	--*) echo "$3" ;;
	*) "$1" help "$2" 2>/dev/null | sed -nE "s/^ +$3, (--[a-z0-9-]+).*/\1/p" ;;
	esac
}

# _rocectl_platforms ROCECTL COMMAND: what it answers to a platform that is none.
_rocectl_platforms() {
	"$1" "$2" --platform '' 2>&1 >/dev/null | sed -n 's/.*platforms: //p'
}

# _rocectl_devices: PCI addresses of the VFs on this node, auxiliary devices of the subfunctions.
_rocectl_devices() {
	local device
	for device in /sys/bus/pci/devices/*/physfn /sys/bus/auxiliary/devices/*.sf.*/net; do
		[ ! -e "$device" ] || basename "${device%/*}"
	done
}

# _rocectl_actions ROCECTL COMMAND: the words that its usage offers as first operand: "show|check|gc".
_rocectl_actions() {
	"$1" help "$2" 2>/dev/null | sed -nE '1s/.* ([a-z]+(\|[a-z]+)+)( .*)?$/\1/p' | tr '|' '\n'
}

# _rocectl_files WORD: file names, completed as file names are.
_rocectl_files() {
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
	compopt -o filenames 2>/dev/null
}

# _rocectl_values ROCECTL COMMAND OPTION ARG WORD: values of an option, by what its argument is called.
_rocectl_values() {
	local values=
	case $3:$4 in
	--platform:*) values=$(_rocectl_platforms "$1" "$2") ;;
	*:DEVICE) values=$(_rocectl_devices) ;;
	*:FILE | *:PATH)
		_rocectl_files "$5"
		return
		;;
	*\|*) values=${4//|/ } ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$values" -- "$5")
}

# _rocectl_words: the words up to the cursor as the shell will see them; bash has split them at "="
# and ":". "--option=value" stays two words.
_rocectl_words() {
	local i word glue=
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ "$word" = = ] && [[ ${words[-1]} == --* ]]; then
			[ "$i" -lt "$COMP_CWORD" ] || words+=('')
			glue=
		elif [ "$word" = : ] && [ "$i" -gt 1 ]; then
			words[-1]+=:
			glue=1
		elif [ -n "$glue" ]; then
			words[-1]+=$word
			glue=
		else
			words+=("$word")
		fi
	done
}

_rocectl() {
	local words rocectl command word before options arg actions i
	COMPREPLY=()
	_rocectl_words
	[ ${#words[@]} -gt 1 ] || return
	rocectl=${words[0]} command=${words[1]} word=${words[-1]} before=${words[-2]}
	if [ ${#words[@]} -eq 2 ] || { [ "$command" = help ] && [ ${#words[@]} -eq 3 ]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$(_rocectl_commands "$rocectl")" -- "$word")
		return
	fi
	options=$(_rocectl_options "$rocectl" "$command")
	[[ $before != -* ]] || before=$(_rocectl_long "$rocectl" "$command" "$before")
	arg=$(sed -n "s/^${before//[^a-zA-Z0-9-]/.} //p" <<<"$options")
	if [ -n "$arg" ]; then
		_rocectl_values "$rocectl" "$command" "$before" "$arg" "$word"
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(cut -d ' ' -f 1 <<<"$options")" -- "$word")
	elif actions=$(_rocectl_actions "$rocectl" "$command") && [ -n "$actions" ]; then
		printf '%s\n' "${words[@]:2:${#words[@]}-3}" | grep -qxF -- "$actions" ||
			mapfile -t COMPREPLY < <(compgen -W "$actions" -- "$word")
	elif "$rocectl" help "$command" 2>/dev/null | head -n 1 | grep -q ' FILE'; then
		_rocectl_files "$word"
	fi
	# bash puts in only what follows the last ":"
	[[ $word != *:* || $COMP_WORDBREAKS != *:* ]] ||
		for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"${word%:*}:"}; done
}

complete -F _rocectl rocectl
