/**
 * The sweep of a comparison's commit and of the submission after it: each call to Postgres, the store and the search engine
 * breaks in turn, by the death of the process or otherwise. Another process goes on. Each changed URL is submitted once or
 * twice, and no other one ever.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FaultAction, FaultRule } from '../support/fault-proxy.ts';
import type { ScriptedAnswer } from '../support/indexnow-endpoint.ts';
import { type SubmissionWorld, startSubmissionWorld } from './support/submission-world.ts';

const DELAY_MS = 150;
/** For a sample: tries only every STEP-th N. */
const STEP = Number(process.env.FAULTS_EVERY ?? 1);

/** Breaks the n-th call. Returns a function that says which call was struck. */
type Break = (world: SubmissionWorld, n: number, kill: () => void) => () => string | undefined;

interface Fault {
  readonly name: string;
  readonly kills: boolean;
  readonly break: Break;
}

function atProxy(
  peer: 'postgres' | 's3',
  at: FaultRule['at'],
  action: (kill: () => void) => FaultAction,
): Break {
  return (world, n, kill) => {
    const proxy = world[peer];
    proxy.rule = { at, n, action: action(kill) };
    return () => {
      const { struck } = proxy;
      proxy.rule = undefined;
      return struck && JSON.stringify(struck);
    };
  };
}

function atEndpoint(answer: (kill: () => void) => ScriptedAnswer): Break {
  return ({ endpoint }, n, kill) => {
    endpoint.script(...Array<undefined>(n - 1).fill(undefined), answer(kill));
    return () => {
      endpoint.forgetScript();
      const struck = endpoint.submissions[n - 1];
      return struck && JSON.stringify(struck);
    };
  };
}

const FAULTS: readonly Fault[] = [
  ...(['postgres', 's3'] as const).flatMap((peer): Fault[] => [
    ...(['request', 'response'] as const).map((at) => ({
      ...{ name: `SIGKILL at ${at} N of ${peer}`, kills: true },
      break: atProxy(peer, at, (kill) => ({ call: kill })),
    })),
    ...(['request', 'response'] as const).map((at) => ({
      ...{ name: `cut at ${at} N of ${peer}`, kills: false },
      break: atProxy(peer, at, () => 'cut'),
    })),
    {
      ...{ name: `delay at response N of ${peer}`, kills: false },
      break: atProxy(peer, 'response', () => ({ delayMs: DELAY_MS })),
    },
  ]),
  {
    ...{ name: 'a short hang, then a cut, at response N of postgres', kills: false },
    break: atProxy('postgres', 'response', () => ({ call: () => delay(DELAY_MS) })),
  },
  {
    ...{ name: 'status 503 at request N of s3', kills: false },
    break: atProxy('s3', 'request', () => ({ status: 503 })),
  },
  {
    ...{ name: 'SIGKILL after the search engine has judged request N', kills: true },
    break: atEndpoint((kill) => ({ call: kill })),
  },
  ...(['hang', 'reset', 'lost', { status: 503 }, { status: 403 }] as const).map(
    (answer): Fault => ({
      ...{ name: `${JSON.stringify(answer)} at request N of the search engine`, kills: false },
      break: atEndpoint(() => answer),
    }),
  ),
];

async function breakOnce(world: SubmissionWorld, fault: Fault, n: number): Promise<string | undefined> {
  const upload = await world.addUpload();
  const victim = fault.kills ? await world.nextVictim() : undefined;
  const whatWasStruck = fault.break(world, n, () => victim?.kill());
  if (victim !== undefined) await victim.run(upload);
  else {
    await using submitting = world.openVictim();
    // The queue tries again after an error.
    await submitting.compare(upload).then(
      () => submitting.workOff().catch(() => {}),
      () => {},
    );
  }
  const struck = whatWasStruck();
  try {
    await world.goOn(upload);
    await world.check(upload);
    return struck;
  } catch (cause) {
    const where = `${fault.name.replace('N', String(n))}, ${struck ?? 'nothing'}`;
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

  test.each(FAULTS)('$name', async (fault) => {
    let strikes = 0;
    for (let n = 1; ; n += STEP) {
      if ((await breakOnce(world, fault, n)) === undefined) break;
      strikes += 1;
    }
    expect(strikes).toBeGreaterThan(0);
    covered.push(`${String(strikes).padStart(4)} × ${fault.name}`);
  });
});
