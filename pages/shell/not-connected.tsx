/** A line below the bar while Waypost is out of reach. It disappears at the next answer. */
import { connection } from '../api/connection.ts';
import { shortTime } from '../parts/format.ts';
import { useWatched } from '../parts/use-watched.ts';

export function NotConnected() {
  const { isConnected, answeredAt } = useWatched(connection);
  return (
    <div role="status">
      {!isConnected && (
        <p class="not-connected">
          {navigator.onLine ? 'Not connected' : "You're offline"}. Numbers from {shortTime(answeredAt)}.
          Trying again …
        </p>
      )}
    </div>
  );
}
