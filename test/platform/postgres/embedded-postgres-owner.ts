/** A process that owns an embedded Postgres on the given folder. It reports the start, and waits to be killed. */
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts';

await startEmbeddedPostgres(process.argv[2]!, { durable: false });
process.stdout.write('started\n');
setInterval(() => {});
