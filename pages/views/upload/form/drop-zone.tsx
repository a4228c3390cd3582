/**
 * A file input, and the place to drop a file. A file that is dropped elsewhere in the window is taken, too: the browser would open it in
 * place of the page.
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { droppedIn, takeDropped } from '../../../api/dropped-file.ts';
import { Fault } from '../../../parts/fault.tsx';
import { type ChosenFile, takeFiles } from './chosen-file.ts';

export interface DropZoneProps {
  readonly chosen: ChosenFile;
  readonly isOver: boolean;
  readonly fault: string | undefined;
}

export function DropZone({ chosen, isOver, fault }: DropZoneProps) {
  const id = useId();
  const error = chosen.problem ?? fault;
  return (
    <div class={isOver ? 'drop-zone drop-zone-over' : 'drop-zone'}>
      <label for={id}>{isOver ? 'Drop the file' : 'Drop a file here, or choose one'}</label>
      <input
        id={id}
        type="file"
        aria-describedby={`${id}-hint${error ? ` ${id}-error` : ''}`}
        aria-invalid={error ? true : undefined}
        onChange={({ currentTarget }) => {
          const files = takeFiles(currentTarget);
          if (files.length > 0) chosen.choose(files, false);
        }}
      />
      <p class="hint" id={`${id}-hint`}>
        An export as it is: CSV, Parquet, a list of URLs, an XML sitemap or JSON. Also compressed: .gz, .zst
        or .br
      </p>
      <Fault id={`${id}-error`}>{error}</Fault>
    </div>
  );
}

/** Takes files that are dropped anywhere in the window. Returns whether a file hovers over the window. */
export function useDrop(choose: ChosenFile['choose']): boolean {
  const [isOver, setOver] = useState(false);
  const taking = useRef(choose);
  taking.current = choose;
  useLayoutEffect(() => {
    // These files were dropped on another page.
    const dropped = takeDropped();
    if (dropped) taking.current(dropped.files, dropped.hasFolder);
    const listeners = {
      dragover: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      dragleave: (event: DragEvent) => {
        // Other events come when the pointer moves from one element of the page to the next.
        if (event.relatedTarget === null) setOver(false);
      },
      drop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        const { files, hasFolder } = droppedIn(event.dataTransfer!);
        taking.current(files, hasFolder);
      },
    };
    const all = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][];
    for (const [name, listener] of all) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener);
    };
  }, []);
  return isOver;
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
