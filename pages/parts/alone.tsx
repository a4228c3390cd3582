/** A page for a person who is not signed in yet. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from './mark.tsx';

export interface AloneProps {
  readonly title: string;
  /** Said at once: what went wrong. */
  readonly problem?: string | undefined;
  readonly children: ComponentChildren;
}

export function Alone({ title, problem, children }: AloneProps) {
  useEffect(() => {
    document.title = `${title} · Waypost`;
  }, [title]);
  return (
    <main id="main" class="alone">
      <p class="brand">
        <Mark /> Waypost
      </p>
      <h1>{title}</h1>
      {problem && (
        <p class="notice notice-bad" role="alert">
          <span>{problem}</span>
        </p>
      )}
      {children}
    </main>
  );
}
