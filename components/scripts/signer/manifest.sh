# What lies in directories, byte for byte. The functions get $base, a directory, and $paths below it (`.` for all of it).

signer_runs=/run/pillar-host

# Makes $work, a directory in memory that goes with the script: the disk may be full.
signer_work() {
  mkdir -p "$signer_runs"
  work=$(mktemp -d "$signer_runs/signer.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}

# Calls find on what exists of $paths, without what no copy needs: locks, which are one host's, sockets and pipes.
signer_find() {
  local path starts=() others=()
  cd -- "$base"
  for path in $paths; do
    if [ -e "./$path" ] || [ -L "./$path" ]; then
      starts+=("./$path")
      others+=(-o -path "./$path/.lock")
    fi
  done
  [ ${#starts[@]} -gt 0 ] || return 0
  find "${starts[@]}" \( -type s -o -type p "${others[@]}" \) -prune -o "$@"
}

# Fails for any complaint in a file but that something is gone by now: what runs deletes files.
signer_only_gone() {
  if grep -qv 'No such file or directory' "$1"; then fail "files below $base can't be read" "$(head -n 5 "$1")"; fi
}

# Prints each entry as six texts with a NUL behind: kind (f, d, l, or find's letter), mode, uid:gid, bytes, sha256 or link
# target, path. A second call hashes only what changed since: downtime is counted in these seconds.
signer_manifest() {
  local cache=$state/manifest.cache began key i path
  local -a fields todo=() words
  local -A known=() hashed=() fresh=()
  signer_work
  began=$(date +%s)
  signer_find -printf '%y\0%m\0%U:%G\0%s\0%D:%i:%s:%T@:%C@\0%l\0%p\0' > "$work/list" 2> "$work/said" || signer_only_gone "$work/said"
  mapfile -d '' -t fields < "$work/list"
  if [ -r "$cache" ]; then
    mapfile -t words < <(tr ' ' '\n' < "$cache")
    for ((i = 0; i + 1 < ${#words[@]}; i += 2)); do known[${words[i]}]=${words[i + 1]}; done
  fi
  for ((i = 0; i < ${#fields[@]}; i += 7)); do
    if [ "${fields[i]}" = f ] && [ -z "${known[${fields[i + 4]}]:-}" ]; then todo+=("${fields[i + 6]}"); fi
  done
  if [ ${#todo[@]} -gt 0 ]; then
    printf '%s\0' "${todo[@]}" | xargs -0 sha256sum -z -- > "$work/hashes" 2> "$work/said" || signer_only_gone "$work/said"
    while IFS= read -r -d '' line; do hashed[${line:66}]=${line:0:64}; done < "$work/hashes"
  fi
  for ((i = 0; i < ${#fields[@]}; i += 7)); do
    key=${fields[i + 4]} path=${fields[i + 6]}
    case ${fields[i]} in
      f)
        content=${known[$key]:-${hashed[$path]:-}}
        [ -n "$content" ] || continue
        fresh[$key]=$content
        ;;
      l) content=${fields[i + 5]} ;;
      *) content= ;;
    esac
    printf '%s\0' "${fields[i]}" "${fields[i + 1]}" "${fields[i + 2]}" "${fields[i + 3]}" "$content" "$path"
  done
  signer_remember || true
}

# Keeps what was hashed, by what changes with a file's bytes. Not what changed just now: a clock has ticks, and a file may
# change again within one. Without room for it the next call hashes all.
signer_remember() {
  local key changed
  (
    umask 077
    mkdir -p "$state"
    for key in "${!fresh[@]}"; do
      changed=${key##*:}
      if [ "${changed%%.*}" -lt $((began - 2)) ]; then printf '%s %s\n' "$key" "${fresh[$key]}"; fi
    done > "$cache.new.$$" && mv -f "$cache.new.$$" "$cache"
  ) 2> /dev/null || rm -f "$cache.new.$$"
}
