/** A process that owns an embedded Postgres on the folder it is given; it says so, and waits to be killed. */
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts';

await startEmbeddedPostgres(process.argv[2]!, { durable: false });
process.stdout.write('started\n');
setInterval(() => {});
