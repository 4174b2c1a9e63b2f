# A new server at a cloud provider is ready when cloud-init has done what it was given: host key, logins, upgrades.
if is_marked cloudInit.done; then
  say "cloud-init was done at $(cat "$state/cloudInit.done")"
  exit 0
fi
has cloud-init || fail "there is no cloud-init on this host" "needed: an image of the provider's own (pillar-host:host.image)"

code=0
status=$(timeout "$wait_seconds" cloud-init status --wait --long 2>&1) || code=$?
[ "$code" -ne 124 ] || fail "cloud-init did not end within $wait_seconds s" "$(tail -n 3 <<< "$status")" \
  "See it with: cloud-init status --long; less /var/log/cloud-init-output.log. Then run $(pulumi_up) again."
case $status in
  *"status: done"*) ;;
  *) fail "cloud-init did not do all of its tasks" "$(grep -E '^(status|detail|errors)|^ *- ' <<< "$status" | redact)" \
    "$(last_lines /var/log/cloud-init-output.log 5)" \
    "Nothing runs on this host yet. To delete its server and make another:" \
    "$(config_set lifecycle retiring) && $(pulumi_up) && $(pulumi_destroy)" "$(config_rm lifecycle) && $(pulumi_up)" ;;
esac

# For root from elsewhere, so that Match blocks count. PAM may ask for a password through the second one.
login=$(sshd -T -C user=root,host=example.org,addr=192.0.2.1 2> /dev/null | grep -iE '^(password|kbdinteractive)authentication ' || true)
if ! grep -qix 'passwordauthentication no' <<< "$login" || grep -qi ' yes$' <<< "$login"; then
  fail "logins with a password are not off" "found: ${login:-no answer from sshd -T}" "needed: PasswordAuthentication no, from cloud-init, and KbdInteractiveAuthentication no, also in Match blocks"
fi

if has apt-get && ! dpkg -s unattended-upgrades > /dev/null 2>&1; then
  take_proxy
  export DEBIAN_FRONTEND=noninteractive
  mkdir -p "$logs"
  apt_log=$logs/cloudInit.log
  { apt-get -q -o DPkg::Lock::Timeout=600 update && apt-get -q -y -o DPkg::Lock::Timeout=600 install unattended-upgrades; } \
    > "$apt_log" 2>&1 || fail "security upgrades could not be turned on" "$(last_lines "$apt_log" 3)"
fi
mark cloudInit.done
say "cloud-init is done; logins with keys only; unattended-upgrades is installed"
