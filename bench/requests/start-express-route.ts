/** Starts a bare Express route that reads and parses a body (apart/express-route.ts). */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface ExpressRoute extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

export async function startExpressRoute(): Promise<ExpressRoute> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(new URL('../apart/express-route.ts', import.meta.url), { env });
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
