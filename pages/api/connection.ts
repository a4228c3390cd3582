/**
 * Whether Waypost answers. Each request tells it, so no page has to: a request that gets no answer says no, the next
 * answer says yes.
 */
import { createWatched } from './watched.ts';

export interface Connection {
  readonly isConnected: boolean;
  /** When Waypost answered last, in milliseconds since 1970. */
  readonly answeredAt: number;
}

export const connection = createWatched<Connection>({ isConnected: true, answeredAt: Date.now() });

let answeredAt = Date.now();

export function tellAnswered(): void {
  answeredAt = Date.now();
  // Most answers change nothing that anybody sees.
  if (!connection.value().isConnected) connection.change({ isConnected: true, answeredAt });
}

export function tellUnreachable(): void {
  if (connection.value().isConnected) connection.change({ isConnected: false, answeredAt });
}
