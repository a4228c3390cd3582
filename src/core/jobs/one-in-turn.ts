/** Takes one item at a time from a queue in which accounts take turns, in the order of their ids. */
interface OfAccount {
  readonly accountId: string;
}

/** `takeAfter` takes an item of the first account after the one that had the last turn, or of the first account of all. */
export function oneInTurn<Item extends OfAccount>(
  takeAfter: (accountId: string) => Promise<Item | undefined>,
): () => Promise<Item[]> {
  // All account ids sort after the empty text.
  let last = '';
  return async () => {
    const item = await takeAfter(last);
    if (item === undefined) return [];
    last = item.accountId;
    return [item];
  };
}
