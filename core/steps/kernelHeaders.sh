# The controller's Deploy installs this package, and ends where apt does not find it. Ubuntu 22.04 has it; Debian does not: there
# an empty package takes its place until the host is let go.
kernel_headers=linux-kernel-headers headers_maintainer="pillar-host <root@localhost>"

offers_kernel_headers() { apt-get -s install "$kernel_headers" > /dev/null 2>&1; }

remove_empty_kernel_headers() {
  if [ "$(dpkg-query -W -f '${Maintainer}' "$kernel_headers" 2> /dev/null || true)" = "$headers_maintainer" ]; then
    # It is empty: whoever holds dpkg's lock must not keep a host from being let go.
    dpkg --purge "$kernel_headers" > /dev/null 2>&1 || warn "the empty package $kernel_headers is still there: dpkg --purge $kernel_headers"
  fi
}
