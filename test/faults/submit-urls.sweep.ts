/**
 * The sweep of a comparison's commit and of the submission after it: each call to Postgres, the store and the search engine
 * breaks in turn, by the death of the process or otherwise. Another process goes on. Each changed URL is submitted once or
 * twice, and no other one ever.
 */
import { beforeAll, describe, test } from 'vitest';
import type { ScriptedAnswer } from '../support/indexnow-endpoint.ts';
import {
  type BrokenRun,
  breakAt,
  coveredLine,
  createCallBreaker,
  PROXY_FAULTS,
  type ProxyFault,
  sampleOf,
} from './support/broken-calls.ts';
import { type SubmissionWorld, startSubmissionWorld } from './support/submission-world.ts';

/** Breaks the n-th call. Returns a function that says how the run went. */
type Break = (world: SubmissionWorld, n: number, kill: () => void) => () => BrokenRun;

interface Fault {
  readonly name: string;
  readonly peer: string;
  readonly kills: boolean;
  readonly break: Break;
}

function atStore(fault: ProxyFault): Fault {
  return {
    ...fault,
    break: (world, n, kill) => breakAt(world, fault, n, kill),
  };
}

function atEndpoint(answer: (kill: () => void) => ScriptedAnswer): Break {
  return ({ endpoint }, n, kill) => {
    endpoint.script(...Array<undefined>(n - 1).fill(undefined), answer(kill));
    return () => {
      endpoint.forgetScript();
      const { submissions } = endpoint;
      return { struck: submissions[n - 1], calls: { endpoint: submissions.length } };
    };
  };
}

const FAULTS: readonly Fault[] = [
  ...PROXY_FAULTS.map(atStore),
  {
    ...{ name: 'SIGKILL after the search engine has judged request N', kills: true, peer: 'endpoint' },
    break: atEndpoint((kill) => ({ call: kill })),
  },
  ...(['hang', 'reset', 'lost', { status: 503 }, { status: 403 }] as const).map(
    (answer): Fault => ({
      ...{
        name: `${JSON.stringify(answer)} at request N of the search engine`,
        kills: false,
        peer: 'endpoint',
      },
      break: atEndpoint(() => answer),
    }),
  ),
];

async function breakOnce(world: SubmissionWorld, fault: Fault, n: number): Promise<BrokenRun> {
  const upload = await world.addUpload();
  const victim = fault.kills ? await world.nextVictim() : undefined;
  const endBreak = fault.break(world, n, () => victim?.kill());
  if (victim !== undefined) await victim.run(world.taskOf(upload));
  else {
    await using submitting = world.openVictim();
    // The queue tries again after an error.
    await submitting.compare(upload).then(
      () => submitting.workOff().catch(() => {}),
      () => {},
    );
  }
  const run = endBreak();
  try {
    await world.goOn(upload);
    await world.check(upload);
    return run;
  } catch (cause) {
    const where = `${fault.name.replace('N', String(n))}, ${JSON.stringify(run.struck) ?? 'nothing'}`;
    const came = world.endpoint.submissions.map(({ urls, status }) => `${urls.length} URLs ${status}`);
    throw new Error(`${where} (${came.join(', ')}): ${cause}`, { cause });
  }
}

describe('a comparison and its submission', () => {
  let world: SubmissionWorld;
  const covered: string[] = [];
  beforeAll(async () => {
    world = await startSubmissionWorld();
    return async () => {
      await world[Symbol.asyncDispose]();
      console.log(`a submission\n${covered.join('\n')}`);
    };
  });

  const breakEachCall = createCallBreaker();
  test.each(sampleOf(FAULTS))('$name', async (fault) => {
    covered.push(coveredLine(await breakEachCall(fault, (n) => breakOnce(world, fault, n)), fault.name));
  });
});
