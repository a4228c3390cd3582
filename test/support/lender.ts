/**
 * Vitest's global setup: lends resources that a run starts once and many test files use. A resource starts when the first
 * test borrows it (borrow.ts), so a run of pure tests neither starts nor loads any.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { createCompileCache } from './compile-cache.ts';
import type { Loans } from './loans.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the lender. */
    readonly lender: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = new AsyncDisposableStack();
  scope.use(await createCompileCache());
  let loans: Promise<Loans> | undefined;
  const lend = async (name: string, order: never) => {
    loans ??= import('./loans.ts').then(({ openLoans }) => openLoans(scope));
    return (await loans)[name as keyof Loans](order);
  };
  // The request is POST /<name of the loan>, with the order as JSON.
  const server = createServer(async (request, response) => {
    try {
      const loan = await lend(request.url!.slice(1), (await json(request)) as never);
      response.end(JSON.stringify(loan ?? null));
    } catch (error) {
      response.writeHead(500).end((error as Error).stack);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('lender', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  scope.defer(() => void server.close().closeAllConnections());
  return () => scope.disposeAsync();
}
