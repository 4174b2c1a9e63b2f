/**
 * Step 4: distributions that the controller's page names for its linux x86-64 release, as ID-VERSION_ID of os-release.
 * CentOS 8 and Fedora 36, which the specification lists too, have no apt, with which Deploy installs.
 */
export const namedDistributions: readonly string[] = ["ubuntu-22.04", "debian-11"];

/** Distributions that preflight accepts, with a warning for those that the controller's page does not name. */
export const supportedDistributions: readonly string[] = [
  ...namedDistributions,
  ...["ubuntu-24.04", "debian-12", "debian-13"],
];
