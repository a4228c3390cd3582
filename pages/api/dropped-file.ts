/** The files that were dropped on a page. This module keeps them until the upload page takes them. */
export interface Dropped {
  readonly files: readonly File[];
  readonly hasFolder: boolean;
}

let dropped: Dropped | undefined;

export function keepDropped(now: Dropped): void {
  dropped = now;
}

/** Returns the kept files, and forgets them. */
export function takeDropped(): Dropped | undefined {
  const taken = dropped;
  dropped = undefined;
  return taken;
}

/** Returns the files of a drop, and whether a folder is among them. */
export function droppedIn({ files, items }: DataTransfer): Dropped {
  const entries = [...items].map((each) => each.webkitGetAsEntry());
  return { files: [...files], hasFolder: entries.some((entry) => entry?.isDirectory) };
}
