/** The hook of a schedule: an address that runs the schedule when the events of a bucket call it. The address is shown once. */
import { useState } from 'preact/hooks';
import { announce } from '../../parts/announce.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { hookLines } from './hook-lines.ts';
import { useScheduleWork } from './schedule.ts';
import type { SitemapId } from './sitemap-queries.ts';

export interface HookProps {
  readonly sitemap: SitemapId;
  readonly hasHook: boolean;
}

export function Hook({ sitemap, hasHook }: HookProps) {
  const { makeHook, removeHook } = useScheduleWork(sitemap);
  const [open, setOpen] = useState<'make' | 'delete'>();
  const [path, setPath] = useState<string>();
  const onClose = () => setOpen(undefined);
  return (
    <>
      <p>
        {hasHook
          ? 'It has a hook: an address that runs it, for the events of a bucket.'
          : 'A hook runs it when the objects of a bucket change.'}
      </p>
      <div class="buttons">
        <button type="button" onClick={() => setOpen('make')}>
          {hasHook ? 'Replace hook' : 'Make hook'}
        </button>
        {hasHook && (
          <button type="button" onClick={() => setOpen('delete')}>
            Delete hook
          </button>
        )}
      </div>
      {open === 'make' && (
        <Confirm
          title={hasHook ? 'Replace the hook?' : 'Make a hook?'}
          verb={hasHook ? 'Replace hook' : 'Make hook'}
          work={async () => setPath((await makeHook()).path)}
          onClose={onClose}
        >
          <p>
            Whoever knows its address can run this schedule, and nothing else. You see it once.
            {hasHook && ' The former address ends at once.'}
          </p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          title="Delete the hook?"
          verb="Delete hook"
          kind="danger"
          work={async () => {
            await removeHook();
            announce('The hook is deleted.');
          }}
          onClose={onClose}
        >
          <p>Events that still call its address change nothing any more.</p>
        </Confirm>
      )}
      {path !== undefined && <Made url={location.origin + path} onStored={() => setPath(undefined)} />}
    </>
  );
}

function Made({ url, onStored }: { readonly url: string; readonly onStored: () => void }) {
  return (
    <ShownOnce title="The hook's address" secret={url} label="the address" onStored={onStored}>
      <p>A POST runs the schedule, a minute after the last one. What to paste for the events of a bucket:</p>
      {hookLines(url).map(({ name, text, warning }) => (
        <details key={name}>
          <summary>{name}</summary>
          {warning !== undefined && <p>{warning}</p>}
          <CodeBlock text={text} label={`the lines for ${name}`} />
        </details>
      ))}
    </ShownOnce>
  );
}
