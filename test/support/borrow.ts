/** Borrows a resource that the run starts once (loans.ts). */
import { inject } from 'vitest';
import type { Loans } from './loans.ts';

export async function borrow<Name extends keyof Loans>(
  name: Name,
  ...[order]: Parameters<Loans[Name]>
): Promise<Awaited<ReturnType<Loans[Name]>>> {
  const body = JSON.stringify(order ?? null);
  // A connection that stays open would count as a leak of the test file.
  const headers = { Connection: 'close' };
  const answer = await fetch(`${inject('lender')}/${name}`, { method: 'POST', body, headers });
  if (!answer.ok) throw new Error(`The lender has no ${name}: ${await answer.text()}`);
  return (await answer.json()) as Awaited<ReturnType<Loans[Name]>>;
}
