/**
 * Step 4: distributions that the linux x86-64 release of the controller runs on and its Deploy can install on, as
 * ID-VERSION_ID of os-release. CentOS 8 and Fedora 36, which the specification lists too, have no apt.
 */
export const supportedDistributions: readonly string[] = ["ubuntu-22.04", "debian-11"];
