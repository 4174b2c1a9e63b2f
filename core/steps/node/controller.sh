# Procedure A, step 8: downloads and checks the controller's archive, installs its files over older ones, removes the archive.
install_go
target=$controller_dir/$controller_name
# Remove what an earlier run left at a power cut. Only one run works at a time.
rm -rf "$controller_dir/.$controller_name".??????
if [ "$(head -n 1 "$state/controller" 2> /dev/null)" = "$release_marker" ] && [ -x "$target" ]; then
  say "installed before: sha256 $(sed -n 2p "$state/controller")"
  exit 0
fi

mkdir -p "$controller_dir"
# Beside the target, so that one rename puts it in place; until then the former release works.
work=$(mktemp -d "$controller_dir/.$controller_name.XXXXXX")
trap 'rm -rf "$work"' EXIT
fetch_release controller controller.release "$controller_name" "$work" controller.executable
mv "$found" "$work/executable"
sync -f "$work"

# The executable comes last: an interrupted installation has the old one with a newer library, never the reverse. It loads its
# library from beside itself, so an archive's top folder is left out.
for from in "${found%/*}" "$work/files"; do
  find "$from" -depth -mindepth 1 -type d -empty -delete
  (cd "$from" && find . -type d ! -name . -exec mkdir -p "$controller_dir/{}" \;)
  (cd "$from" && find . -type f -exec mv -f {} "$controller_dir/{}" \;)
done
mv -f "$work/executable" "$target"
mark controller "$release_marker
$actual"

say "$controller_name${version:+ $version} installed in $controller_dir: $bytes bytes, sha256 $actual"
# A small archive does not show the line's speed.
if [ "$bytes" -ge 1000000 ]; then
  mbps=$((bytes * 8 / elapsed_ms / 1000))
  if [ "$mbps" -le "$minimum_mbps" ]; then
    warn "bandwidth: the download ran at $mbps Mbps, and more than $minimum_mbps are needed (host.minimums.bandwidthMbps)"
  else
    say "bandwidth: the download ran at $mbps Mbps"
  fi
fi
