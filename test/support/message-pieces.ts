/** What the fault proxy's readers of protocols make of a stream of bytes. */

/** What a request is, as far as its protocol says. A response is called by the request that it answers. */
export interface Message {
  /** Of HTTP, as in PUT; `CONNECT` for the start of a Postgres connection, `COPY` for the end of what is copied. */
  readonly method?: string;
  /** Of HTTP, with its query. */
  readonly path?: string;
  /** Of Postgres; of a prepared statement, the text that it was prepared with. */
  readonly sql?: string;
}

/** Successive bytes of one message, or bytes that belong to none. */
export interface Piece {
  readonly bytes: Buffer;
  /** Whether these are the first bytes of a message, and of which. */
  readonly begins?: Message;
  /** Whether these are its last bytes. */
  readonly ends?: boolean;
}

/** Cuts one direction of one connection into pieces. It holds back bytes that do not tell yet what they are. */
export interface MessageReader {
  read(chunk: Buffer): Iterable<Piece>;
}

/** The requests of a connection that have not been answered, oldest first; both of its readers share it. */
export type Unanswered = Message[];
