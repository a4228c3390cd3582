/** `autocannon-load.ts <load as JSON> <seconds>`: runs autocannon with 50 keep-alive connections, and prints requests/s. */
import autocannon from 'autocannon';
import type { WrkLoad } from '../hosting/wrk.ts';

const CONNECTIONS = 50;

const [load, seconds] = process.argv.slice(2) as [string, string];
const { url, headers }: WrkLoad = JSON.parse(load);
const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: Number(seconds) });
const failed = result.non2xx + result.errors;
if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
process.stdout.write(JSON.stringify(result.requests.average));
