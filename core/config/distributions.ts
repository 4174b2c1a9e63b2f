/** Step 4: what the linux x86-64 release of the controller is compatible with, as ID-VERSION_ID of os-release. */
export const supportedDistributions = ["ubuntu-22.04", "debian-11", "centos-8", "fedora-36"];
