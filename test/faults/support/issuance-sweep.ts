/**
 * The sweep of an issuance and of a renewal: each call to Postgres, the store and the authority breaks in turn, by the
 * death of the process or otherwise. Another process goes on. The domain ends active, by one order, unless the process
 * lost the order itself.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Domain } from '../../../src/features/domains/domain.ts';
import { type AcmeFault, UNAVAILABLE } from '../../support/acme-front.ts';
import { isHere, needs } from '../../support/needs.ts';
import {
  type BrokenRun,
  breakAt,
  coveredLine,
  createCallBreaker,
  PROXY_FAULTS,
  type ProxyFault,
  sampleOf,
} from './broken-calls.ts';
import { type IssuanceWorld, startIssuanceWorld } from './issuance-world.ts';

/** Breaks the n-th call. Returns a function that says how the run went. */
type Break = (world: IssuanceWorld, n: number, kill: () => void) => () => BrokenRun<Struck>;

interface Struck {
  readonly what: string;
  /** The process did not learn of its order, or could not save it. */
  readonly losesOrder: boolean;
}

interface Fault {
  readonly name: string;
  readonly peer: string;
  readonly kills: boolean;
  readonly break: Break;
}

function atStore(fault: ProxyFault): Fault {
  return {
    ...fault,
    break: (world, n, kill) => {
      const endBreak = breakAt(world, fault, n, kill);
      return () => {
        const { struck, calls } = endBreak();
        if (struck === undefined) return { struck, calls };
        const losesOrder = struck.sql?.includes('order_url = $4') === true;
        return { struck: { what: JSON.stringify(struck), losesOrder }, calls };
      };
    },
  };
}

function atAuthority(fault: (act: () => void) => AcmeFault): Break {
  return ({ front }, n, kill) => {
    front.break('any', fault(kill), { n });
    return () => {
      const what = front.calls[n - 1];
      const struck = what === undefined ? what : { what, losesOrder: what === 'newOrder' };
      return { struck, calls: { authority: front.calls.length } };
    };
  };
}

const FAULTS: readonly Fault[] = [
  ...PROXY_FAULTS.map(atStore),
  {
    ...{ name: 'SIGKILL before call N reaches the authority', kills: true, peer: 'authority' },
    break: atAuthority((kill) => ({ before: kill })),
  },
  {
    ...{ name: 'SIGKILL after the authority has done call N', kills: true, peer: 'authority' },
    break: atAuthority((kill) => ({ after: kill })),
  },
  ...(
    [
      ['lost', 'lost'],
      ['cut', 'cut'],
      ['hang', 'hang'],
      ['503', UNAVAILABLE],
    ] as const
  ).map(
    ([name, fault]): Fault => ({
      ...{ name: `${name} at call N of the authority`, kills: false, peer: 'authority' },
      break: atAuthority(() => fault),
    }),
  ),
];

export function sweepIssuance(title: string, prepare: (world: IssuanceWorld) => Promise<Domain>): void {
  describe(title, needs('pebble'), () => {
    let world: IssuanceWorld;
    const covered: string[] = [];
    beforeAll(async () => {
      if (!isHere('pebble')) return;
      world = await startIssuanceWorld();
      return async () => {
        await world[Symbol.asyncDispose]();
        console.log(`${title}\n${covered.join('\n')}`);
      };
    });

    async function breakOnce(fault: Fault, n: number): Promise<BrokenRun> {
      const domain = await prepare(world);
      const { front } = world;
      front.reset();
      const victim = fault.kills ? await world.nextVictim() : undefined;
      const endBreak = fault.break(world, n, () => victim?.kill());
      if (victim !== undefined) await victim.run(world.taskOf(domain));
      else {
        await using issuing = world.openVictim();
        // The queue tries again after an error.
        await issuing.issue(domain.id).catch(() => {});
      }
      const run = endBreak();
      const { struck } = run;
      const { orders } = front;
      // A fault that did not come must not strike the survivor.
      front.reset();
      try {
        await world.goOn(domain);
        await world.check(domain);
        const all = orders + front.orders;
        if (struck?.losesOrder) expect(all).toBeLessThanOrEqual(2);
        else expect(all).toBe(1);
        return run;
      } catch (cause) {
        const where = `${fault.name.replace('N', String(n))}, ${struck?.what ?? 'nothing'}`;
        throw new Error(`${where} (${orders} orders before, ${front.calls.join(' ')}): ${cause}`, { cause });
      }
    }

    const breakEachCall = createCallBreaker();
    test.each(sampleOf(FAULTS))('$name', async (fault) => {
      covered.push(coveredLine(await breakEachCall(fault, (n) => breakOnce(fault, n)), fault.name));
    });
  });
}
