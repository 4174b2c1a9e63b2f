# The controller's Deploy installs this package. On Debian, which does not have it, an empty one takes its place.
kernel_headers=linux-kernel-headers headers_maintainer="pillar-host <root@localhost>"

# True if apt has the package; 1 if not; 2 if apt fails for another reason, in $headers_said.
offers_kernel_headers() {
  if headers_said=$(LC_ALL=C apt-get -s install "$kernel_headers" 2>&1); then return 0; fi
  case $headers_said in *"Unable to locate package"* | *"no installation candidate"*) return 1 ;; *) return 2 ;; esac
}

remove_empty_kernel_headers() {
  if [ "$(dpkg-query -W -f '${Maintainer}' "$kernel_headers" 2> /dev/null || true)" = "$headers_maintainer" ]; then
    # Only a warning, because the package is empty: a locked dpkg must not prevent the release of a host.
    dpkg --purge "$kernel_headers" > /dev/null 2>&1 || warn "the empty package $kernel_headers could not be removed. Remove it with: dpkg --purge $kernel_headers"
  fi
}
