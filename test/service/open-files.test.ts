/** A process that may open fewer files than it may have connections, as in a container with `nofile=1024:4096`. */
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startCommand } from '../../tools/start-command.ts';
import { settled } from '../support/soon.ts';
import { logs } from './support/processes.ts';
import { createFolder } from './support/waypost.ts';

const FILES = 256;
const CLIENTS = 400;

test('idle connections make room for new ones before the files run out', async () => {
  await using folder = await createFolder();
  const command = `ulimit -n ${FILES} && exec "$0" src/hosting-server.ts`;
  await using hosting = startCommand(['sh', '-c', command, process.execPath], {
    environment: { HOSTING_PORT: '0', STORAGE_DIR: folder.path, PUBLIC_ORIGIN: 'http://{hostname}' },
  });
  const { port } = (await logs(hosting, 'listening')) as unknown as { port: number };
  const sockets: Socket[] = [];
  const answers = new Set<string>();
  for (let n = 0; n < CLIENTS; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write('GET /healthz HTTP/1.1\r\nHost: any\r\n\r\n');
    const { promise: answer, resolve } = Promise.withResolvers<unknown>();
    socket.once('data', resolve).once('close', () => resolve('cut'));
    answers.add(String(await settled(answer, `the answer to client ${n}`)).slice(0, 12));
  }
  for (const socket of sockets) socket.destroy();
  expect([...answers]).toEqual(['HTTP/1.1 200']);
  expect(hosting.stderr()).toContain('ulimit -n');
});
