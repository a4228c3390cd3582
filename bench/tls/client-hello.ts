/** Makes the first message of a handshake. It costs a client nothing to send these bytes, but the server to answer them. */
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** `group`: the group of the key exchange. */
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
