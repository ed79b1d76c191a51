/**
 * SHA-256 of the native library's file in each package that the lockfile installs, by platform,
 * architecture and major version of Node.
 */
export const SHIPPED_BUILDS: Readonly<Record<string, string>> = {
  // @uwsjs/linux-x64-22@20.51.4, which reports itself as v20.51.0.
  "linux-x64-22": "f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c",
};
