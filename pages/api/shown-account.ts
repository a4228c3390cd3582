/**
 * The account that this page shows: the account of the session when the page first read the session. Each request names this account,
 * because all tabs share one session, and another tab may have switched the session to another account.
 */
let shown: string | undefined;
let whenSwitched = () => {};

/** Returns whether the page shows the account `id`, which is that of the session. The first call sets the shown account. */
export function isShown(id: string): boolean {
  shown ??= id;
  return shown === id;
}

/** Returns the header field that names the shown account in a request. Before the first look at the session, returns no field. */
export const shownAccountHeader = (): Readonly<Record<string, string>> =>
  shown === undefined ? {} : { 'Waypost-Account': shown };

/** Call this when an answer says that the session has another account. */
export function tellSwitched(): void {
  whenSwitched();
}

export function onSwitched(look: () => void): void {
  whenSwitched = look;
}
