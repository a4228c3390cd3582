/** The version of this package. Requests send it to servers. */
import { createRequire } from 'node:module';

/** We cannot import package.json: it is outside the built folder, and Node 20 has no stable syntax for JSON imports. */
const { version }: { version: string } = createRequire(import.meta.url)('../package.json');

export const VERSION = version;
export const USER_AGENT = `waypost-client/${version} node/${process.versions.node}`;
