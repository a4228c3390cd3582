/** A page with its title, its one heading, and its actions. The heading gets the focus when a person comes from another page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface PageProps {
  readonly title: string;
  /** The title of the window. The default is the title of the page. */
  readonly shortTitle?: string;
  /** A line above the heading with links back, for example to the domain. */
  readonly above?: ComponentChildren;
  /** Beside the heading: a state. */
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Whether no page was shown yet. On the first page, the browser puts the focus where people expect it. */
let isFirst = true;

export function Page({ title, shortTitle = title, above, beside, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${shortTitle} · Waypost`;
  }, [shortTitle]);
  // Move the focus at once. Later, the person may have moved on with Tab.
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
