/** The pieces into which the fault proxy's protocol readers cut a byte stream. */

/** A request, as far as its protocol describes it. A response has the description of its request. */
export interface Message {
  /** The HTTP method, as in PUT. In Postgres: `CONNECT` for the start of a connection, `COPY` for the end of a copy. */
  readonly method?: string;
  /** The HTTP path with its query. */
  readonly path?: string;
  /** The SQL of a Postgres request; for a prepared statement, the SQL that was prepared. */
  readonly sql?: string;
}

/** Consecutive bytes of one message, or bytes that belong to no message. */
export interface Piece {
  readonly bytes: Buffer;
  /** Set if these are the first bytes of a message. */
  readonly begins?: Message;
  /** True if these are its last bytes. */
  readonly ends?: boolean;
}

/** Cuts one direction of a connection into pieces. It holds back bytes until it can tell their meaning. */
export interface MessageReader {
  read(chunk: Buffer): Iterable<Piece>;
}

/** The unanswered requests of a connection, oldest first. Both readers of the connection share it. */
export type Unanswered = Message[];
