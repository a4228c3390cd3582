/**
 * Handles the end of a session while a person has typed or chosen something. The page keeps the input, and pressed buttons wait. When the
 * person has signed in again in another tab, that tab tells all tabs.
 */
import { createWatched } from './watched.ts';

export const sessionEnded = createWatched(false);

const channel = new BroadcastChannel('waypost-session');
channel.addEventListener('message', resume);

let waiting: (() => void)[] = [];

/** Tells all tabs of this browser that there is a session again, so that waiting buttons go on. */
export function tellSignedIn(): void {
  channel.postMessage('signed-in');
  resume();
}

/** If the page has something to lose, asks the person to sign in again and waits for that. Resolves to whether there is a session again. */
export function sessionBack(): Promise<boolean> {
  if (!hasInput()) return Promise.resolve(false);
  endSession();
  return new Promise((resolve) => {
    waiting.push(() => resolve(true));
  });
}

/** Makes the shell ask the person to sign in again. */
export function endSession(): void {
  if (!sessionEnded.value()) sessionEnded.change(true);
}

/** Functions that say whether the page would lose something other than the text of a field, such as the file of an upload under way. */
const holders: (() => boolean)[] = [];

export function addHolder(holds: () => boolean): void {
  holders.push(holds);
}

/**
 * Whether a person who leaves the page would lose something that they typed or chose. An element with `data-keeps-input` counts as such
 * input.
 */
export function hasInput(): boolean {
  const inputs = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'main :is(input, textarea)',
  );
  const isKept = document.querySelector('[data-keeps-input]') !== null || holders.some((holds) => holds());
  return isKept || [...inputs].some(isFilled);
}

const NOT_TYPED = new Set(['search', 'checkbox', 'radio', 'file']);

function isFilled(input: HTMLInputElement | HTMLTextAreaElement): boolean {
  if ('files' in input && (input.files?.length ?? 0) > 0) return true;
  return !NOT_TYPED.has(input.type) && input.value !== '';
}

function resume(): void {
  const going = waiting;
  waiting = [];
  if (sessionEnded.value()) sessionEnded.change(false);
  for (const go of going) go();
}
