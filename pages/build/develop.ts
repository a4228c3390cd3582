/**
 * `npm run dashboard`: runs the all-in-one program, and Vite in front of it. Vite serves the pages from their sources, so a change shows at
 * once, and passes all other requests to the API. The content security policy of the pages does not apply here, because Vite needs more.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createServer as createVite } from 'vite';
import { environment } from '../../src/platform/process/environment.ts';
import { print } from '../../src/platform/process/print.ts';
import { ReportedElsewhere, runProcess } from '../../src/platform/process/run-process.ts';
import { type Process, startCommand } from '../../tools/start-command.ts';

const DEFAULT_ORIGIN = 'http://127.0.0.1:5173';
/** The addresses of the sources in `pages/api/`. They begin like the addresses of the API. */
const SOURCE = /^\/dashboard\/api\/[a-z-]+\.ts(?:\?|$)/;
/** Finds the address of the API in the output of the all-in-one program. */
const API_URL = /\bAPI: (\S+)/;
const LINK = /^Dashboard: (\S+)/m;
const CONFIG = fileURLToPath(new URL('../vite.config.ts', import.meta.url));

await runProcess(async (scope, stop) => {
  const { origin, hostname, port } = new URL(environment().DASHBOARD_ORIGIN || DEFAULT_ORIGIN);
  print('Starting Waypost …');
  const waypost = scope.use(startAllInOne(origin));
  const { apiUrl, link } = await welcomeOf(waypost);
  void waypost.exited.then(stop);

  const server = createServer();
  const vite = await createVite({
    configFile: CONFIG,
    logLevel: 'warn',
    server: {
      // Without this, Vite ends this process before the all-in-one program has ended.
      middlewareMode: true,
      hmr: { server },
      proxy: {
        '/dashboard/api/': { target: apiUrl, bypass: ({ url = '' }) => (SOURCE.test(url) ? url : undefined) },
        '/auth/': apiUrl,
        '/api/': apiUrl,
      },
    },
  });
  scope.defer(() => vite.close());
  server.on('request', (request, response) => {
    // Vite knows the start page by its address with a slash.
    if (request.url === '/' || request.url === '/dashboard') request.url = '/dashboard/';
    vite.middlewares(request, response);
  });
  scope.defer(() => close(server));
  await listen(server, Number(port), hostname);
  print(`Dashboard: ${link ?? `${origin}/dashboard`}\nCtrl+C ends it.`);
});

/** The program gets the address of the pages, because it answers only requests from that origin. */
function startAllInOne(origin: string): Process {
  return startCommand([process.execPath, 'src/all-in-one.ts'], {
    environment: { ...environment(), DASHBOARD_ORIGIN: origin },
    showsErrors: true,
    // In our process group, the program would get the signal of Ctrl+C twice. The second one skips the orderly end.
    detached: true,
  });
}

interface Welcome {
  readonly apiUrl: string;
  /** The one-time link to the dashboard, or only the address of the dashboard if people sign in with an identity provider. */
  readonly link: string | undefined;
}

/** Returns the addresses that the all-in-one program prints when it listens on all ports. Throws ReportedElsewhere if it ends before. */
async function welcomeOf(waypost: Process): Promise<Welcome> {
  const ended = waypost.exited.then(({ code }) => {
    throw new ReportedElsewhere('Waypost ended', code ?? 1);
  });
  await Promise.race([ended, waypost.says('\nCtrl+C')]);
  const said = waypost.stdout();
  return { apiUrl: API_URL.exec(said)![1]!, link: LINK.exec(said)?.[1] };
}

async function listen(server: Server, port: number, hostname: string): Promise<void> {
  server.listen(port, hostname);
  await once(server, 'listening');
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}
