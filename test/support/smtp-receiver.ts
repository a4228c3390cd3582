/** A mail server on loopback, with TLS and a password. It keeps what it takes, and a test chooses its answers. */
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { createTestAuthority } from '../../tools/test-certificates.ts';

interface ReceivedMail {
  readonly to: readonly string[];
  /** Whether it came through TLS. */
  readonly isSecure: boolean;
  readonly mail: ParsedMail;
}

export interface SmtpReceiver extends AsyncDisposable {
  /** As in smtps://user:password@127.0.0.1:1234/, without a check of the certificate. */
  readonly url: string;
  readonly received: ReceivedMail[];
  /** The passwords that came, also wrong ones. */
  readonly passwords: string[];
  /** Refuses a recipient, by default none. */
  refuse: (address: string) => { readonly code: number; readonly text: string } | undefined;
  /** The server cuts each connection after a mail, in place of its answer. */
  vanishes: boolean;
}

/**
 * `tls`: from the start of each connection, after STARTTLS, or not at all. Without TLS from the start, the server has 0.0.0.0 in its
 * URL, which Waypost takes for another machine.
 */
export async function startSmtpReceiver(
  tls: 'from the start' | 'by STARTTLS' | 'none' = 'from the start',
): Promise<SmtpReceiver> {
  const isSecure = tls === 'from the start';
  using authority = await createTestAuthority();
  const { chain, privateKey } = await authority.issue('localhost');
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...{ secure: isSecure, disabledCommands: tls === 'none' ? ['STARTTLS'] : [] },
    allowInsecureAuth: tls === 'none',
    ...{ cert: chain, key: key.export({ format: 'pem', type: 'pkcs8' }).toString() },
    onAuth({ username, password }, _session, done) {
      receiver.passwords.push(password ?? '');
      if (username === 'waypost' && password === 'secret') done(null, { user: username });
      else done(new Error('no such user'));
    },
    onRcptTo({ address }, _session, done) {
      const refused = receiver.refuse(address);
      done(refused && Object.assign(new Error(refused.text), { responseCode: refused.code }));
    },
    onData(stream, session, done) {
      void simpleParser(stream).then((mail) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, mail, isSecure: session.secure });
        if (!receiver.vanishes) return done();
        for (const connection of server.connections) connection._socket.destroy();
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const receiver: SmtpReceiver = {
    url: `${isSecure ? 'smtps' : 'smtp'}://waypost:secret@${isSecure ? '127.0.0.1' : '0.0.0.0'}:${port}/?tls.rejectUnauthorized=false`,
    ...{ received, passwords: [] },
    refuse: () => undefined,
    vanishes: false,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return receiver;
}
