/** Makes the first message of a handshake. To send these bytes costs a client nothing, but to answer them costs the server time. */
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
