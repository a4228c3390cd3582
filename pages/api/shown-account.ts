/**
 * The account that this page shows, from its first look at the session on. Each request names it: all tabs share one session,
 * and another tab may have switched it to another account.
 */
let shown: string | undefined;
let whenSwitched = () => {};

/** `id`: of the session's account. Returns whether the page shows that one. */
export function isShown(id: string): boolean {
  shown ??= id;
  return shown === id;
}

/** The header fields of requests below /dashboard/api/. */
export const shownAccountHeader = (): Readonly<Record<string, string>> =>
  shown === undefined ? {} : { 'Waypost-Account': shown };

/** An answer says that the session has another account. */
export function tellSwitched(): void {
  whenSwitched();
}

export function onSwitched(look: () => void): void {
  whenSwitched = look;
}
