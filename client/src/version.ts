/** The version of this package, which requests send to servers. `npm run release` writes it. */

/** No file is read for it: a program that is bundled into one file has no package.json beside it. */
export const VERSION = '0.1.0';
export const USER_AGENT = `waypost-client/${VERSION} node/${process.versions.node}`;
