/** Splits the bytes of an HTTP/1.1 connection into messages (RFC 9112). It trusts both ends to keep the rules. */
import type { Message, MessageReader, Piece, Unanswered } from './message-pieces.ts';

/**
 * A state takes a piece from the front of the bytes, and returns it with the next state; undefined asks for more bytes.
 */
type State = (
  bytes: Buffer,
) => { readonly taken: number; readonly ends?: boolean; readonly next: State } | undefined;

export function readHttpRequests(unanswered: Unanswered): MessageReader {
  return new HttpReader((startLine, headers) => {
    const [method = '', path = ''] = startLine.split(' ');
    const message = { method, path };
    unanswered.push(message);
    return { message, body: bodyKind(headers, 'none') };
  });
}

export function readHttpResponses(unanswered: Unanswered): MessageReader {
  return new HttpReader((startLine, headers) => {
    const status = Number(startLine.split(' ')[1]);
    // An interim response such as 100 Continue: the final one is still to come.
    if (status < 200) return { message: undefined, body: 'none' };
    const message = unanswered.shift() ?? {};
    const isBare = message.method === 'HEAD' || status === 204 || status === 304;
    return { message, body: isBare ? 'none' : bodyKind(headers, 'until the end') };
  });
}

type BodyKind = number | 'chunked' | 'none' | 'until the end';
type JudgeHead = (startLine: string, headers: string) => { message: Message | undefined; body: BodyKind };

function bodyKind(headers: string, otherwise: BodyKind): BodyKind {
  if (/^transfer-encoding:.*chunked/im.test(headers)) return 'chunked';
  const length = /^content-length: *(\d+)/im.exec(headers)?.[1];
  return length === undefined ? otherwise : Number(length);
}

class HttpReader implements MessageReader {
  readonly #judgeHead: JudgeHead;
  #held: Buffer = Buffer.alloc(0);
  #state: State;
  #begins: Message | undefined;

  constructor(judgeHead: JudgeHead) {
    this.#judgeHead = judgeHead;
    this.#state = this.#head;
  }

  *read(chunk: Buffer): Generator<Piece> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#held.length > 0) {
      const step = this.#state(this.#held);
      if (step === undefined) return;
      const bytes = this.#held.subarray(0, step.taken);
      this.#held = this.#held.subarray(step.taken);
      this.#state = step.next;
      const begins = this.#begins;
      this.#begins = undefined;
      yield { bytes, ...(begins && { begins }), ...(step.ends && { ends: true }) };
    }
  }

  readonly #head: State = (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [startLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const { message, body } = this.#judgeHead(startLine, lines.join('\n'));
    this.#begins = message;
    const taken = end + 4;
    if (message !== undefined && (body === 'none' || body === 0)) {
      return { taken, ends: true, next: this.#head };
    }
    return { taken, next: this.#afterHead(body) };
  };

  #afterHead(body: BodyKind): State {
    if (body === 'none') return this.#head;
    if (body === 'chunked') return this.#chunkSize;
    return this.#bytesThen(body === 'until the end' ? Number.POSITIVE_INFINITY : body, this.#head, true);
  }

  #bytesThen(count: number, next: State, ends: boolean): State {
    return (bytes) => {
      if (bytes.length < count) {
        return { taken: bytes.length, next: this.#bytesThen(count - bytes.length, next, ends) };
      }
      return { taken: count, ends, next };
    };
  }

  readonly #chunkSize: State = (bytes) => {
    const end = bytes.indexOf('\r\n');
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', 0, end), 16);
    const next = size === 0 ? this.#trailer : this.#bytesThen(size + 2, this.#chunkSize, false);
    return { taken: end + 2, next };
  };

  readonly #trailer: State = (bytes) => {
    const end = bytes.indexOf('\r\n');
    if (end < 0) return undefined;
    return end === 0 ? { taken: 2, ends: true, next: this.#head } : { taken: end + 2, next: this.#trailer };
  };
}
