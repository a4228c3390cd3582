/** The first message of a handshake, as bytes. Sending it costs a client nothing, and its answer costs the server. */
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** `group`: of the key exchange. */
export async function clientHello(servername: string, group = 'X25519'): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      resolve(chunk);
      done();
    },
  });
  const secured = connect({ socket, servername, ecdhCurve: group }).on('error', () => {});
  const hello = await promise;
  secured.destroy();
  return hello;
}
