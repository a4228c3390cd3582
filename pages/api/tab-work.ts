/** The work of this tab that ends when the person leaves the page: the upload of a file. There is one at a time. */

/** Ends the work. Undefined: no work is under way. */
let stop: (() => void) | undefined;

/** The browser asks before it leaves the page until `endWork`. `cancel`: called if the page leaves by itself. */
export function beginWork(cancel: () => void): void {
  stop = cancel;
  addEventListener('beforeunload', warn);
}

export function endWork(): void {
  stop = undefined;
  removeEventListener('beforeunload', warn);
}

export const isWorking = () => stop !== undefined;

/** Cancels the work. After that, the browser leaves the page without a question. */
export function cancelWork(): void {
  stop?.();
  endWork();
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
