/**
 * Whether Waypost can be reached. `reach` notes after each request whether an answer came, and the browser says when it goes offline. So no
 * page has to check.
 */
import { noteTime } from './clock.ts';
import { createWatched } from './watched.ts';

export interface Connection {
  readonly isConnected: boolean;
  /** The time of the last answer before the connection was lost, in milliseconds since 1970. Out of date while `isConnected`. */
  readonly answeredAt: number;
}

export const connection = createWatched<Connection>({ isConnected: true, answeredAt: Date.now() });

let answeredAt = Date.now();

/** `date`: the header field of the answer. */
export function tellAnswered(date: string | null): void {
  noteTime(date);
  answeredAt = Date.now();
  // Answers on a working connection change nothing that a page shows.
  if (!connection.value().isConnected) connection.change({ isConnected: true, answeredAt });
}

export function tellUnreachable(): void {
  if (connection.value().isConnected) connection.change({ isConnected: false, answeredAt });
}
