# Procedure A, step 12: prints the producer address from the controller's `2) Status`. Status also shows the key store's
# password, so this script prints only the address, and writes no line of Status to a file.
is_marked synced || fail "the node has not synced: the producer address is not shown" "Run $(pulumi_up) again."
known_questions=()
address= several=
on_line() {
  if [[ $1 =~ ^$'\t'Address:[[:blank:]]+([^[:blank:]]+)[[:blank:]]*$ ]]; then
    if [ -n "$address" ] && [ "$address" != "${BASH_REMATCH[1]}" ]; then several=yes; fi
    address=${BASH_REMATCH[1]}
  fi
}
dialog Status 120

[ "$dialog_result" != question ] || fail "the controller's Status asked an unknown question" "needed: use a release of the controller whose Status asks nothing (controller.release)"
[ -n "$address" ] || fail "the controller's Status shows no producer address" \
  "found: no line of the form <tab>Address: z1q… ($dialog_result)" "Look at it on the host: cd $controller_dir && ./$controller_name, then Status."
[ -z "$several" ] || fail "the controller's Status shows more than one producer address" "Look at it on the host: cd $controller_dir && ./$controller_name, then Status."
form='^z1q[qpzr][02-9ac-hj-np-z]{36}$'
[[ $address =~ $form ]] || fail "what the controller's Status shows as producer address does not have the form of one" \
  "found: ${#address} characters" "needed: z1q… of 40 characters"

configured=$(configured_address)
if [ -n "$configured" ] && [ "$configured" != "$address" ]; then
  fail "the controller's Status and $data_dir/config.json name different producer addresses: none is shown" \
    "Registering the wrong one costs rewards. Find out on the host which one the node uses, and correct the other, before going on."
fi
say "$address"
