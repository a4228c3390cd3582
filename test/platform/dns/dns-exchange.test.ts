import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Packet } from 'dns2';
import pRetry from 'p-retry';
import { afterAll, describe, expect, test } from 'vitest';
import { askDns, parseDnsServer } from '../../../src/platform/dns/dns-exchange.ts';
import { SOON } from '../../support/soon.ts';

const QUESTION = { name: 'maps.example.com', type: Packet.TYPE.CNAME };

test.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
])('%s is an address and a port', (server, address, port) => {
  expect(parseDnsServer(server)).toEqual({ address, port });
});

/** `silent` accepts connections and never answers. Another process may have the TCP half of the port. */
async function listen() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const silent = createServer().listen(socket.address().port, '127.0.0.1');
  try {
    await once(silent, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  return { socket, silent };
}

describe('an answer over UDP', async () => {
  const { socket, silent } = await pRetry(listen, { retries: 10, minTimeout: 0 });
  const server = { address: '127.0.0.1', port: socket.address().port };
  afterAll(() => {
    socket.close();
    silent.close();
  });

  /** The server sends these messages, made from its correct answer. */
  function reply(...changes: ((answer: Packet) => unknown)[]) {
    socket.removeAllListeners('message').once('message', (query, { port }) => {
      for (const change of changes) {
        const answer = Packet.createResponseFromRequest(Packet.parse(query));
        change(answer);
        socket.send(answer.toBuffer(), port);
      }
      socket.send('no message', port);
    });
  }

  test('is accepted if it answers the question, and everything before it is ignored', async () => {
    reply(
      ({ header }) => {
        header.id ^= 1;
      },
      ({ header }) => {
        header.qr = 0;
      },
      ({ questions }) => {
        questions[0]!.name = 'other.example.com';
      },
      ({ questions }) => {
        questions[0]!.type = Packet.TYPE.A;
      },
      ({ questions }) => questions.pop(),
      ({ header }) => {
        header.rcode = Packet.RCODE.NXDOMAIN;
      },
    );
    const { header } = await askDns(server, QUESTION, AbortSignal.timeout(SOON.timeout));
    expect(header.rcode).toBe(Packet.RCODE.NXDOMAIN);
  });

  test('is asked for over TCP if it is truncated, even in the middle of a record', async () => {
    const connected = once(silent, 'connection');
    socket.removeAllListeners('message').once('message', (query, { port }) => {
      const answer = Packet.createResponseFromRequest(Packet.parse(query));
      answer.header.tc = 1;
      answer.answers.push(
        Object.assign(new Packet.Resource(QUESTION.name, Packet.TYPE.CNAME, Packet.CLASS.IN, 60), {
          domain: 'target.example.net',
        }),
      );
      socket.send(answer.toBuffer().subarray(0, -5), port);
    });
    const asked = askDns(server, QUESTION, AbortSignal.timeout(SOON.timeout));
    const [connection] = await connected;
    connection.destroy();
    await expect(asked).rejects.toThrow('no complete answer over TCP');
  });

  test('times out, and so does a server that is silent over TCP', async () => {
    reply();
    await expect(askDns(server, QUESTION, AbortSignal.timeout(50))).rejects.toThrow();
    const cut = Promise.withResolvers<void>();
    const abort = new AbortController();
    silent.once('connection', (connection) => {
      connection.on('error', () => {}).on('close', () => cut.resolve());
      abort.abort();
    });
    reply(({ header }) => {
      header.tc = 1;
    });
    await expect(askDns(server, QUESTION, abort.signal)).rejects.toThrow();
    await cut.promise;
  });
});
