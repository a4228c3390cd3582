/** `npm run bench -- upload [--json]`: measures, then prints a table or one JSON line per figure. */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { print } from '../src/platform/process/print.ts';
import { benchAttacks } from './attacks.ts';
import { benchChanges } from './changes.ts';
import { benchClient } from './client.ts';
import { benchConcurrency } from './concurrency.ts';
import { benchDashboard } from './dashboard.ts';
import { benchDeltas } from './deltas.ts';
import { benchDeltasOnS3 } from './deltas-s3.ts';
import { type Figure, printJson, printTable } from './figures.ts';
import { benchFind } from './find.ts';
import { benchForms } from './forms.ts';
import { benchGuards } from './guards.ts';
import { benchHostile } from './hostile.ts';
import { benchHosting } from './hosting.ts';
import { benchLatency } from './latency.ts';
import { benchLoads } from './loads.ts';
import { describeMachine } from './machine.ts';
import { benchMemory } from './memory.ts';
import { benchOrdinary } from './ordinary.ts';
import { benchPeers } from './peers.ts';
import { benchPlacement } from './placement.ts';
import { benchRecent } from './recent.ts';
import { benchRequests } from './requests.ts';
import { benchRollback } from './rollback.ts';
import { benchChecks } from './scaling/checks.ts';
import { benchDomains } from './scaling/domains.ts';
import { benchGarbage } from './scaling/garbage.ts';
import { benchMigrate } from './scaling/migrate.ts';
import { benchWal } from './scaling/wal.ts';
import { benchScaling } from './scaling.ts';
import { benchSessions } from './sessions.ts';
import { benchDeflate } from './stages/deflate.ts';
import { benchRender } from './stages/render.ts';
import { benchScan } from './stages/scan.ts';
import { benchStitch } from './stages/stitch.ts';
import { benchStore } from './stages/store.ts';
import { benchSubmission } from './submission.ts';
import { benchTenants } from './tenants.ts';
import { benchTls } from './tls.ts';
import { benchUnchanged } from './unchanged.ts';
import { benchUpload } from './upload.ts';
import { benchWriters } from './writers.ts';

const BENCHES: Readonly<Record<string, (scale: number) => AsyncIterable<Figure>>> = {
  upload: benchUpload,
  client: benchClient,
  ordinary: benchOrdinary,
  peers: benchPeers,
  memory: benchMemory,
  forms: benchForms,
  guards: benchGuards,
  unchanged: benchUnchanged,
  placement: benchPlacement,
  deltas: benchDeltas,
  'deltas-s3': benchDeltasOnS3,
  find: benchFind,
  changes: benchChanges,
  recent: benchRecent,
  rollback: benchRollback,
  sessions: benchSessions,
  loads: benchLoads,
  writers: benchWriters,
  submission: benchSubmission,
  dashboard: benchDashboard,
  concurrency: benchConcurrency,
  requests: benchRequests,
  latency: benchLatency,
  hostile: benchHostile,
  hosting: benchHosting,
  tenants: benchTenants,
  tls: benchTls,
  attacks: benchAttacks,
  scaling: benchScaling,
  wal: benchWal,
  checks: benchChecks,
  garbage: benchGarbage,
  migrate: benchMigrate,
  scan: benchScan,
  render: benchRender,
  deflate: benchDeflate,
  stitch: benchStitch,
  store: benchStore,
};
const NAMES = Object.keys(BENCHES);
/** The bench `upload` also runs `ordinary`: the speed of an upload depends on the kind of its entries. */
const BROUGHT_ALONG: Readonly<Record<string, readonly string[]>> = { upload: ['ordinary'] };

const program = new Command('npm run bench --')
  .description(
    'Measures Waypost on this machine. Trust ratios more than figures: machines differ and are noisy.',
  )
  .addArgument(new Argument('[benches...]').choices(NAMES).default(NAMES))
  .option('--json', 'print one JSON line per figure')
  .option(
    '--domains <count>',
    'with scaling: how statements grow, to so many domains (200000 take 5 min)',
    parseDomains,
  )
  .option('--scale <factor>', 'shrink the work, as in 0.01, to see that a bench runs', parseScale, 1)
  .showHelpAfterError()
  .parse();

const { json, scale, domains } = program.opts<{ json?: true; scale: number; domains?: number }>();
const printBench = json ? printJson : printTable;
if (!json) print(describeMachine());
const wanted: string[] = program.processedArgs[0];
for (const name of new Set(wanted.flatMap((each) => [each, ...(BROUGHT_ALONG[each] ?? [])]))) {
  if (name === 'scaling' && domains !== undefined) await printBench(name, benchDomains(domains));
  else await printBench(scale === 1 ? name : `${name} × ${scale}`, BENCHES[name]!(scale));
}

function parseDomains(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 100) return count;
  throw new InvalidArgumentError('It must be a whole number of at least 100.');
}

function parseScale(text: string): number {
  const factor = Number(text);
  if (factor > 0 && factor <= 1) return factor;
  throw new InvalidArgumentError('It must be above 0 and at most 1.');
}
