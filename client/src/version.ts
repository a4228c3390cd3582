/** The version of this package, as servers see it. */
import { createRequire } from 'node:module';

/** Not an import: package.json is outside the built folder, and Node 20 has no stable syntax for JSON. */
const { version }: { version: string } = createRequire(import.meta.url)('../package.json');

export const VERSION = version;
export const USER_AGENT = `waypost-client/${version} node/${process.versions.node}`;
