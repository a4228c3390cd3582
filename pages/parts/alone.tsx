/** A page without the frame of the dashboard: the sign-in and the invitation. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from './mark.tsx';

export interface AloneProps {
  readonly title: string;
  /** A message about something that went wrong. Screen readers say it at once. */
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
