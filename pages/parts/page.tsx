/**
 * A page: its title, its one heading, which gets the focus when somebody comes from another page, and its
 * actions.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface PageProps {
  readonly title: string;
  /** In the window's title; default: the title. */
  readonly shortTitle?: string;
  /** A line above the heading that leads back, as in a link to the domain. */
  readonly above?: ComponentChildren;
  /** Beside the heading: a state. */
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The first page is opened by the browser, which puts the focus where people expect it. */
let isFirst = true;

export function Page({ title, shortTitle = title, above, beside, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${shortTitle} · Waypost`;
  }, [shortTitle]);
  // The focus moves at once: later it would leave the place that a person has reached with Tab meanwhile.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      {above && <p class="above">{above}</p>}
      <div class="page-head">
        <div class="title-line">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {beside}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
