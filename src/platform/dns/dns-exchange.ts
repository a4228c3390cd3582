/**
 * Asks one DNS server one question over UDP. If the answer is truncated, asks again over TCP (RFC 1035, section 4.2; RFC 7766). We use our
 * own sockets, because those of dns2 stay open when a TCP server says nothing, lack IPv6 over TCP, and accept an answer to another
 * question. We do not use node:dns, because it does not tell to which name a record belongs.
 */
import { createSocket } from 'node:dgram';
import { on, once } from 'node:events';
import { connect, isIP, isIPv6 } from 'node:net';
import { Packet } from 'dns2';

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

const DNS_PORT = 53;
/** The most records of an answer. Honest answers have far fewer. Parsing takes up to some kilobytes of memory for each record. */
const MAX_ANSWERS = 256;
/** The place of the number of answers in the header, which takes two bytes (RFC 1035, section 4.1.1). */
const ANSWER_COUNT_AT = 6;

/** Parses the address of a DNS server in the form of node:dns: 192.0.2.1, 192.0.2.1:5353, 2001:db8::1 or [2001:db8::1]:5353. */
export function parseDnsServer(server: string): DnsServer {
  if (isIP(server) !== 0) return { address: server, port: DNS_PORT };
  const colon = server.lastIndexOf(':');
  const address = server.slice(0, colon).replace(/^\[|\]$/g, '');
  return { address, port: Number(server.slice(colon + 1)) };
}

/**
 * Asks for records of class IN. `type`: the number of the record type, from Packet.TYPE. Throws if the server is unreachable, or gives no
 * usable answer before `signal` aborts.
 */
export async function askDns(
  server: DnsServer,
  { name, type }: { readonly name: string; readonly type: number },
  signal: AbortSignal,
): Promise<Packet> {
  const query = new Packet();
  query.header.id = Packet.uuid();
  query.header.rd = 1;
  query.questions.push(new Packet.Question(name, type, Packet.CLASS.IN));
  const message = query.toBuffer();
  const answer = await askByUdp(server, query, message, signal);
  return answer.header.tc ? askByTcp(server, query, message, signal) : answer;
}

async function askByUdp(
  { address, port }: DnsServer,
  query: Packet,
  message: Buffer,
  signal: AbortSignal,
): Promise<Packet> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    // A connected socket takes messages from this server only, and fails when no program listens there.
    socket.connect(port, address);
    await once(socket, 'connect', { signal });
    const messages = on(socket, 'message', { signal });
    socket.send(message);
    for await (const [received] of messages) {
      const answer = answerTo(query, received);
      // A message that does not answer the query is late, forged or unreadable.
      if (answer !== undefined) return answer;
    }
    throw new Error('the socket was closed');
  } finally {
    socket.close();
  }
}

async function askByTcp(
  { address, port }: DnsServer,
  query: Packet,
  message: Buffer,
  signal: AbortSignal,
): Promise<Packet> {
  const socket = connect({ host: address, port, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE()) continue;
      const answer = answerTo(query, received.subarray(2, 2 + received.readUInt16BE()));
      if (answer !== undefined) return answer;
      break;
    }
    throw new Error('the DNS server gave no complete answer over TCP');
  } finally {
    socket.destroy();
  }
}

/**
 * Parses the answer to a query. Undefined for a message that does not answer the query, or whose answers are too many or unreadable. A
 * truncated answer may be cut in the middle of a record, and no caller uses its records.
 */
function answerTo(query: Packet, message: Buffer): Packet | undefined {
  if (message.length < Packet.HEADER_SIZE) return undefined;
  if (message.readUInt16BE(ANSWER_COUNT_AT) > MAX_ANSWERS) return undefined;
  const answer = Packet.parse(message);
  const [asked] = query.questions;
  const [question] = answer.questions;
  const isOurs =
    answer.header.qr === 1 &&
    answer.header.id === query.header.id &&
    question?.name.toLowerCase() === asked?.name.toLowerCase() &&
    question?.type === asked?.type &&
    question?.class === asked?.class;
  const isDamaged = answer.errors.some(({ section }) => section === 'answers');
  return isOurs && (answer.header.tc === 1 || !isDamaged) ? answer : undefined;
}
