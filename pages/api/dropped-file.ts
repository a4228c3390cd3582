/** The files that were dropped on a page. They wait for the page that uploads them. */
export interface Dropped {
  readonly files: readonly File[];
  readonly hasFolder: boolean;
}

let dropped: Dropped | undefined;

export function keepDropped(now: Dropped): void {
  dropped = now;
}

/** Returns the dropped file once. */
export function takeDropped(): Dropped | undefined {
  const taken = dropped;
  dropped = undefined;
  return taken;
}

/** Returns the files of a drag. */
export function droppedIn({ files, items }: DataTransfer): Dropped {
  const entries = [...items].map((each) => each.webkitGetAsEntry());
  return { files: [...files], hasFolder: entries.some((entry) => entry?.isDirectory) };
}
