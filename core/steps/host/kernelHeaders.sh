# The controller's Deploy installs this package, and ends where apt does not find it. Ubuntu 22.04 has it; Debian does not: there
# an empty package takes its place until the host is let go.
kernel_headers=linux-kernel-headers headers_maintainer="pillar-host <root@localhost>"

# 2: apt does not say, for another reason than that it has none: $headers_said.
offers_kernel_headers() {
  if headers_said=$(LC_ALL=C apt-get -s install "$kernel_headers" 2>&1); then return 0; fi
  case $headers_said in *"Unable to locate package"* | *"no installation candidate"*) return 1 ;; *) return 2 ;; esac
}

remove_empty_kernel_headers() {
  if [ "$(dpkg-query -W -f '${Maintainer}' "$kernel_headers" 2> /dev/null || true)" = "$headers_maintainer" ]; then
    # It is empty: whoever holds dpkg's lock must not keep a host from being let go.
    dpkg --purge "$kernel_headers" > /dev/null 2>&1 || warn "the empty package $kernel_headers could not be removed. Remove it with: dpkg --purge $kernel_headers"
  fi
}
